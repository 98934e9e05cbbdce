"""What a server counts: plain arithmetic on the way, since every choice passes it."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endless_winter.store.errors import StoreError
    from endless_winter.store.records import Append

BOUNDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)


class Histogram:
    """How many values lie below each bound, and their sum."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.total = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.total += seconds


class Meters:
    """What is counted on the way."""

    def __init__(self) -> None:
        self.calls: Counter[tuple[str, str]] = Counter()  # by method and code
        self.entries: Counter[str] = Counter()  # of the log, by kind
        self.refusals: Counter[str] = Counter()  # by a limit, by what it limits
        self.append_failures = 0
        self.append = Histogram()

    def committed(
        self, appends: Sequence[Append], outcomes: Sequence[StoreError | None], seconds: float
    ) -> None:
        """Count what a commit did; it took so long."""
        for append, outcome in zip(appends, outcomes, strict=True):
            if outcome is not None:
                self.append_failures += 1
                continue
            self.append.add(seconds)
            for entry in append.entries:
                self.entries[entry.kind] += 1
