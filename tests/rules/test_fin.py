"""FIN: the final scoring."""

from __future__ import annotations

from itertools import permutations, product
from typing import TYPE_CHECKING

import pytest

from endless_winter.rules import events
from tests.rules.scene import Scene, scene

if TYPE_CHECKING:
    from endless_winter.rules.scoring import Score

OTHERS = [
    "woolly_rhino",
    "ground_sloth",
    "saber_toothed_tiger",
    "glyptodon",
    "short_faced_bear",
]


def last_round(players: int = 2) -> Scene:
    return scene(players, round_=4)


def end(table: Scene) -> list[Score]:
    """Play the last Eclipse phase, declining everything; the final scores by seat."""
    table.eclipse()
    while table.kind:
        table.do("leave")
    result = table.game.result
    assert result is not None
    return result.scores


def animal_points(*names: str, tipped: tuple[str, ...] = ()) -> int:
    return end(last_round().player(0, animals=list(names), tipped=list(tipped)))[0].animals


# --- FIN-01 ---


@pytest.mark.rule("FIN-01")
def test_the_example_of_three_food_and_two_tools_at_two_to_one() -> None:
    scores = end(last_round().player(0, food=3, tools=2, offering=4))
    assert (scores[0].offering, scores[1].offering) == (2, 0)


@pytest.mark.rule("FIN-01")
@pytest.mark.parametrize(
    ("level", "points"),
    [(0, 0), (1, 3), (2, 3), (3, 3), (4, 5), (5, 5), (6, 5), (7, 11), (8, 11)],
)
def test_the_level_decides_the_ratio(level: int, points: int) -> None:
    """11 goods at 3:1, 2:1 and 1:1 in the frozen pack."""
    assert end(last_round().player(0, food=6, tools=5, offering=level))[0].offering == points


@pytest.mark.rule("FIN-01")
@pytest.mark.parametrize(
    ("food", "tools"), [(0, 0), (1, 0), (0, 2), (1, 1), (3, 0), (1, 2), (4, 1)]
)
def test_food_and_tools_are_added_before_dividing(food: int, tools: int) -> None:
    scores = end(last_round().player(0, food=food, tools=tools, offering=1))
    assert scores[0].offering == (food + tools) // 3


# --- FIN-02 ---


@pytest.mark.rule("FIN-02")
def test_the_example_of_the_highest_marker_with_four_buried() -> None:
    table = last_round().player(0, honor=3, buried=["hunter"] * 4).player(1, honor=1)
    assert end(table.table(honor_queue=b"\1\0"))[0].honor == 10


@pytest.mark.rule("FIN-02")
def test_highest_second_and_all_others_use_left_middle_and_right_chart() -> None:
    """4 buried cards give 10, 7 and 5 in the frozen pack."""
    for seats in permutations(range(4)):
        table = last_round(4).table(honor_queue=bytes(range(4)))
        for place, seat in enumerate(seats):
            table.player(seat, honor=5 - place, buried=["hunter"] * 4)
        scores = end(table)
        assert [scores[seat].honor for seat in seats] == [10, 7, 5, 5]


@pytest.mark.rule("FIN-02")
def test_on_equal_levels_the_one_further_left_ranks_higher() -> None:
    for seats in permutations(range(3)):
        table = last_round(3).table(honor_queue=bytes(seats))
        for seat in seats:
            table.player(seat, honor=2, buried=["hunter"] * 4)
        scores = end(table)
        assert [scores[seat].honor for seat in seats] == [10, 7, 5]


@pytest.mark.rule("FIN-02")
def test_who_never_advanced_scores_nothing_however_many_are_buried() -> None:
    table = last_round(3).player(0, buried=["hunter"] * 9)
    table.player(1, honor=1, buried=["hunter"] * 4).table(honor_queue=b"\1")
    assert [score.honor for score in end(table)] == [0, 10, 0]


@pytest.mark.rule("FIN-02")
def test_two_players_use_the_left_and_the_middle_chart() -> None:
    table = last_round().player(0, honor=1, buried=["hunter"] * 4)
    table.player(1, honor=6, buried=["hunter"] * 4).table(honor_queue=b"\0\1")
    assert [score.honor for score in end(table)] == [7, 10]


