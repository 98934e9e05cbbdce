"""The processor: who burns it while it is not asked makes nobody late, and is named."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

import pytest

from endless_winter.arena import schedule, spec
from endless_winter.arena.worker import Folders, Order, Worker
from tests.arena.running import ENTRANTS, written
from tests.arena.tables import WORLD

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.timeout(300)


async def test_a_bot_that_burns_while_it_is_not_asked_makes_nobody_late(tmp_path: Path) -> None:
    # 30 ms of a core are no hurry in 2 s. Beside 80 processes of equal rank they take 2.4 s.
    bots = {"one": "steady", "other": "steady", "burner": "burner"}
    entrants = {name: str(ENTRANTS / f"{file}.py") for name, file in bots.items()}
    path = written(tmp_path / "cup.toml", entrants, format="round_robin", clock={"decision": 2.0})
    cup = spec.read(path)
    core = (max(os.sched_getaffinity(0)),)
    worker = Worker(cup, Folders(tmp_path / "out", 1), 0, capacity=1, cores=core)
    first = next(iter(schedule.plan(cup, WORLD, {}).matches()))
    assert set(first.entrants) == {"one", "other"}
    try:
        await worker.start()
        (tmp_path / "out" / "bots" / "burner" / "go").touch()
        game = await worker.play(Order(first, 1, secrets.token_bytes(32), secrets.token_bytes(32)))
    finally:
        await worker.stop()
    assert game.outcome == "completed"
    assert [seat.timeouts for seat in game.seats] == [0, 0]
    used = game.used
    assert used["burner"].lowered
    assert used["burner"].unasked_ms > 300
    assert used["burner"].asked_ms == 0
    for name in ("one", "other"):
        assert not used[name].lowered
        # What it needed for its choices is told as such.
        assert used[name].asked_ms >= 400
        assert used[name].unasked_ms < 200
