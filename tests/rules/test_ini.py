"""Initiate: Tribe cards and burying."""

from __future__ import annotations

from typing import Any

import pytest

from endless_winter.rules import board, events, options
from tests.rules.scene import CARDS, ELDER, TABLES, Scene, scene

TYPES = ["hunter", "crafter", "shaman", "pathfinder", "elder"]


def initiating(*, labor: int = 0, **fields: Any) -> Scene:
    """Seat 0 has just placed the round's first figure in Initiate; Labor in halves."""
    return scene(2).player(0, **fields).table(labor=labor).do("place tribe initiate")


def left(table: Scene, card: str) -> int:
    return table.position.tribes[CARDS[card]]


# --- the top ---


@pytest.mark.rule("INI-01")
def test_a_tribe_card_costs_one_tool_and_one_labor_and_comes_to_hand() -> None:
    table = initiating(labor=4, tools=2).tribe_deck("hunter", 9)
    table.do("initiate hunter")
    assert table.names(0, "hand") == ["hunter"]
    assert left(table, "hunter") == 8
    assert table.at(0).tools == 1
    assert table.position.labor == 2
    assert table.score(0) == 0


@pytest.mark.rule("INI-01")
def test_any_of_the_five_types_can_be_initiated() -> None:
    table = initiating(labor=2, tools=1)
    assert table.offers("initiate") == [f"initiate {card}" for card in TYPES]


@pytest.mark.rule("INI-01")
@pytest.mark.parametrize(("labor", "tools"), [(2, 0), (10, 0), (1, 1), (0, 5)])
def test_without_a_tool_or_a_whole_labor_nobody_is_initiated(labor: int, tools: int) -> None:
    table = initiating(labor=labor, tools=tools, food=1)
    assert table.offers("initiate") == []


@pytest.mark.rule("INI-01")
def test_several_cards_a_turn_must_be_of_different_types() -> None:
    table = initiating(labor=12, tools=5).do("initiate shaman")
    assert table.offers("initiate") == [f"initiate {card}" for card in TYPES if card != "shaman"]
    table.do("initiate elder", "initiate hunter", "initiate crafter", "initiate pathfinder")
    assert table.at(0).tools == 0
    assert sorted(table.names(0, "hand")) == sorted(TYPES)


@pytest.mark.rule("INI-01")
def test_after_all_five_types_a_further_tool_buys_nothing() -> None:
    table = initiating(labor=20, tools=5)
    table.do(*(f"initiate {card}" for card in TYPES)).player(0, tools=5)
    assert table.position.labor == 10
    assert table.offers("initiate") == []


@pytest.mark.rule("INI-01")
def test_a_type_is_open_again_in_the_next_turn() -> None:
    table = initiating(labor=2, tools=2).do("initiate hunter", "end")
    table.turn(0, 2).table(labor=2).do("place tribe initiate")
    assert table.can("initiate hunter")


@pytest.mark.rule("INI-01")
def test_an_empty_deck_counts_as_its_type() -> None:
    table = initiating(labor=4, tools=2).tribe_deck("crafter", 0).do("initiate crafter")
    assert table.offers("initiate") == [f"initiate {card}" for card in TYPES if card != "crafter"]


@pytest.mark.rule("INI-01")
def test_the_top_is_over_once_the_middle_was_done() -> None:
    table = initiating(labor=4, tools=2, food=1, hand=["brave"])
    table.do("rite", "recruit elder", "leave")
    assert table.offers("initiate") == []


@pytest.mark.rule("INI-02")
def test_initiating_from_an_empty_deck_scores_one_point_and_brings_no_card() -> None:
    table = initiating(labor=2, tools=1, food=1).tribe_deck("elder", 0)
    table.do("initiate elder")
    assert table.score(0) == 1
    assert table.at(0).hand == b""
    assert left(table, "elder") == 0
    assert (table.at(0).tools, table.position.labor) == (0, 0)


@pytest.mark.rule("INI-02")
def test_the_last_card_of_a_tribe_deck_is_still_a_card() -> None:
    table = initiating(labor=2, tools=1, food=1).tribe_deck("elder", 1).do("initiate elder")
    assert table.names(0, "hand") == ["elder"]
    assert left(table, "elder") == 0
    assert table.score(0) == 0


@pytest.mark.rule("INI-02")
@pytest.mark.parametrize("benefit", ["tribe", "recruit"])
def test_every_effect_that_takes_a_tribe_card_may_choose_an_empty_deck(benefit: str) -> None:
    table = scene(2).tribe_deck("shaman", 0).gain(0, benefit).do(f"{benefit} shaman")
    assert table.score(0) == 1
    assert table.at(0).hand == table.at(0).discard == b""
    assert left(table, "shaman") == 0


