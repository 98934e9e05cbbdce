"""What systematic mutation testing found untested (docs/mutation-testing.md).

Each test was written because a small change of the source went unnoticed by the tests of the
rule's family.
"""

from __future__ import annotations

from typing import Any

import pytest

from endless_winter.rules import Config, Game, agenda, board, events, gains, icons, options
from endless_winter.rules.benefits import entry_options
from endless_winter.rules.chance import shuffle
from endless_winter.rules.eclipse import board_pool
from endless_winter.rules.options import HEX, option, source
from endless_winter.rules.points import CATEGORIES, NO_POINTS, by_category, points_of, with_points
from endless_winter.rules.scoring import stone_points
from endless_winter.rules.sources import CARD, GLACIER_TOKENS
from endless_winter.rules.tables import Ability
from endless_winter.rules.terrain import HEXES, JUNCTURES
from endless_winter.rules.turn import eat, works_here
from endless_winter.rules.zones import EMPTY
from tests.rules.scene import CARDS, ELDER, STONES, TABLES, Scene, cards, gain_frame, pool, scene

NEUTRALS_GONE = 8
SQUARE = ((0, 0), (0, 1), (1, 0), (1, 1))


def juncture(*hexes: int) -> int:
    return JUNCTURES.index(bytes(sorted(hexes)))


def plaza(players: int = 2) -> Scene:
    return scene(players, layout="two").table(tiles=bytes(range(4)))


# --- scoring ---


@pytest.mark.parametrize(
    ("stone", "points"),
    [
        pytest.param("pillar_stone", 1, marks=pytest.mark.rule("STN-03")),
        pytest.param("boundary_stone", 1, marks=pytest.mark.rule("STN-04")),
        pytest.param("tower_stone", 2, marks=pytest.mark.rule("STN-06")),
    ],
)
def test_a_stone_of_the_second_seat_counts_the_second_seats_megaliths(
    stone: str, points: int
) -> None:
    table = plaza()
    table.megaliths(0, (4, 0), (5, 0), (6, 0), (4, 2), (5, 2), (4, 0, 1), (5, 0, 1))
    table.megaliths(1, (0, 0), (1, 0), (2, 0), (0, 0, 1))
    assert stone_points(table.position, table.at(1), TABLES.stones[STONES[stone]]) == points


@pytest.mark.rule("STN-01")
def test_a_village_beside_the_lowest_numbered_of_its_hexes_counts() -> None:
    table = scene(2).all_terrain("steppe").terrain(h1="canyon")
    table.player(0, villages=[juncture(1, 7, 8)])
    canyon = TABLES.stones[STONES["canyon_stone"]]
    assert stone_points(table.position, table.at(0), canyon) == 2


# --- Megaliths ---


@pytest.mark.rule("MEG-05")
def test_the_first_seat_scores_for_its_megaliths_covered_by_another() -> None:
    table = plaza().player(1, megaliths=NEUTRALS_GONE)
    table.megaliths(0, *SQUARE[:3]).megaliths("neutral", SQUARE[3])
    table.gain(1, "megalith").do("stack 0,0@1")
    assert [table.points(seat, "megaliths") for seat in (0, 1)] == [3, 4]


@pytest.mark.rule("MEG-05")
def test_a_stacked_megalith_scores_once_for_its_builder_and_then_nothing_for_the_own_below() -> (
    None
):
    table = plaza().player(1, megaliths=NEUTRALS_GONE)
    table.megaliths(1, *SQUARE[:2]).megaliths(0, SQUARE[2]).megaliths("neutral", SQUARE[3])
    table.gain(1, "megalith").listen().do("stack 0,0@1")
    points = [event[1:4] for event in table.events if event[0] == events.POINTS]
    assert points == [(0, 1, events.BY_MEGALITH), (1, 6, events.BY_MEGALITH)]


@pytest.mark.rule("MEG-02")
def test_a_space_with_several_neighbours_is_listed_once() -> None:
    table = plaza().megaliths("neutral", (5, 0), (4, 1), (6, 1)).gain(0, "megalith")
    assert table.texts.count("megalith 5,1") == 1


@pytest.mark.rule("MEG-08")
def test_the_additional_megalith_needs_a_megalith_in_the_supply() -> None:
    table = plaza().player(0, megaliths=1).gain(0, "megalith")
    table.player(0, megaliths=9).gain(0, "megalith").do("megalith 1,0")
    table.player(0, megaliths=0)
    assert table.offers("megalith") == [
        "megalith as offering",
        "megalith as honor",
        "megalith as tool",
        "megalith as food",
    ]


# --- what brings nothing is not asked for ---

NOTHING: dict[str, dict[str, Any]] = {
    "bury": {},
    "camp": {"camps": [0] * 5},
    "move": {"camps": []},
    "village": {"camps": [1, 7]},
    "culture": {},
    "reveal": {},
    "tip": {},
    "stone": {"stones": ["grave_stone", "idol_stone", "tower_stone"]},
}
SOMETHING: dict[str, dict[str, Any]] = {
    "bury": {"discard": ["brave"]},
    "camp": {"camps": [0] * 4},
    "move": {"camps": [0]},
    "village": {"camps": [1, 7, 8]},
    "tip": {"animals": ["glyptodon"]},
}


