"""Stores that a killed process left."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.foundations.tree import ROOT

if TYPE_CHECKING:
    from pathlib import Path

Rounds = list[dict[str, tuple[int, str]]]


def write_and_kill(path: Path, seed: int, rounds: int, synchronous: str = "full") -> Rounds:
    """Let a process commit so many rounds, kill it, and give what it acknowledged until then."""
    command = [sys.executable, "-m", "tests.store.writing", str(path), str(seed), synchronous]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        try:
            lines = [process.stdout.readline() for _ in range(rounds)]
        finally:
            process.kill()
        lines += process.stdout.readlines()  # what it said before it died
    said = [line for line in lines if line.endswith("\n")]
    assert len(said) >= rounds
    return [
        {game: (seq, asked) for game, (seq, asked) in json.loads(line).items()} for line in said
    ]
