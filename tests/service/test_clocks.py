"""Clocks, with a clock that the test turns: nothing here waits for real time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.rules import agenda
from endless_winter.service import timekeeper
from endless_winter.service.feed import Feed
from endless_winter.service.refusal import Refusal
from endless_winter.service.table import ENDED, RUNNING, STARTING
from endless_winter.service.timekeeper import RETURN_MS, Lateness, Timekeeper
from endless_winter.store import Conflict, StoreError
from endless_winter.v1 import (
    clock_pb2,
    config_pb2,
    decision_pb2,
    event_pb2,
    play_service_pb2,
    replay_pb2,
    result_pb2,
)
from endless_winter.v1 import rejection_pb2 as reasons
from endless_winter.views import kind_of
from tests.service.desk import NOW, caller, desk

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from endless_winter.service.session import Session
    from tests.service.desk import Desk


def control(**limits: Any) -> clock_pb2.TimeControl:
    return clock_pb2.TimeControl(**limits)


async def log_of(at: Desk, session: Session) -> list[replay_pb2.LogEntry]:
    entries = await at.hall.store.read(session.table.game_id)
    return [replay_pb2.LogEntry.FromString(entry.payload) for entry in entries]


def banks(session: Session) -> list[int | None]:
    return [seat.bank_ms for seat in session.table.seats]


# --- banks ---


async def test_a_bank_is_charged_per_answer_and_grows_once_per_turn(tmp_path: Path) -> None:
    """The increment comes with each figure turn and each Eclipse turn, never with a decision."""
    async with desk(tmp_path) as at:
        session = await at.running(
            time_control=control(bank_ms=600_000, increment_per_turn_ms=1_000)
        )
        expected = [600_000, 600_000]
        turns: list[tuple[int, int]] = []
        decisions = 0
        while session.table.status == RUNNING:
            table = session.table
            assert table.game is not None
            position = table.game.position
            eclipse = [f for f in position.agenda if f[0] == agenda.ECLIPSE]
            turn = (position.round, 100 + (eclipse[0][2] >> 3) if eclipse else position.turn)
            if turn[1] and (not turns or turns[-1] != turn):
                turns.append(turn)
                whose = eclipse[0][1] if eclipse else position.order[(turn[1] - 1) % 2]
                expected[whose] += 1_000
            assert banks(session) == expected
            seat = table.deciding_seat
            assert session.deadline_ms() == NOW + at.time.now + expected[seat]
            await at.time.advance(30)
            await at.answer(session)
            expected[seat] -= 30
            decisions += 1
        assert decisions > len(turns)
        figure = {turn for turn in turns if turn[1] < 100}
        assert figure == {(r, t) for r in range(1, 5) for t in range(1, 7)}
        assert {turn for turn in turns if turn[1] >= 100} == {
            (r, t) for r in range(1, 5) for t in (100, 101)
        }


async def test_a_prompt_tells_the_bank_as_it_is_now(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control(bank_ms=60_000))
        seat = session.table.deciding_seat
        await at.time.advance(1_500)
        assert session.bank_ms(seat) == 58_500
        assert session.bank_ms(1 - seat) == 60_000
        assert banks(session) == [60_000, 60_000]
        assert session.deadline_ms() == NOW + 60_000


async def test_when_the_bank_is_empty_the_default_is_taken(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control(bank_ms=5_000))
        seat, asked = session.table.deciding_seat, session.table.decision_id
        await at.time.advance(4_999)
        assert session.table.decision_id == asked
        await at.time.advance(1)
        assert session.table.decision_id != asked
        assert session.table.seats[seat].timeouts >= 1
        assert session.table.seats[seat].bank_ms == 0
        entry = next(e for e in await log_of(at, session) if e.seq == asked + 1)
        assert entry.choice.origin == event_pb2.CHOICE_ORIGIN_CLOCK
        assert entry.choice.bank_after_ms == 0


# --- limits ---


async def test_the_limit_of_a_decision_counts_anew_for_each(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control(bank_ms=600_000, decision_limit_ms=2_000))
        for _ in range(10):
            await at.time.advance(1_999)
            await at.answer(session)
        assert not any(seat.timeouts for seat in session.table.seats)
        seat = session.table.deciding_seat
        await at.time.advance(2_000)
        assert session.table.seats[seat].timeouts == 1


async def test_the_limit_of_a_turn_counts_over_its_decisions(tmp_path: Path) -> None:
    day = 86_400_000
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control(turn_limit_ms=day))
        while True:  # two decisions of one turn
            turn, seat = session.table.turns, session.table.deciding_seat
            await at.answer(session)
            if session.table.turns == turn and turn and session.table.deciding_seat == seat:
                break
        used = session.table.turn_used_ms[seat]
        await at.time.advance(day - used - 10)
        assert session.table.seats[seat].timeouts == 0
        await at.answer(session)
        if session.table.turns == turn:
            await at.time.advance(10)
            assert session.table.seats[seat].timeouts == 1
        else:
            assert session.table.turn_used_ms == (0, 0)


async def test_before_the_first_turn_each_seat_has_the_limit_of_a_turn(tmp_path: Path) -> None:
    """Whoever is asked second in the set-up does not pay for the one who was asked first."""
    limit = 60_000
    async with desk(tmp_path) as at:
        session = await at.running(
            setup_variant=config_pb2.SETUP_VARIANT_CHIEF_AND_SETUP_DRAFT,
            time_control=control(turn_limit_ms=limit),
        )
        first = session.table.deciding_seat
        await at.time.advance(limit - 10)
        while session.table.deciding_seat == first:
            await at.answer(session)
        assert session.table.turns == 0, "they are still in the set-up"
        assert session.deadline_ms() == NOW + at.time.now + limit
        assert session.table.turn_used_ms[first] == limit - 10


@pytest.mark.parametrize(
    "limits", [{"turn_limit_ms": 9_000}, {"bank_ms": 9_000, "increment_per_turn_ms": 9_000}]
)
async def test_a_turn_that_nobody_plays_is_one_time_out(
    tmp_path: Path, limits: dict[str, int]
) -> None:
    """When the time is gone nobody can answer the rest of the turn."""
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control(**limits, timeouts_to_forfeit=3))
        while session.table.turns == 0:
            await at.answer(session)
        seat, turn = session.table.deciding_seat, session.table.turns
        missed = 0
        while not session.table.seats[seat].forfeited:
            while session.table.deciding_seat != seat:
                await at.answer(session)
            turn, before = session.table.turns, session.table.seq
            left = session.deadline_ms()
            assert left is not None
            await at.time.advance(left - NOW - at.time.now)
            missed += 1
            assert session.table.seats[seat].timeouts == missed
            assert session.table.turns > turn, "the rest of the turn was played by defaults"
            for entry in (await log_of(at, session))[before:]:
                origin = entry.choice.origin
                if entry.HasField("choice") and entry.choice.seat == seat and missed < 3:
                    assert origin == event_pb2.CHOICE_ORIGIN_CLOCK
        assert missed == 3
        assert session.table.seats[seat].forfeited == result_pb2.END_REASON_TIME_OUT


async def test_decisions_that_expire_one_by_one_are_time_outs_one_by_one(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        limits = control(decision_limit_ms=1_000, bank_ms=600_000, timeouts_to_forfeit=100)
        session = await at.running(time_control=limits)
        while session.table.turns == 0:
            await at.answer(session)
        seat, turn = session.table.deciding_seat, session.table.turns
        expired = 0
        while session.table.deciding_seat == seat and session.table.turns == turn:
            await at.time.advance(1_000)
            expired += 1
        assert expired > 1, "a turn has several decisions"
        assert session.table.seats[seat].timeouts == expired


async def test_without_a_clock_nobody_is_hurried(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.running()
        asked = session.table.decision_id
        await at.time.advance(10**12)
        assert session.table.decision_id == asked
        assert session.deadline_ms() is None
        await at.answer(session)


# --- Ready ---


async def test_a_game_that_nobody_is_ready_for_in_time_never_started(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.seated(time_control=control(ready_limit_ms=30_000))
        assert session.info().ready_deadline_unix_ms == NOW + 30_000
        await at.time.advance(20_000)
        await session.ready(0, "")  # one of two: the limit is not extended by it
        assert session.table.status == STARTING
        assert session.info().ready_deadline_unix_ms == NOW + 30_000
        await at.time.advance(9_999)
        assert session.table.status == STARTING
        await at.time.advance(1)
        assert session.table.status == ENDED
        assert session.table.result is not None
        assert session.table.result.outcome == result_pb2.GAME_OUTCOME_NEVER_STARTED


async def test_the_servers_limit_for_ready_holds_where_the_game_has_none(tmp_path: Path) -> None:
    async with desk(tmp_path, ready_limit_ms=1_000) as at:
        session = await at.seated()
        await at.time.advance(1_000)
        assert session.table.status == ENDED


async def test_no_clock_runs_before_everyone_is_ready(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.seated(time_control=control(bank_ms=1_000))
        await at.time.advance(10**7)
        assert session.table.status == STARTING
        await session.ready(0, "")
        await session.ready(1, "")
        assert session.deadline_ms() == NOW + 10**7 + 1_000


# --- expiry and forfeit ---


async def test_after_so_many_time_outs_the_seat_is_out_and_the_others_play_on(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as at:
        session = await at.running(
            3, time_control=control(decision_limit_ms=1_000, timeouts_to_forfeit=2)
        )
        late = session.table.deciding_seat
        while not session.table.seats[late].forfeited:
            if session.table.deciding_seat == late:
                await at.time.advance(1_000)
            else:
                await at.answer(session)
        assert session.table.seats[late].timeouts == 2
        assert session.table.seats[late].forfeited == result_pb2.END_REASON_TIME_OUT
        while session.table.status == RUNNING:
            assert session.table.deciding_seat != late
            await at.answer(session)
        result = session.table.result
        assert result is not None
        assert result.seats[late].place == 3
        assert result.seats[late].timeouts == 2


async def test_the_servers_number_of_time_outs_holds_where_the_game_has_none(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path, timeouts_to_forfeit=1) as at:
        session = await at.running(time_control=control(decision_limit_ms=1_000))
        late = session.table.deciding_seat
        await at.time.advance(1_000)
        assert session.table.seats[late].forfeited == result_pb2.END_REASON_TIME_OUT


async def test_an_answer_after_the_deadline_is_too_late_and_the_default_was_taken(
    tmp_path: Path,
) -> None:
    """The answer and the alarm may cross: what counts is when the answer arrived."""
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control(decision_limit_ms=1_000))
        seat, asked = session.table.deciding_seat, session.table.decision_id
        at.time.now += 1_001  # the alarm has not rung yet
        with pytest.raises(Refusal) as refused:
            await at.answer(session)
        assert refused.value.reason == reasons.REJECTION_REASON_TOO_LATE
        assert session.table.seats[seat].timeouts == 1
        assert session.table.decision_id != asked


async def test_an_answer_that_arrived_in_time_counts_though_it_waited(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control(decision_limit_ms=1_000))
        table = session.table
        at.time.now += 5_000
        answer = decision_pb2.Answer(decision_id=table.decision_id, take_default=True)
        kept = await session.answer(table.deciding_seat, "", answer, at.time.now - 4_500)
        accepted = play_service_pb2.Accepted.FromString(kept)
        assert accepted.timing.charged_ms == 500


async def test_think_time_is_a_remark_and_is_never_charged(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control(bank_ms=60_000))
        for said, think in ((400, 400), (99_999, 1_000), (-5, 0)):
            await at.time.advance(1_000)
            accepted = await at.answer(session, take_default=True, think_ms=said)
            timing = accepted.timing
            assert (timing.charged_ms, timing.think_ms) == (1_000, think)
            assert timing.think_ms + timing.transit_ms == 1_000


# --- what must not stop a clock ---


async def test_standing_answers_and_undo_do_not_stop_the_clock(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.running(
            undo_allowed=True, time_control=control(decision_limit_ms=10_000)
        )
        while not session.table.can_undo(session.table.deciding_seat):
            await at.answer(session)
        seat = session.table.deciding_seat
        deadline = session.deadline_ms()
        await at.time.advance(4_000)
        await session.set_standing(seat, "", [], at.time.now)
        await session.set_standing(1 - seat, "", [], at.time.now)
        assert session.deadline_ms() == deadline
        await at.time.advance(4_000)
        await session.undo(seat, "", session.table.decision_id)
        assert session.deadline_ms() == deadline
        await at.time.advance(1_999)
        assert session.table.seats[seat].timeouts == 0
        await at.time.advance(1)
        assert session.table.seats[seat].timeouts == 1


async def at_a_standing_kind(at: Desk, session: Session) -> decision_pb2.DecisionKind.ValueType:
    """Play on until a question is asked that could have been answered in advance; its kind."""
    for _ in range(200):
        game = session.table.game
        assert game is not None
        kind = kind_of(game)
        if kind == decision_pb2.DECISION_KIND_GAIN:
            return kind
        await at.answer(session)
    raise AssertionError("nothing is gained in this game")


async def test_a_standing_answer_to_a_pending_question_is_charged_what_it_took(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control(bank_ms=60_000, turn_limit_ms=90_000))
        kind = await at_a_standing_kind(at, session)
        seat = session.table.deciding_seat
        used, turns = session.table.turn_used_ms[seat], session.table.turns
        bank = session.table.seats[seat].bank_ms
        assert bank is not None
        await at.time.advance(3_000)
        arrived = at.time.now
        await at.time.advance(500)  # it waits for its turn, which is not its fault
        answers = [decision_pb2.StandingAnswer(kind=kind)]
        await session.set_standing(seat, "", answers, arrived)
        assert session.table.seats[seat].bank_ms == bank - 3_000
        told = session.last_timing(seat)
        assert told is not None
        assert told.charged_ms == 3_000
        if session.table.turns == turns:
            assert session.table.turn_used_ms[seat] == used + 3_000


async def test_standing_answers_that_come_too_late_find_the_question_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control(decision_limit_ms=1_000))
        kind = await at_a_standing_kind(at, session)
        seat = session.table.deciding_seat
        monkeypatch.setattr(at.time, "now", at.time.now + 5_000)  # the timer has not rung yet
        answers = [decision_pb2.StandingAnswer(kind=kind)]
        await session.set_standing(seat, "", answers, at.time.now)
        assert session.table.seats[seat].timeouts == 1
        assert session.standing_answers(seat) != []


async def test_wrong_answers_do_not_stop_the_clock(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control(decision_limit_ms=1_000))
        seat = session.table.deciding_seat
        await at.time.advance(900)
        with pytest.raises(Refusal):
            await at.answer(session, option_id=9_999)
        await at.time.advance(100)
        assert session.table.seats[seat].timeouts == 1


# --- stalls and restarts ---


async def test_the_time_of_a_stalled_server_is_not_charged(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control(bank_ms=10_000))
        seat = session.table.deciding_seat
        await at.time.advance(1_000)
        await at.time.advance(60_000, stalled=True)
        assert session.table.seats[seat].timeouts == 0
        assert session.deadline_ms() == NOW + 70_000
        await at.time.advance(500)
        accepted = await at.answer(session)
        assert accepted.timing.charged_ms == 1_500


async def test_who_keeps_the_loop_busy_stops_no_clock(tmp_path: Path) -> None:
    """The loop was late for half of the ten seconds; an answer waited for it a tenth at most."""
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control(bank_ms=20_000))
        await at.time.advance(10_000, late=5_000)
        at.time.delay = 100
        accepted = await at.answer(session)
        assert accepted.timing.charged_ms == 9_800
        at.time.delay = 0
        await at.time.advance(10_000, late=5_000)  # and by then it was quick again
        accepted = await at.answer(session)
        assert accepted.timing.charged_ms == 10_000


async def test_what_question_and_answer_waited_for_a_busy_loop_is_not_charged(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control(bank_ms=20_000))
        at.time.delay = 100
        await at.time.advance(150, late=120)
        accepted = await at.answer(session)
        assert accepted.timing.charged_ms == 30
        await at.time.advance(150)  # the loop was late, but before this was asked
        accepted = await at.answer(session)
        assert accepted.timing.charged_ms == 150


async def test_a_busy_loop_moves_no_deadline_but_gives_an_answer_time_to_be_read(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control(decision_limit_ms=1_000))
        seat = session.table.deciding_seat
        at.time.delay = 100
        await at.time.advance(1_000, late=600)
        assert session.deadline_ms() == NOW + 1_000
        assert session.table.seats[seat].timeouts == 0
        await at.time.advance(199, late=100)  # it never comes to rest, and yet the time runs out
        assert session.table.seats[seat].timeouts == 0
        await at.time.advance(1)
        assert session.table.seats[seat].timeouts == 1


async def test_a_pause_and_a_busy_loop_are_counted_once_each(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control(bank_ms=20_000))
        await at.time.advance(5_000, stalled=True)
        await at.time.advance(1_000, late=500)
        at.time.delay = 50
        accepted = await at.answer(session)
        assert accepted.timing.charged_ms == 900


def beating(at: float = 100.0, worked: float = 7.0) -> Lateness:
    """A loop whose heartbeat is due in 1/16 s, which is exact in binary."""
    lateness = Lateness()
    lateness.beat(at, worked, at + 0.0625)
    return lateness


def test_a_process_that_stood_still_was_paused() -> None:
    lateness = beating()
    lateness.look(110.0625, 7.0)
    assert (lateness.late_ms, lateness.paused_ms, lateness.delay_ms) == (10_000, 10_000, 0)
    lateness.beat(110.0625, 7.0, 110.125)  # what was seen is not seen again
    lateness.beat(110.125, 7.0, 110.1875)
    assert (lateness.late_ms, lateness.paused_ms, lateness.delay_ms) == (10_000, 10_000, 0)


def test_a_process_that_computed_was_busy_however_long_it_took() -> None:
    lateness = beating()
    lateness.beat(110.0625, 17.0, 110.125)
    assert (lateness.late_ms, lateness.paused_ms, lateness.delay_ms) == (10_000, 0, 10_000)
    lateness.beat(110.125, 17.0, 110.1875)  # on time: a message that comes now has not waited
    assert (lateness.late_ms, lateness.delay_ms) == (10_000, 0)


def test_a_process_of_many_threads_computes_more_than_time_passes() -> None:
    lateness = beating()
    lateness.beat(110.0625, 27.0, 110.125)
    assert (lateness.late_ms, lateness.paused_ms) == (10_000, 0)


def test_a_pause_in_the_middle_of_work_is_the_pause_alone() -> None:
    lateness = beating()
    lateness.beat(105.0625, 8.0, 105.125)
    assert (lateness.late_ms, lateness.paused_ms, lateness.delay_ms) == (5_000, 4_062, 938)


def test_many_small_waits_are_no_pause() -> None:
    """For disks and schedulers; a client could make many of them."""
    lateness = beating()
    now = 100.0
    for _ in range(100):
        now += 0.1875
        lateness.beat(now, 7.0, now + 0.0625)
    assert (lateness.late_ms, lateness.paused_ms, lateness.delay_ms) == (12_500, 0, 125)


def test_who_looks_often_sees_the_same_lateness() -> None:
    lateness = beating()
    for number in range(1, 65):
        lateness.look(100.0625 + number / 64, 7.0625 + number / 64)
    assert lateness.late_ms == lateness.delay_ms
    assert 999 <= lateness.late_ms <= 1_000
    assert not lateness.paused_ms


async def test_a_stall_is_known_before_the_heartbeat_beats_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An answer may be read before the heartbeat: the stall is known all the same."""
    now = 100.0
    monkeypatch.setattr(timekeeper, "monotonic", lambda: now)
    monkeypatch.setattr(timekeeper, "process_time", lambda: 7.0)
    keeper = Timekeeper()
    keeper.start()
    await asyncio.sleep(0)
    assert (keeper.late_ms(), keeper.paused_ms()) == (0, 0)
    now = 103.05
    assert (keeper.late_ms(), keeper.paused_ms()) == (3_000, 3_000)
    await keeper.stop()


