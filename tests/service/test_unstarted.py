"""Games for which nobody comes are aborted, also those that only the store knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from endless_winter.service.hall import Hall
from endless_winter.service.settings import Settings
from endless_winter.service.table import ENDED, OPEN, RUNNING, STARTING
from endless_winter.service.unstarted import RETRY_MS
from endless_winter.store import Query, SqliteStore, Status, StoreError
from endless_winter.v1 import game_service_pb2, replay_pb2, result_pb2
from tests.service.desk import PACK, FakeTime, caller, config, desk

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

DAY = 86_400_000
NEVER = result_pb2.GAME_OUTCOME_NEVER_STARTED


async def test_a_game_that_nobody_joins_or_begins_is_aborted_a_day_after_its_creation(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path, games_per_creator=3) as at:
        wanted = game_service_pb2.CreateGameRequest(config=config(2))
        empty, _ = await at.hall.create(caller("host"), wanted)
        seated = await at.seated(2)
        running = await at.running(2)
        assert (empty.table.status, seated.table.status) == (OPEN, STARTING)
        await at.time.advance(DAY - 1)
        assert (empty.table.status, seated.table.status) == (OPEN, STARTING)
        await at.time.advance(1)
        for session in (empty, seated):
            assert session.table.status == ENDED
            last = (await at.hall.store.read(session.table.game_id))[-1]
            assert replay_pb2.LogEntry.FromString(last.payload).ended.result.outcome == NEVER
        assert running.table.status == RUNNING
        # Its creator may have others instead.
        for _ in range(2):
            await at.hall.create(caller("host"), wanted)


async def test_the_day_is_counted_over_restarts_and_a_game_need_not_be_in_memory(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as at:
        for _ in range(3):
            await at.hall.create(
                caller("host"), game_service_pb2.CreateGameRequest(config=config(2))
            )
            await at.time.advance(1000)
        await at.running(2)
    async with await SqliteStore.open(tmp_path / "games.db", synchronous="off") as store:
        time = FakeTime()
        time.now = DAY + 1500
        hall = Hall(store, PACK, time=time, settings=Settings())
        await hall.wake_unfinished()
        await time.advance(0)
        ended = Query(everything=True, statuses=frozenset((Status.ENDED,)))
        assert len((await store.list_games(ended)).games) == 2
        assert len(hall.stock) == 2  # nobody asked for the others
        await time.advance(500)
        assert len((await store.list_games(ended)).games) == 3
        hall.close()


async def test_zero_lets_games_wait_for_ever(tmp_path: Path) -> None:
    async with desk(tmp_path, start_limit_ms=0) as at:
        session = await at.seated(2)
        await at.time.advance(10 * DAY)
        assert session.table.status == STARTING


async def test_what_cannot_be_written_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(tmp_path) as at:
        session = await at.seated(2)
        with monkeypatch.context() as broken:

            def fails(*args: Any) -> None:
                args[-1](StoreError("no disk"))

            broken.setattr(at.hall.store, "append_soon", fails)
            await at.time.advance(DAY)
            assert session.table.status == STARTING
        await at.time.advance(RETRY_MS)
        assert session.table.status == ENDED
