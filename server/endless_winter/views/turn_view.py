"""The public view of the turn under way: step, Labor, what is used, what is to be resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import agenda, icons
from endless_winter.rules.nomad import seat as nomad_seat
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import ids_pb2 as ids
from endless_winter.v1 import view_public_pb2 as v
from endless_winter.views import tokens, wire
from endless_winter.views.pools import entries_of, pending_benefit
from endless_winter.views.sources import SECTIONS, source_of
from endless_winter.views.stage import NO_SEAT, module_decision, stage_of, turn_number
from endless_winter.views.words import PLACES

if TYPE_CHECKING:
    from endless_winter.rules.state import Frame, Position
    from endless_winter.views.stage import Stage
    from endless_winter.views.words import Words

# By the core's number of what was done last.
_V: Final = v.TurnView
_AGENDA: Final = _V.AGENDA_FIELD_NUMBER
# Records that are told; the others are steps of a turn, which the stage says already.
_TOLD: Final = frozenset(
    (
        agenda.GAIN,
        agenda.ABILITIES,
        agenda.PAY_DISCARD,
        agenda.ECLIPSE_CARDS,
        agenda.MODULE,
        agenda.ECLIPSE_TERRAIN,
    )
)


def turn_view(words: Words, position: Position) -> v.TurnView:
    """The plain way, for reference."""
    stage = stage_of(position)
    in_turn = stage.phase == enums.PHASE_ACTION
    placed = position.place != 0
    return v.TurnView(
        round=0 if stage.phase == enums.PHASE_SETUP else position.round,
        phase=stage.phase,
        turn_order=position.order,
        active_seat=None if stage.active == NO_SEAT else stage.active,
        choosing_seat=None if stage.choosing == NO_SEAT else stage.choosing,
        step=stage.step,
        turn_number=turn_number(position) if in_turn else 0,
        space=PLACES[position.place],
        labor_halves=position.labor if in_turn else 0,
        section=SECTIONS[position.section] if placed else enums.SECTION_UNSPECIFIED,
        bottom_available=position.bottom_open,
        initiated_card_ids=_initiated(words, position) if in_turn else (),
        culture_cards_played=position.cultures_played if in_turn else 0,
        ready_abilities=_ready(words, position),
        resolved_hexes=_resolved(position),
        agenda=_agenda(words, position, stage),
        chief_abilities_ready=_chief_ready(position),
    )


def turn_bytes(words: Words, position: Position, stage: Stage) -> bytes:
    """The serialized TurnView: it changes with nearly every choice."""
    in_turn = stage.phase == enums.PHASE_ACTION
    parts = [
        wire.uint(_V.ROUND_FIELD_NUMBER, 0 if stage.phase == enums.PHASE_SETUP else position.round),
        wire.uint(_V.PHASE_FIELD_NUMBER, stage.phase),
        wire.packed(_V.TURN_ORDER_FIELD_NUMBER, position.order),
        wire.present(
            _V.ACTIVE_SEAT_FIELD_NUMBER, None if stage.active == NO_SEAT else stage.active
        ),
        wire.present(
            _V.CHOOSING_SEAT_FIELD_NUMBER, None if stage.choosing == NO_SEAT else stage.choosing
        ),
        wire.uint(_V.STEP_FIELD_NUMBER, stage.step),
        wire.uint(_V.TURN_NUMBER_FIELD_NUMBER, turn_number(position) if in_turn else 0),
        wire.uint(_V.SPACE_FIELD_NUMBER, PLACES[position.place]),
        wire.uint(_V.LABOR_HALVES_FIELD_NUMBER, position.labor if in_turn else 0),
        wire.uint(_V.SECTION_FIELD_NUMBER, SECTIONS[position.section] if position.place else 0),
        wire.uint(_V.BOTTOM_AVAILABLE_FIELD_NUMBER, position.bottom_open),
    ]
    if in_turn and position.taken:
        parts += [
            wire.text(_V.INITIATED_CARD_IDS_FIELD_NUMBER, name)
            for name in _initiated(words, position)
        ]
    if in_turn:
        parts.append(wire.uint(_V.CULTURE_CARDS_PLAYED_FIELD_NUMBER, position.cultures_played))
    if position.ready or position.modules:
        parts += [
            wire.message(
                _V.READY_ABILITIES_FIELD_NUMBER, ready.SerializeToString(deterministic=True)
            )
            for ready in _ready(words, position)
        ]
    parts.append(wire.packed(_V.RESOLVED_HEXES_FIELD_NUMBER, _resolved(position)))
    for frame in reversed(position.agenda):
        if frame[0] in _TOLD:
            parts.append(_item_bytes(words, position, stage, frame))
    parts.append(wire.packed(_V.CHIEF_ABILITIES_READY_FIELD_NUMBER, _chief_ready(position)))
    return b"".join(parts)


def _chief_ready(position: Position) -> bytes:
    """The Chief's abilities that are not used yet."""
    ready = position.chief_ready
    return bytes([number for number in range(ready.bit_length()) if ready & 1 << number])


def _item_bytes(words: Words, position: Position, stage: Stage, frame: Frame) -> bytes:
    """An item of the agenda as a field of the view; kept under all that it is made of."""
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
    known = words.kept(key)
    if known is None:
        item = _item(words, position, stage, frame)
        body = b"" if item is None else item.SerializeToString(deterministic=True)
        known = words.keep(key, b"" if item is None else wire.message(_AGENDA, body))
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
    token, unused = tokens.unused_effects(position)
    for number in range(unused.bit_length()):
        if unused & 1 << number:
            source = ids.Source(token_id=words.rest_tokens[token])
            found.append(v.ReadyAbility(source=source, ability=number, count=1))
    return found


def _resolved(position: Position) -> bytes:
    for frame in position.agenda:
        if frame[0] == agenda.ECLIPSE_TERRAIN:
            return frame[3]
        if frame[0] == agenda.NOMAD and frame[2] == nomad_seat.TERRAIN:
            return frame[3]
    return b""


def _agenda(words: Words, position: Position, stage: Stage) -> list[v.AgendaItem]:
    """Records that open components and public choices put there, the topmost first."""
    found: list[v.AgendaItem] = []
    for frame in reversed(position.agenda):
        item = _item(words, position, stage, frame)
        if item is not None:
            found.append(item)
    return found


def _item(words: Words, position: Position, stage: Stage, frame: Frame) -> v.AgendaItem | None:
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
    elif operation != agenda.ECLIPSE_TERRAIN:
        return None
    return item
