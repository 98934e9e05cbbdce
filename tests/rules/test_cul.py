"""CUL: Culture cards, step 1 of a turn."""

from __future__ import annotations

import pytest

from tests.rules.scene import scene


@pytest.mark.rule("CUL-01")
def test_the_first_culture_card_costs_nothing() -> None:
    table = scene(2).player(0, hand=["bone_flute", "hunter", "elder"])
    table.do("culture bone_flute")
    assert table.kind == "abilities"
    assert table.names(0, "hand") == ["hunter", "elder"]
    assert table.names(0, "above") == ["bone_flute"]
    assert table.names(0, "discard") == []


@pytest.mark.rule("CUL-01")
def test_the_only_card_in_hand_may_be_the_first_culture_card() -> None:
    table = scene(2).player(0, hand=["bone_flute"])
    assert table.can("culture bone_flute")


@pytest.mark.rule("CUL-01")
def test_no_culture_card_has_to_be_played() -> None:
    table = scene(2).player(0, hand=["bone_flute", "ember_feast"])
    table.do("place tribe hunt")
    assert table.kind == "act"
    assert table.names(0, "hand") == ["ember_feast", "bone_flute"]


@pytest.mark.rule("CUL-01")
def test_only_culture_cards_are_offered_and_each_of_them() -> None:
    table = scene(2).player(0, hand=["bone_flute", "great_hearth", "hunter", "brave"])
    table.player(0, discard=["flint_cache"], deck=["ember_feast"])
    assert table.offers("culture") == ["culture bone_flute", "culture great_hearth"]


@pytest.mark.rule("CUL-01")
def test_the_second_culture_card_costs_a_discard_of_another_card() -> None:
    table = scene(2).player(0, hand=["ember_feast", "flint_cache", "hunter", "elder"])
    table.do("culture ember_feast", "culture flint_cache")
    assert table.kind == "pay_discard"
    # Neither of the two played cards can pay, and the cost cannot be declined.
    assert table.texts == ["discard hunter", "discard elder"]
    table.do("discard elder")
    assert table.names(0, "hand") == ["hunter"]
    assert table.names(0, "discard") == ["elder"]
    assert table.names(0, "above") == ["ember_feast", "flint_cache"]


@pytest.mark.rule("CUL-01")
def test_each_later_culture_card_costs_one_discard_again() -> None:
    hand = ["ember_feast", "bone_flute", "flint_cache", "hunter", "elder", "brave"]
    table = scene(2).player(0, hand=hand)
    table.do("culture ember_feast")
    table.do("culture bone_flute", "discard hunter", "leave")
    table.do("culture flint_cache")
    assert table.texts == ["discard elder", "discard brave"]
    table.do("discard elder")
    assert table.kind == "abilities"
    table.do("leave")
    assert table.names(0, "hand") == ["brave"]
    assert table.names(0, "discard") == ["hunter", "elder"]


@pytest.mark.rule("CUL-01")
def test_without_another_card_to_discard_no_second_culture_card_is_offered() -> None:
    table = scene(2).player(0, hand=["ember_feast", "flint_cache"])
    table.do("culture ember_feast")
    assert table.kind == "turn"
    assert table.offers("culture") == []


@pytest.mark.rule("CUL-01")
def test_a_culture_card_may_be_the_one_that_is_discarded() -> None:
    table = scene(2).player(0, hand=["ember_feast", "flint_cache", "bone_flute", "hunter"])
    table.do("culture ember_feast", "culture flint_cache")
    assert table.can("discard bone_flute", "discard hunter")
    table.do("discard bone_flute", "leave")
    assert table.offers("culture") == []
    assert table.names(0, "discard") == ["bone_flute"]


@pytest.mark.rule("CUL-01")
def test_the_single_other_card_is_discarded_without_a_question() -> None:
    table = scene(2).player(0, hand=["ember_feast", "flint_cache", "hunter"])
    table.do("culture ember_feast", "culture flint_cache")
    assert table.kind == "abilities"
    assert table.names(0, "discard") == ["hunter"]
    assert table.names(0, "hand") == []


@pytest.mark.rule("CUL-01")
def test_in_the_next_turn_the_first_one_is_free_again() -> None:
    table = scene(2).player(0, hand=["ember_feast", "flint_cache"])
    table.do("culture ember_feast", "place tribe hunt", "end")
    table.do("place tribe rest", "draw as food")
    assert (table.seat, table.kind) == (0, "turn")
    table.do("culture flint_cache")
    assert table.kind == "abilities"
    assert table.names(0, "discard") == ["ember_feast"]


