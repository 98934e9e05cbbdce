"""What a server counts: plain arithmetic on the way, since every choice passes it."""

from __future__ import annotations

import asyncio
import contextvars
from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

from endless_winter.service import logs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endless_winter.store.errors import StoreError
    from endless_winter.store.records import Append

LOG_SECONDS = 2.0  # between two lines about one kind of refusal
_MOST_ADDRESSES = 1000  # that are counted for a line; the others are only counted in all
_NAMED = 3  # of them, those that were refused most often
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
        self.commit_failures = 0
        self.commit = Histogram()

    def committed(
        self, appends: Sequence[Append], outcomes: Sequence[StoreError | None], seconds: float
    ) -> None:
        """Count what a commit did; it took so long."""
        for append, outcome in zip(appends, outcomes, strict=True):
            if outcome is not None:
                self.commit_failures += 1
                continue
            self.commit.add(seconds)
            for entry in append.entries:
                self.entries[entry.kind] += 1


class RefusalLog:
    """Counts what a limit refuses by kind, and logs it in few lines.

    A flood is refused thousands of times a second, and a line for each would be a flood of its
    own. So there is at most one for each kind every few seconds, with the addresses that were
    refused most often.
    """

    def __init__(self, meters: Meters) -> None:
        self._meters = meters
        self._unlogged: dict[str, Counter[str]] = {}  # by kind and address, since the last line

    def note(self, kind: str, address: str) -> None:
        """Something was refused; a line about it follows soon."""
        self._meters.refusals[kind] += 1
        found = self._unlogged.get(kind)
        if found is None:
            found = self._unlogged[kind] = Counter()
            asyncio.get_running_loop().call_later(
                # Not in the context of this call: the line is about many.
                LOG_SECONDS,
                self._log,
                kind,
                context=contextvars.Context(),
            )
        known = address in found or len(found) < _MOST_ADDRESSES
        found[address if known else ""] += 1

    def _log(self, kind: str) -> None:
        found = self._unlogged.pop(kind)
        logs.log.warning(
            "a limit refuses",
            kind=kind,
            refused=found.total(),
            addresses=dict(found.most_common(_NAMED)),
        )