async def test_thinking_before_restarts_counts_and_the_time_between_does_not(
    tmp_path: Path,
) -> None:
    """A server that is restarted every day lets nobody think for ever."""
    hour = 3_600_000
    limits = control(turn_limit_ms=24 * hour, disconnect_limit_ms=10 * hour)
    async with desk(tmp_path) as at:
        await at.hall.pulse.start()
        session = await at.running(time_control=limits)
        game_id, asked = session.table.game_id, session.table.decision_id
        at.time.now += 5 * hour
        await at.hall.pulse.stop()
        at.time.now += 7 * hour  # the end of this server is late, and nobody is served
    for begun, ended in ((100, 109), (200, 202)):
        async with desk(tmp_path) as at:
            at.time.now = begun * hour
            await at.hall.pulse.start()
            at.time.now = ended * hour
            await at.hall.pulse.stop()
    async with desk(tmp_path) as at:
        at.time.now = 300 * hour
        await at.hall.pulse.start()
        session = await at.hall.find(game_id, caller("player 0"))
        left = (24 - 5 - 9 - 2) * hour + 3 * RETURN_MS
        assert session.deadline_ms() == NOW + 300 * hour + left
        await at.hall.pulse.stop()
        await at.time.advance(left - 1)
        assert session.table.decision_id == asked, "nobody was away for longer than this server"
        await at.time.advance(1)
        assert session.table.decision_id != asked
        assert sum(seat.timeouts for seat in session.table.seats) == 1


