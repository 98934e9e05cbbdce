"""Where a game stands, in the coarse words that everybody may hear.

Only the lowest record of the agenda that belongs to a turn counts: what a turn is about is
public, what is asked within it is for the one who is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.rules import agenda, eclipse
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.views.plugin import NO_PIECES, Asked

if TYPE_CHECKING:
    from endless_winter.rules.state import Frame, Position

NO_SEAT: Final = -1
# Questions of modules, by the module's name and the first piece of the record.
DECISIONS: Final[dict[tuple[str, int], Asked]] = {}
_UNNAMED: Final = Asked("", "What next?")


class Stage(NamedTuple):
    phase: enums.Phase.ValueType
    step: enums.Step.ValueType
    active: int  # whose turn it is, or NO_SEAT
    choosing: int  # whose choice it is, or NO_SEAT


TURN_STEPS: Final = {
    agenda.TURN: enums.STEP_OPENING,
    agenda.ACT: enums.STEP_ACT,
    agenda.BUILD_PILE: enums.STEP_ECLIPSE_PILE,
}
# By the number of the step that comes next, which the record of the Eclipse keeps.
ECLIPSE_STEPS: Final = {
    eclipse.TURN_ORDER + 1: enums.STEP_ECLIPSE_ORDER_BENEFIT,
    eclipse.CARDS + 1: enums.STEP_ECLIPSE_ABILITIES,
    eclipse.TERRAIN + 1: enums.STEP_ECLIPSE_TERRAIN,
    eclipse.BOARD + 1: enums.STEP_ECLIPSE_BOARD,
}


def stage_of(position: Position) -> Stage:
    if position.over:
        return Stage(enums.PHASE_ENDED, enums.STEP_UNSPECIFIED, NO_SEAT, NO_SEAT)
    choosing = position.agenda[-1][1]
    for frame in position.agenda:
        operation = frame[0]
        # A module's question below every turn is one of set-up.
        if operation in (agenda.DEAL, agenda.MODULE):
            return Stage(enums.PHASE_SETUP, enums.STEP_SETUP, NO_SEAT, choosing)
        if operation == agenda.ECLIPSE:
            step = ECLIPSE_STEPS.get(frame[2] & 7, enums.STEP_UNSPECIFIED)
            return Stage(enums.PHASE_ECLIPSE, step, frame[1], choosing)
        if operation in TURN_STEPS:
            return Stage(enums.PHASE_ACTION, TURN_STEPS[operation], frame[1], choosing)
        if operation == agenda.NOMAD:
            return Stage(enums.PHASE_ACTION, enums.STEP_NOMAD, frame[1], choosing)
    return Stage(enums.PHASE_ACTION, enums.STEP_UNSPECIFIED, NO_SEAT, choosing)


def module_decision(position: Position, frame: Frame) -> Asked:
    """What a question of a module is about, and by which rule; its record says it first."""
    pieces = frame[3]
    key = (position.modules[frame[2]].name, pieces[0] if pieces else NO_PIECES)
    return DECISIONS.get(key, _UNNAMED)


def turn_number(position: Position) -> int:
    """The turn of the seat whose turn it is in this round, 1..3."""
    return (position.turn - 1) // len(position.players) + 1


def side_is_open(frames: list[Frame], seat: int) -> bool:
    """Whether a seat has yet to choose the side of its Chief (SET-15)."""
    return any(frame[0] == agenda.CHOOSE_CHIEF and frame[1] == seat for frame in frames)
