"""Hunt: Animals in the Hunting Grounds, in the own area, and tipped."""

from __future__ import annotations

from typing import Any

import pytest

from endless_winter.rules.scoring import animal_points
from endless_winter.rules.zones import EMPTY
from tests.rules.nomad_scene import PLAYER, solo
from tests.rules.scene import ANIMALS, TABLES, Scene, scene

RHINO = "woolly_rhino"
SLOTH = "ground_sloth"
TIGER = "saber_toothed_tiger"
GLYPTODON = "glyptodon"
BEAR = "short_faced_bear"
MAMMOTH = "woolly_mammoth"
BIRD = "argentavis"


def hunting(*, labor: int = 0, players: int = 2, **fields: Any) -> Scene:
    """Seat 0 has just placed the round's first figure in Hunt; Labor in halves."""
    return scene(players).player(0, **fields).table(labor=labor).do("place tribe hunt")


def grounds(table: Scene) -> list[str]:
    """The Hunting Grounds place by place, "" where there is none."""
    return ["" if a == EMPTY else TABLES.animals[a].name for a in table.position.grounds]


def deck(table: Scene) -> list[str]:
    return [TABLES.animals[animal].name for animal in table.position.animals]


# --- the top: revealing ---


@pytest.mark.rule("HUN-01")
def test_one_labor_reveals_the_top_two_animals() -> None:
    table = hunting(labor=3, tools=1).grounds(BEAR).animal_deck(SLOTH, TIGER, RHINO)
    table.do("reveal-two")
    assert grounds(table) == [BEAR, SLOTH, TIGER, "", "", ""]
    assert deck(table) == [RHINO]
    assert table.position.labor == 1
    assert table.at(0).tools == 1


@pytest.mark.rule("HUN-01")
@pytest.mark.parametrize("labor", [0, 1])
def test_without_a_whole_labor_nothing_is_revealed(labor: int) -> None:
    assert not hunting(labor=labor, tools=5).animal_deck(RHINO, RHINO).can("reveal-two")


@pytest.mark.rule("HUN-01")
def test_revealing_can_be_repeated_up_to_six_animals() -> None:
    table = hunting(labor=8).animal_deck(*[SLOTH] * 9)
    table.do("reveal-two", "reveal-two", "reveal-two")
    assert grounds(table) == [SLOTH] * 6
    assert len(deck(table)) == 3
    assert table.position.labor == 2
    assert not table.can("reveal-two")


@pytest.mark.rule("HUN-01")
def test_with_five_animals_there_only_one_is_added_for_the_labor() -> None:
    table = hunting(labor=4, hand=["brave"]).grounds(*[BEAR] * 5).animal_deck(SLOTH, TIGER)
    table.do("reveal-two")
    assert grounds(table) == [*[BEAR] * 5, SLOTH]
    assert deck(table) == [TIGER]
    assert table.position.labor == 2


@pytest.mark.rule("HUN-01")
def test_with_four_animals_there_both_are_added() -> None:
    table = hunting(labor=2).grounds(*[BEAR] * 4).animal_deck(SLOTH, TIGER, RHINO)
    table.do("reveal-two")
    assert grounds(table) == [*[BEAR] * 4, SLOTH, TIGER]


@pytest.mark.rule("HUN-01")
def test_with_six_animals_there_revealing_is_impossible() -> None:
    table = hunting(labor=4, hand=["brave"]).grounds(*[BEAR] * 6).animal_deck(SLOTH, TIGER)
    assert not table.can("reveal-two")


@pytest.mark.rule("HUN-01")
def test_with_an_empty_deck_revealing_is_impossible() -> None:
    assert not hunting(labor=4, hand=["brave"]).grounds(BEAR).animal_deck().can("reveal-two")


@pytest.mark.rule("HUN-01")
def test_the_last_card_of_the_deck_is_revealed_alone() -> None:
    table = hunting(labor=2, hand=["brave"]).grounds(BEAR).animal_deck(SLOTH)
    table.do("reveal-two")
    assert grounds(table) == [BEAR, SLOTH, "", "", "", ""]
    assert deck(table) == []
    assert table.position.labor == 0


