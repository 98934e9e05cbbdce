"""Standing answers are entries of the log: a seat sets them so often in a turn, and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.engine.table import MOST_STANDING
from endless_winter.v1 import decision_pb2
from tests.engine.desk import Desk, refused

if TYPE_CHECKING:
    from endless_winter.engine.game import Game
    from endless_winter.v1 import play_service_pb2

PILE = decision_pb2.DECISION_KIND_ECLIPSE_PILE


def set_standing(desk: Desk, game: Game, seat: int, number: int) -> play_service_pb2.Accepted:
    """Now with an answer, now with none."""
    kinds = [PILE] if number % 2 else []
    return desk.set_standing(game, seat, *kinds, request_id=f"s{number}")


def test_a_seat_sets_its_standing_answers_so_often_in_a_turn() -> None:
    desk = Desk()
    game = desk.running()
    other = 1 - game.table.deciding_seat
    first = [set_standing(desk, game, other, number) for number in range(MOST_STANDING)]
    seq = game.table.seq
    for number in range(MOST_STANDING, MOST_STANDING + 3):
        with refused("LIMIT_REACHED"):
            set_standing(desk, game, other, number)
    assert game.table.seq == seq
    # A retry has its first answer, and the other seat has not set any.
    assert set_standing(desk, game, other, 7) == first[7]
    set_standing(desk, game, 1 - other, 1000)
    turns = game.table.turns
    desk.play(game, until=lambda game: game.table.turns != turns)
    set_standing(desk, game, other, MOST_STANDING)


def test_those_that_are_refused_do_not_count() -> None:
    desk = Desk()
    game = desk.running()
    for number in range(MOST_STANDING):
        with refused("STANDING_ANSWER_IMPOSSIBLE"):
            kind = decision_pb2.DECISION_KIND_TURN
            desk.set_standing(game, 0, kind, request_id=f"n{number}")
    set_standing(desk, game, 0, 1)


def test_they_are_counted_before_the_start_too() -> None:
    desk = Desk()
    game = desk.seated()
    for number in range(MOST_STANDING):
        set_standing(desk, game, 0, number)
    with refused("LIMIT_REACHED"):
        set_standing(desk, game, 0, MOST_STANDING)
