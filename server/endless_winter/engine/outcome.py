"""The result of a game, played to its end or not, and what was done in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.engine.table import ANSWERS, CHARGED_MS, LONGEST_MS, PLACED, TALLY
from endless_winter.v1 import result_pb2
from endless_winter.views.result import Ending
from endless_winter.views.result import result_of as scored_result
from endless_winter.views.words import PLACES

if TYPE_CHECKING:
    from endless_winter.engine.table import Table

# Why a seat's part ended that was still playing when the game was not played to its end.
REASONS = {
    result_pb2.GAME_OUTCOME_NEVER_STARTED: result_pb2.END_REASON_NEVER_STARTED,
    result_pb2.GAME_OUTCOME_SERVER_FAULT: result_pb2.END_REASON_SERVER_FAULT,
}


def result_of(table: Table) -> result_pb2.GameResult:
    """A game played to its end; forfeited seats come last.

    But not the Nomad: it does the same with any player or none, so its points count.
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
    reason = REASONS.get(outcome, result_pb2.END_REASON_NORMAL)
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


def statistics_of(table: Table) -> result_pb2.GameStatistics:
    """What was done and measured along the way, of a game that has ended."""
    tally = table.tally or [0] * (len(table.seats) * TALLY)
    return result_pb2.GameStatistics(
        # A clock may be set back meanwhile.
        duration_ms=max(table.ended_ms - table.started_ms, 0) if table.started_ms else 0,
        seats=[
            _seat_statistics(seat, tally[seat * TALLY : (seat + 1) * TALLY])
            for seat in range(len(table.seats))
        ],
    )


def _seat_statistics(seat: int, done: list[int]) -> result_pb2.SeatStatistics:
    return result_pb2.SeatStatistics(
        seat=seat,
        answers=done[ANSWERS],
        charged_ms=done[CHARGED_MS],
        longest_ms=done[LONGEST_MS],
        figures=[
            result_pb2.FigureCount(space=space, figures=count)
            for space, count in sorted(zip(PLACES, done[PLACED:], strict=True))
            if count
        ],
    )