@pytest.mark.rule("HUN-01")
def test_revealed_animals_take_the_first_free_places() -> None:
    table = hunting(labor=2).grounds(BEAR, "", TIGER).animal_deck(SLOTH, RHINO)
    table.do("reveal-two")
    assert grounds(table) == [BEAR, SLOTH, TIGER, RHINO, "", ""]


# --- the top: hunting ---


@pytest.mark.rule("HUN-02")
def test_one_tool_and_one_labor_take_an_animal_of_the_grounds() -> None:
    table = hunting(labor=3, tools=2, animals=[BEAR]).grounds(SLOTH, TIGER, RHINO)
    table.do(f"hunt {TIGER}")
    assert sorted(table.names(0, "animals")) == sorted([BEAR, TIGER])
    assert grounds(table) == [SLOTH, "", RHINO, "", "", ""]
    assert (table.at(0).tools, table.position.labor) == (1, 1)


@pytest.mark.rule("HUN-02")
def test_any_animal_of_the_grounds_can_be_hunted_but_none_of_the_deck() -> None:
    table = hunting(labor=2, tools=1).grounds(SLOTH, "", MAMMOTH, BIRD, SLOTH).animal_deck(RHINO)
    assert sorted(table.offers("hunt")) == sorted(f"hunt {a}" for a in (SLOTH, MAMMOTH, BIRD))


@pytest.mark.rule("HUN-02")
@pytest.mark.parametrize(("labor", "tools"), [(2, 0), (1, 1), (0, 5), (10, 0)])
def test_without_a_tool_or_a_whole_labor_nothing_is_hunted(labor: int, tools: int) -> None:
    table = hunting(labor=labor, tools=tools, hand=["brave"]).grounds(SLOTH, TIGER)
    assert table.offers("hunt") == []


@pytest.mark.rule("HUN-02")
def test_hunting_can_be_repeated_also_for_the_same_type() -> None:
    table = hunting(labor=7, tools=4).grounds(SLOTH, SLOTH, TIGER)
    table.do(f"hunt {SLOTH}", f"hunt {SLOTH}", f"hunt {TIGER}")
    assert sorted(table.names(0, "animals")) == sorted([SLOTH, SLOTH, TIGER])
    assert (table.at(0).tools, table.position.labor) == (1, 1)


@pytest.mark.rule("HUN-02")
def test_the_worked_example_of_the_hunt() -> None:
    """A Hunter (1 + 1 Labor) and 3 Food (2 Labor) make 4 Labor; 2 Tools are spent with them."""
    table = hunting(food=3, tools=2, hand=["hunter"]).grounds(SLOTH)
    table.animal_deck(TIGER, RHINO, BEAR, GLYPTODON)
    table.do("play hunter", "eat 3")
    assert table.position.labor == 8
    table.do("reveal-two", f"hunt {TIGER}", "reveal-two", f"hunt {GLYPTODON}")
    assert table.names(0, "animals") == [TIGER, GLYPTODON]
    assert table.position.labor == 0
    assert (table.at(0).food, table.at(0).tools) == (0, 0)
    assert table.offers("hunt") == table.offers("reveal-two") == []


@pytest.mark.rule("HUN-02")
def test_with_grounds_and_deck_empty_hunting_scores_a_point() -> None:
    table = hunting(labor=5, tools=2, hand=["brave"]).animal_deck()
    table.do("hunt-point")
    assert table.score(0) == 1
    assert table.at(0).animals == b""
    assert (table.at(0).tools, table.position.labor) == (1, 3)
    table.do("hunt-point")
    assert table.score(0) == 2


@pytest.mark.rule("HUN-02")
@pytest.mark.parametrize(("labor", "tools"), [(2, 0), (1, 1)])
def test_the_point_costs_as_much_as_an_animal(labor: int, tools: int) -> None:
    table = hunting(labor=labor, tools=tools, hand=["brave"]).animal_deck()
    assert not table.can("hunt-point")


