"""`python -m tests.simulation SEED ...`: run seeds of the simulator, or repeat one."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from time import process_time

from tests.simulation.run import NODES, SOMETIMES, simulate

MANY = 10  # seeds in which each rare case must happen


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("seed", type=int, help="the first seed")
    parser.add_argument("--count", type=int, default=1, help="how many seeds, from that one on")
    parser.add_argument("--nodes", type=int, default=NODES)
    parser.add_argument("--log", action="store_true", help="print every line of the trace")
    wanted = parser.parse_args()
    seen: Counter[str] = Counter()
    failed = 0
    began = process_time()
    for seed in range(wanted.seed, wanted.seed + wanted.count):
        run = simulate(seed, nodes=wanted.nodes, log=wanted.log)
        sys.stdout.write("".join(run.world.lines))
        print(
            f"seed {seed}: {run.judge.decisions} decisions, {run.faults.total()} faults, "
            f"{run.world.now:.0f} s, trace {run.world.trace}",
            flush=True,
        )
        for line in run.world.wrong:
            print(f"seed {seed}: WRONG {line}\n  again: {run.again}")
        failed += bool(run.world.wrong)
        seen += run.world.seen
    print(f"{process_time() - began:.1f} s of the processor", file=sys.stderr)
    for what, times in sorted(seen.items()):
        print(f"{times:8} {what}")
    never = sorted(SOMETIMES - seen.keys()) if wanted.count >= MANY else []
    for what in never:
        print(f"   NEVER {what}")
    return 1 if failed or never else 0


if __name__ == "__main__":
    sys.exit(main())
