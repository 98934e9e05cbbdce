"""The Terrain board: 19 hexes with Camps, Villages and Influence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style

from endless_winter.terminal import places
from endless_winter.terminal.canvas import cut
from endless_winter.terminal.panels import shore
from endless_winter.terminal.panels.look import LIT, look
from endless_winter.terminal.seats import badge, letter
from endless_winter.terminal.text import brief
from endless_winter.v1 import enums_pb2 as enums

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from endless_winter.terminal.canvas import Canvas
    from endless_winter.terminal.scene import Scene
    from endless_winter.v1 import catalog_pb2, ids_pb2, view_public_pb2

WIDTH, PITCH = 12, 4  # of a hex, and from one row of hexes to the next
SIZE = (5 * WIDTH, 5 * PITCH + 1)
_EDGE = Style(color="#14171c")
_RISE = "\N{BOX DRAWINGS LIGHT DIAGONAL UPPER RIGHT TO LOWER LEFT}"
_FALL = "\N{BOX DRAWINGS LIGHT DIAGONAL UPPER LEFT TO LOWER RIGHT}"
_COLOURS = {
    "base": "#4a4a50",
    "canyon": "#7a4030",
    "glacier": "#5d7f96",
    "highland": "#5f5470",
    "lakeshore": "#24557f",
    "marsh": "#3d5a4c",
    "river": "#1b62c4",
    "steppe": "#6e6428",
    "woodland": "#2a5c2e",
}
_OTHER = "#3c5f73"  # a terrain of a pack or module that we do not know
_LANDMARK = "#7d3a78"  # whatever stands there


def draw(scene: Scene, canvas: Canvas) -> None:
    """All hexes, then what stands where three of them meet."""
    left = max((canvas.width - SIZE[0]) // 2, 0)
    top = max((canvas.height - SIZE[1]) // 2, 0)
    board = _Board(scene, canvas, left, top)
    touched = _touched(scene)
    for hex_view in scene.public.terrain.hexes:
        board.hex(hex_view, with_influence=hex_view.hex in touched)
    shore.draw(scene, canvas, board.centres, (left, top, *SIZE))
    board.junctures()


def _touched(scene: Scene) -> set[int]:
    """Hexes where Influence is more than the Camps that stand there."""
    found: set[int] = set()
    for one in scene.public.terrain.hexes:
        camps = {count.seat: count.count for count in one.camps}
        if any(camps.get(count.seat, 0) != count.count for count in one.influence):
            found.add(one.hex)
    return found


class _Board:
    def __init__(self, scene: Scene, canvas: Canvas, left: int, top: int) -> None:
        self.scene = scene
        self.canvas = canvas
        geometry = scene.catalog.geometry
        self.centres = {
            one.hex: (
                left + SIZE[0] // 2 + (2 * one.q + one.r) * WIDTH // 2,
                top + (one.r + 2) * PITCH,
            )
            for one in geometry.hexes
        }
        self.taken = set(self.centres.values())
        self.currents = shore.currents(scene)
        self.on_river_tiles = shore.beside_the_river(scene)
        self.corners = geometry.junctures

    def hex(self, one: view_public_pb2.HexView, *, with_influence: bool) -> None:
        x, y = self.centres[one.hex]
        place = places.hex_place(one.hex)
        terrain = self.scene.catalog.terrains.get(one.terrain_id)
        other = _LANDMARK if one.kind == enums.TERRAIN_KIND_LANDMARK else _OTHER
        ground = Style(color="#f4f4f4", bgcolor=_COLOURS.get(one.terrain_id, other))
        style = look(self.scene, place, ground)
        bare = style + Style(underline=False, bold=False)
        edge = bare if place in self.scene.lit else bare + _EDGE
        canvas, half = self.canvas, WIDTH // 2
        self._top(x, y, place, bare, edge)
        for line in range(1, PITCH):
            canvas.fill(x - half, y + line, WIDTH, 1, bare, place)
            canvas.write(x - half, y + line, "▏", edge)
        canvas.write(x - half // 2, y + PITCH, f"{_FALL}    {_RISE}", edge, place)
        last = bare
        if one.hex in self.currents:
            shore.draw_current(self.scene, canvas, (x - half, y + 2, WIDTH), one.hex, bare)
        if one.hex in self.currents and one.camps:  # no line is left for the name
            self._seats(x, y + 1, "", one.camps, place)
            last = style
        else:
            self._centred(x, y + 1, self._title(one, terrain), style, place)
            self._seats(x, y + 2, "", one.camps, place)
        if with_influence:
            self._seats(x, y + 3, f"#{one.hex}♦", one.influence, place, last)
        else:
            self._centred(x, y + 3, self._gift(one, terrain), last, place)

    def _top(self, x: int, y: int, place: places.Place, bare: Style, edge: Style) -> None:
        """The upper corner; its sides are drawn by the hexes above, where there are any."""
        half = WIDTH // 2
        self.canvas.fill(x - half // 2, y, half, 1, bare, place)
        if (x - half, y - PITCH) not in self.taken:
            self.canvas.write(x - half // 2, y, _RISE, edge)
        if (x + half, y - PITCH) not in self.taken:
            self.canvas.write(x + half // 2 - 1, y, _FALL, edge)

    def _title(self, one: view_public_pb2.HexView, terrain: catalog_pb2.TerrainInfo | None) -> str:
        name = terrain.item.name if terrain is not None else one.terrain_id
        if one.landmark_id:
            name = f"{shore.LANDMARK}{self.scene.catalog.title(one.landmark_id)}"
        elif one.hex in self.on_river_tiles and one.hex not in self.currents:
            name += shore.WAVE
        if one.HasField("glacier_token"):
            name += " ◆" if one.glacier_token.revealed else " ?"
        return cut(name, WIDTH - 2)

    def _gift(self, one: view_public_pb2.HexView, terrain: catalog_pb2.TerrainInfo | None) -> str:
        words: list[str] = []
        if one.glacier_token.token_id:
            token = self.scene.catalog.tokens.get(one.glacier_token.token_id)
            words = [word for effect in token.effects for word in brief(effect)] if token else []
        elif terrain is not None and one.kind != enums.TERRAIN_KIND_BASE:
            words = brief(terrain.benefit)
        number = f"#{one.hex} "
        initials = [word[:3].replace(" ", "") if word[0].isdigit() else word for word in words]
        for text in (" ".join(words), " ".join(initials), "".join(initials)):
            if len(number + text) < WIDTH:
                break
        return cut(f"{number}{text}".rstrip(), WIDTH - 1)

    def _centred(self, x: int, y: int, text: str, style: Style, place: places.Place) -> None:
        self.canvas.write(x - len(text) // 2, y, text, style, place)

    def _seats(
        self,
        x: int,
        y: int,
        head: str,
        counts: Iterable[ids_pb2.SeatCount],
        place: places.Place,
        style: Style | None = None,
    ) -> None:
        """Numbers of seats beside one another, each on its colour."""
        shown = [(count.seat, f"{letter(count.seat)}{count.count}") for count in counts]
        gap = 1 if len(head) + 3 * len(shown) <= WIDTH else 0
        width = len(head) + sum(len(text) + gap for _, text in shown) - gap
        at = x - (width + 1) // 2
        if head:
            at = self.canvas.write(at, y, head, style or LIT, place)
        for seat, text in shown:
            at = self.canvas.write(at, y, text, badge(seat), place) + gap

    def junctures(self) -> None:
        villages = {one.juncture: one for one in self.scene.public.terrain.villages}
        mammoth = shore.mammoth_at(self.scene)
        for number, x, y in self._corner_points():
            place = places.juncture(number)
            village = villages.get(number)
            if village is not None:
                mark = "⌂" if not village.nomad_token else "○"
                self.canvas.write(
                    x - 1, y, f"{mark}{letter(village.seat)}", badge(village.seat), place
                )
            elif mammoth == number:
                shore.draw_mammoth(self.scene, self.canvas, x - 1, y)
            elif place in self.scene.lit or place in self.scene.offered:
                style = (
                    LIT if place in self.scene.lit else Style(color="#ffe14d", bgcolor="#14171c")
                )
                self.canvas.write(x - 1, y, f"◇{number}", style, place)

    def _corner_points(self) -> Iterator[tuple[int, int, int]]:
        """Each juncture and the cell where its three hexes meet."""
        for corner in self.corners:
            points = [self.centres[number] for number in corner.hexes]
            rows = [y for _, y in points]
            alone = next(point for point in points if rows.count(point[1]) == 1)
            yield corner.juncture, alone[0], max(rows)
