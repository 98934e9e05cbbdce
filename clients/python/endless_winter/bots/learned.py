"""An evaluation fitted on self-play: how much each part of the evaluation is really worth.

`python -m bench fit` plays games, takes the parts of `evaluation.parts` at the beginning of every
turn, and fits the final score to them, for each number of own turns still to come. What it finds
is in learned.json.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from endless_winter.bots.ahead import turns_to_come
from endless_winter.bots.evaluation import PARTS, evaluate, parts

if TYPE_CHECKING:
    from endless_winter.rules.state import Position


class Judge:
    """What a position is worth to a seat, by the prices of the game as people see them."""

    def worth(self, position: Position, seat: int) -> float:
        return evaluate(position, seat)


class Fitted(Judge):
    """The same parts, each with the weight that it had for final scores."""

    def __init__(self, stages: list[list[float]]) -> None:
        """By own turns to come: a weight for each part, and what is added."""
        self._stages: list[list[float]] = stages

    def worth(self, position: Position, seat: int) -> float:
        if position.over:
            return evaluate(position, seat)
        turns = turns_to_come(position, position.players[seat])
        weights = self._stages[min(turns, len(self._stages) - 1)]
        total = weights[len(PARTS)]
        for number, part in enumerate(parts(position, seat)):
            total += weights[number] * part
        return total


PLAIN: Final = Judge()
_FOUND: Final[dict[str, Fitted]] = {}


def fitted() -> Fitted:
    """The evaluation that was fitted; read once."""
    found = _FOUND.get("")
    if found is None:
        text = files("endless_winter.bots").joinpath("learned.json").read_text(encoding="utf-8")
        found = _FOUND[""] = Fitted(json.loads(text)["stages"])
    return found
