"""ICO: the icons on cards, tiles and spaces."""

from __future__ import annotations

import pytest

from endless_winter.rules import board
from endless_winter.rules.terrain import ADJACENT, BASE, JUNCTURES
from tests.rules.scene import TABLES, pool, scene

# A juncture off the Base, one that touches it, and their hexes.
OUTER = next(number for number, hexes in enumerate(JUNCTURES) if BASE not in hexes)
INNER = next(number for number, hexes in enumerate(JUNCTURES) if BASE in hexes)


# --- ICO-01 ---


@pytest.mark.rule("ICO-01")
def test_what_is_left_of_the_arrow_is_paid_before_what_is_right_is_gained() -> None:
    table = scene().player(0, food=2, hand=["tribeswoman"])
    table.do("place tribe hunt", "play tribeswoman", "use tribeswoman 0")
    assert (table.at(0).food, table.at(0).tools) == (1, 0)
    assert table.texts == ["tools 1 food 0", "tools 0 food 1", "leave"]
    table.do("tools 1 food 0")
    assert (table.at(0).food, table.at(0).tools) == (1, 1)


@pytest.mark.rule("ICO-01")
def test_who_cannot_pay_cannot_use_the_effect() -> None:
    table = scene().player(0, food=0, tools=3, hand=["tribeswoman"])
    table.do("place tribe hunt", "play tribeswoman")
    assert table.offers("use") == []
    table = scene().player(0, food=3, tools=0, hand=["stone_avenue"]).do("culture stone_avenue")
    assert table.kind == "turn"


@pytest.mark.rule("ICO-01")
@pytest.mark.parametrize(("food", "usable"), [(0, False), (1, False), (2, True), (3, True)])
def test_a_cost_of_two_must_be_paid_in_full(food: int, usable: bool) -> None:
    table = scene().player(0, food=food, pile=["elder"], hand=["brave"]).eclipse()
    kinds = set()
    while table.kind != "turn":
        if table.can("card elder: pay"):
            kinds.add("pay")
        table.do("leave")
    assert kinds == ({"pay"} if usable else set())


@pytest.mark.rule("ICO-01")
def test_a_cost_of_two_is_taken_in_full() -> None:
    table = scene().player(0, food=3, pile=["elder"], hand=["brave"]).player(1, pile=["elder"])
    table.eclipse()
    while not table.can("card elder: pay"):
        table.do("leave")
    table.do("card elder: pay")
    assert table.at(0).food == 1
    assert table.can("bury brave hand")


@pytest.mark.rule("ICO-01")
def test_the_cost_stays_paid_if_the_gain_is_declined() -> None:
    table = scene().player(0, tools=2, hand=["stone_avenue"])
    table.do("culture stone_avenue", "ability 0: pay", "leave")
    assert (table.at(0).tools, table.at(0).megaliths) == (1, 10)
    assert table.kind == "turn"


@pytest.mark.rule("ICO-01")
def test_everything_right_of_the_arrow_is_gained_for_one_payment() -> None:
    table = scene().player(0, food=2, hand=["marriage_gift"])
    table.do("culture marriage_gift", "ability 0: pay")
    table.do("tribe elder", "tools 1 food 0")
    assert (table.at(0).food, table.at(0).tools) == (1, 1)
    assert table.names(0, "hand") == ["elder"]
    assert table.kind == "turn"


@pytest.mark.rule("ICO-01")
def test_a_card_to_discard_is_a_cost_that_an_empty_hand_cannot_pay() -> None:
    table = scene().player(0, hand=["barter_day"]).do("culture barter_day")
    assert table.kind == "turn"
    table = scene().player(0, hand=["barter_day", "elder"]).do("culture barter_day")
    assert table.texts == ["ability 0: pay", "leave"]


