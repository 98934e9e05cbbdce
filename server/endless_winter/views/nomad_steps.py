"""A mandated step of the Nomad: its move, and why it is this and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.rules import agenda, icons, options
from endless_winter.rules.nomad import column as columns
from endless_winter.rules.nomad import seat as nomad
from endless_winter.rules.nomad.actions import GLACIERS, PILE_CARD, SETTLE
from endless_winter.rules.nomad.area import area_of, newest_card
from endless_winter.rules.nomad.roaming import MAP_STEP
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import move_pb2 as m
from endless_winter.views.moves import target_of
from endless_winter.views.nomad_reasons import Reason, reason_of
from endless_winter.views.phrases import PLACE_NAMES
from endless_winter.views.pools import source_of
from endless_winter.views.words import ICONS, PLACES

if TYPE_CHECKING:
    from endless_winter.rules.megaliths import Sites
    from endless_winter.rules.state import Frame, Position
    from endless_winter.rules.tables import NomadCard
    from endless_winter.views.words import Words

ACTIONS: Final[dict[int, enums.NomadAction.ValueType]] = {
    icons.IDOL: enums.NOMAD_ACTION_IDOL,
    icons.TOOL: enums.NOMAD_ACTION_TOOL,
    icons.FOOD: enums.NOMAD_ACTION_FOOD,
    icons.CULTURE: enums.NOMAD_ACTION_CULTURE,
    icons.BURY: enums.NOMAD_ACTION_BURY,
    icons.ANIMAL: enums.NOMAD_ACTION_ANIMAL,
    icons.BEAST: enums.NOMAD_ACTION_RANDOM_ANIMAL,
    icons.REVEAL: enums.NOMAD_ACTION_REVEAL_ANIMAL,
    PILE_CARD: enums.NOMAD_ACTION_ECLIPSE_CARD,
    GLACIERS: enums.NOMAD_ACTION_SCORE_GLACIERS,
    icons.STONE: enums.NOMAD_ACTION_SACRED_STONE,
    icons.MEGALITH: enums.NOMAD_ACTION_MEGALITH,
    SETTLE: enums.NOMAD_ACTION_BUILD_OR_RELOCATE,
    icons.POINT: enums.NOMAD_ACTION_POINTS,
    # Benefits that are no actions of a card, by what they come closest to.
    icons.FEAST: enums.NOMAD_ACTION_FOOD,
    agenda.ADDITIONAL: enums.NOMAD_ACTION_MEGALITH,
    agenda.SCORE_STONES: enums.NOMAD_ACTION_POINTS,
}
_STEPS: Final[dict[int, m.NomadStep.ValueType]] = {
    options.NOMAD_REVEAL: m.NOMAD_STEP_REVEAL,
    options.NOMAD_COLUMN: m.NOMAD_STEP_COLUMN,
    options.NOMAD_PILE: m.NOMAD_STEP_ECLIPSE_CARD,
    options.NOMAD_MAP: m.NOMAD_STEP_MAP,
}


class Mandate(NamedTuple):
    move: m.Move
    reason: Reason


def step_of(words: Words, position: Position, sites: Sites) -> Mandate:
    """The pending step; the topmost record is the Nomad's."""
    frame = position.agenda[-1]
    reason = reason_of(words, position, nomad.grounds_of(position, frame))
    return Mandate(m.Move(nomad=_move(words, position, sites, frame)), reason)


def _move(words: Words, position: Position, sites: Sites, frame: Frame) -> m.NomadMove:
    number = frame[2]
    if number == nomad.REVEAL:
        return m.NomadMove(step=m.NOMAD_STEP_REVEAL)
    if number == nomad.COLUMN:
        place = columns.found(position, newest_card(position, area_of(position)))
        return m.NomadMove(step=m.NOMAD_STEP_COLUMN, column=PLACES[place])
    if number == MAP_STEP:
        return m.NomadMove(step=m.NOMAD_STEP_MAP)
    due, _ = nomad.due_of(frame)
    step = nomad.due_step(position, frame)
    verb = options.verb_of(step.code)
    move = m.NomadMove(target=target_of(words, sites, step.code))
    if number == nomad.ACTIONS:
        move.step = _STEPS.get(verb, m.NOMAD_STEP_ACTION)
        move.nomad_card_id = words.nomad_cards[frame[3][0]]
        move.action = ACTIONS[step.done]
    else:
        move.step = _STEPS.get(verb, m.NOMAD_STEP_GAIN)
        move.gained = ICONS.get(step.done) or ICONS[due]
        where = nomad.cause_of(frame)
        if where:
            move.source.CopyFrom(source_of(words, sites, where))
    return move


def column_reason(card: NomadCard, column: int) -> str:
    """Why the column of the turn under way, as far as the figure in it still shows."""
    if column == card.column:
        return f"{card.title} names {PLACE_NAMES[column]}."
    large = "right" if card.right else "left"
    return (
        f"{card.title} names {PLACE_NAMES[card.column]}, which was taken; its arrow points {large}."
    )