@pytest.mark.rule("INI-02")
@pytest.mark.parametrize("benefit", ["tribe", "recruit"])
def test_with_all_decks_empty_an_effect_still_scores(benefit: str) -> None:
    table = scene(2).table(tribes=bytes(5)).gain(0, benefit).do(f"{benefit} hunter")
    assert table.score(0) == 1


# --- the middle ---


@pytest.mark.rule("INI-03")
def test_the_rite_costs_one_food() -> None:
    table = initiating(food=3, hand=["brave"]).do("rite")
    assert table.at(0).food == 2


@pytest.mark.rule("INI-03")
def test_without_food_there_is_no_rite() -> None:
    table = initiating(food=0, hand=["brave"])
    assert table.can("end")
    assert not table.can("rite")


@pytest.mark.rule("INI-03")
def test_the_rite_must_bring_at_least_one_of_its_two_benefits() -> None:
    table = initiating(food=1, hand=["brave"]).do("rite")
    assert table.texts == [*(f"recruit {card}" for card in TYPES), "bury brave hand", "play brave"]


@pytest.mark.rule("INI-03")
def test_the_rite_may_bring_a_tribe_card_alone_which_goes_to_the_discard_pile() -> None:
    table = initiating(food=1, hand=["brave"]).tribe_deck("hunter", 9)
    table.do("rite", "recruit hunter", "leave")
    assert table.names(0, "discard") == ["hunter"]
    assert table.names(0, "hand") == ["brave"]
    assert table.at(0).buried == b""
    assert left(table, "hunter") == 8


@pytest.mark.rule("INI-03")
def test_the_rite_may_bury_a_card_alone() -> None:
    table = initiating(food=1, hand=["brave"]).do("rite", "bury brave hand", "leave")
    assert table.names(0, "buried") == ["brave"]
    assert table.at(0).discard == b""


@pytest.mark.rule("INI-03")
@pytest.mark.parametrize(
    "both", [("recruit hunter", "bury brave hand"), ("bury brave hand", "recruit hunter")]
)
def test_the_rite_may_bring_both_in_any_order(both: tuple[str, str]) -> None:
    table = initiating(food=1, hand=["brave", "tribesman"]).do("rite", *both)
    assert table.names(0, "discard") == ["hunter"]
    assert table.names(0, "buried") == ["brave"]
    assert table.kind == "act"


@pytest.mark.rule("INI-03")
def test_each_benefit_of_the_rite_comes_once() -> None:
    table = initiating(food=1, hand=["brave", "tribesman"]).do("rite", "recruit hunter")
    assert table.texts == [
        "bury brave hand",
        "bury tribesman hand",
        "bury hunter discard",
        "leave",
        "play brave",
        "play tribesman",
    ]


@pytest.mark.rule("INI-03")
def test_the_tribe_card_of_the_rite_can_be_buried_by_the_rite() -> None:
    table = initiating(food=1).do("rite", "recruit elder", "bury elder discard")
    assert table.names(0, "buried") == ["elder"]
    assert table.at(0).discard == b""


@pytest.mark.rule("INI-03")
def test_the_rite_happens_once_a_turn() -> None:
    table = initiating(food=5, hand=["brave"]).do("rite", "recruit hunter", "leave")
    assert not table.can("rite")
    assert table.can("bottom", "end")


@pytest.mark.rule("INI-04")
def test_the_rite_may_take_a_type_that_was_initiated_this_turn() -> None:
    table = initiating(labor=2, tools=1, food=1).tribe_deck("shaman", 9)
    table.do("initiate shaman", "rite", "recruit shaman")
    assert table.names(0, "hand") == ["shaman"]
    assert table.names(0, "discard") == ["shaman"]
    assert left(table, "shaman") == 7


# --- the bottom ---


@pytest.mark.rule("INI-05")
def test_the_bottom_of_initiate_brings_one_idol_and_one_burial() -> None:
    table = initiating(hand=["brave", "tribesman"]).do("bottom", "honor")
    assert (table.at(0).honor, table.at(0).offering) == (1, 0)
    assert table.offers("bury") == ["bury brave hand", "bury tribesman hand"]
    assert table.can("leave")
    table.do("bury brave hand")
    assert table.names(0, "buried") == ["brave"]
    assert table.kind == "act"
    assert not table.can("bottom")


@pytest.mark.rule("INI-05")
def test_the_burial_of_the_bottom_can_be_declined() -> None:
    table = initiating(hand=["brave"]).do("bottom", "offering", "leave")
    assert table.at(0).offering == 1
    assert table.names(0, "hand") == ["brave"]
    assert table.at(0).buried == b""


