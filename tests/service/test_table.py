"""The fold and what may be appended to it, without clocks, networks or files."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from endless_winter.rules import events
from endless_winter.rules.rivers import codes
from endless_winter.service import proposals
from endless_winter.service.proposals import Draft
from endless_winter.service.refusal import Refusal
from endless_winter.service.table import (
    ENDED,
    MOST_UNDONE,
    OPEN,
    RUNNING,
    STARTING,
    Seat,
    Table,
    position_hash,
)
from endless_winter.v1 import config_pb2, decision_pb2, event_pb2, result_pb2
from endless_winter.v1 import rejection_pb2 as reasons
from endless_winter.views import kind_of
from tests.service.desk import NOW, PLAYER, created, holder, parts_of, replayed, started

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.v1 import replay_pb2

GAIN = decision_pb2.DECISION_KIND_GAIN


def state_of(table: Table) -> tuple[object, ...]:
    """Everything of a table that can be compared."""
    return (
        table.status,
        table.seq,
        table.decision_id,
        table.choices,
        table.turns,
        table.turn_used_ms,
        [parts_of(seat) for seat in table.seats],
        table.created_ms,
        table.started_ms,
        table.ended_ms,
        table.result,
        [one.seq for one in table.undo],
        position_hash(table),
        table.seed_from_creator,
        table.tally,
    )


def choose(draft: Draft, choices: random.Random) -> None:
    """The pending seat chooses at random."""
    game = draft.table.game
    assert game is not None
    option = choices.randrange(len(game.options()))
    proposals.choose(draft, draft.table.deciding_seat, option, origin=PLAYER)
    proposals.settle(draft)


def until(draft: Draft, wanted: Callable[[Table], bool], choices: random.Random) -> None:
    for _ in range(3000):
        if wanted(draft.table):
            return
        choose(draft, choices)
    raise AssertionError("it never came to that")


def kinds(draft: Draft) -> list[str | None]:
    return [step.entry.WhichOneof("entry") for step in draft.steps]


# --- fold equals play ---


@pytest.mark.parametrize("number", range(6))
def test_the_log_folded_anew_is_the_table_that_was_played(number: int) -> None:
    """With undo, standing answers and a forfeit on the way, checked at every tenth entry."""
    choices = random.Random(number)
    seats = 2 + number % 3
    draft = started(seats, undo_allowed=True, seed=bytes([number]) * 32)
    while draft.table.status == RUNNING:
        seat = draft.table.deciding_seat
        dice = choices.random()
        if dice < 0.1 and draft.table.can_undo(seat):
            proposals.undo(draft, seat)
        elif dice < 0.12:
            answers = [decision_pb2.StandingAnswer(kind=GAIN)] if dice < 0.11 else []
            proposals.set_standing(draft, seat, answers)
        elif dice < 0.121 and not draft.table.seats[seat].forfeited:
            proposals.forfeit(draft, seat, result_pb2.END_REASON_ABANDONED)
        else:
            choose(draft, choices)
        if draft.table.seq % 10 == 0:
            again = replayed(draft, seed=bytes([number]) * 32, undo_allowed=True)
            assert state_of(again) == state_of(draft.table)
    again = replayed(draft, seed=bytes([number]) * 32, undo_allowed=True)
    assert state_of(again) == state_of(draft.table)
    assert again.status == ENDED
    assert {"undo", "standing_answers"} <= set(kinds(draft))


def test_entries_have_their_place_in_the_log() -> None:
    draft = started()
    late = draft.steps[-1].entry
    with pytest.raises(ValueError, match="entry"):
        draft.table.apply(late)


def test_a_game_starts_with_the_last_ready_and_not_before() -> None:
    draft = created(3)
    for seat in range(3):
        assert draft.table.status == OPEN
        proposals.take_seat(draft, seat, holder(seat), "")
    assert draft.table.status == STARTING
    proposals.ready(draft, 0)
    proposals.free_seat(draft, 1)
    assert draft.table.status == OPEN
    proposals.ready(draft, 2)
    proposals.take_seat(draft, 1, holder(7), "")
    assert draft.table.status == STARTING
    assert [seat.ready for seat in draft.table.seats] == [True, False, True]
    proposals.ready(draft, 1)
    assert draft.table.status == RUNNING
    assert kinds(draft)[-2:] == ["ready", "started"]


# --- drafts ---


def test_a_draft_that_is_not_committed_changes_nothing() -> None:
    table = started(undo_allowed=True).table
    before = state_of(table.copy())
    for attempt in range(5):
        draft = Draft.of(table, NOW)
        choices = random.Random(attempt)
        for _ in range(30):
            choose(draft, choices)
        proposals.forfeit(draft, 0, result_pb2.END_REASON_ABANDONED)
        proposals.forfeit(draft, 1, result_pb2.END_REASON_ABANDONED)
        assert draft.table.status == ENDED
        assert state_of(table) == before


def test_a_draft_that_undoes_leaves_the_table_able_to_undo() -> None:
    draft = started(undo_allowed=True)
    until(draft, lambda table: table.can_undo(table.deciding_seat), random.Random(1))
    table = draft.table
    before = state_of(table.copy())
    for _ in range(2):
        attempt = Draft.of(table, NOW)
        proposals.undo(attempt, table.deciding_seat)
        assert state_of(table) == before


# --- undo ---


def test_undo_brings_the_position_back_under_a_new_id() -> None:
    draft = started(undo_allowed=True)
    choices = random.Random(2)
    undone = 0
    while draft.table.status == RUNNING and undone < 20:
        table = draft.table
        before, asked, game_turn = position_hash(table), table.decision_id, table.turns
        seat = table.deciding_seat
        choose(draft, choices)
        if not table.can_undo(seat):
            continue
        assert table.turns == game_turn, "undo ends with the turn"
        newest = table.decision_id
        step = proposals.undo(draft, seat)
        assert position_hash(table) == before
        assert table.decision_id > newest > asked
        assert step.entry.undo.back_to_seq == asked
        assert table.deciding_seat == seat
        undone += 1
        choose(draft, choices)
    assert undone == 20


def test_several_choices_can_be_undone_one_by_one() -> None:
    draft = started(undo_allowed=True)
    until(draft, lambda table: len(table.undo) >= 3, random.Random(3))
    seat = draft.table.deciding_seat
    hashes = []
    while draft.table.can_undo(seat):
        proposals.undo(draft, seat)
        hashes.append(position_hash(draft.table))
    assert len(set(hashes)) >= 3
    with pytest.raises(Refusal) as refused:
        proposals.undo(draft, seat)
    assert refused.value.reason == reasons.REJECTION_REASON_UNDO_IMPOSSIBLE
    assert state_of(replayed(draft, undo_allowed=True)) == state_of(draft.table)


def test_nothing_can_be_undone_after_a_reveal_another_seat_or_without_leave() -> None:
    draft = started(undo_allowed=True)
    choices = random.Random(4)
    for _ in range(400):
        seat = draft.table.deciding_seat
        if seat < 0:
            break
        steps = len(draft.steps)
        choose(draft, choices)
        kinds_told = {event[0] for step in draft.steps[steps:] for event in step.happened}
        if kinds_told & {events.CARDS_DRAWN, events.ANIMAL_REVEALED, events.PILE_REVEALED}:
            assert not draft.table.undo
        if draft.table.deciding_seat != seat:
            assert not draft.table.undo
        assert not draft.table.can_undo(1 - draft.table.deciding_seat)
    lenient = started(undo_allowed=True)
    until(lenient, lambda table: table.can_undo(table.deciding_seat), random.Random(5))
    strict = started()
    until(strict, lambda table: table.choices == lenient.table.choices, random.Random(5))
    with pytest.raises(Refusal):
        proposals.undo(strict, strict.table.deciding_seat)


def test_a_fish_that_was_drawn_cannot_be_put_back() -> None:
    cows = config_pb2.ModuleConfig(sea_cows=True)  # tipping one draws two
    drawn = 0
    for number in range(8):
        draft = started(
            undo_allowed=True,
            seed=bytes([number]) * 32,
            rivers=config_pb2.RiversConfig(),
            modules=cows,
        )
        choices = random.Random(number)
        while draft.table.status == RUNNING:
            steps = len(draft.steps)
            choose(draft, choices)
            told = {event[0] for step in draft.steps[steps:] for event in step.happened}
            if codes.FISH_DRAWN in told and events.TURN_BEGAN not in told:
                drawn += 1
                assert not draft.table.undo
    assert drawn > 10


# --- standing answers ---


def test_a_standing_answer_takes_the_default_of_its_kind_and_of_no_other() -> None:
    draft = started()
    proposals.set_standing(draft, 0, [decision_pb2.StandingAnswer(kind=GAIN)])
    choices = random.Random(6)
    while draft.table.status == RUNNING:
        game = draft.table.game
        assert game is not None
        assert not (draft.table.deciding_seat == 0 and kind_of(game) == GAIN)
        choose(draft, choices)
    standing = [s.entry.choice for s in draft.steps if s.entry.choice.by_standing_answer]
    assert standing
    assert {choice.seat for choice in standing} == {0}
    assert {choice.origin for choice in standing} == {PLAYER}
    assert state_of(replayed(draft)) == state_of(draft.table)


def test_a_standing_answer_answers_a_pending_decision_at_once() -> None:
    draft = started()

    def gains(table: Table) -> bool:
        return table.game is not None and kind_of(table.game) == GAIN

    until(draft, gains, random.Random(7))
    seat, asked = draft.table.deciding_seat, draft.table.decision_id
    proposals.set_standing(draft, seat, [decision_pb2.StandingAnswer(kind=GAIN)])
    assert draft.table.decision_id != asked


def test_new_standing_answers_replace_the_old() -> None:
    draft = started()
    discard = decision_pb2.DECISION_KIND_DISCARD
    proposals.set_standing(draft, 0, [decision_pb2.StandingAnswer(kind=GAIN)])
    proposals.set_standing(draft, 0, [decision_pb2.StandingAnswer(kind=discard)])
    assert draft.table.seats[0].standing == {discard}
    proposals.set_standing(draft, 0, [])
    assert not draft.table.seats[0].standing


@pytest.mark.parametrize("kind", [0, 1, 2, 3, 4, 5, 6, 7, 999])
def test_turns_and_the_set_up_have_no_standing_answer(kind: int) -> None:
    draft = started()
    seq = draft.table.seq
    answer = decision_pb2.StandingAnswer.FromString(bytes([8]) + _varint(kind))
    with pytest.raises(Refusal) as refused:
        proposals.set_standing(draft, 0, [answer])
    assert refused.value.reason == reasons.REJECTION_REASON_STANDING_ANSWER_IMPOSSIBLE
    assert draft.table.seq == seq


def _varint(number: int) -> bytes:
    return bytes([number]) if number < 128 else bytes([number & 127 | 128, number >> 7])


def test_a_kind_has_one_standing_answer() -> None:
    with pytest.raises(Refusal) as refused:
        proposals.set_standing(started(), 0, [decision_pb2.StandingAnswer(kind=GAIN)] * 2)
    assert refused.value.reason == reasons.REJECTION_REASON_INVALID_ARGUMENT


# --- the ends of a part ---


def entries_of(draft: Draft, seat: int, after: int) -> list[replay_pb2.LogChoice]:
    found = [step.entry for step in draft.steps if step.entry.seq > after]
    return [
        entry.choice
        for entry in found
        if entry.WhichOneof("entry") == "choice" and entry.choice.seat == seat
    ]


def test_a_forfeited_seat_is_played_by_defaults_at_once_and_ranks_last() -> None:
    draft = started(4)
    choices = random.Random(8)
    until(draft, lambda table: table.choices >= 40, choices)
    out = draft.table.deciding_seat
    proposals.forfeit(draft, out, result_pb2.END_REASON_ABANDONED)
    seq = draft.table.seats[out].forfeited_seq
    while draft.table.status == RUNNING:
        assert draft.table.deciding_seat != out
        choose(draft, choices)
    played = entries_of(draft, out, seq)
    assert played
    assert {choice.origin for choice in played} == {event_pb2.CHOICE_ORIGIN_FORFEIT}
    result = draft.table.result
    assert result is not None
    assert result.outcome == result_pb2.GAME_OUTCOME_COMPLETED
    assert result.seats[out].place == 4
    assert result.seats[out].reason == result_pb2.END_REASON_ABANDONED
    assert result.seats[out].forfeited_seq == seq
    others = [seat for seat in result.seats if seat.seat != out]
    assert {seat.reason for seat in others} == {result_pb2.END_REASON_NORMAL}
    assert not any(seat.HasField("forfeited_seq") for seat in others)


def test_who_is_forfeited_first_comes_last_and_a_table_without_players_ends_at_once() -> None:
    draft = started(3)
    proposals.forfeit(draft, 2, result_pb2.END_REASON_TIME_OUT)
    proposals.forfeit(draft, 0, result_pb2.END_REASON_ILLEGAL_FLOOD)
    assert draft.table.status == RUNNING
    proposals.forfeit(draft, 1, result_pb2.END_REASON_ABANDONED)
    assert draft.table.status == ENDED
    result = draft.table.result
    assert result is not None
    assert [seat.place for seat in result.seats] == [2, 1, 3]
    assert [seat.reason for seat in result.seats] == [
        result_pb2.END_REASON_ILLEGAL_FLOOD,
        result_pb2.END_REASON_ABANDONED,
        result_pb2.END_REASON_TIME_OUT,
    ]
    assert state_of(replayed(draft)) == state_of(draft.table)


def test_on_expiry_the_default_is_taken_and_after_so_many_the_seat_is_out() -> None:
    draft = started()
    late = draft.table.deciding_seat
    for number in (1, 2, 3):
        while draft.table.deciding_seat != late:
            choose(draft, random.Random(number))
        game = draft.table.game
        assert game is not None
        decision = game.decision
        assert decision is not None
        default = decision.options.index(decision.default)
        before = len(draft.steps)
        proposals.expire(draft, 500, 3)
        choice = draft.steps[before].entry.choice
        assert (choice.option_id, choice.origin) == (default, event_pb2.CHOICE_ORIGIN_CLOCK)
        assert choice.timing.charged_ms == 500
        assert draft.table.seats[late].timeouts == number
        forfeited = draft.table.seats[late].forfeited == result_pb2.END_REASON_TIME_OUT
        assert forfeited == (number == 3)


def test_an_aborted_game_has_no_places_and_its_players_played_on_to_the_end() -> None:
    draft = started(3)
    proposals.forfeit(draft, 1, result_pb2.END_REASON_TIME_OUT)
    proposals.abort(draft, result_pb2.GAME_OUTCOME_ABORTED)
    result = draft.table.result
    assert result is not None
    assert result.outcome == result_pb2.GAME_OUTCOME_ABORTED
    assert [seat.place for seat in result.seats] == [0, 0, 0]
    normal = result_pb2.END_REASON_NORMAL
    reasons_of = [seat.reason for seat in result.seats]
    assert reasons_of == [normal, result_pb2.END_REASON_TIME_OUT, normal]
    with pytest.raises(Refusal) as refused:
        proposals.abort(draft, result_pb2.GAME_OUTCOME_ABORTED)
    assert refused.value.reason == reasons.REJECTION_REASON_GAME_ENDED
    with pytest.raises(Refusal):
        proposals.ready(draft, 0)


def test_a_game_that_never_started_says_so_for_every_seat() -> None:
    draft = created(2)
    proposals.take_seat(draft, 0, holder(0), "")
    proposals.abort(draft, result_pb2.GAME_OUTCOME_NEVER_STARTED)
    result = draft.table.result
    assert result is not None
    assert {seat.reason for seat in result.seats} == {result_pb2.END_REASON_NEVER_STARTED}
    assert draft.table.deciding_seat == -1


def test_ready_comes_too_late_once_the_game_runs() -> None:
    with pytest.raises(Refusal) as refused:
        proposals.ready(started(), 0)
    assert refused.value.reason == reasons.REJECTION_REASON_GAME_STARTED


def test_a_restart_changes_nothing_but_the_number() -> None:
    draft = started()
    before = state_of(draft.table.copy())
    proposals.restart(draft, "9.9")
    after = state_of(draft.table)
    assert after[1] == draft.steps[-1].entry.seq
    assert (before[0], *before[2:]) == (after[0], *after[2:])


@pytest.mark.parametrize("ready", [False, True])
def test_a_copied_seat_has_every_field_of_the_seat(ready: bool) -> None:
    """Each field gets a value of its own, so a forgotten or exchanged one would show."""
    marks: dict[str, object] = {
        "kind": config_pb2.SEAT_KIND_RESERVED,
        "bot_name": "bot",
        "holder": b"holder",
        "generation": 100,
        "key": b"key",
        "revoked": (b"revoked",),
        "display_name": "name",
        "ready": ready,
        "forfeited": result_pb2.END_REASON_ABANDONED,
        "forfeited_seq": 101,
        "handed_to_bot": not ready,
        "timeouts": 102,
        "ran_out": 106,
        "wrong_answers": 103,
        "wrong_in_all": 104,
        "bank_ms": 105,
        "standing": frozenset((GAIN,)),
    }
    marked = Seat(config_pb2.SEAT_KIND_OPEN)
    for name, value in marks.items():
        setattr(marked, name, value)
    assert parts_of(marked).keys() == marks.keys() | {"served", "is_nomad"}
    assert parts_of(marked.copy()) == parts_of(marked)


def test_a_seat_cannot_choose_and_undo_for_ever() -> None:
    draft = started(undo_allowed=True)
    until(draft, lambda table: table.can_undo(table.deciding_seat), random.Random(7))
    seat = draft.table.deciding_seat
    for _ in range(MOST_UNDONE):
        until(draft, lambda table: bool(table.undo), random.Random(7))
        assert draft.table.can_undo(seat)
        proposals.undo(draft, seat)
    until(draft, lambda table: bool(table.undo), random.Random(7))
    assert not draft.table.can_undo(seat)
    with pytest.raises(Refusal):
        proposals.undo(draft, seat)
    assert state_of(replayed(draft, undo_allowed=True)) == state_of(draft.table)
