"""FIG: figures, Action Columns and the Chief."""

from __future__ import annotations

import pytest

from endless_winter.content.effects import parse_ability
from endless_winter.rules import agenda
from endless_winter.rules.position import write
from endless_winter.rules.tables import Chief
from tests.rules.plain_tables import changed
from tests.rules.scene import TABLES, Scene, pool, scene

PLACES = ["rest", "initiate", "develop", "migrate", "hunt"]


def placings(*figures: str) -> list[str]:
    return [f"place {figure} {place}" for figure in figures for place in PLACES]


def busy(seat: int = 0, **fields: object) -> Scene:
    """A player who could use every section of every column."""
    table = scene(2).player(
        seat,
        food=6,
        tools=3,
        camps=[0, 7, 8, 1],
        animals=["woolly_rhino", "ground_sloth"],
        **fields,
    )
    return table.stones(["wayfarer_stone"], []).display("bone_flute").grounds("glyptodon")


# --- FIG-01 ---


@pytest.mark.rule("FIG-01")
def test_a_figure_may_go_to_every_column_and_to_rest() -> None:
    table = scene(2)
    assert sorted(table.texts) == sorted(placings("tribe", "chief"))


@pytest.mark.rule("FIG-01")
def test_a_figure_must_be_placed() -> None:
    """No Culture card, no resource, nothing to do anywhere: there is still no way round it."""
    table = scene(2).player(0, hand=["bone_flute"])
    table.do("culture bone_flute", "leave")
    assert sorted(table.texts) == sorted(placings("tribe", "chief"))


@pytest.mark.rule("FIG-01")
@pytest.mark.parametrize(
    ("figures", "left"),
    [
        (["", "", ""], ["tribe", "chief"]),
        (["", "hunt", ""], ["tribe", "chief"]),
        (["", "hunt", "rest"], ["chief"]),
        (["initiate", "", ""], ["tribe"]),
        (["initiate", "hunt", ""], ["tribe"]),
    ],
)
def test_only_figures_that_are_still_at_home_are_offered(
    figures: list[str], left: list[str]
) -> None:
    table = scene(2).player(0, figures=figures)
    assert sorted(table.texts) == sorted(placings(*left))


@pytest.mark.rule("FIG-01")
@pytest.mark.parametrize(
    ("before", "option", "after"),
    [
        (["", "", ""], "place chief hunt", [4, 0, 0]),
        (["", "", ""], "place tribe rest", [0, 7, 0]),
        (["", "develop", ""], "place tribe initiate", [0, 2, 1]),
        (["hunt", "develop", ""], "place tribe migrate", [4, 2, 3]),
    ],
)
def test_exactly_one_figure_of_its_player_goes_where_it_was_put(
    before: list[str], option: str, after: list[int]
) -> None:
    table = scene(2).player(0, figures=before, hand=["hunter"]).do(option)
    assert list(table.at(0).figures) == after
    assert list(table.at(1).figures) == [0, 0, 0]
    assert table.offers("place") == []


@pytest.mark.rule("FIG-01")
def test_after_three_turns_all_three_figures_are_out() -> None:
    table = scene(2).player(0, hand=["elder"]).player(1, hand=["elder"])
    for figure in ("tribe", "tribe", "chief"):
        table.do(f"place {figure} hunt", "end")
        if table.kind == "build_pile":
            table.do("done")
        table.do(f"place {figure} develop", "end")
    assert list(table.at(0).figures) == [4, 4, 4]
    assert list(table.at(1).figures) == [2, 2, 2]


# --- FIG-02 ---


@pytest.mark.rule("FIG-02")
def test_the_columns_are_initiate_develop_migrate_and_hunt() -> None:
    """Their number is their place from the left."""
    for number, place in enumerate(("initiate", "develop", "migrate", "hunt"), 1):
        table = scene(2).player(0, hand=["hunter"]).do(f"place tribe {place}")
        assert table.at(0).figures[1] == number


TOP_AND_MIDDLE = {
    "initiate": ("initiate", "rite"),
    "develop": ("develop", "stone"),
    "migrate": ("travel", "settle"),
    "hunt": ("hunt", "tip"),
}


@pytest.mark.rule("FIG-02")
@pytest.mark.parametrize("place", list(TOP_AND_MIDDLE))
def test_a_column_offers_its_own_sections_and_no_other_s(place: str) -> None:
    table = busy(hand=["brave", "brave"]).do(f"place tribe {place}", "play brave", "play brave")
    for column, words in TOP_AND_MIDDLE.items():
        for word in words:
            assert bool(table.offers(word)) == (column == place), word
    assert bool(table.offers("pitch")) == (place == "migrate")
    assert bool(table.offers("reveal-two")) == (place == "hunt")
    assert table.can("bottom", "end")


