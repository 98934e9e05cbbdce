"""The agenda, built again from what everybody sees of it.

A view shows the records that open components put there (turn.py); the lowest ones, which it
does not list, follow from phase, step, whose turn it is and who has yet to choose a Chief.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import agenda
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.views.errors import BadView
from endless_winter.views.plugin import shown
from endless_winter.views.pools import number_of
from endless_winter.views.sampling.nomad import check_turn
from endless_winter.views.turn import DECISIONS, ECLIPSE_STEPS, TURN_STEPS

if TYPE_CHECKING:
    from endless_winter.rules.state import Frame, Position
    from endless_winter.v1 import view_public_pb2 as v
    from endless_winter.views.sampling.lexicon import Lexicon

_TURN_RECORDS: Final = {step: operation for operation, step in TURN_STEPS.items()}
_ECLIPSE_NUMBERS: Final = {step: number for number, step in ECLIPSE_STEPS.items()}


def agenda_of(lexicon: Lexicon, view: v.PublicView, position: Position) -> list[Frame]:
    """The records from the lowest to the topmost; players and turn order are read already."""
    check_turn(view, position)
    turn = view.turn
    phase = turn.phase
    if phase == enums.PHASE_ENDED:
        return []
    found: list[Frame] = [(agenda.ROUND, 0, 0, b"")]
    if phase == enums.PHASE_SETUP:
        return found + _set_up(view, position)
    seat = turn.active_seat
    if phase == enums.PHASE_ECLIPSE:
        number = position.order.index(seat) << 3 | _ECLIPSE_NUMBERS[turn.step]
        found.append((agenda.ECLIPSE, seat, number, b""))
    elif phase == enums.PHASE_ACTION:
        found.append((_TURN_RECORDS[turn.step], seat, 0, b""))
    else:
        raise BadView(f"the view has no phase that is known here: {phase}")
    if turn.agenda:
        found += [_record(lexicon, view, position, item) for item in reversed(turn.agenda)]
    return found


def _set_up(view: v.PublicView, position: Position) -> list[Frame]:
    """Who has yet to choose; the order of the choices is that of rules/setup.py."""
    last: list[Frame] = []
    for index, module in enumerate(position.modules):
        last += shown(module.name).last_choices(view, position, index)
    if last:
        return last
    found: list[Frame] = [(agenda.DEAL, 0, 0, b"")]
    players = view.players
    draft = int(position.config.chief_draft)
    found += [
        (agenda.CHOOSE_SETUP, seat, 0, b"")
        for seat in position.order
        if not players[seat].setup_card_id and position.kinds[seat].owns_cards
    ]
    found += [
        (agenda.CHOOSE_CHIEF, seat, draft, b"")
        for seat in reversed(position.order)
        if players[seat].chief_side == enums.SIDE_UNSPECIFIED and position.kinds[seat].owns_cards
    ]
    for index, module in enumerate(position.modules):
        found += shown(module.name).first_choices(view, position, index)
    return found


def _record(lexicon: Lexicon, view: v.PublicView, position: Position, item: v.AgendaItem) -> Frame:
    seat = item.seat
    if item.benefits:
        number = agenda.MUST_TAKE if item.must_take else agenda.MAY_LEAVE
        number |= number_of(lexicon, position, seat, item.source) << 8
        return (agenda.GAIN, seat, number, _pool(lexicon, position, item))
    if item.discards_left:
        return (agenda.PAY_DISCARD, seat, item.discards_left, b"")
    if item.HasField("source"):
        if item.source.rule_id:
            return _of_module(position, item)
        return (agenda.ABILITIES, seat, lexicon.cards[item.source.card_id], bytes(item.abilities))
    if item.step == enums.STEP_ECLIPSE_ABILITIES:
        return (agenda.ECLIPSE_CARDS, seat, 0, lexicon.zone(item.cards))
    return (agenda.ECLIPSE_TERRAIN, seat, 0, bytes(view.turn.resolved_hexes))


def _of_module(position: Position, item: v.AgendaItem) -> Frame:
    for (name, first), asked in DECISIONS.items():
        if asked.rule_id == item.source.rule_id and name in position.config.modules:
            pieces = shown(name).pieces_of(item, first)
            return (agenda.MODULE, item.seat, position.config.modules.index(name), pieces)
    raise BadView(f"a question by a rule that is not known here: {item.source.rule_id}")


def _pool(lexicon: Lexicon, position: Position, item: v.AgendaItem) -> bytes:
    """The pool of benefits; the Sacred Stones that have yet to score are one entry of it."""
    pool: list[int] = []
    slots = 0
    for benefit in item.benefits:
        named = benefit.module_icon
        icon = lexicon.module_icons[named] if named else lexicon.icons[benefit.icon]
        for module in position.modules:
            icon = shown(module.name).icon_of(lexicon, position, benefit) or icon
        if icon == agenda.SCORE_STONES:
            stones = position.players[item.seat].stones
            bit = 1 << stones.index(lexicon.stones[benefit.source.stone_id])
            if slots:
                pool[-1] |= bit
            else:
                pool += (icon, bit)
            slots |= bit
        elif icon == agenda.ADDITIONAL:
            at = benefit.source.megalith
            pool += (icon, position.sites.index[(at.x, at.y, at.level)])
        else:
            pool += (icon, benefit.amount)
    return bytes(pool)
