"""GLD: the golden rules."""

from __future__ import annotations

import pytest

from endless_winter.rules import events
from endless_winter.rules.position import write
from tests.rules.scene import CARDS, Scene, scene


def let_go(table: Scene) -> Scene:
    """Decline what is asked in the Eclipse phase, until a turn begins or the game is over."""
    while table.can("leave"):
        table.do("leave")
    return table


def seen(table: Scene, kind: int) -> list[tuple[int, int, int, bytes]]:
    """Seat, the two public numbers and the secret of the events of a kind."""
    return [event[1:5] for event in table.events if event[0] == kind]


# --- GLD-01 ---


@pytest.mark.rule("GLD-01")
def test_two_cards_in_the_deck_and_five_to_draw_is_two_a_shuffle_and_three() -> None:
    table = scene().player(
        0,
        deck=["hunter", "shaman"],
        discard=["elder", "crafter", "pathfinder", "brave"],
    )
    let_go(table.eclipse())
    hand = table.names(0, "hand")
    assert len(hand) == 5
    assert {"hunter", "shaman"} <= set(hand)
    assert len(table.names(0, "deck")) == 1
    assert table.names(0, "discard") == []
    assert sorted(hand + table.names(0, "deck")) == sorted(
        ["hunter", "shaman", "elder", "crafter", "pathfinder", "brave"]
    )


@pytest.mark.rule("GLD-01")
def test_drawing_the_last_card_of_the_deck_does_not_shuffle_yet() -> None:
    table = scene().player(0, deck=["hunter", "shaman"], discard=["elder"])
    table.gain(0, "draw 2").do("draw", "draw")
    assert table.names(0, "hand") == ["hunter", "shaman"]
    assert table.names(0, "deck") == []
    assert table.names(0, "discard") == ["elder"]


@pytest.mark.rule("GLD-01")
def test_a_draw_from_an_empty_deck_takes_from_the_shuffled_discard_pile() -> None:
    table = scene().player(0, discard=["elder", "elder", "elder"]).gain(0, "draw").do("draw")
    assert table.names(0, "hand") == ["elder"]
    assert table.names(0, "deck") == ["elder", "elder"]
    assert table.names(0, "discard") == []


@pytest.mark.rule("GLD-01")
def test_the_top_card_of_the_deck_is_drawn_first() -> None:
    table = scene().player(0, deck=["shaman", "hunter", "elder"]).gain(0, "draw").do("draw")
    assert table.names(0, "hand") == ["shaman"]
    assert table.names(0, "deck") == ["hunter", "elder"]


@pytest.mark.rule("GLD-01")
def test_the_new_deck_is_in_random_order() -> None:
    tops = set()
    for number in range(12):
        table = scene(seed=bytes([number]) * 32)
        table.player(0, discard=["hunter", "crafter", "shaman", "pathfinder", "elder"])
        tops.add(tuple(table.gain(0, "draw").do("draw").names(0, "hand")))
    assert len(tops) > 2


@pytest.mark.rule("GLD-01")
def test_every_shuffle_is_a_new_one() -> None:
    pile = ["hunter", "crafter", "shaman", "pathfinder", "elder", "brave", "tribesman"]
    orders = set()
    table = scene()
    for _ in range(6):
        table.player(0, hand=[], deck=[], discard=pile).gain(0, "draw").do("draw")
        orders.add((*table.names(0, "hand"), *table.names(0, "deck")))
    assert len(orders) > 4


@pytest.mark.rule("GLD-01")
def test_a_player_draws_from_the_own_deck_only() -> None:
    table = scene().player(0, discard=["hunter"]).player(1, deck=["elder"], discard=["shaman"])
    table.gain(0, "draw").do("draw")
    assert table.names(0, "hand") == ["hunter"]
    assert table.names(1, "deck") == ["elder"]
    assert table.names(1, "discard") == ["shaman"]


# --- GLD-02 ---


