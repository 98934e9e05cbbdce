"""The bot `quick`: it looks ahead where that pays most, and goes by the policy elsewhere.

A look to the end of the turn where a figure is placed or a benefit is taken makes most of the
points that a look at every decision makes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.bots import search
from endless_winter.bots.policy import Policy
from endless_winter.bots.search import Choice
from endless_winter.rules import agenda

if TYPE_CHECKING:
    from endless_winter.rules.game import Game

LOOKS: Final = (agenda.TURN, agenda.GAIN)


def choose(game: Game) -> list[Choice]:
    """The options that were looked at, the best first."""
    kind, seat = game.position.agenda[-1][:2]
    if kind in LOOKS:
        return search.choose(game)
    return [Choice(Policy(game.position, seat).choose(game), 0.0)]
