"""For bots that look ahead: worlds that agree with a view, their points, a judge and a player.

    known = read(view)                            # once for a decision
    game = known.draw(rng)                        # a world: everything hidden dealt anew
    game.apply(game.options()[0])                 # in the order of decision.options
    choose = rollout_policy(game.position, seat)  # plays on quickly: game.apply(choose(game))
    evaluate(game.position, seat)                 # the final score that the seat may expect
    final_scores(game.position)[seat].total       # the points if it were scored now

The judge and the quick player are those of the package's own bots, loaded when they are first
called: a bot that does not search does not load them. They only look at what a seat may know.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from endless_winter.rules.scoring import final_scores
from endless_winter.views.sampling import read, sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.rules import Game
    from endless_winter.rules.state import Position

__all__ = ["evaluate", "final_scores", "read", "rollout_policy", "sample"]


@cache
def _of_the_bots(module: str, name: str) -> Any:
    """Part of endless_winter.bots, which is built on this package and so is not imported by it."""
    return getattr(import_module(f"endless_winter.bots.{module}"), name)


def evaluate(position: Position, seat: int) -> float:
    """The final score that a seat may expect from a position: `evaluate(game.position, 0)`."""
    expected: float = _of_the_bots("evaluation", "evaluate")(position, seat)
    return expected


def rollout_policy(position: Position, seat: int) -> Callable[[Game], int]:
    """A quick player for a seat: called with a game in which it decides, it gives an option.

    It plans only the Labor of the turn under way. What it needs to know of the round it works out
    from `position` once, so make one for each world and use it until the round ends.
    """
    choose: Callable[[Game], int] = _of_the_bots("policy", "Policy")(position, seat).choose
    return choose
