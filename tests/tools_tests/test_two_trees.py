"""The comparison of two trees plays the same games in both, and says how their speeds compare."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOOL = ROOT / "tests" / "tools" / "two_trees.py"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, TOOL, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=280)


def test_a_tree_plays_the_same_games_as_itself() -> None:
    done = run(ROOT, ROOT, "--players", "2", "--repeat", "1")
    assert done.returncode == 0, done.stderr
    assert "40 games" in done.stdout
    assert "decisions/s, after" in done.stdout


def test_a_folder_without_the_engine_is_refused_in_one_line(tmp_path: Path) -> None:
    done = run(tmp_path, ROOT)
    assert done.returncode != 0
    assert "its rules are not what is played" in done.stderr
    assert "Traceback" not in done.stderr
