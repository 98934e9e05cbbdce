"""What a decision costs on the servers of two trees, in one run.

    python -m tests.tools.two_servers ../before .

Each tree has its own .venv, built alike (EW_MYPYC=1 make). Bots that do not think play on both
servers in short turns (bench/turns.py), so that a slow second hits both. Each round has new
servers, since two processes of the same program differ; the median round counts.

Then `ew match` plays games of two `heuristic` bots in each tree. The trees should have the same
content pack, or their games differ in length.
"""

from __future__ import annotations

import argparse
import resource
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench import processes
from endless_winter.cli.process import running

SHAPES = ((64, 1), (64, 64), (1, 1))  # games, streams
WORDS = ("-m", "endless_winter.cli", "serve", "--listen", "127.0.0.1:0", "--log-level", "error")


def sides(trees: list[Path], games: int, streams: int, answers: int, turns: int) -> list[Any]:
    """What one round found of each tree."""
    with ExitStack() as stack:
        servers = []
        for tree in trees:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ew-two-")))
            command = [str(tree / ".venv" / "bin" / "python"), *WORDS]
            servers.append(stack.enter_context(running(command, folder=folder)))
        found = processes.load(
            "in_turns",
            addresses=[server.address for server in servers],
            servers=[server.process.pid for server in servers],
            secret=secrets.token_hex(32),
            games=games,
            streams=streams,
            answers=answers,
            turns=turns,
        )
    return list(found["sides"])


def match(tree: Path, games: int) -> tuple[float, float]:
    """Seconds of the wall and of the processor for a match of `heuristic` with itself."""
    python = str(tree / ".venv" / "bin" / "python")
    words = ("match", "heuristic", "heuristic", "--games", str(games), "--seed", "1")
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(
        [python, "-m", "endless_winter.cli", *words], check=True, stdout=subprocess.DEVNULL
    )
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - spent.ru_utime - spent.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--repeat", type=int, default=5, help="rounds")
    parser.add_argument("--answers", type=int, default=6000, help="of a turn with 64 games")
    parser.add_argument("--turns", type=int, default=4, help="of each server in a round")
    parser.add_argument("--match", type=int, default=40, help="games of heuristic; 0: none")
    wanted = parser.parse_args()
    trees = [wanted.before.resolve(), wanted.after.resolve()]
    for games, streams in SHAPES:
        answers = wanted.answers if games > 1 else wanted.answers // 15
        rounds = [sides(trees, games, streams, answers, wanted.turns) for _ in range(wanted.repeat)]
        print(f"{games} games, {streams} streams:")
        for name, unit in (("per_second", "decisions/s"), ("server_us", "us of processor each")):
            before, after = (
                statistics.median(found[at][name] for found in rounds) for at in range(2)
            )
            ratio = statistics.median(two[name] / max(one[name], 1e-9) for one, two in rounds)
            print(f"  before {before:,.0f} {unit}, after {after:,.0f}: {ratio:.2f}x")
    if wanted.match:
        matches = [[match(tree, wanted.match) for tree in trees] for _ in range(wanted.repeat)]
        print(f"{wanted.match} games of two heuristic bots:")
        for at, unit in enumerate(("s", "s of processor")):
            before, after = (statistics.median(m[tree][at] for m in matches) for tree in range(2))
            ratios = sorted(m[1][at] / m[0][at] for m in matches)
            ratio = statistics.median(ratios)
            print(
                f"  before {before:,.1f} {unit}, after {after:,.1f}: {ratio:.2f}x "
                f"({ratios[0]:.2f} to {ratios[-1]:.2f})"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