@pytest.mark.rule("GLD-04")
@pytest.mark.parametrize("icon", NOTHING)
def test_a_benefit_that_cannot_be_had_does_not_hold_up_food(icon: str) -> None:
    """Food that does not all fit waits for nothing when nothing can make room for it."""
    table = scene(2).animal_deck().player(0, **NOTHING[icon])
    room = 5 + len(table.at(0).camps)
    table.player(0, food=room - 1).gain(0, f"{icon}, food 3")
    assert (table.kind, table.at(0).food) == ("turn", room)


@pytest.mark.rule("GLD-04")
@pytest.mark.parametrize("icon", SOMETHING)
def test_a_benefit_that_can_be_had_keeps_food_above_the_limit_waiting(icon: str) -> None:
    table = scene(2).player(0, **SOMETHING[icon])
    room = 5 + len(table.at(0).camps)
    table.player(0, food=room - 1).gain(0, f"{icon}, food 3")
    assert table.kind == "gain"
    assert table.can("food 3", "leave")
    table.do("food 3")
    assert table.at(0).food == room
    assert table.offers(icon)
    assert not table.offers("food")


@pytest.mark.rule("ICO-05")
def test_a_feast_that_waits_for_a_camp_fills_the_larger_store_or_the_smaller() -> None:
    table = scene(2).player(0, food=2).gain(0, "camp, feast").do("camp")
    assert (table.at(0).food, table.kind) == (7, "turn")
    table = scene(2).player(0, food=2).gain(0, "camp, feast")
    assert table.texts == ["camp", "feast", "leave"]
    table.do("feast")
    assert table.at(0).food == 6
    assert table.texts == ["camp", "leave"]


# --- options of competing sources ---

EVERY_ENTRY = (
    *("food 2", "tool 2", "idol", "draw", "megalith", "labor 3", "bury", "village", "camp"),
    *("move", "tribe", "recruit", "culture", "animal", "beast", "reveal", "tip", "stone"),
    *("point 2", "feast"),
)


def laid_table() -> Scene:
    """Seat 0 can take every kind of benefit in at least one way."""
    table = plaza().display("bone_flute").grounds("glyptodon").megaliths("neutral", (5, 1))
    table.stones(["grave_stone"], []).animal_deck("argentavis")
    return table.player(
        0,
        food=3,
        tools=3,
        camps=[1, 7, 8],
        hand=["brave"],
        deck=["elder"],
        discard=["hunter"],
        above=["shaman"],
        animals=["woolly_rhino"],
    )


def listed(table: Scene, entry: str, where: int) -> list[int]:
    found: list[int] = []
    icon, amount = pool(entry)
    entry_options(table.position, table.at(0), icon, amount, where, found)
    return found


@pytest.mark.rule("ECL-03")
@pytest.mark.parametrize("entry", EVERY_ENTRY)
def test_each_way_to_take_a_benefit_names_the_source_that_it_is_taken_from(entry: str) -> None:
    table = laid_table()
    plain = listed(table, entry, 0)
    assert plain
    where = source(HEX, 7)
    assert listed(table, entry, where) == [code | where << 32 for code in plain]
    for code in plain:
        assert table.game.parse(table.game.text(code)) == code


@pytest.mark.rule("GLD-03")
def test_lesser_benefits_of_competing_sources_name_what_is_given_up_and_what_is_taken() -> None:
    table = laid_table()
    texts = [table.game.text(code) for code in listed(table, "megalith", source(HEX, 7))]
    assert texts[-5:] == [
        "hex 7: megalith as draw",
        "hex 7: megalith as offering",
        "hex 7: megalith as honor",
        "hex 7: megalith as tool",
        "hex 7: megalith as food",
    ]


def test_points_and_labor_of_a_source_are_taken_whole() -> None:
    table = laid_table()
    assert listed(table, "point 2", 0) == [option(options.POINTS, 2)]
    assert listed(table, "labor 3", 0) == [option(options.LABOR, 3)]


@pytest.mark.rule("CUL-02")
def test_points_of_an_ability_may_be_taken_before_the_rest_of_it() -> None:
    table = scene(2).player(0, hand=["star_watchers"]).turn(0).do("culture star_watchers")
    assert table.can("ability 0: points 1", "ability 0: offering")
    table.do("ability 0: points 1")
    assert (table.score(0), table.points(0, "culture_cards")) == (1, 1)
    table.do("offering", "honor")
    assert (table.score(0), table.kind) == (1, "turn")


# --- pools ---


@pytest.mark.rule("GLD-03")
def test_tools_are_split_as_far_as_the_food_fits() -> None:
    table = scene(2).player(0, food=4).gain(0, "tool 3")
    assert table.texts == ["tools 3 food 0", "tools 2 food 1", "tools 1 food 2", "leave"]
    table = scene(2).player(0, food=4, tools=3).gain(0, "tool 4")
    assert table.texts == ["tools 2 food 2", "leave"]


@pytest.mark.rule("GLD-03")
@pytest.mark.parametrize(("food", "offered"), [(5, True), (6, False)])
def test_the_last_food_that_fits_is_a_lesser_benefit(food: int, offered: bool) -> None:
    table = scene(2).player(0, food=food).gain(0, "idol")
    assert table.can("idol as food") is offered


@pytest.mark.rule("GLD-03")
def test_a_megalith_is_worth_one_card() -> None:
    table = scene(2).player(0, deck=["brave", "elder", "hunter"]).gain(0, "megalith")
    table.do("megalith as draw")
    assert (table.names(0, "hand"), len(table.at(0).deck)) == (["brave"], 2)


