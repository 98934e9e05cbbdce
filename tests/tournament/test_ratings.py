"""Ratings against hand-computed and simulated truth."""

from __future__ import annotations

import math
import random
from statistics import fmean, pvariance

import pytest

from endless_winter.tournament.statistics.ratings import (
    POINTS,
    PRIOR,
    Finish,
    Stratum,
    fit,
    orders,
    quantile,
    ratings,
)
from tests.tournament.simulated import block, score


def simulated(
    logs: list[float],
    group: tuple[int, ...],
    blocks: int,
    draw: random.Random,
    *,
    paired: bool = False,
) -> Stratum:
    """Games that follow the model, on seeds of their own or on one for each block."""
    return Stratum(tuple(block(logs, group, draw, paired=paired) for _ in range(blocks)))


def duel(wins: int, losses: int) -> Stratum:
    won, lost = Finish((0, 1), (1, 2)), Finish((0, 1), (2, 1))
    return Stratum(tuple((won,) for _ in range(wins)) + tuple((lost,) for _ in range(losses)))


def test_two_bots_get_the_difference_that_can_be_computed_by_hand() -> None:
    # With strengths x and -x (mean 0) the maximum is where
    # 30 (1 - p) - 10 p + PRIOR (1 - 2 q) = 0, with p = 1 / (1 + e^-2x) and q = 1 / (1 + e^-x).
    low, high = 0.0, 5.0
    for _ in range(100):
        x = (low + high) / 2
        p, q = 1 / (1 + math.exp(-2 * x)), 1 / (1 + math.exp(-x))
        low, high = (x, high) if 30 * (1 - p) - 10 * p + PRIOR * (1 - 2 * q) > 0 else (low, x)
    first, second = ratings([duel(30, 10)], 2, resamples=100)
    assert first.value == pytest.approx(POINTS * low, abs=1e-6)
    assert second.value == pytest.approx(-first.value, abs=1e-6)
    # Without the weak prior it would be 400 log10 3 = 190.8.
    assert first.value - second.value == pytest.approx(190.8, abs=4)


def test_known_strengths_are_recovered_from_games_of_four() -> None:
    truth = [0.9, 0.4, 0.0, -0.3, -1.0]
    draw = random.Random(7)
    groups = [tuple(one for one in range(5) if one != out) for out in range(5)]
    found = ratings([simulated(truth, group, 100, draw) for group in groups], 5, resamples=100)
    for rating, log in zip(found, truth, strict=True):
        assert rating.value == pytest.approx(POINTS * log, abs=20)
        assert rating.low < rating.value < rating.high


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("blocks", [8, 30])
def test_intervals_cover_the_truth_about_as_often_as_they_say(blocks: int, paired: bool) -> None:
    truth = [0.6, 0.1, -0.7]
    draw = random.Random(blocks)
    hits = 0
    for repeat in range(32):
        strata = [simulated(truth, (0, 1, 2), blocks, draw, paired=paired)]
        found = ratings(strata, 3, resamples=100, seed=repeat)
        hits += sum(
            rating.low <= POINTS * log <= rating.high
            for rating, log in zip(found, truth, strict=True)
        )
    assert 0.89 <= hits / 96 <= 1.0  # 95 % is stated; 2.7 standard errors are 6 %


def test_shared_luck_of_seats_makes_block_scores_vary_less_but_no_single_game() -> None:
    # Otherwise the simulation would not tell the two modes apart.
    draw = random.Random(4)
    blocks = {
        paired: [block([0.0, 0.0], (0, 1), draw, paired=paired) for _ in range(1500)]
        for paired in (False, True)
    }
    apart, paired = (
        2 * pvariance(score(games, 0, 1) for games in blocks[paired]) for paired in (False, True)
    )
    assert apart == pytest.approx(0.25, rel=0.1)
    assert paired < 0.75 * apart
    for games in blocks.values():
        assert fmean(score(one[:1], 0, 1) for one in games) == pytest.approx(0.5, abs=0.04)


def test_the_order_of_games_blocks_and_groups_does_not_matter() -> None:
    draw = random.Random(5)
    strata = [simulated([0.5, 0.0, -0.5], group, 6, draw) for group in ((0, 1), (1, 2), (0, 2))]
    turned = [
        Stratum(tuple(tuple(reversed(block)) for block in reversed(stratum.blocks)))
        for stratum in reversed(strata)
    ]
    plain = [Stratum(tuple(tuple(sorted(block)) for block in s.blocks)) for s in strata]
    other = [Stratum(tuple(tuple(sorted(block)) for block in s.blocks)) for s in turned]
    assert ratings(plain, 3, resamples=100) == ratings(other, 3, resamples=100)


@pytest.mark.parametrize(
    "strata",
    [
        [],
        [duel(1, 0)],
        [duel(500, 0)],
        [duel(0, 2)],
        [Stratum(((Finish((0, 1), (1, 1)),),))],
        [Stratum(((Finish((0, 1, 2), (1, 1, 1)),),) * 3)],
    ],
)
def test_no_table_makes_a_rating_that_is_not_a_number(strata: list[Stratum]) -> None:
    for rating in ratings(strata, 3, resamples=100):
        assert all(map(math.isfinite, rating))
        assert rating.low <= rating.value <= rating.high


def test_a_bot_that_always_wins_is_far_ahead_but_not_infinitely() -> None:
    first, second = ratings([duel(100, 0)], 2, resamples=100)
    assert 500 < first.value - second.value < 5000


def test_blocks_that_all_end_alike_are_not_taken_for_certainty() -> None:
    few, many = (ratings([duel(games, 0)], 2, resamples=100) for games in (3, 60))
    assert few[0].low < few[1].high  # three games are nothing
    assert many[0].low > many[1].high  # sixty are something


def test_a_single_block_says_that_little_is_known() -> None:
    first, second = ratings([duel(1, 0)], 2, resamples=100)
    assert first.low < second.value < first.value < second.high


def test_equal_places_are_every_order_alike() -> None:
    assert orders(Finish((4, 7, 9), (1, 1, 3))) == {(4, 7, 9): 0.5, (7, 4, 9): 0.5}
    tied = fit(orders(Finish((0, 1), (1, 1))), 2)
    assert tied == pytest.approx([0.0, 0.0])


def test_quantiles_lie_between_their_neighbours() -> None:
    assert quantile([4, 1, 3, 2], 0.5) == 2.5
    assert quantile([1], 0.975) == 1
