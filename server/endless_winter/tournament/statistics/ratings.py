"""Ratings from whole tables: Plackett-Luce, in one go, without an order of the games.

In this model a bot of strength ``s`` comes first with probability ``s / (sum of all strengths)``,
second likewise among the rest, and so on. The rating is ``400 / ln 10 * ln s``, so that for two
bots it reads like the rating known from chess; the mean of all entrants is 0.

A weak prior (each entrant has drawn `PRIOR` games against a bot of rating 0) keeps every rating
finite: a bot that never lost has a high rating and not an infinite one.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from itertools import permutations
from statistics import pstdev
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

POINTS: Final = 400 / math.log(10)
PRIOR: Final = 0.5
_CLOSE: Final = 1e-9
_CLOSE_ENOUGH: Final = 1e-3  # of a resample: Newton's next step would be about its square
_STEPS: Final = 100
_LONGEST_STEP: Final = 3.0
_FEW: Final = 5  # blocks of a group that are resampled among themselves
_NORMAL: Final = 1.959964  # half of the normal interval of 95 %

Order = tuple[int, ...]
"""Entrants by number, first to last."""

Picks = dict[Order, float]
"""What the likelihood knows of games, as a sum over games.

A game is a row of picks: one comes first of all, the next first of the rest, and so on. Of one
entrant alone, `(entrant,)`, how often it was picked before another; of several, in their order,
how often one of just these was to be picked. Games of 24 orders have 11 such groups.
"""


class Finish(NamedTuple):
    """One game for the ratings: the entrants by number and their places."""

    entrants: tuple[int, ...]
    places: tuple[int, ...]


class Stratum(NamedTuple):
    """The blocks of one group of entrants; each block is a set of games, one for each rotation."""

    blocks: tuple[tuple[Finish, ...], ...]


class Rating(NamedTuple):
    """An estimate and its interval of 95 %."""

    value: float
    low: float
    high: float

    @property
    def margin(self) -> float:
        return (self.high - self.low) / 2


def orders(finish: Finish) -> dict[Order, float]:
    """The orders that a game could have ended in; equal places are every order alike."""
    by_place: dict[int, list[int]] = defaultdict(list)
    for entrant, place in zip(finish.entrants, finish.places, strict=True):
        by_place[place].append(entrant)
    found: list[Order] = [()]
    for place in sorted(by_place):
        tied = list(permutations(by_place[place]))
        found = [(*before, *order) for before in found for order in tied]
    return dict.fromkeys(found, 1 / len(found))


def picks(finish: Finish) -> Picks:
    """The picks of one game."""
    found: Picks = {}
    for order, weight in orders(finish).items():
        for at in range(len(order) - 1):
            for key in ((order[at],), tuple(sorted(order[at:]))):
                found[key] = found.get(key, 0.0) + weight
    return found


def total_of(counted: Iterable[Mapping[Order, float]]) -> Picks:
    """The picks of many games, in an order that does not depend on theirs."""
    total: Picks = {}
    for one in counted:
        for key, weight in one.items():
            total[key] = total.get(key, 0.0) + weight
    return dict(sorted(total.items()))


def fit(
    total: Mapping[Order, float],
    entrants: int,
    start: Sequence[float] | None = None,
    close: float = _CLOSE,
) -> list[float]:
    """The most likely logarithms of strengths, mean 0: Newton's method on a concave function."""
    logs = list(start) if start is not None else [0.0] * entrants
    for _ in range(_STEPS):
        gradient, curvature = _derivatives(total, logs)
        step = _solve(curvature, gradient)
        longest = max((abs(part) for part in step), default=0.0)
        scale = min(1.0, _LONGEST_STEP / longest) if longest else 1.0
        logs = [one + scale * part for one, part in zip(logs, step, strict=True)]
        if longest < close:
            break
    mean = sum(logs) / entrants
    return [one - mean for one in logs]


def _derivatives(
    total: Mapping[Order, float], logs: Sequence[float]
) -> tuple[list[float], list[list[float]]]:
    """Gradient and negative second derivatives of the log-likelihood with its prior."""
    count = len(logs)
    strength = [math.exp(min(one, 50.0)) for one in logs]
    gradient = [0.0] * count
    curvature = [[0.0] * count for _ in range(count)]
    for number in range(count):  # the prior: as many wins as losses against rating 0
        win = strength[number] / (1 + strength[number])
        gradient[number] = PRIOR * (1 - 2 * win)
        curvature[number][number] = 2 * PRIOR * win * (1 - win)
    for group, weight in total.items():
        if len(group) == 1:
            gradient[group[0]] += weight
            continue
        share = weight / sum([strength[one] for one in group])
        for one in group:
            expected = share * strength[one]
            gradient[one] -= expected
            line = curvature[one]
            line[one] += expected
            for other in group:
                line[other] -= expected * strength[other] * share / weight
    return gradient, curvature