@pytest.mark.rule("CUL-02")
def test_a_culture_card_is_resolved_before_anything_else_of_the_turn() -> None:
    table = scene(2).player(0, hand=["flint_cache", "bone_flute", "hunter"])
    table.do("culture flint_cache")
    assert table.texts == [
        "ability 0: tools 2 food 0",
        "ability 0: tools 1 food 1",
        "ability 0: tools 0 food 2",
        "leave",
    ]
    table.do("ability 0: tools 2 food 0")
    assert table.at(0).tools == 2
    assert table.kind == "turn"
    assert table.can("culture bone_flute", "place tribe hunt")


@pytest.mark.rule("CUL-02")
def test_the_first_card_s_benefit_is_there_for_the_second_card() -> None:
    """Ember Feast brings the Food that Raised Slab costs; in the other order it has no effect."""
    table = scene(2).player(0, hand=["ember_feast", "raised_slab", "hunter"], food=0)
    table.do("culture ember_feast", "culture raised_slab")
    assert table.can("ability 0: pay")
    other = scene(2).player(0, hand=["ember_feast", "raised_slab", "hunter"], food=0)
    other.do("culture raised_slab")
    assert other.kind == "turn"
    assert other.at(0).food == 0


@pytest.mark.rule("CUL-02")
def test_the_discard_is_paid_before_the_ability_is_resolved() -> None:
    """Of 2 cards left, the second card's own cost takes what Barter Day would discard."""
    table = scene(2).player(0, hand=["ember_feast", "barter_day", "hunter"])
    table.do("culture ember_feast", "culture barter_day")
    assert table.names(0, "discard") == ["hunter"]
    assert table.kind == "turn"  # nothing is left for "discard -> tool, idol"
    assert table.at(0).tools == 0


@pytest.mark.rule("CUL-02")
def test_the_ability_may_be_declined() -> None:
    table = scene(2).player(0, hand=["bone_flute"])
    table.do("culture bone_flute", "leave")
    assert table.kind == "turn"
    assert (table.at(0).offering, table.at(0).honor) == (0, 0)
    assert table.names(0, "above") == ["bone_flute"]


@pytest.mark.rule("CUL-02")
def test_a_cost_may_be_declined_and_is_then_not_paid() -> None:
    table = scene(2).player(0, hand=["raised_slab"], food=1)
    table.do("culture raised_slab", "leave")
    assert table.at(0).food == 1
    assert table.at(0).megaliths == 10


@pytest.mark.rule("CUL-02")
def test_a_declined_ability_does_not_come_back() -> None:
    table = scene(2).player(0, hand=["bone_flute", "hunter"])
    table.do("culture bone_flute", "leave", "place tribe hunt", "play hunter")
    assert table.offers("use") == []
    assert table.offers("ability") == []


@pytest.mark.rule("CUL-02")
def test_two_abilities_of_a_card_are_each_used_once() -> None:
    """Working Song: 1 1/2 Labor, and 1 Food for 1 Tool."""
    table = scene(2).player(0, hand=["working_song"], food=2)
    table.do("culture working_song")
    assert table.position.labor == 3
    assert table.texts == ["ability 1: pay", "leave"]
    table.do("ability 1: pay", "tools 1 food 0")
    assert table.kind == "turn"
    assert (table.at(0).food, table.at(0).tools) == (1, 1)


@pytest.mark.rule("CUL-02")
def test_the_abilities_of_a_card_come_in_any_order() -> None:
    """Painted Stone (Food; a Sacred Stone) at full Food: the Stone makes room for the Food."""
    table = scene(2).player(0, hand=["painted_stone"], food=6, tools=1)
    table.stones(["wayfarer_stone"], [])
    table.do("culture painted_stone")
    assert table.texts == ["ability 1: stone wayfarer_stone", "leave"]
    table.do("ability 1: stone wayfarer_stone", "leave")
    assert table.at(0).food == 6 - 2 + 1


@pytest.mark.rule("CUL-02")
def test_labor_of_a_culture_card_lasts_for_step_2() -> None:
    table = scene(2).player(0, hand=["working_song", "hunter"], tools=1)
    table.grounds("woolly_rhino")
    table.do("culture working_song", "place tribe hunt")
    assert table.position.labor == 3
    assert table.can("hunt woolly_rhino")


@pytest.mark.rule("CUL-03")
def test_played_cards_stay_above_the_board_until_step_3() -> None:
    table = scene(2).player(0, hand=["ember_feast", "hunter"])
    table.do("culture ember_feast")
    assert table.names(0, "above") == ["ember_feast"]
    table.do("place tribe hunt", "play hunter")
    assert table.names(0, "above") == ["hunter", "ember_feast"]
    assert table.names(0, "discard") == []
    table.do("end")
    assert table.names(0, "above") == []
    assert table.names(0, "discard") == ["hunter", "ember_feast"]


