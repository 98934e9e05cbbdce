"""MEG: Megaliths.

All scenes but one are laid out on the Plaza with the tiles in the order of the pack:

    y 0   food 2   START r d   tool         idol      | START r d   food 2   camp       idol
    y 1   point 2  draw        food, tool   bury      | tool        draw     food 2     START l u
    y 2   food 3   idol        START l d    animal    | point 2     draw     reveal ..  START l d
    y 3   trek     recruit ..  point 2      draw      | START r u   tool     food 2     bury
"""

from __future__ import annotations

import pytest

from endless_winter.rules import agenda, events, gains, options
from endless_winter.rules.options import option
from tests.rules.scene import TABLES, Scene, plaza, pool, scene

NEUTRALS_GONE = 8
GREY = {(1, 0), (4, 0), (7, 1), (2, 2), (4, 3), (7, 2)}
OTHER = 1
SQUARE = ((0, 0), (0, 1), (1, 0), (1, 1))


def spots(table: Scene) -> set[str]:
    """Where the pending Megalith may go."""
    placings = table.offers("megalith") + table.offers("stack")
    return {text for text in placings if " as " not in text}


def lesser(table: Scene) -> set[str]:
    return {text for text in table.texts if " as " in text}


def owners(table: Scene) -> dict[tuple[int, int, int], int]:
    """What stands where: 1 neutral, 2 + seat."""
    sites = table.position.sites
    return {
        place: table.position.megaliths[site]
        for place, site in sites.index.items()
        if table.position.megaliths[site]
    }


# --- MEG-01 ---


@pytest.mark.rule("MEG-01")
def test_the_two_neutral_megaliths_leave_the_board_before_the_own_ones() -> None:
    table = plaza().megaliths("neutral", (5, 1)).gain(0, "megalith 3")
    for place in ("5,0", "6,1", "5,2"):
        table.do(f"megalith {place}")
        if not table.offers("megalith"):
            table.do("leave")  # what the last space brings
    assert owners(table) == {(5, 1, 0): 1, (5, 0, 0): 1, (6, 1, 0): 1, (5, 2, 0): 2}
    assert table.at(0).megaliths == 7


@pytest.mark.rule("MEG-01")
@pytest.mark.parametrize(("left", "owner"), [(10, 1), (9, 1), (8, 2), (1, 2)])
def test_the_supply_decides_the_colour_of_the_next_megalith(left: int, owner: int) -> None:
    table = plaza(megaliths=left).megaliths("neutral", (5, 1)).gain(0, "megalith")
    table.do("megalith 5,0")
    assert owners(table)[(5, 0, 0)] == owner
    assert table.at(0).megaliths == left - 1
    assert table.at(1).megaliths == 10


@pytest.mark.rule("MEG-01")
def test_each_player_places_the_own_colour() -> None:
    table = plaza(4).megaliths("neutral", (5, 1))
    for seat, place in enumerate(("5,0", "6,1", "4,1", "5,2")):
        table.player(seat, megaliths=NEUTRALS_GONE).gain(seat, "megalith").do(f"megalith {place}")
    assert owners(table) == {(5, 1, 0): 1, (5, 0, 0): 2, (6, 1, 0): 3, (4, 1, 0): 4, (5, 2, 0): 5}


# --- MEG-02: where ---


@pytest.mark.rule("MEG-02")
def test_on_an_empty_board_a_neutral_megalith_goes_to_any_starting_space() -> None:
    table = plaza().gain(0, "megalith")
    assert spots(table) == {f"megalith {x},{y}" for x, y in GREY}


@pytest.mark.rule("MEG-02")
def test_a_neutral_megalith_may_use_a_starting_space_next_to_a_megalith() -> None:
    table = plaza().megaliths("neutral", (0, 0)).gain(0, "megalith")
    assert table.can("megalith 1,0", "megalith 0,1", "megalith 4,0")
    assert not table.can("megalith 0,0")


@pytest.mark.rule("MEG-02")
def test_a_coloured_megalith_never_uses_a_starting_space() -> None:
    around = [(0, 0), (3, 0), (6, 1), (1, 2), (4, 2), (6, 2)]
    table = plaza(megaliths=NEUTRALS_GONE).megaliths("neutral", *around).gain(0, "megalith")
    assert spots(table)
    assert not spots(table) & {f"megalith {x},{y}" for x, y in GREY}


