"""Turns of the event loop, for what many may want at once: floods, and crowds that are woken."""

from __future__ import annotations

import asyncio
from collections import deque
from time import perf_counter
from typing import Final

SECONDS: Final = 0.002  # of one turn of the loop; who comes later waits for the next


class Turns:
    """Lets a little be done in each turn of the loop; who has to wait comes in its order."""

    def __init__(self) -> None:
        self._since = 0.0  # when the first in this turn came; 0: nobody has yet
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def mine(self) -> None:
        """Return when the caller may work for a moment."""
        if not self._since:
            self._begin()
        elif self._waiting or perf_counter() - self._since > SECONDS:
            waits = asyncio.get_running_loop().create_future()
            self._waiting.append(waits)
            await waits

    def _begin(self) -> None:
        self._since = perf_counter()
        asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        """The turn is over: in the next one the first of those who wait goes on."""
        self._since = 0.0
        while self._waiting:
            waits = self._waiting.popleft()
            if not waits.done():  # else it was cancelled
                waits.set_result(None)
                self._begin()
                return
