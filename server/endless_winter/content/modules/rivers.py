"""The components of Rivers & Rafts: what a pack must hold for it, and the tables that come of it.

A pack has all of them or none; without them it is good for every game but those on the river.
"""

from typing import Annotated, Final

from msgspec import Meta

from endless_winter.content.making import Making
from endless_winter.content.plugin import ContentModule
from endless_winter.content.reader import Source
from endless_winter.content.schema import Content, Entry, Id
from endless_winter.rules import tables
from endless_winter.rules.rivers import codes, parts
from endless_winter.rules.rivers.area import FISH

RIVER: Final = "river"
LANDMARK: Final = "landmark"
# Each counts something of its own (RAF-12), so they are known by their ids, in this order.
LANDMARKS: Final = ("volcano", "butte", "arch", "monolith", "tree")


class RiverTileEntry(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A River tile: the hexes of its two sides, by the id of a Terrain, `river` or `landmark`."""

    section = "river_tile"
    label = "river tile"
    central: bool
    side_a: tuple[Id, Id, Id]
    side_b: tuple[Id, Id, Id]


class LandmarkEntry(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    section = "landmark"
    label = "landmark"
    each: Annotated[int, Meta(ge=1, le=20)]


class FishEntry(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    section = "fish"
    label = "fish"
    copies: Annotated[int, Meta(ge=1, le=15)]
    special: bool
    benefit: str


class RiverStone(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The Sacred Stone of Rivers & Rafts: points for Villages beside Landmarks (RAF-14)."""

    section = "river_stone"
    label = "river stone"
    each: Annotated[int, Meta(ge=1, le=20)]


_COUNTS: Final[tuple[tuple[type[Entry], int], ...]] = (
    (RiverTileEntry, 3),
    (LandmarkEntry, len(LANDMARKS)),
    (RiverStone, 1),
)


class RiversContent(ContentModule):
    sections = (RiverTileEntry, LandmarkEntry, FishEntry, RiverStone)

    def check(self, source: Source) -> None:
        content = source.content
        if any(content.entries(kind) for kind in self.sections):
            _check(source)

    def build(self, making: Making) -> parts.RiverParts | None:
        return _build(making) if making.content.entries(RiverTileEntry) else None


def _check(source: Source) -> None:
    content = source.content
    for kind, expected in _COUNTS:
        found = len(content.entries(kind))
        if found != expected:
            raise source.section_error(kind, f"{found} entries, the game has {expected}")
    for entry, name in zip(content.entries(LandmarkEntry), LANDMARKS, strict=True):
        if entry.id != name:
            names = ", ".join(LANDMARKS)
            raise source.error(entry, f"the Landmarks are {names}, in this order")
    _check_fish(source)
    _check_tiles(source)
    _check_names(source)


def _check_fish(source: Source) -> None:
    found = source.content.entries(FishEntry)
    total = sum(fish.copies for fish in found)
    if total != FISH:
        raise source.section_error(FishEntry, f"{total} tokens, the game has {FISH}")
    if sum(fish.copies for fish in found if fish.special) != 1:
        raise source.section_error(FishEntry, "exactly one Fish token is special")


def _check_tiles(source: Source) -> None:
    content = source.content
    lands = [terrain.id for terrain in content.terrain if terrain.kind == "land"]
    glacier = next(terrain.id for terrain in content.terrain if terrain.kind == "glacier")
    for number, tile in enumerate(content.entries(RiverTileEntry)):
        if tile.central != (number == 0):
            raise source.error(tile, "the first River tile, and no other, is the central one")
        if tile.central:
            for side in (tile.side_a, tile.side_b):
                if side[:2] != (RIVER, LANDMARK) or side[2] not in lands:
                    raise source.error(tile, "a side is river, landmark and a land type")
        elif (tile.side_a, tile.side_b) != ((RIVER, RIVER, LANDMARK), (RIVER, RIVER, glacier)):
            raise source.error(tile, f"side a is river, river, landmark; b river, river, {glacier}")


def _check_names(source: Source) -> None:
    """River and Landmark hexes are Terrain types, the Stone is one of all Stones."""
    content = source.content
    terrains = {terrain.id for terrain in content.terrain}
    for taken in (RIVER, LANDMARK, *LANDMARKS):
        if taken in terrains:
            raise source.section_error(LandmarkEntry, f'a terrain has the id "{taken}" too')
    for stone in content.entries(RiverStone):
        if any(stone.id == other.id for other in content.stone):
            raise source.error(stone, "a sacred stone has the same id")


def _build(making: Making) -> parts.RiverParts:
    content = making.content
    making.terrains.extend(_terrains(content))
    stone = len(making.stones)
    making.stones.extend(_stones(making))
    return parts.RiverParts(
        making.terrain(RIVER),
        making.terrain(LANDMARK),
        [parts.Landmark(mark.id, mark.title, mark.each) for mark in content.entries(LandmarkEntry)],
        [
            parts.RiverTile(
                tile.id,
                tile.title,
                tile.central,
                [bytes(map(making.terrain, side)) for side in (tile.side_a, tile.side_b)],
            )
            for tile in content.entries(RiverTileEntry)
        ],
        [
            parts.Fish(
                fish.id,
                fish.title,
                fish.copies,
                fish.special,
                making.benefit(fish, "benefit", fish.benefit),
            )
            for fish in content.entries(FishEntry)
        ],
        stone,
    )


def _terrains(content: Content) -> list[tables.Terrain]:
    """The Terrain types behind those of the base game: river, bare Landmark hex, Landmarks."""
    fish = bytes((codes.FISH_ICON, 1))
    found = [
        tables.Terrain(RIVER, "River", 5, fish, False),
        tables.Terrain(LANDMARK, "Landmark", 3, b"", False),
    ]
    for number, entry in enumerate(content.entries(LandmarkEntry)):
        benefit = bytes((codes.VOLCANO + number, 1))
        found.append(tables.Terrain(entry.id, entry.title, 1, benefit, False))
    return found


def _stones(making: Making) -> list[tables.Stone]:
    """RAF-14: Era I, in the box until the expansion brings it into play."""
    mask = sum(1 << making.terrain(mark.id) for mark in making.content.entries(LandmarkEntry))
    kind = tables.STN_VILLAGES_TOUCHING_ANY
    return [
        tables.Stone(stone.id, stone.title, 1, kind, mask, stone.each, 1, [], True)
        for stone in making.content.entries(RiverStone)
    ]


CONTENT: Final = RiversContent()
