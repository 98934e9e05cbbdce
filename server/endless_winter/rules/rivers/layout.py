"""Laying out the board and the Sacred Stones (RAF-01 .. RAF-05)."""

from typing import Final

from endless_winter.rules.chance import shuffle
from endless_winter.rules.config import Config
from endless_winter.rules.rivers import landmarks
from endless_winter.rules.rivers.agreed import RiversRules, rules_in
from endless_winter.rules.rivers.area import RIVER_HEXES, TILES, new_state, parts_of
from endless_winter.rules.setup import GLACIER, STONES_PER_ERA
from endless_winter.rules.state import Position
from endless_winter.rules.tables import STN_VILLAGES_TOUCHING
from endless_winter.rules.terrain import HEXES
from endless_winter.rules.zones import EMPTY

SIDE_A: Final = 0
SIDE_B: Final = 1
CENTRAL: Final = 0  # the first tile of the pack

# From west to east; the outer tiles have two of these hexes each, the central one the middle one.
RIVER: Final = bytes((15, 5, 0, 2, 9))
# The third hex of the outer tile in the west and in the east, north or south of the river.
THIRD_HEX: Final = ((16, 14), (8, 10))
# The two other hexes of the central tile, north or south, from west to east.
BESIDE_CENTRE: Final = ((6, 1), (4, 3))

LAND_TILES: Final = 10
FEWEST_HEXES: Final = 2  # of a type that a village-scoring Stone shows


def rules_of(config: Config) -> RiversRules:
    rules = rules_in(config)
    assert rules is not None  # the module is never there without them
    return rules


def lay_out(position: Position, index: int) -> None:
    """The tiles of the river, the land around it, the Landmarks unless they are chosen later."""
    rules = rules_of(position.config)
    parts = parts_of(position)
    tiles = _placed_tiles(position, rules.landmarks)
    terrain = bytearray(bytes((EMPTY,)) * HEXES)
    for at in range(0, len(tiles), 4):
        side = parts.tiles[tiles[at] >> 1].sides[tiles[at] & 1]
        for number, hex_ in enumerate(tiles[at + 1 : at + 4]):
            terrain[hex_] = side[number]
    land = _land(position, rules.landmarks)
    dealt = 0
    for hex_ in range(HEXES):
        if terrain[hex_] == EMPTY:
            terrain[hex_] = land[dealt]
            dealt += 1
    position.terrain = bytes(terrain)
    river = RIVER if tiles[1] in RIVER[:2] else RIVER[::-1]
    position.module_state[index] = new_state(river, tiles)
    if not rules.decided:
        _put_landmarks(position, index, rules)
    _replace_stones(position)


def _coin(position: Position, stream: str, counter: int = 0) -> int:
    """0 or 1, equally likely."""
    return shuffle(position.seed, stream, counter, bytes((0, 1)))[0]


def _placed_tiles(position: Position, wanted: int) -> bytes:
    """RAF-01, RAF-02: (tile and side, three hexes) from the Headwaters to the Delta.

    The first outer tile of the pack shows its Landmark if 2 are wanted, both if 3. Chance says
    which lies at which end, and on which side of the river each tile has its other hexes.
    """
    from_east = _coin(position, "river:headwaters")
    ends = shuffle(position.seed, "river:ends", 0, bytes(range(1, TILES)))
    found = b""
    for number in range(TILES):
        south = _coin(position, "river:turn", number)
        if number == 1:
            side = _coin(position, "river:side")
            west, east = BESIDE_CENTRE[south]
            others = (west, east) if side == SIDE_A else (east, west)
            found += bytes((2 * CENTRAL + side, RIVER[2], *others))
            continue
        tile = ends[0 if number == 0 else 1]
        side = SIDE_A if tile < wanted else SIDE_B
        at_east = from_east == (number == 0)
        outer, inner = (RIVER[4], RIVER[3]) if at_east else (RIVER[0], RIVER[1])
        found += bytes((2 * tile + side, outer, inner, THIRD_HEX[at_east][south]))
    return found


def _land(position: Position, wanted: int) -> bytes:
    """RAF-03: of each type one stays in the box, one is in play; Glaciers; others at random."""
    tables = position.tables
    chosen = tables.one_of_each_land + bytes((GLACIER,)) * (wanted - 1)
    spare = b"".join(
        bytes((land,)) * (tables.terrains[land].copies - 2) for land in tables.one_of_each_land
    )
    chosen += shuffle(position.seed, "terrain:spare", 0, spare)[: LAND_TILES - len(chosen)]
    return shuffle(position.seed, "terrain", 0, bytes(sorted(chosen)))


def _put_landmarks(position: Position, index: int, rules: RiversRules) -> None:
    """RAF-04."""
    parts = parts_of(position)
    names = [landmark.name for landmark in parts.landmarks]
    if rules.named:
        chosen = bytes(names.index(name) for name in rules.named)
    else:
        chosen = shuffle(position.seed, "landmarks", 0, bytes(range(len(names))))
    for number, hex_ in enumerate(landmarks.bare_hexes(position, index)):
        landmarks.put(position, 0, hex_, parts.bare + 1 + chosen[number])


def _replace_stones(position: Position) -> None:
    """RAF-05: the expansion's own, then random ones whose terrain is there often enough.

    Taking the first that fit of all in random order is the same as replacing those that do not.
    """
    tables = position.tables
    order = shuffle(position.seed, "stones:1", 0, tables.era_stones[0])
    fitting = bytes(stone for stone in order if fits(position, stone))
    number = STONES_PER_ERA[len(position.players)] - 1
    chosen = bytes((parts_of(position).stone,)) + fitting[:number]
    position.stones[0] = shuffle(position.seed, "stones:places", 0, chosen)  # SET-02


def fits(position: Position, stone: int) -> bool:
    printed = position.tables.stones[stone]
    if printed.kind != STN_VILLAGES_TOUCHING:
        return True
    return position.terrain.count(printed.param) >= FEWEST_HEXES


assert len(RIVER) == RIVER_HEXES
