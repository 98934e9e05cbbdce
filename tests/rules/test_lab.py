"""LAB: Labor of Tribe cards, of Food, and where their abilities work."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from endless_winter.content import load
from endless_winter.rules import agenda, events
from endless_winter.rules.turn import eat
from tests.rules.scene import FROZEN, Scene, pool, scene

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = ["initiate", "develop", "migrate", "hunt"]
TRIBES = ["hunter", "crafter", "shaman", "pathfinder", "elder"]


def eating(food: int, camps: int = 1) -> Scene:
    """In Develop with Food and a card in hand, so that nothing is forced."""
    return (
        scene(2)
        .player(0, food=food, camps=[0] * camps, hand=["tribesman"])
        .do("place tribe develop")
    )


# --- LAB-01 ---


@pytest.mark.rule("LAB-01")
@pytest.mark.parametrize(
    ("card", "halves"),
    [("tribesman", 2), ("tribeswoman", 3), ("shaman", 3), ("crafter", 2), ("elder", 2)],
)
def test_a_tribe_card_gives_its_printed_labor(card: str, halves: int) -> None:
    table = scene(2).player(0, hand=[card, "tribesman"]).do("place tribe hunt", f"play {card}")
    assert table.position.labor == halves
    assert table.names(0, "above") == [card]
    assert table.names(0, "hand") == ["tribesman"]


@pytest.mark.rule("LAB-01")
def test_two_halves_make_one_labor() -> None:
    """1 1/2 pay for one action; with 1 1/2 more it is 3 altogether."""
    table = scene(2).player(0, hand=["shaman", "shaman"]).display("bone_flute")
    table.do("place tribe develop", "play shaman")
    assert table.offers("develop") == []
    table.do("play shaman")
    assert table.can("develop bone_flute")
    table.do("develop bone_flute")
    assert table.position.labor == 0


@pytest.mark.rule("LAB-01")
def test_a_half_alone_pays_for_nothing() -> None:
    table = scene(2).player(0, hand=["shaman", "tribesman"]).do("place tribe migrate")
    assert table.offers("travel") == []
    table.do("play shaman")
    assert table.can("travel 0>1")
    table.do("travel 0>1")
    assert table.position.labor == 1
    assert table.offers("travel") == []
    table.do("play tribesman", "travel 1>2")
    assert table.position.labor == 1


@pytest.mark.rule("LAB-01")
def test_any_number_of_tribe_cards_can_be_played_also_none() -> None:
    table = scene(2).player(0, hand=["tribesman"] * 5)
    assert Scene(table.position.copy()).do("place tribe hunt", "end").seat == 1
    table.do("place tribe hunt", *["play tribesman"] * 5)
    assert table.position.labor == 10
    assert table.at(0).hand == b""


@pytest.mark.rule("LAB-01")
def test_tribe_cards_can_be_played_at_any_time_in_step_2() -> None:
    table = scene(2).player(0, hand=["tribesman"] * 4, animals=["woolly_rhino"])
    table.animal_deck("glyptodon", "argentavis", "argentavis")
    table.do("place tribe hunt", "play tribesman", "reveal-two", "play tribesman")
    table.do("tip woolly_rhino", "play tribesman", "bottom", "play tribesman")
    assert table.position.labor == 6
    assert table.names(0, "above") == ["tribesman"] * 4


@pytest.mark.rule("LAB-01")
def test_tribe_cards_are_played_from_hand_only() -> None:
    table = scene(2).player(0, hand=["elder"], deck=["hunter"], discard=["crafter"])
    assert table.do("place tribe hunt").offers("play") == ["play elder"]


@pytest.mark.rule("LAB-01")
def test_culture_cards_are_not_played_for_labor() -> None:
    table = scene(2).player(0, hand=["elder", "working_song"]).do("place tribe hunt")
    assert table.offers("play") == ["play elder"]


@pytest.mark.rule("LAB-01")
def test_on_a_rest_turn_no_tribe_card_can_be_played() -> None:
    table = scene(2).player(0, hand=["elder", "brave"], deck=["hunter"], animals=["glyptodon"])
    table.do("place chief rest")
    assert table.offers("play") == []
    table.do("draw")
    assert table.offers("play") == []
    assert table.do("tip glyptodon", "leave").offers("play") == []


@pytest.mark.rule("LAB-01")
def test_a_card_drawn_by_an_action_can_be_played_before_its_burial() -> None:
    """The Idol draws a Tribeswoman: she is played, used, and may then be buried from there."""
    table = scene(2).player(0, food=1, offering=1, deck=["tribeswoman"])
    table.do("place tribe initiate", "bottom", "offering", "draw")
    assert table.can("bury tribeswoman hand", "play tribeswoman")
    table.do("play tribeswoman")
    assert table.position.labor == 3
    assert table.can("use tribeswoman 0", "bury tribeswoman above")
    table.do("use tribeswoman 0", "tools 1 food 0", "bury tribeswoman above")
    assert (table.at(0).food, table.at(0).tools) == (0, 1)
    assert table.names(0, "buried") == ["tribeswoman"]


@pytest.mark.rule("LAB-01")
def test_a_card_just_taken_cannot_be_played_then_either() -> None:
    table = scene(2).player(0, tools=1, food=1, hand=["elder", "brave"])
    table.do("place tribe initiate", "play elder", "initiate hunter", "rite")
    assert table.can("bury hunter hand", "play brave")
    assert not table.can("play hunter")


@pytest.mark.rule("LAB-01")
@pytest.mark.parametrize(
    ("text", "matters"),
    [
        ("bury", True),
        ("draw", True),
        ("culture", True),
        ("stone", True),
        ("idol", False),
        ("megalith", False),
        ("move", False),
        ("tip", False),
        ("tool", False),
        ("animal", False),
    ],
)
def test_cards_are_offered_where_playing_first_can_change_what_is_possible(
    text: str, matters: bool
) -> None:
    table = scene(2).player(0, hand=["brave"], food=2, tools=1, animals=["ground_sloth"])
    table.display("bone_flute").grounds("glyptodon").stones(["wayfarer_stone"], [])
    table.do("place tribe develop")
    table.table(agenda=[*table.position.agenda, (agenda.GAIN, 0, 0, pool(text))])
    assert table.kind == "gain"
    assert table.offers("play") == (["play brave"] if matters else [])


@pytest.mark.rule("LAB-01")
@pytest.mark.parametrize("hand", [["brave"], ["tribeswoman"], ["bone_flute"]])
def test_a_stone_that_a_card_might_pay_for_is_asked_for_with_any_hand(hand: list[str]) -> None:
    """1 Tool is lacking; whether there is a Tribeswoman in hand must not show."""
    table = scene(2).player(0, hand=hand, food=3).stones(["wayfarer_stone"], [])
    table.do("place tribe hunt")
    table.table(agenda=[*table.position.agenda, (agenda.GAIN, 0, 0, pool("stone"))])
    assert table.kind == "gain"
    assert table.offers("stone") == []
    if hand == ["tribeswoman"]:
        table.do("play tribeswoman", "use tribeswoman 0", "tools 1 food 0")
        assert table.can("stone wayfarer_stone")


@pytest.mark.rule("LAB-01")
def test_without_cards_it_is_not_asked_for() -> None:
    table = scene(2).player(0, food=3).stones(["wayfarer_stone"], []).do("place tribe hunt")
    table.table(agenda=[*table.position.agenda, (agenda.GAIN, 0, 0, pool("stone"))])
    assert table.kind == "act"


@pytest.mark.rule("LAB-01", "LAB-04")
def test_food_that_has_no_room_waits_for_what_makes_room() -> None:
    """A tip of 3 Food with 5 of 6: a card's ability or Labor may use some of it first."""
    table = scene(2).player(0, food=5, hand=["tribeswoman"], animals=["woolly_rhino"])
    table.do("place tribe hunt", "tip woolly_rhino")
    assert table.texts == ["food 3", "leave", "play tribeswoman", "eat 5", "eat 3", "eat 1"]
    table.do("play tribeswoman", "use tribeswoman 0", "tools 1 food 0", "eat 2")
    assert table.kind == "act"
    assert (table.at(0).food, table.at(0).tools, table.position.labor) == (5, 1, 5)


