"""The Megalith board with its levels: a stacked Megalith lies over the four that carry it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.style import Style

from endless_winter.terminal import places
from endless_winter.terminal.canvas import DIM, cut
from endless_winter.terminal.panels.look import LIT, heading, look
from endless_winter.terminal.seats import badge, letter
from endless_winter.terminal.text import brief

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.terminal.canvas import Canvas
    from endless_winter.terminal.scene import Scene
    from endless_winter.v1 import catalog_pb2, view_public_pb2

WIDTH, HEIGHT = 6, 3
_TILES = ("#3b3f46", "#46423a", "#3a4642", "#423a46")
_GREY = "#5c5c5c"
_LEVELS = "⁰¹²³⁴⁵⁶"
_EDGE = Style(color="#14171c")


class Space(NamedTuple):
    """A space of the board: where it is, on which tile, and what is printed there."""

    x: int
    y: int
    slot: int
    info: catalog_pb2.MegalithSpaceInfo
    arrows: str


def spaces_of(scene: Scene) -> Iterator[Space]:
    """Every space of the board, each tile turned as it lies."""
    board = scene.public.megaliths
    layout = scene.catalog.megalith_layouts.get(board.layout_id)
    if layout is None:
        return
    for slot, (where, tile_id) in enumerate(zip(layout.slots, board.tile_ids, strict=False)):
        tile = scene.catalog.megalith_tiles[tile_id]
        for info in tile.spaces:
            x, y = _turned(info.space, where.turns)
            ends = [_turned(end, where.turns) for end in info.arrow_spaces]
            arrows = "".join(_arrow(end[0] - x, end[1] - y) for end in ends)
            yield Space(where.x + x, where.y + y, slot, info, arrows)


def _turned(space: int, turns: int) -> tuple[int, int]:
    """A space of a tile of 4 by 2, after quarter turns clockwise."""
    x, y = space % 4, space // 4
    return ((x, y), (1 - y, x), (3 - x, 1 - y), (y, 3 - x))[turns % 4]


def _arrow(x: int, y: int) -> str:
    return {(1, 0): "→", (-1, 0): "←", (0, 1): "↓", (0, -1): "↑"}.get((x, y), "·")


def draw(scene: Scene, canvas: Canvas) -> None:
    """Spaces first, then Megaliths from the lowest level up, then sites that can be chosen."""
    spaces = list(spaces_of(scene))
    heading(canvas, 0, "Megalith board", "grey: neutral ones start here · small: level of a stack")
    if not spaces:
        canvas.write(1, 2, "This layout is not in the catalogue.", DIM)
        return
    left = max((canvas.width - WIDTH * (max(one.x for one in spaces) + 1)) // 2, 0)
    top = 2
    for one in spaces:
        _space(scene, canvas, left + one.x * WIDTH, top + one.y * HEIGHT, one)
    for stone in scene.public.megaliths.placed:
        _stone(scene, canvas, left, top, stone)
    standing = {places.site(stone.site) for stone in scene.public.megaliths.placed}
    for place in sorted((scene.offered | scene.lit) - standing, key=str):
        if place.kind == "site" and isinstance(place.which, tuple):
            _free(scene, canvas, left, top, place, place.which)
    _supply(scene, canvas, top + HEIGHT * (max(one.y for one in spaces) + 1) + 1)


def _space(scene: Scene, canvas: Canvas, x: int, y: int, one: Space) -> None:
    place = places.Place("site", (one.x, one.y, 0))
    ground = Style(color="#d8d8d8", bgcolor=_GREY if one.info.grey else _TILES[one.slot % 4])
    style = look(scene, place, ground)
    canvas.fill(x, y, WIDTH, HEIGHT, style + Style(underline=False), place)
    words = ["start", one.arrows] if one.info.grey else brief(one.info.benefit)
    for line, text in enumerate(words[:2]):
        canvas.write(x, y + line, f"{cut(text, WIDTH):^{WIDTH}}", style, place)
    edge = style + _EDGE + Style(underline=False)
    for line in range(HEIGHT):
        if line >= len(words) or len(words[line]) < WIDTH:
            canvas.write(x + WIDTH - 1, y + line, "▕", edge)
    canvas.write(x, y + HEIGHT - 1, "▁" * WIDTH, edge)


def _corner(left: int, top: int, where: tuple[int, ...]) -> tuple[int, int]:
    """The upper left cell of a Megalith that is drawn 4 by 2."""
    x, y, level = where
    return left + x * WIDTH + level * WIDTH // 2 + 1, top + y * HEIGHT + (level * HEIGHT + 1) // 2


def _stone(
    scene: Scene, canvas: Canvas, left: int, top: int, stone: view_public_pb2.MegalithPlaced
) -> None:
    place = places.site(stone.site)
    x, y = _corner(left, top, (stone.site.x, stone.site.y, stone.site.level))
    owner = None if stone.neutral else stone.seat
    style = LIT if place in scene.lit else badge(owner)
    level = _LEVELS[min(stone.site.level, 6)] if stone.site.level else ""
    mark = "▒▒" if owner is None else f"{letter(owner)}{level}"
    if not stone.site.level:
        canvas.fill(x - 1, y, WIDTH, HEIGHT, style, place)
        canvas.write(x + 4, y, "▕", style + _EDGE)
        canvas.write(x + 4, y + 1, "▕", style + _EDGE)
        canvas.write(x - 1, y + 2, "▁" * WIDTH, style + _EDGE)
    canvas.fill(x, y, 4, 2, style, place)
    canvas.write(x, y, f"{mark:^4}", style, place)
    if stone.site.level:
        canvas.write(x, y + 1, "▔▔▔▔", style, place)


def _free(
    scene: Scene, canvas: Canvas, left: int, top: int, place: places.Place, where: tuple[int, ...]
) -> None:
    """A place on top of others where one may be set."""
    if where[2] == 0:
        return  # the space itself is shown as offered
    x, y = _corner(left, top, where)
    style = LIT if place in scene.lit else Style(color="#ffe14d", bgcolor="#14171c")
    canvas.fill(x, y, 4, 2, style, place)
    canvas.write(x, y, f"+{_LEVELS[min(where[2], 6)]}", style, place)


def _supply(scene: Scene, canvas: Canvas, y: int) -> None:
    x = 1
    for player in scene.public.players:
        x = canvas.write(x, y, f" {letter(player.seat)} ", badge(player.seat))
        left = f" {player.neutral_megaliths} neutral + {player.coloured_megaliths} own   "
        x = canvas.write(x, y, left)
        if x > canvas.width - 22:
            x, y = 1, y + 1
