"""The server's clock, and what the server itself has cost those who think.

The engine's time is a running clock: it stands still while the process does, and while the store
cannot be written, so nobody is charged for either.

A heartbeat notices when the event loop comes late. Late is not yet stalled: a loop that is at work
answers everybody a little later, and clients that give it work (pings, say) must not stop all
clocks by that. The processor shows which it was: in a pause in which the process computed it
was busy; in one in which it did not, it stood still. No client can bring that about.
"""

from __future__ import annotations

import asyncio
from math import inf
from time import monotonic, perf_counter, process_time, time_ns
from typing import TYPE_CHECKING

from endless_winter.engine.clocks import Now

if TYPE_CHECKING:
    from collections.abc import Callable

_HEARTBEAT_SECONDS = 0.05
JITTER_SECONDS = 0.005  # coming late by this little is nothing
RETURN_MS = 10_000  # nobody's thinking: time for clients to come again after the server's failure
PAUSE_SECONDS = 0.25  # standing still for less is a matter of disks and schedulers


class Lateness:
    """How late the event loop comes, from readings of two clocks: seconds, and seconds of work."""

    def __init__(self) -> None:
        self.due = 0.0  # when the heartbeat should come; 0: it is not running
        self.paused_ms = 0
        """How long the process stood still, in all."""
        self._looked = 0.0
        self._worked = 0.0
        self._busy_ms = 0  # since the last heartbeat
        self._before_ms = 0  # between the last two

    @property
    def delay_ms(self) -> int:
        """How long somebody's message may have waited just now because the loop was busy."""
        return max(self._busy_ms, self._before_ms)

    def heartbeat(self, now: float, worked: float, due: float) -> None:
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
        self.paused_ms += paused
        self._busy_ms += late - paused
        self._looked, self._worked = now, worked
        self.due += late / 1000


class Clock:
    """The engine's time."""

    def __init__(
        self,
        seconds: Callable[[], float] = monotonic,
        worked: Callable[[], float] = process_time,
        stopwatch: Callable[[], float] = perf_counter,
        unix_ms: int | None = None,
    ) -> None:
        """`seconds` go on evenly, from any beginning; `worked` are those of the processor.

        `stopwatch` measures how long something of ours took. `unix_ms`: what the calendar says
        now; None: ask the system.
        """
        self.stopwatch = stopwatch
        self.seconds = seconds
        """A reading of the even clock, for `halt`."""
        self._worked = worked
        self._start_unix_ms = time_ns() // 1_000_000 if unix_ms is None else unix_ms
        self._start = seconds()
        self._lateness = Lateness()
        self._stopped_ms = 0.0  # how long it was halted, in all
        self._halt_at = inf  # when the present halt began, and when it ends
        self._halt_until = -inf
        self.lag_ms = 0.0
        self.queues: Callable[[], int] | None = None
        """Says how long a unary call that is read now has waited, if that is measured."""
        self._heart: asyncio.Task[None] | None = None

    def now(self) -> Now:
        """The time, for what comes by a stream."""
        return self._now(0)

    def now_unary(self) -> Now:
        """The time, for what comes by a unary call, which may have waited in a queue of gRPC.

        Also for deadlines: an answer in time may still wait there.
        """
        queued = 0 if self.queues is None else self.queues()
        return self._now(queued)

    def _now(self, queued_ms: int) -> Now:
        now = self.seconds()
        lateness = self._lateness
        if lateness.due and now > lateness.due + JITTER_SECONDS:
            lateness.look(now, self._worked())
        since_ms = (now - self._start) * 1000
        running = int(since_ms - lateness.paused_ms - self._halted_ms(now))
        # The question may have waited for a busy loop, and the answer.
        queued_ms = max(2 * lateness.delay_ms, queued_ms)
        return Now(running, self._start_unix_ms + int(since_ms), queued_ms)

    def unix_ms(self) -> int:
        """The time of the calendar, as it was at the start and has gone on since."""
        return self._start_unix_ms + int((self.seconds() - self._start) * 1000)

    def set_calendar(self, unix_ms: int, asked_ms: int) -> None:
        """Follow the calendar of a store that nodes share.

        It said `unix_ms` between the own calendar's `asked_ms` and now.
        """
        middle = (asked_ms + self.unix_ms()) // 2
        self._start_unix_ms += unix_ms - middle

    # --- halts: nothing can be committed ---

    @property
    def halted(self) -> bool:
        """Whether no clock runs, since no answer could be accepted."""
        return self._halt_until == inf

    def halt(self, since: float | None = None) -> bool:
        """Let no clock run until ``resume``; whether they were allowed to run until now.

        `since` is when the commit began that has failed beside the event loop: those whose answers
        waited for it are not charged. So the engine's time may go back by as much.
        """
        if self.halted:
            return False
        at = self.seconds() if since is None else since
        if at >= self._halt_until:  # else the time to come back after the last halt is not over
            self._stopped_ms = self._halted_ms(at)
            self._halt_at = at
        self._halt_until = inf
        return True

    def resume(self) -> bool:
        """Let the clocks run again after `RETURN_MS`; whether they were halted until now."""
        if not self.halted:
            return False
        self._halt_until = self.seconds() + RETURN_MS / 1000
        return True

    def _halted_ms(self, now: float) -> float:
        if now < self._halt_at:
            return self._stopped_ms
        return self._stopped_ms + (min(now, self._halt_until) - self._halt_at) * 1000

    def stalled_ms(self) -> int:
        """How long the server stood still, or could commit nothing, in all."""
        return self._lateness.paused_ms + int(self._halted_ms(self.seconds()))

    # --- the heartbeat ---

    def start(self) -> None:
        self._heart = asyncio.create_task(self._run_heartbeat())

    async def stop(self) -> None:
        if self._heart is not None:
            self._heart.cancel()
            await asyncio.gather(self._heart, return_exceptions=True)

    async def _run_heartbeat(self) -> None:
        while True:
            now = self.seconds()
            due = now + _HEARTBEAT_SECONDS
            self._lateness.heartbeat(now, self._worked(), due)
            await asyncio.sleep(_HEARTBEAT_SECONDS)
            self.lag_ms = (self.seconds() - due) * 1000
