"""STN: what the Sacred Stones score in each Eclipse phase."""

from __future__ import annotations

from typing import Any

import pytest

from endless_winter.rules.scoring import stone_points
from tests.rules.scene import STONES, TABLES, Scene, juncture, plaza, scene

LANDS = ["woodland", "steppe", "lakeshore", "highland", "canyon", "marsh"]
OTHER = 1


def with_stone(stone: str, players: int = 2, **fields: Any) -> Scene:
    """Seat 0 has the Stone; the whole land is Steppe."""
    table = scene(players, layout="two").all_terrain("steppe")
    return table.player(0, stones=[stone], **fields)


def scored(table: Scene) -> list[int]:
    """What Sacred Stones score for each seat in one Eclipse phase."""
    before = [table.points(seat, "sacred_stones") for seat in range(len(table.position.players))]
    table.eclipse()
    while table.kind not in ("turn", ""):
        table.do((table.offers("score") or ["leave"])[0])
    after = [table.points(seat, "sacred_stones") for seat in range(len(table.position.players))]
    return [now - then for now, then in zip(after, before, strict=True)]


# --- STN-01: Villages touching a type ---


@pytest.mark.rule("STN-01")
@pytest.mark.parametrize("name", ["glacier", *LANDS])
def test_each_type_has_a_stone_that_pays_two_for_a_village_beside_it(name: str) -> None:
    elsewhere = "marsh" if name == "steppe" else "steppe"
    for place, points in (((1, 7, 8), 2), ((3, 4, 12), 0)):
        table = with_stone(f"{name}_stone", villages=[juncture(*place)])
        table.all_terrain(elsewhere).terrain(h7=name)
        assert scored(table) == [points, 0]


@pytest.mark.rule("STN-01")
def test_a_village_touching_two_or_three_such_hexes_counts_once() -> None:
    for more in ({}, {"h1": "canyon"}, {"h1": "canyon", "h8": "canyon"}):
        table = with_stone("canyon_stone", villages=[juncture(1, 7, 8)])
        assert scored(table.terrain(h7="canyon", **more)) == [2, 0]


@pytest.mark.rule("STN-01")
@pytest.mark.parametrize("place", [(1, 7, 8), (2, 8, 9), (1, 2, 8)])
def test_any_of_the_three_hexes_will_do(place: tuple[int, int, int]) -> None:
    table = with_stone("glacier_stone", villages=[juncture(*place)]).terrain(h8="glacier")
    assert scored(table) == [2, 0]


@pytest.mark.rule("STN-01")
def test_two_villages_on_the_same_hex_count_twice() -> None:
    table = with_stone("glacier_stone", villages=[juncture(1, 7, 8), juncture(2, 8, 9)])
    assert scored(table.terrain(h8="glacier")) == [4, 0]


@pytest.mark.rule("STN-01")
def test_three_villages_count_six() -> None:
    villages = [juncture(1, 7, 8), juncture(3, 4, 12), juncture(5, 15, 16)]
    table = with_stone("glacier_stone", villages=villages).all_terrain("glacier")
    assert scored(table) == [6, 0]


@pytest.mark.rule("STN-01")
def test_camps_and_villages_of_others_count_for_nothing() -> None:
    table = with_stone("glacier_stone", camps=[8, 8]).terrain(h8="glacier")
    assert scored(table.player(OTHER, villages=[juncture(1, 7, 8)])) == [0, 0]


# --- STN-02: different land types with a Camp ---


@pytest.mark.rule("STN-02")
def test_each_land_type_with_a_camp_is_worth_a_point() -> None:
    hexes = {"h7": "woodland", "h8": "steppe", "h9": "lakeshore", "h10": "highland", "h11": "marsh"}
    for number in range(1, 6):
        camps = [7, 8, 9, 10, 11][:number]
        table = with_stone("wayfarer_stone", camps=camps).terrain(**hexes)
        assert scored(table) == [number, 0]


@pytest.mark.rule("STN-02")
def test_a_type_counts_once_however_many_camps_and_hexes() -> None:
    table = with_stone("wayfarer_stone", camps=[7, 7, 8, 9, 9])
    assert scored(table) == [1, 0]


