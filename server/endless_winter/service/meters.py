"""What a server counts: plain arithmetic on the way, since every choice passes it."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from math import inf
from typing import TYPE_CHECKING

from endless_winter.store.jobs import Append, Create, Serve

if TYPE_CHECKING:
    from endless_winter.store.jobs import Job, Outcome

BOUNDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)


class Histogram:
    """How many values lie below each bound, and their sum."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.total = 0.0
        self._at = 0  # where the last one belonged, as the next often does
        self._above = -inf
        self._most = BOUNDS[0]

    def add(self, seconds: float) -> None:
        if not self._above < seconds <= self._most:
            at = self._at = bisect_left(BOUNDS, seconds)
            self._above = BOUNDS[at - 1] if at else -inf
            self._most = BOUNDS[at] if at < len(BOUNDS) else inf
        self.counts[self._at] += 1
        self.total += seconds


class Meters:
    """What is counted on the way."""

    def __init__(self) -> None:
        self.calls: Counter[tuple[str, str]] = Counter()  # by method and code
        self.entries: Counter[str] = Counter()  # of the log, by kind
        self.refusals: Counter[str] = Counter()  # by a limit, by what it limits
        self.append_failures = 0
        self.append = Histogram()


def meter(meters: Meters, batch: list[Job], outcomes: list[Outcome], now: float) -> None:
    """Count what the store's writer has done, by `now`."""
    kinds: dict[str, int] = {}
    for job, outcome in zip(batch, outcomes, strict=True):
        if not isinstance(outcome, int):
            if not isinstance(job, Serve):  # the server's own note, which nobody waits for
                meters.append_failures += 1
        elif isinstance(job, Append | Create):  # else it is no entry of any log
            meters.append.add(now - job.since)
            for entry in job.entries:
                kind = entry[0]  # by place: its name is looked up by the interpreter
                kinds[kind] = kinds.get(kind, 0) + 1
    meters.entries.update(kinds)
