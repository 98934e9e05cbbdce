"""Shares and means with their 95 % intervals."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_Z = 1.959964


class Estimate(NamedTuple):
    """A value and the interval that holds the true one 95 times out of 100."""

    value: float
    low: float
    high: float
    number: int

    def percent(self) -> str:
        return f"{100 * self.value:5.1f} % ({100 * self.low:5.1f} - {100 * self.high:5.1f})"


def share(hits: int, number: int) -> Estimate:
    """How often something happened: Wilson's interval, sound for few cases and near 0 or 1."""
    if not number:
        return Estimate(math.nan, 0.0, 1.0, 0)
    rate = hits / number
    spread = _Z * _Z / number
    middle = (rate + spread / 2) / (1 + spread)
    half = _Z * math.sqrt(rate * (1 - rate) / number + spread / (4 * number)) / (1 + spread)
    return Estimate(rate, max(0.0, middle - half), min(1.0, middle + half), number)


def mean(values: Sequence[float]) -> Estimate:
    """A mean by the normal approximation; one value alone has no interval."""
    if not values:
        return Estimate(math.nan, math.nan, math.nan, 0)
    middle = statistics.fmean(values)
    if len(values) == 1:
        return Estimate(middle, -math.inf, math.inf, 1)
    half = _Z * statistics.stdev(values) / math.sqrt(len(values))
    return Estimate(middle, middle - half, middle + half, len(values))
