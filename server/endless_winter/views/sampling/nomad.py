"""The Nomad's area as a view shows it, and what may lie face down in it (SOL)."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.rules.nomad.area import Area, packed
from endless_winter.rules.nomad.module import SACRIFICES
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.views.errors import BadView

if TYPE_CHECKING:
    from random import Random

    from endless_winter.rules.state import Position
    from endless_winter.v1 import view_public_pb2 as v
    from endless_winter.views.sampling.lexicon import Lexicon

_FIRST: Final = 2 * SACRIFICES  # cards of the Sacrifice deck at the start: Era I above Era II


class Unseen(NamedTuple):
    """What a draw needs to know; all of it follows from the public view."""

    module: int  # which of the modules it is
    seat: int
    token: int
    stack: bytes
    seen_maps: bytes
    cards: bytes  # Nomad cards that lie face down
    pile: int  # how many of them on the Eclipse pile
    piles: list[tuple[int, ...]]  # the piles that the open Labor allows; empty: any
    maps: bytes
    sacrifice: int
    buried: int


def check_turn(view: v.PublicView, position: Position) -> None:
    """What the Nomad is in the middle of is shown by its prompts, not by the view as a whole."""
    nomad = position.config.nomad
    turn = view.turn
    if nomad is not None and turn.HasField("choosing_seat") and turn.choosing_seat == nomad.seat:
        raise BadView("the Nomad is acting: sample when a decision of the player is pending")


def unseen_of(
    lexicon: Lexicon, view: v.PublicView, position: Position, index: int, token: int
) -> Unseen:
    nomad = view.nomad
    seen = view.players[nomad.seat]
    stack = bytes([lexicon.nomad_cards[name] for name in nomad.revealed_card_ids])
    seen_maps = bytes([lexicon.map_cards[name] for name in nomad.revealed_map_card_ids])
    tables = position.tables
    cards = bytes([card for card in range(len(tables.nomad_cards)) if card not in stack])
    maps = bytes([card for card in range(len(tables.map_cards)) if card not in seen_maps])
    pile = seen.eclipse_pile_count
    if len(cards) != pile + nomad.nomad_deck_count or len(maps) != nomad.map_deck_count:
        raise BadView("the Nomad's cards do not add up: is it another content pack?")
    piles: list[tuple[int, ...]] = []
    if view.turn.phase == enums.PHASE_ECLIPSE and pile:
        labor = [card.labor for card in tables.nomad_cards]
        due = seen.eclipse_labor_halves - labor[stack[-1]]
        piles = [some for some in combinations(cards, pile) if sum([labor[c] for c in some]) == due]
        if not piles:
            raise BadView("the Labor of the Nomad does not add up: is it another content pack?")
    return Unseen(
        index,
        nomad.seat,
        token,
        stack,
        seen_maps,
        cards,
        pile,
        piles,
        maps,
        nomad.sacrifice_deck_count,
        seen.buried_count,
    )


def deal(
    position: Position, unseen: Unseen, first: list[int], second: list[int], rng: Random
) -> None:
    """Lay out the Nomad's area; `first` and `second` are its Culture cards by Era, shuffled."""
    random = rng.random
    area = Area()
    area.token = unseen.token
    area.stack = unseen.stack
    area.seen_maps = unseen.seen_maps
    area.maps = bytes(sorted(unseen.maps, key=lambda _: random()))
    if unseen.piles:
        area.pile = bytes(rng.choice(unseen.piles))
        cards = unseen.cards.translate(None, area.pile)
        area.deck = bytes(sorted(cards, key=lambda _: random()))
    else:
        shuffled = bytes(sorted(unseen.cards, key=lambda _: random()))
        area.pile = shuffled[: unseen.pile]
        area.deck = shuffled[unseen.pile :]
    # Each Bury takes the top card. So at least this many of the first ten still lie at the
    # bottom, Era II undermost; what is above them, and what is buried, may be anything.
    left = max(_FIRST - unseen.buried, 0)
    of_second = min(left, SACRIFICES)
    of_first = left - of_second
    bottom = first[:of_first] + second[:of_second]
    rest = sorted(first[of_first:] + second[of_second:], key=lambda _: random())
    position.players[unseen.seat].buried = bytes(sorted(rest[: unseen.buried]))
    area.sacrifice = bytes(rest[unseen.buried :] + bottom)
    position.module_state[unseen.module] = packed(area)