@pytest.mark.rule("STN-02")
def test_base_and_glacier_do_not_count() -> None:
    table = with_stone("wayfarer_stone", camps=[0, 7]).terrain(h7="glacier")
    assert scored(table) == [0, 0]


@pytest.mark.rule("STN-02")
def test_villages_do_not_count_as_camps() -> None:
    table = with_stone("wayfarer_stone", camps=[0], villages=[juncture(1, 7, 8)])
    assert scored(table) == [0, 0]


@pytest.mark.rule("STN-02")
def test_an_opponents_stronger_influence_does_not_matter() -> None:
    table = with_stone("wayfarer_stone", camps=[7]).player(OTHER, camps=[7, 7, 8])
    assert scored(table) == [1, 0]


# --- STN-03, STN-04: own Megaliths on the board ---


@pytest.mark.rule("STN-03")
@pytest.mark.parametrize(("number", "points"), [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (8, 4)])
def test_own_megaliths_on_the_board_score_in_pairs(number: int, points: int) -> None:
    """The frozen pack: 1 point for every 2, rounded down."""
    table = with_stone("pillar_stone").megaliths(0, *[(x, 1) for x in range(8)][:number])
    assert scored(table) == [points, 0]


@pytest.mark.rule("STN-03")
def test_stacked_neutral_and_foreign_megaliths_do_not_count_for_the_pillar_stone() -> None:
    table = with_stone("pillar_stone").megaliths("neutral", (0, 0), (1, 0), (0, 1))
    table.megaliths(OTHER, (1, 1), (2, 0), (2, 1)).megaliths(0, (0, 0, 1), (1, 0, 1))
    assert scored(table) == [0, 0]


@pytest.mark.rule("STN-03")
def test_an_own_megalith_on_the_board_counts_though_it_is_covered() -> None:
    table = with_stone("pillar_stone").megaliths("neutral", (0, 0), (1, 0))
    table.megaliths(0, (0, 1), (1, 1)).megaliths(OTHER, (0, 0, 1))
    assert scored(table) == [1, 0]


@pytest.mark.rule("STN-04")
@pytest.mark.parametrize("points", [0, 1, 2, 4, 6])
def test_the_boundary_stone_scores_by_the_number_of_tiles(points: int) -> None:
    """The frozen pack: 0, 1, 2, 4, 6 points for 0 to 4 tiles; a tile counts once."""
    number = [0, 1, 2, 4, 6].index(points)
    table = with_stone("boundary_stone")
    for tile in [((0, 0), (1, 1)), ((5, 0), (6, 1)), ((0, 3), (1, 3)), ((5, 2), (6, 3))][:number]:
        table.megaliths(0, *tile)
    assert scored(table) == [points, 0]


@pytest.mark.rule("STN-04")
def test_stacked_neutral_and_foreign_megaliths_do_not_count_for_the_boundary_stone() -> None:
    table = with_stone("boundary_stone").megaliths("neutral", (0, 0), (1, 0), (0, 1), (1, 1))
    table.megaliths(0, (0, 0, 1)).megaliths(OTHER, (5, 1)).megaliths("neutral", (0, 3))
    assert scored(table) == [0, 0]
    table.megaliths(0, (6, 1))
    assert scored(table) == [1, 0]


@pytest.mark.rule("STN-04")
def test_the_tile_is_that_of_the_layout_whatever_lies_there() -> None:
    """The Avenue shifts its lower row: 3,2 and 5,2 lie on one tile, 6,2 on the next."""
    for places, points in ((((3, 2), (5, 2)), 1), (((5, 2), (6, 2)), 2), (((3, 1), (4, 1)), 2)):
        table = scene(4, layout="four").all_terrain("steppe").player(0, stones=["boundary_stone"])
        assert scored(table.megaliths(0, *places))[0] == points


# --- STN-05 .. STN-09 ---


@pytest.mark.rule("STN-05")
@pytest.mark.parametrize(("number", "points"), [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (11, 5)])
def test_buried_cards_score_in_pairs(number: int, points: int) -> None:
    """The frozen pack: 1 point for every 2, rounded down; Culture cards count alike."""
    buried = ["flint_cache", *["elder"] * 11][:number]
    table = with_stone("grave_stone", buried=buried, discard=["elder"] * 6, hand=["elder"] * 4)
    assert scored(table.player(OTHER, buried=["elder"] * 8)) == [points, 0]