@pytest.mark.rule("INI-05")
def test_burying_may_come_before_the_idol() -> None:
    table = initiating(hand=["brave"]).do("bottom", "bury brave hand", "honor")
    assert table.names(0, "buried") == ["brave"]
    assert table.at(0).honor == 1


@pytest.mark.rule("INI-05")
def test_the_bottom_of_initiate_costs_nothing() -> None:
    table = initiating(labor=3, food=2, tools=1, hand=["brave"]).do("bottom", "honor", "leave")
    assert (table.at(0).food, table.at(0).tools, table.position.labor) == (2, 1, 3)


@pytest.mark.rule("INI-05")
def test_without_any_card_the_bottom_brings_the_idol_alone() -> None:
    table = initiating().do("bottom", "honor")
    assert table.at(0).honor == 1
    assert table.seat == 1


@pytest.mark.rule("INI-05")
def test_a_card_that_the_idol_brings_can_be_buried_by_the_bottom() -> None:
    """The second space of the Offering track of the frozen pack gives a draw."""
    table = initiating(offering=1, deck=["tribesman"]).do("bottom", "offering", "draw")
    assert table.can("bury tribesman hand", "leave")


# --- burying ---


@pytest.mark.rule("INI-06")
def test_cards_are_buried_from_hand_discard_pile_and_above_the_board() -> None:
    table = scene(2).player(
        0,
        hand=["brave", "ember_feast"],
        discard=["hunter", "flint_cache"],
        above=["shaman", "bone_flute"],
        deck=["elder"],
        pile=["crafter"],
    )
    table.gain(0, "bury")
    assert table.texts == [
        "bury brave hand",
        "bury ember_feast hand",
        "bury hunter discard",
        "bury flint_cache discard",
        "bury shaman above",
        "bury bone_flute above",
        "leave",
    ]


@pytest.mark.rule("INI-06")
@pytest.mark.parametrize("zone", ["hand", "discard", "above"])
@pytest.mark.parametrize("card", ["shaman", "bone_flute"])
def test_a_buried_card_leaves_its_place_for_the_burial_ground(zone: str, card: str) -> None:
    zones = {name: [card, "brave"] for name in ("hand", "discard", "above")}
    table = scene(2).player(0, **zones).gain(0, "bury").do(f"bury {card} {zone}")
    assert table.names(0, "buried") == [card]
    for name in zones:
        assert (card in table.names(0, name)) == (name != zone)
        assert "brave" in table.names(0, name)


def eclipse_pile(*cards: str, **fields: object) -> Scene:
    """Seat 0 resolves the Eclipse abilities of its revealed pile."""
    table = scene(2).player(0, pile=list(cards), food=4, **fields).eclipse()
    while table.kind != "eclipse_cards":
        table.do("leave")
    return table


@pytest.mark.rule("INI-06")
def test_in_the_eclipse_phase_cards_are_buried_from_the_revealed_pile() -> None:
    table = eclipse_pile("elder", "crafter", "tribesman").do("card elder: pay")
    assert table.can("bury elder pile", "bury crafter pile", "bury tribesman pile")
    table.do("bury tribesman pile")
    assert table.names(0, "buried") == ["tribesman"]
    assert table.names(0, "pile") == ["crafter", "elder"] or table.names(0, "pile") == [
        "elder",
        "crafter",
    ]


@pytest.mark.rule("INI-06")
def test_a_pile_card_whose_ability_is_used_can_be_buried_and_is_not_discarded() -> None:
    table = eclipse_pile("elder", "crafter").do("card elder: pay", "bury elder pile", "leave")
    while table.kind != "turn":
        table.do("leave" if table.can("leave") else table.texts[-1])
    assert "elder" in table.names(0, "buried")
    everything = table.names(0, "hand") + table.names(0, "deck") + table.names(0, "discard")
    assert everything.count("elder") == 0
    assert everything.count("crafter") == 1


@pytest.mark.rule("INI-06")
def test_a_pile_card_that_is_buried_takes_its_unused_ability_along() -> None:
    table = eclipse_pile("elder", "crafter").do("card elder: pay", "bury crafter pile")
    assert not any(text.startswith("card crafter") for text in table.texts)


@pytest.mark.rule("INI-06")
def test_of_two_equal_pile_cards_the_used_one_is_buried() -> None:
    table = eclipse_pile("elder", "elder").do("card elder: pay", "bury elder pile")
    assert table.can("card elder: pay")
    table.do("card elder: pay", "bury elder pile")
    assert table.names(0, "buried") == ["elder", "elder"]
    assert table.at(0).pile == b""


