"""The components of Rivers & Rafts: what a pack must hold for it, and the tables that come of it.

A pack has all of them or none; without them it is good for every game but those on the river.
"""

from collections.abc import Callable, Sequence
from typing import Final

from endless_winter.content.reader import Source
from endless_winter.content.schema import (
    Content,
    Entry,
    FishEntry,
    LandmarkEntry,
    Part,
    RiverStone,
    RiverTileEntry,
)
from endless_winter.rules import tables
from endless_winter.rules.rivers import codes, parts

RIVER: Final = "river"
LANDMARK: Final = "landmark"
FISH: Final = 15
# Each counts something of its own (RAF-12), so they are known by their ids, in this order.
LANDMARKS: Final = ("volcano", "butte", "arch", "monolith", "tree")

_COUNTS: Final[tuple[tuple[type[Entry], int], ...]] = (
    (RiverTileEntry, 3),
    (LandmarkEntry, len(LANDMARKS)),
    (RiverStone, 1),
)

# How a benefit's text is read: the part, its field, the text.
PoolReader = Callable[[Source, Part, str, str], bytes]


def river_parts(content: Content) -> list[Part]:
    return [*content.river_tile, *content.landmark, *content.fish, *content.river_stone]


def check_rivers(source: Source) -> None:
    """Raise `ContentError` for the first thing that is not as in the box."""
    content = source.content
    if not river_parts(content):
        return
    for kind, expected in _COUNTS:
        found = len(getattr(content, kind.section))
        if found != expected:
            raise source.section_error(kind, f"{found} entries, the game has {expected}")
    for entry, name in zip(content.landmark, LANDMARKS, strict=True):
        if entry.id != name:
            names = ", ".join(LANDMARKS)
            raise source.error(entry, f"the Landmarks are {names}, in this order")
    _check_fish(source)
    _check_tiles(source)
    _check_names(source)


def _check_fish(source: Source) -> None:
    found = source.content.fish
    total = sum(fish.copies for fish in found)
    if total != FISH:
        raise source.section_error(FishEntry, f"{total} tokens, the game has {FISH}")
    if sum(fish.copies for fish in found if fish.special) != 1:
        raise source.section_error(FishEntry, "exactly one Fish token is special")


def _check_tiles(source: Source) -> None:
    content = source.content
    lands = [terrain.id for terrain in content.terrain if terrain.kind == "land"]
    glacier = next(terrain.id for terrain in content.terrain if terrain.kind == "glacier")
    for number, tile in enumerate(content.river_tile):
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
    for stone in content.river_stone:
        if any(stone.id == other.id for other in content.stone):
            raise source.error(stone, "a sacred stone has the same id")


def river_terrains(content: Content) -> list[tables.Terrain]:
    """The Terrain types behind those of the base game: river, bare Landmark hex, Landmarks."""
    if not content.river_tile:
        return []
    fish = bytes((codes.FISH_ICON, 1))
    found = [
        tables.Terrain(RIVER, "River", 5, fish, False),
        tables.Terrain(LANDMARK, "Landmark", 3, b"", False),
    ]
    for number, entry in enumerate(content.landmark):
        benefit = bytes((codes.VOLCANO + number, 1))
        found.append(tables.Terrain(entry.id, entry.title, 1, benefit, False))
    return found


def river_stones(content: Content, terrains: Sequence[tables.Terrain]) -> list[tables.Stone]:
    """RAF-14: Era I, in the box until the expansion brings it into play."""
    names = [terrain.name for terrain in terrains]
    mask = sum(1 << names.index(entry.id) for entry in content.landmark)
    kind = tables.STN_VILLAGES_TOUCHING_ANY
    return [
        tables.Stone(stone.id, stone.title, 1, kind, mask, stone.each, 1, [], True)
        for stone in content.river_stone
    ]


def rivers(
    source: Source, terrains: Sequence[tables.Terrain], stones: int, read_pool: PoolReader
) -> parts.RiverParts | None:
    """The tables; `stones` is the number of Sacred Stones before that of the expansion."""
    content = source.content
    if not content.river_tile:
        return None
    names = [terrain.name for terrain in terrains]
    return parts.RiverParts(
        names.index(RIVER),
        names.index(LANDMARK),
        [parts.Landmark(entry.id, entry.title, entry.each) for entry in content.landmark],
        [
            parts.RiverTile(
                tile.id,
                tile.title,
                tile.central,
                [bytes(names.index(name) for name in side) for side in (tile.side_a, tile.side_b)],
            )
            for tile in content.river_tile
        ],
        [
            parts.Fish(
                fish.id,
                fish.title,
                fish.copies,
                fish.special,
                read_pool(source, fish, "benefit", fish.benefit),
            )
            for fish in content.fish
        ],
        stones,
    )
