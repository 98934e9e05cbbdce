"""Runs of the simulator: whatever fails, nothing of what is promised may break."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.foundations.tree import ROOT
from tests.simulation.run import simulate


@pytest.mark.parametrize("seed", range(1, 5))
def test_one_node_keeps_its_promises(seed: int) -> None:
    run = simulate(seed, nodes=1)
    assert run.world.wrong == [], run.again
    assert run.judge.decisions > 1_000


def test_the_same_seed_gives_the_same_trace_in_another_process() -> None:
    command = [sys.executable, "-m", "tests.simulation", "3", "--nodes", "1"]
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
    assert simulate(3, nodes=1).world.trace in told.pop()
