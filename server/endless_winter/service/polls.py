"""Calls that wait for news of a game: long polls."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Polls:
    """Those that wait. News wakes whom it concerns: the others need not even look."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: dict[asyncio.Future[None], Callable[[], bool]] = {}

    async def wait(self, over: Callable[[], bool]) -> None:
        """Return when there was news after which the wait is over."""
        woken = asyncio.get_running_loop().create_future()
        self._waiting[woken] = over
        try:
            await woken
        finally:
            self._waiting.pop(woken, None)

    def wake(self) -> None:
        """There is news."""
        for woken, over in self._waiting.items():
            if not woken.done() and over():
                woken.set_result(None)
