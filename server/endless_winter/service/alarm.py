"""The clock of a live game: what has been waited, and what happens when nobody answers in time."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from endless_winter.service import clocks, logs, proposals
from endless_winter.service.choice import Timing
from endless_winter.service.gate import Gate
from endless_winter.service.identity import same
from endless_winter.service.presence import Presence
from endless_winter.service.refusal import Refusal
from endless_winter.service.table import STARTING
from endless_winter.v1 import result_pb2

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from endless_winter.service.asked import Asked
    from endless_winter.service.feed import Feed
    from endless_winter.service.orders import Given
    from endless_winter.service.proposals import Draft
    from endless_winter.service.settings import Settings
    from endless_winter.service.table import Table
    from endless_winter.service.timekeeper import Timekeeper, Timer

log = logging.getLogger("endless_winter.service")

RETRY_MS = 1000  # after this long a time-out that could not be logged is tried again
LOOK_AGAIN_MS = 1000  # whoever is there by a call is not looked for more often than this


class Alarm(ABC):
    """The part of a session that keeps time; the session itself drafts and commits."""

    def __init__(
        self, table: Table, time: Timekeeper, settings: Settings, everywhere: Presence
    ) -> None:
        """`everywhere` tells who asks about all games, `here` who asks about this one."""
        self.table = table
        self.here = Presence(time)
        self._everywhere = everywhere
        self.feeds: set[Feed] = set()
        self.draining = False
        self._time = time
        self._settings = settings
        self._gate = Gate()
        self._timer: Timer | None = None
        self._rings_ms = 0  # when it rings
        self._tasks: set[asyncio.Task[None]] = set()
        self._asked_ms = time.now_ms()
        self._late_ms = time.late_ms()  # of the server's loop in all, when the question was asked
        self._paused_ms = time.paused_ms()
        control = table.config.time_control
        self._limits = clocks.limits_of(control)
        self._minds_absence = control.HasField("disconnect_limit_ms")
        # Many games of bots have no clock at all: then a choice need not look at it.
        self._timeless = not (
            control.HasField("bank_ms") or self._limits != (None, None) or self._minds_absence
        )

    def go_on(self, thought_ms: int) -> None:
        """The game was loaded: its question was thought about for so long before.

        Nobody was connected to this server before, and that is not the seats' fault.
        """
        self._asked_ms = self._time.now_ms() - thought_ms
        if self._minds_absence:
            for seat in self.table.seats:
                self.here.hear(seat.holder)
        self._arm()

    @abstractmethod
    def _draft(self) -> Draft:
        """A draft on the table as it is."""

    @abstractmethod
    async def _commit(
        self,
        draft: Draft,
        asked: Asked | None = None,
        accepted: bytes = b"",
    ) -> bytes | None:
        """Have a draft committed."""

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _charge(self, given: Given, received_ms: int, queued_ms: int = 0) -> Timing:
        charged = self._waited_ms(received_ms, queued_ms)
        think = charged
        if given.think_ms is not None:
            think = max(min(given.think_ms, charged), 0)
        return Timing(charged, think, charged - think)

    def _waited_ms(self, until_ms: int, queued_ms: int = 0) -> int:
        """What counts of the time since the pending question was asked.

        `queued_ms` of it, question and answer were in queues of calls.
        """
        late = self._time.late_ms() - self._late_ms
        if late <= 0:  # as nearly always
            return max(until_ms - self._asked_ms - queued_ms, 0)
        paused = self._time.paused_ms() - self._paused_ms
        excused = clocks.excused_ms(late, paused, self._time.delay_ms(), queued_ms)
        return clocks.charge_ms(self._asked_ms, until_ms, excused)

    def pending_ms(self, seat: int) -> int:
        """How long the game has waited for a choice of the seat by now; 0: it does not."""
        if self.table.deciding_seat != seat:
            return 0
        return max(self._time.now_ms() - self._asked_ms, 0)

    def bank_ms(self, seat: int) -> int | None:
        """What is left in a seat's bank at this moment; None: it has none."""
        if self._timeless:
            return None
        waited = 0
        if self.table.deciding_seat == seat:
            waited = self._waited_ms(self._time.now_ms())
        return clocks.bank_after_ms(self.table, seat, waited)

    def _limit_ms(self) -> int | None:
        """How long the pending question may take: a decision, or Ready; None: for ever."""
        seat = self.table.deciding_seat
        if seat >= 0:
            return None if self._timeless else clocks.allowed_ms(self.table, seat, self._limits)
        return self._ready_limit_ms() if self.table.status == STARTING else None

    def deadline_ms(self) -> int | None:
        """When the pending question expires on the server's clock; None: never.

        That a busy server may grant a moment more is not promised: it depends on the answer's way.
        """
        limit = self._limit_ms()
        if limit is None:
            return None
        self._time.late_ms()  # notices a pause that is only just over
        paused = self._time.paused_ms() - self._paused_ms
        return self._time.unix_ms(self._asked_ms + limit + paused)

    def hear_from(self, holder: bytes) -> None:
        """A client asks about the game."""
        if not self._minds_absence or not holder:
            return
        for seat in self.table.seats:
            if same(seat.holder, holder):
                self.here.hear(holder)

    def hear_of(self, seat: int) -> None:
        """Whoever holds a seat came, or was there until now; or the seat has changed hands."""
        if self._minds_absence:
            self.here.hear(self.table.seats[seat].holder)
            if seat == self.table.deciding_seat:
                self._arm()

    def connected(self) -> set[int]:
        """The seats that are attached by their holders: not by who lost it and does not read."""
        return {feed.seat for feed in self.feeds if feed.seat is not None and feed.cut is None}

    def _may_stay_away_ms(self) -> int | None:
        """How long whoever owes a choice may still be away; None: for ever."""
        seat = self.table.deciding_seat
        if not self._minds_absence or seat < 0:
            return None
        for feed in self.feeds:
            if feed.seat == seat and feed.cut is None:
                return None
        limit = self.table.config.time_control.disconnect_limit_ms
        holder = self.table.seats[seat].holder
        if self.here.calls(holder) or self._everywhere.calls(holder):
            # Nobody tells us when the call ends, so we look again; not all the time, though,
            # however short the limit.
            return max(limit, LOOK_AGAIN_MS)
        now = self._time.now_ms()
        heard = max(self.here.heard_ms(holder), self._everywhere.heard_ms(holder))
        away = min(self._waited_ms(now), self._time.running_ms() - heard)
        return max(limit - away, 0)

    def _arm(self) -> None:
        """Wake up when the pending question runs out, or the patience with whoever is away.

        A timer that rings too early is left alone: nearly every question is answered long before,
        and setting it anew each time would cost more than looking again when it rings.
        """
        if self.draining or (self._timeless and self.table.deciding_seat >= 0):
            self._disarm()
            return
        limit = self._limit_ms()
        left = self._may_stay_away_ms()
        now = self._time.now_ms()
        if limit is not None:
            of_clock = max(limit - self._waited_ms(now, self._time.queue_ms()), 0)
            left = of_clock if left is None else min(left, of_clock)
        if left is not None and self._time.halted:
            left = max(left, RETRY_MS)  # it will not come nearer meanwhile
        if left is None:
            self._disarm()
        elif self._timer is None or now + left < self._rings_ms:
            self._ring_after(left)

    def _ring_after(self, left_ms: int) -> None:
        self._disarm()
        self._rings_ms = self._time.now_ms() + left_ms
        self._timer = self._time.call_later(left_ms, self._ring, self.table.seq)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ready_limit_ms(self) -> int | None:
        control = self.table.config.time_control
        if control.HasField("ready_limit_ms"):
            return control.ready_limit_ms
        return self._settings.ready_limit_ms

    def _ring(self, seq: int) -> None:
        self._timer = None
        if self.table.seq == seq:
            self._spawn(self._expired(seq))
        else:
            self._arm()  # that question was answered

    async def _expired(self, seq: int) -> None:
        async with self._gate:
            if self.table.seq != seq or self.draining:
                self._arm()  # it was answered while this waited for its turn
                return
            if self._time.halted:
                self._ring_after(RETRY_MS)
                return
            limit = self._limit_ms()
            # An answer in time may still wait to be taken.
            waited = self._waited_ms(self._time.now_ms(), self._time.queue_ms())
            away = self._may_stay_away_ms() == 0
            if not away and (limit is None or waited < limit):
                self._arm()  # the server was late, or the seat came back: it gets that time
                return
            try:
                if away:
                    draft = self._draft()
                    gone = result_pb2.END_REASON_DISCONNECTED
                    proposals.forfeit(draft, self.table.deciding_seat, gone)
                    await self._commit(draft)
                elif self.table.status == STARTING:
                    draft = self._draft()
                    proposals.abort(draft, result_pb2.GAME_OUTCOME_NEVER_STARTED)
                    await self._commit(draft)
                else:
                    await self._expire_now(waited)
            except Refusal as refusal:
                # The task has the context of whoever's call set the clock.
                logs.bind(request="clock", method="", game=self.table.game_id)
                logs.bind(seat=self.table.deciding_seat)
                log.warning("a time-out could not be logged: %s", refusal.name)
                self._ring_after(RETRY_MS)

    async def _expire_now(self, charged_ms: int) -> None:
        draft = self._draft()
        most = clocks.timeouts_to_forfeit(
            self.table.config.time_control, self._settings.timeouts_to_forfeit
        )
        proposals.expire(draft, charged_ms, most)
        await self._commit(draft)
