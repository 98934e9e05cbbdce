"""The targeting arrows: which of several places (SOL-06, SOL-10).

Every place has an x that grows to the right (East) and a y that grows downwards (South).
"""

from typing import Final

from endless_winter.rules.megaliths import Sites
from endless_winter.rules.tables import NomadCard
from endless_winter.rules.terrain import COORDINATES, HEXES, JUNCTURES

DISPLAY_COLUMNS: Final = 4
GROUNDS_COLUMNS: Final = 3

# Rows of hexes are shifted by half a hex against each other, so x counts halves.
HEX_PLACES: Final[list[tuple[int, int]]] = [
    (2 * COORDINATES[hex_][0] + COORDINATES[hex_][1], COORDINATES[hex_][1]) for hex_ in range(HEXES)
]
# The middle of three hexes, in sixths of a hex and in thirds of a row.
JUNCTURE_PLACES: Final[list[tuple[int, int]]] = [
    (
        HEX_PLACES[hexes[0]][0] + HEX_PLACES[hexes[1]][0] + HEX_PLACES[hexes[2]][0],
        HEX_PLACES[hexes[0]][1] + HEX_PLACES[hexes[1]][1] + HEX_PLACES[hexes[2]][1],
    )
    for hexes in JUNCTURES
]


def display_place(place: int) -> tuple[int, int]:
    return (place % DISPLAY_COLUMNS, place // DISPLAY_COLUMNS)


def grounds_place(place: int) -> tuple[int, int]:
    return (place % GROUNDS_COLUMNS, place // GROUNDS_COLUMNS)


def site_place(sites: Sites, site: int) -> tuple[int, int]:
    """The middle of a Megalith, in halves: each level lies half a space further in."""
    level = sites.level[site]
    return (2 * sites.x[site] + level, 2 * sites.y[site] + level)


def pointed(card: NomadCard, places: list[tuple[int, int]]) -> int:
    """Which of the places the arrows mean: left/right decides, up/down breaks the tie."""
    best = 0
    for at in range(1, len(places)):
        x, y = places[at]
        best_x, best_y = places[best]
        if x != best_x:
            if (x > best_x) == card.right:
                best = at
        elif y != best_y and (y > best_y) == card.down:
            best = at
    return best
