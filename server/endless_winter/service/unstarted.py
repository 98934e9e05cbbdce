"""Games that wait for players: those that have waited too long are aborted.

How long one has waited is told by when it was created, which its log knows. So a restart changes
nothing, and one timer is enough for all games: the oldest is due first.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from endless_winter.service.timekeeper import Timekeeper, Timer

RETRY_MS = 10_000  # after this long a game that could not be aborted is tried again


class Unstarted:
    """Unfinished games by age; those that have started are found out when they are due."""

    def __init__(
        self, limit_ms: int, time: Timekeeper, abort: Callable[[str], Awaitable[bool]]
    ) -> None:
        """`abort` ends a game if it has not started; False: it could not be written."""
        self._limit_ms = limit_ms
        self._time = time
        self._abort = abort
        self._created_ms: dict[str, int] = {}  # oldest first
        self._timer: Timer | None = None
        self._task: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._created_ms)

    def add(self, game_id: str, created_ms: int) -> None:
        """A game that is created now, or the next in the order of their age."""
        if self._limit_ms:
            self._created_ms[game_id] = created_ms
            self._arm()

    def remove(self, game_id: str) -> None:
        """The game has ended, or cannot go on."""
        self._created_ms.pop(game_id, None)

    def close(self) -> None:
        self._created_ms.clear()
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            self._task.cancel()

    def _arm(self, least_ms: int = 0) -> None:
        if self._timer is not None or self._task is not None or not self._created_ms:
            return
        oldest = next(iter(self._created_ms.values()))
        left = oldest + self._limit_ms - self._time.unix_ms()
        self._timer = self._time.call_later(max(left, least_ms), self._ring, 0)

    def _ring(self, _: int) -> None:
        self._timer = None
        self._task = asyncio.create_task(self._abort_due())

    async def _abort_due(self) -> None:
        """One after the other: thousands may be due at once, and others play meanwhile."""
        least_ms = 0
        try:
            while self._created_ms and not least_ms:
                game_id, created_ms = next(iter(self._created_ms.items()))
                if created_ms + self._limit_ms > self._time.unix_ms():
                    break
                if await self._abort(game_id):
                    self.remove(game_id)
                else:
                    least_ms = RETRY_MS
        finally:
            self._task = None
        self._arm(least_ms)
