"""The sequential test: stop as soon as the games so far have decided.

Each observation is the score of a whole block, between 0 and 1: how often the first bot came before
the second over all rotations of the seats. A block is one observation and not several: every seat
is in it once, and its games may share a seed. The same test then holds for games of 2, 3 and 4.

The log-likelihood ratio is the generalized one: under each hypothesis the most likely
distribution of block scores that has the mean it asks for.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

# Added to each possible score: a start without any loss must not look infinitely sure.
_PRIOR: Final = 0.02
_LOGISTIC: Final = math.log(10) / 400


class Verdict(NamedTuple):
    """Where a test stands."""

    llr: float
    lower: float
    upper: float
    blocks: int
    mean: float

    @property
    def decided(self) -> bool:
        return self.better or self.not_better

    @property
    def better(self) -> bool:
        """The second hypothesis holds."""
        return self.llr >= self.upper

    @property
    def not_better(self) -> bool:
        return self.llr <= self.lower


def expected(rating: float) -> float:
    """The share of games that a bot so much better wins against the other."""
    return 1 / (1 + math.exp(-_LOGISTIC * rating))


class Sprt:
    """Is a bot better than another by `rating1` rather than by `rating0`?"""

    def __init__(self, rating0: float, rating1: float, alpha: float, beta: float) -> None:
        self._score0 = expected(rating0)
        self._score1 = expected(rating1)
        self._lower = math.log(beta / (1 - alpha))
        self._upper = math.log((1 - beta) / alpha)
        self._counts: dict[float, int] = {}

    def add(self, score: float) -> Verdict:
        """One more block."""
        score = round(score, 9)
        self._counts[score] = self._counts.get(score, 0) + 1
        return self.verdict()

    def verdict(self) -> Verdict:
        blocks = sum(self._counts.values())
        if not blocks:
            return Verdict(0.0, self._lower, self._upper, 0, 0.5)
        mean = sum(score * count for score, count in self._counts.items()) / blocks
        return Verdict(self._llr(), self._lower, self._upper, blocks, mean)

    def _llr(self) -> float:
        scores = sorted({0.0, 0.5, 1.0, *self._counts})
        weights = [self._counts.get(score, 0) + _PRIOR for score in scores]
        total = sum(weights)
        seen = [weight / total for weight in weights]
        under0 = _likeliest(scores, seen, self._score0)
        under1 = _likeliest(scores, seen, self._score1)
        return sum(
            weight * math.log(one / null)
            for weight, one, null in zip(weights, under1, under0, strict=True)
        )


def _likeliest(scores: list[float], seen: list[float], mean: float) -> list[float]:
    """The distribution with this mean under which what was seen is the most likely.

    It is ``seen / (1 + theta * (score - mean))``; theta is where the mean comes out right.
    """
    gaps = [score - mean for score in scores]
    low, high = -1 / max(gaps), -1 / min(gaps)
    for _ in range(60):
        theta = (low + high) / 2
        slope = sum(p * gap / (1 + theta * gap) for p, gap in zip(seen, gaps, strict=True))
        if slope > 0:
            low = theta
        else:
            high = theta
    theta = (low + high) / 2
    return [p / (1 + theta * gap) for p, gap in zip(seen, gaps, strict=True)]