@pytest.mark.rule("GLD-09")
def test_each_tool_beyond_the_fifth_is_one_food_whatever_else_is_gained() -> None:
    table = scene(2).player(0, tools=5).gain(0, "tool 2, point 5")
    assert (table.at(0).food, table.at(0).tools, table.score(0)) == (2, 5, 5)


@pytest.mark.rule("GLD-04")
def test_food_that_just_fits_is_taken_though_a_camp_would_make_more_room() -> None:
    table = scene(2).player(0, food=3).gain(0, "camp, food 3")
    assert (table.at(0).food, table.texts) == (6, ["camp", "leave"])


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


def scoring_stones(table: Scene, bits: int, before: str = "") -> Scene:
    """Seat 0 is about to gain something and to score the Sacred Stones of these bits."""
    entry = pool(before) if before else b""
    frame = gain_frame(0, entry + bytes((agenda.SCORE_STONES, bits)))
    return table.table(agenda=[(agenda.ROUND, 0, 0, b""), frame])


@pytest.mark.rule("ECL-04")
@pytest.mark.parametrize(("bits", "points"), [(1, 1), (2, 2), (3, 3)])
def test_only_stones_that_have_not_scored_yet_do(bits: int, points: int) -> None:
    table = scene(2).player(0, stones=["grave_stone", "idol_stone"], food=6, offering=4)
    table.player(0, buried=["brave", "brave"])
    assert scoring_stones(table, bits, "food 2").points(0, "sacred_stones") == points
    assert table.kind == "turn"


@pytest.mark.rule("ECL-04")
@pytest.mark.parametrize(("first", "second"), [("grave", "idol"), ("idol", "grave")])
def test_a_stone_that_was_scored_early_does_not_score_again(first: str, second: str) -> None:
    table = scene(2).player(0, stones=["grave_stone", "idol_stone"], offering=4)
    table.player(0, buried=["brave", "brave"])
    scoring_stones(table, 3, "camp").do(f"score {first}_stone")
    assert table.offers("score") == [f"score {second}_stone"]
    table.do("camp")
    assert (table.points(0, "sacred_stones"), table.kind) == (3, "turn")


@pytest.mark.rule("MEG-08")
def test_the_arrows_of_a_tile_are_blocked_by_what_stands_on_that_tile() -> None:
    table = plaza().megaliths("neutral", (5, 0)).gain(0, "megalith").do("megalith 4,0")
    assert [text for text in table.offers("megalith") if " as " not in text] == ["megalith 4,1"]
    table = plaza().megaliths("neutral", (1, 0), (0, 1)).gain(0, "megalith").do("megalith 4,0")
    spots = [text for text in table.offers("megalith") if " as " not in text]
    assert spots == ["megalith 5,0", "megalith 4,1"]


@pytest.mark.rule("MEG-08")
def test_placing_the_additional_megalith_takes_it_off_the_pool_wherever_it_is() -> None:
    position = scene(2).position
    player = position.players[0]
    for grey in range(32):
        additional = bytes((agenda.ADDITIONAL, grey))
        assert gains.reduced(position, player, additional, option(options.MEGALITH, 9)) == b""
        both = additional + pool("megalith 2")
        left = additional + pool("megalith")
        assert gains.reduced(position, player, both, option(options.MEGALITH, 9)) == left


# --- abilities ---


def ability(gain: str, cost: str = "", when: int = icons.ALWAYS, amount: int = 0) -> Ability:
    return Ability(pool(gain), pool(cost) if cost else b"", when=when, amount=amount)


def usable(table: Scene, gain: str, cost: str = "") -> bool:
    return gains.usable(table.position, table.at(0), ability(gain, cost))


@pytest.mark.rule("ICO-01")
@pytest.mark.parametrize("cost", ["", "tool"])
def test_an_ability_is_usable_if_any_of_its_benefits_can_be_had(cost: str) -> None:
    table = scene(2).player(0, food=6, tools=5)
    for nothing in ("bury", "bury, tip", "tip 2, bury 2, reveal 3"):
        assert not usable(table.animal_deck(), nothing, cost)
        assert usable(table, f"camp, {nothing}", cost)
        assert usable(table, f"{nothing}, camp", cost)


@pytest.mark.rule("ICO-01")
def test_paying_makes_room_so_a_full_store_is_no_reason_to_refuse() -> None:
    table = scene(2).player(0, food=6, tools=5)
    for gain in ("food", "tool", "feast", "bury, feast"):
        assert usable(table, gain, "food")
        assert not usable(table, gain)


def test_an_ability_is_usable_if_it_brings_a_point_or_the_last_food_that_fits() -> None:
    table = scene(2).animal_deck().player(0, food=5, tools=5)
    assert usable(table, "animal")
    assert usable(table, "tool")
    assert not usable(table.player(0, food=6), "tool")
    assert not usable(table.animal_deck("glyptodon"), "animal")


@pytest.mark.rule("ICO-01")
def test_an_eclipse_ability_with_a_cost_and_nothing_to_gain_is_not_on_offer() -> None:
    table = scene(2).player(0, food=2, pile=["elder"]).eclipse()
    assert "elder" not in " ".join(table.texts)
    table = scene(2).player(0, food=2, pile=["elder"], discard=["brave"]).eclipse()
    while table.kind != "eclipse_cards":
        table.do("leave")
    assert table.texts == ["card elder: pay", "leave"]


