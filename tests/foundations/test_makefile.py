"""The Makefile on machines that are not ready, and what it promises."""

from __future__ import annotations

import re
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from tests.foundations.tree import ROOT, passed, run

if TYPE_CHECKING:
    from pathlib import Path

TARGETS = ["tournament", "test", "lint", "bench", "rules", "soak", "lock", "clean"]


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """A folder in which make has yet to set everything up."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy2(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    (tmp_path / "proto").mkdir()
    shutil.copy2(ROOT / "proto" / "hatch_build.py", tmp_path / "proto")
    return tmp_path


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_make_alone_prints_every_target_with_a_line() -> None:
    said = passed(run("make"))
    listed = re.findall(r"^ +make ([a-z]+) +\S", said, re.MULTILINE)
    assert sorted(listed) == sorted([*TARGETS, "help"])
    assert len(said.splitlines()) == len(listed)


@pytest.mark.parametrize("target", ["tournament", "test", "lint", "lock"])
def test_a_missing_python_costs_one_line(fresh: Path, target: str) -> None:
    done = run("make", target, "PYTHON=/nonexistent/python3", cwd=fresh)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "Python 3.11 or newer is needed; found none at '/nonexistent/python3'" in done.stderr
    assert "set PYTHON=" in done.stderr
    assert not (fresh / ".venv").exists()


def test_an_old_python_costs_one_line(fresh: Path) -> None:
    # The real Python, made to believe that it is an old one.
    pretend = "import sys; sys.version_info = (3, 10, 9); exec(sys.argv[1])"
    old = script(fresh / "python3.10", f"exec {sys.executable} -c '{pretend}' \"$2\"")
    done = run("make", "tournament", f"PYTHON={old}", cwd=fresh)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert f"Python 3.11 or newer is needed; found 3.10.9 at '{old}'" in done.stderr


def test_a_python_without_pip_costs_one_line(fresh: Path) -> None:
    bare = script(fresh / "python", f'[ "$2" = pip ] && exit 1\nexec {sys.executable} "$@"')
    done = run("make", "tournament", f"PYTHON={bare}", cwd=fresh)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert f"pip is needed; '{bare}' has none" in done.stderr


def test_the_last_line_of_a_run_says_how_long_it_took() -> None:
    said = passed(run("make", "-n", "test", "ARGS=--collect-only"))
    last = said.rstrip().splitlines()[-2:]
    ended = run("sh", "-c", "\n".join(last)).stdout
    assert re.fullmatch(
        r"make test: every test passed of those asked for; it took \d+ min \d+ s, set-up included;"
        r" skipped tests are named above, slow ones are left to 'make soak'\n",
        ended,
    )


def test_ci_runs_the_readmes_test_command_and_the_checks() -> None:
    steps = (ROOT / ".ci" / "run").read_text().splitlines()
    assert [line for line in steps if line.startswith("make")] == [
        "make test",
        "make lint",
        "make rules",
    ]
    assert "make test" in (ROOT / "README.md").read_text()
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111