@pytest.mark.rule("ICO-01")
def test_a_card_is_discarded_as_a_cost_before_anything_is_gained() -> None:
    table = scene().player(0, hand=["barter_day", "elder", "brave"])
    table.do("culture barter_day", "ability 0: pay")
    assert table.texts == ["discard elder", "discard brave"]
    table.do("discard brave")
    assert table.can("tools 1 food 0", "offering")


@pytest.mark.rule("ICO-01")
def test_paying_makes_room_for_what_is_gained() -> None:
    table = scene().player(0, food=6, camps=[0], tools=5, hand=["tribeswoman"])
    table.do("place tribe hunt", "play tribeswoman", "use tribeswoman 0")
    assert (table.at(0).food, table.at(0).tools) == (6, 5)


@pytest.mark.rule("ICO-01")
def test_an_effect_without_an_arrow_costs_nothing() -> None:
    table = scene().player(0, hand=["flint_cache"]).do("culture flint_cache")
    table.do("ability 0: tools 2 food 0")
    assert (table.at(0).food, table.at(0).tools) == (0, 2)


# --- ICO-02 ---


def triggered(card: str, **fields: object) -> bool:
    """Whether the first ability of a Culture card does anything for a player who has these."""
    table = scene().player(0, hand=[card], deck=["elder"], food=6, camps=[0]).player(0, **fields)
    table.grounds("glyptodon").do(f"culture {card}")
    return bool([text for text in table.texts if text.startswith("ability 0")])


@pytest.mark.rule("ICO-02")
@pytest.mark.parametrize("number", range(6))
def test_a_trigger_asks_for_at_least_so_many_camps_placed(number: int) -> None:
    """Long Drum: 3 Camps placed."""
    assert triggered("long_drum", camps=[0, 1, 1, 2, 7][:number]) == (number >= 3)


@pytest.mark.rule("ICO-02")
@pytest.mark.parametrize("number", range(4))
def test_a_trigger_asks_for_villages_placed(number: int) -> None:
    """Longhouse: 1 Village placed."""
    assert triggered("longhouse", villages=[9, 12, 15][:number]) == (number >= 1)


@pytest.mark.rule("ICO-02")
@pytest.mark.parametrize("number", range(5))
def test_a_trigger_asks_for_cards_buried(number: int) -> None:
    """Ochre Rites: 3 cards buried."""
    assert triggered("ochre_rites", buried=["elder"] * number) == (number >= 3)


@pytest.mark.rule("ICO-02")
@pytest.mark.parametrize("number", range(4))
def test_a_trigger_asks_for_sacred_stones(number: int) -> None:
    """Pilgrim Road: 2 Sacred Stones."""
    stones = ["glacier_stone", "marsh_stone", "canyon_stone"][:number]
    assert triggered("pilgrim_road", stones=stones) == (number >= 2)


@pytest.mark.rule("ICO-02")
@pytest.mark.parametrize("number", range(6))
def test_a_trigger_asks_for_megaliths_placed(number: int) -> None:
    """Raising Feast: 4 Megaliths placed, neutral ones among them."""
    assert triggered("raising_feast", megaliths=10 - number) == (number >= 4)


@pytest.mark.rule("ICO-02")
@pytest.mark.parametrize(
    ("herd", "met"),
    [
        ([], False),
        (["glyptodon"], False),
        (["glyptodon", "ground_sloth"], False),
        (["glyptodon", "glyptodon"], True),
        (["glyptodon", "argentavis"], True),
        (["argentavis", "argentavis"], False),
        (["woolly_mammoth"] * 3, True),
    ],
)
def test_a_trigger_asks_for_animals_of_the_same_type(herd: list[str], met: bool) -> None:
    """Twin Totems: 2 of the same type; the wild type joins, but is no set of its own."""
    assert triggered("twin_totems", animals=herd) == met


