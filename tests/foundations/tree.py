"""The project's own files, and clean copies of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
SOURCE_ROOTS = ("proto", "server", "clients/python", "clients/web")
BIN = Path(sys.executable).parent
EW = BIN / "ew"
GIT = shutil.which("git")
# The machine need not have these; README asks for Python, pip and make.
needs_git = pytest.mark.skipif(GIT is None, reason="there is no git")
needs_compiler = pytest.mark.skipif(
    shutil.which(os.environ.get("CC", "cc").split()[0]) is None, reason="there is no C compiler"
)


@cache
def tracked() -> tuple[str, ...]:
    """Every tracked file that is still there, relative to the root.

    Without git, or in an unpacked sdist: every file that .gitignore does not name.
    """
    if GIT is None or not (ROOT / ".git").exists():
        return tuple(sorted(not_ignored()))
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return tuple(name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file())


def not_ignored() -> Iterator[str]:
    """Every file whose path no line of .gitignore matches; enough for the lines we have."""
    lines = (ROOT / ".gitignore").read_text().splitlines()
    patterns = [".git", *(line.strip("/") for line in lines if line and line[0] != "#")]
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if not any(fnmatch(name, p) for p in patterns)]
        for name in names:
            if not any(fnmatch(name, pattern) for pattern in patterns):
                yield (Path(folder) / name).relative_to(ROOT).as_posix()


def clean_copy(target: Path) -> Path:
    """The tracked files as they are now, without anything that was generated."""
    for name in tracked():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target / name)
    return target


def run(
    *command: str | Path, cwd: Path = ROOT, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end and keep what it says; the caller looks at its status."""
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=880,  # pytest's own limit comes first, except for those that are long
    )


def passed(done: subprocess.CompletedProcess[str]) -> str:
    """The output of a command that must have ended well."""
    said = f"{done.stdout}\n{done.stderr}"
    assert done.returncode == 0, f"{done.args} ended with {done.returncode}:\n{said}"
    return done.stdout
