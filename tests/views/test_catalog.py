"""The catalogue says everything that is printed, under the ids that views use."""

from __future__ import annotations

import pytest

from endless_winter.content import load_pack
from endless_winter.v1 import catalog_pb2 as v
from endless_winter.v1 import effect_pb2
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.views import Words, catalog_of, public_view
from tests.rules.walk import walk
from tests.views.redaction import PACK, WORDS

CATALOG = catalog_of(WORDS)
LISTS = (
    "cards",
    "animals",
    "chiefs",
    "setup_cards",
    "stones",
    "terrains",
    "megalith_tiles",
    "megalith_layouts",
    "tokens",
)


def ids_of(name: str) -> list[str]:
    return [info.item.id for info in getattr(CATALOG, name)]


@pytest.mark.parametrize("name", LISTS)
def test_lists_are_sorted_by_id_and_say_where_their_values_come_from(name: str) -> None:
    assert ids_of(name) == sorted(set(ids_of(name)))
    for info in getattr(CATALOG, name):
        assert info.item.name
        assert info.item.provenance
        assert all(one.provenance for one in info.item.provenance)


def test_it_names_the_pack_by_its_hash() -> None:
    assert CATALOG.content_hash == PACK.digest
    assert CATALOG.notice.startswith("Unofficial")
    assert catalog_of(Words(load_pack())).content_hash == load_pack().digest


def test_every_id_in_a_view_is_in_the_catalogue() -> None:
    met: dict[str, set[str]] = {name: set() for name in LISTS}
    for game in walk(29):
        view = public_view(WORDS, game.position)
        for player in view.players:
            met["cards"] |= {one.card_id for one in player.owned}
            met["animals"] |= {one.animal_id for one in player.animals}
            met["chiefs"] |= {player.chief_id} - {""}
            met["setup_cards"] |= {player.setup_card_id} - {""}
            met["stones"] |= set(player.stone_ids)
        met["cards"] |= {one.card_id for one in view.supply.culture_display}
        met["animals"] |= {one.animal_id for one in view.supply.hunting_grounds}
        met["stones"] |= set(view.supply.stones_era_one) | set(view.supply.stones_era_two)
        met["terrains"] |= {one.terrain_id for one in view.terrain.hexes}
        met["tokens"] |= {one.glacier_token.token_id for one in view.terrain.hexes} - {""}
        met["tokens"] |= {view.rest_tokens.open_token_id} - {""}
        met["megalith_tiles"] |= set(view.megaliths.tile_ids)
        met["megalith_layouts"] |= {view.megaliths.layout_id}
    for name, found in met.items():
        assert found, name
        assert found <= set(ids_of(name)), name


def test_an_ability_is_written_in_the_effect_language() -> None:
    hunter = next(info for info in CATALOG.cards if info.item.id == "hunter")
    assert hunter.kind == v.CARD_KIND_TRIBE
    assert (hunter.labor_halves, hunter.item.copies) == (2, 15)
    labor = hunter.abilities[0]
    assert [(term.icon, term.amount) for term in labor.gains] == [(enums.ICON_LABOR, 2)]
    assert labor.timing == effect_pb2.EFFECT_TIMING_COLUMN
    assert labor.column == enums.ACTION_SPACE_HUNT


def test_abilities_have_the_numbers_that_moves_and_events_use() -> None:
    for info in CATALOG.cards:
        number = WORDS.cards.index(info.item.id)
        assert len(info.abilities) == len(WORDS.tables.cards[number].abilities)


def test_boards_and_geometry_are_complete() -> None:
    tables = CATALOG.tables
    assert list(tables.food_limits) == [5, 6, 7, 8, 9, 10]
    assert len(tables.turn_order_benefits) == len(tables.starting_order_benefits) == 4
    assert len(tables.sections) == 13
    assert len(CATALOG.geometry.hexes) == 19
    assert len(CATALOG.geometry.junctures) == 24
    assert [one.ring for one in CATALOG.geometry.hexes] == [0] + [1] * 6 + [2] * 12
    assert sum(one.count for one in tables.starting_deck) == 9