async def test_a_restart_charges_nobody_for_the_time_between(tmp_path: Path) -> None:
    limits = control(bank_ms=10_000, increment_per_turn_ms=100)
    async with desk(tmp_path) as at:
        session = await at.running(time_control=limits)
        for _ in range(25):
            await at.time.advance(100)
            await at.answer(session)
        game_id, asked, before = session.table.game_id, session.table.decision_id, banks(session)
        await at.time.advance(4_000)
    async with desk(tmp_path) as at:
        at.time.now = 10**9
        assert await at.hall.wake_unfinished() == 1
        session = await at.hall.find(game_id, caller("player 0"))
        assert banks(session) == before
        assert session.table.decision_id == asked
        seat = session.table.deciding_seat
        bank = before[seat]
        assert bank is not None
        assert session.deadline_ms() == NOW + 10**9 + bank
        seq = session.table.seq
        assert len(await log_of(at, session)) == seq  # looking is not going on
        await at.time.advance(50)
        accepted = await at.answer(session, "retry")
        assert accepted.timing.charged_ms == 50
        entries = await log_of(at, session)
        assert [entry.WhichOneof("entry") for entry in entries[seq : seq + 2]] == [
            "restart",
            "choice",
        ]
        assert entries[seq].restart.server_version
        assert accepted.seq == seq + 2
        await at.answer(session)
        entries = await log_of(at, session)
        assert [entry.WhichOneof("entry") for entry in entries].count("restart") == 1