@pytest.mark.rule("ICO-02")
@pytest.mark.parametrize(
    ("herd", "met"),
    [
        ([], False),
        (["glyptodon", "ground_sloth", "ground_sloth"], False),
        (["glyptodon", "ground_sloth", "woolly_rhino"], True),
        (["glyptodon", "ground_sloth", "argentavis"], True),
    ],
)
def test_a_trigger_asks_for_animals_of_different_types(herd: list[str], met: bool) -> None:
    """Hunter's Boast: 3 different types."""
    assert triggered("hunters_boast", animals=herd, tools=1) == met


@pytest.mark.rule("ICO-02")
def test_a_trigger_asks_for_animals_of_the_wild_type() -> None:
    """Eagle Dance: 1 wild Animal."""
    assert triggered("eagle_dance", animals=["argentavis"])
    assert not triggered("eagle_dance", animals=["woolly_mammoth", "glyptodon"])


@pytest.mark.rule("ICO-02")
def test_tipped_animals_do_not_meet_a_condition() -> None:
    assert not triggered("twin_totems", animals=["glyptodon"], tipped=["glyptodon"])
    assert not triggered(
        "hunters_boast", animals=["glyptodon", "ground_sloth"], tipped=["woolly_rhino"]
    )
    assert not triggered("eagle_dance", tipped=["argentavis"])


@pytest.mark.rule("ICO-02")
def test_a_condition_looks_at_the_own_pieces_only() -> None:
    table = scene().player(0, hand=["long_drum"], deck=["elder"], camps=[0])
    table.player(1, camps=[0, 0, 0, 0]).do("culture long_drum")
    assert table.kind == "turn"


@pytest.mark.rule("ICO-02")
def test_an_ability_without_its_condition_leaves_the_others_of_the_card() -> None:
    """Long Drum's second ability, a Food, does not hang on the Camps."""
    table = scene().player(0, hand=["long_drum"], deck=["elder"], camps=[0])
    table.do("culture long_drum")
    assert table.at(0).food == 1
    assert table.names(0, "deck") == ["elder"]


# --- ICO-03 ---


@pytest.mark.rule("ICO-03")
def test_a_move_icon_moves_one_own_camp_to_an_adjacent_hex() -> None:
    table = scene().player(0, camps=[0, 7]).player(1, camps=[3]).gain(0, "move")
    moves = {f"move {start}>{end}" for start in (0, 7) for end in ADJACENT[start]}
    assert set(table.texts) == moves | {"leave"}
    table.do("move 0>4")
    assert list(table.at(0).camps) == [4, 7]
    assert list(table.at(1).camps) == [3]
    assert table.kind == "turn"


@pytest.mark.rule("ICO-03")
def test_the_double_move_icon_moves_one_camp_twice() -> None:
    table = scene().player(0, camps=[0, 0], hand=["trail_signs"]).do("culture trail_signs")
    outer = next(hex_ for hex_ in ADJACENT[1] if hex_ > 6)
    table.do("ability 0: move 0>1", f"move 1>{outer}")
    assert list(table.at(0).camps) == [0, outer]
    assert not table.offers("move")


@pytest.mark.rule("ICO-03")
def test_the_double_move_icon_moves_two_camps_once_each() -> None:
    table = scene().player(0, camps=[0, 0], hand=["trail_signs"]).do("culture trail_signs")
    table.do("ability 0: move 0>1", "move 0>4")
    assert list(table.at(0).camps) == [1, 4]
    assert table.kind == "turn"


@pytest.mark.rule("ICO-03")
def test_the_double_move_icon_may_be_used_for_one_move() -> None:
    table = scene().player(0, camps=[0, 0], hand=["trail_signs"]).do("culture trail_signs")
    table.do("ability 0: move 0>1", "leave")
    assert list(table.at(0).camps) == [0, 1]
    assert table.kind == "turn"


@pytest.mark.rule("ICO-03")
def test_move_icons_cost_no_labor() -> None:
    table = scene().player(0, camps=[0], hand=["hunter"], chief="firewolf_a")
    table.do("place chief migrate", "play hunter")
    labor = table.position.labor
    table.do("lead", "move 0>1", "move 1>0")
    assert labor == 2
    assert table.position.labor == 2 + 2  # the Chief's own 1 Labor


