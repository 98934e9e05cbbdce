"""A table on a server: updates by a Watch stream, choices by unary calls that may be repeated.

Losing the connection loses nothing: the stream is opened again where it ended, and a choice that
was not answered is sent again under its old request id.
"""

from __future__ import annotations

import asyncio
import shlex
import time
from itertools import count
from typing import TYPE_CHECKING, Any

import grpc

from endless_winter.sdk import Catalog, Decision, Result, View
from endless_winter.sdk.connection import check_server, error_of
from endless_winter.sdk.errors import Refused as RefusedByServer
from endless_winter.sdk.errors import SdkError, ServerGone
from endless_winter.terminal.seats import clean
from endless_winter.terminal.table import Lost, Refused, TableUpdate
from endless_winter.terminal.text import plural
from endless_winter.v1 import (
    catalog_service_pb2,
    catalog_service_pb2_grpc,
    decision_pb2,
    game_pb2,
    game_service_pb2,
    game_service_pb2_grpc,
    play_service_pb2,
    play_service_pb2_grpc,
    rejection_pb2,
    replay_pb2,
    replay_service_pb2,
    replay_service_pb2_grpc,
    view_pb2,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from endless_winter.sdk.connection import Endpoint
    from endless_winter.sdk.model import Option
    from endless_winter.terminal.table import OwnServer
    from endless_winter.v1 import (
        config_pb2,
        event_pb2,
        update_pb2,
        view_private_pb2,
        view_public_pb2,
    )

_CALL = 10.0  # seconds for a call to be answered
_FEED = play_service_pb2.FeedOptions(view_mode=view_pb2.VIEW_MODE_ALWAYS, explain=True)
_BEAT = 15.0  # seconds between checks that the server still answers
_LOOK, _LOOKS = 0.1, 20  # seconds between looks, and how many
_CUT = "Connection lost"
_NO_LOG = rejection_pb2.REJECTION_REASON_STORE_UNAVAILABLE
_WAITS = (1, 2, 4, 8)  # seconds between attempts; the last one again and again


class _Silent(Exception):
    """The server does not answer any more, though the line was not cut."""


class RemoteTable:
    """A seat of a game on a server; `seat` None: as a spectator."""

    can_step = False

    def __init__(
        self,
        endpoint: Endpoint,
        game_id: str,
        seat: int | None,
        *,
        trouble: Callable[[], str] = lambda: "",
        own: OwnServer | None = None,
    ) -> None:
        """`trouble` says what is wrong with processes that the game needs; empty: nothing."""
        self._trouble = trouble
        self._own = own
        self._delay = ""  # why the last choice is still on its way
        self._endpoint = endpoint
        self._game_id = game_id
        self._seat = seat
        self._channel: grpc.aio.Channel | None = None  # made where the event loop runs
        self._info: game_pb2.GameInfo | None = None
        self._catalog: Catalog | None = None
        self._seq: int | None = None
        self._ready = False

    def review(self) -> str:
        if self._seat is None:
            return ""
        where = f"--server {self._endpoint.address}"
        if self._own is not None:  # which has ended with the game
            where = f"--store {shlex.quote(str(self._own.store))}"
        return f"ew replay review {self._game_id} {where} --seat {self._seat}"

    def _open(self) -> None:
        self._channel = self._endpoint.aio_channel()
        self._play = play_service_pb2_grpc.PlayServiceStub(self._channel)
        self._games = game_service_pb2_grpc.GameServiceStub(self._channel)
        self._catalogs = catalog_service_pb2_grpc.CatalogServiceStub(self._channel)
        self._replays = replay_service_pb2_grpc.ReplayServiceStub(self._channel)

    # --- updates ---

    async def updates(self) -> AsyncIterator[TableUpdate]:
        failures, ended = 0, ""
        self._open()
        while True:
            try:
                async for update in self._connected():
                    failures, ended = 0, ""
                    yield update
                    if update.result is not None:
                        return
                why = f"{_CUT}: the stream ended"
            except grpc.aio.AioRpcError as error:
                why = self._passing(error)
            except _Silent:
                why = f"{_CUT}: the server at {self._endpoint.address} is silent"
            except SdkError as error:
                raise Lost(str(error)) from error
            if self._own is not None:
                for _ in range(_LOOKS):  # the line may break before the process has ended
                    ended = self._own.ended() or ended
                    if ended or not why.startswith(_CUT):
                        break
                    await asyncio.sleep(_LOOK)
                if self._own.given_up():
                    raise Lost(self._own.given_up())
            wait = _WAITS[min(failures, len(_WAITS) - 1)]
            failures += 1
            for left in range(wait, 0, -1):
                yield TableUpdate(
                    waiting=f"{ended or why}. Trying again in {left} s "
                    f"(attempt {failures}). Nothing is lost; q leaves, the game waits."
                )
                await asyncio.sleep(1)
            await self._anew()

    def _passing(self, error: grpc.aio.AioRpcError) -> str:
        """Why nothing can be shown now, if waiting can help; else `Lost`."""
        known = error_of(error, self._endpoint.address)
        if isinstance(known, ServerGone):
            return f"{_CUT}: {known}"
        if isinstance(known, RefusedByServer) and known.reason == _NO_LOG:
            return self._no_log()
        if isinstance(known, RefusedByServer) and known.may_pass:
            return f"The server cannot go on just now: {known.message}"
        raise Lost(str(known)) from error

    def _no_log(self) -> str:
        if self._own is None:
            return "The server cannot write its log"
        return f"The server cannot write its log in {self._own.folder} (is the disk full?)"

    def trouble(self) -> str:
        return self._trouble() or self._delay

    async def _anew(self) -> None:
        """A new channel: the old one may still wait before it tries again."""
        await self.close()
        self._endpoint = self._endpoint.next()  # the same one where there is no other
        self._open()

    async def _connected(self) -> AsyncIterator[TableUpdate]:
        request = play_service_pb2.WatchRequest(
            game_id=self._game_id, seat=self._seat, after_seq=self._seq, feed=_FEED
        )
        if self._info is None or self._catalog is None:
            await self._meet()
        call = self._play.Watch(request, metadata=self._endpoint.metadata)
        heart = asyncio.create_task(self._beat(call))
        try:
            async for response in call:
                if response.HasField("welcome"):
                    check_server(response.welcome.server, self._endpoint.address)
                for update in response.updates:
                    yield await self._table_update(update)
        except asyncio.CancelledError:
            if not heart.done() or heart.cancelled():
                raise  # the client is closing
            raise _Silent from None
        finally:
            heart.cancel()
            call.cancel()

    async def _beat(self, call: Any) -> None:
        """Notice a dead connection that was never closed: ask something now and then."""
        request = catalog_service_pb2.GetServerInfoRequest()
        while True:
            await asyncio.sleep(_BEAT)
            try:
                await self._catalogs.GetServerInfo(request, **self._how())
            except grpc.aio.AioRpcError:
                call.cancel()
                return

    async def _meet(self) -> None:
        """The game and the catalogue of its content."""
        game = await self._games.GetGame(
            game_service_pb2.GetGameRequest(game_id=self._game_id), **self._how()
        )
        self._info = game.game
        known = Catalog.known(game.game.content_hash)
        if known is None:
            found = await self._catalogs.GetCatalog(
                catalog_service_pb2.GetCatalogRequest(content_hash=game.game.content_hash),
                **self._how(),
            )
            known = Catalog.of(found.catalog)
        self._catalog = known

    def _how(self) -> dict[str, Any]:
        return {"metadata": self._endpoint.metadata, "timeout": _CALL}

    async def _table_update(self, update: update_pb2.Update) -> TableUpdate:
        if update.HasField("game"):
            self._info = update.game
        assert self._info is not None
        for event in update.events:
            if event.public_event.HasField("seat_changed"):
                self._seat_changed(event.public_event.seat_changed.seat)
        self._seq = update.seq
        if self._seat is not None and not self._ready:
            await self._say_ready(update)
        if not update.HasField("public_view") and not update.HasField("result"):
            return TableUpdate(waiting=self._before_start(update.status), info=self._info)
        if not update.HasField("public_view"):
            how = Result(update.result, self._game_id).outcome.replace("_", " ")
            raise Lost(f"The game has ended before it began ({how}).")
        events = tuple(update.events)
        if update.snapshot:
            events = await self._so_far(update.seq)
        decision = None
        if update.HasField("prompt"):
            assert self._catalog is not None
            decision = Decision(
                update.prompt, self._catalog, self._game_id, received=time.monotonic()
            )
        return TableUpdate(
            view=self._view(update),
            decision=decision,
            events=events,
            clock=update.clock if update.HasField("clock") else None,
            result=Result(update.result, self._game_id) if update.HasField("result") else None,
            info=self._info,
            fresh=update.snapshot,
        )

    def _view(self, update: update_pb2.Update) -> View:
        assert self._catalog is not None
        assert self._info is not None

        def read() -> tuple[view_public_pb2.PublicView, view_private_pb2.PrivateView | None]:
            own = update.private_view if update.HasField("private_view") else None
            return update.public_view, own

        return View(self._seat, self._catalog, self._info, read)

    def _seat_changed(self, seat: game_pb2.SeatInfo) -> None:
        assert self._info is not None
        if seat.seat < len(self._info.seats):
            self._info.seats[seat.seat].CopyFrom(seat)

    async def _say_ready(self, update: update_pb2.Update) -> None:
        waiting = (game_pb2.GAME_STATUS_OPEN, game_pb2.GAME_STATUS_STARTING)
        if update.status in waiting:
            await self._play.SetReady(
                play_service_pb2.SetReadyRequest(
                    game_id=self._game_id, seat=self._seat or 0, request_id="ready"
                ),
                **self._how(),
            )
        self._ready = True

    def _before_start(self, status: int) -> str:
        assert self._info is not None
        if status == game_pb2.GAME_STATUS_SUSPENDED:
            return "This server runs other rules and cannot go on with the game; its log stays."
        free = [seat for seat in self._info.seats if not seat.taken]
        if free:
            return self._missing([self._info.config.seats[seat.seat] for seat in free])
        slow = [clean(seat.display_name) for seat in self._info.seats if not seat.ready]
        return f"Waiting until everybody is ready ({', '.join(slow) or 'soon'}) …"

    def _missing(self, seats: Sequence[config_pb2.SeatConfig]) -> str:
        """Who is waited for, and what brings them here."""
        server = f"--server {self._endpoint.address}"
        names = [clean(seat.bot_name) for seat in seats]
        bots = list(dict.fromkeys(name for name in names if name))
        people = names.count("")
        waited = [f"the bot {name}" for name in names if name]
        waited += [plural(people, "player")] if people else []
        parts = [f"Waiting for {' and '.join(waited)}."]
        if bots:
            attach = " and ".join(f"ew bot run {name} {server}" for name in bots)
            parts.append(f"No such bot has a free place on this server. Attach one: {attach}.")
        if people:
            parts.append(f"Others join with: ew play {server} --join {self._game_id}")
        return " ".join(parts)

    async def leave(self) -> None:
        request = game_service_pb2.LeaveGameRequest(
            game_id=self._game_id, seat=self._seat or 0, request_id="leave"
        )
        await self._send(lambda: self._games.LeaveGame(request, **self._how()))

    async def _so_far(self, seq: int) -> tuple[event_pb2.Event, ...]:
        """What happened before a snapshot, for the log; without it, the log just starts here."""
        perspective = (
            replay_pb2.PERSPECTIVE_SPECTATOR if self._seat is None else replay_pb2.PERSPECTIVE_SEAT
        )
        request = replay_service_pb2.StreamReplayRequest(
            game_id=self._game_id,
            perspective=perspective,
            seat=self._seat or 0,
            skip_views=True,
        )
        found: list[event_pb2.Event] = []
        try:
            async for response in self._replays.StreamReplay(request, **self._how()):
                for frame in response.frames:
                    if frame.seq <= seq:
                        found += frame.events
        except grpc.aio.AioRpcError:
            return tuple(found)
        return tuple(found)

    # --- choices ---

    async def choose(self, decision: Decision, option: Option) -> None:
        answer = decision_pb2.Answer(decision_id=decision.id, option_id=option.id)
        request = play_service_pb2.SubmitMoveRequest(
            game_id=self._game_id,
            seat=self._seat or 0,
            request_id=f"d{decision.id}-{option.id}",
            answer=answer,
        )
        await self._send(lambda: self._play.SubmitMove(request, **self._how()))

    async def undo(self, decision: Decision) -> None:
        request = play_service_pb2.UndoMoveRequest(
            game_id=self._game_id,
            seat=self._seat or 0,
            request_id=f"u{decision.id}",
            undo=play_service_pb2.Undo(decision_id=decision.id),
        )
        await self._send(lambda: self._play.UndoMove(request, **self._how()))

    async def _send(self, call: Callable[[], Awaitable[object]]) -> None:
        """Until it is answered or refused; `trouble` says meanwhile why we wait."""
        try:
            await self._sent(call)
        finally:
            self._delay = ""

    async def _sent(self, call: Callable[[], Awaitable[object]]) -> None:
        waits = iter(_WAITS)
        for attempt in count(2):
            delay = "The server does not answer"
            refusal = "Not sent: the server does not answer. Choose again when it is back."
            gone = True
            try:
                await call()
            except grpc.aio.AioRpcError as error:
                known = error_of(error, self._endpoint.address)
                gone = isinstance(known, ServerGone)
                if isinstance(known, RefusedByServer) and known.reason == _NO_LOG:
                    delay = f"{self._no_log()}. Your choice was not made"
                    refusal = f"{delay}: choose again later."
                elif not gone and not (isinstance(known, RefusedByServer) and known.may_pass):
                    reason = known.message if isinstance(known, RefusedByServer) else str(known)
                    raise Refused(f"Not taken: {reason}") from error
            except (asyncio.CancelledError, grpc.aio.UsageError):
                me = asyncio.current_task()
                if me is not None and me.cancelling():
                    raise  # we are leaving; otherwise the channel was changed under the call
            else:
                return
            # A server of our own is on its way back, however long it takes to start.
            wait = next(waits, _WAITS[-1] if gone and self._comes_back() else None)
            if wait is None:
                raise Refused(refusal)
            self._delay = f"{delay}; trying again in {wait} s (attempt {attempt})"
            await asyncio.sleep(wait)

    def _comes_back(self) -> bool:
        return self._own is not None and not self._own.given_up()

    def step(self, by: int) -> None:
        """A running game has no steps to go to."""

    def switch_eyes(self) -> None:
        """One's eyes are one's own."""

    async def close(self) -> None:
        if self._channel is not None:
            await self._channel.close()
