"""Runs of the simulator: whatever fails, nothing of what is promised may break."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import pytest

from tests.foundations.tree import ROOT
from tests.simulation.planted import PLANTED, find
from tests.simulation.run import SOMETIMES, simulate

QUICK = 2  # seeds of every run
LONG = 10_000
TOGETHER = 10  # seeds in which each rare case must happen
FOUND_QUICKLY = ("conflict_forgotten", "double_create", "refusal_from_an_old_fold")


def check(first: int, nodes: int = 3) -> None:
    """So many seeds, each of which keeps every promise."""
    seen: Counter[str] = Counter()
    for seed in range(first, first + TOGETHER):
        run = simulate(seed, nodes)
        assert run.world.wrong == [], run.again
        assert run.judge.decisions >= 2_000, run.again
        assert run.faults.total() >= 25, run.again
        seen += run.world.seen
    assert SOMETIMES - seen.keys() == set()


@pytest.mark.parametrize("seed", range(1, QUICK + 1))
def test_nodes_keep_their_promises(seed: int) -> None:
    run = simulate(seed)
    assert run.world.wrong == [], run.again


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("first", range(1, LONG, TOGETHER))
def test_nodes_keep_their_promises_for_long(first: int) -> None:
    check(first)


def test_one_node_keeps_its_promises() -> None:
    run = simulate(1, nodes=1)
    assert run.world.wrong == [], run.again


def test_the_same_seed_gives_the_same_trace_in_another_process() -> None:
    command = [sys.executable, "-m", "tests.simulation", "1"]
    told = {
        subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1


@pytest.mark.parametrize("name", FOUND_QUICKLY)
def test_a_planted_mistake_is_found(name: str) -> None:
    assert find(name, range(1, 4)) is not None


@pytest.mark.soak
@pytest.mark.timeout(36_000)
@pytest.mark.parametrize("name", PLANTED)
def test_each_planted_mistake_is_found(name: str) -> None:
    assert find(name, range(1, 1_001)) is not None
