"""Migrate: Camps, Villages and Influence.

Hex 0 is the Base, 1-6 lie around it, 7-18 around these; juncture 8 is where 1, 7 and 8 meet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.content import load
from endless_winter.content.errors import ContentError
from endless_winter.rules.terrain import JUNCTURES
from tests.rules.scene import FROZEN, Scene, scene

if TYPE_CHECKING:
    from pathlib import Path

BESIDE_1_7_8 = 8


def migrating(*, labor: int = 0, **fields: Any) -> Scene:
    """Seat 0 has just placed the round's first figure in Migrate; Labor in halves."""
    return scene(2).player(0, **fields).table(labor=labor).do("place tribe migrate")


def camps(table: Scene, seat: int = 0) -> list[int]:
    return list(table.at(seat).camps)


def villages(table: Scene, seat: int = 0) -> list[int]:
    return list(table.at(seat).villages)


def after_last_eclipse(table: Scene) -> Scene:
    """Everybody leaves whatever can be left; points come without a question."""
    table.table(round=4).eclipse()
    while table.kind:
        table.do("leave")
    return table


# --- the top: placing ---


@pytest.mark.rule("MIG-01")
def test_a_camp_is_placed_on_the_base_for_one_tool() -> None:
    table = migrating(tools=3, camps=[7]).do("pitch")
    assert camps(table) == [0, 7]
    assert table.at(0).tools == 2


@pytest.mark.rule("MIG-01")
def test_placing_a_camp_needs_no_labor_and_takes_none() -> None:
    assert migrating(labor=0, tools=1).can("pitch")
    table = migrating(labor=3, tools=1).do("pitch")
    assert table.position.labor == 3


@pytest.mark.rule("MIG-01")
def test_several_camps_can_be_placed_in_a_turn() -> None:
    table = migrating(tools=5, camps=[0, 7]).do("pitch", "pitch", "pitch")
    assert camps(table) == [0, 0, 0, 0, 7]
    assert table.at(0).tools == 2


@pytest.mark.rule("MIG-01")
def test_without_a_tool_no_camp_is_placed() -> None:
    table = migrating(tools=0, labor=10, food=5)
    assert not table.can("pitch")


@pytest.mark.rule("MIG-01")
def test_with_all_five_camps_placed_there_is_none_to_place() -> None:
    assert migrating(tools=5, camps=[0, 0, 7, 7]).can("pitch")
    assert not migrating(tools=5, camps=[0, 0, 7, 7, 7]).can("pitch")


@pytest.mark.rule("MIG-01")
def test_the_camp_comes_from_the_own_board_and_lifts_the_own_food_limit() -> None:
    table = migrating(tools=1, food=6, camps=[0], hand=["brave"]).do("pitch")
    assert camps(table, 1) == [0]
    table.gain(0, "food 3")
    assert table.at(0).food == 7


# --- the top: moving ---


@pytest.mark.rule("MIG-02")
def test_a_camp_moves_to_an_adjacent_hex_for_one_labor() -> None:
    table = migrating(labor=3, camps=[0, 7], tools=1).do("travel 0>4")
    assert camps(table) == [4, 7]
    assert table.position.labor == 1
    assert table.at(0).tools == 1


@pytest.mark.rule("MIG-02")
def test_a_camp_can_move_to_each_adjacent_hex_and_no_other() -> None:
    table = migrating(labor=2, camps=[7])
    assert table.offers("travel") == ["travel 7>1", "travel 7>8", "travel 7>18"]
    table = migrating(labor=2, camps=[1])
    assert table.offers("travel") == [f"travel 1>{hex_}" for hex_ in (0, 2, 6, 7, 8, 18)]


@pytest.mark.rule("MIG-02")
@pytest.mark.parametrize("labor", [0, 1])
def test_without_a_whole_labor_no_camp_moves(labor: int) -> None:
    assert migrating(labor=labor, tools=5).offers("travel") == []
    assert migrating(labor=2, tools=5).offers("travel") != []


@pytest.mark.rule("MIG-02")
def test_the_same_camp_may_move_again_and_again() -> None:
    table = migrating(labor=9, camps=[0, 13]).do("travel 0>1", "travel 1>8", "travel 8>9")
    assert camps(table) == [9, 13]
    assert table.position.labor == 3


