"""`PlayService`: the stream and the unary calls, over the same commands."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import grpc
from google.protobuf.message import DecodeError

from endless_winter.engine.caller import same
from endless_winter.engine.commands import (
    Answer,
    Ready,
    SeatCommand,
    SetStandingAnswers,
    Undo,
    check_request_id,
)
from endless_winter.engine.refusal import draining
from endless_winter.engine.stream import PlayStream
from endless_winter.engine.subscription import Subscription
from endless_winter.engine.table import ENDED
from endless_winter.service import logs
from endless_winter.service.calls import not_a_message, too_large
from endless_winter.service.rpc import pages
from endless_winter.store.records import Query, Status
from endless_winter.v1 import game_pb2, view_pb2
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.views import wire

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from endless_winter.engine.caller import Caller
    from endless_winter.engine.commands import Asked
    from endless_winter.engine.game import Game
    from endless_winter.service.host import Host

_NEVER: Final = 1 << 62
_MOST_BYTES: Final = 128  # of one seat in a list, with the longest id of a game
_AT_ONCE: Final = 64  # commands of a long message that are read before others have a turn
_TURN_SECONDS: Final = 0.002  # of one turn of the loop; who comes later waits for the next
_LONG: Final = 256  # bytes of a message that waits for its turn, as floods do
_SUSPENDED = game_pb2.GAME_STATUS_SUSPENDED
_FULL = p.FeedOptions(view_mode=view_pb2.VIEW_MODE_ALWAYS)

SeatRequest = (
    p.SubmitMoveRequest | p.SetReadyRequest | p.SetStandingAnswersRequest | p.UndoMoveRequest
)


class Turns:
    """Fairness between floods, and crowds that are woken at once, and everybody else.

    A little is done in each turn of the loop; what has to wait comes in its order.
    """

    def __init__(self, stopwatch: Callable[[], float]) -> None:
        self._stopwatch = stopwatch
        self._since = 0.0  # when the first in this turn came; 0: nobody has yet
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def mine(self) -> None:
        """Return when it is the caller's turn."""
        if not self._since:
            self._begin()
        elif self._waiting or self._stopwatch() - self._since > _TURN_SECONDS:
            waits = asyncio.get_running_loop().create_future()
            self._waiting.append(waits)
            await waits

    def _begin(self) -> None:
        self._since = self._stopwatch()
        asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        """The turn is over: in the next one the first of those who wait goes on."""
        self._since = 0.0
        while self._waiting:
            waits = self._waiting.popleft()
            if not waits.done():  # else it was cancelled
                waits.set_result(None)
                self._begin()
                return