@pytest.mark.rule("LAB-01")
def test_on_a_rest_turn_no_card_is_played_between_benefits_either() -> None:
    table = scene(2).player(0, hand=["brave"], food=5, deck=["elder"], animals=["woolly_rhino"])
    table.do("place tribe rest", "draw", "tip woolly_rhino")
    assert table.at(0).food == 6
    assert table.kind != "gain"


@pytest.mark.rule("LAB-01")
def test_outside_the_own_step_2_no_card_is_played_between_benefits() -> None:
    table = scene(2).player(0, hand=["brave"]).gain(0, "bury")
    assert table.texts == ["bury brave hand", "leave"]
    first = scene(2).player(0, hand=["brave", "first_cairn"]).do("culture first_cairn")
    assert first.offers("play") == []


@pytest.mark.rule("LAB-01", "ICO-06")
def test_before_a_discard_a_card_can_be_played_as_long_as_enough_are_left() -> None:
    table = scene(2).player(0, hand=["brave", "elder"]).do("place tribe hunt")
    table.table(agenda=[*table.position.agenda, (agenda.PAY_DISCARD, 0, 1, b"")])
    assert table.texts == ["discard elder", "discard brave", "play elder", "play brave"]
    table.do("play brave")
    assert table.kind == "act"  # the only card left is discarded without a question
    assert table.names(0, "discard") == ["elder"]


