"""Who counts as there, for the limit on staying away; with a clock that the test turns."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from endless_winter.service import proposals
from endless_winter.service.feed import Feed
from endless_winter.service.games import GameServicer
from endless_winter.service.play import PlayServicer
from endless_winter.v1 import clock_pb2, game_service_pb2, play_service_pb2, result_pb2
from tests.service.desk import Context, caller, desk

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    import pytest

    from endless_winter.service.proposals import Draft
    from endless_winter.service.session import Session
    from tests.service.desk import Desk, FakeTimer

p = play_service_pb2
AWAY_MS = 30_000
GONE = result_pb2.END_REASON_DISCONNECTED


async def game(at: Desk, limit_ms: int = AWAY_MS) -> tuple[Session, int]:
    """A running game with a limit on staying away, and the seat that owes a choice."""
    control = clock_pb2.TimeControl(disconnect_limit_ms=limit_ms)
    session = await at.running(time_control=control)
    return session, session.table.deciding_seat


def feed_of(session: Session, seat: int) -> Feed:
    feed = Feed(session, seat, p.FeedOptions(), None, lambda _: None)
    session.attach(feed)
    return feed


@asynccontextmanager
async def waiting(at: Desk, call: Awaitable[Any]) -> AsyncIterator[asyncio.Future[Any]]:
    """A call that waits, while the test goes on; at the end its client gives it up."""
    before = asyncio.all_tasks()
    task = asyncio.ensure_future(call)
    for _ in range(20):  # it needs no more of the loop than this until it waits
        await asyncio.sleep(0)
    assert not task.done()
    at.time.apart = asyncio.all_tasks() - before
    try:
        yield task
    finally:
        at.time.apart = set()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def forfeited(session: Session, seat: int) -> int:
    return session.table.seats[seat].forfeited


async def take_over(session: Session, seat: int, name: str) -> None:
    """An operator rebinds a seat, and somebody else takes it."""

    def rebind(draft: Draft) -> None:
        proposals.free_seat(draft, seat, "rebound", bytes(16))

    await session.amend(None, rebind)
    await session.take_seat(seat, caller(name).holder, name)


async def test_a_revoked_holder_who_does_not_read_is_not_the_next_one(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session, seat = await game(at)
        unread = feed_of(session, seat)
        await at.time.advance(10 * AWAY_MS)
        assert session.info().seats[seat].connected
        await take_over(session, seat, "successor")
        assert not session.info().seats[seat].connected
        await at.time.advance(AWAY_MS - 1)
        assert not forfeited(session, seat)
        session.detach(unread)  # it has read at last, and that is no sign of its successor
        await at.time.advance(1)
        assert forfeited(session, seat) == GONE


async def test_who_takes_a_seat_over_has_the_whole_limit_to_come(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session, seat = await game(at)
        await at.time.advance(AWAY_MS - 1)
        await take_over(session, seat, "successor")
        await at.time.advance(AWAY_MS - 1)
        assert not forfeited(session, seat)
        feed_of(session, seat)
        await at.time.advance(10 * AWAY_MS)
        assert not forfeited(session, seat)


async def test_the_calls_of_a_revoked_holder_are_not_those_of_the_next_one(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session, seat = await game(at)
        servicer = PlayServicer(at.hall)
        wait: Any = p.GetViewRequest(
            game_id=session.table.game_id, seat=seat, after_seq=99, wait_ms=60_000
        )
        async with waiting(at, servicer.GetView(wait, Context(f"player {seat}"))):
            await take_over(session, seat, "successor")
            await at.time.advance(AWAY_MS)
            assert forfeited(session, seat) == GONE


async def test_asking_what_one_owes_shows_that_one_is_there(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session, seat = await game(at)
        other, _ = await game(at)
        servicer = PlayServicer(at.hall)
        for _ in range(5):
            await at.time.advance(AWAY_MS - 1)
            await servicer.ListMySeats(p.ListMySeatsRequest(), Context(f"player {seat}"))
        assert not forfeited(session, seat)
        assert not forfeited(other, seat)
        await at.time.advance(AWAY_MS - 1)
        assert not forfeited(session, seat)
        await at.time.advance(1)
        assert forfeited(session, seat) == GONE
        assert forfeited(other, seat) == GONE


async def test_asking_for_the_game_shows_that_one_is_there(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session, seat = await game(at)
        request = game_service_pb2.GetGameRequest(game_id=session.table.game_id)
        for _ in range(3):
            await at.time.advance(AWAY_MS - 1)
            await GameServicer(at.hall).GetGame(request, Context(f"player {seat}"))
        await at.time.advance(AWAY_MS - 1)
        assert not forfeited(session, seat)
        for name in (f"player {1 - seat}", "a spectator"):  # what others ask is no sign of it
            await GameServicer(at.hall).GetGame(request, Context(name))
        await at.time.advance(1)
        assert forfeited(session, seat) == GONE


async def test_who_waits_for_news_of_its_game_is_there_while_it_waits(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session, seat = await game(at)
        request = p.GetViewRequest(
            game_id=session.table.game_id, seat=seat, after_seq=session.table.seq, wait_ms=60_000
        )
        call = PlayServicer(at.hall).GetView(request, Context(f"player {seat}"))
        async with waiting(at, call):
            await at.time.advance(10 * AWAY_MS + 7)
            assert not forfeited(session, seat)
        await at.time.advance(AWAY_MS - 1)
        assert not forfeited(session, seat)
        await at.time.advance(1)
        assert forfeited(session, seat) == GONE


async def test_who_waits_to_owe_something_is_there_while_it_waits(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session, seat = await game(at)
        while session.table.deciding_seat == seat:
            await at.answer(session)
        rival = feed_of(session, 1 - seat)
        request = p.ListMySeatsRequest(only_owing=True, wait_ms=60_000)
        call = PlayServicer(at.hall).ListMySeats(request, Context(f"player {seat}"))
        async with waiting(at, call) as task:
            await at.time.advance(10 * AWAY_MS)
            while session.table.deciding_seat != seat:
                await at.answer(session)
            answer = await task
        assert [one.seat for one in answer.seats] == [seat]
        session.detach(rival)
        await at.time.advance(AWAY_MS - 1)
        assert not forfeited(session, seat)
        await at.time.advance(1)
        assert forfeited(session, seat) == GONE


async def test_who_asks_what_it_owes_is_there_while_its_games_are_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a restart: the first of thousands waits for its choice while the last are loaded."""
    async with desk(tmp_path) as at:
        session, seat = await game(at)

        async def load_seats(_: bytes) -> None:
            await asyncio.Event().wait()

        monkeypatch.setattr(at.hall, "load_seats", load_seats)
        call = PlayServicer(at.hall).ListMySeats(p.ListMySeatsRequest(), Context(f"player {seat}"))
        async with waiting(at, call):
            await at.time.advance(10 * AWAY_MS)
            assert not forfeited(session, seat)