@pytest.mark.rule("ICO-02")
@pytest.mark.parametrize(("number", "points"), [(3, 0), (4, 5)])
def test_points_behind_a_condition_are_scored_only_if_it_is_met(number: int, points: int) -> None:
    names = ["glyptodon", "woolly_rhino", "ground_sloth", "woolly_mammoth"][:number]
    table = scene(2).player(0, hand=["trophy_hall"], animals=names).turn(0)
    table.do("culture trophy_hall")
    assert (table.score(0), table.at(0).food, table.kind) == (points, 1, "turn")


def settled(table: Scene, *abilities: Ability) -> list[int]:
    elders = [CARDS["elder"]] * len(abilities)
    return gains.settle_sources(table.position, table.at(0), list(abilities), CARD, elders)


def test_a_source_with_a_cost_is_never_used_without_a_question() -> None:
    table = scene(2).player(0, food=2)
    assert settled(table, ability("point 2", "food"), ability("food", "food")) == []
    assert settled(table, ability("labor 2", "food"), ability("food 3", "food")) == []
    assert (table.score(0), table.at(0).food, table.position.labor) == (0, 2, 0)


def test_a_cost_that_another_source_has_made_payable_is_still_a_question() -> None:
    table = scene(2)
    assert settled(table, ability("point 2", "food"), ability("food")) == [1]
    assert (table.score(0), table.at(0).food) == (0, 1)


def test_a_source_whose_condition_is_met_is_used_at_once_if_it_fits() -> None:
    table = scene(2)
    met = ability("point 2", when=icons.CAMPS_PLACED, amount=1)
    assert settled(table, met, ability("camp")) == [0]
    assert table.score(0) == 2


def test_sources_that_fit_are_used_at_once() -> None:
    table = scene(2).player(0, food=2)
    assert settled(table, ability("point 3"), ability("food 4"), ability("labor 1")) == [0, 1, 2]
    assert (table.score(0), table.at(0).food, table.position.labor) == (3, 6, 1)


def test_a_source_fits_only_if_all_of_its_food_does() -> None:
    table = scene(2).player(0, food=5)
    assert settled(table, ability("point, food 2"), ability("camp")) == []
    assert settled(table, ability("point 2, food"), ability("camp")) == [0]
    assert (table.score(0), table.at(0).food) == (2, 6)


def test_food_waits_for_a_source_that_asks_for_its_cost() -> None:
    table = scene(2).player(0, food=5, tools=1)
    assert settled(table, ability("food 3"), ability("food 2", "tool")) == []
    assert settled(table, ability("food 3"), ability("food 2", "tool 2")) == [0]
    assert (table.at(0).food, table.at(0).tools) == (6, 1)


def test_a_source_that_has_waited_in_vain_is_used_up() -> None:
    table = scene(2).player(0, food=5)
    assert settled(table, ability("point 2, food 3"), ability("bury")) == [0]
    assert (table.score(0), table.at(0).food) == (2, 6)
    table.player(0, food=5)
    assert settled(table, ability("labor 2, food 3"), ability("bury")) == [0]
    assert (table.position.labor, table.at(0).food) == (2, 6)


def test_a_source_whose_condition_is_not_met_gives_nothing() -> None:
    table = scene(2).player(0, food=5)
    unmet = ability("point 2, food 3", when=icons.CAMPS_PLACED, amount=2)
    met = ability("point 2, food 3", when=icons.CAMPS_PLACED, amount=1)
    assert settled(table, unmet) == []
    assert (table.score(0), table.at(0).food) == (0, 5)
    assert settled(table, met) == [0]
    assert (table.score(0), table.at(0).food) == (2, 6)


# --- small transitions ---


@pytest.mark.rule("GLD-05")
@pytest.mark.parametrize(("have", "gain", "kept"), [(0, 3, 3), (3, 2, 2), (3, 3, 2), (5, 1, 0)])
def test_tools_above_five_are_lost_wherever_they_come_from(have: int, gain: int, kept: int) -> None:
    table = scene(2).player(0, tools=have).listen()
    table.position.cause = ELDER
    board.gain_tools(table.position, table.at(0), gain)
    assert table.at(0).tools == have + kept
    happened = [(events.TOOLS_GAINED, 0, kept, 0, b"", ELDER)] if kept else []
    assert table.game.take_events() == happened


@pytest.mark.rule("GLD-06")
@pytest.mark.parametrize("by", events.CATEGORY_NAMES)
def test_points_are_kept_apart_by_where_they_came_from(by: int) -> None:
    table = scene(2).listen()
    table.position.cause = ELDER
    board.score(table.position, table.at(1), 2, by)
    board.score(table.position, table.at(1), 0, by)
    board.score(table.position, table.at(1), 3, by)
    one = table.at(1)
    assert by_category(one.points) == [5 * (number == by) for number in range(CATEGORIES)]
    assert (one.score, table.at(0).points) == (5, NO_POINTS)
    told = [(events.POINTS, 1, number, by, b"", ELDER) for number in (2, 3)]
    assert table.game.take_events() == told


def test_a_category_may_be_below_zero_and_far_above_a_byte() -> None:
    points = with_points(NO_POINTS, events.BY_MODULE, -2)
    points = with_points(points, events.BY_CHIEF, 300)
    assert (points_of(points, events.BY_MODULE), points_of(points, events.BY_CHIEF)) == (-2, 300)
    assert sum(by_category(points)) == 298