@pytest.mark.rule("GLD-02")
def test_with_deck_and_discard_pile_empty_only_lesser_benefits_are_left_of_a_draw() -> None:
    table = scene().gain(0, "draw")
    assert table.texts == [
        "draw as offering",
        "draw as honor",
        "draw as tool",
        "draw as food",
        "leave",
    ]


@pytest.mark.rule("GLD-02")
def test_each_card_that_cannot_be_drawn_becomes_a_lesser_benefit_of_its_own() -> None:
    table = scene().player(0, deck=["hunter"]).gain(0, "draw 4")
    assert table.can("draw")
    table.do("draw")
    assert not table.can("draw")
    table.do("draw as tool", "draw as food", "draw as honor")
    player = table.at(0)
    assert (player.tools, player.food, player.honor) == (1, 1, 1)
    assert table.names(0, "hand") == ["hunter"]
    assert table.kind == "turn"


@pytest.mark.rule("GLD-02")
def test_a_lesser_draw_is_not_on_offer_without_a_card_to_draw() -> None:
    assert not scene().gain(0, "megalith").can("megalith as draw")
    assert scene().player(0, discard=["elder"]).gain(0, "megalith").can("megalith as draw")
    assert scene().player(0, deck=["elder"]).gain(0, "megalith").can("megalith as draw")


@pytest.mark.rule("GLD-02")
def test_resting_without_a_card_to_draw_gives_a_lesser_benefit() -> None:
    table = scene().do("place tribe rest")
    assert table.texts == ["draw as offering", "draw as honor", "draw as tool", "draw as food"]
    table.do("draw as tool")
    assert table.at(0).tools == 1


@pytest.mark.rule("GLD-02")
def test_the_draw_of_the_preparation_phase_just_ends_without_a_card_left() -> None:
    table = let_go(scene().player(0, deck=["hunter", "elder"]).eclipse())
    assert table.kind == "turn"
    assert table.position.round == 2
    assert table.names(0, "hand") == ["hunter", "elder"]
    player = table.at(0)
    assert (player.tools, player.food, player.offering, player.honor) == (0, 0, 0, 0)


# --- GLD-03 ---


@pytest.mark.rule("GLD-03")
def test_a_tool_may_be_taken_as_food() -> None:
    """The rulebook's example: about to gain 1 Tool, gain 1 Food instead."""
    table = scene().gain(0, "tool")
    assert table.texts == ["tools 1 food 0", "tools 0 food 1", "leave"]
    table.do("tools 0 food 1")
    assert (table.at(0).tools, table.at(0).food) == (0, 1)


@pytest.mark.rule("GLD-03")
def test_an_idol_may_be_taken_as_tool_or_food() -> None:
    assert scene().gain(0, "idol").texts == [
        "offering",
        "honor",
        "idol as tool",
        "idol as food",
        "leave",
    ]


@pytest.mark.rule("GLD-03")
def test_a_draw_may_be_taken_as_idol_tool_or_food() -> None:
    assert scene().player(0, deck=["hunter"]).gain(0, "draw").texts == [
        "draw",
        "draw as offering",
        "draw as honor",
        "draw as tool",
        "draw as food",
        "leave",
    ]


@pytest.mark.rule("GLD-03")
def test_a_megalith_may_be_taken_as_any_of_the_four_others() -> None:
    """The rulebook's example."""
    table = scene().player(0, deck=["hunter"]).gain(0, "megalith")
    assert [text for text in table.texts if not text.startswith("megalith ") or " as " in text] == [
        "megalith as draw",
        "megalith as offering",
        "megalith as honor",
        "megalith as tool",
        "megalith as food",
        "leave",
    ]
    assert [text for text in table.offers("megalith") if " as " not in text]


@pytest.mark.rule("GLD-03")
def test_food_has_no_lesser_benefit() -> None:
    table = scene().player(0, deck=["hunter"], food=5, camps=[0]).gain(0, "food 3, draw")
    assert table.offers("food") == ["food 3"]
    assert not [text for text in table.texts if text.startswith("food as")]