@pytest.mark.rule("STN-06")
@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_each_own_megalith_on_a_higher_level_is_worth_two(number: int) -> None:
    table = with_stone("tower_stone").megaliths(0, *[(x, y) for x in range(4) for y in (0, 1)])
    table.megaliths(0, *[(0, 0, 1), (1, 0, 1), (2, 0, 1)][:number])
    assert scored(table) == [2 * number, 0]


@pytest.mark.rule("STN-06")
def test_the_second_level_counts_like_the_first() -> None:
    table = with_stone("tower_stone").megaliths(
        "neutral", *[(x, y) for x in range(3) for y in range(3)]
    )
    table.megaliths(OTHER, (0, 0, 1), (1, 0, 1), (0, 1, 1)).megaliths(0, (1, 1, 1), (0, 0, 2))
    assert scored(table) == [4, 0]


@pytest.mark.rule("STN-07")
@pytest.mark.parametrize(
    ("offering", "honor", "points"),
    [(0, 0, 0), (1, 0, 0), (1, 1, 1), (0, 3, 1), (3, 3, 3), (3, 4, 3), (5, 3, 4), (8, 7, 7)],
)
def test_spaces_on_both_idol_tracks_are_added_then_halved(
    offering: int, honor: int, points: int
) -> None:
    table = with_stone("idol_stone", offering=offering, honor=honor)
    table.player(OTHER, offering=8, honor=7).table(honor_queue=b"\1\0" if honor else b"\1")
    assert scored(table) == [points, 0]


@pytest.mark.rule("STN-08")
def test_each_type_of_tipped_animal_is_worth_a_point() -> None:
    names = [animal.name for animal in TABLES.animals]
    for number in range(len(names) + 1):
        table = with_stone("menagerie_stone", tipped=names[:number])
        assert scored(table) == [number, 0]


@pytest.mark.rule("STN-08")
def test_a_type_tipped_twice_counts_once_and_upright_animals_do_not() -> None:
    table = with_stone("menagerie_stone", tipped=["glyptodon"] * 3, animals=["woolly_rhino"])
    assert scored(table.player(OTHER, tipped=["argentavis"])) == [1, 0]


@pytest.mark.rule("STN-09")
@pytest.mark.parametrize(
    ("tipped", "points"),
    [
        ([], 0),
        (["woolly_rhino"], 2),
        (["ground_sloth"], 2),
        (["woolly_rhino"] * 2, 4),
        (["woolly_rhino", "ground_sloth", "ground_sloth"], 6),
        (["woolly_rhino"] * 2 + ["ground_sloth"] * 2, 8),
        (["woolly_rhino"] * 3 + ["ground_sloth"] * 3, 8),
        (["glyptodon", "argentavis", "woolly_mammoth"], 0),
        (["woolly_rhino", "glyptodon"], 2),
    ],
)
def test_tipped_animals_of_the_pictured_types_score(tipped: list[str], points: int) -> None:
    """Horn Stone: Rhinos and Sloths, 0, 2, 4, 6, 8 points in the frozen pack."""
    table = with_stone("horn_stone", tipped=tipped, animals=["woolly_rhino"] * 2)
    assert scored(table.player(OTHER, tipped=["woolly_rhino"] * 4)) == [points, 0]


@pytest.mark.rule("STN-09")
@pytest.mark.parametrize(("number", "points"), [(1, 3), (2, 6), (3, 8), (4, 8)])
def test_each_stone_of_this_kind_has_its_own_types_and_scale(number: int, points: int) -> None:
    """Giant Stone: Mammoths and Argentavis."""
    tipped = ["woolly_mammoth", "argentavis", "woolly_mammoth", "argentavis"][:number]
    assert scored(with_stone("giant_stone", tipped=[*tipped, "woolly_rhino"])) == [points, 0]


@pytest.mark.rule("STN-01")
def test_a_village_beside_the_lowest_numbered_of_its_hexes_counts() -> None:
    table = scene(2).all_terrain("steppe").terrain(h1="canyon")
    table.player(0, villages=[juncture(1, 7, 8)])
    canyon = TABLES.stones[STONES["canyon_stone"]]
    assert stone_points(table.position, table.at(0), canyon) == 2


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
