"""The base pack: what is in the box, and that it uses the whole vocabulary."""

from __future__ import annotations

import hashlib
import json
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from endless_winter.content import load, load_pack, pack_of
from endless_winter.content.effects import parse_ability, shape
from endless_winter.rules import icons
from endless_winter.rules import tables as t
from endless_winter.rules.hooks import FIRST_OF_MODULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.content import Pack
    from endless_winter.rules.tables import Ability, Card, Tables

TRIBE = ["hunter", "crafter", "shaman", "pathfinder", "elder"]


@pytest.fixture(scope="module")
def tables(base: Pack) -> Tables:
    return base.tables


def cultures(tables: Tables, era: int) -> list[Card]:
    return [card for card in tables.cards if card.era == era]


def abilities(tables: Tables) -> Iterator[Ability]:
    for card in tables.cards:
        yield from card.abilities
    for chief in tables.chiefs:
        yield from chief.abilities
    for token in (*tables.glacier_tokens, *tables.rest_tokens):
        yield from token.effects


def pools(tables: Tables) -> Iterator[bytes]:
    """Every benefit that is not an ability."""
    yield from (animal.tip for animal in tables.animals)
    yield from (terrain.benefit for terrain in tables.terrains)
    yield from (space.benefit for tile in tables.megalith_tiles for space in tile)
    yield from (space.benefit for space in tables.stone_spaces)
    yield from (level.benefit for level in tables.offering)
    yield from tables.turn_order
    yield from tables.supply
    yield tables.village_benefit


def test_the_default_pack_is_loaded_once() -> None:
    assert load() is load()


def test_cards_are_tribe_then_starting_then_culture(tables: Tables) -> None:
    assert [card.name for card in tables.cards[: tables.tribe_types]] == TRIBE
    assert tables.tribe_copies == 15
    eras = [card.era for card in tables.cards[:48]]
    assert eras == sorted(eras)
    assert [eras.count(era) for era in (0, 1, 2)] == [8, 20, 20]
    # What modules bring comes last, so that nothing else has another number with them.
    assert {card.era for card in tables.cards[48:]} == {0}


def test_a_player_starts_with_nine_cards_and_both_named_ones(tables: Tables) -> None:
    assert len(tables.starting) == 9
    assert list(tables.starting) == sorted(tables.starting)
    assert {tables.cards[card].era for card in tables.starting} == {0}
    assert tables.cards[tables.brave].name == "brave"
    assert tables.cards[tables.tribeswoman].name == "tribeswoman"
    assert {tables.brave, tables.tribeswoman} < set(tables.starting)
    assert all(tables.tribe_types <= card < tables.tribe_types + 3 for card in tables.starting)


def test_known_tribe_cards(tables: Tables) -> None:
    card = {card.name: card for card in tables.cards}
    halves = {name: card[name].labor for name in ("hunter", "crafter", "shaman", "brave")}
    assert halves == {"hunter": 2, "crafter": 2, "shaman": 3, "brave": 3}
    first = {name: card[name].abilities[0].text for name in (*TRIBE, "brave", "tribeswoman")}
    assert first["hunter"] == "hunt: labor 1"
    assert first["crafter"] == "develop: labor 1"
    assert first["pathfinder"] == "migrate: labor 1"
    assert first["elder"] == "initiate: labor 1"
    assert first["brave"] == "action: labor 1"
    assert first["tribeswoman"] == "food -> tool"
    assert card["pathfinder"].abilities[1].text == "eclipse: move 2"
    assert {ability.where for ability in card["shaman"].abilities} == {icons.ECLIPSE}
    for name in ("crafter", "brave", "tribeswoman"):
        assert card[name].abilities[-1].where == icons.ECLIPSE


def test_the_starting_cards_have_a_weak_common_one(tables: Tables) -> None:
    weak = {tables.cards[card].name: card for card in tables.starting}["tribesman"]
    assert tables.starting.count(weak) > 9 // 2
    assert tables.cards[weak].labor < tables.cards[tables.brave].labor
    assert len(tables.cards[weak].abilities) < len(tables.cards[tables.brave].abilities)