# --- LAB-02 ---


@pytest.mark.rule("LAB-02")
@pytest.mark.parametrize("place", COLUMNS)
@pytest.mark.parametrize(
    ("card", "column"),
    [
        ("hunter", "hunt"),
        ("crafter", "develop"),
        ("pathfinder", "migrate"),
        ("elder", "initiate"),
    ],
)
def test_added_labor_with_a_column_icon_counts_in_that_column_only(
    card: str, column: str, place: str
) -> None:
    """The Crafter of the rulebook: 1 Labor, and 1 Added Labor in Develop."""
    table = scene(2).player(0, hand=[card, "shaman"]).do(f"place tribe {place}", f"play {card}")
    assert table.position.labor == (4 if place == column else 2)


@pytest.mark.rule("LAB-02")
def test_an_own_earlier_figure_in_the_column_does_not_count() -> None:
    table = scene(2).player(0, hand=["hunter", "shaman"], figures=["hunt", "hunt", ""])
    table.do("place tribe develop", "play hunter")
    assert table.position.labor == 2


@pytest.mark.rule("LAB-02")
@pytest.mark.parametrize("place", COLUMNS)
def test_the_brave_adds_1_labor_in_every_column(place: str) -> None:
    """The Brave of the rulebook: 1 1/2 Labor, and 1 Added Labor in step 2."""
    table = scene(2).player(0, hand=["brave", "shaman"]).do(f"place tribe {place}", "play brave")
    assert table.position.labor == 5


@pytest.mark.rule("LAB-02")
@pytest.mark.parametrize("place", COLUMNS)
def test_the_tribeswoman_s_exchange_works_in_every_column(place: str) -> None:
    """The Tribeswoman of the rulebook: 1 1/2 Labor, and once 1 Food for 1 Tool."""
    table = scene(2).player(0, hand=["tribeswoman"], food=2)
    table.do(f"place tribe {place}", "play tribeswoman")
    assert table.position.labor == 3
    table.do("use tribeswoman 0", "tools 1 food 0")
    assert (table.at(0).food, table.at(0).tools) == (1, 1)


@pytest.mark.rule("LAB-02")
def test_an_ability_without_an_icon_waits_until_it_is_wanted() -> None:
    """From being played until step 3: also after the sections, and with Food that came later."""
    table = scene(2).player(0, hand=["tribeswoman", "elder"], animals=["woolly_rhino"])
    table.do("place tribe hunt", "play tribeswoman")
    assert table.offers("use") == []  # no Food yet
    table.do("tip woolly_rhino")
    assert table.can("use tribeswoman 0")
    table.do("bottom")
    table.do("use tribeswoman 0", "tools 1 food 0")
    assert (table.at(0).food, table.at(0).tools) == (2, 1)


@pytest.mark.rule("LAB-02")
def test_an_ability_in_hand_or_of_an_earlier_turn_cannot_be_used() -> None:
    table = scene(2).player(0, hand=["tribeswoman", "tribeswoman"], food=3)
    table.do("place tribe hunt")
    assert table.offers("use") == []
    table.do("play tribeswoman")
    assert table.offers("use") == ["use tribeswoman 0"]
    table.do("end", "place tribe rest", "draw as food", "place tribe hunt")
    assert table.seat == 0
    assert table.offers("use") == []