@pytest.mark.rule("MEG-02")
@pytest.mark.parametrize("owner", ["neutral", 0, OTHER])
def test_ordinary_spaces_beside_any_megalith_are_legal(owner: str | int) -> None:
    table = plaza(megaliths=NEUTRALS_GONE).megaliths(owner, (5, 1)).gain(0, "megalith")
    assert spots(table) == {"megalith 5,0", "megalith 4,1", "megalith 6,1", "megalith 5,2"}


@pytest.mark.rule("MEG-02")
def test_adjacency_crosses_the_borders_of_tiles() -> None:
    table = plaza(megaliths=NEUTRALS_GONE).megaliths("neutral", (3, 1)).gain(0, "megalith")
    assert spots(table) == {"megalith 2,1", "megalith 3,0", "megalith 4,1", "megalith 3,2"}


@pytest.mark.rule("MEG-02")
def test_at_the_edge_of_the_board_there_is_nothing_beyond() -> None:
    table = plaza(megaliths=NEUTRALS_GONE).megaliths("neutral", (7, 3), (0, 3)).gain(0, "megalith")
    assert spots(table) == {"megalith 6,3", "megalith 1,3", "megalith 0,2"}


@pytest.mark.rule("MEG-02")
def test_the_empty_middle_of_the_ring_is_no_place() -> None:
    """Tiles around a hole: x 2-3, y 2-3 is no board."""
    table = scene(3, layout="three").table(tiles=bytes(range(4)))
    table.player(0, megaliths=NEUTRALS_GONE).megaliths("neutral", (2, 1)).gain(0, "megalith")
    assert spots(table) == {"megalith 1,1", "megalith 3,1", "megalith 2,0"}


@pytest.mark.rule("MEG-02")
def test_a_taken_space_is_not_legal() -> None:
    table = plaza(megaliths=NEUTRALS_GONE)
    table.megaliths(OTHER, (5, 1), (5, 0), (4, 1), (6, 1)).gain(0, "megalith")
    assert not table.offers("stack")
    expected = {"megalith 6,0", "megalith 4,2", "megalith 5,2", "megalith 6,2", "megalith 3,1"}
    assert spots(table) == expected


@pytest.mark.rule("MEG-02")
def test_a_complete_block_can_be_stacked_upon() -> None:
    table = plaza(megaliths=NEUTRALS_GONE).megaliths(OTHER, *SQUARE).gain(0, "megalith")
    assert table.offers("stack") == ["stack 0,0@1"]


@pytest.mark.rule("MEG-02")
@pytest.mark.parametrize("missing", range(4))
def test_an_incomplete_block_cannot_be_stacked_upon(missing: int) -> None:
    three = SQUARE[:missing] + SQUARE[missing + 1 :]
    table = plaza(megaliths=NEUTRALS_GONE).megaliths(OTHER, *three).gain(0, "megalith")
    assert not table.offers("stack")


@pytest.mark.rule("MEG-02")
def test_blocks_cross_the_borders_of_tiles() -> None:
    block = ((3, 1), (4, 1), (3, 2), (4, 2))
    table = plaza(megaliths=NEUTRALS_GONE).megaliths("neutral", *block).gain(0, "megalith")
    assert table.offers("stack") == ["stack 3,1@1"]


@pytest.mark.rule("MEG-02")
def test_a_block_that_carries_one_already_carries_no_second() -> None:
    table = plaza(megaliths=NEUTRALS_GONE).megaliths(OTHER, *SQUARE, (0, 0, 1)).gain(0, "megalith")
    assert not table.offers("stack")


@pytest.mark.rule("MEG-02")
def test_overlapping_blocks_each_carry_one() -> None:
    six = [(x, y) for x in range(3) for y in range(2)]
    table = plaza(megaliths=NEUTRALS_GONE).megaliths(OTHER, *six, (0, 0, 1)).gain(0, "megalith")
    assert table.offers("stack") == ["stack 1,0@1"]


@pytest.mark.rule("MEG-02")
def test_a_block_is_of_one_level() -> None:
    """Three on the first level and one on the ground below them are no block."""
    ground = [(x, y) for x in range(3) for y in range(3)]
    table = plaza(megaliths=NEUTRALS_GONE).megaliths(OTHER, *ground)
    table.megaliths(OTHER, (0, 0, 1), (1, 0, 1), (0, 1, 1)).gain(0, "megalith")
    assert table.offers("stack") == ["stack 1,1@1"]
    table.megaliths(OTHER, (1, 1, 1)).gain(0, "megalith")
    assert table.offers("stack") == ["stack 0,0@2"]