@pytest.mark.rule("ICO-03")
def test_without_a_camp_on_the_terrain_nothing_moves() -> None:
    assert scene().player(0, camps=[]).gain(0, "move 2").kind == "turn"


# --- ICO-04 ---


@pytest.mark.rule("ICO-04")
def test_the_top_animal_of_the_deck_is_revealed() -> None:
    table = scene().grounds("glyptodon").animal_deck("argentavis", "ground_sloth")
    table.gain(0, "reveal").do("reveal")
    assert list(table.position.grounds[:3]) == [3, 6, 255]
    assert list(table.position.animals) == [1]
    assert table.at(0).animals == b""


@pytest.mark.rule("ICO-04")
def test_the_last_free_place_of_the_hunting_grounds_is_filled() -> None:
    table = scene().grounds(*["glyptodon"] * 5).animal_deck("argentavis", "ground_sloth")
    table.gain(0, "reveal 2").do("reveal")
    assert list(table.position.grounds) == [3] * 5 + [6]
    assert list(table.position.animals) == [1]
    assert table.kind == "turn"


@pytest.mark.rule("ICO-04")
def test_nothing_is_revealed_without_space() -> None:
    table = scene().grounds(*["glyptodon"] * 6).animal_deck("argentavis").gain(0, "reveal")
    assert table.kind == "turn"
    assert list(table.position.grounds) == [3] * 6
    assert list(table.position.animals) == [6]


@pytest.mark.rule("ICO-04")
def test_nothing_is_revealed_from_an_empty_deck() -> None:
    table = scene().grounds("glyptodon").animal_deck().gain(0, "reveal")
    assert table.kind == "turn"
    assert table.score(0) == 0


@pytest.mark.rule("ICO-04")
def test_an_animal_just_revealed_may_be_taken_by_the_same_benefit() -> None:
    """Great Drive: reveal 2, take 1."""
    table = scene().animal_deck("argentavis", "ground_sloth").player(0, hand=["great_drive"])
    table.do("culture great_drive", "ability 0: reveal", "animal argentavis")
    assert table.names(0, "animals") == ["argentavis"]
    assert table.can("reveal")


# --- ICO-05 ---


@pytest.mark.rule("ICO-05")
@pytest.mark.parametrize("camps", range(6))
def test_food_goes_up_to_the_limit_of_now(camps: int) -> None:
    table = scene().player(0, food=2, camps=[0] * camps, animals=["woolly_mammoth"]).gain(0, "tip")
    table.do("tip woolly_mammoth")
    assert table.at(0).food == 5 + camps


@pytest.mark.rule("ICO-05")
def test_at_the_limit_the_food_marker_stays() -> None:
    table = scene().player(0, food=7, camps=[0, 0]).gain(0, "feast")
    assert table.at(0).food == 7
    assert table.kind == "turn"


@pytest.mark.rule("ICO-05")
def test_a_camp_placed_first_makes_the_feast_greater() -> None:
    table = scene().player(0, food=1, camps=[0]).gain(0, "camp, feast")
    assert table.can("camp", "feast", "leave")
    table.do("camp")
    assert table.at(0).food == 7


# --- ICO-06 ---


@pytest.mark.rule("ICO-06")
def test_any_one_card_in_hand_may_be_discarded() -> None:
    table = scene().player(0, hand=["elder", "elder", "brave", "bone_flute", "barter_day"])
    table.player(1, hand=["shaman"]).do("culture barter_day", "ability 0: pay")
    assert table.texts == ["discard elder", "discard brave", "discard bone_flute"]
    table.do("discard elder")
    assert table.names(0, "hand") == ["elder", "brave", "bone_flute"]
    assert table.names(0, "discard") == ["elder"]
    assert table.kind == "gain"


