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
    from collections.abc import Iterator, Sequence

    from endless_winter.terminal.canvas import Canvas
    from endless_winter.terminal.scene import Scene
    from endless_winter.v1 import catalog_pb2, view_public_pb2

WIDTH, PITCH = 12, 4  # of a hex, and from one row of hexes to the next
SIZE = (5 * WIDTH, 5 * PITCH + 1)
_WIDE, _HIGH = 16, 5  # the same where there is room: words need not be cut
BEST = (5 * _WIDE, 5 * _HIGH + 1)
_EDGE = Style(color="#14171c")
_CHANGED = Style(color="#ffe14d", bold=True)
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
    roomy = canvas.width >= BEST[0] and canvas.height >= BEST[1]
    board = _Board(scene, canvas, *((_WIDE, _HIGH) if roomy else (WIDTH, PITCH)))
    for hex_view in scene.public.terrain.hexes:
        board.hex(hex_view)
    shore.draw(scene, canvas, board.centres, board.frame)
    board.junctures()


class _Board:
    def __init__(self, scene: Scene, canvas: Canvas, width: int, pitch: int) -> None:
        self.scene = scene
        self.canvas = canvas
        self.width = width
        self.pitch = pitch
        wide, high = 5 * width, 5 * pitch + 1
        left = max((canvas.width - wide) // 2, 0)
        top = max((canvas.height - high) // 2, 0)
        self.frame = (left, top, wide, high)
        geometry = scene.catalog.geometry
        self.centres = {
            one.hex: (
                left + wide // 2 + (2 * one.q + one.r) * width // 2,
                top + (one.r + 2) * pitch,
            )
            for one in geometry.hexes
        }
        self.taken = set(self.centres.values())
        self.currents = shore.currents(scene)
        self.on_river_tiles = shore.beside_the_river(scene)
        self.corners = geometry.junctures

    def hex(self, one: view_public_pb2.HexView) -> None:
        """Name, Camps with Influence, benefit; on a River hex the water is between them."""
        x, y = self.centres[one.hex]
        place = places.hex_place(one.hex)
        terrain = self.scene.catalog.terrains.get(one.terrain_id)
        other = _LANDMARK if one.kind == enums.TERRAIN_KIND_LANDMARK else _OTHER
        ground = Style(color="#f4f4f4", bgcolor=_COLOURS.get(one.terrain_id, other))
        style = look(self.scene, place, ground)
        bare = style + Style(underline=False, bold=False)
        edge = bare if place in self.scene.lit else bare + _EDGE
        canvas, half = self.canvas, self.width // 2
        self._top(x, y, place, bare, edge)
        for line in range(1, self.pitch):
            canvas.fill(x - half, y + line, self.width, 1, bare, place)
            canvas.write(x - half, y + line, "▏", edge)
        side = " " * (half - 2)
        canvas.write(x - half // 2, y + self.pitch, f"{_FALL}{side}{_RISE}", edge, place)
        last = y + self.pitch - 1
        lines = [y + 1, y + 2] if self.pitch == PITCH else [y + 1, y + 3]
        flows = one.hex in self.currents
        if flows:
            water = (x - half, y + 2, self.width)
            shore.draw_current(self.scene, canvas, water, one.hex, bare)
        counts = self._counts(one)
        # A low River hex has no line for both; its colour and its water say what it is.
        if not (flows and counts and self.pitch == PITCH):
            self._centred(x, lines[0], self._title(one, terrain), style, place)
        self._seats(x, lines[0] if flows and self.pitch == PITCH else lines[1], counts, place)
        self._centred(x, last, self._gift(one, terrain), style, place)
        if place in self.scene.changed:
            canvas.write(x + half - 1, y + 1, places.CHANGED, bare + _CHANGED, place)

    def _counts(self, one: view_public_pb2.HexView) -> list[tuple[int, str]]:
        """By seat: its Camps, and its Influence where that is another number ("A2♦4")."""
        camps = {count.seat: count.count for count in one.camps}
        influence = {count.seat: count.count for count in one.influence}
        found = []
        for seat in sorted(camps.keys() | influence.keys()):
            own, all_ = camps.get(seat, 0), influence.get(seat, 0)
            text = str(own) if own else ""
            if all_ and all_ != own:
                text += f"♦{all_}"
            found.append((seat, f"{letter(seat)}{text}"))
        if sum(len(text) for _, text in found) >= self.width:  # who leads says more then
            found = [(seat, f"{letter(seat)}♦{influence.get(seat, 0)}") for seat, _ in found]
        return found

    def _top(self, x: int, y: int, place: places.Place, bare: Style, edge: Style) -> None:
        """The upper corner; its sides are drawn by the hexes above, where there are any."""
        half = self.width // 2
        self.canvas.fill(x - half // 2, y, half, 1, bare, place)
        if (x - half, y - self.pitch) not in self.taken:
            self.canvas.write(x - half // 2, y, _RISE, edge)
        if (x + half, y - self.pitch) not in self.taken:
            self.canvas.write(x + half // 2 - 1, y, _FALL, edge)

    def _title(self, one: view_public_pb2.HexView, terrain: catalog_pb2.TerrainInfo | None) -> str:
        name = terrain.item.name if terrain is not None else one.terrain_id
        if one.landmark_id:
            name = f"{shore.LANDMARK}{self.scene.catalog.title(one.landmark_id)}"
        elif one.hex in self.on_river_tiles and one.hex not in self.currents:
            name += shore.WAVE
        if one.HasField("glacier_token"):
            name += " ◆" if one.glacier_token.revealed else " ?"
        return cut(name, self.width - 2)

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
            if len(number + text) < self.width:
                break
        return cut(f"{number}{text}".rstrip(), self.width - 1)

    def _centred(self, x: int, y: int, text: str, style: Style, place: places.Place) -> None:
        self.canvas.write(x - len(text) // 2, y, text, style, place)

    def _seats(
        self, x: int, y: int, counts: Sequence[tuple[int, str]], place: places.Place
    ) -> None:
        """Numbers of seats beside one another, each on its colour."""
        length = sum(len(text) for _, text in counts)
        gap = 1 if length + len(counts) <= self.width else 0
        at = x - (length + gap * (len(counts) - 1) + 1) // 2
        for seat, text in counts:
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