@pytest.mark.rule("CUL-03")
def test_a_played_culture_card_can_still_be_buried_in_step_2() -> None:
    table = scene(2).player(0, hand=["ember_feast", "hunter"])
    table.do("culture ember_feast", "place tribe initiate", "bottom")
    assert table.can("bury ember_feast above")
    assert not table.can("bury ember_feast hand")
    assert not table.can("bury ember_feast discard")
    table.do("bury ember_feast above", "leave", "end")
    assert table.names(0, "buried") == ["ember_feast"]
    assert table.names(0, "discard") == []
    assert table.at(0).food == 3  # what it brought stays


@pytest.mark.rule("CUL-03")
def test_a_played_culture_card_can_be_buried_by_a_later_one() -> None:
    table = scene(2).player(0, hand=["ember_feast", "first_cairn", "hunter"])
    table.do("culture ember_feast", "culture first_cairn")
    assert table.can(
        "ability 0: bury ember_feast above",
        "ability 0: bury first_cairn above",
        "ability 0: bury hunter discard",
    )


@pytest.mark.rule("CUL-03")
def test_a_played_card_does_not_pay_for_the_next_and_is_not_reshuffled() -> None:
    table = scene(2).player(0, hand=["ember_feast", "story_circle", "hunter"])
    table.do("culture ember_feast", "culture story_circle")
    # The discarded Hunter is all that can be drawn: what was played is not in the discard pile.
    table.do("ability 0: draw")
    assert table.names(0, "hand") == ["hunter"]
    assert table.names(0, "above") == ["ember_feast", "story_circle"]
    assert (table.at(0).deck, table.at(0).discard) == (b"", b"")


@pytest.mark.rule("CUL-04")
def test_a_culture_card_left_in_hand_cannot_be_played_in_step_2() -> None:
    table = scene(2).player(0, hand=["ember_feast", "hunter"])
    table.do("place tribe hunt")
    assert table.offers("culture") == []
    assert table.offers("play") == ["play hunter"]


@pytest.mark.rule("CUL-04")
def test_a_culture_card_taken_in_step_2_waits_for_the_next_turn() -> None:
    table = scene(2).player(0, hand=["shaman", "shaman"]).display("ember_feast")
    table.do("place tribe develop", "play shaman", "play shaman", "develop ember_feast")
    assert table.names(0, "hand") == ["ember_feast"]
    assert table.offers("culture") == []
    assert table.offers("play") == []
    table.do("end", "place tribe rest", "draw as food")
    assert table.seat == 0
    assert table.can("culture ember_feast")


@pytest.mark.rule("CUL-04")
def test_a_culture_card_drawn_by_resting_waits_for_the_next_turn() -> None:
    table = scene(2).player(0, deck=["ember_feast"], animals=["woolly_rhino"])
    table.do("place tribe rest", "draw")
    assert table.names(0, "hand") == ["ember_feast"]
    assert table.texts == ["tip woolly_rhino", "end"]


@pytest.mark.rule("CUL-04")
def test_a_culture_card_that_comes_to_hand_in_step_1_can_still_be_played() -> None:
    table = scene(2).player(0, hand=["teaching_stones", "hunter"], food=1).display("ember_feast")
    table.do("culture teaching_stones", "ability 0: pay", "take ember_feast")
    assert table.kind == "turn"
    table.do("culture ember_feast")
    assert table.at(0).food == 3
    assert table.names(0, "discard") == ["hunter"]


@pytest.mark.rule("CUL-01")
def test_culture_cards_of_a_turn_are_counted() -> None:
    table = scene(2).player(0, hand=["ember_feast"] * 3 + ["brave"] * 4).turn(0)
    table.do("culture ember_feast")
    for number in (2, 3):
        table.do("culture ember_feast", "discard brave")
        assert table.position.cultures_played == number


@pytest.mark.rule("CUL-02")
def test_points_of_an_ability_may_be_taken_before_the_rest_of_it() -> None:
    table = scene(2).player(0, hand=["star_watchers"]).turn(0).do("culture star_watchers")
    assert table.can("ability 0: points 1", "ability 0: offering")
    table.do("ability 0: points 1")
    assert (table.score(0), table.points(0, "culture_cards")) == (1, 1)
    table.do("offering", "honor")
    assert (table.score(0), table.kind) == (1, "turn")