def _solve(matrix: list[list[float]], right: Sequence[float]) -> list[float]:
    """Gaussian elimination; the matrix is positive definite because of the prior."""
    size = len(right)
    rows = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    for at in range(size):
        pivot = max(range(at, size), key=lambda row: abs(rows[row][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        head = rows[at]
        if abs(head[at]) < 1e-300:
            continue
        for row in range(at + 1, size):
            factor = rows[row][at] / head[at]
            if factor:
                line = rows[row]
                for column in range(at, size + 1):
                    line[column] -= factor * head[column]
    found = [0.0] * size
    for at in range(size - 1, -1, -1):
        line = rows[at]
        rest = sum(line[column] * found[column] for column in range(at + 1, size))
        found[at] = (line[size] - rest) / line[at] if abs(line[at]) >= 1e-300 else 0.0
    return found


class Gap(NamedTuple):
    """How far one entrant is ahead of another, in rating points."""

    value: float
    error: float
    """The standard error."""
    margin: float
    """Half the interval of 95 %, wider than 1.96 errors where few blocks were played."""


class Estimates(NamedTuple):
    """The strengths of all entrants, and how they would vary if all were played again."""

    logs: list[float]
    total: Picks
    samples: list[list[float]]
    """Of each resample the logarithms of all strengths; none: there was nothing to draw from."""
    blocks: float
    """So many of a group are resampled among themselves."""

    def ratings(self) -> list[Rating]:
        return [self._rating(number) for number in range(len(self.logs))]

    def _rating(self, number: int) -> Rating:
        count = len(self.logs)
        one = self.logs[number]
        # What is shown is the distance from the mean of all.
        least = _NORMAL * self._error([float(number == at) - 1 / count for at in range(count)])
        below = above = least
        if self.samples:
            values = [sample[number] for sample in self.samples]
            below = max((one - quantile(values, 0.025)) * self._wider, least)
            above = max((quantile(values, 0.975) - one) * self._wider, least)
        return Rating(POINTS * one, POINTS * (one - below), POINTS * (one + above))

    def gap(self, first: int, second: int) -> Gap:
        """Their ratings go up and down together, so this is surer than two intervals show."""
        value = self.logs[first] - self.logs[second]
        contrast = [float(at == first) - float(at == second) for at in range(len(self.logs))]
        error = self._error(contrast)
        wider = 1.0
        if self.samples:
            spread = pstdev([sample[first] - sample[second] for sample in self.samples])
            error = max(spread * self._unbiased, error)
            wider = self._wider / self._unbiased
        return Gap(POINTS * value, POINTS * error, POINTS * _NORMAL * error * wider)

    @property
    def _unbiased(self) -> float:
        """What is drawn from so many varies less than what they were drawn from."""
        return math.sqrt(self.blocks / (self.blocks - 1))

    @property
    def _wider(self) -> float:
        return _student(self.blocks - 1) / _NORMAL * self._unbiased

    def _error(self, contrast: Sequence[float]) -> float:
        """The error of a sum of strengths by the curvature of the log-likelihood."""
        _, curvature = _derivatives(self.total, self.logs)
        solved = _solve(curvature, contrast)
        variance = sum(one * part for one, part in zip(contrast, solved, strict=True))
        return math.sqrt(max(variance, 0.0))


def ratings(
    strata: Sequence[Stratum], entrants: int, *, resamples: int = 1000, seed: int = 1
) -> list[Rating]:
    """Ratings with their intervals, as `estimates` finds them."""
    return estimates(strata, entrants, resamples=resamples, seed=seed).ratings()


def estimates(
    strata: Sequence[Stratum], entrants: int, *, resamples: int = 1000, seed: int = 1
) -> Estimates:
    """Ratings with intervals from resampling blocks within each group of entrants.

    The order of games, blocks and groups does not matter: they are sorted first. Every rating is
    finite; without any games all are 0. Blocks that all ended alike have no spread to resample, so
    an interval is never narrower than the one that the curvature of the likelihood gives.
    """
    prepared = [
        [total_of(map(picks, block)) for block in sorted(stratum.blocks)]
        for stratum in sorted(strata)
        if stratum.blocks
    ]
    every = [block for blocks in prepared for block in blocks]
    total = total_of(every)
    best = fit(total, entrants)
    if len(every) < 2:  # nothing to differ from: it counts as one game
        games = sum(len(block) for stratum in strata for block in stratum.blocks)
        return Estimates(best, {key: weight / games for key, weight in total.items()}, [], 1.0)
    if min(map(len, prepared)) < _FEW:
        prepared = [every]  # too few of a group to see how they differ: resample all together
    resamples = max(100, min(resamples, 1_600_000 // len(total)))
    draw = random.Random(seed)
    samples = []
    for _ in range(resamples):
        drawn = [block for blocks in prepared for block in draw.choices(blocks, k=len(blocks))]
        samples.append(fit(total_of(drawn), entrants, best, _CLOSE_ENOUGH))
    return Estimates(best, total, samples, sum(map(len, prepared)) / len(prepared))


def _student(freedom: float) -> float:
    """The 97.5 % point of Student's t, by the expansion of Cornish and Fisher."""
    z = _NORMAL
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    at = share * (len(ordered) - 1)
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def shares(places: Sequence[int]) -> list[float]:
    """For each seat, which part of its opponents it left behind; an equal place is half."""
    others = len(places) - 1
    if others < 1:
        return [1.0] * len(places)
    return [
        (sum(other > place for other in places) + (places.count(place) - 1) / 2) / others
        for place in places
    ]