@pytest.mark.rule("GLD-03")
@pytest.mark.parametrize(
    ("greater", "form", "food", "tools", "offering", "honor", "hand"),
    [
        ("idol", "idol as food", 1, 0, 0, 0, 0),
        ("idol", "idol as tool", 0, 1, 0, 0, 0),
        ("draw", "draw as food", 1, 0, 0, 0, 0),
        ("draw", "draw as tool", 0, 1, 0, 0, 0),
        ("draw", "draw as offering", 0, 0, 1, 0, 0),
        ("draw", "draw as honor", 0, 0, 0, 1, 0),
        ("megalith", "megalith as food", 1, 0, 0, 0, 0),
        ("megalith", "megalith as tool", 0, 1, 0, 0, 0),
        ("megalith", "megalith as offering", 0, 0, 1, 0, 0),
        ("megalith", "megalith as honor", 0, 0, 0, 1, 0),
        ("megalith", "megalith as draw", 0, 0, 0, 0, 1),
    ],
)
def test_a_lesser_benefit_comes_instead_of_the_greater_one(
    greater: str, form: str, food: int, tools: int, offering: int, honor: int, hand: int
) -> None:
    table = scene().player(0, deck=["hunter"]).gain(0, greater).do(form)
    player = table.at(0)
    assert (player.food, player.tools) == (food, tools)
    assert (player.offering, player.honor) == (offering, honor)
    assert len(player.hand) == hand
    assert player.megaliths == 10
    assert table.kind == "turn"


@pytest.mark.rule("GLD-03")
def test_several_tools_are_split_unit_by_unit() -> None:
    table = scene().gain(0, "tool 3")
    assert table.texts == [
        "tools 3 food 0",
        "tools 2 food 1",
        "tools 1 food 2",
        "tools 0 food 3",
        "leave",
    ]
    table.do("tools 1 food 2")
    assert (table.at(0).tools, table.at(0).food) == (1, 2)


@pytest.mark.rule("GLD-03")
def test_each_of_several_idols_and_draws_takes_its_own_form() -> None:
    table = scene().player(0, deck=["hunter", "elder"]).gain(0, "idol 2, draw 2")
    table.do("idol as tool", "honor", "draw", "draw as food")
    player = table.at(0)
    assert (player.tools, player.honor, player.food) == (1, 1, 1)
    assert table.names(0, "hand") == ["hunter"]
    assert table.kind == "turn"


@pytest.mark.rule("GLD-03")
def test_nothing_is_traded_for_a_lesser_benefit_outside_of_gaining() -> None:
    table = scene().player(0, food=2, tools=3, hand=["hunter", "ember_feast"], deck=["elder"])
    for step in ("place tribe migrate", "play hunter", "travel 0>1", "end"):
        assert table.seat == 0
        assert not [t for t in table.texts if " as " in t or t.startswith(("tools", "food"))]
        table.do(step)


@pytest.mark.rule("GLD-03")
def test_the_draw_of_resting_may_be_taken_as_a_lesser_benefit() -> None:
    table = scene().player(0, deck=["hunter"]).do("place tribe rest")
    assert table.texts == [
        "draw",
        "draw as offering",
        "draw as honor",
        "draw as tool",
        "draw as food",
    ]
    table.do("draw as food")
    assert table.at(0).food == 1
    assert table.names(0, "deck") == ["hunter"]


# --- GLD-04 ---


@pytest.mark.rule("GLD-04")
@pytest.mark.parametrize("camps", range(6))
def test_the_food_limit_is_five_and_one_more_for_each_camp_off_the_board(camps: int) -> None:
    table = scene().player(0, camps=[0] * camps).gain(0, "food 12")
    assert table.at(0).food == 5 + camps


@pytest.mark.rule("GLD-04")
def test_one_camp_off_the_board_makes_a_food_limit_of_six() -> None:
    """The rulebook's example."""
    table = scene().player(0, food=4, camps=[7]).gain(0, "food 3")
    assert table.at(0).food == 6