@pytest.mark.rule("HUN-02")
def test_with_only_the_grounds_empty_hunting_is_impossible() -> None:
    table = hunting(labor=4, tools=2).animal_deck(SLOTH)
    assert table.can("reveal-two")
    assert table.offers("hunt") == table.offers("hunt-point") == []


@pytest.mark.rule("HUN-02")
def test_with_only_the_deck_empty_there_is_no_point() -> None:
    table = hunting(labor=4, tools=2).grounds(SLOTH).animal_deck()
    assert table.offers("hunt") == [f"hunt {SLOTH}"]
    assert table.offers("hunt-point") == []


@pytest.mark.rule("HUN-03")
def test_the_place_of_a_hunted_animal_stays_empty() -> None:
    table = hunting(labor=4, tools=2).grounds(SLOTH, TIGER, RHINO).animal_deck(BEAR, GLYPTODON)
    table.do(f"hunt {SLOTH}", f"hunt {RHINO}", "end")
    assert grounds(table) == ["", TIGER, "", "", "", ""]
    assert deck(table) == [BEAR, GLYPTODON]


@pytest.mark.rule("HUN-03")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_grounds_are_refilled_in_the_preparation_phase(players: int) -> None:
    table = hunting(labor=2, tools=1, players=players).grounds(SLOTH).animal_deck(*[BEAR] * 9)
    table.do(f"hunt {SLOTH}").eclipse()
    assert grounds(table) == [""] * 6
    while table.position.round == 1:
        assert grounds(table) == [""] * 6
        table.do("leave")
    assert grounds(table) == [BEAR] * (players + 1) + [""] * (5 - players)


# --- the middle ---


@pytest.mark.rule("HUN-04")
@pytest.mark.parametrize(("animal", "food"), [(RHINO, 3), (SLOTH, 4), (MAMMOTH, 6)])
def test_tipping_an_animal_gives_its_benefit(animal: str, food: int) -> None:
    table = hunting(animals=[animal, BIRD], hand=["brave"]).do(f"tip {animal}")
    assert (table.at(0).food, table.at(0).tools) == (food, 0)
    assert table.names(0, "animals") == [BIRD]
    assert table.names(0, "tipped") == [animal]


@pytest.mark.rule("HUN-04")
def test_tipping_needs_no_labor_and_its_benefits_are_gained_by_the_usual_rules() -> None:
    table = hunting(labor=1, animals=[TIGER], tools=2, hand=["brave"]).do(f"tip {TIGER}")
    assert table.texts == ["tools 2 food 0", "tools 1 food 1", "tools 0 food 2", "leave"]
    table.do("tools 2 food 0")
    assert (table.at(0).tools, table.position.labor) == (4, 1)


@pytest.mark.rule("HUN-04")
def test_one_animal_a_turn_is_tipped_in_the_middle() -> None:
    table = hunting(animals=[RHINO, RHINO, SLOTH], hand=["brave"])
    assert table.offers("tip") == [f"tip {RHINO}", f"tip {SLOTH}"]
    table.do(f"tip {RHINO}")
    assert table.offers("tip") == []
    assert table.names(0, "animals") == [RHINO, SLOTH]


@pytest.mark.rule("HUN-04")
def test_an_animal_hunted_this_turn_may_be_tipped() -> None:
    table = hunting(labor=2, tools=1, hand=["brave"]).grounds(RHINO)
    table.do(f"hunt {RHINO}", f"tip {RHINO}")
    assert table.at(0).food == 3
    assert table.names(0, "tipped") == [RHINO]


@pytest.mark.rule("HUN-04")
def test_tipping_is_optional() -> None:
    table = hunting(animals=[RHINO]).do("end")
    assert table.names(0, "animals") == [RHINO]
    assert table.at(0).tipped == b""


