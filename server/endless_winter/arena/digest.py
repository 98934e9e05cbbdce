"""A finished game as a line of the results: from its result and its log."""

from __future__ import annotations

import sys
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.arena.results import Seat
from endless_winter.v1 import event_pb2, replay_pb2, result_pb2

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endless_winter.store import Line

_PLACE: Final = "place "
_IN_PLAY: Final = ("started", "choice", "ended")


class Spent(NamedTuple):
    """What the log of a game says of one seat."""

    decisions: int
    charged_ms: int
    longest_ms: int
    columns: dict[str, int]


class Log(NamedTuple):
    """What the log of a game says."""

    seats: list[Spent]
    milliseconds: int


def read_log(lines: Sequence[Line], seats: int) -> Log:
    """Choices that were taken back cost their time all the same, but placed nothing."""
    charged: list[list[int]] = [[] for _ in range(seats)]
    placed: list[list[tuple[int, str]]] = [[] for _ in range(seats)]
    times = [line.at_ms for line in lines if line.kind in _IN_PLAY]
    for line in lines:
        if line.kind == "choice":
            entry = replay_pb2.LogEntry.FromString(line.payload)
            choice = entry.choice
            if choice.origin == event_pb2.CHOICE_ORIGIN_PLAYER:
                charged[choice.seat].append(choice.timing.charged_ms)
            if choice.text.startswith(_PLACE):
                placed[choice.seat].append((entry.seq, sys.intern(choice.text.split()[-1])))
        elif line.kind == "undo":
            undo = replay_pb2.LogEntry.FromString(line.payload).undo
            kept = [one for one in placed[undo.seat] if one[0] <= undo.back_to_seq]
            placed[undo.seat] = kept
    return Log(
        [
            Spent(len(own), sum(own), max(own, default=0), Counter(word for _, word in spaces))
            for own, spaces in zip(charged, placed, strict=True)
        ],
        times[-1] - times[0] if times else 0,
    )


def seats_of(result: result_pb2.GameResult, entrants: Sequence[str], log: Log) -> tuple[Seat, ...]:
    return tuple(
        Seat(
            entrant=entrant,
            place=seat.place,
            score=seat.score,
            reason=_word(result_pb2.EndReason.Name(seat.reason), "END_REASON_"),
            timeouts=seat.timeouts,
            wrong_answers=seat.wrong_answers,
            decisions=spent.decisions,
            charged_ms=spent.charged_ms,
            longest_ms=spent.longest_ms,
            points={
                _word(result_pb2.ScoreCategory.Name(one.category), "SCORE_CATEGORY_"): one.points
                for one in seat.categories
            },
            columns=spent.columns,
        )
        for seat, entrant, spent in zip(result.seats, entrants, log.seats, strict=True)
    )


@cache  # a tournament keeps the results of all its games: they share their words
def _word(name: str, prefix: str) -> str:
    return name.removeprefix(prefix).lower()