# --- MEG-03 ---


@pytest.mark.rule("MEG-03")
def test_neutral_megaliths_are_never_stacked() -> None:
    for left, stacks in ((10, []), (9, []), (8, ["stack 0,0@1"])):
        table = plaza(megaliths=left).megaliths(OTHER, *SQUARE).gain(0, "megalith")
        assert table.offers("stack") == stacks


@pytest.mark.rule("MEG-03")
def test_a_neutral_megalith_may_go_to_an_ordinary_space_beside_a_megalith() -> None:
    table = plaza().megaliths(OTHER, (5, 1)).gain(0, "megalith")
    beside = {"megalith 5,0", "megalith 4,1", "megalith 6,1", "megalith 5,2"}
    assert spots(table) == beside | {f"megalith {x},{y}" for x, y in GREY}
    table.do("megalith 5,2")
    assert owners(table)[(5, 2, 0)] == 1


# --- MEG-04 ---


@pytest.mark.rule("MEG-04")
def test_a_space_of_the_board_brings_its_benefit_at_once() -> None:
    table = plaza().megaliths("neutral", (1, 1)).gain(0, "megalith")
    table.do("megalith 0,1")
    assert table.score(0) == 2
    assert table.at(1).food == table.score(1) == 0


@pytest.mark.rule("MEG-04")
def test_the_benefit_comes_before_the_rest_of_what_is_being_gained() -> None:
    table = plaza(deck=["elder"]).megaliths("neutral", (0, 1)).gain(0, "megalith, idol")
    table.do("megalith 1,1")
    assert [text for text in table.texts if " as " not in text] == ["draw", "leave"]
    table.do("draw")
    assert table.names(0, "hand") == ["elder"]
    assert table.can("honor")


@pytest.mark.rule("MEG-04")
def test_the_benefits_of_a_turned_tile_turn_with_it() -> None:
    """Serpent Row lies upside down: the points of its upper row are at 2,3, its Idol at 1,2."""
    table = plaza().megaliths("neutral", (2, 2), (3, 2)).gain(0, "megalith 2")
    table.do("megalith 2,3")
    assert table.score(0) == 2
    table.do("megalith 1,2")
    assert table.can("offering", "honor")


@pytest.mark.rule("MEG-04")
def test_a_quarter_turn_turns_the_spaces_clockwise() -> None:
    """Twin Menhirs standing at x 4-5, y 0-3 of the Ring: its left end is above."""
    table = scene(3, layout="three").table(tiles=bytes(range(4)))
    greys = {(1, 0), (5, 0), (4, 3)}
    offered = spots(table.gain(0, "megalith"))
    assert {f"megalith {x},{y}" for x, y in greys} <= offered
    table.megaliths("neutral", (4, 1)).gain(0, "megalith")
    table.do("megalith 4,0")  # its lower left space: a Tool
    assert table.can("tools 1 food 0")


@pytest.mark.rule("MEG-04")
def test_a_stacked_megalith_brings_no_benefit_of_a_space() -> None:
    table = plaza(megaliths=NEUTRALS_GONE).megaliths("neutral", *SQUARE).gain(0, "megalith")
    table.do("stack 0,0@1")
    assert table.kind == "turn"
    assert (table.at(0).food, table.score(0)) == (0, 4)


# --- MEG-05, MEG-06, MEG-07 ---


@pytest.mark.rule("MEG-05")
@pytest.mark.parametrize("own", range(5))
def test_stacking_pays_two_for_each_own_and_one_for_each_neutral(own: int) -> None:
    table = plaza(megaliths=NEUTRALS_GONE - own).megaliths("neutral", *SQUARE[own:])
    table.megaliths(0, *SQUARE[:own]).gain(0, "megalith").do("stack 0,0@1")
    assert (table.score(0), table.score(1)) == (4 + own, 0)


@pytest.mark.rule("MEG-05")
@pytest.mark.parametrize("theirs", range(5))
def test_stacking_pays_one_to_both_for_each_megalith_of_an_opponent(theirs: int) -> None:
    table = plaza(megaliths=NEUTRALS_GONE).megaliths("neutral", *SQUARE[theirs:])
    table.megaliths(OTHER, *SQUARE[:theirs]).gain(0, "megalith").do("stack 0,0@1")
    assert (table.score(0), table.score(1)) == (4, theirs)


