"""The state of Rivers & Rafts: where its bytes are (the layout is in the package's docstring)."""

from typing import Final

from endless_winter.rules.rivers.agreed import RIVERS
from endless_winter.rules.rivers.parts import RiverParts
from endless_winter.rules.state import Position
from endless_winter.rules.zones import EMPTY, replaced

RIVER_HEXES: Final = 5
TILES: Final = 3
TILE_BYTES: Final = 4
SEATS: Final = 4

MIXED_AT: Final = 0
POOL_AT: Final = 1
RIVER_AT: Final = 2
TILES_AT: Final = RIVER_AT + RIVER_HEXES
RAFTS_AT: Final = TILES_AT + TILES * TILE_BYTES
BASES_AT: Final = RAFTS_AT + SEATS
FISH_AT: Final = BASES_AT + SEATS
FISH: Final = 15

# Places on the river; those in between are the River hexes.
HEADWATERS: Final = 0
DELTA: Final = RIVER_HEXES + 1


def new_state(river: bytes, tiles: bytes) -> bytes:
    """Rafts at home, no Bases, no Fish yet."""
    return bytes((0, 0)) + river + tiles + bytes(SEATS) + bytes((EMPTY,)) * SEATS


def parts_of(position: Position) -> RiverParts:
    parts = position.tables.module_parts[RIVERS]
    assert isinstance(parts, RiverParts)  # the module insists on it
    return parts


def index_of(position: Position) -> int:
    """Where Rivers & Rafts stands among the modules; -1: nowhere. For other modules and views."""
    for index, module in enumerate(position.modules):
        if module.name == RIVERS:
            return index
    return -1


def river_of(position: Position, index: int) -> bytes:
    """The River hexes from the Headwaters to the Delta."""
    return position.module_state[index][RIVER_AT : RIVER_AT + RIVER_HEXES]


def raft_of(position: Position, index: int, seat: int) -> int:
    """The place of a Raft on the river."""
    return position.module_state[index][RAFTS_AT + seat]


def raft_hex(position: Position, index: int, seat: int) -> int:
    """The hex of a Raft; EMPTY on the Headwaters and the Delta."""
    return hex_at(position, index, raft_of(position, index, seat))


def hex_at(position: Position, index: int, place: int) -> int:
    """The hex of a place on the river; EMPTY for the Headwaters and the Delta."""
    if HEADWATERS < place < DELTA:
        return position.module_state[index][RIVER_AT + place - 1]
    return EMPTY


def base_of(position: Position, index: int, seat: int) -> int:
    """The site of a Starting Base; EMPTY: none."""
    return position.module_state[index][BASES_AT + seat]


def fish_pool(state: bytes) -> bytes:
    return state[FISH_AT : FISH_AT + state[POOL_AT]]


def fish_discarded(state: bytes) -> bytes:
    return state[FISH_AT + state[POOL_AT] :]


def set_byte(position: Position, index: int, at: int, value: int) -> None:
    position.module_state[index] = replaced(position.module_state[index], at, value)


def set_fish(position: Position, index: int, pool: bytes, discarded: bytes) -> None:
    state = position.module_state[index]
    head = state[:POOL_AT] + bytes((len(pool),)) + state[POOL_AT + 1 : FISH_AT]
    position.module_state[index] = head + pool + bytes(sorted(discarded))