def refusing(error: StoreError) -> Callable[..., None]:
    """A store's `append_soon` that refuses."""

    def append_soon(*given: Any) -> None:
        asyncio.get_running_loop().call_soon(given[-1], error)

    return append_soon


@pytest.mark.parametrize("answered", [False, True])
async def test_while_the_store_cannot_be_written_no_clock_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, answered: bool
) -> None:
    """Whether it was an answer that was refused or the default of who did not answer."""
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control(decision_limit_ms=20_000))
        other = await at.running(time_control=control(decision_limit_ms=60_000))
        seat, asked = session.table.deciding_seat, session.table.decision_id
        answer = decision_pb2.Answer(decision_id=asked, take_default=True)
        with monkeypatch.context() as full:
            full.setattr(at.hall.store, "append_soon", refusing(StoreError("no room")))
            await at.time.advance(19_990)
            if answered:
                with pytest.raises(Refusal) as refused:
                    await session.answer(seat, "", answer, at.time.now)
                assert refused.value.reason == reasons.REJECTION_REASON_STORE_UNAVAILABLE
            await at.time.advance(3_600_000)
            assert session.table.decision_id == asked
        assert session.table.seats[seat].timeouts == 0
        await at.hall.pulse.beat()  # it can be written again
        await at.time.advance(9_000)
        assert session.table.decision_id == asked, "who was refused has time to come again"
        accepted = await session.answer(seat, "", answer, at.time.now)
        charged = play_service_pb2.Accepted.FromString(accepted).timing.charged_ms
        assert charged == (18_990 if answered else 19_000), "a second of that time was left"
        left = other.deadline_ms()
        assert left is not None
        await at.time.advance(left - NOW - at.time.now)
        assert sum(seat.timeouts for seat in other.table.seats) == 1, "now the clocks run"


