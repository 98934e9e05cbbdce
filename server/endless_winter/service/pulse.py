"""When there is a server, and whether its store can be written.

Every few seconds the server notes in the store that it is there.

After a restart this tells thinking from waiting: whoever was asked before it has thought for as
long as there was a server, and no clock ran while there was none. And a note that cannot be
written stops all clocks, since no answer could be accepted either.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from endless_winter.service.timekeeper import RETURN_MS
from endless_winter.store import StoreError

if TYPE_CHECKING:
    from endless_winter.service.timekeeper import Timekeeper
    from endless_winter.store import Store

log = logging.getLogger("endless_winter.service")

SECONDS = 5.0  # between two notes: what was thought since the last one, a kill forgives


class Pulse:
    """Of one server."""

    def __init__(self, store: Store, time: Timekeeper) -> None:
        self._store = store
        self._time = time
        self._since_ms = time.unix_ms()
        self._before: list[tuple[int, int]] = []
        self._excused_ms = time.paused_ms()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Look when there was a server before, and note from now on that there is one."""
        self._before = await self._store.uptimes()
        self._since_ms = self._time.unix_ms()
        await self.beat()
        self._task = asyncio.create_task(self._go_on())

    async def stop(self) -> None:
        """No clock runs any more: note that, for the next server."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None
            await self.beat()

    async def beat(self) -> None:
        """Note that there is a server; if that fails, no clock runs until it succeeds."""
        try:
            # A calendar that was set back does not end an uptime before it began.
            now_ms = max(self._time.unix_ms(), self._since_ms)
            self._time.late_ms()  # notices a pause that is only just over
            excused_ms = self._time.paused_ms()
            # What was nobody's thinking lies between two uptimes.
            if self._time.halted or excused_ms - self._excused_ms >= RETURN_MS:
                self._since_ms = now_ms
            self._excused_ms = excused_ms
            await self._store.serving(self._since_ms, now_ms)
        except StoreError as error:
            if self._time.halt():
                log.warning("the store cannot be written, and all clocks stand still: %s", error)
        else:
            if self._time.resume():
                self._excused_ms = self._time.paused_ms()  # this uptime begins after that
                log.warning("the store can be written again, and the clocks go on")

    async def _go_on(self) -> None:
        while True:
            await asyncio.sleep(SECONDS)
            await self.beat()

    def thought_ms(self, asked_unix_ms: int) -> int:
        """For how long servers before this one have waited for the answer to a question.

        Each of them was gone once, and the clients had to find the next.
        """
        thought = 0
        later = self._since_ms
        for since, until in reversed(self._before):
            ended = min(until, later)  # a calendar that was set back counts nothing twice
            thought += max(ended - max(since, asked_unix_ms) - RETURN_MS, 0)
            later = min(since, later)
            if later <= asked_unix_ms:
                break
        return thought