MIDDLES = {
    "initiate": ["rite", "recruit elder", "leave"],
    "develop": ["stone wayfarer_stone", "leave"],
    "migrate": ["settle 8"],
    "hunt": ["tip woolly_rhino"],
}


def middle(place: str) -> Scene:
    """In the column with Labor enough, the middle taken."""
    table = busy(hand=["brave", "brave", "brave"])
    return table.do(f"place tribe {place}", "play brave", "play brave", *MIDDLES[place])


@pytest.mark.rule("FIG-02")
@pytest.mark.parametrize("place", list(TOP_AND_MIDDLE))
def test_after_the_middle_there_is_no_way_back_to_the_top(place: str) -> None:
    table = middle(place)
    assert sorted(table.offers("bottom") + table.offers("end")) == ["bottom", "end"]
    for word in ("initiate", "rite", "develop", "stone", "travel", "pitch", "settle", "hunt"):
        assert table.offers(word) == []
    assert table.offers("tip") == []
    assert table.offers("reveal-two") == []


@pytest.mark.rule("FIG-02")
def test_after_the_bottom_neither_top_nor_middle_is_left() -> None:
    table = busy(hand=["hunter", "hunter"]).animal_deck("glyptodon", "glyptodon")
    table.do("place tribe hunt", "play hunter")
    assert table.can("hunt glyptodon", "reveal-two", "tip woolly_rhino", "bottom")
    table.do("bottom")
    assert table.offers("hunt") == []
    assert table.offers("reveal-two") == []
    assert table.offers("tip") == []
    assert table.can("play hunter", "end")


@pytest.mark.rule("FIG-02")
def test_top_middle_and_bottom_can_all_be_used_in_this_order() -> None:
    table = busy(hand=["hunter"]).animal_deck("argentavis")
    table.do("place tribe hunt", "play hunter", "hunt glyptodon", "tip woolly_rhino", "bottom")
    assert table.names(0, "animals") == ["ground_sloth", "glyptodon", "argentavis"]
    assert table.names(0, "tipped") == ["woolly_rhino"]


# --- FIG-03 ---


@pytest.mark.rule("FIG-03")
def test_top_actions_can_be_repeated_and_mixed() -> None:
    table = scene(2).player(0, tools=3, hand=["hunter", "hunter", "hunter"])
    table.grounds("glyptodon").animal_deck("argentavis", "ground_sloth", "woolly_rhino")
    table.do("place tribe hunt", "play hunter", "play hunter", "play hunter")
    table.do("hunt glyptodon", "reveal-two", "hunt argentavis", "reveal-two", "hunt woolly_rhino")
    assert table.names(0, "animals") == ["woolly_rhino", "glyptodon", "argentavis"]
    assert (table.position.labor, table.at(0).tools) == (2, 0)


@pytest.mark.rule("FIG-03")
def test_the_two_top_actions_of_migrate_come_in_any_order() -> None:
    table = scene(2).player(0, tools=2, hand=["pathfinder"])
    table.do("place tribe migrate", "play pathfinder", "travel 0>1", "pitch", "travel 0>2", "pitch")
    assert list(table.at(0).camps) == [0, 1, 2]
    assert (table.at(0).tools, table.position.labor) == (0, 0)


@pytest.mark.rule("FIG-03")
def test_a_top_action_can_be_repeated_until_nothing_is_left_to_pay_with() -> None:
    table = scene(2).player(0, tools=3, hand=["elder"])
    table.do("place tribe migrate", "pitch", "pitch", "pitch")
    assert list(table.at(0).camps) == [0, 0, 0, 0]
    assert table.offers("pitch") == []


@pytest.mark.rule("FIG-03")
@pytest.mark.parametrize("place", list(TOP_AND_MIDDLE))
def test_no_top_action_is_needed_for_middle_bottom_or_end(place: str) -> None:
    table = busy(hand=["brave", "brave"]).do(f"place tribe {place}", "play brave", "play brave")
    assert table.offers(TOP_AND_MIDDLE[place][0])
    assert table.offers(TOP_AND_MIDDLE[place][1])
    assert table.can("bottom", "end")


# --- FIG-04 ---


@pytest.mark.rule("FIG-04")
@pytest.mark.parametrize("place", list(TOP_AND_MIDDLE))
def test_the_middle_can_be_used_once_only(place: str) -> None:
    table = middle(place).player(0, food=6, tools=3, camps=[0, 7, 8, 1])
    assert table.offers(TOP_AND_MIDDLE[place][1]) == []


