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
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

POINTS: Final = 400 / math.log(10)
PRIOR: Final = 0.5
_CLOSE: Final = 1e-9
_STEPS: Final = 100
_LONGEST_STEP: Final = 3.0
_FEW: Final = 5  # blocks of a group that are resampled among themselves
_NORMAL: Final = 1.959964  # half of the normal interval of 95 %

Order = tuple[int, ...]
"""Entrants by number, first to last."""


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


def fit(
    weights: Mapping[Order, float], entrants: int, start: Sequence[float] | None = None
) -> list[float]:
    """The most likely logarithms of strengths, mean 0: Newton's method on a concave function."""
    logs = list(start) if start is not None else [0.0] * entrants
    for _ in range(_STEPS):
        gradient, curvature = _derivatives(weights, logs)
        step = _solve(curvature, gradient)
        longest = max((abs(part) for part in step), default=0.0)
        scale = min(1.0, _LONGEST_STEP / longest) if longest else 1.0
        logs = [one + scale * part for one, part in zip(logs, step, strict=True)]
        if longest < _CLOSE:
            break
    mean = sum(logs) / entrants
    return [one - mean for one in logs]


def _derivatives(
    weights: Mapping[Order, float], logs: Sequence[float]
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
    for order, weight in weights.items():
        total = 0.0
        # From the last to the first: the total of those still to be placed grows.
        for at in range(len(order) - 1, -1, -1):
            total += strength[order[at]]
            if at == len(order) - 1:
                continue
            gradient[order[at]] += weight
            rest = order[at:]
            chance = [strength[one] / total for one in rest]
            for row, one in enumerate(rest):
                p = chance[row]
                gradient[one] -= weight * p
                line = curvature[one]
                line[one] += weight * p
                for column, other in enumerate(rest):
                    line[other] -= weight * p * chance[column]
    return gradient, curvature


def _solve(matrix: list[list[float]], right: list[float]) -> list[float]:
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


def weights_of(blocks: Iterable[Mapping[Order, float]]) -> dict[Order, float]:
    total: dict[Order, float] = {}
    for block in blocks:
        for order, weight in block.items():
            total[order] = total.get(order, 0.0) + weight
    return total


def ratings(
    strata: Sequence[Stratum], entrants: int, *, resamples: int = 1000, seed: int = 1
) -> list[Rating]:
    """Ratings with intervals from resampling blocks within each group of entrants.

    The order of games, blocks and groups does not matter: they are sorted first. Every rating is
    finite; without any games all are 0. Blocks that all ended alike have no spread to resample, so
    an interval is never narrower than the one that the curvature of the likelihood gives.
    """
    prepared = [
        [weights_of(map(orders, block)) for block in sorted(stratum.blocks)]
        for stratum in sorted(strata)
        if stratum.blocks
    ]
    every = [block for blocks in prepared for block in blocks]
    if not every:
        return [Rating(0.0, 0.0, 0.0)] * entrants
    total = dict(sorted(weights_of(every).items()))
    best = fit(total, entrants)
    if len(every) < 2:  # nothing to differ from: it counts as one game
        games = sum(total.values())
        alone = {order: weight / games for order, weight in total.items()}
        return [
            Rating(POINTS * one, POINTS * (one - margin), POINTS * (one + margin))
            for one, margin in zip(best, _margins(alone, best), strict=True)
        ]
    if min(map(len, prepared)) < _FEW:
        prepared = [every]  # too few of a group to see how they differ: resample all together
    spread = sum(map(len, prepared)) / len(prepared)
    wider = _student(spread - 1) / _NORMAL * math.sqrt(spread / (spread - 1))
    resamples = max(100, min(resamples, 400_000 // len(total)))
    draw = random.Random(seed)
    samples: list[list[float]] = [[] for _ in range(entrants)]
    for _ in range(resamples):
        drawn = [block for blocks in prepared for block in draw.choices(blocks, k=len(blocks))]
        logs = fit(dict(sorted(weights_of(drawn).items())), entrants, best)
        for values, one in zip(samples, logs, strict=True):
            values.append(one)
    found = []
    for one, values, least in zip(best, samples, _margins(total, best), strict=True):
        below = max((one - quantile(values, 0.025)) * wider, least)
        above = max((quantile(values, 0.975) - one) * wider, least)
        found.append(Rating(POINTS * one, POINTS * (one - below), POINTS * (one + above)))
    return found


def _student(freedom: float) -> float:
    """The 97.5 % point of Student's t, by the expansion of Cornish and Fisher."""
    z = _NORMAL
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def _margins(weights: Mapping[Order, float], logs: Sequence[float]) -> list[float]:
    """Half of each interval by the curvature of the log-likelihood, every game for itself."""
    count = len(logs)
    _, curvature = _derivatives(weights, logs)
    margins = []
    for number in range(count):
        # What is shown is the distance from the mean of all.
        shown = [float(number == at) - 1 / count for at in range(count)]
        solved = _solve(curvature, shown)
        variance = sum(one * part for one, part in zip(shown, solved, strict=True))
        margins.append(_NORMAL * math.sqrt(max(variance, 0.0)))
    return margins


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
