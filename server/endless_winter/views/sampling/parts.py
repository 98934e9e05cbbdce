"""The parts of a public view, each read into the core's numbers on its own.

A part's result depends on that part alone and is never changed, so that a reader can keep it for
as long as the part stays as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from endless_winter.rules.board import DISPLAY_PLACES, GROUNDS_PLACES
from endless_winter.rules.building import NEUTRAL, OWN
from endless_winter.rules.modules.glacier_tokens import FACE_UP
from endless_winter.rules.points import with_points
from endless_winter.rules.state import Player, new_player
from endless_winter.rules.zones import EMPTY, ONE
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.views.errors import BadView
from endless_winter.views.sampling.lexicon import PLACE_NUMBERS

if TYPE_CHECKING:
    from endless_winter.rules.megaliths import Sites
    from endless_winter.v1 import view_public_pb2 as v
    from endless_winter.views.plugin import ViewModule
    from endless_winter.views.sampling.lexicon import Lexicon

FACE_DOWN = 1  # a Glacier token, in place of its number


class Supply(NamedTuple):
    tribes: bytes
    display: bytes
    grounds: bytes
    stones: tuple[bytes, bytes]
    removed: bytes  # Culture cards that left the game face up
    culture_decks: tuple[int, int]
    animal_deck: int


class Board(NamedTuple):
    """The Terrain board; Camps and Villages by seat."""

    terrain: bytes
    camps: list[bytes]
    villages: list[bytes]
    faces: bytes  # of Glacier tokens, by hex: 0 none, FACE_DOWN, or the open face
    token: int  # the juncture of the Nomad token, or EMPTY


class Stones(NamedTuple):
    """The Megalith board."""

    tiles: bytes
    built: bytes


class Columns(NamedTuple):
    """The Action Columns; figures by seat."""

    first: bytes
    chiefs: list[int]
    tribes: list[tuple[int, ...]]


class Seat(NamedTuple):
    """A player as everybody sees it; pieces on the boards are not in it, they are shown there."""

    player: Player
    owned: bytes
    unseen: bytes  # cards that lie somewhere out of sight
    hand: int  # how many of them
    buried: int
    pile: int  # 0 once it is open


def supply_of(lexicon: Lexicon, tribe_cards: bytes, view: v.SupplyView) -> Supply:
    cards, animals, stones = lexicon.cards, lexicon.animals, lexicon.stones
    tribes = bytearray(len(view.tribe_decks))
    for deck in view.tribe_decks:
        tribes[tribe_cards.index(cards[deck.card_id])] = deck.count
    display = bytearray((EMPTY,)) * DISPLAY_PLACES
    for card in view.culture_display:
        display[card.space] = cards[card.card_id]
    grounds = bytearray((EMPTY,)) * GROUNDS_PLACES
    for animal in view.hunting_grounds:
        grounds[animal.space] = animals[animal.animal_id]
    return Supply(
        bytes(tribes),
        bytes(display),
        bytes(grounds),
        (
            bytes([stones[name] for name in view.stones_era_one]),
            bytes([stones[name] for name in view.stones_era_two]),
        ),
        lexicon.zone(view.removed_culture),
        (view.culture_deck_era_one, view.culture_deck_era_two),
        view.animal_deck,
    )


def board_of(
    lexicon: Lexicon, players: int, modules: list[ViewModule], view: v.TerrainView
) -> Board:
    terrain: list[int] = []
    camps = [b""] * players
    villages = [b""] * players
    faces = bytearray(len(view.hexes))
    for number, hex_ in enumerate(view.hexes):  # in order, so that Camps come sorted
        terrain.append(_terrain_of(lexicon, modules, hex_))
        for there in hex_.camps:
            camps[there.seat] += ONE[number] * there.count
        if hex_.HasField("glacier_token"):
            token = hex_.glacier_token
            faces[number] = (
                1 + lexicon.glacier_tokens[token.token_id] | FACE_UP
                if token.revealed
                else FACE_DOWN
            )
    nomad = EMPTY
    for village in view.villages:
        if village.nomad_token:
            nomad = village.juncture
        else:
            villages[village.seat] += ONE[village.juncture]
    return Board(bytes(terrain), camps, villages, bytes(faces), nomad)


def _terrain_of(lexicon: Lexicon, modules: list[ViewModule], hex_: v.HexView) -> int:
    for module in modules:
        found = module.terrain_of(lexicon, hex_)
        if found >= 0:
            return found
    return lexicon.terrains[hex_.terrain_id]


def stones_of(lexicon: Lexicon, sites: Sites, view: v.MegalithView) -> Stones:
    built = bytearray(len(sites.x))
    for placed in view.placed:
        site = placed.site
        owner = NEUTRAL if placed.neutral else OWN + placed.seat
        built[sites.index[(site.x, site.y, site.level)]] = owner
    return Stones(bytes([lexicon.tiles[name] for name in view.tile_ids]), bytes(built))


def columns_of(players: int, view: v.ColumnsView) -> Columns:
    first = bytearray(5)
    chiefs = [0] * players
    tribes: list[tuple[int, ...]] = [()] * players
    for column in view.columns:
        place = PLACE_NUMBERS[column.column]
        if column.HasField("first_seat"):
            first[place] = 1 + column.first_seat
        for figure in column.figures:
            if figure.figure == enums.FIGURE_CHIEF:
                chiefs[figure.seat] = place
            else:
                tribes[figure.seat] += (place,)
    return Columns(bytes(first), chiefs, tribes)


def seat_of(lexicon: Lexicon, seen: v.PlayerView, *, owns_cards: bool) -> Seat:
    """A seat that owns no cards is the Nomad's: what it has buried is nobody's to know."""
    player = new_player(seen.seat)
    player.food = seen.food
    player.tools = seen.tools
    player.megaliths = seen.neutral_megaliths + seen.coloured_megaliths
    player.stones = bytes([lexicon.stones[name] for name in seen.stone_ids])
    player.offering = seen.offering_level
    player.honor = seen.honor_level
    if seen.chief_id:
        side = 1 if seen.chief_side == enums.SIDE_B else 0
        player.chief = 2 * lexicon.chiefs[seen.chief_id] + side
    if seen.setup_card_id:
        player.setup = lexicon.setups[seen.setup_card_id]
    player.discard = lexicon.zone(seen.discard_pile)
    player.above = lexicon.zone(seen.played)
    player.pile = lexicon.zone(seen.eclipse_pile)
    animals: list[int] = []
    tipped: list[int] = []
    for holding in seen.animals:
        animal = lexicon.animals[holding.animal_id]
        animals += [animal] * holding.untipped
        tipped += [animal] * holding.tipped
    player.animals = bytes(sorted(animals))
    player.tipped = bytes(sorted(tipped))
    player.score = seen.score
    for scored in seen.points:
        player.points = with_points(player.points, scored.category, scored.points)
    if not owns_cards:
        return Seat(player, b"", b"", 0, 0, 0)
    owned = lexicon.zone(seen.owned)
    unseen = list(owned)
    for card in player.discard + player.above + player.pile:
        unseen.remove(card)
    hand, buried = seen.hand_count, seen.buried_count
    # A pile lies open as a whole or not at all.
    pile = seen.eclipse_pile_count - len(player.pile)
    if len(unseen) != hand + buried + pile + seen.deck_count:
        raise BadView(f"the cards of seat {seen.seat} do not add up")
    return Seat(player, owned, bytes(unseen), hand, buried, pile)