@pytest.mark.rule("ICO-06")
def test_a_discarded_card_goes_to_the_own_discard_pile() -> None:
    table = scene().player(0, hand=["brave", "barter_day"], discard=["hunter"])
    table.player(1, discard=["shaman"]).do("culture barter_day", "ability 0: pay")
    assert table.names(0, "discard") == ["hunter", "brave"]
    assert table.names(1, "discard") == ["shaman"]
    assert table.names(0, "hand") == []


@pytest.mark.rule("ICO-06")
def test_the_card_that_is_played_cannot_be_discarded_for_itself() -> None:
    table = scene().player(0, hand=["barter_day", "brave", "elder"])
    table.do("culture barter_day", "ability 0: pay")
    assert not table.can("discard barter_day")


# --- ICO-07 ---


@pytest.mark.rule("ICO-07")
def test_any_culture_card_of_the_display_comes_to_hand_without_labor() -> None:
    table = scene().display("bone_flute", "", "long_drum").gain(0, "culture")
    assert table.texts == ["take bone_flute", "take long_drum", "leave"]
    table.do("take long_drum")
    assert table.names(0, "hand") == ["long_drum"]
    assert list(table.position.display[1:]) == [255] * 7
    assert table.kind == "turn"


@pytest.mark.rule("ICO-07")
def test_the_space_of_a_culture_card_taken_stays_empty() -> None:
    names = [card.name for card in TABLES.cards if card.era == 1][:8]
    table = scene().display(*names).gain(0, "culture").do(f"take {names[7]}")
    assert table.position.display[7] == 255
    assert 255 not in table.position.display[:7]


@pytest.mark.rule("ICO-07")
def test_an_empty_display_gives_a_point_for_each_card() -> None:
    table = scene().gain(0, "culture")
    assert table.kind == "turn"
    assert table.at(0).hand == b""
    assert table.score(0) == 1
    again = scene().display("bone_flute").gain(0, "culture 3")
    assert again.texts == ["take bone_flute", "leave"]
    again.do("take bone_flute")
    assert (again.names(0, "hand"), again.score(0), again.kind) == (["bone_flute"], 2, "turn")


@pytest.mark.rule("ICO-07")
def test_as_long_as_there_is_a_card_it_is_no_point() -> None:
    table = scene().display("", "", "bone_flute").gain(0, "culture").do("leave")
    assert table.score(0) == 0


# --- ICO-08 ---


@pytest.mark.rule("ICO-08")
def test_a_village_by_an_effect_costs_what_the_effect_says() -> None:
    """Lake Dwelling: 1 Food -> Village and a point."""
    camps = [*JUNCTURES[OUTER], 0]
    table = scene().player(0, food=1, camps=camps, hand=["lake_dwelling"])
    table.do("culture lake_dwelling", "ability 0: pay", f"village {OUTER}")
    player = table.at(0)
    assert (player.food, list(player.camps), list(player.villages)) == (0, [0], [OUTER])
    assert table.score(0) == 1
    assert table.kind == "turn"


@pytest.mark.rule("ICO-08")
def test_a_village_by_an_effect_needs_no_food_if_the_effect_has_no_cost() -> None:
    table = scene().player(0, camps=JUNCTURES[OUTER]).gain(0, "village")
    assert table.texts == [f"village {OUTER}", "leave"]
    table.do(f"village {OUTER}")
    assert (table.at(0).food, table.at(0).camps) == (0, b"")


@pytest.mark.rule("ICO-08")
def test_a_village_by_an_effect_needs_a_camp_on_each_of_the_three_hexes() -> None:
    a, b, _ = JUNCTURES[OUTER]
    assert scene().player(0, camps=[a, b, b]).gain(0, "village").kind == "turn"
    table = scene().player(0, food=3, camps=[a, b, b], hand=["lake_dwelling"])
    assert f"village {OUTER}" not in table.do("culture lake_dwelling").texts


@pytest.mark.rule("ICO-08")
def test_a_village_by_an_effect_is_not_placed_beside_the_base() -> None:
    assert scene().player(0, camps=JUNCTURES[INNER]).gain(0, "village").kind == "turn"