@pytest.mark.rule("LAB-02")
def test_eclipse_abilities_do_nothing_when_the_card_is_played_in_step_2() -> None:
    """Hunter: Food 2; Tribesman: Food; Crafter: Tool; Shaman: Idol; Pathfinder: trek."""
    hand = ["hunter", "crafter", "shaman", "pathfinder", "tribesman"]
    table = scene(2).player(0, hand=hand).do("place tribe hunt", *[f"play {c}" for c in hand])
    assert table.offers("use") == []
    table.do("end")
    assert (table.at(0).food, table.at(0).tools) == (0, 0)
    assert (table.at(0).offering, table.at(0).honor) == (0, 0)


@pytest.mark.rule("LAB-02")
def test_an_eclipse_ability_works_from_the_eclipse_pile_and_only_it() -> None:
    """Hunter: 2 Food. Tribeswoman: 1 Food, and no exchange of Food for a Tool."""
    table = scene(2).player(0, pile=["hunter", "tribeswoman"]).eclipse()
    while table.can("leave"):
        assert table.offers("use") == []
        assert not table.can("card tribeswoman: pay")
        table.do("leave")
    assert table.at(0).food == 3
    assert table.at(0).tools == 0


@pytest.mark.rule("LAB-02")
def test_cards_in_the_discard_pile_bring_nothing_in_the_eclipse() -> None:
    table = scene(2).player(0, discard=["hunter"], hand=["hunter"]).eclipse()
    while table.can("leave"):
        table.do("leave")
    assert table.at(0).food == 0


@pytest.mark.rule("LAB-02")
def test_added_labor_with_a_condition_waits_for_the_condition(tmp_path: Path) -> None:
    """No card of the pack has one, so a Pathfinder is printed who wants 3 Camps."""
    shutil.copytree(FROZEN.parent, tmp_path, dirs_exist_ok=True)
    pack = tmp_path / FROZEN.name
    text = pack.read_text(encoding="utf-8").replace(
        "migrate: labor 1", "migrate: camps 3 ? labor 1"
    )
    pack.write_text(text, encoding="utf-8")
    table = scene(2).player(0, hand=["pathfinder", "elder"], camps=[0, 0], tools=1)
    table.table(tables=load(pack)).do("place tribe migrate", "play pathfinder")
    assert (table.position.labor, table.offers("use")) == (2, [])
    table.do("pitch", "use pathfinder 0")
    assert (table.position.labor, table.offers("use")) == (4, [])


# --- LAB-03 ---


@pytest.mark.rule("LAB-03")
def test_each_ability_of_a_played_card_can_be_used_once() -> None:
    table = scene(2).player(0, hand=["tribeswoman", "elder"], food=3)
    table.do("place tribe hunt", "play tribeswoman", "use tribeswoman 0", "tools 1 food 0")
    assert table.offers("use") == []
    assert table.at(0).food == 2


@pytest.mark.rule("LAB-03")
def test_two_equal_cards_give_two_uses() -> None:
    table = scene(2).player(0, hand=["tribeswoman", "tribeswoman"], food=3)
    table.do("place tribe hunt", "play tribeswoman", "play tribeswoman")
    assert table.offers("use") == ["use tribeswoman 0"]
    table.do("use tribeswoman 0", "tools 1 food 0", "use tribeswoman 0", "tools 1 food 0")
    assert table.offers("use") == []
    assert (table.at(0).food, table.at(0).tools) == (1, 2)


@pytest.mark.rule("LAB-03")
def test_a_used_ability_does_not_come_back_with_the_next_equal_card() -> None:
    table = scene(2).player(0, hand=["tribeswoman", "tribeswoman"], food=3)
    table.do("place tribe hunt", "play tribeswoman", "use tribeswoman 0", "tools 1 food 0")
    table.do("play tribeswoman", "use tribeswoman 0", "tools 1 food 0")
    assert table.offers("use") == []
    assert (table.at(0).food, table.at(0).tools) == (1, 2)


