"""A finished game as a line of the results."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from endless_winter.tournament.results import Seat
from endless_winter.v1 import enums_pb2, result_pb2
from endless_winter.views.categories import category_name

if TYPE_CHECKING:
    from collections.abc import Sequence


def seats_of(
    result: result_pb2.GameResult,
    statistics: result_pb2.GameStatistics,
    entrants: Sequence[str],
) -> tuple[Seat, ...]:
    return tuple(
        Seat(
            entrant=entrant,
            place=seat.place,
            score=seat.score,
            reason=_word(result_pb2.EndReason.Name(seat.reason), "END_REASON_"),
            timeouts=seat.timeouts,
            wrong_answers=seat.wrong_answers,
            decisions=done.answers,
            charged_ms=done.charged_ms,
            longest_ms=done.longest_ms,
            points={_category(one.category): one.points for one in seat.categories},
            columns={
                _word(enums_pb2.ActionSpace.Name(one.space), "ACTION_SPACE_"): one.figures
                for one in done.figures
            },
        )
        for seat, done, entrant in zip(result.seats, statistics.seats, entrants, strict=True)
    )


_category = cache(category_name)


@cache  # a tournament keeps the results of all its games: they share their words
def _word(name: str, prefix: str) -> str:
    return name.removeprefix(prefix).lower()
