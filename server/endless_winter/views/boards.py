"""The public view of what all share: columns, supply, Terrain, Megaliths, tokens, the draft."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import board
from endless_winter.rules.building import NEUTRAL, OWN
from endless_winter.rules.icons import HUNT, INITIATE
from endless_winter.rules.modules.glacier_tokens import FACE_UP
from endless_winter.rules.modules.rest_tokens import GONE, HELD, ON_OFFER
from endless_winter.rules.terrain import HEXES
from endless_winter.rules.zones import EMPTY
from endless_winter.v1 import ids_pb2 as ids
from endless_winter.v1 import view_public_pb2 as v
from endless_winter.views import nomad_view
from endless_winter.views.plugin import shown
from endless_winter.views.pools import megalith_site
from endless_winter.views.turn import module_state
from endless_winter.views.words import FIGURES, PLACES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endless_winter.rules.state import Position
    from endless_winter.views.words import Words

ERA_TWO: Final = 3  # the round it begins with (PRP-04)
GLACIER_TOKENS: Final = "glacier_tokens"
REST_TOKENS: Final = "rest_tokens"

_FACE_DOWN: Final = 1
# What the public part of a hex keeps of its token: nothing, that there is one, or which.
_OPEN_FACES: Final = bytes(
    0 if value == 0 else _FACE_DOWN if value < FACE_UP else value for value in range(256)
)
NO_TOKEN: Final = 0


def columns_view(position: Position) -> v.ColumnsView:
    return v.ColumnsView(columns=[_column(position, place) for place in range(INITIATE, HUNT + 1)])


def _column(position: Position, place: int) -> v.ColumnView:
    first = position.first[place]
    return v.ColumnView(
        column=PLACES[place],
        figures=[
            v.PlacedFigure(seat=player.seat, figure=FIGURES[0 if at == 0 else 1])
            for player in position.players
            for at, where in enumerate(player.figures)
            if where == place
        ],
        first_seat=first - 1 if first else None,
    )


def removed_culture(position: Position) -> bytes:
    """Era I cards that left the game face up (PRP-04): all that lie nowhere else."""
    if position.round < ERA_TWO:
        return b""
    elsewhere = set(position.culture[0]) | set(position.display)
    for player in position.players:
        elsewhere.update(
            player.hand, player.deck, player.discard, player.above, player.pile, player.buried
        )
    for index, module in enumerate(position.modules):
        elsewhere.update(module.held_cards(position, index))
    return bytes(card for card in position.tables.era_cards[0] if card not in elsewhere)


def supply_view(words: Words, position: Position, removed: bytes) -> v.SupplyView:
    tribes = position.tribe_cards
    return v.SupplyView(
        tribe_decks=[
            v.DeckSize(card_id=words.cards[card], count=position.tribes[tribes.index(card)])
            for card in words.card_order
            if card in tribes
        ],
        culture_display=[
            v.CardSpace(space=space, card_id=words.cards[card])
            for space, card in enumerate(position.display)
            if card != EMPTY
        ],
        culture_deck_era_one=len(position.culture[0]),
        culture_deck_era_two=len(position.culture[1]),
        removed_culture=words.card_counts(removed),
        hunting_grounds=[
            v.AnimalSpace(space=space, animal_id=words.animals[animal])
            for space, animal in enumerate(position.grounds)
            if animal != EMPTY
        ],
        animal_deck=len(position.animals),
        stones_era_one=[words.stones[stone] for stone in position.stones[0]],
        stones_era_two=[words.stones[stone] for stone in position.stones[1]],
    )


def terrain_view(words: Words, position: Position) -> v.TerrainView:
    faces = glacier_faces(position)
    spreads = influences(position)
    return v.TerrainView(
        hexes=[
            hex_view(
                words,
                hex_,
                position.terrain[hex_],
                camps_on(position, hex_),
                tuple([spread[hex_] for spread in spreads]),
                faces[hex_] if faces else NO_TOKEN,
            )
            for hex_ in range(HEXES)
        ],
        villages=villages(position),
    )


def influences(position: Position) -> list[list[int]]:
    """By seat, then by hex (MIG-06)."""
    return board.influences(position)


def camps_on(position: Position, hex_: int) -> tuple[int, ...]:
    """By seat."""
    return tuple([player.camps.count(hex_) for player in position.players])


def hex_view(
    words: Words,
    hex_: int,
    terrain: int,
    camps: tuple[int, ...],
    influence: tuple[int, ...],
    face: int,
) -> v.HexView:
    view = v.HexView(
        hex=hex_,
        terrain_id=words.terrains[terrain],
        kind=words.terrain_kinds[terrain],
        camps=_by_seat(camps),
        influence=_by_seat(influence),
        glacier_token=glacier_token_view(words, face),
    )
    mark = words.hex_marks[terrain]
    if mark is not None:
        view.MergeFrom(mark)
    return view


def _by_seat(numbers: Sequence[int]) -> list[ids.SeatCount]:
    return [ids.SeatCount(seat=seat, count=count) for seat, count in enumerate(numbers) if count]


def villages(position: Position) -> list[v.VillageView]:
    found = [
        v.VillageView(juncture=juncture, seat=player.seat)
        for player in position.players
        for juncture in player.villages
    ]
    token = nomad_view.token_of(position)
    if token != EMPTY:
        seat = nomad_view.seat_of(position)
        found.append(v.VillageView(juncture=token, seat=seat, nomad_token=True))
    return sorted(found, key=lambda village: village.juncture)


def megalith_view(words: Words, position: Position) -> v.MegalithView:
    sites = position.sites
    built = [site for site, owner in enumerate(position.megaliths) if owner]
    built.sort(key=lambda site: (sites.level[site], sites.y[site], sites.x[site]))
    return v.MegalithView(
        layout_id=position.config.layout,
        tile_ids=[words.tiles[tile] for tile in position.tiles],
        placed=[placed(position, site) for site in built],
    )


def placed(position: Position, site: int) -> v.MegalithPlaced:
    owner = position.megaliths[site]
    return v.MegalithPlaced(
        site=megalith_site(position.sites, site),
        seat=owner - OWN if owner >= OWN else None,
        neutral=owner == NEUTRAL,
    )


def draft_view(words: Words, position: Position) -> v.DraftView | None:
    """What lies open for set-up choices; the core clears it when the draft is over."""
    draft = v.DraftView(
        chief_ids=sorted(words.chiefs[2 * card] for card in position.chiefs),
        setup_card_ids=sorted(words.setups[card] for card in position.setups),
    )
    if position.agenda:  # else the game is over
        for index, module in enumerate(position.modules):
            shown(module.name).fill_draft(words, position, index, draft)
    return draft if draft.ByteSize() else None


# --- the tokens of two modules: a face-down one is "there" and nothing else ---


def glacier_faces(position: Position) -> bytes:
    """One value per hex: 0 none, 1 face down, else the open face; empty without the module."""
    return module_state(position, GLACIER_TOKENS).translate(_OPEN_FACES)


def glacier_token_view(words: Words, face: int) -> v.GlacierTokenView | None:
    if face == NO_TOKEN:
        return None
    if face == _FACE_DOWN:
        return v.GlacierTokenView(revealed=False)
    token = (face & ~FACE_UP) - 1
    return v.GlacierTokenView(revealed=True, token_id=words.glacier_tokens[token])


def rest_faces(position: Position) -> bytes:
    """What everybody knows of the Rest tokens: mode, size of the stack, open or held, seen ones.

    The state keeps no record of which face-down tokens were seen, but every round sends at
    least one under the stack for all to see (RTK-02 .. RTK-04): so many at the bottom are known
    for sure. Empty without the module, and before it is set up.
    """
    state = module_state(position, REST_TOKENS)
    if not state:
        return b""
    mode = state[0]
    stack = state[2:]
    shown = b""
    if mode != GONE:
        shown, stack = stack[:1], stack[1:]
    seen = min(position.round - 1 + (mode == GONE), len(stack))
    return bytes((mode, len(stack))) + stack[len(stack) - seen :][::-1] + shown


def rest_token_view(words: Words, faces: bytes) -> v.RestTokenView | None:
    if not faces:
        return None
    mode, size = faces[0], faces[1]
    pieces = faces[2:]
    view = v.RestTokenView(stack_count=size, taken_this_round=mode != ON_OFFER)
    if mode != GONE:
        pieces, shown = pieces[:-1], words.rest_tokens[pieces[-1]]
        if mode == ON_OFFER:
            view.open_token_id = shown
        else:
            view.held_token_id = shown
            view.holder_seat = mode - HELD
    view.seen_at_bottom.extend(words.rest_tokens[token] for token in pieces)
    return view
