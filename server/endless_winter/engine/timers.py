"""Deadlines: a heap of what is to happen when, on the running clock."""

from __future__ import annotations

import heapq
from typing import Final

CLOCK: Final = "clock"  # of a game
DELAY: Final = "delay"  # spectators of a game see more
UNSTARTED: Final = "unstarted"  # a game has waited long enough for its players
OFFER: Final = "offer"  # a bot has not answered an offer
MATCH: Final = "match"  # seats that want bots are looked at again


class Timers:
    """Entries are never removed: what is no longer meant is found out when it is due."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, str, str]] = []
        self._count = 0

    def push(self, due_ms: int, kind: str, key: str) -> None:
        self._count += 1
        heapq.heappush(self._heap, (due_ms, self._count, kind, key))

    def next_ms(self) -> int | None:
        """When the next one is due; None: there is none."""
        return self._heap[0][0] if self._heap else None

    def pop_due(self, now_ms: int) -> list[tuple[int, str, str]]:
        """Those that are due: when they were, their kinds and keys."""
        found = []
        while self._heap and self._heap[0][0] <= now_ms:
            due_ms, _, kind, key = heapq.heappop(self._heap)
            found.append((due_ms, kind, key))
        return found
