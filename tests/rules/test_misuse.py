"""What callers do to a game by mistake: it must not get into the game."""

from __future__ import annotations

import random
from typing import Any

import pytest

from endless_winter.rules import BadConfig, BadPosition, BadText, Config, Game, IllegalOption
from endless_winter.rules.errors import WrongSeat
from endless_winter.rules.position import load, write
from tests.rules.scene import SEED, TABLES, scene


def test_a_decision_can_be_shuffled_without_touching_the_game() -> None:
    game = scene().player(0, hand=["hunter", "brave"]).game
    decision = game.decision
    assert decision is not None
    before = list(game.options())
    random.Random(1).shuffle(decision.options)
    decision.options.append(123)
    assert game.options() == before
    again = game.decision
    assert again is not None
    assert again.default == decision.default


def test_a_number_of_thousands_of_digits_is_bad_text() -> None:
    game = scene().game
    with pytest.raises(BadText, match="is not a number from 0 to 255"):
        game.parse("eat " + "9" * 5000)


@pytest.mark.parametrize("code", [0, -1, 999_999, 1 << 60])
def test_a_number_that_is_no_option_has_no_text(code: int) -> None:
    with pytest.raises(IllegalOption, match="is no option"):
        scene().game.text(code)


@pytest.mark.parametrize("seat", [-2, 1, 7])
def test_every_seat_but_the_deciding_one_is_foreign(seat: int) -> None:
    game = scene().game
    with pytest.raises(WrongSeat, match="seat 0 decides now"):
        game.apply(game.options()[0], seat=seat)


def test_modules_given_as_one_name_are_refused_by_it() -> None:
    modules: Any = "glacier_tokens"
    with pytest.raises((BadConfig, TypeError)):  # compiled code refuses the type itself
        Config(TABLES, modules=modules)


def in_step_two() -> Game:
    """A real game whose first player has played a Tribe card."""
    game = Game.new(Config(TABLES), SEED)
    while game.decision is not None and game.decision.kind_name != "act":
        game.apply(game.options()[-1])
    play = next(code for code in game.options() if game.text(code).startswith("play"))
    game.apply(play)
    return game


def test_a_game_that_is_over_too_early_is_no_position() -> None:
    values = write(in_step_two().position)
    load(values, TABLES)
    values["over"] = True
    values["agenda"] = []
    with pytest.raises(BadPosition, match=r"^over: a game ends with the Eclipse phase of round 4$"):
        load(values, TABLES)


def test_cards_above_the_board_need_a_turn_on_the_agenda() -> None:
    values = write(in_step_two().position)
    agenda: Any = values["agenda"]
    values["agenda"] = agenda[:1]
    with pytest.raises(BadPosition, match=r"^turn_state: place, ready, fresh and labor"):
        load(values, TABLES)
