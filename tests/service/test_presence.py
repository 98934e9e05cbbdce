"""Who plays by unary calls is there while a call of it waits, and when any other comes."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.store.memory import MemoryStore
from endless_winter.v1 import (
    clock_pb2,
    game_service_pb2,
    operator_service_pb2_grpc,
    result_pb2,
)
from endless_winter.v1 import operator_service_pb2 as o
from endless_winter.v1 import play_service_pb2 as p
from tests.engine.desk import client
from tests.service.inside import HandClock, Inside, inside

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from endless_winter.engine.game import Game

AWAY_MS = 30_000
GONE = result_pb2.END_REASON_DISCONNECTED
POLL_MS = 60_000


class Table:
    """A server, a game with a limit on staying away, and the seat that owes a choice."""

    def __init__(self, server: Inside, clock: HandClock, game: Game) -> None:
        self.server = server
        self.game = game
        self.seat = game.table.deciding_seat
        self.player = server.client(f"player {self.seat}")
        self._clock = clock

    async def advance(self, milliseconds: int) -> None:
        """Let time pass, with every deadline on the way."""
        engine, rounds = self.server.host.engine, self.server.host.rounds
        until = self._now_ms() + milliseconds
        while (due := engine.timers.next_ms()) is not None and due <= until:
            self._clock.at = (due + 0.5) / 1000
            rounds.schedule()
            await asyncio.sleep(0)
            await rounds.idle()
        self._clock.at = (until + 0.5) / 1000

    def _now_ms(self) -> int:
        return self._clock.now().ms

    async def is_gone_after(self, milliseconds: int = AWAY_MS) -> bool:
        """Whether the seat is out after this time, and not before."""
        await self.advance(milliseconds - 1)
        before = self.forfeited
        await self.advance(1)
        return not before and self.forfeited == GONE

    @property
    def forfeited(self) -> int:
        return self.game.table.seats[self.seat].forfeited

    def view(self, seat: int | None, **more: Any) -> Awaitable[Any]:
        """A long poll."""
        who = self.player if seat is not None else self.server.client("a spectator")
        request = p.GetViewRequest(
            game_id=self.game.game_id, seat=seat, after_seq=99, wait_ms=POLL_MS, **more
        )
        found: Awaitable[Any] = who.play.GetView(request, metadata=who.metadata)
        return found

    async def answer_all(self) -> None:
        """Answer what the seat is asked, until it is another's turn."""
        while self.game.table.deciding_seat == self.seat:
            decision_id = self.game.table.decision_id
            await self.player.submit(
                self.game.game_id, self.seat, decision_id=decision_id, take_default=True
            )

    def seats(self, **more: Any) -> Awaitable[Any]:
        request = p.ListMySeatsRequest(**more)
        found: Awaitable[Any] = self.player.play.ListMySeats(request, metadata=self.player.metadata)
        return found


@asynccontextmanager
async def table() -> AsyncIterator[Table]:
    clock = HandClock()
    async with inside(MemoryStore(), clock=clock) as server:
        host = server.client("host")
        control = clock_pb2.TimeControl(disconnect_limit_ms=AWAY_MS)
        info = await host.create(2, time_control=control)
        for seat in range(2):
            await server.client(f"player {seat}").join(info.game_id, seat)
        for seat in range(2):
            await server.client(f"player {seat}").ready(info.game_id, seat)
        yield Table(server, clock, server.host.engine.games[info.game_id])


async def until(holds: Callable[[], bool]) -> None:
    """Wait for the server, which runs in this loop too."""
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110 # it has no event for a test
            await asyncio.sleep(0)


@asynccontextmanager
async def waiting(
    at: Table, call: Awaitable[Any], name: str = ""
) -> AsyncIterator[asyncio.Future[Any]]:
    """A call that waits on the server, while the test goes on; at the end it is given up."""
    task = asyncio.ensure_future(call)
    who = client(name or f"player {at.seat}")
    presences = (at.game.here, at.server.host.engine.lobby.presence)
    await until(lambda: bool(at.game.polls) or any(one.calls(who) for one in presences))
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await until(lambda: not any(one.calls(who) for one in presences))


async def test_who_waits_for_updates_of_its_game_is_present_while_it_waits() -> None:
    async with table() as at:
        async with waiting(at, at.view(at.seat)):
            await at.advance(10 * AWAY_MS + 7)
            assert not at.forfeited
        assert await at.is_gone_after()


async def test_who_waits_to_owe_something_is_there_while_it_waits() -> None:
    async with table() as at:
        await at.answer_all()
        waiter, seat = at.player, at.seat
        at.seat = 1 - seat
        at.player = at.server.client(f"player {at.seat}")
        request = p.ListMySeatsRequest(only_owing=True, wait_ms=POLL_MS)
        call = waiter.play.ListMySeats(request, metadata=waiter.metadata)
        async with waiting(at, call, f"player {seat}") as task:
            await at.advance(AWAY_MS - 1)
            await at.answer_all()
            assert [one.seat for one in (await task).seats] == [seat]
        at.seat = seat
        assert await at.is_gone_after()


async def test_asking_what_one_owes_or_for_the_game_shows_that_one_is_there() -> None:
    async with table() as at:
        request = game_service_pb2.GetGameRequest(game_id=at.game.game_id)
        for _ in range(3):
            await at.advance(AWAY_MS - 1)
            await at.seats()
            await at.advance(AWAY_MS - 1)
            await at.player.games.GetGame(request, metadata=at.player.metadata)
        await at.advance(AWAY_MS - 1)
        assert not at.forfeited
        for name in (f"player {1 - at.seat}", "a spectator"):  # what others ask is no sign of it
            other = at.server.client(name)
            await other.games.GetGame(request, metadata=other.metadata)
            await other.play.ListMySeats(p.ListMySeatsRequest(), metadata=other.metadata)
        await at.advance(1)
        assert at.forfeited == GONE


@pytest.mark.parametrize("spectator", [False, True])
async def test_a_spectator_or_a_revoked_holder_who_waits_is_nobody_who_holds_a_seat(
    *, spectator: bool
) -> None:
    async with table() as at, waiting(at, at.view(None if spectator else at.seat)):
        if not spectator:
            operator = at.server.client("operator")
            stub: Any = operator_service_pb2_grpc.OperatorServiceStub(operator.channel)
            rebind = o.RebindSeatRequest(game_id=at.game.game_id, seat=at.seat)
            await stub.RebindSeat(rebind, metadata=operator.metadata)
        assert await at.is_gone_after()
