"""kill -9 at any time: what was acknowledged is there, and no log has a gap."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from endless_winter.store import upkeep
from endless_winter.store.records import FirstAnswer
from endless_winter.store.sqlite import SqliteStore
from tests.store.killed import write_and_kill
from tests.store.support import request
from tests.store.writing import text_of

if TYPE_CHECKING:
    from pathlib import Path


def kill_often(path: Path, times: int) -> None:
    chance = random.Random(times)
    acknowledged: dict[str, int] = {}
    answers: dict[tuple[str, str], int] = {}
    for seed in range(times):
        for said in write_and_kill(path, seed, chance.randint(1, 60)):
            for game_id, (seq, request_id) in said.items():
                assert acknowledged.get(game_id, 0) < seq, "nothing acknowledged was taken back"
                acknowledged[game_id] = seq
                answers[game_id, request_id] = seq
        assert list(upkeep.problems(path)) == []
    with SqliteStore.open(path) as store:
        for game_id, seq in acknowledged.items():
            log = store.read(game_id)
            assert [entry.seq for entry in log] == list(range(1, len(log) + 1))
            assert len(log) >= seq
            assert [entry.payload.decode() for entry in log] == [
                text_of(game_id, entry.seq) for entry in log
            ]
        for (game_id, request_id), seq in answers.items():
            scope = "" if request_id.startswith("create") else game_id
            answer = f"{game_id}:{seq}".encode()
            first = FirstAnswer(game_id, seq, request(request_id).digest, answer)
            assert store.find_request(b"caller", request_id, scope) == first


def test_acknowledged_commits_survive_kill_9(path: Path) -> None:
    kill_often(path, 4)


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_acknowledged_commits_survive_kill_9_fifty_times(path: Path) -> None:
    kill_often(path, 50)
