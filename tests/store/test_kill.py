"""kill -9 at any moment: what was acknowledged is there, and no log has a gap."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from endless_winter.store import Answer, upkeep
from tests.foundations.tree import ROOT
from tests.store.support import opened
from tests.store.writing import text_of

if TYPE_CHECKING:
    from pathlib import Path


def write_and_kill(path: Path, seed: int, after: int) -> list[tuple[str, int, str]]:
    """Let a process write until it has told of so many appends, then kill it."""
    command = [sys.executable, "-m", "tests.store.writing", str(path), str(seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        try:
            lines = [process.stdout.readline() for _ in range(after)]
        finally:
            process.kill()
        lines += process.stdout.readlines()  # what it told before it died
    told = [line.split() for line in lines if line.endswith("\n")]
    assert len(told) >= after
    return [(game_id, int(seq), request_id) for game_id, seq, request_id in told]


async def kill_often(path: Path, times: int) -> None:
    chance = random.Random(times)
    acknowledged: dict[str, int] = {}
    answers: dict[tuple[str, str], int] = {}
    for seed in range(times):
        for game_id, seq, request_id in write_and_kill(path, seed, chance.randint(1, 300)):
            assert acknowledged.get(game_id, 0) < seq, "nothing acknowledged was taken back"
            acknowledged[game_id] = seq
            if request_id != "-":
                answers[game_id, request_id] = seq
        assert list(upkeep.problems(path)) == []
    async with opened(path) as store:
        for game_id, seq in acknowledged.items():
            log = await store.read(game_id)
            assert [logged.seq for logged in log] == list(range(1, len(log) + 1))
            assert len(log) >= seq
            for logged in log:
                assert logged.payload.decode() in (text_of(game_id, logged.seq), "ended")
        for (game_id, request_id), seq in answers.items():
            answer = Answer(game_id, seq, f"{game_id}:{seq}".encode())
            assert await store.find_request(b"caller", request_id, game_id) == answer


async def test_acknowledged_appends_survive_kill_9(path: Path) -> None:
    await kill_often(path, 5)


@pytest.mark.soak
@pytest.mark.timeout(900)
async def test_acknowledged_appends_survive_kill_9_fifty_times(path: Path) -> None:
    await kill_often(path, 50)
