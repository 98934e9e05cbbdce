"""The state of Rivers & Rafts in the JSON form of a position (docs/positions.md)."""

from typing import Final

from endless_winter.rules.errors import BadPosition
from endless_winter.rules.reading import Json, Reader, items_of, number_of, piece_of
from endless_winter.rules.rivers.area import (
    DELTA,
    FISH,
    MIXED_AT,
    RIVER_HEXES,
    SEATS,
    TILE_BYTES,
    TILES,
    TILES_AT,
    base_of,
    fish_discarded,
    fish_pool,
    parts_of,
    raft_of,
    river_of,
)
from endless_winter.rules.rivers.bases import TOUCHED
from endless_winter.rules.state import Position
from endless_winter.rules.terrain import HEXES
from endless_winter.rules.zones import EMPTY

SIDES: Final = ["a", "b"]


def write_state(position: Position, index: int) -> Json:
    parts = parts_of(position)
    state = position.module_state[index]
    seats = range(len(position.players))
    tiles: list[Json] = []
    for at in range(TILES_AT, TILES_AT + TILES * TILE_BYTES, TILE_BYTES):
        tiles.append(
            {
                "tile": parts.tiles[state[at] >> 1].name,
                "side": SIDES[state[at] & 1],
                "hexes": list(state[at + 1 : at + TILE_BYTES]),
            }
        )
    bases: list[list[int]] = []
    for seat in seats:
        site = base_of(position, index, seat)
        bases.append([] if site == EMPTY else list(TOUCHED[site]))
    return {
        "river": list(river_of(position, index)),
        "tiles": tiles,
        "rafts": [raft_of(position, index, seat) for seat in seats],
        "bases": bases,
        "fish_pool": [parts.fish[fish].name for fish in fish_pool(state)],
        "fish_discarded": [parts.fish[fish].name for fish in fish_discarded(state)],
        "fish_mixed": state[MIXED_AT],
    }


def read_state(position: Position, reader: Reader) -> bytes:
    seats = len(position.players)
    river = reader.numbers("river", HEXES - 1)
    if len(river) != RIVER_HEXES:
        raise BadPosition(f"{reader.path}river: {RIVER_HEXES} hexes expected")
    tiles = b"".join(_tile(position, one) for one in reader.records("tiles"))
    if len(tiles) != TILES * TILE_BYTES:
        raise BadPosition(f"{reader.path}tiles: {TILES} expected")
    rafts = reader.numbers("rafts", DELTA)
    if len(rafts) != seats:
        raise BadPosition(f"{reader.path}rafts: one for each of {seats} seats expected")
    rafts += bytes(SEATS - seats)
    sites = [
        _site(items_of(item, f"{reader.path}bases[{seat}]"), f"{reader.path}bases[{seat}]")
        for seat, item in enumerate(reader.items("bases"))
    ]
    if len(sites) != seats:
        raise BadPosition(f"{reader.path}bases: one for each of {seats} seats expected")
    bases = bytes(sites) + bytes((EMPTY,)) * (SEATS - seats)
    names = [fish.name for fish in parts_of(position).fish]
    pool = reader.pieces("fish_pool", names)
    discarded = bytes(sorted(reader.pieces("fish_discarded", names)))
    if len(pool) + len(discarded) != FISH:
        raise BadPosition(f"{reader.path}fish_pool, fish_discarded: {FISH} Fish in all expected")
    return (
        bytes((reader.number("fish_mixed"), len(pool)))
        + river
        + tiles
        + rafts
        + bases
        + pool
        + discarded
    )


def _tile(position: Position, reader: Reader) -> bytes:
    names = [tile.name for tile in parts_of(position).tiles]
    tile = piece_of(reader.value("tile"), reader.path + "tile", names, False)
    side = piece_of(reader.value("side"), reader.path + "side", SIDES, False)
    hexes = reader.numbers("hexes", HEXES - 1)
    reader.finish()
    if len(hexes) != TILE_BYTES - 1:
        raise BadPosition(f"{reader.path}hexes: {TILE_BYTES - 1} hexes expected")
    return bytes((2 * tile + side,)) + hexes


def _site(hexes: list[object], path: str) -> int:
    """The number of a Starting Base's site, by the two hexes that it touches."""
    if not hexes:
        return EMPTY
    touched = bytes(sorted(number_of(hex_, path, HEXES - 1) for hex_ in hexes))
    if touched not in TOUCHED:
        raise BadPosition(f"{path}: the two neighbouring outer hexes that it touches expected")
    return TOUCHED.index(touched)
