"""Simulated tournaments in which seats have luck, shared by the games of a block or not.

Each seat's luck in a game is Gumbel's, so that a single game follows the model of the ratings
(Plackett-Luce) exactly, whatever is shared. In paired blocks a part of it, `SHARED` of the variance
before it is bent into Gumbel's form, comes with the seed: the decks that are bound to a seat.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

from endless_winter.tournament.statistics.ratings import Finish

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

SHARED: Final = 0.6
_NORMAL: Final = NormalDist()


def block(
    logs: Sequence[float], group: Sequence[int], draw: random.Random, *, paired: bool
) -> tuple[Finish, ...]:
    """One game for each rotation of a group of entrants with these logarithms of strengths."""
    size = len(group)
    seed = [draw.gauss(0, 1) for _ in group]
    games = []
    for turn in range(size):
        if not paired:
            seed = [draw.gauss(0, 1) for _ in group]
        seated = [group[(seat + turn) % size] for seat in range(size)]
        value = {}
        for seat, who in enumerate(seated):
            luck = math.sqrt(SHARED) * seed[seat] + math.sqrt(1 - SHARED) * draw.gauss(0, 1)
            share = min(max(_NORMAL.cdf(luck), 1e-12), 1 - 1e-12)
            value[who] = logs[who] - math.log(-math.log(share))
        order = sorted(seated, key=lambda who: -value[who])
        games.append(Finish(tuple(seated), tuple(order.index(who) + 1 for who in seated)))
    return tuple(games)


def score(games: Sequence[Finish], first: int, second: int) -> float:
    """In which part of the games of a block the first came before the second."""
    ahead = 0
    for game in games:
        place = dict(zip(game.entrants, game.places, strict=True))
        ahead += place[first] < place[second]
    return ahead / len(games)
