"""Time: what a pending decision may still take, and what an answer costs.

All in milliseconds on the running clock: it stands still while the server does, and while the
store cannot be written, so nobody is charged for that. A seat's bank and what its turn has used
are part of the table, since the log has them.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.v1 import clock_pb2

if TYPE_CHECKING:
    from endless_winter.engine.table import Table

# Kinds of timers.
CLOCK: Final = "clock"  # of a game
DELAY: Final = "delay"  # spectators of a game see more
UNSTARTED: Final = "unstarted"  # a game has waited long enough for its players
OFFER: Final = "offer"  # a bot has not answered an offer
MATCH: Final = "match"  # seats that want bots are looked at again


class Now:
    """A time: on the running clock, on the calendar, and how late the server is."""

    __slots__ = ("ms", "queued_ms", "unix_ms")

    def __init__(self, ms: int, unix_ms: int, queued_ms: int = 0) -> None:
        """`queued_ms`: a question and its answer waited at most so long for a busy server."""
        self.ms = ms
        self.unix_ms = unix_ms
        self.queued_ms = queued_ms


class Limits(NamedTuple):
    """What a time control allows besides the bank; None: for ever. Read once for each game."""

    decision_ms: int | None
    turn_ms: int | None
    disconnect_ms: int | None


def limits_of(control: clock_pb2.TimeControl) -> Limits:
    return Limits(
        control.decision_limit_ms if control.HasField("decision_limit_ms") else None,
        control.turn_limit_ms if control.HasField("turn_limit_ms") else None,
        control.disconnect_limit_ms if control.HasField("disconnect_limit_ms") else None,
    )


def allowed_ms(table: Table, seat: int, limits: Limits) -> int | None:
    """How long the seat's pending decision may take; None: for ever.

    The tightest of the bank, the limit of a decision and what is left of the turn's limit.
    """
    found: list[int] = []
    bank = table.seats[seat].bank_ms
    if bank is not None:
        found.append(bank)
    if limits.decision_ms is not None:
        found.append(limits.decision_ms)
    if limits.turn_ms is not None:
        found.append(limits.turn_ms - table.turn_used_ms[seat])
    return max(min(found), 0) if found else None


def bank_after_ms(table: Table, seat: int, charged_ms: int) -> int | None:
    """The seat's bank once an answer is charged; None: it has none."""
    bank = table.seats[seat].bank_ms
    return None if bank is None else max(bank - charged_ms, 0)


def reading(
    table: Table, unix_ms: int, deadline_ms: int | None, banks: list[int | None]
) -> bytes | None:
    """The serialized ClockReading, with what each seat has in its bank; None: no clock runs."""
    if deadline_ms is None and banks.count(None) == len(banks):
        return None
    seats = [
        clock_pb2.SeatClock(
            seat=number,
            bank_ms=banks[number],
            running=number == table.deciding_seat,
            timeouts=seat.timeouts,
        )
        for number, seat in enumerate(table.seats)
    ]
    return clock_pb2.ClockReading(
        server_time_unix_ms=unix_ms, deadline_unix_ms=deadline_ms, seats=seats
    ).SerializeToString()


class Timers:
    """A heap of deadlines. None is removed: what is no longer meant is found out when it is due."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, str, str]] = []
        self._count = 0

    def push(self, due_ms: int, kind: str, key: str) -> None:
        self._count += 1
        heapq.heappush(self._heap, (due_ms, self._count, kind, key))

    def next_ms(self) -> int | None:
        """When the next one is due; None: there is none."""
        return self._heap[0][0] if self._heap else None

    def pop_due(self, now_ms: int) -> list[tuple[int, str, str]]:
        """Those that are due: when they were, their kinds and keys."""
        found = []
        while self._heap and self._heap[0][0] <= now_ms:
            due_ms, _, kind, key = heapq.heappop(self._heap)
            found.append((due_ms, kind, key))
        return found
