"""What one seat knows beyond the public view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.v1 import view_private_pb2 as v
from endless_winter.views import wire
from endless_winter.views.players import piles_are_open
from endless_winter.views.plugin import shown
from endless_winter.views.stage import stage_of

if TYPE_CHECKING:
    from endless_winter.rules.state import Position
    from endless_winter.views.words import Words

_SEAT: Final = v.PrivateView.SEAT_FIELD_NUMBER
_HAND: Final = v.PrivateView.HAND_FIELD_NUMBER
_BURIED: Final = v.PrivateView.BURIED_FIELD_NUMBER
_PILE: Final = v.PrivateView.ECLIPSE_PILE_FIELD_NUMBER
_DECK: Final = v.PrivateView.DECK_FIELD_NUMBER
_FRESH: Final = v.PrivateView.FRESH_FIELD_NUMBER


def _zones(position: Position, seat: int) -> tuple[tuple[int, bytes], ...]:
    """The allow-list: each zone, sorted, with its field.

    The deck is what is left of the own cards when all others are taken away, so its contents
    are known; its order is nobody's to know. Fresh cards are those of the seat whose turn it is.
    """
    player = position.players[seat]
    stage = stage_of(position)
    if not position.kinds[seat].owns_cards:
        return tuple((field, b"") for field in (_HAND, _BURIED, _PILE, _DECK, _FRESH))
    fresh = position.fresh if stage.active == seat else b""
    return (
        (_HAND, player.hand),
        (_BURIED, player.buried),
        (_PILE, b"" if piles_are_open(stage) else player.pile),
        (_DECK, bytes(sorted(player.deck))),
        (_FRESH, fresh),
    )


def private_view(words: Words, position: Position, seat: int) -> v.PrivateView:
    """The plain way, for reference."""
    zones = dict(_zones(position, seat))
    view = v.PrivateView(
        seat=seat,
        hand=words.card_counts(zones[_HAND]),
        buried=words.card_counts(zones[_BURIED]),
        eclipse_pile=words.card_counts(zones[_PILE]),
        deck=words.card_counts(zones[_DECK]),
        fresh=words.card_counts(zones[_FRESH]),
    )
    for index, module in enumerate(position.modules):
        own = shown(module.name).private(words, position, index, seat)
        if own is not None:
            view.MergeFrom(own)
    return view


def private_bytes(words: Words, position: Position, seat: int) -> bytes:
    """The serialized PrivateView of a seat."""
    parts = [wire.present(_SEAT, seat)]
    parts += [words.card_list(field, zone) for field, zone in _zones(position, seat)]
    for index, module in enumerate(position.modules):
        own = shown(module.name).private(words, position, index, seat)
        if own is not None:
            parts.append(own.SerializeToString(deterministic=True))
    return b"".join(parts)