@pytest.mark.rule("LAB-03")
def test_a_card_may_be_played_for_its_labor_alone() -> None:
    table = scene(2).player(0, hand=["tribeswoman", "elder"], food=1)
    table.do("place tribe migrate", "play tribeswoman", "travel 0>1", "end")
    assert table.seat == 1
    assert (table.at(0).food, table.at(0).tools) == (1, 0)


@pytest.mark.rule("LAB-03")
def test_added_labor_is_counted_once_per_card() -> None:
    table = scene(2).player(0, hand=["hunter", "hunter", "elder"])
    table.do("place tribe hunt", "play hunter")
    assert (table.position.labor, table.offers("use")) == (4, [])
    table.do("play hunter")
    assert (table.position.labor, table.offers("use")) == (8, [])


@pytest.mark.rule("LAB-03")
def test_a_buried_card_takes_its_unused_ability_along() -> None:
    table = scene(2).player(0, hand=["tribeswoman", "elder"], food=3)
    table.do("place tribe initiate", "play tribeswoman", "rite")
    table.do("bury tribeswoman above", "leave")
    assert table.position.labor == 3
    assert table.offers("use") == []


# --- LAB-04 ---


@pytest.mark.rule("LAB-04")
@pytest.mark.parametrize(
    ("food", "amounts"),
    [
        (0, []),
        (1, [1]),
        (2, [2]),
        (3, [1, 3]),
        (4, [2, 4]),
        (5, [1, 3, 5]),
        (6, [2, 4, 6]),
        (7, [1, 3, 5, 7]),
        (10, [2, 4, 6, 8, 10]),
    ],
)
def test_food_can_be_spent_down_past_any_labor_icon(food: int, amounts: list[int]) -> None:
    """The icons are at 1, 3, 5, 7 and 9; only amounts that end just past one are of use."""
    table = eating(food, camps=5)
    assert sorted(table.offers("eat")) == sorted(f"eat {amount}" for amount in amounts)


@pytest.mark.rule("LAB-04")
@pytest.mark.parametrize(
    ("food", "amount", "labor"),
    [(1, 1, 1), (2, 2, 1), (3, 1, 1), (3, 3, 2), (4, 2, 1), (4, 4, 2), (5, 5, 3), (10, 10, 5)],
)
def test_each_labor_icon_passed_gives_1_labor(food: int, amount: int, labor: int) -> None:
    table = eating(food, camps=5).do(f"eat {amount}")
    assert table.at(0).food == food - amount
    assert table.position.labor == 2 * labor


@pytest.mark.rule("LAB-04")
def test_spending_bit_by_bit_gives_the_same_as_all_at_once() -> None:
    table = eating(5).do("eat 1", "eat 2", "eat 2")
    assert (table.at(0).food, table.position.labor) == (0, 6)
    assert table.offers("eat") == []


@pytest.mark.rule("LAB-04")
def test_the_rulebook_s_hunt_has_4_labor_and_2_tools() -> None:
    """Hunter 1 + 1 Added Labor, 3 Food for 2 Labor, 2 Tools: two reveals and two hunts."""
    table = scene(2).player(0, food=3, tools=2, hand=["hunter", "elder"])
    table.animal_deck("glyptodon", "argentavis", "ground_sloth", "woolly_rhino", "glyptodon")
    table.do("place tribe hunt", "play hunter")
    assert table.position.labor == 4
    table.do("eat 3")
    assert (table.position.labor, table.at(0).food, table.at(0).tools) == (8, 0, 2)
    table.do("reveal-two", "hunt argentavis", "reveal-two", "hunt woolly_rhino")
    assert (table.position.labor, table.at(0).tools) == (0, 0)
    assert table.names(0, "animals") == ["woolly_rhino", "argentavis"]
    assert table.offers("hunt") == []
    assert table.offers("reveal-two") == []


@pytest.mark.rule("LAB-04")
def test_food_can_be_spent_at_any_time_in_step_2_and_not_before() -> None:
    table = scene(2).player(0, food=5, hand=["elder", "bone_flute"])
    assert table.offers("eat") == []
    assert table.do("culture bone_flute").offers("eat") == []
    table.do("leave", "place tribe develop")
    assert table.can("eat 1", "eat 3", "eat 5")
    table.do("bottom", "leave")
    assert table.offers("eat")