@pytest.mark.rule("GLD-04")
def test_food_up_to_the_limit_is_kept_in_full() -> None:
    assert scene().player(0, food=4, camps=[0]).gain(0, "food 2").at(0).food == 6
    assert scene().player(0, food=3, camps=[0]).gain(0, "food 2").at(0).food == 5


@pytest.mark.rule("GLD-04")
def test_at_the_limit_gained_food_is_lost() -> None:
    table = scene().player(0, food=6, camps=[0]).gain(0, "food")
    assert table.at(0).food == 6
    assert table.kind == "turn"


@pytest.mark.rule("GLD-04")
def test_placing_a_camp_raises_the_limit_for_food_gained_after_it() -> None:
    table = scene().player(0, food=6, camps=[0]).gain(0, "camp").do("camp")
    assert table.at(0).food == 6
    assert table.gain(0, "food 2").at(0).food == 7


@pytest.mark.rule("GLD-04")
def test_food_may_wait_for_the_camp_of_the_same_benefit() -> None:
    """A Chief with "camp, food" at the limit: the Camp first, then there is room."""
    table = scene().player(0, food=6, camps=[0], chief="thunderpaw_b")
    table.do("place chief migrate", "lead")
    assert table.texts == ["camp", "leave", "eat 6", "eat 4", "eat 2"]
    table.do("camp")
    assert table.at(0).food == 7


@pytest.mark.rule("GLD-04")
def test_the_camps_of_others_do_not_raise_the_limit() -> None:
    table = scene().player(0, camps=[0]).player(1, camps=[0, 0, 0]).gain(0, "food 12")
    assert table.at(0).food == 6


@pytest.mark.rule("GLD-04")
def test_a_village_does_not_count_as_a_camp_off_the_board() -> None:
    table = scene().player(0, camps=[0], villages=[9]).gain(0, "food 12")
    assert table.at(0).food == 6


# --- GLD-05 ---


@pytest.mark.rule("GLD-05")
def test_tools_above_five_are_lost() -> None:
    table = scene().player(0, tools=4, food=6, camps=[0]).gain(0, "tool 3")
    assert table.texts == ["tools 1 food 2", "leave"]
    table.do("tools 1 food 2")
    assert (table.at(0).tools, table.at(0).food) == (5, 6)


@pytest.mark.rule("GLD-05")
def test_the_fifth_tool_is_kept() -> None:
    table = scene().player(0, tools=3).gain(0, "tool 2").do("tools 2 food 0")
    assert table.at(0).tools == 5


@pytest.mark.rule("GLD-05")
def test_a_sixth_tool_is_never_on_offer() -> None:
    assert "tools 5 food 2" in scene().gain(0, "tool 7").texts
    assert "tools 6 food 1" not in scene().gain(0, "tool 7").texts
    assert "tools 7 food 0" not in scene().gain(0, "tool 7").texts


@pytest.mark.rule("GLD-05")
def test_with_five_tools_and_full_food_a_tool_is_lost_without_a_question() -> None:
    table = scene().player(0, tools=5, food=6, camps=[0]).gain(0, "tool 2")
    assert table.kind == "turn"
    assert (table.at(0).tools, table.at(0).food) == (5, 6)


@pytest.mark.rule("GLD-05")
def test_with_five_tools_no_lesser_tool_is_on_offer() -> None:
    assert not scene().player(0, tools=5).gain(0, "idol").can("idol as tool")
    assert scene().player(0, tools=4).gain(0, "idol").can("idol as tool")


@pytest.mark.rule("GLD-05")
def test_camps_do_not_raise_the_limit_of_tools() -> None:
    table = scene().player(0, tools=5, food=10, camps=[0] * 5).gain(0, "tool")
    assert table.at(0).tools == 5


# --- GLD-06 ---


@pytest.mark.rule("GLD-06")
def test_immediate_points_move_the_score_marker_at_once() -> None:
    table = scene().gain(0, "point 3")
    assert table.score(0) == 3
    assert table.score(1) == 0


@pytest.mark.rule("GLD-06")
def test_immediate_points_do_not_wait_for_the_rest_of_their_benefit() -> None:
    table = scene().gain(0, "idol, point 2")
    assert table.score(0) == 2
    assert table.can("honor", "leave")


