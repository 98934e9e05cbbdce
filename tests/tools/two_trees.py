"""Whether the rules core of one tree is slower than that of another, in one run.

    python tests/tools/two_trees.py ../before .

Both play the same seeded random games, in turns of a few games each, so that a slow minute hits
both; each game is played several times, and its fastest pass counts. CPU time, one thread each.
A game that takes another number of decisions in the two trees is reported: then the trees do not
play the same game.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

GAMES = 40
BATCH = 5

# Runs in the tree that PYTHONPATH names; it imports nothing of this project but rules and content.
_WORKER = """
import json, random, sys, time
from endless_winter.content import load
from endless_winter.rules import Config, Game
import endless_winter.rules
tables = load()
print(json.dumps(endless_winter.rules.__file__), flush=True)
for line in sys.stdin:
    players, modules, first, number = json.loads(line)
    config = Config(tables, players=players, modules=tuple(modules))
    found = []
    for seed in range(first, first + number):
        choose = random.Random(seed).random
        started = time.process_time()
        game = Game.new(config, seed.to_bytes(32, "big"))
        steps = 0
        while options := game.options():
            game.apply(options[int(choose() * len(options))])
            steps += 1
        found.append((time.process_time() - started, steps))
    print(json.dumps(found), flush=True)
"""


class Tree:
    """A process that plays games on the rules core of a tree."""

    def __init__(self, root: Path) -> None:
        environment = os.environ | {"PYTHONPATH": str(root / "server"), "PYTHONHASHSEED": "0"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", _WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        where = Path(self._read())
        if root not in where.parents:
            raise SystemExit(f"{root}: its rules are not what is played, but {where}")
        self.best: dict[int, float] = {}
        self.steps: dict[int, int] = {}

    def _read(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def play(self, players: int, modules: list[str], first: int) -> None:
        assert self.process.stdin is not None
        print(json.dumps((players, modules, first, BATCH)), file=self.process.stdin, flush=True)
        for number, (seconds, steps) in enumerate(self._read(), first):
            self.best[number] = min(seconds, self.best.get(number, seconds))
            self.steps[number] = steps

    def close(self) -> None:
        self.process.communicate()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--modules", default="", help="names with commas")
    parser.add_argument("--repeat", type=int, default=9, help="passes over the same games")
    wanted = parser.parse_args()
    modules = [name for name in wanted.modules.split(",") if name]
    trees = [Tree(wanted.before.resolve()), Tree(wanted.after.resolve())]
    for again in range(wanted.repeat):
        for first in range(0, GAMES, BATCH):
            for tree in trees if (again + first // BATCH) % 2 else trees[::-1]:
                tree.play(wanted.players, modules, first)
    before, after = trees
    for tree in trees:
        tree.close()
    if before.steps != after.steps:
        print("the two trees do not play the same games")
        return 1
    decisions = sum(before.steps.values())
    speeds = [decisions / sum(tree.best.values()) for tree in trees]
    print(f"{GAMES} games, {decisions} decisions, best of {wanted.repeat} passes, CPU time")
    print(
        f"before {speeds[0]:,.0f} decisions/s, after {speeds[1]:,.0f}: {speeds[1] / speeds[0]:.3f}x"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
