"""Where a game stands: the stage, as coarse as everybody may know it, and the TurnView.

Only the lowest record of the agenda that belongs to a turn counts for the stage: what a turn is
about is public, what is asked within it is for the one who is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.rules import agenda, eclipse, icons
from endless_winter.rules.modules.rest_tokens import HELD
from endless_winter.rules.nomad import seat as nomad_seat
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import ids_pb2 as ids
from endless_winter.v1 import view_public_pb2 as v
from endless_winter.views import wire
from endless_winter.views.plugin import NO_PIECES, Asked
from endless_winter.views.pools import SECTIONS, entries_of, pending_benefit, source_of
from endless_winter.views.words import PLACES

if TYPE_CHECKING:
    from endless_winter.rules.state import Frame, Position
    from endless_winter.views.words import Words

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


def module_state(position: Position, name: str) -> bytes:
    """The state of a module; empty if it is not played with."""
    for index, module in enumerate(position.modules):
        if module.name == name:
            return position.module_state[index]
    return b""


def unused_effects(position: Position) -> tuple[int, int]:
    """A held Rest token and its unused effects, a bit each; (0, 0) when nobody holds one."""
    state = module_state(position, "rest_tokens")
    if not state or state[0] < HELD:
        return (0, 0)
    return (state[2], state[1])


# --- the view of the turn ---

_V: Final = v.TurnView
_AGENDA: Final = _V.AGENDA_FIELD_NUMBER
# Records that open components and public choices put there. The others are steps of a turn,
# which the stage says already.
_SHOWN: Final = frozenset(
    (
        agenda.GAIN,
        agenda.ABILITIES,
        agenda.PAY_DISCARD,
        agenda.ECLIPSE_CARDS,
        agenda.MODULE,
        agenda.ECLIPSE_TERRAIN,
    )
)


def turn_bytes(words: Words, position: Position, stage: Stage) -> bytes:
    """The serialized TurnView: it changes with nearly every choice."""
    in_turn = stage.phase == enums.PHASE_ACTION
    active = None if stage.active == NO_SEAT else stage.active
    choosing = None if stage.choosing == NO_SEAT else stage.choosing
    parts = [
        wire.uints(
            (_V.ROUND_FIELD_NUMBER, 0 if stage.phase == enums.PHASE_SETUP else position.round),
            (_V.PHASE_FIELD_NUMBER, stage.phase),
            (_V.STEP_FIELD_NUMBER, stage.step),
            (_V.TURN_NUMBER_FIELD_NUMBER, turn_number(position) if in_turn else 0),
            (_V.SPACE_FIELD_NUMBER, PLACES[position.place]),
            (_V.LABOR_HALVES_FIELD_NUMBER, position.labor if in_turn else 0),
            (_V.SECTION_FIELD_NUMBER, SECTIONS[position.section] if position.place else 0),
            (_V.BOTTOM_AVAILABLE_FIELD_NUMBER, position.bottom_open),
            (_V.CULTURE_CARDS_PLAYED_FIELD_NUMBER, position.cultures_played if in_turn else 0),
        ),
        wire.packed(_V.TURN_ORDER_FIELD_NUMBER, position.order),
        wire.present(_V.ACTIVE_SEAT_FIELD_NUMBER, active),
        wire.present(_V.CHOOSING_SEAT_FIELD_NUMBER, choosing),
    ]
    if in_turn and position.taken:
        parts += [
            wire.text(_V.INITIATED_CARD_IDS_FIELD_NUMBER, name)
            for name in _initiated(words, position)
        ]
    if position.ready or position.modules:
        parts += [
            wire.message(
                _V.READY_ABILITIES_FIELD_NUMBER, ready.SerializeToString(deterministic=True)
            )
            for ready in _ready(words, position)
        ]
    for frame in position.agenda:
        if frame[0] == agenda.ECLIPSE_TERRAIN or (
            frame[0] == agenda.NOMAD and frame[2] == nomad_seat.TERRAIN
        ):
            parts.append(wire.packed(_V.RESOLVED_HEXES_FIELD_NUMBER, frame[3]))
            break
    # The topmost first.
    parts += [
        _item_bytes(words, position, stage, frame)
        for frame in reversed(position.agenda)
        if frame[0] in _SHOWN
    ]
    ready = position.chief_ready
    if ready:
        numbers = bytes([number for number in range(ready.bit_length()) if ready & 1 << number])
        parts.append(wire.packed(_V.CHIEF_ABILITIES_READY_FIELD_NUMBER, numbers))
    return b"".join(parts)


def _item_bytes(words: Words, position: Position, stage: Stage, frame: Frame) -> bytes:
    """An item of the agenda as a field of the view; cached by all that it is made of."""
    at_rest = position.place == icons.REST and position.agenda[-1][0] == agenda.ACT
    key = (
        frame,
        stage.step,
        position.players[frame[1]].stones,
        at_rest,
        position.config.layout,
        # The place of a module among those of a game does not say which one it is.
        position.modules[frame[2]].name if frame[0] == agenda.MODULE else "",
    )
    known = words.cached(key)
    if known is None:
        body = _item(words, position, stage, frame).SerializeToString(deterministic=True)
        known = words.cache(key, wire.message(_AGENDA, body))
    return known


def _initiated(words: Words, position: Position) -> list[str]:
    return sorted(
        words.cards[card]
        for deck, card in enumerate(position.tribe_cards)
        if position.taken & 1 << deck
    )


def _ready(words: Words, position: Position) -> list[v.ReadyAbility]:
    """Unused abilities of cards above the board, then those of a held Rest token."""
    pairs = position.ready
    counts: dict[tuple[int, int], int] = {}
    for at in range(0, len(pairs), 2):
        pair = (pairs[at], pairs[at + 1])
        counts[pair] = counts.get(pair, 0) + 1
    found = [
        v.ReadyAbility(source=ids.Source(card_id=words.cards[card]), ability=ability, count=count)
        for (card, ability), count in counts.items()
    ]
    found.sort(key=lambda ready: (ready.source.card_id, ready.ability))
    token, unused = unused_effects(position)
    for number in range(unused.bit_length()):
        if unused & 1 << number:
            source = ids.Source(token_id=words.rest_tokens[token])
            found.append(v.ReadyAbility(source=source, ability=number, count=1))
    return found


def _item(words: Words, position: Position, stage: Stage, frame: Frame) -> v.AgendaItem:
    operation, seat, number, pieces = frame
    item = v.AgendaItem(seat=seat, step=stage.step)
    if operation == agenda.GAIN:
        entries = entries_of(pieces, position.players[seat])
        item.benefits.extend(
            pending_benefit(words, position, index, entry) for index, entry in enumerate(entries)
        )
        item.must_take = number & 255 == agenda.MUST_TAKE
        if number >> 8:
            item.source.CopyFrom(source_of(words, position.sites, number >> 8))
    elif operation == agenda.ABILITIES:
        item.source.card_id = words.cards[number]
        item.abilities.extend(pieces)
    elif operation == agenda.PAY_DISCARD:
        item.discards_left = number
    elif operation == agenda.ECLIPSE_CARDS:
        item.cards.extend(words.card_counts(pieces))
    elif operation == agenda.MODULE:
        item.source.rule_id = module_decision(position, frame).rule_id
    return item
