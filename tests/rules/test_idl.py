"""IDL: the Idol board.

The frozen pack: the Offering track has 8 spaces, of which the 2nd gives a card, the 4th a Tribe
card into the discard pile and the 6th one into hand; the Honor track has 7 levels, the last
three give 2, 3 and 5 points.
"""

from __future__ import annotations

from itertools import permutations

import pytest

from endless_winter.rules.idols import honor_ranking
from tests.rules.scene import TABLES, Scene, scene

TOP_OFFERING = 8
TOP_HONOR = 7


def climb(table: Scene, *seats: int) -> Scene:
    """Each seat in turn gains an Idol and moves up the Honor track."""
    for seat in seats:
        table.gain(seat, "idol").do("honor")
    return table


# --- IDL-01 ---


@pytest.mark.rule("IDL-01")
def test_an_idol_moves_one_of_the_two_own_markers_up_one_level() -> None:
    for track, expected in (("offering", (3, 2)), ("honor", (2, 3))):
        table = scene(2).player(0, offering=2, honor=2).table(honor_queue=b"\0").gain(0, "idol")
        assert table.can("offering", "honor")
        table.do(track)
        assert (table.at(0).offering, table.at(0).honor) == expected
        assert (table.at(1).offering, table.at(1).honor) == (0, 0)
        assert table.kind == "turn"


@pytest.mark.rule("IDL-01")
@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        (("offering", "honor", "honor"), (1, 2)),
        (("honor", "offering", "honor"), (1, 2)),
        (("honor", "honor", "honor"), (0, 3)),
    ],
)
def test_several_idols_may_be_split(moves: tuple[str, ...], expected: tuple[int, int]) -> None:
    table = scene(2).gain(0, "idol 3").do(*moves)
    assert (table.at(0).offering, table.at(0).honor) == expected
    assert table.kind == "turn"


@pytest.mark.rule("IDL-01")
def test_an_idol_may_be_declined_or_be_a_lesser_benefit() -> None:
    table = scene(2).gain(0, "idol 2")
    assert table.texts == ["offering", "honor", "idol as tool", "idol as food", "leave"]
    table.do("idol as food", "leave")
    assert (table.at(0).food, table.at(0).offering, table.at(0).honor) == (1, 0, 0)


# --- IDL-02: the Offering track ---


@pytest.mark.rule("IDL-02")
def test_three_spaces_of_the_offering_track_give_a_benefit_on_entering() -> None:
    asked = {}
    for level in range(TOP_OFFERING):
        table = scene(2).player(0, offering=level, deck=["elder"]).gain(0, "idol").do("offering")
        assert table.at(0).offering == level + 1
        if table.kind == "gain":
            asked[level + 1] = table.texts[0]
    assert asked == {2: "draw", 4: "recruit hunter", 6: "tribe hunter"}


@pytest.mark.rule("IDL-02")
def test_the_benefit_of_a_space_comes_at_once_and_only_to_who_enters() -> None:
    table = scene(2).player(0, offering=1, deck=["elder"]).player(1, offering=2, deck=["hunter"])
    table.gain(0, "idol 2").do("offering")
    assert not table.can("offering")
    table.do("draw")
    assert (table.names(0, "hand"), table.names(1, "hand")) == (["elder"], [])
    assert table.can("offering")
    table.do("offering")
    assert table.kind == "turn"


@pytest.mark.rule("IDL-02")
def test_entering_the_other_two_spaces_takes_tribe_cards() -> None:
    table = scene(2).player(0, offering=3).gain(0, "idol 3")
    table.do("offering", "recruit elder", "offering", "offering", "tribe shaman")
    assert table.names(0, "discard") == ["elder"]
    assert table.names(0, "hand") == ["shaman"]
    assert table.at(0).offering == 6


@pytest.mark.rule("IDL-02")
def test_on_the_top_space_each_further_idol_is_worth_a_point() -> None:
    table = scene(2).player(0, offering=TOP_OFFERING).gain(0, "idol 2").do("offering", "offering")
    assert table.at(0).offering == TOP_OFFERING
    assert (table.score(0), table.score(1)) == (2, 0)


@pytest.mark.rule("IDL-02")
def test_entering_the_top_space_is_worth_no_point() -> None:
    table = scene(2).player(0, offering=TOP_OFFERING - 1).gain(0, "idol").do("offering")
    assert (table.at(0).offering, table.score(0)) == (TOP_OFFERING, 0)


# --- IDL-03: the Honor track ---


@pytest.mark.rule("IDL-03")
@pytest.mark.parametrize(
    ("level", "points"), [(1, 0), (2, 0), (3, 0), (4, 0), (5, 2), (6, 3), (7, 5)]
)
def test_entering_the_last_three_levels_gives_points(level: int, points: int) -> None:
    table = scene(2).player(0, honor=level - 1).table(honor_queue=b"\0" if level > 1 else b"")
    climb(table, 0)
    assert (table.at(0).honor, table.score(0), table.score(1)) == (level, points, 0)


@pytest.mark.rule("IDL-03")
def test_the_whole_honor_track_is_worth_ten_points() -> None:
    table = scene(2).gain(0, "idol 7").do(*["honor"] * 7)
    assert table.score(0) == 2 + 3 + 5
    assert table.at(0).honor == TOP_HONOR == len(TABLES.honor)


@pytest.mark.rule("IDL-03")
def test_everybody_who_enters_a_level_gets_its_points() -> None:
    table = scene(3)
    for seat in (2, 0, 1):
        climb(table, *[seat] * 5)
    assert [table.score(seat) for seat in range(3)] == [2, 2, 2]


@pytest.mark.rule("IDL-03")
def test_at_the_top_the_marker_cannot_move_on() -> None:
    table = scene(2).player(0, honor=TOP_HONOR).table(honor_queue=b"\0").gain(0, "idol")
    assert not table.can("honor")
    assert table.can("offering", "idol as tool")
    table.gain(0, "draw")
    assert table.can("draw as offering")
    assert not table.can("draw as honor")


@pytest.mark.rule("IDL-03")
def test_a_marker_takes_the_leftmost_free_place_of_its_level() -> None:
    for seats in permutations(range(4)):
        table = climb(scene(4), *seats)
        assert tuple(honor_ranking(table.position)) == seats


@pytest.mark.rule("IDL-03")
def test_a_marker_that_leaves_closes_the_gap() -> None:
    """1 leaves the leftmost place: 2 slides there, and 3 comes in to its right."""
    table = climb(scene(4), 1, 2, 1, 3)
    assert honor_ranking(table.position) == [1, 2, 3]
    climb(table, 0, 3)
    assert honor_ranking(table.position) == [1, 3, 2, 0]


@pytest.mark.rule("IDL-03")
def test_being_first_on_a_level_says_nothing_about_the_next() -> None:
    table = climb(scene(2), 0, 1, 1, 0)
    assert honor_ranking(table.position) == [1, 0]