def test_all_forty_culture_cards_differ_not_only_in_amounts(tables: Tables) -> None:
    cards = [*cultures(tables, 1), *cultures(tables, 2)]
    shapes = {tuple(sorted(map(shape, card.abilities))) for card in cards}
    assert len(shapes) == len(cards) == 40
    assert len({card.title for card in cards}) == 40


def test_culture_cards_give_end_game_points_more_of_them_in_era_two(tables: Tables) -> None:
    first, second = ([card.points for card in cultures(tables, era)] for era in (1, 2))
    assert set(first) <= {0, 1, 2}
    assert set(second) <= {0, 1, 2, 3, 4}
    assert sum(second) > 2 * sum(first)
    assert 1 in first  # the rulebook shows a card worth 1 point


def test_animals(tables: Tables) -> None:
    assert sum(animal.copies for animal in tables.animals[:7]) == 60  # that of a module follows
    by_name = {animal.name: animal for animal in tables.animals}
    assert {"woolly_rhino", "ground_sloth", "saber_toothed_tiger", "glyptodon"} < set(by_name)
    for animal in tables.animals:
        if animal.copies == 10:
            assert (animal.sets, animal.wild) == ([1, 3, 6, 10], False)
    assert (by_name["woolly_mammoth"].sets, by_name["woolly_mammoth"].wild) == ([2, 5], False)
    assert (by_name["argentavis"].sets, by_name["argentavis"].wild) == ([], True)


def test_animals_tip_mostly_for_food_and_some_for_tools(tables: Tables) -> None:
    gained = [set(animal.tip[::2]) for animal in tables.animals[:7]]
    assert all(pool <= {icons.FOOD, icons.TOOL, icons.FEAST} for pool in gained)
    assert sum(bool(pool & {icons.FOOD, icons.FEAST}) for pool in gained) > len(gained) // 2
    assert any(icons.TOOL in pool for pool in gained)


def test_chiefs(tables: Tables) -> None:
    names = ["tuskbreaker", "thunderpaw", "chiselstone", "firewolf", "lookinghand"]
    assert [chief.name for chief in tables.chiefs] == [
        f"{name}_{side}" for name in names for side in "ab"
    ]
    wheres = {chief.name: chief.abilities[0].where for chief in tables.chiefs}
    assert wheres["tuskbreaker_a"] == wheres["tuskbreaker_b"] == icons.HUNT
    assert icons.ANYWHERE in wheres.values()
    assert len({chief.title for chief in tables.chiefs}) == 10


def test_setup_cards_are_different_people(tables: Tables) -> None:
    assert sorted(setup.tribe for setup in tables.setups) == list(range(5))
    assert any(setup.camp for setup in tables.setups)
    assert not all(setup.camp for setup in tables.setups)
    assert any(len(setup.animals) > 1 for setup in tables.setups)
    for setup in tables.setups:
        assert setup.food <= 6 + setup.camp  # GLD-04: nothing printed is lost at once


def test_sacred_stones(tables: Tables) -> None:
    stones = [stone for stone in tables.stones if not stone.apart]
    kinds = [[stone.kind for stone in stones if stone.era == era] for era in (1, 2)]
    assert kinds[0] == [t.STN_VILLAGES_TOUCHING] * 7 + [
        t.STN_LAND_TYPES,
        t.STN_MEGALITHS_ON_BOARD,
        t.STN_MEGALITH_TILES,
    ]
    assert (
        kinds[1]
        == [
            t.STN_BURIED,
            t.STN_STACKED,
            t.STN_IDOL_SPACES,
            t.STN_TIPPED_TYPES,
        ]
        + [t.STN_TIPPED_OF] * 6
    )
    of_kind = {stone.kind: stone for stone in tables.stones}
    assert (of_kind[t.STN_MEGALITHS_ON_BOARD].each, of_kind[t.STN_MEGALITHS_ON_BOARD].per) == (1, 2)
    assert (of_kind[t.STN_BURIED].each, of_kind[t.STN_BURIED].per) == (1, 2)
    assert (of_kind[t.STN_STACKED].each, of_kind[t.STN_STACKED].per) == (2, 1)
    assert (of_kind[t.STN_IDOL_SPACES].each, of_kind[t.STN_IDOL_SPACES].per) == (1, 2)
    assert (of_kind[t.STN_TIPPED_TYPES].each, of_kind[t.STN_TIPPED_TYPES].per) == (1, 1)
    assert len(of_kind[t.STN_MEGALITH_TILES].scale) == 1 + 4