@pytest.mark.rule("GLD-06")
def test_the_score_goes_on_beyond_one_hundred() -> None:
    table = scene().player(0, points={"terrain": 98}).gain(0, "point 5")
    assert table.score(0) == 103
    assert table.player(0, points={"terrain": 198}).gain(0, "point 7").score(0) == 205


@pytest.mark.rule("GLD-06")
def test_end_game_points_count_only_in_final_scoring() -> None:
    """Great Hearth is worth 3 end-game points, an Elder 1."""
    table = scene(round_=4).player(0, hand=["great_hearth"], points={"terrain": 4}).gain(0, "tribe")
    table.do("tribe elder")
    assert table.score(0) == 4
    let_go(table.eclipse())
    assert table.score(0) == 4
    result = table.game.result
    assert result is not None
    assert (result.scores[0].points[events.BY_TERRAIN], result.scores[0].cards) == (4, 4)
    assert (result.scores[0].total, result.scores[1].total) == (8, 0)


@pytest.mark.rule("GLD-06")
def test_points_of_all_sources_add_up_on_the_marker() -> None:
    table = scene().player(0, honor=4, points={"terrain": 1, "megaliths": 10, "sacred_stones": 100})
    table.table(honor_queue=b"\0").gain(0, "idol").do("honor")
    assert table.score(0) == 113
    assert table.points(0, "honor_track") == 2


# --- GLD-07 ---


@pytest.mark.rule("GLD-07")
@pytest.mark.parametrize(
    "benefit",
    ["tool", "idol", "draw", "megalith", "bury", "camp", "move", "tribe", "recruit", "culture",
     "animal", "beast", "reveal", "tip", "stone"],
)  # fmt: skip
def test_a_benefit_can_be_declined(benefit: str) -> None:
    table = scene().player(
        0, food=3, tools=2, hand=["brave"], deck=["elder"], animals=["argentavis"]
    )
    table.display("long_drum").grounds("glyptodon").gain(0, benefit)
    before = write(table.position)["players"]
    assert table.seat == 0
    table.do("leave")
    assert table.kind == "turn"
    assert write(table.position)["players"] == before


@pytest.mark.rule("GLD-07")
def test_the_rest_of_a_benefit_can_be_declined() -> None:
    table = scene().player(0, deck=["hunter", "elder"]).gain(0, "draw 2").do("draw", "leave")
    assert table.names(0, "hand") == ["hunter"]
    assert table.kind == "turn"


@pytest.mark.rule("GLD-07")
def test_a_benefit_waits_for_another_one_that_makes_it_possible() -> None:
    """First a Camp, then it moves; first a card, then it is buried; first an Animal, then a tip."""
    table = scene().player(0, camps=[]).gain(0, "move, camp")
    assert table.texts == ["camp", "leave"]
    assert table.do("camp").can("move 0>1", "leave")
    table = scene().gain(0, "bury, recruit").do("recruit elder")
    assert table.texts == ["bury elder discard", "leave"]
    table = scene().animal_deck("argentavis", "glyptodon").gain(0, "tip, beast").do("beast")
    assert table.texts == ["tip argentavis", "leave"]
    table = scene().animal_deck("argentavis").gain(0, "animal, reveal").do("reveal")
    assert table.texts == ["animal argentavis", "leave"]


@pytest.mark.rule("GLD-07")
def test_a_benefit_that_nothing_makes_possible_is_not_asked_for() -> None:
    assert scene().player(0, camps=[]).gain(0, "move, bury, tip").kind == "turn"


@pytest.mark.rule("GLD-07")
@pytest.mark.parametrize("column", ["initiate", "develop", "migrate", "hunt"])
def test_every_action_of_a_column_can_be_declined(column: str) -> None:
    table = scene().player(0, food=6, tools=3, hand=["brave"], animals=["glyptodon"])
    table.grounds("argentavis").display("long_drum").do(f"place tribe {column}", "play brave")
    assert len(table.texts) > 2
    table.do("end")
    player = table.at(0)
    assert (player.food, player.tools, player.hand) == (6, 3, b"")
    assert table.seat == 1


