"""The Terrain board: 19 hexes in a hexagon and the 24 junctures where three of them meet.

Hex 0 is the centre (the Base tile in the base game), 1-6 the inner ring and 7-18 the outer one,
both clockwise from the north-east. Rows run west-east, so that north is the far edge (SOL-06).
"""

from typing import Final

HEXES: Final = 19
BASE: Final = 0
OUTSIDE: Final = HEXES  # where Camps may start if there is no Base tile; no step leads there

# Axial steps, clockwise: east, south-east, south-west, west, north-west, north-east.
_STEPS: Final = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
_NORTH_EAST: Final = 5


def _coordinates() -> list[tuple[int, int]]:
    found = [(0, 0)]
    for ring in (1, 2):
        q = _STEPS[_NORTH_EAST][0] * ring
        r = _STEPS[_NORTH_EAST][1] * ring
        for side in (1, 2, 3, 4, 5, 0):
            for _ in range(ring):
                found.append((q, r))
                q += _STEPS[side][0]
                r += _STEPS[side][1]
    return found


def _adjacent(coordinates: list[tuple[int, int]]) -> list[bytes]:
    index = {place: hex_ for hex_, place in enumerate(coordinates)}
    found = []
    for q, r in coordinates:
        around = [index[(q + dq, r + dr)] for dq, dr in _STEPS if (q + dq, r + dr) in index]
        found.append(bytes(sorted(around)))
    return found


def _junctures(adjacent: list[bytes]) -> list[bytes]:
    return [
        bytes((a, b, c))
        for a in range(HEXES)
        for b in adjacent[a]
        if b > a
        for c in adjacent[b]
        if c > b and c in adjacent[a]
    ]


COORDINATES: Final[list[tuple[int, int]]] = _coordinates()
ADJACENT: Final[list[bytes]] = [*_adjacent(COORDINATES), b""]  # the last is OUTSIDE
JUNCTURES: Final[list[bytes]] = _junctures(ADJACENT)  # the three hexes of each
