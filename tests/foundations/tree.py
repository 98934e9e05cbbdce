"""The project's own files, and clean copies of them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE_ROOTS = ("proto", "server", "clients/python")
BIN = Path(sys.executable).parent
EW = BIN / "ew"


@cache
def tracked() -> tuple[str, ...]:
    """Every tracked file that is still there, relative to the root."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return tuple(name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file())


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
        timeout=280,
    )


def passed(done: subprocess.CompletedProcess[str]) -> str:
    """The output of a command that must have ended well."""
    said = f"{done.stdout}\n{done.stderr}"
    assert done.returncode == 0, f"{done.args} ended with {done.returncode}:\n{said}"
    return done.stdout
