"""What a pack holds of Rivers & Rafts."""

from endless_winter.rules.icons import POINT
from endless_winter.rules.rivers.agreed import RIVERS
from endless_winter.rules.tables import ModuleParts, Tables


class Fish:
    """A face of a Fish token (RAF-11)."""

    __slots__ = ("benefit", "copies", "name", "others", "points", "special", "title")

    def __init__(self, name: str, title: str, copies: int, special: bool, benefit: bytes) -> None:
        self.name: str = name
        self.title: str = title
        self.copies: int = copies
        self.special: bool = special  # the discarded Fish go back into the pool
        self.benefit: bytes = benefit
        self.points: int = 0  # of its benefit
        self.others: bytes = b""  # the rest of it
        for at in range(0, len(benefit), 2):
            if benefit[at] == POINT:
                self.points += benefit[at + 1]
            else:
                self.others += benefit[at : at + 2]


class Landmark:
    """A Landmark: how many points for each of what it counts (RAF-12)."""

    __slots__ = ("each", "name", "title")

    def __init__(self, name: str, title: str, each: int) -> None:
        self.name: str = name
        self.title: str = title
        self.each: int = each


class RiverTile:
    """A River tile of three hexes; its two sides are the Terrain types of these (RAF-01)."""

    __slots__ = ("central", "name", "sides", "title")

    def __init__(self, name: str, title: str, central: bool, sides: list[bytes]) -> None:
        self.name: str = name
        self.title: str = title
        self.central: bool = central
        self.sides: list[bytes] = sides


class RiverParts(ModuleParts):
    """The components of Rivers & Rafts. Its Terrain types and its Stone are among all others."""

    __slots__ = ("bare", "fish", "landmarks", "river", "stone", "tiles")

    def __init__(
        self,
        river: int,
        bare: int,
        landmarks: list[Landmark],
        tiles: list[RiverTile],
        fish: list[Fish],
        stone: int,
    ) -> None:
        self.river: int = river  # the Terrain type
        # A Landmark hex without its Landmark; number n on it is Terrain type `bare` + 1 + n.
        self.bare: int = bare
        self.landmarks: list[Landmark] = landmarks
        self.tiles: list[RiverTile] = tiles  # the central one first
        self.fish: list[Fish] = fish
        self.stone: int = stone  # the Sacred Stone (RAF-14)


def parts_in(tables: Tables) -> RiverParts | None:
    """None: the pack has no Rivers & Rafts."""
    parts = tables.module_parts.get(RIVERS)
    return parts if isinstance(parts, RiverParts) else None