@pytest.mark.rule("FIG-04")
def test_the_first_figure_of_the_round_may_use_the_bottom_once() -> None:
    table = scene(2).player(0, hand=["hunter"]).animal_deck("glyptodon", "argentavis")
    table.do("place tribe hunt", "bottom")
    assert table.names(0, "animals") == ["glyptodon"]
    assert table.offers("bottom") == []


@pytest.mark.rule("FIG-04")
@pytest.mark.parametrize("place", list(TOP_AND_MIDDLE))
def test_a_later_figure_gets_no_bottom_action(place: str) -> None:
    table = scene(3).player(0, hand=["shaman"]).player(1, hand=["shaman"])
    table.do(f"place tribe {place}", "bottom")
    while table.kind == "gain":
        table.do("leave")
    table.do("end", f"place chief {place}")
    assert table.seat == 1
    assert table.can("play shaman", "end")
    assert table.offers("bottom") == []


@pytest.mark.rule("FIG-04")
def test_a_declined_bottom_action_is_gone_for_everybody() -> None:
    table = scene(2).player(0, hand=["elder"]).player(1, hand=["elder"])
    table.do("place tribe develop")
    assert table.can("bottom")
    table.do("end", "place tribe develop")
    assert table.offers("bottom") == []
    table.do("end", "place tribe develop")
    assert table.seat == 0
    assert table.offers("bottom") == []


@pytest.mark.rule("FIG-04")
def test_each_column_has_its_own_bottom_action() -> None:
    table = scene(4)
    for seat in range(4):
        table.player(seat, hand=["shaman"])
    for seat, place in enumerate(TOP_AND_MIDDLE):
        table.do(f"place tribe {place}")
        assert table.seat == seat
        assert table.can("bottom")
        table.do("end")


@pytest.mark.rule("FIG-04")
def test_a_player_s_own_earlier_figure_takes_the_bottom_away_too() -> None:
    table = scene(2).player(0, hand=["elder"])
    table.do("place tribe develop", "end", "place tribe rest", "draw as food")
    table.do("place tribe develop")
    assert table.seat == 0
    assert table.offers("bottom") == []


@pytest.mark.rule("FIG-04")
def test_rest_takes_no_bottom_action_away() -> None:
    table = scene(2).player(1, hand=["elder"])
    table.do("place tribe rest", "draw as food")
    for place in TOP_AND_MIDDLE:
        other = Scene(table.position.copy()).do(f"place tribe {place}")
        assert other.can("bottom")


@pytest.mark.rule("FIG-04")
def test_in_the_next_round_the_bottom_actions_are_back() -> None:
    table = scene(2).table(first=bytes((0, 1, 2, 1, 2))).eclipse()
    for seat in (0, 1):
        table.player(seat, figures=["hunt", "hunt", "hunt"], deck=["elder"] * 9)
    table.eclipse()
    while table.kind == "gain":
        table.do("leave")
    assert (table.position.round, table.kind) == (2, "turn")
    for place in TOP_AND_MIDDLE:
        assert Scene(table.position.copy()).do(f"place tribe {place}").can("bottom")


@pytest.mark.rule("FIG-04")
def test_the_bottom_may_follow_the_middle_or_be_declined() -> None:
    table = scene(2).player(0, hand=["elder"], animals=["woolly_rhino"])
    table.do("place tribe hunt", "tip woolly_rhino")
    assert table.can("bottom", "end")
    table.do("end")
    assert table.seat == 1
    assert table.at(0).animals == b""


# --- FIG-05 ---


@pytest.mark.rule("FIG-05")
@pytest.mark.parametrize("place", PLACES)
def test_figures_of_others_and_own_ones_block_nothing(place: str) -> None:
    table = scene(4).player(0, figures=["", place, place])
    for seat in (1, 2, 3):
        table.player(seat, figures=[place, place, place])
    if place != "rest":
        first = bytearray(5)
        first[1 + list(TOP_AND_MIDDLE).index(place)] = 2
        table.table(first=bytes(first))
    assert table.turn(0, 3).can(f"place chief {place}")
    assert sorted(table.texts) == sorted(placings("chief"))


@pytest.mark.rule("FIG-05")
@pytest.mark.parametrize("place", list(TOP_AND_MIDDLE))
def test_a_later_figure_has_top_and_middle_of_an_occupied_column(place: str) -> None:
    table = busy(hand=["brave", "brave"]).player(0, figures=["", place, ""])
    table.player(1, figures=["", place, ""]).table(first=bytes((0, 2, 2, 2, 2)))
    table.do(f"place tribe {place}", "play brave", "play brave")
    assert table.offers(TOP_AND_MIDDLE[place][0])
    assert table.offers(TOP_AND_MIDDLE[place][1])


