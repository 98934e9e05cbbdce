"""kill -9 of the server: every acknowledged choice is there, and the games end as they would."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from endless_winter.store.opening import is_database, open_store
from endless_winter.v1 import replay_pb2
from tests.service.survivor import Survivor
from tests.service.wire import served

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Choices = dict[str, list[tuple[int, str]]]


def log_of(where: str, game_id: str) -> list[replay_pb2.LogEntry]:
    with open_store(where) as store:
        entries = store.read(game_id, limit=1_000_000)
        return [replay_pb2.LogEntry.FromString(entry.payload) for entry in entries]


def choices_of(where: str, survivor: Survivor) -> Choices:
    """All choices of all games by the log; and that each acknowledged one is among them."""
    found: Choices = {}
    for game_id in survivor.games:
        log = log_of(where, game_id)
        assert [entry.seq for entry in log] == list(range(1, len(log) + 1))
        for known in survivor.acknowledged:
            if known.game_id == game_id:
                choice = log[known.seq - 1].choice
                assert (choice.seat, choice.decision_id, choice.text) == known[1:2] + known[3:], (
                    f"{known} was acknowledged and is not in the log"
                )
        found[game_id] = [
            (entry.choice.seat, entry.choice.text)
            for entry in log
            if entry.WhichOneof("entry") == "choice"
        ]
    return found


async def uninterrupted(where: str, seats: list[int]) -> tuple[Survivor, Choices]:
    survivor = Survivor(seats)
    with served(None, "--store", where) as server:
        await survivor.create(server.address)
        assert await survivor.live(server.address)
        assert server.stop() == 0
    return survivor, choices_of(where, survivor)


async def killed(
    where: str, flags: Sequence[str], seats: list[int], kill_after: list[int]
) -> tuple[Survivor, Choices]:
    """The same games, with the server killed after so many acknowledged choices."""
    survivor = Survivor(seats)
    lives = 0
    while True:
        with served(None, *flags) as server:
            if not lives:
                await survivor.create(server.address)
            lives += 1
            count = kill_after.pop(0) if kill_after else -1
            done = await survivor.live(server.address, count)
            server.process.kill()
            server.process.wait()
        choices = choices_of(where, survivor)
        if done:
            return survivor, choices


async def compare(
    tmp_path: Path, where: str, flags: Sequence[str], seats: list[int], kills: int, seed: int
) -> None:
    """Kill servers on the store `where`; an undisturbed one on a file shows what is right."""
    print(f"{kills} kills with seed {seed}")
    plain, expected = await uninterrupted(str(tmp_path / "plain.db"), seats)
    total = len(plain.acknowledged)
    kill_after = sorted(random.Random(seed).sample(range(1, total), kills))
    survivor, found = await killed(where, flags, seats, kill_after)
    assert found == expected
    assert survivor.results == plain.results
    assert len(survivor.acknowledged) == total
    if is_database(where):
        return  # nodes come and go, and the log does not say so
    restarts = 0
    for game_id in survivor.games:
        log = log_of(where, game_id)
        restarts += [entry.WhichOneof("entry") for entry in log].count("restart")
    assert restarts >= kills


async def compare_on_a_file(tmp_path: Path, seats: list[int], kills: int, seed: int) -> None:
    where = str(tmp_path / "killed.db")
    await compare(tmp_path, where, ("--store", where), seats, kills, seed)


async def test_three_kills_change_nothing(tmp_path: Path) -> None:
    await compare_on_a_file(tmp_path, [2, 3, 2, 4], 3, 1)


async def test_a_kill_changes_nothing_on_postgresql(
    tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EW_STORE", database)
    await compare(tmp_path, database, (), [2, 2], 1, 1)


@pytest.mark.soak
@pytest.mark.timeout(3600)
async def test_fifty_kills_change_nothing(tmp_path: Path) -> None:
    await compare_on_a_file(tmp_path, [2, 3, 4] * 6, 50, 2)


@pytest.mark.soak
@pytest.mark.timeout(3600)
async def test_fifty_kills_change_nothing_on_postgresql(
    tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EW_STORE", database)
    await compare(tmp_path, database, (), [2, 3, 4] * 6, 50, 2)