@pytest.mark.rule("GLD-07")
def test_card_and_chief_abilities_can_be_declined() -> None:
    table = scene().player(0, food=1, hand=["tribeswoman", "bone_flute"], chief="lookinghand_a")
    table.player(0, deck=["elder"]).do("culture bone_flute")
    assert table.can("leave")
    table.do("leave", "place chief hunt", "play tribeswoman")
    assert table.can("use tribeswoman 0", "lead", "end")
    table.do("end")
    player = table.at(0)
    assert (player.food, player.tools, player.offering + player.honor) == (1, 0, 0)
    assert table.names(0, "deck") == ["elder"]


@pytest.mark.rule("GLD-07")
def test_each_step_of_an_eclipse_turn_can_be_declined() -> None:
    table = scene().all_terrain("highland").player(0, pile=["crafter"], camps=[7], megaliths=8)
    table.eclipse()
    asked = []
    while table.kind != "turn":
        if table.seat == 0:
            asked.append(table.kind)
        table.do("leave")
    assert asked == ["gain", "eclipse_cards", "eclipse_terrain", "gain"]
    player = table.at(0)
    assert (player.tools, player.offering, player.honor, player.megaliths) == (0, 0, 0, 8)


@pytest.mark.rule("GLD-07")
def test_a_figure_must_be_placed() -> None:
    table = scene().player(0, hand=["bone_flute"])
    assert not table.can("end")
    assert not table.can("leave")
    assert {text.split(" ")[0] for text in table.texts} == {"culture", "place"}


@pytest.mark.rule("GLD-07")
def test_the_draw_of_resting_cannot_be_skipped() -> None:
    table = scene().player(0, deck=["hunter"], animals=["glyptodon"]).do("place tribe rest")
    assert not table.can("end")
    assert not table.can("leave")
    table.do("draw")
    assert table.can("end", "tip glyptodon")


@pytest.mark.rule("GLD-07")
def test_the_draw_of_the_preparation_phase_is_not_asked_for() -> None:
    table = let_go(scene().player(0, hand=["brave"], deck=["hunter"] * 6).eclipse())
    assert table.kind == "turn"
    assert table.names(0, "hand") == ["hunter"] * 5 + ["brave"]


@pytest.mark.rule("GLD-07")
def test_points_won_by_anothers_stacking_come_without_a_question() -> None:
    table = scene(layout="two").player(0, megaliths=8)
    table.megaliths("neutral", (0, 0), (1, 0)).megaliths(1, (0, 1), (1, 1))
    table.gain(0, "megalith").do("stack 0,0@1")
    assert (table.score(0), table.score(1)) == (4, 2)
    assert table.kind == "turn"


@pytest.mark.rule("GLD-07")
def test_honor_points_and_sliding_come_without_a_question() -> None:
    table = scene(3).player(0, honor=4).player(1, honor=4).player(2, honor=5)
    table.table(honor_queue=bytes([2, 0, 1])).gain(0, "idol").do("honor")
    assert table.kind == "turn"
    assert table.score(0) == 2
    assert list(table.position.honor_queue) == [2, 1, 0]


@pytest.mark.rule("GLD-07")
def test_a_glacier_token_is_flipped_without_a_question() -> None:
    table = scene(modules=("glacier_tokens",)).terrain(h7="glacier").player(0, camps=[1])
    table.position.module_state[0] = bytes(7) + b"\x03" + bytes(11)
    table.gain(0, "move").do("move 1>7")
    assert table.kind == "turn"
    assert table.position.module_state[0][7] == 128 + 3


@pytest.mark.rule("GLD-07")
def test_culture_cards_return_and_piles_are_discarded_without_a_question() -> None:
    table = scene().player(0, pile=["bone_flute", "shaman"]).eclipse()
    assert table.names(0, "hand") == ["bone_flute"]
    assert table.names(0, "pile") == ["shaman"]
    table.do(*["leave"] * 3)
    assert table.kind == "turn"
    assert table.names(0, "pile") == []
    assert "shaman" in table.names(0, "discard") + table.names(0, "deck") + table.names(0, "hand")


