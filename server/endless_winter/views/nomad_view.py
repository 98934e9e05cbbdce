"""What everybody may know of the Nomad, and what is shown of it when the game is over.

Open are its stack of cards, the Map cards seen, its token, and how many cards its decks and its
Eclipse pile have. Faces of decks, pile and buried cards leave only through `uncover`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import agenda
from endless_winter.rules.nomad.area import area_of, index_of, newest_card
from endless_winter.rules.nomad.seat import ACTIONS
from endless_winter.rules.zones import EMPTY
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import view_public_pb2 as v
from endless_winter.views import nomad_steps
from endless_winter.views.words import PLACES

if TYPE_CHECKING:
    from collections.abc import Hashable

    from endless_winter.rules.state import Position
    from endless_winter.v1 import replay_pb2
    from endless_winter.views.words import Words

NO_NOMAD: Final = -1


def seat_of(position: Position) -> int:
    """The Nomad's seat; NO_NOMAD: nobody is one, or its area is not laid out yet."""
    nomad = position.config.nomad
    if nomad is None or not position.module_state[index_of(position)]:
        return NO_NOMAD
    return nomad.seat


def token_of(position: Position) -> int:
    """The juncture of the token, or EMPTY."""
    return EMPTY if seat_of(position) == NO_NOMAD else area_of(position).token


def pile_of(position: Position, seat: int) -> bytes:
    """The Nomad cards on the Eclipse pile and the newest open one: of use to this package only."""
    if position.config.nomad is None or seat_of(position) != seat:
        return b""
    area = area_of(position)
    return area.pile + area.stack[-1:]


def pile_count(position: Position, seat: int) -> int:
    if position.config.nomad is None or seat_of(position) != seat:
        return 0
    return len(area_of(position).pile)


def labor(position: Position, seat: int) -> int:
    """Of its open pile and its newest card, in halves (NMD-15)."""
    cards = position.tables.nomad_cards
    return sum(cards[card].labor for card in pile_of(position, seat))


def _turn_record(position: Position) -> tuple[int, bytes]:
    """The column of its turn and the actions still to do; 0 between its turns."""
    for frame in position.agenda:
        if frame[0] == agenda.NOMAD and frame[2] == ACTIONS:
            return (position.place, frame[3])
    return (0, b"")


def key_of(position: Position) -> Hashable:
    """Everything that `nomad_view` reads; empty without a Nomad."""
    seat = seat_of(position)
    if seat == NO_NOMAD:
        return ()
    area = area_of(position)
    return (
        seat,
        area.stack,
        len(area.deck),
        len(area.sacrifice),
        area.seen_maps,
        len(area.maps),
        _turn_record(position),
    )


def nomad_view(words: Words, position: Position) -> v.NomadView | None:
    seat = seat_of(position)
    nomad = position.config.nomad
    if seat == NO_NOMAD or nomad is None:
        return None
    area = area_of(position)
    column, actions = _turn_record(position)
    view = v.NomadView(
        seat=seat,
        revealed_card_ids=[words.nomad_cards[card] for card in area.stack],
        nomad_deck_count=len(area.deck),
        sacrifice_deck_count=len(area.sacrifice),
        revealed_map_card_ids=[words.map_cards[card] for card in area.seen_maps],
        map_deck_count=len(area.maps),
        token_is_village=nomad.token_is_village,
        column=PLACES[column] if column else enums.ACTION_SPACE_UNSPECIFIED,
    )
    if column:
        view.column_reason = nomad_steps.column_reason(newest_card(position, area), column)
    for at in range(0, len(actions), 3):
        view.pending_actions.add(
            nomad_card_id=words.nomad_cards[actions[at]],
            action=nomad_steps.ACTIONS[actions[at + 1]],
            amount=actions[at + 2],
        )
    return view


def uncover(words: Words, position: Position, view: replay_pb2.OmniscientView) -> None:
    """Its hidden cards, for the open table of a game whose seal is open."""
    seat = seat_of(position)
    if seat == NO_NOMAD:
        return
    area = area_of(position)
    view.nomad_deck.extend(words.nomad_cards[card] for card in area.deck)
    view.sacrifice_deck.extend(words.cards[card] for card in area.sacrifice)
    view.nomad_eclipse_pile.extend(words.nomad_cards[card] for card in area.pile)
    view.map_deck.extend(words.map_cards[card] for card in area.maps)
    view.nomad_buried.extend(words.card_counts(position.players[seat].buried))
