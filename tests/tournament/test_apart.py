"""Which neighbours are told apart, and how many games it would take, against known numbers."""

from __future__ import annotations

import math
import random

import pytest

from endless_winter.tournament.report import files, html
from endless_winter.tournament.report.summary import undecided
from endless_winter.tournament.statistics.apart import MOST_TIMES, needed, neighbours
from endless_winter.tournament.statistics.ratings import (
    POINTS,
    Estimates,
    Finish,
    Gap,
    Stratum,
    estimates,
)
from tests.tournament.simulated import block
from tests.tournament.tables import by_strength, play_all, spec_of, summary_of


def duels(wins: int, losses: int, *, resamples: int = 400) -> Estimates:
    won, lost = Finish((0, 1), (1, 2)), Finish((0, 1), (2, 1))
    blocks = tuple((won,) for _ in range(wins)) + tuple((lost,) for _ in range(losses))
    return estimates([Stratum(blocks)], 2, resamples=resamples)


def test_the_error_of_a_gap_is_that_of_the_logit_of_a_share() -> None:
    # 550 of 1000: logit(0.55) = 0.2007, its standard error 1 / sqrt(1000 * 0.55 * 0.45) = 0.0636.
    gap = duels(550, 450).gap(0, 1)
    assert gap.value == pytest.approx(POINTS * 0.2007, rel=0.01)
    assert gap.error == pytest.approx(POINTS * 0.0636, rel=0.12)  # 400 resamples: 3.5 %
    assert gap.margin == pytest.approx(1.96 * gap.error, rel=0.02)


def test_a_gap_is_surer_than_two_intervals_show() -> None:
    # Of two entrants one is up when the other is down: half a gap each, with half its error.
    found = duels(30, 10)
    first, second = found.ratings()
    gap = found.gap(0, 1)
    assert gap.value == pytest.approx(first.value - second.value)
    assert gap.margin == pytest.approx(first.margin + second.margin, rel=0.1)
    three = estimates(
        [Stratum(tuple(block([0.4, 0.0, -0.4], (0, 1, 2), random.Random(3), paired=False)
                       for _ in range(40)))],
        3,
    )  # fmt: skip
    one, other, _ = three.ratings()
    assert three.gap(0, 1).margin < one.margin + other.margin


@pytest.mark.parametrize(
    ("share", "games"),
    # The textbook's sample sizes for a share against one half, both sides, 5 %, power 80 %.
    [(0.52, 4903), (0.55, 783), (0.60, 194)],
)
def test_the_games_needed_are_the_sample_size_of_the_textbook(share: float, games: int) -> None:
    error = POINTS / math.sqrt(100 * share * (1 - share))  # of a hundred games
    gap = Gap(POINTS * math.log(share / (1 - share)), error, 1.96 * error)
    assert needed(gap, 100) == pytest.approx(games, rel=0.03)


def test_so_many_games_tell_them_apart_in_four_tournaments_of_five() -> None:
    logs = [0.3, -0.3]
    share = 1 / (1 + math.exp(-0.6))
    error = POINTS / math.sqrt(10 * share * (1 - share))
    games = needed(Gap(POINTS * 0.6, error, 2 * error), 10)
    assert games is not None
    draw = random.Random(11)
    times = 0
    for seed in range(60):
        blocks = tuple(block(logs, (0, 1), draw, paired=False) for _ in range(games // 2))
        gap = estimates([Stratum(blocks)], 2, resamples=100, seed=seed).gap(0, 1)
        times += neighbours("a", "b", gap, games).apart
    assert 0.68 <= times / 60 <= 0.92


def test_equals_are_never_told_apart_by_a_number_of_games() -> None:
    assert needed(Gap(0.0, 10.0, 20.0), 60) is None
    assert needed(Gap(0.1, 10.0, 20.0), 60) is None
    at_most = needed(Gap(2.81, 10.0, 20.0), 60)
    assert at_most is not None
    assert at_most <= 60 * MOST_TIMES


def test_who_is_not_told_apart_needs_more_games_than_were_played() -> None:
    # Few sets: the interval is wider than its error says.
    assert needed(Gap(50.0, 10.0, 60.0), 6) == 7


def test_the_report_names_neighbours_that_are_close_and_no_others() -> None:
    spec = spec_of("a", "b", "c", players=2, blocks=20)
    strength = by_strength({"a": 3, "b": 0.05, "c": 0})
    summary = summary_of(spec, play_all(spec, strength))
    (line,) = undecided(summary)
    assert line.startswith(("b and c are not told apart yet", "c and b are not told apart yet"))
    for shown in (files.markdown(summary), html.page(summary, lambda _: "")):
        assert "not told apart yet" in shown
    clear = summary_of(spec, play_all(spec, by_strength({"a": 6, "b": 3, "c": 0})))
    assert undecided(clear) == []
    assert "told apart" not in html.page(clear, lambda _: "").lower()