@pytest.mark.rule("GLD-07")
def test_one_of_the_two_rest_tokens_must_be_taken() -> None:
    table = scene(modules=("rest_tokens",)).do("place tribe rest")
    assert table.texts == ["token shown", "token next"]


# --- GLD-08 ---


@pytest.mark.rule("GLD-08")
def test_others_learn_how_many_cards_are_drawn_but_not_which() -> None:
    table = scene().player(0, deck=["shaman", "elder"]).gain(0, "draw 2").listen()
    table.do("draw", "draw")
    assert seen(table, events.CARDS_DRAWN) == [
        (0, 1, 0, bytes([CARDS["shaman"]])),
        (0, 1, 0, bytes([CARDS["elder"]])),
    ]


@pytest.mark.rule("GLD-08")
def test_others_learn_where_a_buried_card_came_from_but_not_which_it_is() -> None:
    table = scene().player(0, hand=["elder", "brave"]).gain(0, "bury").listen()
    table.do("bury elder hand")
    assert seen(table, events.CARD_BURIED) == [(0, 0, 0, bytes([CARDS["elder"]]))]


@pytest.mark.rule("GLD-08")
def test_others_learn_that_a_card_is_piled_but_not_which_until_the_eclipse() -> None:
    table = scene().player(0, hand=["elder", "brave"]).turn(0, 3).listen()
    table.do("place tribe hunt", "end", "pile brave", "done")
    assert seen(table, events.CARD_PILED) == [(0, 0, 0, bytes([CARDS["brave"]]))]
    assert seen(table, events.PILE_REVEALED) == []
    table.do("place tribe hunt")
    assert (0, CARDS["brave"], 0, b"") in seen(table, events.PILE_REVEALED)


@pytest.mark.rule("GLD-08")
def test_a_discarded_card_is_seen_by_all() -> None:
    table = scene().player(0, hand=["elder", "brave", "barter_day"]).listen()
    table.do("culture barter_day", "ability 0: pay", "discard elder")
    assert seen(table, events.CARD_DISCARDED) == [(0, CARDS["elder"], 0, b"")]


@pytest.mark.rule("GLD-08")
def test_animals_and_tribe_cards_taken_are_seen_by_all() -> None:
    table = scene().animal_deck("argentavis", "glyptodon").listen()
    table.gain(0, "beast, tribe").listen().do("beast", "tribe elder")
    assert [event[4] for event in table.events] == [b""] * len(table.events)
    assert seen(table, events.ANIMAL_TAKEN) == [(0, 6, 1, b"")]
    assert seen(table, events.TRIBE_TAKEN) == [(0, CARDS["elder"], 0, b"")]


@pytest.mark.rule("GLD-08")
def test_a_hand_does_not_show_when_its_cards_came() -> None:
    one = scene().player(0, deck=["shaman", "hunter"]).gain(0, "draw 2").do("draw", "draw")
    other = scene().player(0, deck=["hunter", "shaman"]).gain(0, "draw 2").do("draw", "draw")
    assert one.at(0).hand == other.at(0).hand


@pytest.mark.rule("GLD-08")
def test_what_is_asked_does_not_depend_on_anothers_hand() -> None:
    one = scene().player(0, hand=["hunter"]).player(1, hand=["elder", "bone_flute"])
    other = scene().player(0, hand=["hunter"]).player(1, hand=["shaman", "shaman"])
    for step in ("place tribe hunt", "play hunter", "end"):
        assert one.texts == other.texts
        one.do(step)
        other.do(step)


@pytest.mark.rule("GLD-08")
def test_a_turn_that_can_only_end_is_not_ended_while_the_hand_could_offer_more() -> None:
    """With a card in hand, only its owner knows that it cannot be played in step 2."""
    table = scene().player(0, hand=["bone_flute"]).table(first=b"\0\1\1\1\1")
    table.do("place tribe hunt")
    assert (table.seat, table.texts) == (0, ["end"])


