"""The collector of cyclic garbage, set up for a process that keeps many games.

Games are freed by reference counts. What the collector looks for is little (a failed call's
traceback, a task and its exception), but by default it goes through all games from time to time,
and everybody waits meanwhile.
"""

from __future__ import annotations

import gc

# Containers made and not freed before the youngest are looked through; then how often the middle
# ones, and all. The last is some ten thousand games later, not some hundred. The first is small: a
# thousand containers of games take a millisecond or two, and everybody waits for that.
THRESHOLDS = (1_000, 200, 100)


def settle() -> None:
    """Take what a process has at its start out of the collector's sight, and call it less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