class PlayServicer:
    """Streams send bytes that are already encoded."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.settings = host.settings
        self._turns = Turns(host.clock.stopwatch)

    # --- the Play stream ---

    async def Play(self, caller: Caller, context: Any) -> None:
        ready = asyncio.Event()
        stream = PlayStream(caller, self.settings, self.host.server_info, ready.set)
        self.host.enter(stream)
        reader = asyncio.create_task(self._read(stream, context))
        try:
            await self._write(stream, ready, context)
            if reader.done():
                await reader
        finally:
            self.host.streams.pop(stream, None)
            reader.cancel()
            now = self.host.clock.now()
            self.host.engine.left(stream.close(now), now)
            self.host.rounds.schedule()

    async def _read(self, stream: PlayStream, context: Any) -> None:
        """Take messages, until the client is done."""
        most = self.settings.message_bytes
        try:
            while (raw := await context.read()) is not grpc.aio.EOF:
                if len(raw) > most:
                    raise too_large(most)
                await self._take(stream, raw)
                if stream.closing:
                    return
                del raw  # it must not stay in memory while the stream waits for the next
        finally:
            stream.end()

    async def _take(self, stream: PlayStream, raw: bytes) -> None:
        """Put the commands of a message into the inbox."""
        rounds, turns = self.host.rounds, self._turns
        now = self.host.clock.now()
        if len(raw) > _LONG:
            await turns.mine()
        try:
            for _ in stream.checks(raw):
                await turns.mine()
            commands = stream.parse(raw, now, checked=True)
        except DecodeError as error:
            raise not_a_message() from error
        for number, command in enumerate(commands, 1):
            rounds.put(stream, command)
            if stream.is_full():
                await rounds.room(stream)
            elif not number % _AT_ONCE:
                await turns.mine()
            if stream.closing:
                return

    async def _write(self, stream: PlayStream, ready: asyncio.Event, context: Any) -> None:
        """Send messages, each with everything that is ready, until the stream is over."""
        host = self.host
        while True:
            ready.clear()
            message = stream.compose(host.clock.now())
            if message:
                try:
                    await context.write(message)
                except Exception as error:  # noqa: BLE001 # whatever gRPC calls it
                    logs.log.debug("a client has gone", why=repr(error))
                    return
                host.rounds.sent(stream)
            elif stream.is_over():
                return
            else:
                await ready.wait()

    async def Watch(self, request: p.WatchRequest, caller: Caller) -> AsyncIterator[bytes]:
        host = self.host
        game = await host.find(request.game_id, caller)
        seat = game.viewer(caller, request.seat if request.HasField("seat") else None)
        after = request.after_seq if request.HasField("after_seq") else None
        woken = asyncio.Event()
        subscription = Subscription(game, seat, request.feed, after, lambda _: woken.set())
        game.subscribe(subscription, host.clock.now())
        game.attend(host.clock.now())
        try:
            welcome = p.Welcome(server=host.server_info()).SerializeToString()
            head = wire.message(p.WatchResponse.WELCOME_FIELD_NUMBER, welcome)
            while not subscription.done:
                body = subscription.update(host.clock.now())
                if body is not None or head:
                    field = p.WatchResponse.UPDATES_FIELD_NUMBER
                    yield head if body is None else head + wire.message(field, body)
                    head = b""
                elif host.draining:
                    raise draining()
                elif not subscription.done:
                    await woken.wait()
                    await self._turns.mine()
                    woken.clear()
            if subscription.cut is not None:
                raise subscription.cut
        finally:
            now = host.clock.now()
            game.unsubscribe(subscription, now)
            host.engine.left([game.game_id], now)
            host.rounds.schedule()

    # --- commands by unary calls ---

    async def SubmitMove(
        self, request: p.SubmitMoveRequest, caller: Caller
    ) -> p.SubmitMoveResponse:
        at, request_id = self._at(request, caller), request.request_id
        accepted = await self._do(Answer(*at, request_id, request.answer))
        return p.SubmitMoveResponse(accepted=accepted)

    async def SetReady(self, request: p.SetReadyRequest, caller: Caller) -> p.SetReadyResponse:
        command = Ready(*self._at(request, caller), request.request_id)
        return p.SetReadyResponse(accepted=await self._do(command))

    async def SetStandingAnswers(
        self, request: p.SetStandingAnswersRequest, caller: Caller
    ) -> p.SetStandingAnswersResponse:
        at, request_id = self._at(request, caller), request.request_id
        command = SetStandingAnswers(*at, request_id, request.standing)
        return p.SetStandingAnswersResponse(accepted=await self._do(command))

    async def UndoMove(self, request: p.UndoMoveRequest, caller: Caller) -> p.UndoMoveResponse:
        at, request_id = self._at(request, caller), request.request_id
        command = Undo(*at, request_id, request.undo)
        return p.UndoMoveResponse(accepted=await self._do(command))

    def _at(self, request: SeatRequest, caller: Caller) -> tuple[str, int, Asked]:
        """The game, the seat, and who asks."""
        return request.game_id, request.seat, self.host.asked(caller)

    async def _do(self, command: SeatCommand) -> p.Accepted:
        check_request_id(command.request_id)
        game = await self.host.find(command.game_id, command.caller)
        game.seat_of(command.caller, command.seat)
        return p.Accepted.FromString(await self.host.rounds.call(command))

    # --- looking ---

    async def GetView(self, request: p.GetViewRequest, caller: Caller) -> bytes:
        game = await self.host.find(request.game_id, caller)
        wanted = request.seat if request.HasField("seat") else None
        seat = game.viewer(caller, wanted)
        if request.wait_ms > 0:
            with self._here(game, caller, seat):
                await self._wait(game, seat, request)
            await self._turns.mine()
            seat = game.viewer(caller, wanted)  # it may have changed hands
        after = request.after_seq if request.HasField("after_seq") else None
        options = request.feed if request.HasField("feed") else _FULL
        if seat is not None and game.table.deciding_seat == seat:
            game.show(self.host.clock.now())
        subscription = Subscription(game, seat, options, after, lambda _: None, polled=True)
        body = subscription.update(self.host.clock.now())
        assert body is not None  # a fresh subscription always has something to say
        return wire.message(p.GetViewResponse.UPDATE_FIELD_NUMBER, body)

    async def _wait(self, game: Game, seat: int | None, request: p.GetViewRequest) -> None:
        """A long poll: until there is something newer, or until the seat owes something."""
        shown = game.shown_to(seat)
        for_prompt = request.wait_for_prompt or request.feed.only_when_asked
        after = request.after_seq

        def over() -> bool:
            if shown.table.status == ENDED or self.host.draining:
                return True
            if for_prompt:
                return seat is not None and game.owes(seat)
            return shown.table.seq > after

        if not over():
            woken = asyncio.Event()
            shown.polls[woken] = (over, woken.set)
            try:
                await self._until(woken, request.wait_ms)
            finally:
                del shown.polls[woken]

    async def _until(self, woken: asyncio.Event, wait_ms: int) -> bool:
        """Wait, at most so long; whether it was woken."""
        try:
            async with asyncio.timeout(min(wait_ms, self.settings.wait_ms) / 1000):
                await woken.wait()
        except TimeoutError:
            return False
        return True

    @contextmanager
    def _here(self, game: Game, caller: Caller, seat: int | None) -> Iterator[None]:
        """A client that waits for updates of its seat is present as long as it waits."""
        if seat is None:
            yield
            return
        game.here.enter(caller.client)
        try:
            yield
        finally:
            game.here.leave(caller.client)
            game.note_client_seen(caller.client, self.host.clock.now())

    async def ListMySeats(
        self, request: p.ListMySeatsRequest, caller: Caller
    ) -> p.ListMySeatsResponse:
        client = caller.known()
        start = _start(pages.place_of(request))
        lobby = self.host.engine.lobby
        lobby.presence.enter(client)  # in all its games, also while they are loaded
        try:
            return await self._list_my_seats(request, client, start)
        finally:
            lobby.presence.leave(client)
            if client in lobby.seats:
                lobby.presence.note_seen(client, self.host.clock.now().ms)

    async def _list_my_seats(
        self, request: p.ListMySeatsRequest, client: bytes, start: int
    ) -> p.ListMySeatsResponse:
        host, lobby = self.host, self.host.engine.lobby
        await host.load_seats(client)
        if request.include_ended:
            await host.loader.forget_removed(list(host.engine.ended))
        found = self._my_seats(client, request)
        if request.only_owing and not found and request.wait_ms > 0 and not host.draining:
            woken = asyncio.Event()
            lobby.wait(client, woken, woken.set)
            try:
                await self._until(woken, request.wait_ms)
            finally:
                lobby.done(client, woken)
            found = self._my_seats(client, request)
        others: list[p.MySeat] = []
        if not request.only_owing:
            others = self._suspended_seats(client)
            if request.include_ended:
                others += await self._ended_before(client)
        most = min(self.settings.page_size, pages.room(self.settings) // _MOST_BYTES)
        end = start + min(request.page_size or most, most)
        more = str(end) if len(found) + len(others) > end else ""
        held = lobby.seats.get(client, {})
        # Of thousands of seats only those of the page are put into messages.
        seats = [self._my_seat(key, held[key]) for key in found[start:end] if key in held]
        seats += others[max(start - len(found), 0) : max(end - len(found), 0)]
        return p.ListMySeatsResponse(seats=seats, next_page_token=pages.token_for(request, more))

    async def _ended_before(self, client: bytes) -> list[p.MySeat]:
        """Seats of ended games that are not in memory."""
        query = Query(client=client, mine=True, statuses=frozenset((Status.ENDED,)))
        found: list[p.MySeat] = []
        token = ""
        store = self.host.store
        while True:
            page = await asyncio.to_thread(store.list_games, query, token=token)
            for header in page.games:
                if header.game_id not in self.host.engine.games:
                    found += [
                        p.MySeat(game_id=header.game_id, seat=seat, status=ENDED, seq=header.seq)
                        for seat, known in sorted(header.holders.items())
                        if same(known, client)
                    ]
            token = page.next_token
            if not token:
                return sorted(found, key=lambda one: (one.game_id, one.seat))

    def _my_seats(self, client: bytes, request: p.ListMySeatsRequest) -> list[tuple[str, int]]:
        """Games and seats, in their order: those that owe first, by deadline."""
        lobby, now = self.host.engine.lobby, self.host.clock.now()
        if request.only_owing and lobby.owes_nothing(client):
            return []  # thousands of seats need not be looked at for each of many polls
        owing: list[tuple[int, tuple[str, int]]] = []
        rest: list[tuple[str, int]] = []
        for key, game in lobby.seats.get(client, {}).items():
            if game.owes(key[1]):
                due = game.deadline_ms(now)
                owing.append((_NEVER if due is None else due, key))
            elif not request.only_owing and (request.include_ended or game.table.status != ENDED):
                rest.append(key)
        return [key for _, key in sorted(owing)] + sorted(rest)

    def _my_seat(self, key: tuple[str, int], game: Game) -> p.MySeat:
        game_id, seat = key
        table = game.table
        choosing = table.deciding_seat == seat
        owes = game.owes(seat)
        return p.MySeat(
            game_id=game_id,
            seat=seat,
            status=table.status,
            seq=table.seq,
            decision_id=table.decision_id if choosing else None,
            owes_ready=owes and not choosing,
            deadline_unix_ms=game.deadline_ms(self.host.clock.now()) if owes else None,
        )

    def _suspended_seats(self, client: bytes) -> list[p.MySeat]:
        """Seats of games that only wait for a server that can continue them, or for their end."""
        return [
            p.MySeat(game_id=header.game_id, seat=seat, status=_SUSPENDED, seq=header.seq)
            for header in self.host.engine.absent.suspended(client)
            for seat, known in header.holders.items()
            if same(known, client)
        ]


def _start(place: str) -> int:
    """The number of a page's first entry."""
    if not place:
        return 0
    if not (place.isascii() and place.isdigit() and len(place) < 8):
        raise pages.not_a_token()
    return int(place)
