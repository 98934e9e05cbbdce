"""Lets one at a time change a game: a lock that can also be taken without waiting."""

from __future__ import annotations

import asyncio
from collections import deque


class Gate:
    """First come, first served.

    Like `asyncio.Lock`, with `try_enter` for callers that are no task: most of the time nobody
    else is there, and then an answer needs no task of its own.
    """

    __slots__ = ("_busy", "_queue")

    def __init__(self) -> None:
        self._busy = False
        self._queue: deque[asyncio.Future[None]] | None = None

    def try_enter(self) -> bool:
        """Enter if nobody is inside and nobody waits."""
        if self._busy or self._queue:
            return False
        self._busy = True
        return True

    async def __aenter__(self) -> None:
        if self.try_enter():
            return
        if self._queue is None:
            self._queue = deque()
        turn = asyncio.get_running_loop().create_future()
        self._queue.append(turn)
        try:
            await turn  # whoever leaves hands the gate over: it stays busy meanwhile
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave()  # it was handed over just before
            elif turn in self._queue:  # whoever left meanwhile has passed over it, and removed it
                self._queue.remove(turn)
            raise

    async def __aexit__(self, *args: object) -> None:
        self.leave()

    def leave(self) -> None:
        while self._queue:
            turn = self._queue.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._busy = False
