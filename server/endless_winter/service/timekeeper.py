"""The server's clock, and how long the server itself has stalled.

A heartbeat notices when the event loop comes late; that time is nobody's thinking, so it is
taken off whatever is charged meanwhile.
"""

from __future__ import annotations

import asyncio
from time import monotonic, monotonic_ns, time_ns
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

_BEAT_SECONDS = 0.05
_JITTER_MS = 5  # coming late by this little is no stall


class Timer(Protocol):
    """Something that will happen."""

    def cancel(self) -> None:
        """It will not."""


class Timekeeper:
    """Milliseconds on a clock that never jumps, their place on the calendar, and stalls."""

    def __init__(self) -> None:
        self._start_ms = time_ns() // 1_000_000
        self._start = monotonic_ns()
        self._stalled_ms = 0
        self._due = 0.0  # when the heartbeat should come next; 0: it is not running
        self.lag_ms = 0.0
        self._beat: asyncio.Task[None] | None = None

    def now_ms(self) -> int:
        """Milliseconds since the server started; never jumps."""
        return (monotonic_ns() - self._start) // 1_000_000

    def unix_ms(self, at_ms: int | None = None) -> int:
        """The calendar time of a moment; without one, of now."""
        return self._start_ms + (self.now_ms() if at_ms is None else at_ms)

    @property
    def stalled_ms(self) -> int:
        """How long the server has stalled in all, with a stall that is only just over."""
        late = int((monotonic() - self._due) * 1000) if self._due else 0
        return self._stalled_ms + (late if late > _JITTER_MS else 0)

    def call_later(self, delay_ms: int, call: Callable[[int], None], argument: int) -> Timer:
        return asyncio.get_running_loop().call_later(delay_ms / 1000, call, argument)

    def start(self) -> None:
        self._beat = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        if self._beat is not None:
            self._beat.cancel()
            await asyncio.gather(self._beat, return_exceptions=True)

    async def _watch(self) -> None:
        while True:
            self._due = monotonic() + _BEAT_SECONDS
            await asyncio.sleep(_BEAT_SECONDS)
            self.lag_ms = (monotonic() - self._due) * 1000
            if self.lag_ms > _JITTER_MS:
                self._stalled_ms += int(self.lag_ms)