@pytest.mark.rule("INI-06")
def test_the_event_shows_everybody_that_a_card_came_from_the_open_pile() -> None:
    table = eclipse_pile("elder").listen().do("card elder: pay", "bury elder pile")
    found = [event for event in table.events if event[0] == events.CARD_BURIED]
    elder = bytes((CARDS["elder"],))
    assert found == [(events.CARD_BURIED, 0, options.FROM_PILE, 0, elder, ELDER)]


@pytest.mark.rule("INI-06")
def test_a_played_culture_card_can_be_buried_in_the_same_turn() -> None:
    table = scene(2).player(0, hand=["ember_feast"]).do("culture ember_feast")
    table.do("place tribe initiate", "rite", "bury ember_feast above", "leave", "end")
    assert table.names(0, "buried") == ["ember_feast"]
    assert table.at(0).discard == b""


@pytest.mark.rule("INI-06")
def test_one_of_several_equal_cards_is_buried() -> None:
    table = scene(2).player(0, hand=["tribesman"] * 3).gain(0, "bury")
    assert table.texts == ["bury tribesman hand", "leave"]
    table.do("bury tribesman hand")
    assert table.names(0, "hand") == ["tribesman"] * 2
    assert table.names(0, "buried") == ["tribesman"]


@pytest.mark.rule("INI-06")
def test_buried_cards_stay_and_are_not_offered_again() -> None:
    table = scene(2).player(0, buried=["shaman"], hand=["brave"]).gain(0, "bury")
    table.do("bury brave hand")
    assert sorted(table.names(0, "buried")) == ["brave", "shaman"]


@pytest.mark.rule("INI-06")
@pytest.mark.parametrize("zone", ["hand", "discard", "above"])
def test_others_learn_where_a_buried_card_came_from_but_not_which_it_is(zone: str) -> None:
    def public_and_secret(card: str) -> tuple[list[tuple[int, ...]], list[bytes]]:
        table = scene(2).player(0, **{zone: [card]}).gain(0, "bury").listen()
        table.do(f"bury {card} {zone}")
        buried = [event for event in table.events if event[0] == events.CARD_BURIED]
        return [event[:4] for event in buried], [event[4] for event in buried]

    seen, hidden = public_and_secret("shaman")
    seen_too, hidden_too = public_and_secret("brave")
    assert len(seen) == 1
    assert seen == seen_too
    assert hidden == [bytes((CARDS["shaman"],))]
    assert hidden_too == [bytes((CARDS["brave"],))]


@pytest.mark.rule("INI-06")
def test_the_unused_ability_of_a_played_card_is_buried_with_it() -> None:
    table = initiating(food=3, hand=["tribeswoman"]).do("play tribeswoman")
    assert table.can("use tribeswoman 0")
    table.do("rite", "bury tribeswoman above", "leave")
    assert table.offers("use") == []


@pytest.mark.rule("INI-06")
def test_burying_one_of_two_equal_played_cards_leaves_the_ability_of_the_other() -> None:
    table = initiating(food=4, hand=["tribeswoman"] * 2).do("play tribeswoman", "play tribeswoman")
    table.do("rite", "bury tribeswoman above", "leave", "use tribeswoman 0", "tools 1 food 0")
    assert table.at(0).tools == 1
    assert table.offers("use") == []


@pytest.mark.rule("INI-06")
@pytest.mark.parametrize(
    ("copies", "left"),
    [
        (3, [(0, 0), (1, 0), (1, 0), (1, 2), (2, 0), (2, 0), (2, 1)]),
        (2, [(0, 0), (1, 0), (1, 2), (2, 0), (2, 0), (2, 1)]),
        (1, [(0, 0), (2, 0), (2, 0), (2, 1)]),
    ],
)
def test_a_card_buried_from_above_the_board_takes_its_unused_abilities_along(
    copies: int, left: list[tuple[int, int]]
) -> None:
    """Of equal cards the one whose ability is used goes first; other cards are untouched."""
    first, card, last = sorted((CARDS["hunter"], CARDS["crafter"], CARDS["shaman"]))
    names = [TABLES.cards[card].name] * copies + [TABLES.cards[last].name] * 2
    ready = [(0, 0), (1, 0), (1, 0), (1, 2), (2, 0), (2, 0), (2, 1)]
    numbers = (first, card, last)
    table = scene(2).player(0, above=names)
    table.position.ready = b"".join(bytes((numbers[n], ability)) for n, ability in ready)
    board.bury(table.position, table.at(0), card, options.FROM_ABOVE)
    assert table.position.ready == b"".join(bytes((numbers[n], a)) for n, a in left)
    assert table.at(0).above.count(card) == copies - 1