# --- FIG-06 ---


@pytest.mark.rule("FIG-06")
@pytest.mark.parametrize("place", PLACES)
def test_a_chief_ability_without_a_column_works_wherever_the_chief_is_placed(place: str) -> None:
    table = scene(2).player(0, chief="lookinghand_a", deck=["hunter"], hand=["elder"])
    table.do(f"place chief {place}")
    assert table.can("lead")
    table.do("lead")
    assert table.at(0).food == 1
    table.do("draw")
    assert table.at(0).hand == bytes((0, 4))


@pytest.mark.rule("FIG-06")
def test_a_tribe_figure_gives_no_chief_ability() -> None:
    table = scene(2).player(0, chief="lookinghand_a", hand=["elder"], deck=["hunter"])
    for place in ("hunt", "rest"):
        assert Scene(table.position.copy()).do(f"place tribe {place}").offers("lead") == []


@pytest.mark.rule("FIG-06")
def test_the_ability_cannot_be_used_before_the_chief_is_placed() -> None:
    table = scene(2).player(0, chief="thunderpaw_a", hand=["bone_flute"])
    assert table.offers("lead") == []
    assert table.do("culture bone_flute").offers("lead") == []


@pytest.mark.rule("FIG-06")
def test_the_ability_can_be_used_once() -> None:
    table = scene(2).player(0, chief="thunderpaw_a", hand=["elder"])
    table.do("place chief hunt", "lead", "move 0>3")
    assert table.at(0).food == 2
    assert table.offers("lead") == []


@pytest.mark.rule("FIG-06")
def test_the_ability_is_not_there_in_later_turns_of_the_round() -> None:
    table = scene(2).player(0, chief="thunderpaw_a", hand=["elder"])
    table.do("place chief hunt", "end", "place tribe rest", "draw as food", "place tribe hunt")
    assert table.seat == 0
    assert table.offers("lead") == []


@pytest.mark.rule("FIG-06")
def test_the_ability_can_be_used_before_during_and_after_the_actions() -> None:
    table = scene(2).player(
        0, chief="tuskbreaker_b", hand=["hunter"], tools=1, animals=["woolly_rhino"]
    )
    table.grounds("ground_sloth").animal_deck("glyptodon", "argentavis", "argentavis")
    table.do("place chief hunt")
    for text in ("play hunter", "hunt ground_sloth", "tip woolly_rhino", "bottom"):
        assert table.can("lead")
        table.do(text)
    table.do("lead", "beast")
    assert table.names(0, "animals") == ["ground_sloth", "glyptodon", "argentavis"]
    assert table.position.labor == 4


@pytest.mark.rule("FIG-06")
def test_at_rest_the_ability_can_be_used_before_between_and_after_the_two_effects() -> None:
    table = scene(2).player(0, chief="chiselstone_a", animals=["woolly_rhino"], deck=["elder"])
    table.do("place chief rest")
    assert table.can("lead")
    table.do("draw")
    assert table.can("lead", "tip woolly_rhino")
    table.do("tip woolly_rhino")
    assert table.texts == ["lead", "end"]


@pytest.mark.rule("FIG-06")
def test_the_ability_ends_with_step_2() -> None:
    table = scene(2).player(0, chief="thunderpaw_a", hand=["elder"]).turn(0, 3)
    table.do("place chief hunt", "end")
    assert table.texts == ["pile elder", "done"]
    assert table.position.chief_ready == 0


@pytest.mark.rule("FIG-06")
def test_the_ability_is_optional() -> None:
    table = scene(2).player(0, chief="thunderpaw_a", hand=["elder"])
    table.do("place chief hunt", "end")
    assert table.seat == 1
    assert table.at(0).food == 0


@pytest.mark.rule("FIG-06")
@pytest.mark.parametrize(
    ("chief", "column"),
    [
        ("tuskbreaker_a", "hunt"),
        ("thunderpaw_b", "migrate"),
        ("chiselstone_b", "develop"),
        ("lookinghand_b", "initiate"),
    ],
)
def test_an_ability_with_a_column_works_in_this_column_only(chief: str, column: str) -> None:
    table = scene(2).player(0, chief=chief, hand=["elder"], deck=["hunter"])
    for place in PLACES:
        there = Scene(table.position.copy()).do(f"place chief {place}")
        assert there.can("lead") == (place == column), place


