"""Clocks: what is charged, what expires, and what stops no clock. Nothing waits for real time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.engine.table import ENDED, RUNNING, STARTING
from endless_winter.rules import agenda
from endless_winter.v1 import clock_pb2, config_pb2, decision_pb2, event_pb2, result_pb2
from endless_winter.views import kind_of
from tests.engine.desk import Desk, refused

if TYPE_CHECKING:
    from endless_winter.engine.game import Game

GAIN = decision_pb2.DECISION_KIND_GAIN


def control(**limits: Any) -> clock_pb2.TimeControl:
    return clock_pb2.TimeControl(**limits)


def banks(game: Game) -> list[int | None]:
    return [seat.bank_ms for seat in game.table.seats]


def timeouts(game: Game) -> list[int]:
    return [seat.timeouts for seat in game.table.seats]


def left_ms(desk: Desk, game: Game) -> int:
    """How long the pending question may still take."""
    deadline = game.deadline_ms(desk.now)
    assert deadline is not None
    return deadline - desk.unix_ms


# --- banks ---


def test_a_bank_is_charged_per_answer_and_grows_once_per_turn() -> None:
    """The increment comes with each figure turn and each Eclipse turn, never with a decision."""
    desk = Desk()
    game = desk.running(time_control=control(bank_ms=600_000, increment_per_turn_ms=1_000))
    expected = [600_000, 600_000]
    turns: list[tuple[int, int]] = []
    decisions = 0
    while game.table.status == RUNNING:
        assert game.table.game is not None
        position = game.table.game.position
        eclipse = [f for f in position.agenda if f[0] == agenda.ECLIPSE]
        turn = (position.round, 100 + (eclipse[0][2] >> 3) if eclipse else position.turn)
        if turn[1] and (not turns or turns[-1] != turn):
            turns.append(turn)
            whose = eclipse[0][1] if eclipse else position.order[(turn[1] - 1) % 2]
            expected[whose] += 1_000
        assert banks(game) == expected
        seat = game.table.deciding_seat
        assert left_ms(desk, game) == expected[seat]
        desk.advance(30)
        desk.answer(game)
        expected[seat] -= 30
        decisions += 1
    assert decisions > len(turns)
    figure = {turn for turn in turns if turn[1] < 100}
    assert figure == {(r, t) for r in range(1, 5) for t in range(1, 7)}
    assert {turn for turn in turns if turn[1] >= 100} == {
        (r, t) for r in range(1, 5) for t in (100, 101)
    }


def test_a_prompt_says_what_the_bank_is_now() -> None:
    desk = Desk()
    game = desk.running(time_control=control(bank_ms=60_000))
    seat = game.table.deciding_seat
    desk.advance(1_500)
    stream = desk.stream(f"player {seat}")
    stream.attach(game, seat)
    (update,) = [one.update for one in stream.received() if one.HasField("update")]
    assert update.prompt.bank_ms == 58_500
    assert update.prompt.deadline_unix_ms == desk.unix_ms + 58_500
    shown = {one.seat: one.bank_ms for one in update.clock.seats}
    assert shown == {seat: 58_500, 1 - seat: 60_000}
    assert banks(game) == [60_000, 60_000]


def test_when_the_bank_is_empty_the_default_is_taken() -> None:
    desk = Desk()
    game = desk.running(time_control=control(bank_ms=5_000))
    seat, asked = game.table.deciding_seat, game.table.decision_id
    desk.advance(4_999)
    assert game.table.decision_id == asked
    desk.advance(1)
    assert game.table.decision_id != asked
    assert game.table.seats[seat].timeouts >= 1
    assert game.table.seats[seat].bank_ms == 0
    choice = desk.log(game)[asked].choice
    assert choice.origin == event_pb2.CHOICE_ORIGIN_CLOCK
    assert choice.bank_after_ms == 0


# --- limits ---


def test_the_limit_of_a_decision_counts_anew_for_each() -> None:
    desk = Desk()
    game = desk.running(time_control=control(bank_ms=600_000, decision_limit_ms=2_000))
    for _ in range(10):
        desk.advance(1_999)
        desk.answer(game)
    assert not any(timeouts(game))
    seat = game.table.deciding_seat
    desk.advance(2_000)
    assert game.table.seats[seat].timeouts == 1


def test_the_limit_of_a_turn_counts_over_its_decisions() -> None:
    day = 86_400_000
    desk = Desk()
    game = desk.running(time_control=control(turn_limit_ms=day))
    while True:  # two decisions of one turn
        turn, seat = game.table.turns, game.table.deciding_seat
        desk.advance(10)
        desk.answer(game)
        if game.table.turns == turn and turn and game.table.deciding_seat == seat:
            break
    used = game.table.turn_used_ms[seat]
    assert used >= 10
    desk.advance(day - used - 1)
    assert timeouts(game) == [0, 0]
    desk.advance(1)
    assert game.table.seats[seat].timeouts == 1


def test_before_the_first_turn_each_seat_has_the_limit_of_a_turn() -> None:
    """Who is asked second in the set-up does not pay for the one who was asked first."""
    limit = 60_000
    desk = Desk()
    game = desk.running(
        setup_variant=config_pb2.SETUP_VARIANT_CHIEF_AND_SETUP_DRAFT,
        time_control=control(turn_limit_ms=limit),
    )
    first = game.table.deciding_seat
    desk.advance(limit - 10)
    desk.play(game, until=lambda game: game.table.deciding_seat != first)
    assert game.table.turns == 0, "they are still in the set-up"
    assert left_ms(desk, game) == limit
    assert game.table.turn_used_ms[first] == limit - 10


@pytest.mark.parametrize(
    "limits", [{"turn_limit_ms": 9_000}, {"bank_ms": 9_000, "increment_per_turn_ms": 9_000}]
)
def test_a_turn_that_nobody_plays_is_one_time_out(limits: dict[str, int]) -> None:
    """When the time is gone nobody can answer the rest of the turn."""
    desk = Desk()
    game = desk.running(time_control=control(**limits, timeouts_to_forfeit=3))
    desk.play(game, until=lambda game: game.table.turns > 0)
    seat = game.table.deciding_seat
    missed = 0
    while not game.table.seats[seat].forfeited:
        desk.play(game, until=lambda game: game.table.deciding_seat == seat)
        turn, before = game.table.turns, game.table.seq
        desk.advance(left_ms(desk, game))
        missed += 1
        assert game.table.seats[seat].timeouts == missed
        assert game.table.turns > turn, "the rest of the turn was played by defaults"
        for entry in desk.log(game)[before:]:
            if entry.HasField("choice") and entry.choice.seat == seat and missed < 3:
                assert entry.choice.origin == event_pb2.CHOICE_ORIGIN_CLOCK
    assert missed == 3
    assert game.table.seats[seat].forfeited == result_pb2.END_REASON_TIME_OUT


def test_decisions_that_expire_one_by_one_are_time_outs_one_by_one() -> None:
    desk = Desk()
    limits = control(decision_limit_ms=1_000, bank_ms=600_000, timeouts_to_forfeit=100)
    game = desk.running(time_control=limits)
    desk.play(game, until=lambda game: game.table.turns > 0)
    seat, turn = game.table.deciding_seat, game.table.turns
    expired = 0
    while game.table.deciding_seat == seat and game.table.turns == turn:
        desk.advance(1_000)
        expired += 1
    assert expired > 1, "a turn has several decisions"
    assert game.table.seats[seat].timeouts == expired


def test_without_a_clock_nobody_is_hurried() -> None:
    desk = Desk()
    game = desk.running()
    asked = game.table.decision_id
    desk.advance(10**12)
    assert game.table.decision_id == asked
    assert game.deadline_ms(desk.now) is None
    desk.answer(game)


# --- Ready ---


def test_a_game_that_nobody_is_ready_for_in_time_never_started() -> None:
    desk = Desk()
    game = desk.seated(time_control=control(ready_limit_ms=30_000))
    deadline = desk.unix_ms + 30_000
    assert game.info(desk.now).ready_deadline_unix_ms == deadline
    desk.advance(20_000)
    desk.ready(game, 0)  # one of two: the limit is not extended by it
    assert game.info(desk.now).ready_deadline_unix_ms == deadline
    desk.advance(9_999)
    assert game.table.status == STARTING
    desk.advance(1)
    assert game.table.status == ENDED
    assert game.table.result is not None
    assert game.table.result.outcome == result_pb2.GAME_OUTCOME_NEVER_STARTED


def test_the_servers_limit_for_ready_holds_where_the_game_has_none() -> None:
    desk = Desk(ready_limit_ms=1_000)
    game = desk.seated()
    desk.advance(1_000)
    assert game.table.status == ENDED


def test_no_clock_runs_before_everyone_is_ready() -> None:
    desk = Desk()
    game = desk.seated(time_control=control(bank_ms=1_000))
    desk.advance(10**7)
    assert game.table.status == STARTING
    desk.ready(game, 0)
    desk.ready(game, 1)
    assert left_ms(desk, game) == 1_000


# --- expiry and forfeit ---


def test_on_expiry_the_default_is_taken_and_after_so_many_the_seat_is_out() -> None:
    desk = Desk()
    game = desk.running(3, time_control=control(decision_limit_ms=1_000, timeouts_to_forfeit=2))
    late = game.table.deciding_seat
    for number in (1, 2):
        desk.play(game, until=lambda game: game.table.deciding_seat == late)
        assert game.table.game is not None
        decision = game.table.game.decision
        assert decision is not None
        default, before = decision.options.index(decision.default), game.table.seq
        desk.advance(1_000)
        choice = desk.log(game)[before].choice
        assert (choice.option_id, choice.origin) == (default, event_pb2.CHOICE_ORIGIN_CLOCK)
        assert choice.timing.charged_ms == 1_000
        assert game.table.seats[late].timeouts == number
        assert bool(game.table.seats[late].forfeited) == (number == 2)
    assert game.table.seats[late].forfeited == result_pb2.END_REASON_TIME_OUT
    while game.table.status == RUNNING:
        assert game.table.deciding_seat != late
        desk.answer(game)
    result = game.table.result
    assert result is not None
    assert (result.seats[late].place, result.seats[late].timeouts) == (3, 2)


def test_the_servers_number_of_time_outs_holds_where_the_game_has_none() -> None:
    desk = Desk(timeouts_to_forfeit=1)
    game = desk.running(time_control=control(decision_limit_ms=1_000))
    late = game.table.deciding_seat
    desk.advance(1_000)
    assert game.table.seats[late].forfeited == result_pb2.END_REASON_TIME_OUT


def test_an_answer_after_the_deadline_is_too_late_and_the_default_was_taken() -> None:
    """The answer and the alarm may cross: what counts is when the answer arrived."""
    desk = Desk()
    game = desk.running(time_control=control(decision_limit_ms=1_000))
    seat, asked = game.table.deciding_seat, game.table.decision_id
    desk.ms += 1_001
    late = desk.answer_of(game)
    desk.ms -= 1_001  # the time-out has not been noticed yet
    with refused("TOO_LATE"):
        desk.do(late)
    assert game.table.seats[seat].timeouts == 1
    assert game.table.decision_id != asked


def test_an_answer_that_arrived_in_time_counts_though_it_waited() -> None:
    desk = Desk()
    game = desk.running(time_control=control(decision_limit_ms=1_000))
    desk.advance(500)
    answer = desk.answer_of(game)
    desk.ms += 4_500  # it waits for its round, and so does the alarm
    desk.put(answer)
    desk.run()
    assert timeouts(game) == [0, 0]
    assert desk.log(game)[-1].choice.timing.charged_ms == 500


def test_think_time_is_a_remark_and_is_never_charged() -> None:
    desk = Desk()
    game = desk.running(time_control=control(bank_ms=60_000))
    for said, think in ((400, 400), (99_999, 1_000), (-5, 0)):
        desk.advance(1_000)
        timing = desk.answer(game, take_default=True, think_ms=said).timing
        assert (timing.charged_ms, timing.think_ms) == (1_000, think)
        assert timing.think_ms + timing.transit_ms == 1_000


# --- what must not stop a clock ---


def test_standing_answers_and_undo_do_not_stop_the_clock() -> None:
    desk = Desk()
    game = desk.running(undo_allowed=True, time_control=control(decision_limit_ms=10_000))
    desk.play(game, until=lambda game: game.table.can_undo(game.table.deciding_seat))
    seat = game.table.deciding_seat
    deadline = game.deadline_ms(desk.now)
    desk.advance(4_000)
    desk.set_standing(game, seat)
    desk.set_standing(game, 1 - seat)
    assert game.deadline_ms(desk.now) == deadline
    desk.advance(4_000)
    desk.undo(game, seat)
    assert game.deadline_ms(desk.now) == deadline
    desk.advance(1_999)
    assert game.table.seats[seat].timeouts == 0
    desk.advance(1)
    assert game.table.seats[seat].timeouts == 1


def gains(game: Game) -> bool:
    """Whether a question is asked that could have been answered in advance."""
    return game.table.game is not None and kind_of(game.table.game) == GAIN


def test_a_standing_answer_to_a_pending_question_is_charged_what_it_took() -> None:
    desk = Desk()
    game = desk.running(time_control=control(bank_ms=60_000, turn_limit_ms=90_000))
    desk.play(game, until=gains)
    seat = game.table.deciding_seat
    bank, before = game.table.seats[seat].bank_ms, game.table.seq
    assert bank is not None
    desk.advance(3_000)
    desk.set_standing(game, seat, GAIN)
    assert game.table.seats[seat].bank_ms == bank - 3_000
    timing = desk.log(game)[before + 1].choice.timing
    assert timing.charged_ms == 3_000
    last = game.timings.get(seat)
    assert last is not None
    assert last.charged_ms == 3_000


def test_standing_answers_that_come_too_late_find_the_question_answered() -> None:
    desk = Desk()
    game = desk.running(time_control=control(decision_limit_ms=1_000))
    desk.play(game, until=gains)
    seat = game.table.deciding_seat
    before = game.table.seq
    desk.ms += 5_000
    late = desk.standing_of(game, seat, GAIN)
    desk.ms -= 5_000  # the time-out has not been noticed yet
    desk.do(late)
    assert game.table.seats[seat].timeouts == 1
    assert desk.log(game)[before].choice.origin == event_pb2.CHOICE_ORIGIN_CLOCK
    assert game.standing_answers(seat) != []


def test_wrong_answers_do_not_stop_the_clock() -> None:
    desk = Desk()
    game = desk.running(time_control=control(decision_limit_ms=1_000))
    seat = game.table.deciding_seat
    desk.advance(900)
    with refused("ILLEGAL_OPTION"):
        desk.answer(game, option_id=9_999)
    desk.advance(100)
    assert game.table.seats[seat].timeouts == 1


# --- stalls and a busy server ---


def test_the_time_of_a_stalled_server_is_not_charged() -> None:
    desk = Desk()
    game = desk.running(time_control=control(bank_ms=10_000))
    desk.advance(1_000)
    desk.advance(60_000, stalled=True)
    desk.run()
    assert timeouts(game) == [0, 0]
    assert left_ms(desk, game) == 9_000
    desk.advance(500)
    assert desk.answer(game).timing.charged_ms == 1_500


def test_what_question_and_answer_waited_for_a_busy_server_is_not_charged() -> None:
    desk = Desk()
    game = desk.running(time_control=control(bank_ms=20_000))
    desk.advance(150)
    desk.queued_ms = 120
    assert desk.answer(game).timing.charged_ms == 30
    desk.queued_ms = 0
    desk.advance(150)
    assert desk.answer(game).timing.charged_ms == 150


def test_a_busy_server_moves_no_deadline_but_gives_an_answer_time_to_be_read() -> None:
    desk = Desk()
    game = desk.running(time_control=control(decision_limit_ms=1_000))
    seat, deadline = game.table.deciding_seat, game.deadline_ms(desk.now)
    desk.queued_ms = 200
    desk.advance(1_000)
    assert game.deadline_ms(desk.now) == deadline
    desk.advance(199)  # it never comes to rest, and yet the time runs out
    assert game.table.seats[seat].timeouts == 0
    desk.advance(1)
    assert game.table.seats[seat].timeouts == 1


# --- restarts ---


def test_thinking_before_a_restart_counts() -> None:
    """A server that is restarted every day lets nobody think for ever (`thought_ms`)."""
    hour = 3_600_000
    desk = Desk()
    game = desk.running(
        time_control=control(turn_limit_ms=24 * hour, disconnect_limit_ms=10 * hour)
    )
    asked = game.table.decision_id
    desk.engine = Desk().engine
    found = desk.load(game.game_id, thought_ms=16 * hour)
    assert found is not None
    assert left_ms(desk, found) == 8 * hour
    desk.advance(8 * hour - 1)
    assert found.table.decision_id == asked, "nobody was away for longer than this server"
    desk.advance(1)
    assert found.table.decision_id != asked
    assert sum(timeouts(found)) == 1


def test_a_restart_charges_nobody_for_the_time_between() -> None:
    desk = Desk()
    game = desk.running(time_control=control(bank_ms=10_000, increment_per_turn_ms=100))
    for _ in range(25):
        desk.advance(100)
        desk.answer(game)
    asked, before = game.table.decision_id, banks(game)
    desk.advance(4_000)
    desk.advance(10**9, stalled=True)
    desk.restart()
    assert game.game_id in desk.engine.games, "a game with a clock goes on by itself"
    game = desk.find(game)
    assert banks(game) == before
    assert game.table.decision_id == asked
    assert left_ms(desk, game) == before[game.table.deciding_seat]
    seq = game.table.seq
    assert len(desk.log(game)) == seq  # looking is not going on
    desk.advance(50)
    accepted = desk.answer(game, "retry")
    assert accepted.timing.charged_ms == 50
    assert accepted.seq == seq + 2
    entries = desk.log(game)
    assert [one.WhichOneof("entry") for one in entries[seq : seq + 2]] == ["restart", "choice"]
    assert entries[seq].restart.server_version
    desk.answer(game)
    assert [one.WhichOneof("entry") for one in desk.log(game)].count("restart") == 1


@pytest.mark.parametrize("answered", [False, True])
def test_a_default_that_cannot_be_written_is_not_taken_and_tried_again(*, answered: bool) -> None:
    """The shell lets no clock run meanwhile (see service/clock.py)."""
    desk = Desk()
    game = desk.running(time_control=control(decision_limit_ms=20_000))
    seat, asked = game.table.deciding_seat, game.table.decision_id
    with desk.full_disk():
        desk.advance(19_990)
        if answered:
            with refused("STORE_UNAVAILABLE"):
                desk.answer(game)
        desk.advance(10)
        assert game.table.decision_id == asked
    assert game.table.seats[seat].timeouts == 0
    desk.advance(1_000)
    assert game.table.seats[seat].timeouts == 1