@pytest.mark.rule("GLD-08")
def test_a_turn_that_everybody_sees_can_only_end_is_ended() -> None:
    table = scene().table(first=b"\0\1\1\1\1").do("place tribe hunt")
    assert (table.seat, table.kind) == (1, "turn")


@pytest.mark.rule("GLD-08")
def test_which_of_two_equal_cards_to_discard_is_asked_all_the_same() -> None:
    table = scene().player(0, hand=["elder", "elder", "barter_day"])
    table.do("culture barter_day", "ability 0: pay")
    assert table.texts == ["discard elder"]


@pytest.mark.rule("GLD-08")
def test_the_last_card_in_hand_is_discarded_without_a_question() -> None:
    table = scene().player(0, hand=["elder", "barter_day"])
    table.do("culture barter_day", "ability 0: pay")
    assert table.kind == "gain"
    assert table.names(0, "discard") == ["elder"]


# --- GLD-09 ---


@pytest.mark.rule("GLD-09")
def test_a_sixth_tool_becomes_food() -> None:
    table = scene().player(0, tools=5, food=1).gain(0, "tool")
    assert (table.at(0).tools, table.at(0).food) == (5, 2)


@pytest.mark.rule("GLD-09")
def test_tools_that_do_not_fit_become_food_as_far_as_that_fits() -> None:
    table = scene().player(0, tools=5, food=4, camps=[0]).gain(0, "tool 3")
    assert (table.at(0).tools, table.at(0).food) == (5, 6)
    assert table.kind == "turn"


@pytest.mark.rule("GLD-09")
def test_of_two_tools_the_one_that_does_not_fit_becomes_food() -> None:
    table = scene().player(0, tools=4).gain(0, "tool 2")
    assert table.texts == ["tools 1 food 1", "tools 0 food 2", "leave"]
    table.do("tools 1 food 1")
    assert (table.at(0).tools, table.at(0).food) == (5, 1)


@pytest.mark.rule("GLD-09")
def test_with_five_tools_an_ability_that_brings_tools_can_be_used_for_food() -> None:
    """Tuskbreaker brings 2 Tools."""
    table = scene().player(0, tools=5, chief="tuskbreaker_a").do("place chief hunt", "lead")
    assert (table.at(0).tools, table.at(0).food) == (5, 2)


@pytest.mark.rule("GLD-09")
def test_with_tools_and_food_full_an_ability_that_brings_tools_is_of_no_use() -> None:
    table = scene().player(0, tools=5, food=6, camps=[0], chief="tuskbreaker_a")
    assert not table.do("place chief hunt").can("lead")


@pytest.mark.rule("GLD-09")
def test_a_tool_that_does_not_fit_is_on_offer_as_food_beside_other_benefits() -> None:
    table = scene().player(0, tools=5).gain(0, "tool, idol")
    assert table.texts == ["tools 0 food 1", "offering", "honor", "idol as food", "leave"]


@pytest.mark.rule("GLD-09")
def test_without_a_megalith_left_only_lesser_benefits_are_on_offer() -> None:
    table = scene().player(0, megaliths=0, deck=["hunter"]).gain(0, "megalith")
    assert table.texts == [
        "megalith as draw",
        "megalith as offering",
        "megalith as honor",
        "megalith as tool",
        "megalith as food",
        "leave",
    ]


@pytest.mark.rule("GLD-09")
def test_at_the_top_of_the_honor_track_the_lesser_benefits_of_an_idol_remain() -> None:
    table = scene().player(0, honor=7, offering=8).gain(0, "idol")
    assert table.texts == ["offering", "idol as tool", "idol as food", "leave"]


@pytest.mark.rule("GLD-09")
def test_a_lesser_benefit_that_would_be_lost_is_not_on_offer() -> None:
    table = scene().player(0, food=6, camps=[0], tools=5).gain(0, "idol")
    assert table.texts == ["offering", "honor", "leave"]
