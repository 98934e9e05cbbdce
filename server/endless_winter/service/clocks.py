"""Time: what a pending decision may still take, and what an answer costs.

Pure arithmetic in milliseconds; the session brings the readings. A seat's bank and what its turn
has used are part of the table, since the log keeps them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from endless_winter.service.table import Table
    from endless_winter.v1.clock_pb2 import TimeControl


class Limits(NamedTuple):
    """What a time control allows besides the bank; None: for ever. Read once for each game."""

    decision_ms: int | None
    turn_ms: int | None


def limits_of(control: TimeControl) -> Limits:
    return Limits(
        control.decision_limit_ms if control.HasField("decision_limit_ms") else None,
        control.turn_limit_ms if control.HasField("turn_limit_ms") else None,
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


def excused_ms(late_ms: int, paused_ms: int, delay_ms: int, queued_ms: int = 0) -> int:
    """What the server itself took of the time since it asked.

    In all its loop was `late_ms` late, and stood still for `paused_ms` of that: then nobody could
    do anything. When it was merely busy, whoever thought was not kept from thinking. Only the
    question and the answer may have waited, each for about as long as the loop is behind now; or,
    where they come by unary calls, for `queued_ms` in queues, in which a late loop is felt too.
    """
    return paused_ms + max(min(max(late_ms - paused_ms, 0), 2 * delay_ms), queued_ms)


def charge_ms(asked_ms: int, answered_ms: int, excused_ms: int) -> int:
    """What an answer costs: from asking to answering, what the server took of it taken off."""
    return max(answered_ms - asked_ms - excused_ms, 0)


def bank_after_ms(table: Table, seat: int, charged_ms: int) -> int | None:
    """The seat's bank once an answer is charged; None: it has none."""
    bank = table.seats[seat].bank_ms
    return None if bank is None else max(bank - charged_ms, 0)


def timeouts_to_forfeit(control: TimeControl, default: int) -> int:
    return control.timeouts_to_forfeit or default
