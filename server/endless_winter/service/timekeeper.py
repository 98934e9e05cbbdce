"""The server's clock, and what the server itself has cost those who think.

A heartbeat notices when the event loop comes late. Late is not yet stalled: a loop that is at work
answers everybody a little later, and whoever gives it work (pings, say) must not stop all clocks by
that. What tells them apart is the processor: of a pause in which the process computed, it was
busy; of one in which it did not, it stood still. No client can bring that about (decision 144).
"""

from __future__ import annotations

import asyncio
from time import monotonic, monotonic_ns, process_time, time_ns
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

_BEAT_SECONDS = 0.05
JITTER_SECONDS = 0.005  # coming late by this little is nothing
RETURN_MS = 10_000  # nobody's thinking: time for clients to come again after the server's failure
PAUSE_SECONDS = 0.25  # standing still for less is a matter of disks and schedulers


class Timer(Protocol):
    """Something that will happen."""

    def cancel(self) -> None:
        """It will not."""


class Lateness:
    """How late the event loop comes, from readings of two clocks: seconds, and seconds of work."""

    def __init__(self) -> None:
        self.due = 0.0  # when the heartbeat should come; 0: it is not running
        self.late_ms = 0
        """In all, whatever the reason."""
        self.paused_ms = 0
        """The part of it in which the server stood still."""
        self._looked = 0.0
        self._worked = 0.0
        self._busy_ms = 0  # since the last heartbeat
        self._before_ms = 0  # between the last two

    @property
    def delay_ms(self) -> int:
        """How long somebody's message may have waited just now because the loop was busy."""
        return max(self._busy_ms, self._before_ms)

    def beat(self, now: float, worked: float, due: float) -> None:
        """The heartbeat comes, and is due again."""
        if self.due and now > self.due + JITTER_SECONDS:
            self.look(now, worked)
        self._before_ms, self._busy_ms = self._busy_ms, 0
        self._looked, self._worked = now, worked
        self.due = due

    def look(self, now: float, worked: float) -> None:
        """The heartbeat is late: count that, and count on from here."""
        late = int((now - self.due) * 1000)
        still = int((now - self._looked - (worked - self._worked)) * 1000)
        paused = min(still, late)
        if paused < PAUSE_SECONDS * 1000:
            paused = 0
        self.late_ms += late
        self.paused_ms += paused
        self._busy_ms += late - paused
        self._looked, self._worked = now, worked
        self.due += late / 1000


class Timekeeper:
    """Milliseconds on a clock that never jumps, their place on the calendar, and lateness."""

    def __init__(self) -> None:
        self._start_ms = time_ns() // 1_000_000
        self._start = monotonic_ns()
        self._lateness = Lateness()
        self._halted_ms = 0  # in all, up to the last time that it went on
        self._halted_at_ms = -1  # since when no clock runs; -1: they do
        self.lag_ms = 0.0
        self.queues: Callable[[], int] | None = None
        """Tells how long a unary call that is read now has waited, if anybody knows."""
        self._beat: asyncio.Task[None] | None = None

    def now_ms(self) -> int:
        """Milliseconds since the server started; never jumps."""
        return (monotonic_ns() - self._start) // 1_000_000

    def unix_ms(self, at_ms: int | None = None) -> int:
        """The calendar time of a moment; without one, of now."""
        return self._start_ms + (self.now_ms() if at_ms is None else at_ms)

    @property
    def halted(self) -> bool:
        """Whether no clock runs, since no answer could be accepted."""
        return self._halted_at_ms >= 0

    def halt(self) -> bool:
        """Let no clock run until ``resume``; whether they ran until now."""
        if self.halted:
            return False
        self._halted_at_ms = self.now_ms()
        return True

    def resume(self) -> bool:
        """Let the clocks run again, in a moment; whether they stood still until now."""
        if not self.halted:
            return False
        self._halted_ms = self._halted() + RETURN_MS
        self._halted_at_ms = -1
        return True

    def _halted(self) -> int:
        if self._halted_at_ms < 0:
            return self._halted_ms
        return self._halted_ms + self.now_ms() - self._halted_at_ms

    def late_ms(self) -> int:
        """How late the event loop has come in all, with what is late just now.

        And how long the clocks were halted.
        """
        lateness = self._lateness
        if lateness.due:
            now = monotonic()
            if now > lateness.due + JITTER_SECONDS:
                lateness.look(now, process_time())
        return lateness.late_ms + self._halted()

    def paused_ms(self) -> int:
        """How long the server has stood still in all, as of the last call of `late_ms`.

        It does so too when it can accept nothing.
        """
        return self._lateness.paused_ms + self._halted()

    def running_ms(self) -> int:
        """As now_ms, but it stands still with the server."""
        self.late_ms()
        return self.now_ms() - self.paused_ms()

    def delay_ms(self) -> int:
        """How long a message that is read now may have waited for a busy loop."""
        return self._lateness.delay_ms

    def queue_ms(self) -> int:
        """How long whoever plays by unary calls has waited, if an answer is read now."""
        return 0 if self.queues is None else self.queues()

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
            now = monotonic()
            due = now + _BEAT_SECONDS
            self._lateness.beat(now, process_time(), due)
            await asyncio.sleep(_BEAT_SECONDS)
            self.lag_ms = (monotonic() - due) * 1000