@pytest.mark.rule("MEG-05")
def test_each_opponent_scores_for_the_own_megaliths_covered() -> None:
    table = plaza(4, megaliths=NEUTRALS_GONE)
    table.megaliths(0, (0, 0)).megaliths(1, (1, 0)).megaliths(3, (0, 1), (1, 1))
    table.gain(0, "megalith").do("stack 0,0@1")
    assert [table.score(seat) for seat in range(4)] == [5, 1, 0, 2]


@pytest.mark.rule("MEG-05")
def test_a_megalith_on_the_board_scores_nothing_for_its_neighbours() -> None:
    table = plaza(megaliths=NEUTRALS_GONE).megaliths(OTHER, (5, 1)).megaliths(0, (6, 0))
    table.gain(0, "megalith").do("megalith 5,0")
    assert (table.score(0), table.score(1)) == (0, 0)


@pytest.mark.rule("MEG-06")
def test_a_higher_level_counts_only_the_four_directly_below() -> None:
    ground = [(x, y) for x in range(3) for y in range(3)]
    table = plaza(3, megaliths=2).megaliths(0, *ground)
    table.megaliths(1, (0, 0, 1), (1, 0, 1)).megaliths(2, (0, 1, 1)).megaliths(0, (1, 1, 1))
    table.gain(0, "megalith").do("stack 0,0@2")
    assert [table.score(seat) for seat in range(3)] == [2 + 3, 2, 1]


@pytest.mark.rule("MEG-06")
def test_own_megaliths_deeper_down_score_nothing_for_their_owner() -> None:
    ground = [(x, y) for x in range(3) for y in range(3)]
    table = plaza(megaliths=NEUTRALS_GONE).megaliths(OTHER, *ground)
    table.megaliths(0, (0, 0, 1), (1, 0, 1), (0, 1, 1), (1, 1, 1))
    table.gain(0, "megalith").do("stack 0,0@2")
    assert (table.score(0), table.score(1)) == (8, 0)


@pytest.mark.rule("MEG-06")
def test_a_third_level_rests_on_the_second() -> None:
    ground = [(x, y) for x in range(4) for y in range(4)]
    first = [(x, y, 1) for x in range(3) for y in range(3)]
    second = [(0, 0, 2), (1, 0, 2), (0, 1, 2), (1, 1, 2)]
    table = plaza(megaliths=NEUTRALS_GONE).megaliths("neutral", *ground)
    table.megaliths(OTHER, *first[:8]).megaliths(0, first[8]).megaliths(OTHER, *second)
    table.gain(0, "megalith")
    assert table.offers("stack") == ["stack 0,0@3"]
    table.do("stack 0,0@3")
    assert (table.score(0), table.score(1)) == (4, 4)


@pytest.mark.rule("MEG-07")
def test_the_example_of_red_and_purple() -> None:
    red, purple = 0, 1
    table = plaza(megaliths=NEUTRALS_GONE - 1)
    table.megaliths(red, (0, 0)).megaliths(purple, (1, 0)).megaliths("neutral", (0, 1), (1, 1))
    table.gain(red, "megalith").do("stack 0,0@1")
    assert (table.score(red), table.score(purple)) == (5, 1)


@pytest.mark.rule("MEG-07")
def test_the_example_with_megaliths_of_a_third_player_instead_of_neutral_ones() -> None:
    red, purple, third = 0, 1, 2
    table = plaza(3, megaliths=NEUTRALS_GONE - 1)
    table.megaliths(red, (0, 0)).megaliths(purple, (1, 0)).megaliths(third, (0, 1), (1, 1))
    table.gain(red, "megalith").do("stack 0,0@1")
    assert [table.score(seat) for seat in (red, purple, third)] == [5, 1, 2]


# --- MEG-08: starting spaces ---


@pytest.mark.rule("MEG-08")
def test_a_starting_space_brings_a_second_megalith_where_its_arrows_point() -> None:
    table = plaza().megaliths("neutral", (5, 1)).gain(0, "megalith").do("megalith 1,0")
    assert spots(table) == {"megalith 2,0", "megalith 1,1"}
    assert table.can("leave")


@pytest.mark.rule("MEG-08")
def test_the_arrows_of_a_turned_tile_turn_with_it() -> None:
    table = plaza().gain(0, "megalith").do("megalith 2,2")
    assert spots(table) == {"megalith 1,2", "megalith 2,3"}


