"""`random`: any legal option, all alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.bots import chance
from endless_winter.sdk import Bot

if TYPE_CHECKING:
    from endless_winter.sdk import Decision, Option, View


class Plain(Bot):
    """Picks any option; the seed decides which."""

    def __init__(self, seed: int | None = None) -> None:
        self.seed = chance.own_seed() if seed is None else seed
        self._said = ""

    def choose(self, decision: Decision, view: View) -> Option:
        del view
        options = decision.options
        option = chance.rng(self.seed, decision.game_id, decision.id).choice(options)
        self._said = f"drawn from {len(options)} options"
        return option

    def explain(self) -> str:
        return self._said
