"""Clocks over restarts, pauses and a store that cannot be written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from endless_winter.service.feed import Feed
from endless_winter.service.timekeeper import RETURN_MS
from endless_winter.store import SqliteStore, StoreError
from endless_winter.v1 import play_service_pb2
from tests.service.desk import NOW, caller, desk
from tests.service.test_clocks import control, refusing

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.service.session import Session
    from tests.service.desk import Desk

MINUTE = 60_000
HOUR = 60 * MINUTE


def left_ms(at: Desk, session: Session) -> int:
    deadline = session.deadline_ms()
    assert deadline is not None
    return deadline - NOW - at.time.now


async def left_after_a_restart(folder: Path, game_id: str) -> int:
    async with desk(folder) as at:
        at.time.now = 100 * HOUR
        await at.hall.pulse.start()
        session = await at.hall.find(game_id, caller("player 0"))
        await at.hall.pulse.stop()
        return left_ms(at, session)


@pytest.mark.parametrize("how", ["it could not write", "it stood still"])
async def test_what_a_server_could_not_do_is_not_thinking_after_a_restart_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    async with desk(tmp_path) as at:
        await at.hall.pulse.start()
        session = await at.running(time_control=control(decision_limit_ms=10 * MINUTE))
        at.time.now += 2 * MINUTE
        await at.hall.pulse.beat()
        if how == "it stood still":
            at.time.now += HOUR
            at.time.late += HOUR
            at.time.paused += HOUR
        else:

            async def full(*_: int) -> None:
                raise StoreError("no room")

            with monkeypatch.context() as broken:
                broken.setattr(at.hall.store, "serving", full)
                for _ in range(3):
                    await at.hall.pulse.beat()
                    at.time.now += 20 * MINUTE
        await at.hall.pulse.beat()
        at.time.now += MINUTE
        await at.hall.pulse.beat()
        at.time.now += MINUTE
        before = left_ms(at, session)
        await at.hall.pulse.stop()
    after = await left_after_a_restart(tmp_path, session.table.game_id)
    assert 0 <= after - before <= 2 * RETURN_MS


async def test_every_restart_gives_time_to_come_back(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.hall.pulse.start()
        session = await at.running(time_control=control(decision_limit_ms=MINUTE))
        at.time.now += 20_000
        await at.hall.pulse.stop()
    left = []
    for number in range(1, 6):
        async with desk(tmp_path) as at:
            at.time.now = number * HOUR
            await at.hall.pulse.start()
            again = await at.hall.find(session.table.game_id, caller("player 0"))
            left.append(left_ms(at, again))
            at.time.now += 12_000
            await at.hall.pulse.stop()
    assert left == [50_000, 48_000, 46_000, 44_000, 42_000]


async def test_a_calendar_that_was_set_back_counts_nothing_twice(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control(turn_limit_ms=100 * HOUR))
        await at.hall.store.serving(NOW, NOW + 10 * HOUR)
        await at.hall.store.serving(NOW + 5 * HOUR, NOW + 12 * HOUR)
    left = await left_after_a_restart(tmp_path, session.table.game_id)
    assert left == 100 * HOUR - 12 * HOUR + 2 * RETURN_MS


async def test_an_undo_does_not_give_back_what_was_thought_before_a_restart(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as at:
        await at.hall.pulse.start()
        session = await at.running(
            undo_allowed=True, time_control=control(decision_limit_ms=100 * MINUTE)
        )
        while not session.table.can_undo(session.table.deciding_seat):
            await at.answer(session)
        at.time.now += 50 * MINUTE
        await session.undo(session.table.deciding_seat, "", session.table.decision_id)
        at.time.now += MINUTE
        before = left_ms(at, session)
        assert before == 49 * MINUTE
        await at.hall.pulse.stop()
    assert await left_after_a_restart(tmp_path, session.table.game_id) == before + RETURN_MS


@pytest.mark.parametrize("how", ["paused", "halted"])
async def test_nobody_is_away_while_the_server_is(tmp_path: Path, how: str) -> None:
    """Who calls now and then could not do so, or was not let in."""
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control(disconnect_limit_ms=30_000))
        seat = session.table.deciding_seat
        for _ in range(10):
            await at.time.advance(20_000)
            await at.hall.find(session.table.game_id, caller(f"player {seat}"))
        if how == "paused":
            await at.time.advance(MINUTE, stalled=True)
        else:
            at.time.halt()
            await at.time.advance(MINUTE)
            await at.hall.pulse.beat()
        assert not session.table.seats[seat].forfeited
        await at.time.advance(29_999)
        assert not session.table.seats[seat].forfeited
        await at.time.advance(1 + RETURN_MS)
        assert session.table.seats[seat].forfeited


async def test_while_nothing_can_be_written_no_clock_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control(decision_limit_ms=20_000))
        seat = session.table.deciding_seat
        options = play_service_pb2.FeedOptions()
        session.attach(Feed(session, seat, options, None, lambda _: None))
        with monkeypatch.context() as full:
            full.setattr(at.hall.store, "append_soon", refusing(StoreError("no room")))
            await at.time.advance(HOUR)
        assert sum("could not be logged" in line.message for line in caplog.records) == 1
        await at.time.advance(5_000)  # there is room again, but nobody knows yet
        assert not session.table.seats[seat].timeouts
        await at.hall.pulse.beat()
        await at.time.advance(RETURN_MS - 1)
        assert not session.table.seats[seat].timeouts
        await at.time.advance(1_000)
        assert session.table.seats[seat].timeouts == 1


async def test_the_notes_of_an_idle_server_do_not_fill_the_disk(tmp_path: Path) -> None:
    async with await SqliteStore.open(tmp_path / "a.db", synchronous="off") as store:
        log = tmp_path / "a.db-wal"
        for number in range(18_000):  # a day
            await store.serving(1, number + 1)
        # Unmoved it would have three times that; on a busy machine the mover comes late.
        assert log.stat().st_size < 60 << 20
        assert store._writer.commits.unmoved < 60 << 20
