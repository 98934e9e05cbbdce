"""The server's clock, and how long the server itself has stalled.

A heartbeat notices when the event loop comes late; that time is nobody's thinking, so it is
taken off whatever is charged meanwhile.
"""

from __future__ import annotations

import asyncio
import time

_BEAT_SECONDS = 0.05
_JITTER_MS = 5  # coming late by this little is no stall


class Timekeeper:
    """Milliseconds on a clock that never jumps, their place on the calendar, and stalls."""

    def __init__(self) -> None:
        self._start_ms = time.time_ns() // 1_000_000
        self._start = time.monotonic_ns()
        self.stalled_ms = 0
        self.lag_ms = 0.0
        self._beat: asyncio.Task[None] | None = None

    def now_ms(self) -> int:
        """Milliseconds since the server started; never jumps."""
        return (time.monotonic_ns() - self._start) // 1_000_000

    def unix_ms(self, at_ms: int | None = None) -> int:
        """The calendar time of a moment; without one, of now."""
        return self._start_ms + (self.now_ms() if at_ms is None else at_ms)

    def start(self) -> None:
        self._beat = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        if self._beat is not None:
            self._beat.cancel()
            await asyncio.gather(self._beat, return_exceptions=True)

    async def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + _BEAT_SECONDS
            await asyncio.sleep(_BEAT_SECONDS)
            self.lag_ms = (loop.time() - due) * 1000
            if self.lag_ms > _JITTER_MS:
                self.stalled_ms += int(self.lag_ms)
