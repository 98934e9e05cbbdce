"""Tournaments in processes of their own, as people run them."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from endless_winter.tournament import results

if TYPE_CHECKING:
    from endless_winter.tournament.results import Results

ENTRANTS = Path(__file__).with_name("entrants")
EW = (sys.executable, "-m", "endless_winter.cli")
LIMIT = 280.0  # seconds: only a broken test, or a machine with far too much to do, waits so long
PATIENT = {"start": 240.0}  # seconds that bots have to come: where all come, nobody waits for it


def written(path: Path, entrants: dict[str, str], **settings: Any) -> Path:
    """A spec file."""
    settings.setdefault("dead", PATIENT)
    tables = {key: value for key, value in settings.items() if isinstance(value, dict)}
    lines = [f"{key} = {_toml(value)}" for key, value in settings.items() if key not in tables]
    for name, bot in entrants.items():
        lines += ["[[entrant]]", f'name = "{name}"', f"bot = {_toml(bot)}"]
    for key, table in tables.items():
        lines += [f"[{key}]", *(f"{name} = {_toml(value)}" for name, value in table.items())]
    path.write_text("\n".join(lines) + "\n")
    return path


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def command(spec: Path, out: Path, *more: str) -> list[str]:
    return [*EW, "tournament", str(spec), "--out", str(out), *more]


def run(spec: Path, out: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(spec, out, *more), capture_output=True, text=True, timeout=LIMIT, check=False
    )


def finished(out: Path) -> Results:
    return results.read(out / "results.jsonl")[0]


def until_games(
    out: Path, count: int, process: subprocess.Popen[bytes], seconds: float | None = None
) -> None:
    """Wait until so many games are in the results, or the process or the time given has ended."""
    until = time.monotonic() + (LIMIT if seconds is None else seconds)
    while time.monotonic() < until:
        if len(finished(out).finished) >= count or process.poll() is not None:
            return
        time.sleep(0.01)
    assert seconds is not None, "no game was finished in time"


def until_file(path: Path, process: subprocess.Popen[str]) -> Path:
    """Wait until a file has been written."""
    until = time.monotonic() + LIMIT
    while not (path.exists() and path.read_text().endswith("\n")):
        assert process.poll() is None, f"it ended before: {process.communicate()[0]}"
        assert time.monotonic() < until, f"{path} was not written in time"
        time.sleep(0.01)
    return path


def processes_in(folder: Path) -> list[int]:
    """The processes that work in a folder or below it."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                where = (entry / "cwd").readlink()
            except OSError:
                continue
            if where.is_relative_to(folder):
                found.append(int(entry.name))
    return found


def until_gone(folder: Path) -> None:
    until = time.monotonic() + LIMIT
    while processes_in(folder):
        assert time.monotonic() < until, "processes were left behind"
        time.sleep(0.01)


def outcome(out: Path) -> dict[str, Any]:
    """What a tournament came to, without anything that a clock decides."""
    return {
        match: [(seat.entrant, seat.place, seat.score, seat.reason) for seat in game.seats]
        for match, game in sorted(finished(out).finished.items())
    }
