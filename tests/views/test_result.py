"""Results: scores by category, places, forfeits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.rules.events import CATEGORY_NAMES
from endless_winter.v1 import result_pb2 as v
from endless_winter.views import Ending, result_of
from tests.rules.walk import ALL, EXTRAS, OTHERS, RIVERS, SOLO, begin, walk

if TYPE_CHECKING:
    from endless_winter.rules import Game


def ended(number: int) -> Game:
    *_, last = walk(number)
    return last


def test_there_is_no_result_before_the_end() -> None:
    assert result_of(begin(1)) is None


def test_categories_add_up_to_the_score_and_places_follow_it() -> None:
    for number in (*range(12), *SOLO[:4], *EXTRAS, *RIVERS, *ALL, *OTHERS):
        game = ended(number)
        result = result_of(game, decisions=77)
        assert result is not None
        assert result.outcome == v.GAME_OUTCOME_COMPLETED
        assert (result.rounds_completed, result.decisions) == (4, 77)
        for seat in result.seats:
            assert sum(one.points for one in seat.categories) == seat.score
            kinds = [one.category for one in seat.categories]
            assert kinds == sorted(kinds)
            assert seat.reason == v.END_REASON_NORMAL
        by_place = sorted(result.seats, key=lambda seat: seat.place)
        assert [seat.place for seat in by_place] == list(range(1, len(by_place) + 1))
        assert [seat.score for seat in by_place] == sorted(
            (seat.score for seat in by_place), reverse=True
        )
        assert game.result is not None
        assert by_place[0].seat == game.result.winner


def test_categories_have_the_numbers_and_names_of_the_contract() -> None:
    names = {
        number: name.removeprefix("SCORE_CATEGORY_").lower()
        for name, number in v.ScoreCategory.items()
        if number
    }
    assert names == CATEGORY_NAMES
    assert not [name for name in names.values() if "other" in name]


def test_the_points_of_the_river_have_categories_of_their_own() -> None:
    found: set[v.ScoreCategory.ValueType] = set()
    for number in RIVERS:
        result = result_of(ended(number))
        assert result is not None
        found |= {one.category for seat in result.seats for one in seat.categories}
    assert {
        v.SCORE_CATEGORY_FISH,
        v.SCORE_CATEGORY_LANDMARKS,
        v.SCORE_CATEGORY_RAFTS,
        v.SCORE_CATEGORY_OFFERING_TRACK,
    } <= found


def test_forfeited_seats_rank_last_the_first_to_forfeit_at_the_very_end() -> None:
    game = ended(5)
    assert game.result is not None
    winner, second = game.result.ranking[:2]
    endings = [Ending()] * 4
    endings[winner] = Ending(v.END_REASON_TIME_OUT, timeouts=3, forfeited_seq=40)
    endings[second] = Ending(v.END_REASON_ABANDONED, forfeited_seq=90)
    result = result_of(game, endings=endings)
    assert result is not None
    assert result.seats[winner].place == 4
    assert result.seats[second].place == 3
    assert result.seats[winner].reason == v.END_REASON_TIME_OUT
    assert (result.seats[winner].timeouts, result.seats[winner].forfeited_seq) == (3, 40)
    assert not result.seats[game.result.ranking[2]].HasField("forfeited_seq")