async def test_a_spectator_who_waits_is_nobody_who_holds_a_seat(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session, seat = await game(at)
        request = p.GetViewRequest(
            game_id=session.table.game_id, after_seq=session.table.seq, wait_ms=60_000
        )
        async with waiting(at, PlayServicer(at.hall).GetView(request, Context("a spectator"))):
            await at.time.advance(AWAY_MS)
            assert forfeited(session, seat) == GONE


async def test_however_short_the_limit_who_waits_is_not_looked_for_all_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(tmp_path) as at:
        session, seat = await game(at, 500)
        holder = caller(f"player {seat}").holder
        session.here.enter(holder)
        rings: list[int] = []
        call_later = at.time.call_later

        def count(delay_ms: int, call: Callable[[int], None], argument: int) -> FakeTimer:
            rings.append(delay_ms)
            return call_later(delay_ms, call, argument)

        monkeypatch.setattr(at.time, "call_later", count)
        await at.time.advance(10_000)
        assert not forfeited(session, seat)
        assert len(rings) <= 10
        session.here.leave(holder)


async def test_a_change_at_one_seat_makes_nobody_else_forgotten(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session, seat = await game(at)
        await at.time.advance(AWAY_MS - 1)
        servicer = PlayServicer(at.hall)
        await servicer.ListMySeats(p.ListMySeatsRequest(), Context(f"player {seat}"))
        await take_over(session, 1 - seat, "successor")
        await at.time.advance(AWAY_MS - 1)
        assert not forfeited(session, seat)


async def test_who_holds_no_seat_is_not_remembered(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session, seat = await game(at)
        servicer = PlayServicer(at.hall)
        for number in range(5):
            await servicer.ListMySeats(p.ListMySeatsRequest(), Context(f"nobody {number}"))
        assert len(at.hall.presence) == 0
        await servicer.ListMySeats(p.ListMySeatsRequest(), Context(f"player {seat}"))
        assert len(at.hall.presence) == 1
        await take_over(session, seat, "successor")
        assert len(at.hall.presence) == 0
