"""Whether the part of Rivers & Rafts in a written position fits the rest."""

from typing import Final

from endless_winter.rules import agenda
from endless_winter.rules.rivers import codes
from endless_winter.rules.rivers.area import (
    BASES_AT,
    FISH_AT,
    RAFTS_AT,
    SEATS,
    TILE_BYTES,
    TILES,
    TILES_AT,
    base_of,
    parts_of,
    river_of,
)
from endless_winter.rules.rivers.fish import all_fish
from endless_winter.rules.rivers.landmarks import bare_hexes, tile_hexes
from endless_winter.rules.rivers.layout import RIVER, rules_of
from endless_winter.rules.state import Position
from endless_winter.rules.terrain import HEXES, OUTSIDE
from endless_winter.rules.zones import EMPTY, ONE

AGREED: Final = "terrain: as many Landmarks as were agreed on expected"
MISSING: Final = "module_state.rivers: missing"
RAISE_LANDMARK: Final = ONE[codes.RAISE_LANDMARK]


def complaint(position: Position, index: int) -> str:
    """The first thing that is wrong, in one line; empty: nothing."""
    if not position.module_state[index]:
        return MISSING
    wrong = _fish(position, index) or _board(position, index)
    if not wrong and parts_of(position).bare in position.terrain:
        return AGREED
    return wrong or _bases(position, index)


def set_up_complaint(position: Position, index: int) -> str:
    """The same while Chiefs and Setup cards are still to be chosen, and Landmarks maybe."""
    if not position.module_state[index]:
        return MISSING
    wrong = _fish(position, index) or _board(position, index)
    if wrong:
        return wrong
    raising = []
    for operation, _, number, pieces in position.agenda:
        if operation == agenda.MODULE and number == index and pieces[:1] == RAISE_LANDMARK:
            raising.append(pieces[1])
    if raising != bare_hexes(position, index)[::-1]:
        return "agenda: one record for each Landmark that is still to be chosen expected"
    at_home = bytes(SEATS) + bytes((EMPTY,)) * SEATS
    if position.module_state[index][RAFTS_AT:FISH_AT] != at_home:
        return (
            "module_state.rivers: Rafts at home and no Starting Bases expected "
            "before set-up is over"
        )
    return ""


def _fish(position: Position, index: int) -> str:
    state = position.module_state[index]
    if sorted(state[FISH_AT:]) != list(all_fish(position)):
        return "module_state.rivers.fish_pool, fish_discarded: each Fish once expected"
    return ""


def _board(position: Position, index: int) -> str:
    parts = parts_of(position)
    river = river_of(position, index)
    if river not in (RIVER, RIVER[::-1]):
        return "module_state.rivers.river: hexes 15, 5, 0, 2, 9 expected, or the other way round"
    for hex_, terrain in enumerate(position.terrain):
        if (terrain == parts.river) != (hex_ in river):
            return f"terrain: hex {hex_} must be a River hex just if the river runs there"
    hexes = tile_hexes(position, index)
    if len(set(hexes)) != len(hexes) or not set(river) <= set(hexes):
        return "module_state.rivers.tiles: hexes of their own, the river on them, expected"
    standing = [hex_ for hex_, terrain in enumerate(position.terrain) if terrain > parts.bare]
    agreed = rules_of(position.config).landmarks
    if len(standing) + position.terrain.count(parts.bare) != agreed:
        return AGREED
    if any(hex_ not in hexes for hex_ in standing):
        return "terrain: a Landmark beside the River tiles"
    return _tiles(position, index)


def _tiles(position: Position, index: int) -> str:
    """RAF-01: each tile once, and the hexes are what its side shows."""
    parts = parts_of(position)
    tiles = position.module_state[index][TILES_AT : TILES_AT + TILES * TILE_BYTES]
    if sorted(tile >> 1 for tile in tiles[::TILE_BYTES]) != list(range(TILES)):
        return "module_state.rivers.tiles: each tile once expected"
    for at in range(0, len(tiles), TILE_BYTES):
        side = parts.tiles[tiles[at] >> 1].sides[tiles[at] & 1]
        for number, hex_ in enumerate(tiles[at + 1 : at + TILE_BYTES]):
            # A Landmark may stand on a hex that the side leaves bare for it.
            if min(position.terrain[hex_], parts.bare) != side[number]:
                return f"terrain: hex {hex_} is not what its River tile shows"
    return ""


def _bases(position: Position, index: int) -> str:
    state = position.module_state[index]
    taken = [site for site in state[BASES_AT : BASES_AT + SEATS] if site != EMPTY]
    for site in taken:
        if taken.count(site) > 1 or site ^ 1 in taken:
            return "module_state.rivers.bases: different sites, none next to another, expected"
    attach = bytes((codes.ATTACH_BASE,))
    waiting = [f[1] for f in position.agenda if f[0] == agenda.MODULE and f[3] == attach]
    for player in position.players:
        expected = position.kinds[player.seat].owns_cards and player.seat not in waiting
        if (base_of(position, index, player.seat) != EMPTY) != expected:
            return (
                f"module_state.rivers.bases: seat {player.seat} has one just if it has attached it"
            )
        if OUTSIDE in player.camps and not position.kinds[player.seat].owns_cards:
            return f"players[{player.seat}].camps: no Starting Base for a Camp outside the board"
    return ""


def record_complaint(position: Position, pieces: bytes) -> str:
    """What is wrong with a record on the agenda."""
    if pieces == bytes((codes.ATTACH_BASE,)):
        return ""
    if len(pieces) != 2 or pieces[0] != codes.RAISE_LANDMARK:
        return "pieces: a Starting Base to attach, or a hex for a Landmark, expected"
    if pieces[1] >= HEXES or position.terrain[pieces[1]] != parts_of(position).bare:
        return "pieces: a Landmark hex without a Landmark expected"
    return ""
