"""What the log of a game says of each seat."""

from __future__ import annotations

from endless_winter.arena.digest import Spent, read_log
from endless_winter.store import Line
from endless_winter.v1 import clock_pb2, event_pb2, replay_pb2


def _line(kind: str, at_ms: int, **entry: object) -> Line:
    told = replay_pb2.LogEntry(seq=at_ms, time_unix_ms=at_ms, **entry)  # type: ignore[arg-type] # one of many fields
    return Line(kind, at_ms, told.SerializeToString())


def _choice(
    at_ms: int,
    seat: int,
    text: str,
    spent_ms: int = 0,
    origin: event_pb2.ChoiceOrigin.ValueType = event_pb2.CHOICE_ORIGIN_PLAYER,
) -> Line:
    choice = replay_pb2.LogChoice(
        seat=seat,
        text=text,
        origin=origin,
        timing=clock_pb2.AnswerTiming(charged_ms=spent_ms),
    )
    return _line("choice", at_ms, choice=choice)


def test_each_seat_has_its_decisions_its_time_and_its_columns() -> None:
    log = read_log(
        [
            Line("created", 1, b"not looked at"),
            _line("started", 2, started=replay_pb2.LogStarted()),
            _choice(3, 0, "place chief hunt", 5),
            _choice(4, 1, "place tribe rest", 2),
            _choice(5, 1, "placed nothing", 9),
            _choice(6, 0, "place tribe hunt", 1, event_pb2.CHOICE_ORIGIN_CLOCK),
            _line("ended", 9, ended=replay_pb2.LogEnded()),
        ],
        seats=2,
    )
    assert log.seats == [Spent(1, 5, 5, {"hunt": 2}), Spent(2, 11, 9, {"rest": 1})]
    assert log.milliseconds == 7


def test_what_was_taken_back_cost_its_time_and_placed_nothing() -> None:
    log = read_log(
        [
            _choice(3, 0, "place chief hunt", 5),
            _choice(4, 0, "place chief rest", 5),
            _line("undo", 5, undo=replay_pb2.LogUndo(seat=0, back_to_seq=3)),
        ],
        seats=1,
    )
    assert log.seats == [Spent(2, 10, 5, {"hunt": 1})]


def test_a_game_without_a_log_took_no_time() -> None:
    assert read_log([], seats=2) == ([Spent(0, 0, 0, {})] * 2, 0)