@pytest.mark.rule("MIG-02")
def test_different_camps_may_move_in_a_turn() -> None:
    table = migrating(labor=4, camps=[0, 13]).do("travel 0>1", "travel 13>12")
    assert camps(table) == [1, 12]


@pytest.mark.rule("MIG-02")
def test_only_own_camps_move() -> None:
    table = migrating(labor=2, camps=[13]).player(1, camps=[9])
    assert {text.split(">")[0] for text in table.offers("travel")} == {"travel 13"}


@pytest.mark.rule("MIG-02")
def test_camps_move_on_the_way_between_placing_them() -> None:
    table = migrating(labor=4, tools=2, camps=[0])
    table.do("travel 0>1", "pitch", "travel 0>2", "pitch")
    assert camps(table) == [0, 1, 2]


@pytest.mark.rule("MIG-03")
def test_camps_of_all_players_share_a_hex() -> None:
    table = migrating(labor=8, camps=[1, 1, 2, 7, 8]).player(1, camps=[0, 8, 8, 8])
    table.do("travel 1>8", "travel 1>8", "travel 2>8", "travel 7>8")
    assert camps(table) == [8] * 5
    assert camps(table, 1) == [0, 8, 8, 8]


@pytest.mark.rule("MIG-03")
def test_a_camp_beside_a_village_or_a_full_hex_is_still_free_to_enter() -> None:
    table = migrating(labor=2, camps=[7, 8, 8]).player(1, camps=[8, 8], villages=[BESIDE_1_7_8])
    assert table.can("travel 7>8", "travel 7>1", "travel 8>7")


# --- the middle ---


@pytest.mark.rule("MIG-04")
def test_three_food_and_three_camps_around_a_juncture_make_a_village() -> None:
    table = migrating(food=4, camps=[1, 7, 8], tools=1)
    assert table.offers("settle") == [f"settle {BESIDE_1_7_8}"]
    table.do(f"settle {BESIDE_1_7_8}")
    assert villages(table) == [BESIDE_1_7_8]
    assert camps(table) == []
    assert (table.at(0).food, table.at(0).tools) == (1, 1)


@pytest.mark.rule("MIG-04")
def test_one_camp_of_each_of_the_three_hexes_is_returned() -> None:
    table = migrating(food=3, camps=[1, 1, 7, 8, 9]).do(f"settle {BESIDE_1_7_8}")
    assert camps(table) == [1, 9]


@pytest.mark.rule("MIG-04")
def test_a_village_costs_three_food() -> None:
    assert migrating(food=3, camps=[1, 7, 8]).offers("settle") != []
    assert migrating(food=2, camps=[1, 7, 8]).offers("settle") == []


@pytest.mark.rule("MIG-04")
def test_a_village_needs_no_labor_and_takes_none() -> None:
    table = migrating(food=3, labor=5, camps=[1, 7, 8], hand=["brave"])
    table.do(f"settle {BESIDE_1_7_8}")
    assert table.position.labor == 5


@pytest.mark.rule("MIG-04")
@pytest.mark.parametrize(
    "places",
    [
        pytest.param([7, 8, 9], id="a row of three hexes"),
        pytest.param([1, 2, 7], id="a bend of three hexes"),
        pytest.param([1, 1, 7], id="two Camps on one of two hexes"),
        pytest.param([1, 7], id="two hexes"),
        pytest.param([1, 7, 9], id="one hex too far"),
        pytest.param([7, 11, 15], id="far apart"),
    ],
)
def test_three_hexes_that_share_no_juncture_make_no_village(places: list[int]) -> None:
    assert migrating(food=5, camps=places).offers("settle") == []


