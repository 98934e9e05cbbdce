"""A mandated step of the Nomad: its move, and why it is this and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.rules import agenda, icons, options
from endless_winter.rules.nomad import column as columns
from endless_winter.rules.nomad import seat as nomad
from endless_winter.rules.nomad.actions import ALWAYS, GLACIERS, PILE_CARD, SETTLE
from endless_winter.rules.nomad.area import area_of, newest_card
from endless_winter.rules.nomad.roaming import MAP_STEP
from endless_winter.rules.sources import HEX
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import move_pb2 as m
from endless_winter.views import phrases
from endless_winter.views.moves import target_of
from endless_winter.views.phrases import PLACE_NAMES
from endless_winter.views.sources import source_of
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
_WORDS: Final[dict[int, str]] = {
    SETTLE: "build a Village or relocate Camps",
    PILE_CARD: "a card for the Eclipse pile",
    GLACIERS: "points for Camps on Glaciers",
    agenda.ADDITIONAL: "an additional Megalith",
    agenda.SCORE_STONES: "2 points for a Sacred Stone",
}
_STEPS: Final[dict[int, m.NomadStep.ValueType]] = {
    options.NOMAD_REVEAL: m.NOMAD_STEP_REVEAL,
    options.NOMAD_COLUMN: m.NOMAD_STEP_COLUMN,
    options.NOMAD_PILE: m.NOMAD_STEP_ECLIPSE_CARD,
    options.NOMAD_MAP: m.NOMAD_STEP_MAP,
}
# Options whose target the arrows choose.
_POINTED: Final = (
    options.NOMAD_CULTURE,
    options.NOMAD_ANIMAL,
    options.NOMAD_BUILD,
    options.MEGALITH,
    options.STONE,
)
_COLUMN_REASONS: Final[dict[int, str]] = {
    columns.IT_IS_EMPTY: "The card names this column, and it is empty.",
    columns.ALL_ARE_OCCUPIED: "The card names this column, and all columns are occupied.",
    columns.BY_ARROW: "The card's column is taken; by its arrow this is the next empty one.",
}


class Mandate(NamedTuple):
    move: m.Move
    reason: str


def step_of(words: Words, position: Position, sites: Sites) -> Mandate:
    """The pending step; the topmost record is the Nomad's."""
    frame = position.agenda[-1]
    number = frame[2]
    if number == nomad.REVEAL:
        move = m.NomadMove(step=m.NOMAD_STEP_REVEAL)
        return Mandate(m.Move(nomad=move), "Each of its turns begins with a new card.")
    if number == nomad.COLUMN:
        card = newest_card(position, area_of(position))
        place = columns.found(position, card)
        move = m.NomadMove(step=m.NOMAD_STEP_COLUMN, column=PLACES[place])
        reason = f"{card.title}: {_COLUMN_REASONS[columns.why(position, card)]}"
        return Mandate(m.Move(nomad=move), reason)
    if number == MAP_STEP:
        move = m.NomadMove(step=m.NOMAD_STEP_MAP)
        return Mandate(m.Move(nomad=move), "It has built, so its outer Camps move on.")
    return _due(words, position, sites, frame)


def _due(words: Words, position: Position, sites: Sites, frame: Frame) -> Mandate:
    due, _ = nomad.due_of(frame)
    step = nomad.due_step(position, frame)
    verb = options.verb_of(step.code)
    move = m.NomadMove(target=target_of(words, sites, step.code))
    cause = ""
    if frame[2] == nomad.ACTIONS:
        card = frame[3][0]
        move.step = _STEPS.get(verb, m.NOMAD_STEP_ACTION)
        move.nomad_card_id = words.nomad_cards[card]
        move.action = ACTIONS[step.done]
        cause = f"{words.tables.nomad_cards[card].title} shows: {word(due)}."
    else:
        move.step = _STEPS.get(verb, m.NOMAD_STEP_GAIN)
        move.gained = ICONS.get(step.done) or ICONS[due]
        cause = f"It gains: {word(due)}."
        where = nomad.cause_of(frame)
        if where:
            move.source.CopyFrom(source_of(words, sites, where))
        if where >> 8 == HEX:
            cause = f"It leads on hex {where & 255}, which gives: {word(due)}."
    parts = [cause, substitution(due, step.done)]
    if verb in _POINTED:
        parts.append(_arrows(newest_card(position, area_of(position))))
    return Mandate(m.Move(nomad=move), " ".join(part for part in parts if part))


def word(icon: int) -> str:
    return _WORDS.get(icon) or phrases.amount(icon, 1)


def substitution(due: int, done: int) -> str:
    """NMD-13, NMD-14; empty: it is what was due."""
    if due == done:
        return ""
    if ALWAYS.get(due) == done:
        return f"For the Nomad that is: {word(done)}."
    return f"That cannot be had, so instead: {word(done)}."


def _arrows(card: NomadCard) -> str:
    large = "right" if card.right else "left"
    return f"The arrows point {large}, then {'down' if card.down else 'up'}."


def column_reason(card: NomadCard, column: int) -> str:
    """Why the column of the turn under way, as far as the figure in it still tells."""
    if column == card.column:
        return f"{card.title} names {PLACE_NAMES[column]}."
    large = "right" if card.right else "left"
    return (
        f"{card.title} names {PLACE_NAMES[card.column]}, which was taken; its arrow points {large}."
    )


def column_event_reason(why: int) -> str:
    return _COLUMN_REASONS[why]
