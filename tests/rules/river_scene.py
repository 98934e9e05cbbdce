"""Scenes on the river: a board that is always the same, so that hexes can be named.

The Headwaters are in the west: places 1 to 5 of the river are hexes 15, 5, 0, 2, 9, so a Raft on
place 3 is in the centre. Landmark hexes are 16, 6 and 8, as far as Landmarks are named; else 16 and
8 are Glaciers. Hex 1 is steppe, all others are canyons.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from endless_winter.rules.rivers import area, codes, fish
from endless_winter.rules.rivers.agreed import RiversRules
from endless_winter.rules.rivers.parts import parts_in
from endless_winter.rules.zones import EMPTY
from tests.rules.nomad_scene import SoloScene, solo
from tests.rules.scene import TABLES, TERRAINS, Scene, scene

if TYPE_CHECKING:
    from endless_winter.rules.state import Position

_PARTS = parts_in(TABLES)
assert _PARTS is not None
PARTS = _PARTS
FISH = {one.name: number for number, one in enumerate(PARTS.fish)}
RIVER = (15, 5, 0, 2, 9)
LANDMARK_HEXES = (6, 16, 8)  # the central one first: it is always there
INDEX = 0  # among the modules
HEADWATERS, DELTA = 0, 6
START = 19  # a Starting Base among the places of Camps

_TILES = bytes((2, 15, 5, 16, 0, 0, 6, 1, 4, 9, 2, 8))
_STEPPE = 1


def river(
    *landmarks: str,
    players: int = 2,
    modules: tuple[str, ...] = (),
    round_: int = 1,
    bases: tuple[int, ...] = (0, 4, 6, 8),
) -> RiverScene:
    """A bare table with these Landmarks on hexes 6, 16, 8; Rafts at home, Bases attached."""
    named = landmarks or ("volcano",)
    rules = RiversRules(len(named))
    position = scene(players, modules=(rules, *modules), round_=round_).position
    lay_out(position, named, bases[:players])
    return RiverScene(position).turn(0)


def solo_river(*landmarks: str) -> SoloRiverScene:
    """The same board for the player in seat 0 and the Nomad in seat 1 (nomad_scene.py)."""
    named = landmarks or ("volcano",)
    position = solo(modules=(RiversRules(len(named)),)).position
    lay_out(position, named, (0,))
    return SoloRiverScene(position)


def lay_out(position: Position, named: tuple[str, ...], bases: tuple[int, ...]) -> None:
    terrain = bytearray(bytes((TERRAINS["canyon"],)) * 19)
    for hex_ in RIVER:
        terrain[hex_] = PARTS.river
    terrain[_STEPPE] = TERRAINS["steppe"]
    for number, hex_ in enumerate(LANDMARK_HEXES):
        terrain[hex_] = TERRAINS[named[number]] if number < len(named) else TERRAINS["glacier"]
    position.terrain = bytes(terrain)
    sites = bytes(bases) + bytes((EMPTY,)) * (4 - len(bases))
    state = area.new_state(bytes(RIVER), _TILES)
    position.module_state[INDEX] = state[: area.BASES_AT] + sites + state[area.BASES_AT + 4 :]
    area.set_fish(position, INDEX, fish.all_fish(position), b"")


class RiverScene(Scene):
    """A scene with the pieces of the expansion by name."""

    @property
    def state(self) -> bytes:
        return self.position.module_state[INDEX]

    def rafts(self, *places: int) -> Self:
        """Where the Rafts are, by seat."""
        for seat, place in enumerate(places):
            area.set_byte(self.position, INDEX, area.RAFTS_AT + seat, place)
        return self._again()

    def raft(self, seat: int) -> int:
        return area.raft_of(self.position, INDEX, seat)

    def fish(self, *names: str, discarded: tuple[str, ...] = ()) -> Self:
        """The next Fish of the pool; the others of the 15 that are not discarded follow."""
        rest = list(fish.all_fish(self.position))
        for name in (*names, *discarded):
            rest.remove(FISH[name])
        pool = bytes([*(FISH[name] for name in names), *rest])
        area.set_fish(self.position, INDEX, pool, bytes(FISH[name] for name in discarded))
        return self._again()

    def pool(self) -> list[str]:
        return [PARTS.fish[one].name for one in area.fish_pool(self.state)]

    def discarded(self) -> list[str]:
        return [PARTS.fish[one].name for one in area.fish_discarded(self.state)]

    def drawn(self) -> list[str]:
        """The Fish drawn since somebody listens."""
        return [PARTS.fish[e[2]].name for e in self.events if e[0] == codes.FISH_DRAWN]


class SoloRiverScene(SoloScene, RiverScene):
    """A solo scene on the river."""


def landmark_hexes(position: Position) -> list[int]:
    return [hex_ for hex_, terrain in enumerate(position.terrain) if terrain > PARTS.bare]
