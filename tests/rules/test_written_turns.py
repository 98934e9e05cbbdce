"""Written positions whose parts are possible, but not together: refused on loading."""

from __future__ import annotations

from typing import Any

import pytest

from endless_winter.rules import BadPosition, Config, Game
from endless_winter.rules.position import load, write
from tests.rules.scene import SEED, TABLES


def at_the_second_turn(players: int = 2) -> Any:
    """The second seat is about to place a figure; the first has hunted."""
    game = Game.new(Config(TABLES, players=players), SEED)
    while (decision := game.decision) is not None and decision.kind_name == "choose_chief":
        game.apply(decision.default)
    game.apply(game.parse("place tribe hunt"))
    game.apply(game.parse("end"))
    assert game.decision is not None
    assert game.decision.kind_name == "turn"
    return write(game.position)


def test_the_written_turn_loads_before_it_is_spoilt() -> None:
    assert write(load(at_the_second_turn(), TABLES).position) == at_the_second_turn()


@pytest.mark.parametrize(
    ("name", "value"), [("bottom_open", True), ("chief_ready", True), ("section", 2)]
)
def test_before_a_figure_is_placed_nothing_of_its_actions_is_under_way(
    name: str, value: object
) -> None:
    values = at_the_second_turn()
    values["turn_state"][name] = value
    with pytest.raises(BadPosition, match="turn_state"):
        load(values, TABLES)


@pytest.mark.parametrize(
    ("name", "value"), [("bottom_open", True), ("chief_ready", True), ("labor_halves", 4)]
)
def test_between_turns_nothing_of_a_turn_is_left(name: str, value: object) -> None:
    values = at_the_second_turn()
    values["agenda"] = values["agenda"][:1]
    values["turn"] -= 1
    load(values, TABLES)
    values["turn_state"][name] = value
    with pytest.raises(BadPosition, match="turn_state"):
        load(values, TABLES)


def test_the_bottom_is_open_only_to_the_first_figure_of_a_column() -> None:
    game = load(at_the_second_turn(), TABLES)
    game.apply(game.parse("place tribe hunt"))
    values: Any = write(game.position)
    assert not values["turn_state"]["bottom_open"]
    values["turn_state"]["bottom_open"] = True
    with pytest.raises(BadPosition, match="turn_state"):
        load(values, TABLES)


def test_the_figures_placed_must_fit_the_turn_order() -> None:
    """As many in all as turns have begun, but not by those whose turns they were."""
    values = at_the_second_turn()
    first, second = values["order"]
    players = values["players"]
    players[second]["figures"] = players[first]["figures"]
    players[first]["figures"] = ["", "", ""]
    values["first_figures"] = [0, 0, 0, 0, 1 + second]
    with pytest.raises(BadPosition, match="figures"):
        load(values, TABLES)


def test_dealing_waits_for_every_choice_of_the_set_up() -> None:
    values: Any = write(Game.new(Config(TABLES, players=3, chief_draft=True), SEED).position)
    agenda = values["agenda"]
    assert [record["do"] for record in agenda[:3]] == ["round", "deal", "choose_setup"]
    agenda[1], agenda[2] = agenda[2], agenda[1]
    with pytest.raises(BadPosition, match="agenda"):
        load(values, TABLES)


def test_two_eclipse_phases_at_once_are_refused() -> None:
    game = Game.new(Config(TABLES), SEED)
    while "eclipse" not in [frame["do"] for frame in frames(game)]:
        decision = game.decision
        assert decision is not None
        game.apply(decision.default)
    values: Any = write(game.position)
    load(values, TABLES)
    values["agenda"].insert(1, values["agenda"][1])
    with pytest.raises(BadPosition, match=r'^agenda: one "eclipse", right after "round"'):
        load(values, TABLES)


def frames(game: Game) -> Any:
    return write(game.position)["agenda"]
