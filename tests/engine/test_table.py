"""What may follow in a game, and that its log gives the same table again."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from endless_winter.engine.table import ENDED, MOST_UNDONE, OPEN, RUNNING, STARTING, Seat
from endless_winter.v1 import config_pb2, decision_pb2, event_pb2, result_pb2
from endless_winter.views import kind_of
from tests.engine.desk import Desk, refused
from tests.engine.state import folded, parts_of, state_of

if TYPE_CHECKING:
    from endless_winter.engine.game import Game
    from endless_winter.v1 import replay_pb2

GAIN = decision_pb2.DECISION_KIND_GAIN
PLAYER = event_pb2.CHOICE_ORIGIN_PLAYER


def can_undo(game: Game) -> bool:
    return game.table.can_undo(game.table.deciding_seat)


def choose(desk: Desk, game: Game, choices: random.Random) -> list[replay_pb2.LogEntry]:
    """The asked seat chooses at random; the entries that this brought."""
    before = game.table.seq
    desk.choose(game, choices)
    return desk.log(game)[before:]


def kinds(entries: list[replay_pb2.LogEntry]) -> list[str | None]:
    return [entry.WhichOneof("entry") for entry in entries]


# --- fold equals play ---


@pytest.mark.parametrize("number", range(6))
def test_the_log_folded_anew_is_the_table_that_was_played(number: int) -> None:
    """With undo, standing answers and a forfeit on the way, checked again and again."""
    choices = random.Random(number)
    desk = Desk()
    game = desk.running(2 + number % 3, undo_allowed=True, seed=bytes([number]) * 32)
    while game.table.status == RUNNING:
        seat = game.table.deciding_seat
        dice = choices.random()
        if dice < 0.1 and can_undo(game):
            desk.undo(game, seat)
        elif dice < 0.12:
            desk.set_standing(game, seat, *([GAIN] if dice < 0.11 else []))
        elif dice < 0.121:
            desk.leave(game, seat, f"player {seat}")
        else:
            choose(desk, game, choices)
        if game.table.seq % 50 == 0:
            assert state_of(folded(desk, game)) == state_of(game.table)
    assert state_of(folded(desk, game)) == state_of(game.table)
    assert {"undo", "standing_answers", "ended"} <= set(kinds(desk.log(game)))


def test_entries_have_their_place_in_the_log() -> None:
    desk = Desk()
    game = desk.running()
    late = desk.log(game)[-1]
    with pytest.raises(ValueError, match="entry"):
        game.table.copy().apply(late)


def test_a_game_starts_with_the_last_ready_and_not_before() -> None:
    desk = Desk()
    game = desk.create(3)
    for seat in range(3):
        assert game.table.status == OPEN
        desk.join(game, seat, f"player {seat}")
    assert game.table.status == STARTING
    desk.ready(game, 0)
    desk.leave(game, 1, "player 1")
    assert game.table.status == OPEN
    desk.ready(game, 2)
    desk.join(game, 1, "player 7")
    assert game.table.status == STARTING
    assert [seat.ready for seat in game.table.seats] == [True, False, True]
    desk.ready(game, 1, name="player 7")
    assert game.table.status == RUNNING
    assert kinds(desk.log(game))[-2:] == ["ready", "started"]


def test_what_is_not_committed_changes_nothing() -> None:
    """Not a choice, nor an undo, nor a forfeit that would have ended the game."""
    desk = Desk()
    game = desk.running(undo_allowed=True)
    desk.leave(game, 1, "player 1")
    desk.play(game, random.Random(1), can_undo)
    before = state_of(game.table)
    for _ in range(2):
        with desk.full_disk():
            with refused("STORE_UNAVAILABLE"):
                desk.answer(game)
            with refused("STORE_UNAVAILABLE"):
                desk.undo(game, 0)
            with refused("STORE_UNAVAILABLE"):
                desk.leave(game, 0, "player 0")
        assert state_of(game.table) == before
    desk.undo(game, 0)


# --- undo ---


def test_undo_brings_the_position_back_under_a_new_id() -> None:
    desk = Desk()
    game = desk.running(undo_allowed=True)
    choices = random.Random(2)
    undone = 0
    while undone < 20:
        before, turns = state_of(game.table), game.table.turns
        seat, asked = game.table.deciding_seat, game.table.decision_id
        choose(desk, game, choices)
        if not game.table.can_undo(seat):
            continue
        assert game.table.turns == turns, "undo ends with the turn"
        newest = game.table.decision_id
        desk.undo(game, seat)
        assert state_of(game.table)["position"] == before["position"]
        assert game.table.decision_id > newest > asked
        assert desk.log(game)[-1].undo.back_to_seq == asked
        assert game.table.deciding_seat == seat
        undone += 1
        choose(desk, game, choices)


def test_several_choices_can_be_undone_one_by_one() -> None:
    desk = Desk()
    game = desk.running(undo_allowed=True)
    desk.play(game, random.Random(3), lambda game: len(game.table.undo) >= 3)
    seat = game.table.deciding_seat
    positions = set()
    while game.table.can_undo(seat):
        desk.undo(game, seat)
        positions.add(state_of(game.table)["position"])
    assert len(positions) >= 3
    with refused("UNDO_IMPOSSIBLE"):
        desk.undo(game, seat)


def drawn(entries: list[replay_pb2.LogEntry], *names: str) -> bool:
    """Whether one of these public events is among those of the entries."""
    found = {event.public_event.WhichOneof("event") for one in entries for event in one.events}
    return bool(found & set(names))


def test_nothing_can_be_undone_after_a_reveal_another_seat_or_without_leave() -> None:
    desk = Desk()
    game = desk.running(undo_allowed=True)
    choices = random.Random(4)
    revealed = 0
    while game.table.status == RUNNING:
        seat = game.table.deciding_seat
        entries = choose(desk, game, choices)
        if drawn(entries, "cards_drawn", "animal_revealed", "piles_revealed"):
            revealed += 1
            assert not game.table.undo
        if game.table.deciding_seat != seat:
            assert not game.table.undo
        assert not game.table.can_undo(1 - seat)
    assert revealed
    strict = desk.running()
    desk.play(strict, random.Random(5), lambda game: game.table.choices == 100)
    with refused("UNDO_IMPOSSIBLE") as why:
        desk.undo(strict, strict.table.deciding_seat)
    assert "without undo" in why.value.message


def test_a_fish_that_was_drawn_cannot_be_put_back() -> None:
    cows = config_pb2.ModuleConfig(sea_cows=True)  # tipping one draws two
    fish = 0
    for number in range(8):
        desk = Desk()
        game = desk.running(
            undo_allowed=True,
            seed=bytes([number]) * 32,
            rivers=config_pb2.RiversConfig(),
            modules=cows,
        )
        choices = random.Random(number)
        while game.table.status == RUNNING:
            turns = game.table.turns
            entries = choose(desk, game, choices)
            if drawn(entries, "fish_drawn") and game.table.turns == turns:
                fish += 1
                assert not game.table.undo
    assert fish > 10


def test_a_seat_cannot_choose_and_undo_for_ever() -> None:
    desk = Desk()
    game = desk.running(undo_allowed=True)
    for _ in range(MOST_UNDONE):
        desk.play(game, random.Random(7), can_undo)
        desk.undo(game, game.table.deciding_seat)
    desk.play(game, random.Random(7), lambda game: bool(game.table.undo))
    with refused("UNDO_IMPOSSIBLE"):
        desk.undo(game, game.table.deciding_seat)
    assert state_of(folded(desk, game)) == state_of(game.table)


# --- standing answers ---


def gains(game: Game) -> bool:
    return game.table.game is not None and kind_of(game.table.game) == GAIN


def test_a_standing_answer_takes_the_default_of_its_kind_and_of_no_other() -> None:
    desk = Desk()
    game = desk.running()
    desk.set_standing(game, 0, GAIN)
    choices = random.Random(6)
    while game.table.status == RUNNING:
        assert not (game.table.deciding_seat == 0 and gains(game))
        choose(desk, game, choices)
    standing = [one.choice for one in desk.log(game) if one.choice.by_standing_answer]
    assert standing
    assert {choice.seat for choice in standing} == {0}
    assert {choice.origin for choice in standing} == {PLAYER}


def test_a_standing_answer_answers_a_pending_decision_at_once() -> None:
    desk = Desk()
    game = desk.running()
    desk.play(game, random.Random(7), gains)
    asked = game.table.decision_id
    desk.set_standing(game, game.table.deciding_seat, GAIN)
    assert game.table.decision_id != asked


def test_new_standing_answers_replace_the_old() -> None:
    desk = Desk()
    game = desk.running()
    discard = decision_pb2.DECISION_KIND_DISCARD
    for wanted in ([GAIN], [discard], []):
        desk.set_standing(game, 0, *wanted)
        assert [answer.kind for answer in game.standing_answers(0)] == wanted


@pytest.mark.parametrize("kind", [0, 1, 2, 3, 4, 5, 6, 7, 999])
def test_turns_and_the_set_up_have_no_standing_answer(kind: int) -> None:
    desk = Desk()
    game = desk.running()
    seq = game.table.seq
    with refused("STANDING_ANSWER_IMPOSSIBLE"):
        desk.set_standing(game, 0, kind)
    assert game.table.seq == seq


def test_a_kind_has_one_standing_answer() -> None:
    desk = Desk()
    with refused("INVALID_ARGUMENT"):
        desk.set_standing(desk.running(), 0, GAIN, GAIN)


def test_standing_answers_go_with_the_one_who_gave_them() -> None:
    desk = Desk()
    game = desk.seated()
    desk.set_standing(game, 1, GAIN)
    desk.leave(game, 1, "player 1")
    desk.join(game, 1, "player 2")
    assert game.standing_answers(1) == []


# --- the ends of a part ---


def test_a_forfeited_seat_is_played_by_defaults_at_once_and_ranks_last() -> None:
    desk = Desk()
    game = desk.running(4)
    choices = random.Random(8)
    desk.play(game, choices, lambda game: game.table.choices >= 40)
    out, before = game.table.deciding_seat, game.table.seq
    desk.leave(game, out, f"player {out}")
    seq = before + 1
    while game.table.status == RUNNING:
        assert game.table.deciding_seat != out
        choose(desk, game, choices)
    played = [
        one.choice
        for one in desk.log(game)[seq:]
        if one.HasField("choice") and one.choice.seat == out
    ]
    assert played
    assert {choice.origin for choice in played} == {event_pb2.CHOICE_ORIGIN_FORFEIT}
    result = game.table.result
    assert result is not None
    assert result.outcome == result_pb2.GAME_OUTCOME_COMPLETED
    assert result.seats[out].place == 4
    assert result.seats[out].reason == result_pb2.END_REASON_ABANDONED
    assert result.seats[out].forfeited_seq == seq
    others = [seat for seat in result.seats if seat.seat != out]
    assert {seat.reason for seat in others} == {result_pb2.END_REASON_NORMAL}
    assert not any(seat.HasField("forfeited_seq") for seat in others)


def test_who_is_forfeited_first_comes_last_and_a_table_without_players_ends_at_once() -> None:
    desk = Desk(wrong_answers_to_forfeit=1)
    game = desk.running(3)
    wrong = game.table.deciding_seat
    first, last = (seat for seat in range(3) if seat != wrong)
    desk.revoke(game, first, forfeit=True)
    with refused("ILLEGAL_OPTION"):
        desk.answer(game, option_id=9_999)
    assert game.table.status == RUNNING
    desk.leave(game, last, f"player {last}")
    result = game.table.result
    assert result is not None
    assert [result.seats[seat].place for seat in (first, wrong, last)] == [3, 2, 1]
    assert [result.seats[seat].reason for seat in (first, wrong, last)] == [
        result_pb2.END_REASON_ABANDONED,
        result_pb2.END_REASON_ILLEGAL_FLOOD,
        result_pb2.END_REASON_ABANDONED,
    ]


def test_an_aborted_game_has_no_places_and_its_players_played_on_to_the_end() -> None:
    desk = Desk()
    game = desk.running(3)
    desk.leave(game, 1, "player 1")
    desk.abort(game, operator=True)
    result = game.table.result
    assert result is not None
    assert result.outcome == result_pb2.GAME_OUTCOME_ABORTED
    assert [seat.place for seat in result.seats] == [0, 0, 0]
    normal = result_pb2.END_REASON_NORMAL
    assert [seat.reason for seat in result.seats] == [
        normal,
        result_pb2.END_REASON_ABANDONED,
        normal,
    ]
    with refused("GAME_ENDED"):
        desk.abort(game, operator=True)
    with refused("GAME_ENDED"):
        desk.ready(game, 0)


def test_a_game_that_never_started_says_so_for_every_seat() -> None:
    desk = Desk(start_limit_ms=1_000)
    game = desk.create(2)
    desk.join(game, 0, "player 0")
    desk.advance(1_000)
    result = game.table.result
    assert result is not None
    assert {seat.reason for seat in result.seats} == {result_pb2.END_REASON_NEVER_STARTED}
    assert game.table.status == ENDED
    assert game.table.deciding_seat == -1


def test_ready_comes_too_late_once_the_game_runs() -> None:
    desk = Desk()
    with refused("GAME_STARTED"):
        desk.ready(desk.running(), 0)


def test_a_restart_changes_nothing_but_the_number() -> None:
    desk = Desk()
    game = desk.running()
    before = state_of(game.table)
    desk.restart()
    game = desk.find(game)
    assert state_of(game.table) == before, "looking is not going on"
    idle = 1 - game.table.deciding_seat
    desk.set_standing(game, idle)
    assert kinds(desk.log(game))[-2:] == ["restart", "standing_answers"]
    assert state_of(game.table) == {**before, "seq": before["seq"] + 2}  # type: ignore[operator]


@pytest.mark.parametrize("ready", [False, True])
def test_a_copied_seat_has_every_field_of_the_seat(*, ready: bool) -> None:
    """Each field gets a value of its own, so a forgotten or exchanged one would show."""
    marks: dict[str, object] = {
        "kind": config_pb2.SEAT_KIND_RESERVED,
        "bot_name": "bot",
        "player_id": "player",
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
    assert parts_of(marked).keys() == marks.keys() | {"served", "is_free", "is_nomad"}
    assert parts_of(marked.copy()) == parts_of(marked)
