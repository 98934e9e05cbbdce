"""The bots that come along, from `random` to `search`.

They are ordinary bots of the SDK and know of a game what its view says. docs/bots.md says how
each of them chooses. `Nomad` is none of them: it plays the Nomad's seat of solo games.
"""

from collections.abc import Callable
from typing import Final, cast

from endless_winter.bots.players import (
    Greedy,
    Heuristic,
    Learned,
    Nomad,
    Plain,
    Quick,
    Search,
    Thinker,
)
from endless_winter.sdk.loading import load

BOTS: Final[dict[str, type[Thinker]]] = {
    "random": Plain,
    "greedy": Greedy,
    "quick": Quick,
    "heuristic": Heuristic,
    "learned": Learned,
    "search": Search,
}

# Opponents for people, from the weakest to the strongest, in about even steps (docs/bots.md).
LEVELS: Final = (
    "quick:slip=25",
    "quick:slip=15",
    "quick:slip=7",
    "quick",
    "heuristic",
    "search:ms=10",
    "search:ms=50",
    "search:ms=1000",
)

__all__ = [
    "BOTS",
    "LEVELS",
    "Greedy",
    "Heuristic",
    "Learned",
    "Nomad",
    "Plain",
    "Quick",
    "Search",
    "named",
]


def named(spec: str) -> Callable[[], Thinker]:
    """What makes the bot of a name: `quick`, `search:ms=30`, `search:worlds=16`."""
    return cast("Callable[[], Thinker]", load(spec, BOTS))