def test_nothing_gained_and_nothing_paid_is_no_event() -> None:
    table = scene(2).player(0, food=6).listen()
    board.gain_food(table.position, table.at(0), 2)
    board.pay_food(table.position, table.at(0), 0)
    board.pay_tools(table.position, table.at(0), 0)
    assert table.game.take_events() == []


# --- costs and conditions ---


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


RHINO, SLOTH, EAGLE = "woolly_rhino", "ground_sloth", "argentavis"


@pytest.mark.rule("ICO-02")
@pytest.mark.parametrize(
    ("when", "amount", "animals", "met"),
    [
        (icons.ALWAYS, 0, [], True),
        (icons.SAME_ANIMALS, 2, [RHINO, RHINO, SLOTH], True),
        (icons.SAME_ANIMALS, 2, [RHINO, SLOTH, SLOTH], True),
        (icons.SAME_ANIMALS, 2, [RHINO, SLOTH], False),
        (icons.SAME_ANIMALS, 3, [RHINO, EAGLE, EAGLE], True),
        (icons.SAME_ANIMALS, 2, [EAGLE, EAGLE, EAGLE], False),
        (icons.WILD_ANIMALS, 2, [EAGLE, EAGLE], True),
        (icons.WILD_ANIMALS, 2, [EAGLE, RHINO], False),
        (icons.WILD_ANIMALS, 3, [EAGLE, EAGLE, SLOTH], False),
    ],
)
def test_a_condition_counts_animals(when: int, amount: int, animals: list[str], met: bool) -> None:
    table = scene(2).player(0, animals=animals)
    condition = ability("point", when=when, amount=amount)
    assert board.holds(table.position, table.at(0), condition) is met


# --- cards ---


@pytest.mark.rule("GLD-01")
def test_a_draw_from_nothing_makes_no_new_deck() -> None:
    table = scene(2).player(0, hand=["brave"]).listen()
    board.draw(table.position, table.at(0), 2)
    assert (table.at(0).shuffles, table.names(0, "hand")) == (0, ["brave"])
    assert table.game.take_events() == []


@pytest.mark.rule("GLD-01")
def test_each_new_deck_is_counted_and_shuffled_anew() -> None:
    names = ["brave", "tribeswoman", "tribesman", "hunter", "elder", "shaman", "crafter"]
    table = scene(2).player(0, discard=names)
    decks = []
    for number in (1, 2, 3):
        zone = table.at(0).discard
        board.draw(table.position, table.at(0), 1)
        assert table.at(0).shuffles == number
        drawn = table.at(0).hand + table.at(0).deck
        assert drawn == shuffle(table.position.seed, "deck:0", number, zone)
        decks.append(drawn)
        table.player(0, hand=[], deck=[], discard=names)
    assert len(set(decks)) == 3


@pytest.mark.rule("LAB-06")
def test_a_card_in_hand_stays_playable_if_its_empty_deck_gave_a_point_instead() -> None:
    table = scene(2).player(0, tools=1, hand=["brave", "hunter"]).tribe_deck("hunter", 0)
    table.do("place tribe initiate", "play brave", "initiate hunter")
    assert (table.score(0), table.position.fresh) == (1, b"")
    assert table.can("play hunter")


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


# --- abilities above the board ---

HUNTER, CRAFTER, WOMAN = CARDS["hunter"], CARDS["crafter"], CARDS["tribeswoman"]
READY = ((HUNTER, 0), (HUNTER, 1), (CRAFTER, 0), (CRAFTER, 1), (WOMAN, 0), (WOMAN, 0), (WOMAN, 1))


def pairs(*ready: tuple[int, int]) -> bytes:
    return b"".join(bytes(pair) for pair in ready)


def with_ready(*ready: tuple[int, int], **fields: Any) -> Scene:
    """Seat 0 has a figure in Hunt and these (card, ability) pairs above the board."""
    table = scene(2).player(0, **fields).turn(0).do("place tribe hunt")
    return table.table(ready=pairs(*ready))


@pytest.mark.rule("LAB-02")
def test_every_unused_ability_above_the_board_is_listed_once() -> None:
    assert sorted(READY) == list(READY)
    table = with_ready(*READY, food=1, above=["hunter", "crafter", "tribeswoman", "tribeswoman"])
    assert table.offers("use") == [
        "use hunter 0",
        "use hunter 1",
        "use crafter 0",
        "use crafter 1",
        "use tribeswoman 0",
        "use tribeswoman 1",
    ]
    assert with_ready(*READY[1:3]).offers("use") == ["use hunter 1", "use crafter 0"]


@pytest.mark.rule("LAB-03")
@pytest.mark.parametrize("used", sorted(set(READY)))
def test_an_ability_above_the_board_that_is_used_is_gone_and_no_other(
    used: tuple[int, int],
) -> None:
    table = with_ready(*READY, food=1, above=["hunter", "crafter", "tribeswoman", "tribeswoman"])
    table.do(f"use {TABLES.cards[used[0]].name} {used[1]}")
    left = list(READY)
    left.remove(used)
    assert table.position.ready == pairs(*left)


