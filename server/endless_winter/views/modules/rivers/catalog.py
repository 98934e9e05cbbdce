"""Rivers & Rafts in the catalogue: Landmarks, River tiles, Fish, its hexes and its Sacred Stone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.content.modules.rivers import (
    FishEntry,
    LandmarkEntry,
    RiverStone,
    RiverTileEntry,
)
from endless_winter.rules import icons
from endless_winter.rules.rivers.parts import parts_in
from endless_winter.v1 import catalog_pb2 as v
from endless_winter.v1 import effect_pb2
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.views import effects, phrases
from endless_winter.views.catalog import item
from endless_winter.views.words import SIDES

if TYPE_CHECKING:
    from endless_winter.rules.rivers.parts import Landmark
    from endless_winter.views.words import Words

# What each Landmark counts, by its number (RAF-12).
_COUNTED: Final = (
    (effect_pb2.CONDITION_KIND_CAMPS_ON_BOARD, "Camp still on your board"),
    (
        effect_pb2.CONDITION_KIND_INNER_HEXES,
        "of the middle 7 hexes with a Camp of yours or your Raft",
    ),
    (
        effect_pb2.CONDITION_KIND_OUTER_HEXES,
        "of the outer 12 hexes with a Camp of yours or your Raft",
    ),
    (effect_pb2.CONDITION_KIND_CAMPS_ON_THIS_HEX, "Camp of yours on its hex"),
    (effect_pb2.CONDITION_KIND_VILLAGES_TOUCHING, "Village of yours touching a River hex"),
)
# Both are of the rules, not of the pack; how long the river is follows from its tiles.
_FROM: Final = (
    v.ValueProvenance(value_group="copies", provenance=enums.PROVENANCE_INFERRED),
    v.ValueProvenance(value_group="benefit", provenance=enums.PROVENANCE_RULEBOOK),
)
_HEXES: Final = {
    enums.TERRAIN_KIND_RIVER: (
        "draw a Fish, gain it, discard it face up; Rafts go along these hexes (RAF-08, RAF-11)"
    ),
    enums.TERRAIN_KIND_LANDMARK: "score its Landmark (RAF-12)",
}


def fill(words: Words, catalog: v.Catalog) -> None:
    catalog.stones.extend(_stones(words))
    catalog.terrains.extend(_terrains(words))
    catalog.tokens.extend(_fish(words))
    catalog.landmarks.extend(_landmarks(words))
    catalog.river_tiles.extend(_river_tiles(words))


def _landmarks(words: Words) -> list[v.LandmarkInfo]:
    parts = parts_in(words.tables)
    if parts is None:
        return []
    pairs = zip(words.pack.content.entries(LandmarkEntry), parts.landmarks, strict=True)
    found: list[v.LandmarkInfo] = []
    for number, (entry, landmark) in enumerate(pairs):
        scoring = _scoring(words, number, landmark)
        found.append(v.LandmarkInfo(item=item(entry, scoring.text), scoring=scoring))
    return found


def _scoring(words: Words, number: int, landmark: Landmark) -> effect_pb2.Effect:
    kind, text = _COUNTED[number]
    parts = parts_in(words.tables)
    touching = kind == effect_pb2.CONDITION_KIND_VILLAGES_TOUCHING
    return effect_pb2.Effect(
        gains=[effect_pb2.EffectTerm(icon=enums.ICON_POINTS, amount=landmark.each)],
        condition=effect_pb2.Condition(
            kind=kind,
            per=1,
            subject_ids=[words.terrains[parts.river]] if parts is not None and touching else (),
        ),
        timing=effect_pb2.EFFECT_TIMING_ECLIPSE,
        text=f"{phrases.amount(icons.POINT, landmark.each)} for each {text}",
    )


def _river_tiles(words: Words) -> list[v.RiverTileInfo]:
    parts = parts_in(words.tables)
    if parts is None:
        return []
    pairs = zip(words.pack.content.entries(RiverTileEntry), parts.tiles, strict=True)
    found: list[v.RiverTileInfo] = []
    for entry, tile in pairs:
        sides = [[words.terrains[terrain] for terrain in side] for side in tile.sides]
        titles = [[words.tables.terrains[terrain].title for terrain in side] for side in tile.sides]
        place = "in the middle of the river" if tile.central else "at an end of the river"
        text = f"{place}; {' or '.join(', '.join(side) for side in titles)}"
        found.append(
            v.RiverTileInfo(
                item=item(entry, text),
                central=tile.central,
                sides=[
                    v.RiverTileSide(side=SIDES[number], terrain_ids=names)
                    for number, names in enumerate(sides)
                ],
            )
        )
    return found


def _fish(words: Words) -> list[v.TokenInfo]:
    parts = parts_in(words.tables)
    if parts is None:
        return []
    found: list[v.TokenInfo] = []
    for entry, one in zip(words.pack.content.entries(FishEntry), parts.fish, strict=True):
        text = phrases.pool(one.benefit)
        if one.special:
            text += "; then all discarded Fish and this one go back into the pool"
        found.append(
            v.TokenInfo(
                item=item(entry, text, one.copies),
                kind=v.TOKEN_KIND_FISH,
                effects=[effects.benefit(one.benefit) or effect_pb2.Effect()],
                returns_fish=one.special,
            )
        )
    return found


def _terrains(words: Words) -> list[v.TerrainInfo]:
    """River and Landmark hexes: types of hexes that no tile of the base game has."""
    parts = parts_in(words.tables)
    if parts is None:
        return []
    found: list[v.TerrainInfo] = []
    for number in (parts.river, parts.bare):
        terrain = words.tables.terrains[number]
        kind = words.terrain_kinds[number]
        found.append(
            v.TerrainInfo(
                item=v.ItemInfo(
                    id=terrain.name,
                    name=terrain.title,
                    text=_HEXES[kind],
                    copies=terrain.copies,
                    provenance=_FROM,
                ),
                kind=kind,
                benefit=effects.benefit(terrain.benefit) or _SCORED,
            )
        )
    return found


_SCORED: Final = effect_pb2.Effect(
    gains=[effect_pb2.EffectTerm(icon=enums.ICON_SCORE_LANDMARK, amount=1)],
    timing=effect_pb2.EFFECT_TIMING_IMMEDIATE,
    text="score its Landmark",
)


def _stones(words: Words) -> list[v.StoneInfo]:
    """RAF-14."""
    printed = {stone.name: stone for stone in words.tables.stones}
    found: list[v.StoneInfo] = []
    for entry in words.pack.content.entries(RiverStone):
        scoring = effects.stone_scoring(words, printed[entry.id])
        found.append(
            v.StoneInfo(
                item=item(entry, scoring.text), era=enums.ERA_ONE, scoring=scoring, rivers=True
            )
        )
    return found
