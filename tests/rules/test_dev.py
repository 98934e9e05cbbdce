"""Develop: Culture cards and Sacred Stones."""

from __future__ import annotations

from typing import Any

import pytest

from endless_winter.rules.zones import EMPTY
from tests.rules.scene import CARDS, STONES, Scene, scene

ERA_1 = ["woodland_stone", "pillar_stone", "boundary_stone", "wayfarer_stone"]
ERA_2 = ["grave_stone", "tower_stone", "idol_stone", "fang_stone"]


def developing(*, labor: int = 0, round_: int = 1, **fields: Any) -> Scene:
    """Seat 0 has just placed the round's first figure in Develop; Labor in halves."""
    table = scene(2, round_=round_).stones(ERA_1, ERA_2).player(0, **fields).table(labor=labor)
    return table.do("place tribe develop")


def stones(*names: str) -> list[str]:
    """The options that take these Stones, in the order of the list."""
    return [f"stone {name}" for name in sorted(names, key=lambda name: STONES[name])]


# --- the top ---


@pytest.mark.rule("DEV-01")
def test_a_culture_card_costs_three_labor_and_comes_to_hand() -> None:
    table = developing(labor=7).display("bone_flute", "ember_feast").do("develop ember_feast")
    assert table.names(0, "hand") == ["ember_feast"]
    assert table.position.labor == 1
    assert (table.at(0).food, table.at(0).tools) == (0, 0)


@pytest.mark.rule("DEV-01")
def test_any_card_of_the_display_can_be_developed() -> None:
    table = developing(labor=6).display("bone_flute", "", "ember_feast", "", "", "", "", "pit_trap")
    assert table.offers("develop") == [
        "develop bone_flute",
        "develop ember_feast",
        "develop pit_trap",
    ]


@pytest.mark.rule("DEV-01")
@pytest.mark.parametrize("labor", [0, 2, 5])
def test_with_less_than_three_labor_nothing_is_developed(labor: int) -> None:
    table = developing(labor=labor, hand=["brave"]).display("bone_flute", "ember_feast")
    assert table.offers("develop") == []


@pytest.mark.rule("DEV-01")
def test_several_culture_cards_can_be_developed_in_a_turn() -> None:
    table = developing(labor=13).display("bone_flute", "ember_feast", "pit_trap")
    table.do("develop bone_flute", "develop pit_trap")
    assert sorted(table.names(0, "hand")) == ["bone_flute", "pit_trap"]
    assert table.position.labor == 1


@pytest.mark.rule("DEV-01")
def test_the_space_of_a_developed_card_stays_empty() -> None:
    table = developing(labor=6).display("bone_flute", "ember_feast", "pit_trap")
    deck = table.position.culture[0]
    table.do("develop ember_feast")
    row = bytes((CARDS["bone_flute"], EMPTY, CARDS["pit_trap"]))
    assert table.position.display == row + bytes((EMPTY,)) * 5
    assert table.position.culture[0] == deck


@pytest.mark.rule("DEV-01")
def test_the_display_is_filled_again_in_the_preparation_phase() -> None:
    table = developing(labor=6).display(
        "bone_flute", "ember_feast", "pit_trap", "hide_tents", "twin_totems", "", "", ""
    )
    table.table(culture=[bytes(CARDS[c] for c in ("long_drum", "trail_signs")), b""])
    table.do("develop ember_feast").eclipse()
    while table.position.round == 1:
        table.do("leave")
    assert table.position.display[:6] == bytes(
        CARDS[card]
        for card in (
            "bone_flute",
            "long_drum",
            "pit_trap",
            "hide_tents",
            "twin_totems",
            "trail_signs",
        )
    )


@pytest.mark.rule("DEV-01")
def test_with_an_empty_display_there_is_nothing_to_develop() -> None:
    table = developing(labor=12, hand=["brave"])
    assert table.offers("develop") == []


# --- the middle ---


