"""The views of one seat.

The public one has its board, its open cards, and how many hidden ones it has. The private one has
what this seat alone knows beyond that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.rules import board, icons
from endless_winter.rules.eclipse import LABOR_AT_REST
from endless_winter.rules.idols import honor_ranking
from endless_winter.rules.points import by_category
from endless_winter.rules.zones import EMPTY
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import result_pb2 as r
from endless_winter.v1 import view_private_pb2 as private
from endless_winter.v1 import view_public_pb2 as v
from endless_winter.views import nomad_view, wire
from endless_winter.views.plugin import shown
from endless_winter.views.turn import side_is_open, stage_of
from endless_winter.views.words import owned

if TYPE_CHECKING:
    from collections.abc import Hashable

    from endless_winter.rules.state import Player, Position
    from endless_winter.views.turn import Stage
    from endless_winter.views.words import Words

_V: Final = v.PlayerView
_H: Final = v.AnimalHolding
_C: Final = r.CategoryScore
_CATEGORY: Final = r.ScoreCategory.ValueType
_POINTS: Final = _V.POINTS_FIELD_NUMBER
_STONES: Final = _V.STONE_IDS_FIELD_NUMBER
_ANIMALS: Final = _V.ANIMALS_FIELD_NUMBER
# Fields of PlayerView that are lists of cards.
_DISCARD_PILE: Final = v.PlayerView.DISCARD_PILE_FIELD_NUMBER
_PLAYED: Final = v.PlayerView.PLAYED_FIELD_NUMBER
_ECLIPSE_PILE: Final = v.PlayerView.ECLIPSE_PILE_FIELD_NUMBER
_OWNED: Final = v.PlayerView.OWNED_FIELD_NUMBER


class Seen(NamedTuple):
    """All that the view of a seat is made of, besides its lists of cards: the allow-list."""

    seat: int
    score: int
    points: bytes  # the same by category
    food: int
    tools: int
    camps: int
    villages: int
    megaliths: int
    figures: bytes
    chief: int
    side_open: bool
    setup: int
    offering: int
    honor: int
    honor_place: int
    stones: bytes
    animals: bytes
    tipped: bytes
    hand_count: int
    deck_count: int
    buried_count: int
    pile_count: int
    labor: int
    forfeited: bool


class Faces(NamedTuple):
    """The lists of cards that everybody may read, each sorted."""

    discard: bytes
    played: bytes
    pile: bytes
    owned: bytes


NO_FACES: Final = Faces(b"", b"", b"", b"")


def seen_of(position: Position, player: Player, stage: Stage, *, forfeited: bool) -> Seen:
    return Seen(
        player.seat,
        player.score,
        player.points,
        player.food,
        player.tools,
        len(player.camps),
        len(player.villages),
        player.megaliths,
        player.figures,
        player.chief,
        stage.phase == enums.PHASE_SETUP and side_is_open(position.agenda, player.seat),
        player.setup,
        player.offering,
        player.honor,
        honor_place(position, player),
        player.stones,
        player.animals,
        player.tipped,
        len(player.hand),
        len(player.deck),
        len(player.buried),
        len(player.pile)
        + (nomad_view.pile_count(position, player.seat) if position.modules else 0),
        _labor(position, player) if piles_are_open(stage) else 0,
        forfeited,
    )


def faces_of(position: Position, player: Player, stage: Stage) -> Faces:
    if not position.kinds[player.seat].owns_cards:
        return NO_FACES  # what it buries, nobody has seen (NMD-04)
    return Faces(
        player.discard,
        player.above,
        player.pile if piles_are_open(stage) else b"",
        owned(player.hand, player.deck, player.discard, player.above, player.pile, player.buried),
    )


def inputs_of(position: Position, player: Player, stage: Stage) -> Hashable:
    """Everything that the view of a seat is worked out from, hidden zones included.

    Only compared with that of the position before, to see whether anything has to be worked out.
    """
    return (
        player.food,
        player.tools,
        player.camps,
        player.villages,
        player.megaliths,
        player.stones,
        player.offering,
        player.chief,
        player.setup,
        player.figures,
        player.hand,
        player.deck,
        player.discard,
        player.above,
        player.pile,
        player.buried,
        player.animals,
        player.tipped,
        player.points,
        position.honor_queue,
        tuple([other.honor for other in position.players]),
        stage.phase,
        tuple(position.agenda) if stage.phase == enums.PHASE_SETUP else (),
        nomad_view.pile_of(position, player.seat) if position.modules else b"",
    )


def piles_are_open(stage: Stage) -> bool:
    """ECL-01: from the start of the Eclipse phase until the piles are discarded at its end."""
    return stage.phase == enums.PHASE_ECLIPSE


def _labor(position: Position, player: Player) -> int:
    """What counted for the turn order, in halves: no Culture card is left in an open pile."""
    cards = position.tables.cards
    return (
        LABOR_AT_REST * player.figures.count(icons.REST)
        + sum(cards[card].labor for card in player.pile)
        + nomad_view.labor(position, player.seat)
    )


def honor_place(position: Position, player: Player) -> int:
    """From the left among those on the same level, 1 = leftmost; 0 below the track (IDL-03)."""
    if not player.honor:
        return 0
    level = [
        seat for seat in honor_ranking(position) if position.players[seat].honor == player.honor
    ]
    return level.index(player.seat) + 1


_COLOURED: Final = board.MEGALITHS - board.NEUTRAL_MEGALITHS


def plain_bytes(words: Words, seen: Seen) -> bytes:
    """The serialized PlayerView without its lists of cards."""
    figures = seen.figures
    chief = setup = ""
    side = 0
    if seen.chief != EMPTY:
        chief = words.chiefs[seen.chief]
        side = 0 if seen.side_open else words.chief_sides[seen.chief]
    if seen.setup != EMPTY:
        setup = words.setups[seen.setup]
    return b"%b%b%b%b%b%b%b%b" % (
        wire.present(_V.SEAT_FIELD_NUMBER, seen.seat),
        wire.signed(_V.SCORE_FIELD_NUMBER, seen.score),
        wire.text(_V.CHIEF_ID_FIELD_NUMBER, chief),
        wire.text(_V.SETUP_CARD_ID_FIELD_NUMBER, setup),
        wire.uints(
            (_V.FOOD_FIELD_NUMBER, seen.food),
            (_V.FOOD_LIMIT_FIELD_NUMBER, board.BASE_FOOD_LIMIT + seen.camps),
            (_V.TOOLS_FIELD_NUMBER, seen.tools),
            (_V.CAMPS_ON_BOARD_FIELD_NUMBER, board.CAMPS - seen.camps),
            (_V.VILLAGES_ON_BOARD_FIELD_NUMBER, board.VILLAGES - seen.villages),
            (_V.NEUTRAL_MEGALITHS_FIELD_NUMBER, max(0, seen.megaliths - _COLOURED)),
            (_V.COLOURED_MEGALITHS_FIELD_NUMBER, min(seen.megaliths, _COLOURED)),
            (_V.CHIEF_AVAILABLE_FIELD_NUMBER, not figures[0]),
            (_V.TRIBE_FIGURES_AVAILABLE_FIELD_NUMBER, figures[1:].count(0)),
            (_V.FIGURES_AT_REST_FIELD_NUMBER, figures.count(icons.REST)),
            (_V.CHIEF_SIDE_FIELD_NUMBER, side),
            (_V.OFFERING_LEVEL_FIELD_NUMBER, seen.offering),
            (_V.HONOR_LEVEL_FIELD_NUMBER, seen.honor),
            (_V.HONOR_PLACE_FIELD_NUMBER, seen.honor_place),
            (_V.HAND_COUNT_FIELD_NUMBER, seen.hand_count),
            (_V.DECK_COUNT_FIELD_NUMBER, seen.deck_count),
            (_V.BURIED_COUNT_FIELD_NUMBER, seen.buried_count),
            (_V.ECLIPSE_PILE_COUNT_FIELD_NUMBER, seen.pile_count),
            (_V.ECLIPSE_LABOR_HALVES_FIELD_NUMBER, seen.labor),
            (_V.TURNS_TAKEN_FIELD_NUMBER, 3 - figures.count(0)),
            (_V.FORFEITED_FIELD_NUMBER, seen.forfeited),
        ),
        b"".join([wire.text(_STONES, words.stones[stone]) for stone in seen.stones]),
        _animals_bytes(words, seen.animals, seen.tipped),
        _points_bytes(words, seen.points),
    )


def _points_bytes(words: Words, points: bytes) -> bytes:
    """By category, in the order of the categories."""
    key = (_POINTS, points)
    known = words.cached(key)
    if known is not None:
        return known
    return words.cache(
        key,
        b"".join(
            [
                wire.message(
                    _POINTS,
                    wire.uint(_C.CATEGORY_FIELD_NUMBER, category)
                    + wire.signed(_C.POINTS_FIELD_NUMBER, number),
                )
                for category, number in enumerate(by_category(points))
                if number
            ]
        ),
    )


def _animals_bytes(words: Words, animals: bytes, tipped: bytes) -> bytes:
    """Holdings, sorted by id."""
    if not animals and not tipped:
        return b""
    key = (_ANIMALS, animals, tipped)
    known = words.cached(key)
    if known is not None:
        return known
    return words.cache(
        key,
        b"".join(
            [
                wire.message(
                    _ANIMALS,
                    wire.text(_H.ANIMAL_ID_FIELD_NUMBER, words.animals[animal])
                    + wire.uint(_H.UNTIPPED_FIELD_NUMBER, animals.count(animal))
                    + wire.uint(_H.TIPPED_FIELD_NUMBER, tipped.count(animal)),
                )
                for animal in words.animal_order
                if animal in animals or animal in tipped
            ]
        ),
    )


def cards_bytes(words: Words, faces: Faces) -> bytes:
    return (
        words.card_list(_DISCARD_PILE, faces.discard)
        + words.card_list(_PLAYED, faces.played)
        + words.card_list(_ECLIPSE_PILE, faces.pile)
        + words.card_list(_OWNED, faces.owned)
    )


def player_bytes(plain: bytes, cards: bytes) -> bytes:
    return wire.message(v.PublicView.PLAYERS_FIELD_NUMBER, plain + cards)


# --- what the seat alone knows ---

_P: Final = private.PrivateView


def _zones(position: Position, seat: int) -> tuple[tuple[int, bytes], ...]:
    """The allow-list: each zone, sorted, with its field.

    The deck is what is left of the own cards when all others are taken away, so its contents
    are known; its order is nobody's to know. Fresh cards are those of the seat whose turn it is.
    """
    player = position.players[seat]
    stage = stage_of(position)
    owns = position.kinds[seat].owns_cards
    return (
        (_P.HAND_FIELD_NUMBER, player.hand if owns else b""),
        (_P.BURIED_FIELD_NUMBER, player.buried if owns else b""),
        (_P.ECLIPSE_PILE_FIELD_NUMBER, player.pile if owns and not piles_are_open(stage) else b""),
        (_P.DECK_FIELD_NUMBER, bytes(sorted(player.deck)) if owns else b""),
        (_P.FRESH_FIELD_NUMBER, position.fresh if owns and stage.active == seat else b""),
    )


def private_bytes(words: Words, position: Position, seat: int) -> bytes:
    """The serialized PrivateView of a seat."""
    parts = [wire.present(_P.SEAT_FIELD_NUMBER, seat)]
    parts += [words.card_list(field, zone) for field, zone in _zones(position, seat) if zone]
    for index, module in enumerate(position.modules):
        own = shown(module.name).private(words, position, index, seat)
        if own is not None:
            parts.append(own.SerializeToString(deterministic=True))
    return b"".join(parts)


def private_view(words: Words, position: Position, seat: int) -> private.PrivateView:
    """The same as a message."""
    return private.PrivateView.FromString(private_bytes(words, position, seat))