@pytest.mark.rule("HUN-04")
def test_an_animal_can_be_tipped_also_if_its_benefit_is_lost() -> None:
    table = hunting(animals=[RHINO], food=6, hand=["brave"]).do(f"tip {RHINO}")
    assert table.at(0).food == 6
    assert table.names(0, "tipped") == [RHINO]


@pytest.mark.rule("HUN-04")
def test_a_tipped_animal_is_out_of_set_scoring() -> None:
    table = hunting(animals=[RHINO] * 3, hand=["brave"])
    assert animal_points(table.position, table.at(0)) == 6
    table.do(f"tip {RHINO}")
    assert animal_points(table.position, table.at(0)) == 3


@pytest.mark.rule("HUN-04")
def test_a_tipped_animal_stays_tipped_in_the_next_round() -> None:
    table = hunting(animals=[RHINO, SLOTH], hand=["brave"]).do(f"tip {RHINO}").eclipse()
    while table.position.round == 1:
        table.do("leave")
    assert table.names(0, "tipped") == [RHINO]
    assert table.names(0, "animals") == [SLOTH]


# --- the bottom ---


@pytest.mark.rule("HUN-05")
def test_the_bottom_of_hunt_takes_the_top_animal_of_the_deck() -> None:
    table = hunting(labor=1, tools=2, animals=[BEAR], hand=["brave"]).grounds(TIGER)
    table.animal_deck(SLOTH, RHINO).do("bottom")
    assert sorted(table.names(0, "animals")) == sorted([BEAR, SLOTH])
    assert deck(table) == [RHINO]
    assert grounds(table) == [TIGER, "", "", "", "", ""]
    assert (table.at(0).tools, table.position.labor) == (2, 1)
    assert table.score(0) == 0
    assert not table.can("bottom")


@pytest.mark.rule("HUN-05")
def test_with_an_empty_deck_the_bottom_of_hunt_scores_a_point() -> None:
    table = hunting(hand=["brave"]).grounds(TIGER).animal_deck().do("bottom")
    assert table.score(0) == 1
    assert table.at(0).animals == b""
    assert grounds(table) == [TIGER, "", "", "", "", ""]


@pytest.mark.rule("HUN-05")
def test_an_animal_of_the_bottom_comes_too_late_to_be_tipped() -> None:
    table = hunting(hand=["brave"]).animal_deck(RHINO).do("bottom")
    assert table.offers("tip") == []


@pytest.mark.rule("HUN-05")
def test_the_animal_of_the_bottom_is_upright() -> None:
    table = hunting(hand=["brave"]).animal_deck(MAMMOTH).do("bottom")
    assert table.at(0).animals == bytes((ANIMALS[MAMMOTH],))
    assert table.at(0).tipped == b""
    assert table.at(0).food == 0


# --- tipped once ---


@pytest.mark.rule("HUN-06")
def test_a_tipped_animal_cannot_be_tipped_in_hunt() -> None:
    table = hunting(tipped=[RHINO, SLOTH], animals=[SLOTH], hand=["brave"])
    assert table.offers("tip") == [f"tip {SLOTH}"]
    assert hunting(tipped=[RHINO], hand=["brave"]).offers("tip") == []


@pytest.mark.rule("HUN-06")
def test_a_tipped_animal_cannot_be_tipped_by_an_effect() -> None:
    table = scene(2).player(0, tipped=[RHINO, TIGER], animals=[SLOTH]).gain(0, "tip 2")
    assert table.texts == [f"tip {SLOTH}", "leave"]
    table.do(f"tip {SLOTH}")
    assert table.kind == "turn"
    assert sorted(table.names(0, "tipped")) == sorted([RHINO, TIGER, SLOTH])


@pytest.mark.rule("HUN-06")
def test_with_only_tipped_animals_an_effect_tips_nothing() -> None:
    table = scene(2).player(0, tipped=[RHINO]).gain(0, "tip")
    assert table.kind == "turn"
    assert table.at(0).food == 0


