"""`nomad`: plays the Nomad's seat of a solo game, by its cards: there is nothing to choose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.sdk import Bot, NotThisGame

if TYPE_CHECKING:
    from endless_winter.sdk import Decision, Option, View

NOMAD_DECISION: Final = "nomad"


class Nomad(Bot):
    """Takes the one option of each step; the reason comes with it."""

    def __init__(self) -> None:
        self._said = ""

    def choose(self, decision: Decision, view: View) -> Option:
        del view  # all that its seat may see, and more than it needs
        if decision.kind_name != NOMAD_DECISION:
            raise NotThisGame(
                f"the Nomad follows its cards and cannot answer a {decision.kind_name} question: "
                "give it the Nomad's seat of a solo game"
            )
        (option,) = decision.options
        self._said = option.reason
        return option

    def explain(self) -> str:
        return self._said