def test_village_stones_name_each_land_and_the_glacier(tables: Tables) -> None:
    stones = [stone for stone in tables.stones if stone.kind == t.STN_VILLAGES_TOUCHING]
    assert sorted(stone.param for stone in stones) == list(range(1, 8))
    assert all((stone.each, stone.per) == (2, 1) for stone in stones)


def test_every_animal_is_on_a_tipping_stone_and_no_two_stones_are_alike(tables: Tables) -> None:
    masks = [stone.param for stone in tables.stones if stone.kind == t.STN_TIPPED_OF]
    assert len(set(masks)) == len(masks)
    seen = 0
    for mask in masks:
        assert mask.bit_count() == 2
        seen |= mask
    assert seen == (1 << 7) - 1


def test_terrain(tables: Tables) -> None:
    terrains = tables.terrains[:8]  # those of modules follow
    assert [terrain.copies for terrain in terrains] == [1, 6, 3, 3, 3, 3, 3, 3]
    assert [terrain.land for terrain in tables.terrains] == [False] * 2 + [True] * 6 + [False] * 7
    assert [terrain.name for terrain in tables.terrains[:2]] == ["base", "glacier"]
    assert tables.terrains[0].benefit == b""
    benefits = [terrain.benefit for terrain in terrains[1:]]
    assert all(benefits)
    assert len(set(benefits)) == len(benefits)


def test_megalith_tiles(tables: Tables) -> None:
    assert len(tables.megalith_tiles) == 4
    for tile in tables.megalith_tiles:
        assert len(tile) == 8
        assert any(space.grey for space in tile)
        for index, space in enumerate(tile):
            assert space.grey == (not space.benefit)
            assert len(space.arrows) == (2 if space.grey else 0)
            for arrow in space.arrows:
                assert not tile[arrow].grey
                row, column = divmod(index, 4)
                other_row, other_column = divmod(arrow, 4)
                assert abs(row - other_row) + abs(column - other_column) == 1


def blocks(slots: list[tuple[int, int, int]]) -> tuple[int, int]:
    """How many blocks of 2x2 spaces a layout has, and how many lie on several tiles."""
    owner: dict[tuple[int, int], int] = {}
    for slot, (x, y, turns) in enumerate(slots):
        across, down = (2, 4) if turns % 2 else (4, 2)
        owner.update(
            {(x + dx, y + dy): slot for dx in range(across) for dy in range(down)},
        )
    assert len(owner) == 32
    found = crossing = 0
    for x, y in owner:
        block = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)]
        if all(cell in owner for cell in block):
            found += 1
            crossing += len({owner[cell] for cell in block}) > 1
    return found, crossing


def test_layouts_differ_in_their_blocks(tables: Tables) -> None:
    assert [layout.name for layout in tables.layouts] == ["two", "three", "four"]
    assert [blocks(layout.slots) for layout in tables.layouts] == [(21, 9), (16, 4), (19, 7)]


def test_stone_spaces_get_dearer(tables: Tables) -> None:
    costs = [space.food + space.tools for space in tables.stone_spaces]
    assert all(less < more for less, more in pairwise(costs))
    assert all(space.benefit for space in tables.stone_spaces)


def test_idol_tracks(tables: Tables) -> None:
    ratios = [level.ratio for level in tables.offering]
    assert sorted(set(ratios), reverse=True) == [3, 2, 1]
    assert ratios == sorted(ratios, reverse=True)
    benefits = [level.benefit[0] for level in tables.offering if level.benefit]
    assert benefits[0] == icons.DRAW
    assert set(benefits[1:]) == {icons.RECRUIT, icons.TRIBE}
    points = [level.points for level in tables.honor]
    assert points[-3:] == [2, 3, 5]
    assert sum(points) == 10