@pytest.mark.rule("FIN-02")
@pytest.mark.parametrize(
    ("buried", "points"), [(0, 0), (1, 1), (2, 3), (3, 6), (5, 15), (11, 44), (12, 48), (20, 48)]
)
def test_the_chart_is_read_at_the_number_of_buried_cards(buried: int, points: int) -> None:
    table = last_round().player(0, honor=1, buried=["hunter"] * buried).table(honor_queue=b"\0")
    assert end(table)[0].honor == points


@pytest.mark.rule("FIN-02")
def test_one_who_is_behind_does_not_rank_by_buried_cards() -> None:
    table = last_round().player(0, honor=1, buried=["hunter"] * 5)
    table.player(1, honor=2, buried=["hunter"]).table(honor_queue=b"\0\1")
    assert [score.honor for score in end(table)] == [10, 1]


# --- FIN-03 ---


@pytest.mark.rule("FIN-03")
@pytest.mark.parametrize("zone", ["hand", "deck", "discard", "buried", "pile"])
def test_printed_points_count_wherever_the_card_is(zone: str) -> None:
    """Eagle Dance 4, Shaman 1, Hunter 0. The pile of the last Eclipse has been discarded."""
    scores = end(last_round().player(0, **{zone: ["eagle_dance", "shaman", "shaman", "hunter"]}))
    assert (scores[0].cards, scores[1].cards) == (6, 0)


@pytest.mark.rule("FIN-03")
def test_printed_points_of_all_zones_are_added() -> None:
    table = last_round().player(0, hand=["eagle_dance"], deck=["shaman"], discard=["sun_circle"])
    assert end(table.player(0, buried=["elder", "star_watchers"]))[0].cards == 4 + 1 + 2 + 1 + 1


# --- FIN-04 ---


@pytest.mark.rule("FIN-04")
def test_the_example_of_rhinos_mammoth_sloths_and_argentavis() -> None:
    sloths = ["ground_sloth"] * 3
    example = ["woolly_rhino", "woolly_rhino", "woolly_mammoth", *sloths, "argentavis"]
    assert animal_points(*example, tipped=("woolly_rhino",)) == 3 + 2 + 10


@pytest.mark.rule("FIN-04")
@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize(("number", "points"), [(0, 0), (1, 1), (2, 3), (3, 6), (4, 10), (5, 10)])
def test_a_set_of_one_type_scores_up_to_four_cards(name: str, number: int, points: int) -> None:
    assert animal_points(*[name] * number) == points


@pytest.mark.rule("FIN-04")
@pytest.mark.parametrize(("number", "points"), [(1, 2), (2, 5), (3, 5), (5, 5)])
def test_mammoths_score_up_to_two_cards(number: int, points: int) -> None:
    assert animal_points(*["woolly_mammoth"] * number) == points


@pytest.mark.rule("FIN-04")
def test_a_type_makes_one_set_only() -> None:
    assert animal_points(*["glyptodon"] * 8) == 10


@pytest.mark.rule("FIN-04")
def test_different_types_do_not_mix() -> None:
    assert animal_points("woolly_rhino", "ground_sloth", "glyptodon", "short_faced_bear") == 4


@pytest.mark.rule("FIN-04")
def test_tipped_animals_score_nothing() -> None:
    assert animal_points(tipped=("woolly_rhino",) * 4) == 0
    assert animal_points("woolly_rhino", tipped=("woolly_rhino",) * 3) == 1
    assert animal_points("woolly_rhino", tipped=("argentavis",)) == 1


@pytest.mark.rule("FIN-04")
@pytest.mark.parametrize("number", [1, 2, 5])
def test_argentavis_is_never_a_set_of_its_own(number: int) -> None:
    assert animal_points(*["argentavis"] * number) == 0


@pytest.mark.rule("FIN-04")
@pytest.mark.parametrize(
    ("names", "points"),
    [
        (["glyptodon", "argentavis"], 3),
        (["glyptodon", "argentavis", "argentavis", "argentavis"], 10),
        (["glyptodon"] + ["argentavis"] * 5, 10),
        (["glyptodon"] * 4 + ["argentavis"] * 2, 10),
        (["woolly_mammoth", "argentavis"], 5),
        (["woolly_mammoth", "glyptodon", "argentavis"], 1 + 5),  # +3 with the Mammoth, else +2
        (["woolly_mammoth"] + ["glyptodon"] * 2 + ["argentavis"], 8),  # +3 either way
        (["glyptodon"] * 3 + ["ground_sloth"] * 2 + ["argentavis"] * 2, 10 + 6),
        (["glyptodon", "ground_sloth"] + ["argentavis"] * 3, 10 + 1),
        (["woolly_mammoth", "glyptodon"] + ["argentavis"] * 4, 5 + 10),
    ],
)
def test_argentavis_joins_the_sets_where_it_is_worth_most(names: list[str], points: int) -> None:
    assert animal_points(*names) == points