@pytest.mark.rule("HUN-06")
def test_a_tipped_animal_cannot_be_tipped_at_rest() -> None:
    table = scene(2).player(0, tipped=[RHINO], animals=[SLOTH], deck=["brave"])
    table.do("place tribe rest", "draw")
    assert table.offers("tip") == [f"tip {SLOTH}"]


@pytest.mark.rule("HUN-06")
def test_each_of_two_equal_animals_can_be_tipped_once() -> None:
    table = scene(2).player(0, animals=[RHINO, RHINO], camps=[0, 0]).gain(0, "tip 3")
    table.do(f"tip {RHINO}", f"tip {RHINO}")
    assert table.kind == "turn"
    assert table.names(0, "tipped") == [RHINO, RHINO]
    assert table.at(0).food == 6


# --- which of two equal Animals ---


@pytest.mark.rule("HUN-02")
def test_in_solo_equal_animals_on_different_places_are_different_options() -> None:
    """What is left decides what the Nomad takes (SOL-10)."""
    table = solo().grounds(RHINO, SLOTH, RHINO).player(PLAYER, tools=1, hand=["brave"])
    table.turn(PLAYER).table(labor=2).do("place tribe hunt")
    assert table.offers("hunt") == [f"hunt {RHINO} 0", f"hunt {RHINO} 2", f"hunt {SLOTH}"]
    table.do(f"hunt {RHINO} 2")
    assert grounds(table)[:3] == [RHINO, SLOTH, ""]
    assert table.names(PLAYER, "animals") == [RHINO]


@pytest.mark.rule("HUN-02")
def test_so_they_are_when_an_effect_brings_an_animal() -> None:
    table = solo().grounds(RHINO, "", "", RHINO).gain(PLAYER, "animal")
    assert table.texts == [f"animal {RHINO} 0", f"animal {RHINO} 3", "leave"]
    table.do(f"animal {RHINO} 3")
    assert grounds(table)[0] == RHINO


@pytest.mark.rule("HUN-02")
def test_among_people_equal_animals_are_one_option() -> None:
    table = hunting(labor=2, tools=1, hand=["brave"]).grounds(RHINO, SLOTH, RHINO)
    assert table.offers("hunt") == [f"hunt {RHINO}", f"hunt {SLOTH}"]


@pytest.mark.rule("HUN-02")
def test_an_animal_icon_is_a_point_when_grounds_and_deck_are_empty() -> None:
    table = scene(2).animal_deck().player(0, hand=["brave"]).gain(0, "animal 2")
    assert (table.score(0), table.points(0, "empty_supply"), table.kind) == (2, 2, "turn")
    assert table.score(1) == 0


@pytest.mark.rule("HUN-02")
def test_an_animal_icon_is_nothing_when_only_the_grounds_are_empty() -> None:
    table = scene(2).animal_deck("glyptodon").gain(0, "animal")
    assert (table.score(0), table.at(0).animals, table.kind) == (0, b"", "turn")
    table = scene(2).animal_deck("glyptodon").player(0, food=5).gain(0, "animal, food 2")
    assert (table.at(0).food, table.kind) == (6, "turn")


@pytest.mark.rule("HUN-02")
def test_an_animal_icon_takes_the_last_of_the_grounds_when_the_deck_is_empty() -> None:
    table = scene(2).grounds("glyptodon").animal_deck().gain(0, "animal")
    assert table.texts == ["animal glyptodon", "leave"]
    assert table.score(0) == 0


@pytest.mark.rule("HUN-05")
def test_a_beast_icon_is_a_point_when_the_deck_is_empty_though_the_grounds_are_not() -> None:
    table = scene(2).grounds("glyptodon").animal_deck().gain(0, "beast 2")
    assert (table.score(0), table.kind) == (2, "turn")


def test_other_benefits_are_no_points_when_there_is_nothing_to_hunt() -> None:
    table = scene(2).animal_deck().gain(0, "tool")
    assert (table.score(0), table.offers("tools")) == (0, ["tools 1 food 0", "tools 0 food 1"])
