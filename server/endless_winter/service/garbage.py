"""The collector of cyclic garbage, set up for a process that keeps many games.

Games are freed by reference counts. What the collector looks for is little (a failed call's
traceback, a task and its exception), but by default it goes through all games from time to time,
and everybody waits meanwhile.
"""

from __future__ import annotations

import gc

# Containers made and not freed before the youngest are looked through; then how often the middle
# ones, and all. However few were made, the youngest are all of the last position of every game that
# has been played since: with 1,000 games that takes 10 to 20 ms, for which everybody waits. So it
# is done seldom, and there are some megabytes of garbage at most.
THRESHOLDS = (50_000, 20, 100)


def tune_gc() -> None:
    """Take what a process has at its start out of the collector's sight, and call it less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
