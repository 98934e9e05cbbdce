"""The bots that come along: `random`, `greedy` and `heuristic`.

They are ordinary bots of the SDK and know of a game what its view says. docs/bots.md says how
each of them chooses. `Nomad` is none of them: it plays the Nomad's seat of solo games.
"""

from typing import Final

from endless_winter.bots.players import Greedy, Heuristic, Nomad, Plain
from endless_winter.sdk import Bot

BOTS: Final[dict[str, type[Bot]]] = {"random": Plain, "greedy": Greedy, "heuristic": Heuristic}

__all__ = ["BOTS", "Greedy", "Heuristic", "Nomad", "Plain"]