@pytest.mark.rule("LAB-04")
def test_food_paid_as_a_cost_gives_no_labor() -> None:
    """From 3 to 2 and from 6 to 3 the marker passes Labor icons: as a cost that brings nothing."""
    exchange = scene(2).player(0, food=3, hand=["tribeswoman", "elder"])
    exchange.do("place tribe hunt", "play tribeswoman", "use tribeswoman 0", "tools 1 food 0")
    assert (exchange.at(0).food, exchange.position.labor) == (2, 3)
    village = scene(2).player(0, food=6, camps=[1, 7, 8], hand=["elder"])
    village.do("place tribe migrate", "settle 8")
    assert (village.at(0).food, village.position.labor) == (3, 0)


@pytest.mark.rule("LAB-04")
def test_food_is_not_for_labor_on_a_rest_turn() -> None:
    table = scene(2).player(0, food=5, hand=["elder"], animals=["woolly_rhino"])
    assert table.do("place tribe rest").offers("eat") == []
    assert table.do("draw as offering").offers("eat") == []


@pytest.mark.rule("LAB-04")
def test_food_is_not_for_labor_in_the_eclipse_phase() -> None:
    """Nor when the pile is laid: Food left over does not help in the order of the Eclipse."""
    table = scene(2).player(0, food=5, hand=["elder"], figures=["", "hunt", "hunt"])
    table.player(1, figures=["hunt", "hunt", "rest"]).table(order=bytes((1, 0))).turn(0, 3)
    table.do("place chief hunt", "end")
    assert table.texts == ["pile elder", "done"]
    table.do("done")
    assert list(table.position.order) == [1, 0]
    while table.can("leave") and table.position.round == 1:
        assert table.offers("eat") == []
        table.do("leave")
    assert table.at(0).food == 5


# --- LAB-05 ---


@pytest.mark.rule("LAB-05")
def test_labor_left_over_is_lost_at_the_end_of_the_turn() -> None:
    table = scene(2).player(0, hand=["brave", "brave", "elder"]).player(1, hand=["elder"])
    table.do("place tribe migrate", "play brave", "play brave", "end", "place tribe migrate")
    assert table.seat == 1
    assert table.offers("travel") == []
    table.do("end", "place tribe migrate")
    assert table.seat == 0
    assert table.position.labor == 0
    assert table.offers("travel") == []


@pytest.mark.rule("LAB-05")
def test_labor_left_over_does_not_count_in_the_eclipse() -> None:
    table = scene(2).player(0, hand=["brave", "brave"], figures=["", "hunt", "hunt"])
    table.player(1, figures=["hunt", "hunt", "hunt"]).table(order=bytes((1, 0))).turn(0, 3).listen()
    table.do("place chief hunt", "play brave", "play brave", "end")
    counted = [event for event in table.events if event[0] == events.LABOR_COUNTED]
    assert [(event[1], event[2]) for event in counted] == [(0, 0), (1, 0)]


@pytest.mark.rule("LAB-05")
def test_labor_of_a_culture_card_is_lost_with_the_turn_too() -> None:
    table = scene(2).player(0, hand=["working_song"]).player(1, hand=["elder"])
    table.do("culture working_song", "place tribe rest", "draw as food", "place tribe migrate")
    assert table.seat == 1
    assert table.position.labor == 0


# --- LAB-06 ---


def initiated(*hand: str, **fields: object) -> Scene:
    """A Hunter taken by INI-01, the rest of the hand as given."""
    table = scene(2).player(0, tools=2, hand=["elder", *hand], **fields)
    return table.do("place tribe initiate", "play elder", "initiate hunter")


@pytest.mark.rule("LAB-06")
@pytest.mark.parametrize("card", TRIBES)
def test_a_card_taken_by_initiate_cannot_be_played_this_turn(card: str) -> None:
    table = scene(2).player(0, tools=2, hand=["brave", "tribesman"])
    table.do("place tribe initiate", "play brave", f"initiate {card}")
    assert card in table.names(0, "hand")
    assert table.offers("play") == ["play tribesman"]


@pytest.mark.rule("LAB-06")
def test_it_can_be_played_in_the_next_turn() -> None:
    table = initiated().do("end", "place tribe rest", "draw as food", "place tribe hunt")
    assert table.seat == 0
    assert table.can("play hunter")


