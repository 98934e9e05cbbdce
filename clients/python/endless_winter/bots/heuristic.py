"""`heuristic`: a real player.

It looks at each promising option in a world that agrees with its view, plays its turn to the end
and asks what the position is worth then: what Labor buys now and what cards are better kept for,
cards to bury, sets of Animals, Sacred Stones, the Honor track, hexes, the Eclipse to come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.bots import chance, search
from endless_winter.sdk import Bot
from endless_winter.views.sampling import sample

if TYPE_CHECKING:
    from endless_winter.bots.search import Choice
    from endless_winter.sdk import Decision, Option, View


class Heuristic(Bot):
    """Plans its turn, judges what it leads to, takes the best."""

    def __init__(self, seed: int | None = None) -> None:
        self.seed = chance.own_seed() if seed is None else seed
        self._options: tuple[Option, ...] = ()
        self._found: list[tuple[int, Choice]] = []

    def choose(self, decision: Decision, view: View) -> Option:
        self._options = options = decision.options
        self._found = []
        if len(options) == 1:
            return options[0]
        rng = chance.rng(self.seed, decision.game_id, decision.id)
        game = sample(view, rng)
        codes = game.options()
        self._found = [(codes.index(choice.option), choice) for choice in search.choose(game)]
        return options[self._found[0][0]]

    def explain(self) -> str:
        """The best options it looked at, each with the final score that it expects."""
        if not self._found:
            return "the only option" if self._options else ""
        if len(self._found) == 1:
            return "plainly the thing to do"
        expected = self._found[0][1].worth
        others = ", ".join(
            f"{self._options[number].text} {choice.worth:.1f}"
            for number, choice in self._found[1:4]
        )
        return f"I expect {expected:.1f} points; else {others}"
