"""Each seat's answers, time and figures, as they come with a result: counted from the log."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import pytest

from endless_winter.service import proposals, tally
from endless_winter.service.choice import Timing
from endless_winter.service.outcome import statistics_of
from endless_winter.service.table import RUNNING
from endless_winter.v1 import enums_pb2, event_pb2, replay_pb2, result_pb2
from tests.service.desk import NOW, PLAYER, created, started

if TYPE_CHECKING:
    from endless_winter.service.proposals import Draft


class Told(NamedTuple):
    answers: int
    charged_ms: int
    longest_ms: int
    figures: dict[str, int]


def word_of(space: enums_pb2.ActionSpace.ValueType) -> str:
    return enums_pb2.ActionSpace.Name(space).removeprefix("ACTION_SPACE_").lower()


def told_by_statistics(statistics: result_pb2.GameStatistics) -> list[Told]:
    return [
        Told(
            seat.answers,
            seat.charged_ms,
            seat.longest_ms,
            {
                enums_pb2.ActionSpace.Name(one.space)[13:].lower(): one.figures
                for one in seat.figures
            },
        )
        for seat in statistics.seats
    ]


def told_by_log(entries: list[replay_pb2.LogEntry], seats: int) -> list[Told]:
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
        Told(len(own), sum(own), max(own, default=0), dict(Counter(word for _, word in spaces)))
        for own, spaces in zip(charged, placed, strict=True)
    ]


def play_to_the_end(draft: Draft, choices: random.Random) -> None:
    """Answers of some milliseconds, time-outs, and choices that are taken back."""
    while draft.table.status == RUNNING:
        draft.now_ms += 10
        seat = draft.table.deciding_seat
        dice = choices.random()
        if dice < 0.1 and draft.table.can_undo(seat):
            proposals.undo(draft, seat)
        elif dice < 0.15:
            proposals.expire(draft, 900, most_timeouts=1000)
        else:
            game = draft.table.game
            assert game is not None
            option = choices.randrange(len(game.options()))
            charged = Timing(choices.randrange(500))
            proposals.choose(draft, seat, option, origin=PLAYER, charged=charged)
            proposals.settle(draft)


@pytest.mark.parametrize("number", range(4))
def test_the_statistics_tell_what_the_log_tells(number: int) -> None:
    seats = 2 + number % 3
    draft = started(seats, undo_allowed=True, seed=bytes([number]) * 32)
    play_to_the_end(draft, random.Random(number))
    result = draft.table.result
    assert result is not None
    entries = [step.entry for step in draft.steps]
    undone = [entry for entry in entries if entry.HasField("undo")]
    late = [entry for entry in entries if entry.choice.origin == event_pb2.CHOICE_ORIGIN_CLOCK]
    assert undone
    assert late
    statistics = statistics_of(draft.table)
    assert told_by_statistics(statistics) == told_by_log(entries, seats)
    assert sum(seat.answers for seat in statistics.seats) == result.decisions - len(late)
    assert statistics.duration_ms == draft.now_ms - NOW
    for seat in statistics.seats:
        spaces = [one.space for one in seat.figures]
        assert spaces == sorted(spaces)
        assert 0 not in [one.figures for one in seat.figures]


def test_a_figure_that_is_taken_back_was_not_placed_but_took_its_time() -> None:
    draft = started(2, undo_allowed=True)
    choices = random.Random(1)
    while True:
        game = draft.table.game
        assert game is not None
        seat = draft.table.deciding_seat
        texts = [game.text(option) for option in game.options()]
        placing = [at for at, text in enumerate(texts) if text.startswith("place ")]
        option = placing[0] if placing else choices.randrange(len(texts))
        before = tally.of_seat(draft.table.tally, seat)
        proposals.choose(draft, seat, option, origin=PLAYER, charged=Timing(7))
        if placing and draft.table.can_undo(seat):
            break
    after = tally.of_seat(draft.table.tally, seat)
    assert sum(after.placed) == sum(before.placed) + 1
    proposals.undo(draft, seat)
    assert tally.of_seat(draft.table.tally, seat) == after._replace(placed=before.placed)
    assert after.charged_ms == before.charged_ms + 7


def test_a_game_that_is_aborted_tells_what_was_done_in_it() -> None:
    draft = started(2)
    proposals.choose(draft, draft.table.deciding_seat, 0, origin=PLAYER, charged=Timing(40))
    draft.now_ms += 70
    proposals.abort(draft, result_pb2.GAME_OUTCOME_ABORTED)
    statistics = statistics_of(draft.table)
    assert [seat.answers for seat in statistics.seats].count(1) == 1
    assert sum(seat.charged_ms for seat in statistics.seats) == 40
    assert statistics.duration_ms == 70


def test_a_game_that_never_started_took_no_time() -> None:
    draft = created(3)
    proposals.abort(draft, result_pb2.GAME_OUTCOME_NEVER_STARTED)
    statistics = statistics_of(draft.table)
    assert told_by_statistics(statistics) == [Told(0, 0, 0, {})] * 3
    assert statistics.duration_ms == 0