@pytest.mark.rule("FIG-06")
def test_a_tribe_figure_in_the_chief_s_column_does_not_help() -> None:
    table = scene(2).player(0, chief="tuskbreaker_a", hand=["elder"], figures=["hunt", "", ""])
    assert table.do("place tribe hunt").offers("lead") == []


# --- a side with several abilities ---


def with_two_abilities(*texts: str) -> Scene:
    """Seat 0 leads with a side of these abilities."""
    side = Chief("chiselstone_a", "Rock Mother", [parse_ability(text) for text in texts])
    chiefs = [side if one.name == side.name else one for one in TABLES.chiefs]
    table = scene(2).player(0, hand=["brave"], chief="chiselstone_a")
    return table.table(tables=changed(TABLES, chiefs=chiefs)).turn(0)


@pytest.mark.rule("FIG-06")
def test_each_ability_of_a_side_is_usable_once_and_in_any_order() -> None:
    table = with_two_abilities("food 2", "point 3").do("place chief hunt")
    assert table.offers("lead") == ["lead", "lead 1"]
    table.do("lead 1")
    assert (table.score(0), table.at(0).food) == (3, 0)
    assert table.offers("lead") == ["lead"]
    table.do("lead")
    assert (table.score(0), table.at(0).food) == (3, 2)
    assert table.offers("lead") == []


@pytest.mark.rule("FIG-06")
def test_each_ability_has_its_own_column() -> None:
    texts = ("hunt: food", "migrate: point")
    assert with_two_abilities(*texts).do("place chief hunt").offers("lead") == ["lead"]
    assert with_two_abilities(*texts).do("place chief migrate").offers("lead") == ["lead 1"]
    assert with_two_abilities(*texts).do("place chief rest").offers("lead") == []


@pytest.mark.rule("FIG-06")
def test_with_a_tribe_figure_no_ability_of_the_side_is_usable() -> None:
    assert with_two_abilities("food 2", "point").do("place tribe hunt").offers("lead") == []


@pytest.mark.rule("FIG-06")
def test_what_is_left_of_the_chief_is_written_and_read_back() -> None:
    table = with_two_abilities("food 2", "point 3").do("place chief hunt", "lead")
    state = write(table.position)["turn_state"]
    assert isinstance(state, dict)
    assert state["chief_ready"] == [1]


# --- while benefits of an action are still to be taken ---


@pytest.mark.rule("FIG-06")
def test_the_chief_may_lead_while_benefits_of_an_action_are_pending() -> None:
    """The Idol has been taken; the Chief's card comes before the burial."""
    table = scene(2).player(0, hand=["brave"], deck=["elder"], chief="thunderpaw_a")
    table.table(tables=with_two_abilities("draw").position.tables).player(0, chief="chiselstone_a")
    table.turn(0).do("place chief initiate", "bottom", "honor")
    assert table.can("bury brave hand", "lead")
    table.do("lead", "draw")
    assert table.can("bury elder hand", "bury brave hand")
    assert table.offers("lead") == []


@pytest.mark.rule("FIG-06")
def test_so_may_a_chief_at_rest_if_the_ability_has_no_column() -> None:
    table = with_two_abilities("food -> point").player(0, food=4, animals=["ground_sloth"])
    table.player(0, deck=["elder"]).do("place chief rest", "draw", "tip ground_sloth")
    assert table.texts == ["food 4", "leave", "lead"]
    table.do("lead")  # nothing else can come: the Food is taken
    assert (table.score(0), table.at(0).food) == (1, 6)


@pytest.mark.rule("FIG-06")
def test_a_pool_that_waits_for_nothing_waits_for_a_chief_who_can_help() -> None:
    """A Village needs three Camps around a juncture; the Chief's move brings the third there."""
    table = with_two_abilities("village", "move").player(0, camps=[1, 7, 2], food=0)
    table.do("place chief develop")
    assert table.offers("lead") == ["lead 1"]
    table.table(agenda=[*table.position.agenda, (agenda.GAIN, 0, 0, pool("village"))])
    assert table.texts == ["leave", "play brave", "lead 1"]
    table.do("lead 1", "move 2>8")
    assert len(table.offers("village")) == 1


@pytest.mark.rule("FIG-04")
def test_whose_figure_was_first_in_a_column_is_written_down() -> None:
    table = scene(3).player(0, hand=["brave"]).player(1, hand=["brave"])
    table.do("place tribe hunt", "end", "place tribe hunt", "end", "place tribe migrate")
    assert table.position.first == bytes((0, 0, 0, 3, 1))