@pytest.mark.rule("MIG-04")
@pytest.mark.parametrize("pair", [(1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (1, 6)])
def test_the_base_is_never_one_of_the_three_hexes(pair: tuple[int, int]) -> None:
    assert migrating(food=5, camps=[0, *pair]).offers("settle") == []


@pytest.mark.rule("MIG-04")
def test_every_juncture_off_the_base_can_take_a_village() -> None:
    for juncture, hexes in enumerate(JUNCTURES):
        if hexes[0]:
            table = migrating(food=3, camps=hexes)
            assert table.offers("settle") == [f"settle {juncture}"]


@pytest.mark.rule("MIG-04")
def test_a_juncture_holds_one_village_whoever_owns_it() -> None:
    taken = migrating(food=5, camps=[1, 7, 8]).player(1, villages=[BESIDE_1_7_8])
    assert taken.offers("settle") == []
    own = migrating(food=5, camps=[1, 7, 8], villages=[BESIDE_1_7_8])
    assert own.offers("settle") == []
    beside = migrating(food=5, camps=[1, 7, 8]).player(1, villages=[6, 9, 11])
    assert beside.offers("settle") == [f"settle {BESIDE_1_7_8}"]


@pytest.mark.rule("MIG-04")
def test_camps_of_others_are_no_help() -> None:
    table = migrating(food=5, camps=[1, 7]).player(1, camps=[8])
    assert table.offers("settle") == []


@pytest.mark.rule("MIG-04")
def test_with_several_junctures_the_player_chooses_one_a_turn() -> None:
    table = migrating(food=6, camps=[1, 2, 7, 8, 9], hand=["brave"])
    assert table.offers("settle") == ["settle 6", "settle 8", "settle 11"]
    table.do("settle 6")
    assert camps(table) == [7, 9]
    assert table.player(0, camps=[1, 7, 8]).offers("settle") == []


@pytest.mark.rule("MIG-04")
def test_a_player_has_three_villages() -> None:
    third = migrating(food=5, camps=[1, 7, 8], villages=[13, 19])
    assert third.offers("settle") == [f"settle {BESIDE_1_7_8}"]
    fourth = migrating(food=5, camps=[1, 7, 8], villages=[13, 16, 19])
    assert fourth.offers("settle") == []


@pytest.mark.rule("MIG-05")
def test_returned_camps_can_be_placed_again() -> None:
    table = migrating(food=3, camps=[1, 7, 8, 9, 10], hand=["brave"])
    table.do(f"settle {BESIDE_1_7_8}").gain(0, "camp 5").do("camp", "camp", "camp")
    assert camps(table) == [0, 0, 0, 9, 10]
    assert table.kind == "turn"


@pytest.mark.rule("MIG-05")
def test_returned_camps_lower_the_food_limit() -> None:
    table = migrating(food=10, camps=[1, 7, 8, 9, 10], hand=["brave"])
    table.do(f"settle {BESIDE_1_7_8}")
    assert table.at(0).food == 7
    table.gain(0, "food 1")
    assert table.at(0).food == 7


@pytest.mark.rule("MIG-05")
@pytest.mark.parametrize(("food", "left"), [(8, 5), (6, 5), (5, 5), (2, 2)])
def test_food_above_the_lower_limit_is_lost_after_a_village_by_another_effect(
    food: int, left: int
) -> None:
    table = scene(2).player(0, food=food, camps=[1, 7, 8]).gain(0, "village")
    table.do(f"village {BESIDE_1_7_8}")
    assert villages(table) == [BESIDE_1_7_8]
    assert camps(table) == []
    assert table.at(0).food == left


# --- Influence ---


@pytest.mark.rule("MIG-06")
def test_a_village_outweighs_one_camp_on_each_of_its_three_hexes() -> None:
    table = scene(2).all_terrain("canyon").player(0, camps=[1, 7, 8])
    table.player(1, camps=[], villages=[BESIDE_1_7_8])
    after_last_eclipse(table)
    assert (table.score(0), table.score(1)) == (0, 6)


@pytest.mark.rule("MIG-06")
def test_two_camps_are_as_much_as_a_village() -> None:
    table = scene(2).all_terrain("canyon").player(0, camps=[7, 7])
    table.player(1, camps=[], villages=[BESIDE_1_7_8])
    after_last_eclipse(table)
    assert (table.score(0), table.score(1)) == (2, 6)


@pytest.mark.rule("MIG-06")
def test_three_camps_outweigh_a_village() -> None:
    table = scene(2).all_terrain("canyon").player(0, camps=[7, 7, 7])
    table.player(1, camps=[], villages=[BESIDE_1_7_8])
    after_last_eclipse(table)
    assert (table.score(0), table.score(1)) == (2, 4)


@pytest.mark.rule("MIG-06")
def test_camps_and_villages_on_a_hex_add_up() -> None:
    """Hex 1: two Villages and a Camp (5) against five Camps; hex 7: a Village and a Camp."""
    table = scene(2).all_terrain("canyon").player(0, camps=[1, 7], villages=[6, BESIDE_1_7_8])
    table.player(1, camps=[1, 1, 1, 1, 1])
    after_last_eclipse(table)
    assert table.score(0) == 8  # hexes 1 (tied), 2, 7 and 8
    assert table.score(1) == 2


@pytest.mark.rule("MIG-06")
def test_a_camp_has_influence_on_its_own_hex_alone() -> None:
    table = scene(2).all_terrain("canyon").player(0, camps=[7]).player(1, camps=[8])
    after_last_eclipse(table)
    assert (table.score(0), table.score(1)) == (2, 2)


# --- the bottom ---


@pytest.mark.rule("MIG-07")
def test_the_bottom_of_migrate_places_a_camp_and_may_move_one() -> None:
    table = migrating(camps=[13], hand=["brave"]).do("bottom")
    assert camps(table) == [0, 13]
    assert table.texts == [
        *(f"move 0>{hex_}" for hex_ in range(1, 7)),
        "move 13>4",
        "move 13>12",
        "move 13>14",
        "leave",
    ]
    table.do("move 13>14")
    assert camps(table) == [0, 14]
    assert table.kind == "act"
    assert not table.can("bottom")


@pytest.mark.rule("MIG-07")
def test_the_camp_just_placed_may_be_the_one_that_moves() -> None:
    table = migrating(camps=[13]).do("bottom", "move 0>3")
    assert camps(table) == [3, 13]


@pytest.mark.rule("MIG-07")
def test_the_move_of_the_bottom_can_be_declined() -> None:
    table = migrating(camps=[13]).do("bottom", "leave")
    assert camps(table) == [0, 13]


@pytest.mark.rule("MIG-07")
def test_the_bottom_of_migrate_costs_neither_tool_nor_labor() -> None:
    table = migrating(labor=3, tools=2, food=4, hand=["brave"]).do("bottom", "move 0>3")
    assert (table.position.labor, table.at(0).tools, table.at(0).food) == (3, 2, 4)


@pytest.mark.rule("MIG-07")
def test_with_no_camp_left_on_the_board_the_bottom_is_the_move_alone() -> None:
    table = migrating(camps=[7] * 5, hand=["brave"]).do("bottom")
    assert camps(table) == [7] * 5
    assert table.texts == ["move 7>1", "move 7>8", "move 7>18", "leave"]
    table.do("move 7>18")
    assert camps(table) == [7, 7, 7, 7, 18]


@pytest.mark.rule("MIG-07")
def test_the_last_camp_of_the_board_is_placed_by_the_bottom() -> None:
    table = migrating(camps=[7] * 4, hand=["brave"]).do("bottom", "leave")
    assert camps(table) == [0, 7, 7, 7, 7]


# --- the Base hex ---


@pytest.mark.rule("MIG-08")
def test_a_camp_may_move_onto_the_base_and_over_it() -> None:
    table = migrating(labor=6, camps=[1]).do("travel 1>0")
    assert camps(table) == [0]
    table.do("travel 0>4")
    assert camps(table) == [4]


@pytest.mark.rule("MIG-08")
def test_a_free_move_may_lead_onto_the_base_and_over_it() -> None:
    table = scene(2).player(0, camps=[1]).gain(0, "move 2").do("move 1>0", "move 0>4")
    assert camps(table) == [4]


@pytest.mark.rule("MIG-08")
def test_the_base_gives_no_eclipse_benefit() -> None:
    """One leads on the Base alone, the other on a canyon: only the canyon pays."""
    table = scene(2).all_terrain("canyon").player(0, camps=[0, 0, 0]).player(1, camps=[1])
    after_last_eclipse(table)
    assert (table.score(0), table.score(1)) == (0, 2)
    assert (table.at(0).food, table.at(0).tools) == (0, 0)


@pytest.mark.rule("MIG-08")
def test_a_pack_cannot_give_the_base_a_benefit(tmp_path: Path) -> None:
    for pack in FROZEN.parent.glob("*.toml"):
        text = pack.read_text(encoding="utf-8")
        if pack == FROZEN:
            printed = 'kind = "base"\ncopies = 1\nbenefit = ""'
            assert text.count(printed) == 1
            text = text.replace(printed, printed.replace('""', '"point 2"'))
        (tmp_path / pack.name).write_text(text, encoding="utf-8")
    with pytest.raises(ContentError, match="Base tile has no benefit"):
        load(tmp_path / FROZEN.name)
