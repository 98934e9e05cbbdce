"""The sequential test."""

from __future__ import annotations

import math
import random

import pytest

from endless_winter.tournament.statistics.ratings import POINTS
from endless_winter.tournament.statistics.sprt import Sprt, _likeliest, expected
from tests.tournament.simulated import block, score


def decide(
    rating: float, players: int, draw: random.Random, *, paired: bool, most: int = 4000
) -> str:
    """Blocks of games, the first bot so much better than all others, until it is decided."""
    test = Sprt(0, 100, 0.05, 0.05)
    logs = [rating / POINTS, *[0.0] * (players - 1)]
    for _ in range(most):
        games = block(logs, range(players), draw, paired=paired)
        verdict = test.add(score(games, 0, 1))
        if verdict.decided:
            return "better" if verdict.better else "not better"
    return "open"


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize(("rating", "right"), [(0.0, "not better"), (100.0, "better")])
def test_a_wrong_decision_is_about_as_rare_as_was_asked(
    rating: float, right: str, players: int, paired: bool
) -> None:
    draw = random.Random(11)
    found = [decide(rating, players, draw, paired=paired) for _ in range(80)]
    assert "open" not in found
    assert found.count(right) >= 71  # 95 % of 80 is 76; two and a half standard errors less


def test_the_ratio_of_plain_games_is_the_one_computed_by_hand() -> None:
    # With wins and losses alone the most likely distribution is the hypothesis itself.
    test = Sprt(0, 60, 0.05, 0.05)
    for won in [1] * 30 + [0] * 20:
        verdict = test.add(float(won))
    one, null = expected(60), 0.5
    by_hand = 30 * math.log(one / null) + 20 * math.log((1 - one) / (1 - null))
    assert verdict.llr == pytest.approx(by_hand, abs=0.05)  # the small prior is the rest
    assert verdict.blocks == 50
    assert verdict.mean == 0.6


def test_bounds_are_those_of_wald() -> None:
    verdict = Sprt(0, 10, 0.05, 0.1).verdict()
    assert verdict.lower == pytest.approx(math.log(0.1 / 0.95))
    assert verdict.upper == pytest.approx(math.log(0.9 / 0.05))
    assert not verdict.decided


def test_a_constrained_distribution_has_the_mean_it_must_have() -> None:
    scores, seen = [0.0, 0.25, 0.5, 1.0], [0.1, 0.2, 0.3, 0.4]
    found = _likeliest(scores, seen, 0.55)
    assert sum(found) == pytest.approx(1)
    assert sum(p * score for p, score in zip(found, scores, strict=True)) == pytest.approx(0.55)


def test_rotations_that_always_end_alike_count_once() -> None:
    # Two games of a seed that go to the same bot are one observation, not two.
    blocks, games = Sprt(0, 50, 0.05, 0.05), Sprt(0, 50, 0.05, 0.05)
    for won in [1.0] * 40 + [0.0] * 20:
        blocks.add(won)
        games.add(won)
        games.add(won)
    assert games.verdict().llr == pytest.approx(2 * blocks.verdict().llr, rel=0.02)


@pytest.mark.parametrize(("rating0", "rating1"), [(-2000, 2000), (-2000, -1999), (1999, 2000)])
@pytest.mark.parametrize("scores", [(0.0,), (1.0,), (0.0, 1.0), (0.0, 1 / 3, 0.5, 1.0)])
def test_the_most_extreme_hypotheses_of_a_spec_can_be_tested(
    rating0: float, rating1: float, scores: tuple[float, ...]
) -> None:
    test = Sprt(rating0, rating1, 0.05, 0.05)
    for seen in scores * 200:
        assert math.isfinite(test.add(seen).llr)