@pytest.mark.rule("MEG-08")
def test_the_additional_megalith_gains_the_benefit_of_its_space_too() -> None:
    table = plaza().gain(0, "megalith").do("megalith 1,0", "megalith 2,0", "tools 1 food 0")
    assert owners(table) == {(1, 0, 0): 1, (2, 0, 0): 1}
    assert (table.at(0).tools, table.at(0).megaliths) == (1, 8)
    assert table.kind == "turn"


@pytest.mark.rule("MEG-08")
def test_the_additional_megalith_comes_before_the_rest_of_what_is_being_gained() -> None:
    table = plaza().gain(0, "megalith, idol").do("megalith 2,2")
    assert not table.can("honor")
    table.do("megalith 2,3")
    assert table.score(0) == 2
    assert table.can("honor")


@pytest.mark.rule("MEG-08")
def test_after_the_last_neutral_one_the_additional_megalith_is_coloured() -> None:
    table = plaza(megaliths=9).gain(0, "megalith").do("megalith 2,2", "megalith 2,3")
    assert owners(table) == {(2, 2, 0): 1, (2, 3, 0): 2}
    assert table.at(0).megaliths == 7


@pytest.mark.rule("MEG-08")
@pytest.mark.parametrize(("taken", "free"), [((2, 0), "1,1"), ((1, 1), "2,0")])
def test_with_one_arrow_blocked_the_other_is_left(taken: tuple[int, int], free: str) -> None:
    table = plaza().megaliths(OTHER, taken).gain(0, "megalith").do("megalith 1,0")
    assert spots(table) == {f"megalith {free}"}


@pytest.mark.rule("MEG-08")
def test_with_both_arrows_blocked_it_has_no_effect_not_even_a_lesser_one() -> None:
    table = plaza().megaliths(OTHER, (2, 0), (1, 1)).gain(0, "megalith").do("megalith 1,0")
    assert table.kind == "turn"
    player = table.at(0)
    assert (player.megaliths, player.food, player.tools) == (9, 0, 0)


@pytest.mark.rule("MEG-08")
def test_the_additional_megalith_may_be_declined_or_be_a_lesser_benefit() -> None:
    table = plaza(deck=["elder"]).gain(0, "megalith").do("megalith 1,0")
    assert lesser(table) == {
        "megalith as draw",
        "megalith as offering",
        "megalith as honor",
        "megalith as tool",
        "megalith as food",
    }
    copy = table.game.copy()
    table.do("megalith as tool")
    assert (table.kind, table.at(0).tools, table.at(0).megaliths) == ("turn", 1, 9)
    copy.apply(copy.parse("leave"))
    assert (copy.position.players[0].tools, copy.position.players[0].megaliths) == (0, 9)


@pytest.mark.rule("MEG-08")
def test_every_arrow_points_to_an_ordinary_space_beside_its_starting_space() -> None:
    for tile in TABLES.megalith_tiles:
        for space in tile:
            if space.grey:
                assert len(space.arrows) == 2
                assert not any(tile[arrow].grey for arrow in space.arrows)


# --- MEG-09 ---


@pytest.mark.rule("MEG-09")
def test_without_a_megalith_left_only_lesser_benefits_remain() -> None:
    table = plaza(megaliths=0, deck=["elder"]).megaliths(OTHER, *SQUARE).gain(0, "megalith")
    assert spots(table) == set()
    assert lesser(table) == {
        "megalith as draw",
        "megalith as offering",
        "megalith as honor",
        "megalith as tool",
        "megalith as food",
    }
    table.do("megalith as food")
    assert (table.at(0).food, table.kind) == (1, "turn")


@pytest.mark.rule("MEG-09")
def test_without_a_legal_space_only_lesser_benefits_remain() -> None:
    table = plaza(megaliths=NEUTRALS_GONE).gain(0, "megalith")
    assert spots(table) == set()
    table.do("megalith as honor")
    assert (table.at(0).honor, table.at(0).megaliths) == (1, NEUTRALS_GONE)


@pytest.mark.rule("MEG-09")
def test_the_last_megalith_can_still_be_placed() -> None:
    table = plaza(megaliths=1).megaliths(OTHER, (5, 1)).gain(0, "megalith 2")
    table.do("megalith 4,1", "tools 1 food 0")
    assert table.at(0).megaliths == 0
    assert spots(table) == set()
    assert table.can("megalith as tool", "leave")


@pytest.mark.rule("MEG-02")
def test_a_space_with_several_neighbours_is_listed_once() -> None:
    table = plaza().megaliths("neutral", (5, 0), (4, 1), (6, 1)).gain(0, "megalith")
    assert table.texts.count("megalith 5,1") == 1


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
