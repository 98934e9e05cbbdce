"""Clocks over restarts: a server notes when it was there, and only that time was thinking."""

from __future__ import annotations

import asyncio
from time import time
from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.service.clock import RETURN_MS
from endless_winter.store.memory import MemoryStore
from endless_winter.store.records import Uptime
from endless_winter.store.sqlite import SqliteStore
from endless_winter.v1 import clock_pb2
from tests.engine.desk import Desk
from tests.service.inside import HandClock, Inside, inside
from tests.service.stores import AwayStore
from tests.service.wire import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

MINUTE = 60_000
HOUR = 60 * MINUTE


async def left_ms(server: Inside, game_id: str) -> int:
    """What is left for the pending question."""
    clock = (await server.client("player 0").view(game_id, 0)).clock
    return clock.deadline_unix_ms - clock.server_time_unix_ms


async def noted(server: Inside) -> None:
    """The server notes that it is there."""
    rounds = server.host.rounds
    rounds.heartbeat()
    await rounds.idle()


@pytest.mark.parametrize("how", ["it was there", "it could not write", "it stood still"])
async def test_what_a_server_could_not_do_is_no_time_of_a_server(how: str) -> None:
    memory = MemoryStore()
    store: Any = AwayStore(memory)
    clock = HandClock()
    async with inside(store, clock=clock) as server, asyncio.timeout(PATIENCE):
        clock.at += 120
        await noted(server)
        if how == "it could not write":
            store.away = True
            server.host.rounds.heartbeat()
            while not clock.halted:  # noqa: ASYNC110 # no event says so
                await asyncio.sleep(0)
            clock.at += 3600
            store.away = False
            while clock.halted:  # noqa: ASYNC110 # no event says so
                await asyncio.sleep(0.01)
        elif how == "it stood still":
            clock.at += 3600
            clock.stood_still_ms = 3_600_000
        else:
            clock.at += 3600
        await noted(server)
        for _ in range(12):
            clock.at += 5
            await noted(server)
    found = [until - since for since, until in memory.uptimes()]
    assert found == ([3_780_000] if how == "it was there" else [120_000, 60_000])


async def test_after_a_restart_a_question_has_the_time_that_is_left() -> None:
    desk = Desk()
    now_ms = int(time() * 1000)
    desk.unix_ms = now_ms - 5 * HOUR
    control = clock_pb2.TimeControl(decision_limit_ms=10 * HOUR)
    game = desk.running(time_control=control)
    desk.store.commit([], Uptime(now_ms - 6 * HOUR, now_ms - 4 * HOUR))
    desk.store.commit([], Uptime(now_ms - 3 * HOUR, now_ms - 2 * HOUR))
    async with inside(desk.store, clock=HandClock()) as server:
        # Two hours of servers, and each time some seconds to find the next.
        assert await left_ms(server, game.game_id) == 8 * HOUR + 2 * RETURN_MS


async def test_an_undo_does_not_give_back_what_was_thought_before_a_restart() -> None:
    desk = Desk()
    now_ms = int(time() * 1000)
    desk.unix_ms = now_ms - 5 * HOUR
    control = clock_pb2.TimeControl(decision_limit_ms=10 * HOUR)
    game = desk.running(time_control=control, undo_allowed=True)
    while not game.table.can_undo(game.table.deciding_seat):
        desk.answer(game)
    desk.advance(HOUR)
    desk.undo(game, game.table.deciding_seat)
    desk.store.commit([], Uptime(now_ms - 5 * HOUR, now_ms - 3 * HOUR))
    async with inside(desk.store, clock=HandClock()) as server:
        assert await left_ms(server, game.game_id) == 8 * HOUR + RETURN_MS


def test_the_notes_of_an_idle_server_do_not_fill_the_disk(tmp_path: Path) -> None:
    with SqliteStore.open(tmp_path / "a.db", synchronous="off") as store:
        most = 0
        for number in range(18_000):  # a day
            store.commit([], Uptime(1, number + 1))
            if store.checkpoint_due():
                store.checkpoint()
                most = max(most, (tmp_path / "a.db-wal").stat().st_size)
        assert 0 < most < 30 << 20
        assert store.uptimes() == [(1, 18_000)]
