"""`PlayService`: the stream and the simple unary way, over the same operations."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import grpc

from endless_winter.service import pages
from endless_winter.service.asked import check_request_id
from endless_winter.service.calls import (
    fault,
    log,
    refuse,
    refuse_at_the_door,
    server_stream,
    unary,
)
from endless_winter.service.feed import Feed
from endless_winter.service.identity import caller_of, same
from endless_winter.service.malformed import Malformed
from endless_winter.service.orders import read_request
from endless_winter.service.play_stream import PlayStream, act
from endless_winter.service.refusal import Refusal, draining
from endless_winter.service.table import ENDED
from endless_winter.service.versions import server_info
from endless_winter.store import Query, Status
from endless_winter.v1 import game_pb2, view_pb2
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.views import wire

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from endless_winter.service.delay import Late
    from endless_winter.service.hall import Hall
    from endless_winter.service.identity import Caller
    from endless_winter.service.session import Session

SERVICE = "endless_winter.v1.PlayService"
_NEVER = 1 << 62
_MOST_OCTETS = 128  # of one seat in a list, with the longest id of a game
_SUSPENDED = game_pb2.GAME_STATUS_SUSPENDED
_FULL = p.FeedOptions(view_mode=view_pb2.VIEW_MODE_ALWAYS)


class PlayServicer:
    """Registered by hand, because streams send bytes that are already encoded."""

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self.settings = hall.settings

    def handlers(self) -> dict[str, grpc.RpcMethodHandler[Any, Any]]:
        """Its methods by name, for a server."""
        read_play = partial(
            read_request,
            most=self.settings.commands_per_message,
            most_bytes=self.settings.request_bytes,
        )
        handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
            "Play": grpc.stream_stream_rpc_method_handler(
                self.Play, request_deserializer=read_play
            ),
            "Watch": grpc.unary_stream_rpc_method_handler(
                self.Watch, request_deserializer=p.WatchRequest.FromString
            ),
        }
        handlers["GetView"] = grpc.unary_unary_rpc_method_handler(
            self.GetView, request_deserializer=p.GetViewRequest.FromString
        )
        for method, request, response in (
            (self.SubmitMove, p.SubmitMoveRequest, p.SubmitMoveResponse),
            (self.SetReady, p.SetReadyRequest, p.SetReadyResponse),
            (self.SetStandingAnswers, p.SetStandingAnswersRequest, p.SetStandingAnswersResponse),
            (self.UndoMove, p.UndoMoveRequest, p.UndoMoveResponse),
            (self.ListMySeats, p.ListMySeatsRequest, p.ListMySeatsResponse),
        ):
            handlers[method.__name__] = grpc.unary_unary_rpc_method_handler(
                method,
                request_deserializer=request.FromString,
                response_serializer=response.SerializeToString,
            )
        return handlers

    # --- streams ---

    async def Play(self, requests: AsyncIterator[Any], context: Any) -> None:
        del requests  # read from the context: that keeps less, and has fewer steps, than iterating
        try:
            caller = caller_of(context.invocation_metadata() or (), self.settings.operators)
            caller.known()
        except Refusal as refusal:
            await refuse_at_the_door(context, refusal)
            return
        stream = PlayStream(self.hall, caller)
        self.hall.enter(stream)
        reader = asyncio.create_task(stream.read(context.read))
        try:
            await stream.write(context.write)
            if reader.done():
                await reader
        except Malformed as error:
            await refuse(context, error.refusal)
        except grpc.aio.AbortError:
            raise
        except Exception:
            log.exception("a Play stream failed")
            await refuse(context, fault())
            raise  # not reached: refuse() raises
        finally:
            self.hall.streams.discard(stream)
            reader.cancel()
            stream.close()

    @server_stream
    async def Watch(self, request: p.WatchRequest, caller: Caller) -> AsyncIterator[bytes]:
        session = await self.hall.find(request.game_id, caller)
        seat = self._viewer(session, caller, request)
        after = request.after_seq if request.HasField("after_seq") else None
        woken = asyncio.Event()
        source = session.seen_by(seat)
        feed = Feed(source, seat, request.feed, after, lambda _: woken.set())
        source.attach(feed)
        try:
            welcome = p.Welcome(server=server_info(self.hall)).SerializeToString()
            head = wire.message(p.WatchResponse.WELCOME_FIELD_NUMBER, welcome)
            while not feed.done:
                body = feed.update()
                if body is not None or head:
                    news = wire.message(p.WatchResponse.UPDATES_FIELD_NUMBER, body or b"")
                    yield head + (news if body is not None else b"")
                    head = b""
                elif session.draining:
                    raise draining()
                elif not feed.done:
                    await woken.wait()
                    woken.clear()
            if feed.cut is not None:
                raise feed.cut
        finally:
            source.detach(feed)

    # --- unary ---

    @unary
    async def SubmitMove(
        self, request: p.SubmitMoveRequest, caller: Caller
    ) -> p.SubmitMoveResponse:
        command = p.PlayCommand(request_id=request.request_id, answer=request.answer)
        return p.SubmitMoveResponse(accepted=await self._act(request, caller, command))

    @unary
    async def SetReady(self, request: p.SetReadyRequest, caller: Caller) -> p.SetReadyResponse:
        command = p.PlayCommand(request_id=request.request_id, ready=p.Ready())
        return p.SetReadyResponse(accepted=await self._act(request, caller, command))

    @unary
    async def SetStandingAnswers(
        self, request: p.SetStandingAnswersRequest, caller: Caller
    ) -> p.SetStandingAnswersResponse:
        command = p.PlayCommand(
            request_id=request.request_id, set_standing_answers=request.standing
        )
        return p.SetStandingAnswersResponse(accepted=await self._act(request, caller, command))

    @unary
    async def UndoMove(self, request: p.UndoMoveRequest, caller: Caller) -> p.UndoMoveResponse:
        command = p.PlayCommand(request_id=request.request_id, undo=request.undo)
        return p.UndoMoveResponse(accepted=await self._act(request, caller, command))

    async def _act(
        self,
        request: p.SubmitMoveRequest
        | p.SetReadyRequest
        | p.SetStandingAnswersRequest
        | p.UndoMoveRequest,
        caller: Caller,
        command: p.PlayCommand,
    ) -> p.Accepted:
        received_ms = self.hall.time.now_ms()
        queued_ms = self.hall.time.queue_ms()
        check_request_id(request.request_id)
        session = await self.hall.find(request.game_id, caller)
        seat = session.seat_of(caller, request.seat)
        kind = command.WhichOneof("command")
        assert kind is not None
        accepted = await act(session, seat, command, kind, received_ms, queued_ms)
        return p.Accepted.FromString(accepted)

    @unary
    async def GetView(self, request: p.GetViewRequest, caller: Caller) -> bytes:
        session = await self.hall.find(request.game_id, caller)
        seat = self._viewer(session, caller, request)
        if request.wait_ms > 0:
            with _here(session, caller, seat):
                await self._wait(session.seen_by(seat), seat, request)
            seat = self._viewer(session, caller, request)  # it may have changed hands
        after = request.after_seq if request.HasField("after_seq") else None
        options = request.feed if request.HasField("feed") else _FULL
        feed = Feed(session.seen_by(seat), seat, options, after, lambda _: None, polled=True)
        body = feed.update()
        assert body is not None  # a fresh feed always has something to say
        return wire.message(p.GetViewResponse.UPDATE_FIELD_NUMBER, body)

    def _viewer(
        self, session: Session, caller: Caller, request: p.GetViewRequest | p.WatchRequest
    ) -> int | None:
        if request.HasField("seat"):
            return session.seat_of(caller, request.seat)
        session.check_spectator(caller)
        return None

    async def _wait(
        self, session: Session | Late, seat: int | None, request: p.GetViewRequest
    ) -> None:
        """A long poll: until there is something newer, or until the seat owes something."""
        for_prompt = request.wait_for_prompt or request.feed.only_when_asked
        after = request.after_seq

        def over() -> bool:
            if session.table.status == ENDED or session.draining:
                return True
            if for_prompt:
                return seat is not None and session.owes(seat)
            return session.table.seq > after

        if over():
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(min(request.wait_ms, self.settings.wait_ms) / 1000):
                await session.news(over)
        await self._turn()

    async def _turn(self) -> None:
        """After a wait: many may end at once, and all others shall not wait for them."""
        if not self.hall.poll_turns.take():
            await self.hall.poll_turns.wait()

    @unary
    async def ListMySeats(
        self, request: p.ListMySeatsRequest, caller: Caller
    ) -> p.ListMySeatsResponse:
        holder = caller.known()
        start = _start(pages.place_of(request))
        self.hall.presence.enter(holder)  # in all its games, also while they are loaded
        try:
            return await self._list_my_seats(request, holder, start)
        finally:
            self.hall.presence.leave(holder)
            if holder in self.hall.seats:
                self.hall.presence.hear(holder)

    async def _list_my_seats(
        self, request: p.ListMySeatsRequest, holder: bytes, start: int
    ) -> p.ListMySeatsResponse:
        limit = max(min(request.wait_ms, self.settings.wait_ms), 0) / 1000
        await self.hall.load_seats(holder)
        if request.include_ended:
            await self.hall.ended.forget_removed()

        found = self._my_seats(holder, request)
        if request.only_owing and limit > 0:
            try:
                async with asyncio.timeout(limit):
                    while not (found or self.hall.draining):
                        await self.hall.news(holder)
                        await self._turn()
                        found = self._my_seats(holder, request)
            except TimeoutError:
                await self._turn()
        others: list[p.MySeat] = []
        if not request.only_owing:
            others = self._suspended_seats(holder)
            if request.include_ended:
                others += await self._ended_before(holder)
        most = min(self.settings.page_size, pages.room(self.settings) // _MOST_OCTETS)
        end = start + min(request.page_size or most, most)
        more = str(end) if len(found) + len(others) > end else ""
        held = self.hall.seats.get(holder, {})
        # Of thousands of seats only those of the page are put into words.
        seats = [_my_seat(key, held[key]) for key in found[start:end] if key in held]
        seats += others[max(start - len(found), 0) : max(end - len(found), 0)]
        return p.ListMySeatsResponse(seats=seats, next_page_token=pages.token_for(request, more))

    async def _ended_before(self, holder: bytes) -> list[p.MySeat]:
        """Seats of ended games that nobody has asked for since the server started."""
        query = Query(client=holder, mine=True, statuses=frozenset((Status.ENDED,)))
        found: list[p.MySeat] = []
        token = ""
        while True:
            page = await self.hall.store.list_games(query, token=token)
            for header in page.games:
                if header.game_id not in self.hall.sessions:
                    found += [
                        p.MySeat(
                            game_id=header.game_id, seat=seat, status=ENDED, seq=header.last_seq
                        )
                        for seat, known in sorted(header.holders.items())
                        if same(known, holder)
                    ]
            token = page.next_token
            if not token:
                return sorted(found, key=lambda one: (one.game_id, one.seat))

    def _my_seats(self, holder: bytes, request: p.ListMySeatsRequest) -> list[tuple[str, int]]:
        """Games and seats, in their order: those that owe first, by deadline."""
        if request.only_owing and self.hall.owes_nothing(holder):
            return []  # thousands of seats need not be looked at for each of many polls
        owing: list[tuple[int, tuple[str, int]]] = []
        rest: list[tuple[str, int]] = []
        for key, session in self.hall.seats.get(holder, {}).items():
            if session.owes(key[1]):
                due = _deadline_ms(session, key[1])
                owing.append((_NEVER if due is None else due, key))
            elif not request.only_owing and (
                request.include_ended or session.table.status != ENDED
            ):
                rest.append(key)
        return [key for _, key in sorted(owing)] + sorted(rest)

    def _suspended_seats(self, holder: bytes) -> list[p.MySeat]:
        """Seats of games that only wait for a server that can continue them, or for their end."""
        return [
            p.MySeat(game_id=header.game_id, seat=seat, status=_SUSPENDED, seq=header.last_seq)
            for header in self.hall.suspended.held_by(holder)
            for seat, known in header.holders.items()
            if same(known, holder)
        ]


def _deadline_ms(session: Session, seat: int) -> int | None:
    """Until when a seat can do what it owes: a choice, or Ready."""
    return session.deadline_ms() if session.owes(seat) else None


def _my_seat(key: tuple[str, int], session: Session) -> p.MySeat:
    game_id, seat = key
    table = session.table
    choosing = table.deciding_seat == seat
    return p.MySeat(
        game_id=game_id,
        seat=seat,
        status=table.status,
        seq=table.seq,
        decision_id=table.decision_id if choosing else None,
        owes_ready=session.owes(seat) and not choosing,
        deadline_unix_ms=_deadline_ms(session, seat),
    )


@contextmanager
def _here(session: Session, caller: Caller, seat: int | None) -> Iterator[None]:
    """Whoever waits for news of its seat is there as long as it waits."""
    if seat is None:
        yield
        return
    session.here.enter(caller.holder)
    try:
        yield
    finally:
        session.here.leave(caller.holder)
        session.hear_from(caller.holder)


def _start(place: str) -> int:
    """The number of a page's first entry."""
    if not place:
        return 0
    if not (place.isascii() and place.isdigit() and len(place) < 8):
        raise pages.not_a_token()
    return int(place)