async def test_a_server_that_cannot_write_stops_the_clocks_before_anybody_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(tmp_path) as at:

        async def full(*_: int) -> None:
            raise StoreError("no room")

        monkeypatch.setattr(at.hall.store, "serving", full)
        await at.hall.pulse.beat()
        await at.hall.pulse.beat()
        assert at.time.halted
        monkeypatch.undo()
        await at.hall.pulse.beat()
        assert not at.time.halted


async def test_another_writer_that_was_first_is_a_conflict_and_nothing_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(tmp_path) as at:
        session = await at.running()
        before = session.table

        grown = Conflict("game", 1, 2)
        monkeypatch.setattr(at.hall.store, "append_soon", refusing(grown))
        with pytest.raises(Refusal) as refused:
            await at.answer(session)
        assert refused.value.reason == reasons.REJECTION_REASON_CONFLICT
        assert session.table is before


# --- who stays away ---


async def test_who_owes_a_choice_and_stays_away_too_long_is_out(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control(disconnect_limit_ms=30_000))
        seat = session.table.deciding_seat
        feed = Feed(session, seat, play_service_pb2.FeedOptions(), None, lambda _: None)
        session.attach(feed)
        await at.time.advance(10**6)  # as long as it is there it may think
        assert not session.table.seats[seat].forfeited
        session.detach(feed)
        await at.time.advance(29_999)
        # A call about the game shows that it is there.
        await at.hall.find(session.table.game_id, caller(f"player {seat}"))
        await at.time.advance(29_999)
        assert not session.table.seats[seat].forfeited
        await at.time.advance(1)
        assert session.table.seats[seat].forfeited == result_pb2.END_REASON_DISCONNECTED
        assert session.table.deciding_seat == 1 - seat


async def test_who_owes_nothing_may_stay_away(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control(disconnect_limit_ms=30_000))
        for _ in range(4):
            seat = session.table.deciding_seat
            feed = Feed(session, seat, play_service_pb2.FeedOptions(), None, lambda _: None)
            session.attach(feed)
            await at.time.advance(100_000)
            await at.answer(session)
            session.detach(feed)
            await at.time.advance(20_000)
        assert not any(seat.forfeited for seat in session.table.seats)


async def test_the_time_of_a_stalled_server_is_no_absence(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control(disconnect_limit_ms=30_000))
        seat = session.table.deciding_seat
        await at.time.advance(60_000, stalled=True)
        assert not session.table.seats[seat].forfeited
        await at.time.advance(30_000)
        assert session.table.seats[seat].forfeited == result_pb2.END_REASON_DISCONNECTED