@pytest.mark.rule("DEV-02")
@pytest.mark.parametrize("round_", [1, 2])
def test_in_era_one_stones_come_from_the_left_section_only(round_: int) -> None:
    table = developing(round_=round_, food=5, tools=5)
    assert table.offers("stone") == stones(*ERA_1)


@pytest.mark.rule("DEV-02")
@pytest.mark.parametrize("round_", [3, 4])
def test_in_era_two_stones_come_from_either_section(round_: int) -> None:
    table = developing(round_=round_, food=5, tools=5)
    assert table.offers("stone") == stones(*ERA_1, *ERA_2)


@pytest.mark.rule("DEV-02")
@pytest.mark.parametrize(
    ("taken", "food", "tools"),
    [([], 2, 1), (ERA_1[:1], 3, 2), (ERA_1[:2], 4, 3)],
)
def test_a_stone_costs_what_the_next_space_from_the_left_shows(
    taken: list[str], food: int, tools: int
) -> None:
    table = developing(stones=taken, food=5, tools=4).stones(ERA_1[2:], [])
    table.do("stone wayfarer_stone")
    assert (table.at(0).food, table.at(0).tools) == (5 - food, 4 - tools)
    assert table.names(0, "stones") == [*taken, "wayfarer_stone"]


@pytest.mark.rule("DEV-02")
@pytest.mark.parametrize(
    ("taken", "food", "tools"),
    [([], 2, 1), (ERA_1[:1], 3, 2), (ERA_1[:2], 4, 3)],
)
def test_who_cannot_pay_in_full_gets_no_stone(taken: list[str], food: int, tools: int) -> None:
    exact = developing(stones=taken, food=food, tools=tools).stones(ERA_1[2:], [])
    assert exact.offers("stone") == stones(*ERA_1[2:])
    less_food = developing(stones=taken, food=food - 1, tools=5, hand=["brave"])
    assert less_food.stones(ERA_1[2:], []).offers("stone") == []
    fewer_tools = developing(stones=taken, food=5, tools=tools - 1, hand=["brave"])
    assert fewer_tools.stones(ERA_1[2:], []).offers("stone") == []


@pytest.mark.rule("DEV-02")
def test_a_board_takes_three_stones_and_no_more() -> None:
    third = developing(stones=ERA_1[:2], food=5, tools=5).stones(ERA_1[2:], [])
    assert third.offers("stone") == stones(*ERA_1[2:])
    fourth = developing(stones=ERA_1[:3], food=5, tools=5).stones(ERA_1[3:], [])
    assert fourth.offers("stone") == []


@pytest.mark.rule("DEV-02")
def test_a_taken_stone_is_not_replaced() -> None:
    table = developing(round_=3, food=5, tools=5, hand=["brave"]).do("stone tower_stone")
    in_play = [sorted(STONES[name] for name in era) for era in (ERA_1, ERA_2)]
    in_play[1].remove(STONES["tower_stone"])
    assert [list(era) for era in table.position.stones] == in_play


@pytest.mark.rule("DEV-02")
def test_one_stone_a_turn_is_taken_in_the_middle() -> None:
    table = developing(food=5, tools=5, hand=["brave"]).do("stone pillar_stone", "honor")
    assert table.kind == "act"
    assert table.offers("stone") == []


@pytest.mark.rule("DEV-02")
def test_taking_a_stone_needs_no_labor_and_leaves_it_alone() -> None:
    table = developing(labor=3, food=2, tools=1, hand=["brave"]).do("stone pillar_stone", "honor")
    assert table.position.labor == 3


@pytest.mark.rule("DEV-02")
def test_an_effect_that_takes_a_stone_costs_the_same() -> None:
    table = scene(2).stones(ERA_1, ERA_2).player(0, food=4, tools=3).gain(0, "stone")
    assert table.texts == [*stones(*ERA_1), "leave"]
    table.do("stone pillar_stone")
    assert (table.at(0).food, table.at(0).tools) == (2, 2)
    assert table.names(0, "stones") == ["pillar_stone"]