@pytest.mark.rule("LAB-02")
@pytest.mark.parametrize(
    "before",
    [
        (),
        ((HUNTER, 1), (CRAFTER, 1)),
        ((WOMAN, 0),),
        ((HUNTER, 1), (WOMAN, 1)),
        ((WOMAN + 1, 0),),
        ((WOMAN - 1, 1), (WOMAN, 0), (WOMAN, 1), (WOMAN + 1, 0)),
    ],
)
def test_abilities_above_the_board_are_in_order_whenever_they_came(
    before: tuple[tuple[int, int], ...],
) -> None:
    table = scene(2).player(0, hand=["tribeswoman"]).turn(0).do("place tribe hunt")
    table.position.ready = pairs(*before)
    table.do("play tribeswoman")
    assert table.position.ready == pairs(*sorted((*before, (WOMAN, 0))))


@pytest.mark.rule("LAB-02")
def test_only_plain_labor_of_a_played_card_is_added_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    printed = [
        Ability(pool("labor 2"), where=icons.ECLIPSE),
        Ability(pool("labor 4"), where=icons.MIGRATE),
        Ability(pool("labor 8"), where=icons.HUNT),
        Ability(pool("labor 16, tool"), where=icons.HUNT),
        Ability(pool("labor 32"), cost=pool("food"), where=icons.ANY_COLUMN),
        Ability(pool("labor 64"), when=icons.CAMPS_PLACED, amount=1),
        Ability(pool("tool"), where=icons.HUNT),
    ]
    monkeypatch.setattr(TABLES.cards[HUNTER], "abilities", printed)
    table = scene(2).player(0, hand=["hunter"] * 2).turn(0).do("place tribe hunt", "play hunter")
    assert table.position.labor == TABLES.cards[HUNTER].labor + 8
    assert table.position.ready == pairs(*((HUNTER, number) for number in (3, 4, 5, 6)))
    table.do("play hunter")
    twice = (3, 3, 4, 4, 5, 5, 6, 6)
    assert table.position.ready == pairs(*((HUNTER, number) for number in twice))


@pytest.mark.rule("FIG-06", "LAB-02")
def test_where_an_ability_works() -> None:
    columns = (icons.INITIATE, icons.DEVELOP, icons.MIGRATE, icons.HUNT)
    for place in (*columns, icons.REST):
        assert works_here(icons.ANYWHERE, place)
        assert works_here(icons.ANY_COLUMN, place) == (place in columns)
        assert not works_here(icons.ECLIPSE, place)
        for where in columns:
            assert works_here(where, place) == (where == place)


@pytest.mark.rule("LAB-04")
@pytest.mark.parametrize(("food", "amount", "labor"), [(4, 1, 0), (4, 2, 2), (3, 1, 2), (5, 3, 4)])
def test_labor_comes_from_the_icons_that_the_marker_leaves_behind(
    food: int, amount: int, labor: int
) -> None:
    table = scene(2).player(0, food=food, camps=[0] * 3)
    eat(table.position, table.at(0), amount)
    assert (table.position.labor, table.at(0).food) == (labor, food - amount)


@pytest.mark.rule("TRN-03")
def test_nothing_of_the_turn_is_left_when_the_eclipse_pile_is_built() -> None:
    table = scene(2).player(0, tools=2, hand=["brave", "tribeswoman", "elder", "hunter"])
    table.player(0, figures=["", "hunt", ""]).turn(0, 3)
    table.do("place chief initiate", "play brave", "play tribeswoman", "initiate hunter")
    position = table.position
    assert all((position.place, position.labor, position.ready, position.fresh))
    assert all((position.chief_ready, position.bottom_open))
    table.do("end")
    assert table.kind == "build_pile"
    assert (position.place, position.labor, position.ready, position.fresh) == (0, 0, b"", b"")
    assert (position.chief_ready, position.bottom_open) == (False, False)


@pytest.mark.rule("FIG-04")
def test_whose_figure_was_first_in_a_column_is_written_down() -> None:
    table = scene(3).player(0, hand=["brave"]).player(1, hand=["brave"])
    table.do("place tribe hunt", "end", "place tribe hunt", "end", "place tribe migrate")
    assert table.position.first == bytes((0, 0, 0, 3, 1))


# --- the Eclipse ---


@pytest.mark.rule("ECL-03")
def test_a_card_without_an_eclipse_ability_in_the_pile_brings_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(TABLES.cards[WOMAN], "abilities", [])
    table = scene(2).player(0, pile=["tribesman", "tribeswoman", "tribeswoman"]).eclipse()
    while table.kind != "turn":
        assert not any("tribeswoman" in text for text in table.texts)
        table.do("leave")
    assert table.at(0).food == 1  # of the tribesman
    assert len(table.at(0).hand + table.at(0).deck + table.at(0).discard) == 3


@pytest.mark.rule("ECL-04")
def test_everything_on_the_player_board_makes_one_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TABLES, "village_benefit", pool("food 2, draw, feast"))
    supply = [pool("food 3, tool"), b"", pool("idol"), pool("food 5, idol 2"), pool("point")]
    monkeypatch.setattr(TABLES, "supply", supply)
    table = scene(2).player(0, villages=[0, 7], megaliths=3)
    assert board_pool(table.position, table.at(0)) == pool("food 7, tool, idol, draw 2, feast 2")
    table.player(0, megaliths=2, stones=["grave_stone", "idol_stone"])
    scoring = bytes((agenda.SCORE_STONES, 3))
    gained = pool("food 12, tool, idol 3, draw 2, feast 2")
    assert board_pool(table.position, table.at(0)) == gained + scoring
    assert board_pool(table.position, table.at(1)) == b""
    table.player(1, stones=["claw_stone"])
    assert board_pool(table.position, table.at(1)) == bytes((agenda.SCORE_STONES, 1))


