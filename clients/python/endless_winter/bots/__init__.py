"""The bots that come along: `random`, `greedy` and `heuristic`.

They are ordinary bots of the SDK and know of a game what its view says. docs/bots.md tells how
each of them chooses. `Nomad` is none of them: it plays the Nomad's seat of solo games.
"""

from typing import Final

from endless_winter.bots.greedy import Greedy
from endless_winter.bots.heuristic import Heuristic
from endless_winter.bots.nomad import Nomad
from endless_winter.bots.plain import Plain
from endless_winter.sdk import Bot

BOTS: Final[dict[str, type[Bot]]] = {"random": Plain, "greedy": Greedy, "heuristic": Heuristic}

__all__ = ["BOTS", "Greedy", "Heuristic", "Nomad", "Plain"]