@pytest.mark.rule("DEV-02")
def test_an_effect_brings_no_stone_to_who_cannot_pay() -> None:
    table = scene(2).stones(ERA_1, ERA_2).player(0, food=1, tools=5).gain(0, "stone")
    assert table.kind == "turn"
    assert table.at(0).stones == b""


# --- what it covers ---


@pytest.mark.rule("DEV-03")
@pytest.mark.parametrize(
    ("taken", "idol", "megalith"),
    [([], True, False), (ERA_1[:1], False, True), (ERA_1[:2], True, True)],
)
def test_placing_a_stone_gives_at_once_what_its_space_shows(
    taken: list[str], idol: bool, megalith: bool
) -> None:
    """The spaces of the frozen pack show an Idol; a Megalith; a Megalith and an Idol."""
    table = developing(stones=taken, food=5, tools=5).stones(ERA_1[2:], [])
    table.do("stone wayfarer_stone")
    assert (table.seat, table.kind) == (0, "gain")
    assert table.can("honor") == idol
    assert bool(table.offers("megalith")) == megalith


@pytest.mark.rule("DEV-03")
def test_the_benefit_of_the_space_comes_once() -> None:
    table = developing(food=2, tools=1, hand=["brave"]).do("stone pillar_stone", "honor")
    assert table.at(0).honor == 1
    assert table.kind == "act"


@pytest.mark.rule("DEV-03")
def test_an_effect_that_takes_a_stone_gives_the_benefit_too() -> None:
    table = scene(2).stones(ERA_1, []).player(0, food=2, tools=1).gain(0, "stone")
    table.do("stone pillar_stone", "offering")
    assert table.at(0).offering == 1


@pytest.mark.rule("DEV-03")
def test_the_price_is_paid_before_the_benefit_comes() -> None:
    table = developing(food=2, tools=1).do("stone pillar_stone")
    assert (table.at(0).food, table.at(0).tools) == (0, 0)
    assert table.can("idol as tool", "idol as food")


# --- the bottom ---


@pytest.mark.rule("DEV-04")
def test_the_bottom_of_develop_gives_one_tool_and_one_food() -> None:
    table = developing(food=1, tools=1, labor=3, hand=["brave"]).do("bottom", "tools 1 food 0")
    assert (table.at(0).food, table.at(0).tools, table.position.labor) == (2, 2, 3)
    assert table.kind == "act"
    assert not table.can("bottom")


@pytest.mark.rule("DEV-04")
def test_the_tool_of_the_bottom_may_be_food() -> None:
    table = developing(hand=["brave"]).do("bottom")
    assert table.texts == ["tools 1 food 0", "tools 0 food 1", "leave"]
    table.do("tools 0 food 1")
    assert (table.at(0).food, table.at(0).tools) == (2, 0)


@pytest.mark.rule("DEV-04")
def test_with_both_stores_full_the_bottom_brings_nothing() -> None:
    table = developing(food=6, tools=5, hand=["brave"]).do("bottom", "leave")
    assert (table.at(0).food, table.at(0).tools) == (6, 5)
    assert table.kind == "act"


@pytest.mark.rule("DEV-01")
def test_an_empty_display_gives_a_point_for_3_labor() -> None:
    table = developing(hand=["brave"]).table(labor=6)
    assert table.can("develop-point")
    table.do("develop-point")
    assert (table.score(0), table.position.labor) == (1, 0)
    assert not table.can("develop-point")


@pytest.mark.rule("DEV-01")
def test_it_costs_3_labor_and_there_must_be_no_card() -> None:
    assert not developing(hand=["brave"]).table(labor=5).can("develop-point")
    assert not developing(hand=["brave"]).table(labor=6).display("bone_flute").can("develop-point")