def test_honor_charts(tables: Tables) -> None:
    left, middle, right = tables.honor_charts
    assert left[:6] == [0, 1, 3, 6, 10, 15]
    assert len(left) == len(middle) == len(right)
    assert all(
        high > mid > low for high, mid, low in zip(left[2:], middle[2:], right[2:], strict=True)
    )


def test_the_boards(tables: Tables) -> None:
    first = [pool[0] for pool in tables.turn_order]
    assert first == [icons.MEGALITH, icons.DRAW, icons.IDOL, icons.TOOL]
    assert tables.food_labor == [1, 3, 5, 7, 9]
    tool, idol = bytes([icons.TOOL, 1]), bytes([icons.IDOL, 1])
    assert tables.supply == [tool, b"", idol, b"", idol]
    assert tables.village_benefit == bytes([icons.DRAW, 1])


def test_tokens(tables: Tables) -> None:
    assert len(tables.glacier_tokens) == 10
    assert all(len(token.effects) == 1 for token in tables.glacier_tokens)
    assert len({token.effects[0].text for token in tables.glacier_tokens}) == 10
    assert len(tables.rest_tokens) == 5
    assert {len(token.effects) for token in tables.rest_tokens} == {1, 2}


def test_every_icon_of_the_vocabulary_is_used(tables: Tables) -> None:
    used = {icon for pool in pools(tables) for icon in pool[::2]}
    for ability in abilities(tables):
        used.update(ability.gains[::2], ability.cost[::2])
    assert {icon for icon in used if icon < FIRST_OF_MODULES} == set(
        range(1, len(icons.ICON_NAMES))
    )
    assert any(card.points for card in tables.cards)


def test_culture_cards_alone_use_every_icon_condition_and_cost(tables: Tables) -> None:
    printed = [ability for card in tables.cards if card.era for ability in card.abilities]
    gains = {icon for ability in printed for icon in ability.gains[::2]}
    costs = {icon for ability in printed for icon in ability.cost[::2]}
    assert gains == set(range(1, len(icons.ICON_NAMES))) - {icons.DISCARD}
    assert costs == {icons.FOOD, icons.TOOL, icons.DISCARD}
    assert {ability.when for ability in printed} == set(range(len(icons.CONDITION_NAMES)))


def test_every_place_is_used(tables: Tables) -> None:
    used = {ability.where for ability in abilities(tables)}
    assert used == set(range(len(icons.WHERE_NAMES))) - {icons.REST}


def test_labor_is_only_gained_where_it_can_be_spent(tables: Tables) -> None:
    assert all(icons.LABOR not in pool[::2] for pool in pools(tables))
    for ability in abilities(tables):
        assert ability.where != icons.ECLIPSE or icons.LABOR not in ability.gains[::2]


def test_abilities_print_as_they_are_read(tables: Tables) -> None:
    for ability in abilities(tables):
        again = parse_ability(ability.text)
        assert (again.where, again.when, again.amount) == (
            ability.where,
            ability.when,
            ability.amount,
        )
        assert (again.cost, again.gains) == (ability.cost, ability.gains)


def test_a_stored_pack_keeps_its_hash_whatever_this_version_would_write() -> None:
    pack = load_pack()
    stored = json.dumps(json.loads(pack.canonical)).encode()
    assert stored != pack.canonical
    assert pack_of(stored).digest == hashlib.blake2b(stored, digest_size=32).hexdigest()
    assert pack_of(stored).tables.digest == pack_of(stored).digest


@pytest.mark.rule("FIN-03")
def test_tribe_cards_of_the_supply_have_end_game_points_and_starting_cards_have_none() -> None:
    cards = {card.name: card.points for card in load().cards if not card.era}
    assert cards == {
        "hunter": 1,
        "crafter": 1,
        "shaman": 2,
        "pathfinder": 1,
        "elder": 1,
        "warrior": 1,
        "brave": 0,
        "tribeswoman": 0,
        "tribesman": 0,
    }
