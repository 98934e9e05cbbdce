"""Games for which nobody comes are aborted, also those that only the store knows."""

from __future__ import annotations

from endless_winter.engine.table import ENDED, OPEN, RUNNING, STARTING
from endless_winter.store.records import Query, Status
from endless_winter.v1 import result_pb2
from tests.engine.desk import Desk

DAY = 86_400_000
NEVER = result_pb2.GAME_OUTCOME_NEVER_STARTED
ENDED_GAMES = Query(everything=True, statuses=frozenset((Status.ENDED,)))


def test_a_game_that_nobody_joins_or_begins_is_aborted_a_day_after_its_creation() -> None:
    desk = Desk(games_per_creator=3)
    empty, seated, running = desk.create(), desk.seated(), desk.running()
    desk.advance(DAY - 1)
    assert (empty.table.status, seated.table.status) == (OPEN, STARTING)
    desk.advance(1)
    for game in (empty, seated):
        assert game.table.status == ENDED
        assert desk.log(game)[-1].ended.result.outcome == NEVER
    assert running.table.status == RUNNING
    for _ in range(2):  # its creator may have others instead
        desk.create()


def test_the_day_is_counted_over_restarts_and_a_game_need_not_be_in_memory() -> None:
    desk = Desk()
    for _ in range(3):
        desk.create()
        desk.advance(1_000)
    desk.running()
    desk.advance(DAY - 1_500, stalled=True)
    desk.restart()
    desk.run()
    assert len(desk.store.list_games(ENDED_GAMES).games) == 2
    assert len(desk.engine.absent.statuses()) == 2  # nobody asked for the others
    desk.advance(500)
    assert len(desk.store.list_games(ENDED_GAMES).games) == 3


def test_zero_lets_games_wait_for_ever() -> None:
    desk = Desk(start_limit_ms=0)
    game = desk.seated()
    desk.advance(10 * DAY)
    assert game.table.status == STARTING


def test_what_cannot_be_written_is_tried_again() -> None:
    desk = Desk()
    game = desk.seated()
    with desk.full_disk():
        desk.advance(DAY)
        assert game.table.status == STARTING
    desk.advance(60_000)
    assert game.table.status == ENDED