@pytest.mark.rule("LAB-06")
def test_an_equal_card_that_was_in_hand_before_can_still_be_played() -> None:
    table = initiated("hunter")
    assert table.names(0, "hand") == ["hunter", "hunter"]
    assert table.can("play hunter")
    table.do("play hunter")
    assert table.names(0, "hand") == ["hunter"]
    assert table.offers("play") == []


@pytest.mark.rule("LAB-06")
def test_it_can_be_buried() -> None:
    table = initiated(food=1).do("rite")
    assert table.can("bury hunter hand")
    table.do("bury hunter hand", "leave")
    assert table.names(0, "buried") == ["hunter"]
    assert table.at(0).hand == b""


@pytest.mark.rule("LAB-06")
def test_when_an_equal_card_is_buried_the_other_one_can_be_played() -> None:
    """Of two equal cards the one just taken leaves first."""
    table = initiated("hunter", food=1).do("rite", "bury hunter hand", "leave")
    assert table.names(0, "hand") == ["hunter"]
    assert table.can("play hunter")


@pytest.mark.rule("LAB-06")
def test_it_can_be_discarded_as_a_cost() -> None:
    """No card of the pack has such a cost in step 2, so the bare cost is put on the agenda."""
    table = initiated("hunter", "brave")
    table.table(agenda=[*table.position.agenda, (agenda.PAY_DISCARD, 0, 1, b"")])
    assert table.texts == ["discard hunter", "discard brave", "play hunter", "play brave"]
    table.do("discard hunter")
    assert table.names(0, "discard") == ["hunter"]
    assert table.can("play hunter")  # the one that was in hand before


@pytest.mark.rule("LAB-06")
def test_it_can_be_put_on_the_eclipse_pile() -> None:
    table = scene(2).player(0, tools=1, hand=["elder"]).turn(0, 3)
    table.do("place tribe initiate", "play elder", "initiate hunter", "end")
    assert table.texts == ["pile hunter", "done"]
    table.do("pile hunter")
    assert table.names(0, "pile") == ["hunter"]


@pytest.mark.rule("LAB-06")
def test_a_card_taken_into_hand_by_another_effect_can_be_played() -> None:
    """The Offering track's third benefit, in the same step 2."""
    table = scene(2).player(0, offering=5).do("place tribe initiate", "bottom", "offering")
    table.do("tribe hunter")
    while table.kind == "gain":
        table.do("leave")
    assert table.kind == "act"
    assert table.can("play hunter")


@pytest.mark.rule("LAB-06")
def test_a_card_taken_in_step_1_can_be_played() -> None:
    table = scene(2).player(0, hand=["marriage_gift"], food=1)
    table.do("culture marriage_gift", "ability 0: pay", "tribe hunter", "leave")
    assert table.do("place tribe hunt").can("play hunter")


@pytest.mark.rule("LAB-06")
def test_a_card_drawn_in_step_2_can_be_played() -> None:
    table = scene(2).player(0, chief="lookinghand_a", deck=["hunter"])
    assert table.do("place chief hunt", "lead", "draw").can("play hunter")


@pytest.mark.rule("LAB-06")
def test_a_second_equal_card_by_another_effect_can_be_played() -> None:
    table = initiated(offering=5).do("bottom", "offering", "tribe hunter", "leave")
    assert table.names(0, "hand") == ["hunter", "hunter"]
    assert table.can("play hunter")
    assert table.do("play hunter").offers("play") == []


@pytest.mark.rule("LAB-04")
@pytest.mark.parametrize(("food", "amount", "labor"), [(4, 1, 0), (4, 2, 2), (3, 1, 2), (5, 3, 4)])
def test_labor_comes_from_the_icons_that_the_marker_leaves_behind(
    food: int, amount: int, labor: int
) -> None:
    table = scene(2).player(0, food=food, camps=[0] * 3)
    eat(table.position, table.at(0), amount)
    assert (table.position.labor, table.at(0).food) == (labor, food - amount)


@pytest.mark.rule("LAB-06")
def test_a_card_in_hand_stays_playable_if_its_empty_deck_gave_a_point_instead() -> None:
    table = scene(2).player(0, tools=1, hand=["brave", "hunter"]).tribe_deck("hunter", 0)
    table.do("place tribe initiate", "play brave", "initiate hunter")
    assert (table.score(0), table.position.fresh) == (1, b"")
    assert table.can("play hunter")
