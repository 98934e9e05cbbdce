"""A finished game as a line of the results: from its result and its log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.arena.results import Seat
from endless_winter.store import read_game
from endless_winter.v1 import event_pb2, replay_pb2, result_pb2

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

_PLACE: Final = "place"


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


def read_log(store: Path, game_id: str, seats: int) -> Log:
    kept = read_game(store, game_id)
    entries = [] if kept is None else kept.entries
    parsed = [replay_pb2.LogEntry.FromString(entry.payload) for entry in entries]
    times = [entry.time_unix_ms for entry in parsed if _in_play(entry)]
    played = times[-1] - times[0] if times else 0
    return Log([_spent(parsed, seat) for seat in range(seats)], played)


def _in_play(entry: replay_pb2.LogEntry) -> bool:
    return entry.WhichOneof("entry") in ("started", "choice", "ended")


def _spent(entries: Iterable[replay_pb2.LogEntry], seat: int) -> Spent:
    """Choices that were taken back cost their time all the same, but placed nothing."""
    charged: list[int] = []
    placed: list[tuple[int, str]] = []
    for entry in entries:
        kind = entry.WhichOneof("entry")
        if kind == "undo" and entry.undo.seat == seat:
            placed = [one for one in placed if one[0] <= entry.undo.back_to_seq]
        if kind != "choice" or entry.choice.seat != seat:
            continue
        choice = entry.choice
        if choice.origin == event_pb2.CHOICE_ORIGIN_PLAYER:
            charged.append(choice.timing.charged_ms)
        words = choice.text.split()
        if words[:1] == [_PLACE]:
            placed.append((entry.seq, words[-1]))
    columns: dict[str, int] = {}
    for _, column in placed:
        columns[column] = columns.get(column, 0) + 1
    return Spent(len(charged), sum(charged), max(charged, default=0), columns)


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


def _word(name: str, prefix: str) -> str:
    return name.removeprefix(prefix).lower()
