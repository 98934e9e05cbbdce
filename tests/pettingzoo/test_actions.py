"""Every option of every decision has exactly one number, and the numbers mean the same always."""

from __future__ import annotations

import pytest

from endless_winter.content import load
from endless_winter.pettingzoo import ActionTable, table_of
from endless_winter.pettingzoo.actions import key_of
from endless_winter.rules import Config, Game, options
from endless_winter.rules.errors import BadText
from endless_winter.rules.game import notation_of
from tests.rules.scene import TABLES
from tests.rules.walk import ALL, EXTRAS, RIVERS, config_of, name_of, random_of, seed_of, walk

EVERY_KIND = (
    *range(36),
    *[n for n in (*EXTRAS, *RIVERS, *ALL) if config_of(n).nomad is None],
)  # every player count, variant, set of modules and layout (walk.py)


def check_walk(table: ActionTable, number: int) -> int:
    """Every list of options of a walk; the longest one."""
    longest = 0
    for game in walk(number):
        codes = game.options()
        numbers = [table.number(game.text(code)) for code in codes]
        assert len(set(numbers)) == len(codes), f"{name_of(number)}: two options are one action"
        for code, action in zip(codes, numbers, strict=True):
            assert table.keys[action] == key_of(code)
            assert game.text(code).startswith(table.names[action])
        longest = max(longest, len(codes))
    return longest


def test_options_and_actions_correspond_one_to_one_in_every_decision() -> None:
    longest = max(check_walk(table_of(config_of(number)), number) for number in EVERY_KIND)
    assert longest > 30  # else the walks were too tame to show anything


@pytest.mark.soak
def test_options_and_actions_correspond_in_many_games() -> None:
    for number in range(36, 600):
        check_walk(table_of(config_of(number)), number)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_pack_that_comes_with_the_engine_is_covered_too(players: int) -> None:
    config = Config(load(), players, modules=("glacier_tokens", "rest_tokens"), chief_draft=True)
    table = table_of(config)
    for number in range(4):
        game = Game.new(config, seed_of(number))
        choices = random_of(number)
        while codes := game.options():
            assert len({table.number(game.text(code)) for code in codes}) == len(codes)
            game.apply(choices.option(game))


def test_a_number_means_the_same_whatever_the_variant_and_modules() -> None:
    plain = table_of(Config(TABLES, 2))
    other = table_of(Config(TABLES, 2, chief_draft=True, modules=("rest_tokens",)))
    assert plain is other
    assert ActionTable(Config(TABLES, 2)).names == plain.names


def test_names_are_unique_and_read_like_options() -> None:
    table = table_of(Config(TABLES, 2))
    assert len(set(table.names)) == len(table.names) == len(table)
    assert {"place chief hunt", "end", "leave", "food", "tools 2", "hex 7: draw"} <= set(
        table.names
    )


def test_every_action_is_a_move_that_the_notation_knows() -> None:
    config = Config(TABLES, 3)
    notation = notation_of(config)
    for key in table_of(config).keys:
        assert notation.parse(notation.text(key)) == key


def test_only_whole_amounts_are_left_out_of_an_action() -> None:
    def food(amount: int, where: int = 0) -> int:
        return options.option(options.FOOD, amount, 0, where)

    hex_seven = options.source(options.HEX, 7)
    assert key_of(food(2)) == key_of(food(3)) != key_of(food(2, hex_seven))
    split = options.option(options.TOOLS, 1, 2)
    assert key_of(split) == key_of(options.option(options.TOOLS, 1, 0))
    assert key_of(split) != key_of(options.option(options.TOOLS, 2, 2))
    burial = options.option(options.BURY, 3, options.FROM_DISCARD)
    assert key_of(burial) == burial


def test_a_text_that_is_no_move_has_no_number() -> None:
    table = table_of(Config(TABLES, 2))
    with pytest.raises(BadText):
        table.number("fly away")