@pytest.mark.rule("ICO-08")
def test_a_village_by_an_effect_needs_a_free_juncture() -> None:
    table = scene().player(0, camps=JUNCTURES[OUTER]).player(1, villages=[OUTER])
    assert table.gain(0, "village").kind == "turn"


@pytest.mark.rule("ICO-08")
def test_there_is_no_fourth_village() -> None:
    others = [number for number, hexes in enumerate(JUNCTURES) if BASE not in hexes][3:6]
    table = scene().player(0, camps=JUNCTURES[OUTER], villages=others).gain(0, "village")
    assert table.kind == "turn"
    table.player(0, villages=others[:2]).gain(0, "village")
    assert table.can(f"village {OUTER}")


@pytest.mark.rule("ICO-08")
def test_after_a_village_by_an_effect_food_above_the_lower_limit_is_lost() -> None:
    table = scene().player(0, food=9, camps=[*JUNCTURES[OUTER], 0]).gain(0, "village")
    table.do(f"village {OUTER}")
    assert table.at(0).food == 6


@pytest.mark.rule("ICO-01")
def test_an_eclipse_ability_with_a_cost_and_nothing_to_gain_is_not_on_offer() -> None:
    table = scene(2).player(0, food=2, pile=["elder"]).eclipse()
    assert "elder" not in " ".join(table.texts)
    table = scene(2).player(0, food=2, pile=["elder"], discard=["brave"]).eclipse()
    while table.kind != "eclipse_cards":
        table.do("leave")
    assert table.texts == ["card elder: pay", "leave"]


@pytest.mark.rule("ICO-01")
@pytest.mark.parametrize(
    ("food", "tools", "hand", "payable"),
    [(2, 3, 1, True), (1, 3, 1, False), (2, 2, 1, False), (2, 3, 0, False), (4, 4, 2, True)],
)
def test_every_part_of_a_cost_must_be_there(
    food: int, tools: int, hand: int, payable: bool
) -> None:
    player = scene(2).player(0, food=food, tools=tools, hand=["brave"] * hand).at(0)
    for cost in ("food 2, tool 3, discard", "discard, tool 3, food 2", "tool 3, discard, food 2"):
        assert board.can_pay(player, pool(cost)) is payable


@pytest.mark.rule("ICO-01")
@pytest.mark.parametrize("cost", ["food 2, tool 3, discard", "discard, tool 3, food 2"])
def test_every_part_of_a_cost_is_paid(cost: str) -> None:
    table = scene(2).player(0, food=3, tools=4, hand=["brave", "elder"])
    board.pay(table.position, table.at(0), pool(cost))
    table.player(0).do("discard elder")
    one = table.at(0)
    assert (one.food, one.tools, table.names(0, "hand")) == (1, 1, ["brave"])


@pytest.mark.rule("ICO-02")
@pytest.mark.parametrize(("number", "points"), [(3, 0), (4, 5)])
def test_points_behind_a_condition_are_scored_only_if_it_is_met(number: int, points: int) -> None:
    names = ["glyptodon", "woolly_rhino", "ground_sloth", "woolly_mammoth"][:number]
    table = scene(2).player(0, hand=["trophy_hall"], animals=names).turn(0)
    table.do("culture trophy_hall")
    assert (table.score(0), table.at(0).food, table.kind) == (points, 1, "turn")


@pytest.mark.rule("ICO-05")
def test_a_feast_that_waits_for_a_camp_fills_the_larger_store_or_the_smaller() -> None:
    table = scene(2).player(0, food=2).gain(0, "camp, feast").do("camp")
    assert (table.at(0).food, table.kind) == (7, "turn")
    table = scene(2).player(0, food=2).gain(0, "camp, feast")
    assert table.texts == ["camp", "feast", "leave"]
    table.do("feast")
    assert table.at(0).food == 6
    assert table.texts == ["camp", "leave"]