def _best(counts: tuple[int, ...], mammoths: int, wild: int) -> int:
    """The best assignment, by trying them all."""
    ladder, tall = (0, 1, 3, 6, 10), (0, 2, 5)
    best = 0
    for joined in product(range(wild + 1), repeat=len(counts) + 1):
        if sum(joined) > wild:
            continue
        total = 0
        for own, more in zip(counts, joined, strict=False):
            total += ladder[min(own + more, 4)] if own else 0
        total += tall[min(mammoths + joined[-1], 2)] if mammoths else 0
        best = max(best, total)
    return best


@pytest.mark.rule("FIN-04")
def test_the_assignment_is_the_best_of_all() -> None:
    for a, b, c, mammoths, wild in product(range(5), range(3), range(2), range(3), range(4)):
        names = ["woolly_rhino"] * a + ["glyptodon"] * b + ["ground_sloth"] * c
        names += ["woolly_mammoth"] * mammoths + ["argentavis"] * wild
        assert animal_points(*names) == _best((a, b, c), mammoths, wild), names


@pytest.mark.rule("FIN-04")
def test_each_player_scores_the_own_animals() -> None:
    table = last_round(3).player(0, animals=["glyptodon"] * 3).player(2, animals=["woolly_rhino"])
    assert [score.animals for score in end(table)] == [6, 0, 1]


# --- FIN-05 ---


@pytest.mark.rule("FIN-05")
def test_the_total_adds_the_marker_and_all_that_is_scored_at_the_end() -> None:
    table = last_round().player(
        0, points={"terrain": 7, "megaliths": 5, "honor_track": 2, "sacred_stones": 3}
    )
    table.player(0, food=3, tools=2, offering=4, honor=5, buried=["elder"] * 4)
    table.player(0, animals=["woolly_rhino"] * 2).table(honor_queue=b"\0")
    score = end(table)[0]
    assert score.total == 7 + 5 + 2 + 3 + 2 + 10 + 4 + 3
    at_once = (score.points[events.BY_TERRAIN], score.megaliths, score.honor_track, score.stones)
    assert at_once == (7, 5, 2, 3)
    assert (score.offering, score.honor, score.cards, score.animals) == (2, 10, 4, 3)


@pytest.mark.rule("FIN-05")
def test_the_most_points_win_whatever_the_turn_order() -> None:
    for points in permutations((12, 5, 30, 7)):
        table = last_round(4)
        for seat, number in enumerate(points):
            table.player(seat, points={"terrain": number})
        scores = end(table)
        result = table.game.result
        assert result is not None
        assert [points[seat] for seat in result.ranking] == [30, 12, 7, 5]
        assert result.winner == points.index(30)
        assert sorted(score.place for score in scores) == [1, 2, 3, 4]
        assert scores[result.winner].place == 1
        assert not result.tie_broken


@pytest.mark.rule("FIN-05")
def test_points_of_the_end_can_overtake_the_leader_on_the_score_track() -> None:
    table = last_round().player(0, points={"terrain": 9}).player(1, points={"terrain": 3})
    end(table.player(1, animals=["woolly_rhino"] * 4))
    result = table.game.result
    assert result is not None
    assert result.ranking == [1, 0]


@pytest.mark.rule("FIN-05")
def test_a_tie_goes_to_whoever_is_ahead_in_the_order_of_the_last_eclipse() -> None:
    """All equal: the Labor of the last Eclipse decides, not the order of round 4."""
    table = last_round(3).player(1, figures=["rest", "", ""], points={"terrain": 3})
    table.player(0, points={"terrain": 3}).player(2, points={"terrain": 3})
    end(table)
    assert list(table.position.order) == [1, 2, 0]
    result = table.game.result
    assert result is not None
    assert (result.ranking, result.tie_broken) == ([1, 2, 0], True)


@pytest.mark.rule("FIN-05")
def test_the_winner_is_found_only_after_the_last_eclipse() -> None:
    table = scene(2, round_=3).eclipse()
    while table.kind != "turn":
        assert table.game.result is None
        table.do("leave")
    assert table.game.result is None
    table.table(round=4).eclipse()
    assert table.game.result is None
    end(table)
    assert table.game.result is not None
