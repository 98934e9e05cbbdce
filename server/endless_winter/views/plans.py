"""What ends a plan: something hidden comes to light, or a turn begins. The same ends undo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import events
from endless_winter.v1 import decision_pb2
from endless_winter.views.plugin import SHOWN

if TYPE_CHECKING:
    from endless_winter.rules.state import Event, Position

_REVEALING: Final = frozenset(
    (
        events.CARDS_DRAWN,
        events.DECK_SHUFFLED,
        events.ANIMAL_REVEALED,
        events.CULTURE_DEALT,
        events.PILE_REVEALED,
        events.GLACIER_TOKEN_FLIPPED,
        events.REST_TOKEN_TAKEN,
        events.REST_TOKEN_SHOWN,
        events.NOMAD_REVEALED,
        events.NOMAD_BURIED,
        events.NOMAD_PILED,
        events.NOMAD_PILE_REVEALED,
        events.NOMAD_SHUFFLED,
        events.MAP_REVEALED,
        *(kind for module in SHOWN.values() for kind in module.revealing()),
    )
)
_TURNS: Final = frozenset((events.TURN_BEGAN, events.ECLIPSE_TURN_BEGAN))


def is_revealing(event: Event) -> bool:
    """Whether something hidden came to light."""
    kind = event[0]
    return kind in _REVEALING or (kind == events.ANIMAL_TAKEN and event[3] == 1)


def end_of_plan(
    happened: list[Event], position: Position, seat: int
) -> decision_pb2.PlanEnd.ValueType:
    """What ends the plan of a seat, of what happened up to a position; unspecified: nothing."""
    for event in happened:
        if is_revealing(event):
            return decision_pb2.PLAN_END_REVEALED
    if position.over or position.agenda[-1][1] != seat:
        return decision_pb2.PLAN_END_NOT_YOUR_DECISION
    for event in happened:
        if event[0] in _TURNS:
            return decision_pb2.PLAN_END_NEW_TURN
    return decision_pb2.PLAN_END_UNSPECIFIED
