"""The result of a game, played to its end or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.v1 import result_pb2
from endless_winter.views.result import Ending
from endless_winter.views.result import result_of as scored_result

if TYPE_CHECKING:
    from endless_winter.service.table import Table


def result_of(table: Table) -> result_pb2.GameResult:
    """A game played to its end; forfeited seats come last.

    But not the Nomad: whoever plays its seat, or nobody, it does the same, so its points count.
    """
    assert table.game is not None
    endings = [
        Ending(
            seat.forfeited or result_pb2.END_REASON_NORMAL,
            seat.timeouts,
            seat.wrong_in_all,
            None if seat.is_nomad else seat.forfeited_seq or None,
        )
        for seat in table.seats
    ]
    found = scored_result(table.game, endings=endings, decisions=table.choices)
    assert found is not None
    return found


def without_result(
    table: Table, outcome: result_pb2.GameOutcome.ValueType
) -> result_pb2.GameResult:
    """A game that was not played to its end: no scores, and a reason per seat."""
    reason = {
        result_pb2.GAME_OUTCOME_NEVER_STARTED: result_pb2.END_REASON_NEVER_STARTED,
        result_pb2.GAME_OUTCOME_SERVER_FAULT: result_pb2.END_REASON_SERVER_FAULT,
    }.get(outcome, result_pb2.END_REASON_NORMAL)
    seats = [
        result_pb2.SeatResult(
            seat=number,
            reason=seat.forfeited or reason,
            timeouts=seat.timeouts,
            wrong_answers=seat.wrong_in_all,
        )
        for number, seat in enumerate(table.seats)
    ]
    return result_pb2.GameResult(outcome=outcome, seats=seats, decisions=table.choices)
