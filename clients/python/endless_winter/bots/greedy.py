"""`greedy`: takes what is best at once, and of a figure what is best by the end of its turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.bots import chance
from endless_winter.bots.evaluation import evaluate
from endless_winter.rules import agenda
from endless_winter.sdk import Bot
from endless_winter.views.sampling import sample

if TYPE_CHECKING:
    from endless_winter.rules import Game
    from endless_winter.sdk import Decision, Option, View

_STEPS = 40  # a turn that is longer is judged where it stands
_HALF_LABOR = 0.4  # what Labor in hand seems to be good for


class Greedy(Bot):
    """Takes each option in a world that agrees with its view and keeps the best position.

    It sees what an option brings at once, and not what the turn could still make of it. Where to
    place a figure is the exception, since by itself that brings nothing: there it plays the turn
    to its end in this manner.
    """

    def __init__(self, seed: int | None = None) -> None:
        self.seed = chance.own_seed() if seed is None else seed
        self._said = ""

    def choose(self, decision: Decision, view: View) -> Option:
        options = decision.options
        if len(options) == 1:
            self._said = "the only option"
            return options[0]
        rng = chance.rng(self.seed, decision.game_id, decision.id)
        game = sample(view, rng)
        worths = one_step(game)
        best = _best(worths)
        self._said = f"leads to {worths[best]:.1f} points"
        return options[best]

    def explain(self) -> str:
        return self._said


def one_step(game: Game) -> list[float]:
    """The worth of the position right after each option; after a figure, at the end of the turn."""
    kind, seat = game.position.agenda[-1][:2]
    found = []
    for code in game.options():
        after = game.copy()
        after.apply(code)
        if kind == agenda.TURN:  # by itself a figure brings nothing
            _finish(after, seat)
        position = after.position
        worth = evaluate(position, seat)
        if not position.over and position.agenda[-1][:2] == (agenda.ACT, seat):
            worth += _HALF_LABOR * position.labor
        found.append(worth)
    return found


def _finish(game: Game, seat: int) -> None:
    """Play the turn on, one step at a time."""
    for _ in range(_STEPS):
        if game.position.over:
            return
        kind, chooser = game.position.agenda[-1][:2]
        if chooser != seat or kind == agenda.TURN:
            return
        game.apply(game.options()[_best(one_step(game))])


def _best(worths: list[float]) -> int:
    """The place of the best; of equals the first."""
    return worths.index(max(worths))
