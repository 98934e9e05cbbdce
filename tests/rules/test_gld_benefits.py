"""GLD: taking benefits, what holds them up, and points by category (see test_gld.py)."""

from __future__ import annotations

from typing import Any

import pytest

from endless_winter.rules import agenda, board, events, options
from endless_winter.rules.benefits import entry_options
from endless_winter.rules.chance import shuffle
from endless_winter.rules.options import HEX, option, source
from endless_winter.rules.points import CATEGORIES, NO_POINTS, by_category, points_of, with_points
from tests.rules.scene import ELDER, Scene, plaza, pool, scene

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


@pytest.mark.rule("GLD-04")
def test_food_that_just_fits_is_taken_though_a_camp_would_make_more_room() -> None:
    table = scene(2).player(0, food=3).gain(0, "camp, food 3")
    assert (table.at(0).food, table.texts) == (6, ["camp", "leave"])


@pytest.mark.rule("GLD-05")
@pytest.mark.parametrize(("have", "gain", "taken"), [(0, 3, 3), (3, 2, 2), (3, 3, 2), (5, 1, 0)])
def test_tools_above_five_are_lost_wherever_they_come_from(
    have: int, gain: int, taken: int
) -> None:
    table = scene(2).player(0, tools=have).listen()
    table.position.cause = ELDER
    board.gain_tools(table.position, table.at(0), gain)
    assert table.at(0).tools == have + taken
    happened = [(events.TOOLS_GAINED, 0, taken, 0, b"", ELDER)] if taken else []
    assert table.game.take_events() == happened


@pytest.mark.rule("GLD-06")
@pytest.mark.parametrize("by", events.CATEGORY_NAMES)
def test_points_are_counted_apart_by_where_they_came_from(by: int) -> None:
    table = scene(2).listen()
    table.position.cause = ELDER
    board.score(table.position, table.at(1), 2, by)
    board.score(table.position, table.at(1), 0, by)
    board.score(table.position, table.at(1), 3, by)
    one = table.at(1)
    assert by_category(one.points) == [5 * (number == by) for number in range(CATEGORIES)]
    assert (one.score, table.at(0).points) == (5, NO_POINTS)
    scored = [(events.POINTS, 1, number, by, b"", ELDER) for number in (2, 3)]
    assert table.game.take_events() == scored


@pytest.mark.rule("GLD-09")
def test_each_tool_beyond_the_fifth_is_one_food_whatever_else_is_gained() -> None:
    table = scene(2).player(0, tools=5).gain(0, "tool 2, point 5")
    assert (table.at(0).food, table.at(0).tools, table.score(0)) == (2, 5, 5)


def test_points_and_labor_of_a_source_are_taken_whole() -> None:
    table = laid_table()
    assert listed(table, "point 2", 0) == [option(options.POINTS, 2)]
    assert listed(table, "labor 3", 0) == [option(options.LABOR, 3)]


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
