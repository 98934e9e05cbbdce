"""What comes all at once is done a few at a time, so that others have their turns in between."""

from __future__ import annotations

import asyncio
from collections import deque


class Turns:
    """So many places in each turn of the event loop; who finds none waits for a later one.

    First come, first served. While there is room nobody waits, not even for a turn.
    """

    def __init__(self, places: int) -> None:
        self._places = places
        self._left = places
        self._queue: deque[asyncio.Future[None]] = deque()
        self._planned = False

    def take(self) -> bool:
        """Take a place of this turn, if there is one; otherwise `wait`."""
        if not self._left:
            return False
        self._left -= 1
        self._plan()
        return True

    async def wait(self) -> None:
        """Return when there is a place; it is taken."""
        place = asyncio.get_running_loop().create_future()
        self._queue.append(place)
        await place

    def _plan(self) -> None:
        if not self._planned:
            self._planned = True
            asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        self._planned = False
        self._left = self._places
        while self._left and self._queue:
            place = self._queue.popleft()
            if not place.done():  # whoever it was has not gone
                place.set_result(None)
                self._left -= 1
        if self._left < self._places:
            self._plan()
