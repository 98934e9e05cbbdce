"""Leaving and aborting: asked twice it is done once, and who comes after has a fresh start."""

from __future__ import annotations

import pytest

from endless_winter.engine.table import ENDED, OPEN, RUNNING
from tests.engine.desk import Desk, caller, refused


def test_an_abort_that_is_repeated_is_answered_again() -> None:
    desk = Desk()
    game = desk.seated()
    for _ in range(2):
        desk.abort(game, note="rained off", request_id="a")
        assert game.table.status == ENDED
    ended = [entry.ended for entry in desk.log(game) if entry.HasField("ended")]
    assert [one.note for one in ended] == ["rained off"]
    with refused("GAME_ENDED"):
        desk.abort(game)


def test_a_creator_who_aborts_while_the_game_starts_is_too_late() -> None:
    desk = Desk()
    game = desk.seated()
    desk.ready(game, 0)
    abort = desk.abort_of(game)
    desk.put(desk.ready_of(game, 1))
    with refused("GAME_STARTED"):
        desk.do(abort)
    assert game.table.status == RUNNING
    desk.abort(game, operator=True)


@pytest.mark.parametrize("running", [False, True])
def test_leaving_that_is_repeated_is_answered_again(*, running: bool) -> None:
    desk = Desk()
    game = desk.running() if running else desk.seated()
    desk.leave(game, 1, "player 1", "bye")
    seq = game.table.seq
    desk.leave(game, 1, "player 1", "bye")
    assert game.table.seq == seq
    assert bool(game.table.seats[1].forfeited) == running
    with refused("NOT_ALLOWED"):  # somebody else's id is not this one's
        desk.leave(game, 1, "player 2", "bye")


def test_who_has_left_sees_the_game_as_late_as_others_do() -> None:
    desk = Desk()
    game = desk.seated(spectator_delay_ms=600_000)
    desk.leave(game, 1, "player 1")
    desk.join(game, 1, "player 2")
    desk.ready(game, 0)
    desk.ready(game, 1, name="player 2")
    assert game.info_for(caller("player 2"), desk.now).status == RUNNING
    assert game.info_for(caller("player 1"), desk.now).status == OPEN


def test_who_has_come_back_can_leave_again_under_the_same_id() -> None:
    desk = Desk()
    game = desk.seated()
    for _ in range(3):
        desk.leave(game, 1, "player 1", "bye")
        assert not game.table.seats[1].holder
        desk.join(game, 1, "player 1")


def test_who_comes_after_is_not_answered_what_another_was() -> None:
    desk = Desk()
    game = desk.seated()
    desk.ready(game, 1, "ready")
    desk.leave(game, 1, "player 1")
    desk.join(game, 1, "player 2")
    desk.ready(game, 1, "ready", name="player 2")
    assert game.table.seats[1].ready
    desk.ready(game, 0, "ready")
    assert game.table.status == RUNNING
