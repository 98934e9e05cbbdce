"""A finished game as a line of the results."""

from __future__ import annotations

from endless_winter.tournament.digest import seats_of
from endless_winter.tournament.results import Seat
from endless_winter.v1 import enums_pb2, result_pb2


def test_a_line_has_what_the_result_has() -> None:
    result = result_pb2.GameResult(
        seats=[
            result_pb2.SeatResult(
                seat=0,
                reason=result_pb2.END_REASON_NORMAL,
                place=1,
                score=70,
                categories=[
                    result_pb2.CategoryScore(
                        category=result_pb2.SCORE_CATEGORY_SACRED_STONES, points=12
                    )
                ],
            ),
            result_pb2.SeatResult(
                seat=1,
                reason=result_pb2.END_REASON_ILLEGAL_FLOOD,
                place=2,
                timeouts=3,
                wrong_answers=8,
            ),
        ]
    )
    statistics = result_pb2.GameStatistics(
        seats=[
            result_pb2.SeatStatistics(
                seat=0,
                answers=90,
                charged_ms=4000,
                longest_ms=150,
                figures=[
                    result_pb2.FigureCount(space=enums_pb2.ACTION_SPACE_HUNT, figures=5),
                    result_pb2.FigureCount(space=enums_pb2.ACTION_SPACE_REST, figures=1),
                ],
            ),
            result_pb2.SeatStatistics(seat=1),
        ]
    )
    first, second = seats_of(result, statistics, ["ann", "bob"])
    assert first == Seat(
        entrant="ann",
        place=1,
        score=70,
        decisions=90,
        charged_ms=4000,
        longest_ms=150,
        points={"sacred_stones": 12},
        columns={"hunt": 5, "rest": 1},
    )
    assert second == Seat(
        entrant="bob", place=2, reason="illegal_flood", timeouts=3, wrong_answers=8
    )