# --- set-up ---


@pytest.mark.rule("SET-02")
@pytest.mark.parametrize("draft", [False, True])
def test_nothing_laid_out_shows_in_which_order_it_was_drawn(draft: bool) -> None:
    for number in range(8):
        config = Config(TABLES, players=3, chief_draft=draft)
        position = Game.new(config, bytes((number,)) * 32).position
        for zone in (position.chiefs, position.setups):
            assert zone == bytes(sorted(zone))
        assert [len(era) for era in position.stones] == [6, 6]
        assert len(position.chiefs) == len(position.setups) == (4 if draft else 0)


@pytest.mark.rule("SET-06")
@pytest.mark.parametrize("animal", sorted(set(TABLES.animal_copies)))
def test_two_players_may_start_with_the_same_animal(
    animal: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for card in TABLES.setups:
        monkeypatch.setattr(card, "animals", bytes((animal, animal)))
    for number in range(8):
        game = Game.new(Config(TABLES, players=2), bytes((number,)) * 32)
        while game.decision is not None and game.decision.kind == agenda.CHOOSE_CHIEF:
            game.apply(game.decision.default)
        position = game.position
        assert [player.animals for player in position.players] == [bytes((animal, animal))] * 2
        everywhere = position.animals + position.grounds + bytes((animal,)) * 4
        seen = bytes(sorted(piece for piece in everywhere if piece != EMPTY))
        assert seen == bytes(sorted(TABLES.animal_copies))


# --- what is written down for the table ---


@pytest.mark.rule("CUL-01")
def test_culture_cards_of_a_turn_are_counted() -> None:
    table = scene(2).player(0, hand=["ember_feast"] * 3 + ["brave"] * 4).turn(0)
    table.do("culture ember_feast")
    for number in (2, 3):
        table.do("culture ember_feast", "discard brave")
        assert table.position.cultures_played == number


@pytest.mark.rule("RTK-03")
@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_rest_token_of_any_seat_returns_to_the_bottom_after_the_turn(seat: int) -> None:
    table = scene(3, modules=("rest_tokens",))
    assert table.position.module_state[0][:2] == b"\0\0"
    table.table(module_state=[bytes((0, 0, 1, 2, 3, 4, 0))]).turn(seat)
    table.do("place tribe rest", "token shown")
    assert table.position.module_state == [bytes((2 + seat, 3, 1, 2, 3, 4, 0))]
    while table.seat == seat:
        table.do("end" if table.can("end") else table.texts[-1])
    assert table.position.module_state == [bytes((1, 0, 2, 3, 4, 0, 1))]
    table.eclipse()
    while table.kind != "turn":
        table.do("leave")
    assert table.position.module_state == [bytes((0, 0, 2, 3, 4, 0, 1))]


def test_a_written_state_of_the_rest_tokens_is_checked() -> None:
    position = scene(3, modules=("rest_tokens",)).position
    module = position.modules[0]
    for state, wrong in (
        (bytes((0, 0, 3, 1, 4, 0, 2)), ""),
        (bytes((4, 1, 3, 1, 4, 0, 2)), ""),
        (bytes((5, 1, 3, 1, 4, 0, 2)), "seat"),
        (bytes((6, 1, 3, 1, 4, 0, 2)), "seat"),
        (bytes((0, 0, 3, 1, 4, 0)), "stack"),
        (bytes((0, 0, 3, 1, 4, 0, 0)), "stack"),
        (bytes((0, 0, 3, 1, 4, 0, 2, 5)), "stack"),
        (bytes((0, 1, 3, 1, 4, 0, 2)), "unused"),
        (bytes((4, 128, 3, 1, 4, 0, 2)), "unused"),
    ):
        position.module_state[0] = state
        found = module.check(position, 0)
        assert (wrong in found) if wrong else found == ""


def test_a_written_state_of_the_glacier_tokens_is_checked() -> None:
    table = scene(2, modules=("glacier_tokens",)).all_terrain("steppe")
    position = table.terrain(h3="glacier", h5="glacier").position
    module = position.modules[0]
    last = len(TABLES.glacier_tokens)
    for tokens, wrong in (
        ({3: 1, 5: 2}, ""),
        ({3: last, 5: 129}, ""),
        ({3: 128 + last, 5: 2}, ""),
        ({3: 1}, "hex 5 must"),
        ({3: 1, 4: 2, 5: 3}, "hex 4 must"),
        ({3: 1, 5: 1}, "lies on hex 5 and on another one"),
        ({3: 1, 5: 129}, "lies on hex 5 and on another one"),
    ):
        position.module_state[0] = bytes(tokens.get(hex_, 0) for hex_ in range(HEXES))
        found = module.check(position, 0)
        assert (wrong in found) if wrong else found == ""
    position.module_state[0] = b""
    assert module.check(position, 0) == "module_state.glacier_tokens: missing"


# --- modules and events ---


@pytest.mark.rule("GLT-03")
def test_all_that_face_up_tokens_show_makes_one_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    for number, gain in enumerate(("food 3, tool 2, idol", "tool, draw 2")):
        shown = TABLES.glacier_tokens[number]
        monkeypatch.setattr(shown, "effects", [Ability(pool(gain))])
    table = scene(2, modules=("glacier_tokens",)).all_terrain("steppe")
    table.terrain(h1="glacier", h7="glacier", h8="glacier")
    tokens = {1: 129, 7: 130, 8: 3}  # the third one is face down
    position = table.position
    position.module_state[0] = bytes(tokens.get(hex_, 0) for hex_ in range(HEXES))
    position.modules[0].village_placed(position, 0, 1, juncture(1, 7, 8))
    gained = pool("food 3, tool 3, idol, draw 2")
    where = source(GLACIER_TOKENS, juncture(1, 7, 8))
    assert position.agenda[-1] == (agenda.GAIN, 1, where << 8 | agenda.MAY_LEAVE, gained)


def test_labor_from_an_ability_is_told() -> None:
    song = source(CARD, CARDS["working_song"])
    table = scene(2).player(1, hand=["working_song"]).turn(1).listen()
    table.do("culture working_song")
    assert (events.LABOR_GAINED, 1, 3, 0, b"", song) in table.events


def test_what_concerns_no_player_is_told_of_seat_zero() -> None:
    """Events without an owner; the others name the seat that they belong to."""
    table = scene(3, modules=("rest_tokens",)).listen()
    table.animal_deck("glyptodon").table(culture=[b"", cards("ember_feast")], round=3)
    position = table.position
    for player in position.players:
        player.pile = b""
    table.eclipse()
    while table.kind != "turn":
        table.do("leave")
    happened = [*table.events, *table.game.take_events()]
    ours = {
        *(events.ANIMAL_REVEALED, events.CULTURE_DEALT, events.PREPARED),
        *(events.ECLIPSE_BEGAN, events.REST_TOKEN_SHOWN),
    }
    told = {event[0]: event[1] for event in happened if event[0] in ours}
    assert told == dict.fromkeys(ours, 0)


@pytest.mark.rule("ECL-02")
def test_the_new_turn_order_is_told_place_by_place() -> None:
    table = scene(3).player(1, pile=["brave"]).listen().eclipse()
    happened = [*table.events, *table.game.take_events()]
    made = [event[1:3] for event in happened if event[0] == events.ORDER_MADE]
    assert made == [(1, 1), (2, 2), (0, 3)]


@pytest.mark.rule("TRN-03")
def test_a_turn_begins_with_nothing_of_the_turn_before() -> None:
    table = scene(2).player(0, hand=["brave"]).do("place chief hunt", "play brave", "bottom", "end")
    position = table.position
    assert table.kind == "turn"
    assert (position.place, position.section, position.labor, position.taken) == (0, 0, 0, 0)
    assert (position.ready, position.fresh, position.cultures_played) == (b"", b"", 0)
    assert (position.bottom_open, position.chief_ready) == (False, False)


def test_scoring_and_the_additional_megalith_name_their_source_like_all_others() -> None:
    table = plaza().player(0, stones=["grave_stone", "idol_stone"])
    where = source(HEX, 7)
    for icon, amount in ((agenda.SCORE_STONES, 3), (agenda.ADDITIONAL, 1)):
        plain: list[int] = []
        sourced: list[int] = []
        entry_options(table.position, table.at(0), icon, amount, 0, plain)
        entry_options(table.position, table.at(0), icon, amount, where, sourced)
        assert len(plain) > 1
        assert sourced == [code | where << 32 for code in plain]


@pytest.mark.rule("SET-05")
def test_the_setup_of_every_player_and_the_beginning_of_the_game_are_told() -> None:
    game = Game.new(Config(TABLES, players=3), bytes(32), True)
    happened = game.take_events()
    while game.decision is not None and game.decision.kind == agenda.CHOOSE_CHIEF:
        happened += game.apply(game.decision.default)
    players = game.position.players
    chosen = [event[1:3] for event in happened if event[0] == events.SETUP_CHOSEN]
    assert chosen == [(player.seat, player.setup) for player in players]
    began = [event for event in happened if event[0] == events.GAME_BEGAN]
    assert began == [(events.GAME_BEGAN, 0, 0, 0, b"", 0)]


@pytest.mark.rule("ECL-03")
def test_an_eclipse_ability_that_is_chosen_is_told() -> None:
    table = scene(2).player(1, pile=["shaman"]).listen().eclipse()
    while table.kind != "eclipse_cards":
        table.do("leave")
    table.do("card shaman: offering")
    used = [event[1:3] for event in table.events if event[0] == events.ABILITY_USED]
    assert used == [(1, CARDS["shaman"])]


def test_tokens_that_are_shown_are_told_of_seat_zero() -> None:
    game = Game.new(Config(TABLES, modules=("rest_tokens",)), bytes(32), True)
    happened = game.take_events()
    while game.decision is not None and game.decision.kind == agenda.CHOOSE_CHIEF:
        happened += game.apply(game.decision.default)
    shown = [event[:3] for event in happened if event[0] == events.REST_TOKEN_SHOWN]
    assert shown == [(events.REST_TOKEN_SHOWN, 0, game.position.module_state[0][2])]
    table = scene(2, modules=("glacier_tokens",)).all_terrain("steppe").terrain(h1="glacier")
    table.table(module_state=[bytes((0, 3)) + bytes(HEXES - 2)]).gain(1, "move").listen()
    table.do("move 0>1")
    assert (events.GLACIER_TOKEN_FLIPPED, 0, 2, 1, b"", 0) in table.events
