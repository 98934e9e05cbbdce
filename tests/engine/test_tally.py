"""Each seat's answers, time and figures, as they come with a result: counted from the log."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import pytest

from endless_winter.engine.outcome import statistics_of
from endless_winter.engine.table import RUNNING
from endless_winter.v1 import clock_pb2, enums_pb2, event_pb2
from tests.engine.desk import Desk

if TYPE_CHECKING:
    from endless_winter.engine.game import Game
    from endless_winter.v1 import replay_pb2, result_pb2

PLAYER = event_pb2.CHOICE_ORIGIN_PLAYER


class Doings(NamedTuple):
    answers: int
    charged_ms: int
    longest_ms: int
    figures: dict[str, int]


def of_statistics(statistics: result_pb2.GameStatistics) -> list[Doings]:
    def word(space: enums_pb2.ActionSpace.ValueType) -> str:
        return enums_pb2.ActionSpace.Name(space).removeprefix("ACTION_SPACE_").lower()

    return [
        Doings(
            seat.answers,
            seat.charged_ms,
            seat.longest_ms,
            {word(one.space): one.figures for one in seat.figures},
        )
        for seat in statistics.seats
    ]


def of_log(entries: list[replay_pb2.LogEntry], seats: int) -> list[Doings]:
    """By the texts of the choices alone, as somebody would who only has the log."""
    charged: list[list[int]] = [[] for _ in range(seats)]
    placed: list[list[tuple[int, str]]] = [[] for _ in range(seats)]
    for entry in entries:
        if entry.HasField("choice"):
            choice = entry.choice
            if choice.origin == PLAYER:
                charged[choice.seat].append(choice.timing.charged_ms)
            if choice.text.startswith("place "):
                placed[choice.seat].append((entry.seq, choice.text.split()[-1]))
        elif entry.HasField("undo"):
            undo = entry.undo
            placed[undo.seat] = [one for one in placed[undo.seat] if one[0] <= undo.back_to_seq]
    return [
        Doings(len(own), sum(own), max(own, default=0), dict(Counter(word for _, word in spaces)))
        for own, spaces in zip(charged, placed, strict=True)
    ]


def play_to_the_end(desk: Desk, game: Game, choices: random.Random) -> None:
    """Answers of some milliseconds, time-outs, and choices that are taken back."""
    while game.table.status == RUNNING:
        seat = game.table.deciding_seat
        dice = choices.random()
        if dice < 0.1 and game.table.can_undo(seat):
            desk.undo(game, seat)
        elif dice < 0.15:
            desk.advance(1_000)
        else:
            desk.advance(choices.randrange(500))
            desk.choose(game, choices)


@pytest.mark.parametrize("number", range(4))
def test_the_statistics_say_what_the_log_says(number: int) -> None:
    seats = 2 + number % 3
    control = clock_pb2.TimeControl(decision_limit_ms=1_000, timeouts_to_forfeit=1_000)
    desk = Desk()
    game = desk.running(seats, undo_allowed=True, seed=bytes([number]) * 32, time_control=control)
    start = desk.unix_ms
    play_to_the_end(desk, game, random.Random(number))
    result = game.table.result
    assert result is not None
    entries = desk.log(game)
    late = [entry for entry in entries if entry.choice.origin == event_pb2.CHOICE_ORIGIN_CLOCK]
    assert late
    assert [entry for entry in entries if entry.HasField("undo")]
    statistics = statistics_of(game.table)
    assert of_statistics(statistics) == of_log(entries, seats)
    assert sum(seat.answers for seat in statistics.seats) == result.decisions - len(late)
    assert statistics.duration_ms == entries[-1].time_unix_ms - start
    for seat in statistics.seats:
        spaces = [one.space for one in seat.figures]
        assert spaces == sorted(spaces)
        assert 0 not in [one.figures for one in seat.figures]


def test_a_figure_that_is_taken_back_was_not_placed_but_took_its_time() -> None:
    desk = Desk()
    game = desk.running(undo_allowed=True)
    while True:
        position = game.table.game
        assert position is not None
        seat = game.table.deciding_seat
        texts = [position.text(option) for option in position.options()]
        placing = [at for at, text in enumerate(texts) if text.startswith("place ")]
        before = of_statistics(statistics_of(game.table))[seat]
        desk.advance(7)
        desk.answer(game, option_id=placing[0] if placing else 0)
        if placing and game.table.can_undo(seat):
            break
    after = of_statistics(statistics_of(game.table))[seat]
    assert sum(after.figures.values()) == sum(before.figures.values()) + 1
    desk.undo(game, seat)
    undone = of_statistics(statistics_of(game.table))[seat]
    assert undone == after._replace(figures=before.figures)
    assert after.charged_ms == before.charged_ms + 7


def test_a_game_that_is_aborted_says_what_was_done_in_it() -> None:
    desk = Desk()
    game = desk.running()
    desk.advance(40)
    desk.answer(game)
    desk.advance(30)
    desk.abort(game, operator=True)
    statistics = statistics_of(game.table)
    assert [seat.answers for seat in statistics.seats].count(1) == 1
    assert sum(seat.charged_ms for seat in statistics.seats) == 40
    assert statistics.duration_ms == 70


def test_a_game_that_never_started_took_no_time() -> None:
    desk = Desk()
    game = desk.create(3)
    desk.advance(1_000)
    desk.abort(game)
    statistics = statistics_of(game.table)
    assert of_statistics(statistics) == [Doings(0, 0, 0, {})] * 3
    assert statistics.duration_ms == 0
