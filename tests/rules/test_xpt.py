"""Solo: the expert variants, each a switch of its own, and the two token modules."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from endless_winter.rules import Config, Game, board
from endless_winter.rules.config import NOMAD_SWITCHES, NomadRules
from endless_winter.rules.errors import BadConfig
from endless_winter.rules.nomad.area import area_of
from endless_winter.rules.points import NO_POINTS
from endless_winter.rules.position import load, write
from endless_winter.rules.zones import EMPTY
from tests.rules.nomad_scene import NOMAD, PLAYER, SoloScene, dealt, solo, with_cells
from tests.rules.scene import TABLES
from tests.rules.test_sol import open_when_its_turns_begin

SEEDS = [bytes((number,)) * 32 for number in range(12)]
SWITCHES = ("seat", *NOMAD_SWITCHES)
GLACIER = 1


@pytest.mark.rule("XPT-01")
@pytest.mark.parametrize("seed", SEEDS)
def test_a_setup_card_gives_the_nomad_food_tools_and_animals_only(seed: bytes) -> None:
    position = dealt(seed, setup_card=True).position
    nomad = position.players[NOMAD]
    card = TABLES.setups[nomad.setup]
    assert (nomad.food, nomad.tools) == (card.food, card.tools)
    assert len(nomad.animals) == len(card.animals) + 1  # and SOL-03's
    for animal in card.animals:
        assert animal in nomad.animals
    assert nomad.hand == nomad.deck == nomad.discard == b""
    assert 0 not in nomad.camps
    assert nomad.setup != position.players[PLAYER].setup
    gone = sum(15 - left for left in position.tribes)
    assert gone == 1  # the player's Tribe card alone


@pytest.mark.rule("XPT-01")
def test_it_is_a_random_card_that_the_player_was_not_offered() -> None:
    found = set()
    for seed in SEEDS:
        game = Game.new(Config(TABLES, nomad=NomadRules(NOMAD, setup_card=True)), seed)
        assert game.position.players[NOMAD].setup not in game.position.setups
        found.add(game.position.players[NOMAD].setup)
    assert len(found) > 2
    assert dealt().position.players[NOMAD].setup == EMPTY


@pytest.mark.rule("XPT-02")
def test_its_idol_markers_start_on_the_third_spaces_without_what_they_passed() -> None:
    position = dealt(idol_head_start=True).position
    nomad = position.players[NOMAD]
    assert (nomad.offering, nomad.honor) == (3, 3)
    assert (nomad.score, nomad.points, nomad.buried) == (0, NO_POINTS, b"")
    assert position.honor_queue == bytes((NOMAD,))
    plain = dealt().position.players[NOMAD]
    assert (plain.offering, plain.honor) == (0, 0)


@pytest.mark.rule("XPT-02")
def test_they_count_as_advanced() -> None:
    """FIN-01 and FIN-02 give nothing to a seat that never advanced."""
    table = solo(idol_head_start=True).player(NOMAD, food=6, offering=3, honor=3)
    table.player(NOMAD, buried=["ember_feast", "bone_flute"]).table(honor_queue=bytes((NOMAD,)))
    table.table(over=True, agenda=[], round=4, turn=6)
    result = table.game.result
    assert result is not None
    assert result.scores[NOMAD].offering == 6 // TABLES.offering[2].ratio > 0
    assert result.scores[NOMAD].honor == TABLES.honor_charts[0][2] > 0


@pytest.mark.rule("XPT-03")
@pytest.mark.parametrize("seed", SEEDS[:4])
def test_the_terrain_of_four_players_with_a_glacier_token_on_each_glacier(seed: bytes) -> None:
    game = dealt(seed, four_player_terrain=True)
    position = game.position
    assert position.terrain.count(GLACIER) == 3
    assert "glacier_tokens" in position.config.modules
    tokens = position.module_state[position.config.modules.index("glacier_tokens")]
    assert [bool(token) for token in tokens] == [kind == GLACIER for kind in position.terrain]
    assert all(token < 128 for token in tokens)
    assert sum(animal != EMPTY for animal in position.grounds) == 3  # all else as for two
    assert len(position.stones[0]) == 4
    assert dealt(seed).position.terrain.count(GLACIER) == 6


@pytest.mark.rule("XPT-03")
def test_the_tokens_may_be_asked_for_as_well() -> None:
    nomad = NomadRules(NOMAD, four_player_terrain=True)
    config = Config(TABLES, modules=("rest_tokens", "glacier_tokens"), nomad=nomad)
    assert sorted(config.modules) == ["glacier_tokens", "nomad", "rest_tokens"]


@pytest.mark.rule("XPT-04")
@pytest.mark.parametrize(
    ("card", "bottom"),
    [
        ("first_light", ["honor", "tools 1 food 0"]),  # Initiate: Idol, Bury
        ("knapped_edge", ["tools 1 food 0", "food 1"]),  # Develop: Tool, Food
        ("wolf_song", ["beast"]),  # Hunt: an Animal of the deck
    ],
)
def test_on_an_empty_column_the_bottom_action_comes_first(card: str, bottom: list[str]) -> None:
    column = next(c.column for c in TABLES.nomad_cards if c.name == card)
    place = ("", "initiate", "develop", "migrate", "hunt")[column]
    tables = with_cells(**{card: f"{place}: point 3"})
    table = solo(tables=tables, bottom_actions=True).animal_deck("glyptodon")
    table.nomad_turn(1, card)
    assert table.steps() == [
        "nomad-reveal",
        f"nomad-column {place}",
        *bottom,
        f"nomad {card}: points 3",
    ]


@pytest.mark.rule("XPT-04")
def test_the_bottom_of_migrate_is_one_build_or_relocate_for_the_camp_and_one_for_the_move() -> None:
    table = solo(tables=with_cells(long_march="migrate: point 3"), bottom_actions=True)
    table.nomad_turn(1, "long_march").player(NOMAD, camps=[4, 5, 7, 8, 9])
    table.area(stack=[], deck=["long_march"], maps=["north_east", "east", "south_east"])
    assert table.steps()[2:] == [
        "nomad-map inner",  # to 1 and 2, beside 7, 8 and 9
        "nomad-build 8 village",
        "nomad-map outer",
        "nomad long_march: points 3",
    ]


@pytest.mark.rule("XPT-04")
def test_in_an_occupied_column_there_is_no_bottom_action() -> None:
    tables = with_cells(wolf_song="hunt: point 3")
    table = solo(tables=tables, bottom_actions=True)
    table.occupied("hunt", "initiate", "develop", "migrate").nomad_turn(1, "wolf_song")
    assert table.steps()[2:] == ["nomad wolf_song: points 3"]


@pytest.mark.rule("XPT-05")
def test_a_second_card_lies_on_top_of_the_first_in_every_round() -> None:
    switches = {"extra_card": True, "second_extra_card": True}
    assert open_when_its_turns_begin(**switches) == [[2, 3, 4]] * 4


@pytest.mark.rule("XPT-05")
def test_it_needs_the_first_one() -> None:
    with pytest.raises(BadConfig, match="extra_card"):
        NomadRules(second_extra_card=True)


@pytest.mark.rule("XPT-06")
def test_the_nomad_takes_no_rest_token_and_leaves_it_to_the_player() -> None:
    table = solo(modules=("rest_tokens",)).nomad_turn(1, "first_light")
    table.steps()
    assert table.position.module_state[0][0] == 0  # still on offer
    table.do("place tribe rest")
    assert table.texts == ["token shown", "token next"]


def icy() -> SoloScene:
    """Glaciers on 7 and 4 whose tokens lie face down, canyons elsewhere."""
    table = solo(modules=("glacier_tokens",)).all_terrain("canyon")
    table.terrain(h7="glacier", h4="glacier")
    state = bytearray(19)
    state[7], state[4] = 1 + token("flint_seam"), 1 + token("frozen_carcass")
    table.position.module_state[0] = bytes(state)
    return table


def token(name: str) -> int:
    return [known.name for known in TABLES.glacier_tokens].index(name)


@pytest.mark.rule("XPT-06")
def test_its_camps_flip_a_glacier_token_where_they_go_and_not_where_they_stand() -> None:
    table = icy().player(NOMAD, camps=[1, 2, 7, 8, 12]).area(maps=["south_west"])
    table.player(PLAYER, camps=[0]).gains("move")
    table.player(NOMAD, camps=[1, 2, 7, 14, 15])
    assert table.step() == "nomad-map inner"  # to 4 and 5; no Village is possible
    state = table.position.module_state[0]
    assert state[4] >= 128
    assert state[7] < 128


@pytest.mark.rule("XPT-06")
def test_a_village_of_its_own_gains_an_open_token_at_once() -> None:
    table = icy().player(NOMAD, camps=[1, 2, 7, 8, 12])
    state = bytearray(table.position.module_state[0])
    state[7] |= 128
    table.position.module_state[0] = bytes(state)
    table.player(NOMAD, camps=[1, 5, 7, 8, 12]).gains("settle")
    assert table.steps(3) == ["nomad-build 8 village", "tools 2 food 0", "nomad-map outer"]
    assert table.at(NOMAD).tools == 2


def test_all_switches_combine() -> None:
    """Every pair, and all at once: such a game plays to its end and reads back."""
    names = [name for name in SWITCHES if name not in ("seat", "second_extra_card")]
    for pair in [*itertools.combinations(names, 2), tuple(names)]:
        switches: dict[str, Any] = dict.fromkeys(pair, True)
        if "extra_card" in pair:
            switches["second_extra_card"] = True
        game = dealt(**switches)
        again = load(write(game.position), TABLES)
        assert again.options() == game.options()
        while game.decision is not None:
            game.apply(game.decision.default)
        assert game.result is not None
        assert area_of(game.position).stack


def test_the_food_of_a_setup_card_is_below_its_limit() -> None:
    for seed in SEEDS:
        nomad = dealt(seed, setup_card=True).position.players[NOMAD]
        assert nomad.food <= board.food_limit(nomad) == 10
