"""Which neighbours in a table are told apart, and how many games it would take for the others.

Two entrants are told apart when the interval of 95 % of their difference leaves out 0. Whether more
games would show it depends on how far they really are apart, which nobody knows: the number of
games is the one that would show the difference that was measured in four tournaments of five.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from endless_winter.tournament.statistics.ratings import Gap

_SURE: Final = 1.959964  # 97.5 % of the normal distribution: the interval leaves out 0 ...
_OFTEN: Final = 0.841621  # ... in 80 % of tournaments
MOST_TIMES: Final = 100  # so many times the games at most; beyond that a number would say nothing


class Neighbours(NamedTuple):
    """Two entrants with nobody between them."""

    ahead: str
    behind: str
    gap: Gap
    games: int
    """Games of the tournament, all of them."""
    needed: int | None
    """Games that would tell them apart, these included; None: more than `MOST_TIMES` as many."""

    @property
    def apart(self) -> bool:
        """Whether the games that were played tell them apart."""
        return self.gap.value > self.gap.margin


def neighbours(ahead: str, behind: str, gap: Gap, games: int) -> Neighbours:
    return Neighbours(ahead, behind, gap, games, needed(gap, games))


def needed(gap: Gap, games: int) -> int | None:
    """So many games in all: the error shrinks with the root of their number."""
    wanted = (_SURE + _OFTEN) * gap.error
    if wanted > abs(gap.value) * math.sqrt(MOST_TIMES) or not gap.value:
        return None
    return max(math.ceil(games * (wanted / gap.value) ** 2), games + 1)
