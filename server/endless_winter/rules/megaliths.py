"""The Megalith board: where the four tiles lie, what touches what, what can carry what.

A site is a place for one Megalith. Sites 0-31 are the spaces of the board (slot * 8 + space of
the tile that lies there); the others are the places on top of 2x2 blocks, level by level. All
of this depends on the layout alone, so it is worked out once per layout (MEG-02, MEG-06).
"""

from typing import Final

from endless_winter.rules.tables import Layout

TILES: Final = 4
SPACES: Final = 8
BOARD_SITES: Final = TILES * SPACES
WIDTH: Final = 4  # columns of an unturned tile
HEIGHT: Final = 2


class Sites:
    """The geometry of one layout."""

    def __init__(self, layout: Layout) -> None:
        self.x: list[int] = []
        self.y: list[int] = []
        self.level: list[int] = []
        self.neighbours: list[bytes] = []  # of a board site: those orthogonally next to it
        self.below: list[bytes] = []  # the four sites that a stacked site rests on
        at: dict[tuple[int, int, int], int] = {}
        for x0, y0, turns in layout.slots:
            for space in range(SPACES):
                x, y = turned(space % WIDTH, space // WIDTH, turns)
                self._add(at, x0 + x, y0 + y, 0, b"")
        for site in range(BOARD_SITES):
            x = self.x[site]
            y = self.y[site]
            around = ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y))
            self.neighbours.append(bytes(at[(nx, ny, 0)] for nx, ny in around if (nx, ny, 0) in at))
        level = 0
        carriers = list(range(BOARD_SITES))
        while carriers:
            tops = []
            for site in sorted(carriers, key=lambda s: (self.y[s], self.x[s])):
                x = self.x[site]
                y = self.y[site]
                block = ((x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1))
                if all((bx, by, level) in at for bx, by in block):
                    rest = bytes(at[(bx, by, level)] for bx, by in block)
                    tops.append(self._add(at, x, y, level + 1, rest))
            carriers = tops
            level += 1
        self.index: dict[tuple[int, int, int], int] = at

    def _add(
        self, at: dict[tuple[int, int, int], int], x: int, y: int, level: int, below: bytes
    ) -> int:
        site = len(self.x)
        at[(x, y, level)] = site
        self.x.append(x)
        self.y.append(y)
        self.level.append(level)
        self.below.append(below)
        return site


def turned(x: int, y: int, turns: int) -> tuple[int, int]:
    """Where column x, row y of a tile lies after clockwise quarter turns."""
    if turns == 1:
        return HEIGHT - 1 - y, x
    if turns == 2:
        return WIDTH - 1 - x, HEIGHT - 1 - y
    if turns == 3:
        return y, WIDTH - 1 - x
    return x, y
