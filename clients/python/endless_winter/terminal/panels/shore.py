"""Rivers & Rafts and the Mammoth on the Terrain board: what flows through it and lies around it.

The board fills its page, so the Headwaters and the Delta lie in free corners of it, and a stream
leads along the rim to the first River hex and away from the last one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style

from endless_winter.terminal import places
from endless_winter.terminal.canvas import DIM
from endless_winter.terminal.panels.look import LIT, OFFERED, look
from endless_winter.terminal.seats import badge, letter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from endless_winter.terminal.canvas import Canvas
    from endless_winter.terminal.scene import Scene

PLACES = ("river", "starting base", "base site", "fish", "mammoth")
LANDMARK = "◈"
WAVE = "≈"
RAFT = "≡"
MAMMOTH = "Mm"
WATER = Style(color="#9cc8ff", bgcolor="#1b62c4")
_STREAM = Style(color="#9cc8ff", bgcolor="#123f7d")
_BOX = 11  # columns of the Headwaters, the Delta and the Fish
_SITE = 4  # of a Starting Base
_NEIGHBOURS = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))


def currents(scene: Scene) -> dict[int, int]:
    """The place on the river of each River hex."""
    return {hex_: place for place, hex_ in enumerate(scene.public.rivers.river_hexes, 1)}


def beside_the_river(scene: Scene) -> set[int]:
    """The hexes of River tiles, also those with a Landmark, a Glacier or land."""
    return {hex_ for tile in scene.public.rivers.tiles for hex_ in tile.hexes}


def rafts_at(scene: Scene, river_place: int) -> list[int]:
    """The seats whose Rafts are there."""
    return [raft.seat for raft in scene.public.rivers.rafts if raft.river_place == river_place]


def mammoth_at(scene: Scene) -> int | None:
    """The juncture of the Mammoth; None: it is not on the board, or not in the game."""
    mammoth = scene.public.mammoth
    return mammoth.juncture if mammoth.HasField("juncture") else None


def draw_current(
    scene: Scene, canvas: Canvas, line: tuple[int, int, int], hex_: int, style: Style
) -> None:
    """The water across a hex, with the Rafts on it, and an arrow in which way it flows."""
    x, y, width = line
    place = places.hex_place(hex_)
    lit = place in scene.lit
    water = style if lit else style + Style(color=WATER.color)
    waves = WAVE * (width - 2)
    course = f"{waves}→" if _flows_east(scene) else f"←{waves}"
    canvas.write(x + 1, y, course, water, place)
    rafts = rafts_at(scene, currents(scene)[hex_])
    _rafts(canvas, x + (width - 3 * len(rafts)) // 2 + 1, y, rafts, place)


def _rafts(canvas: Canvas, x: int, y: int, seats: Iterable[int], place: places.Place) -> None:
    for seat in seats:
        x = canvas.write(x, y, f"{RAFT}{letter(seat)}", badge(seat), place) + 1


def _flows_east(scene: Scene) -> bool:
    """Whether the Headwaters are in the west."""
    hexes = scene.public.rivers.river_hexes
    across = {one.hex: 2 * one.q + one.r for one in scene.catalog.geometry.hexes}
    return not hexes or across[hexes[0]] < across[hexes[-1]]


def draw(
    scene: Scene,
    canvas: Canvas,
    centres: dict[int, tuple[int, int]],
    frame: tuple[int, int, int, int],
) -> None:
    """Everything around the board; `frame` is where it is: left, top, width, height."""
    left, top, width, height = frame
    rivers = scene.public.rivers
    right, bottom = left + width, top + height - 1
    east = _flows_east(scene)
    if rivers.river_hexes:
        first, last = (centres[rivers.river_hexes[end]][1] for end in (0, -1))
        rims = (left, right - 2) if east else (right - 2, left)
        corners = (left, right - _BOX) if east else (right - _BOX, left)
        _stream(canvas, rims[0], range(top + 2, first + 1))
        _stream(canvas, rims[1], range(last + (height - 1) // 5, bottom - 1))
        _water(scene, canvas, corners[0], top, "Headwaters", 0)
        _water(scene, canvas, corners[1], bottom - 1, "Delta", len(rivers.river_hexes) + 1)
        _fish(scene, canvas, corners[1], top)
        _bases(scene, canvas, centres)
    if scene.public.HasField("mammoth") and mammoth_at(scene) is None:
        x = left if east else right - _BOX
        draw_mammoth(scene, canvas, x, bottom)
        canvas.write(x + 3, bottom, "Mammoth", DIM, places.MAMMOTH)


def _stream(canvas: Canvas, x: int, lines: Iterable[int]) -> None:
    for y in lines:
        canvas.write(x, y, WAVE * 2, _STREAM)


def _water(scene: Scene, canvas: Canvas, x: int, y: int, name: str, number: int) -> None:
    """The Headwaters or the Delta with the Rafts on it."""
    place = places.river(number)
    style = look(scene, place, WATER + Style(color="#ffffff"))
    canvas.fill(x, y, _BOX, 2, style + Style(underline=False), place)
    canvas.write(x, y, name, style, place)
    _rafts(canvas, x, y + 1, rafts_at(scene, number), place)


def _fish(scene: Scene, canvas: Canvas, x: int, y: int) -> None:
    rivers = scene.public.rivers
    gone = sum(one.count for one in rivers.fish_discarded)
    style = look(scene, places.FISH, DIM)
    canvas.write(x, y, f"Fish {rivers.fish_pool_count:>6}", style, places.FISH)
    canvas.write(x, y + 1, f"caught {gone:>4}", style, places.FISH)


def draw_mammoth(scene: Scene, canvas: Canvas, x: int, y: int) -> None:
    canvas.write(x, y, MAMMOTH, look(scene, places.MAMMOTH, badge(None)), places.MAMMOTH)


def _bases(scene: Scene, canvas: Canvas, centres: dict[int, tuple[int, int]]) -> None:
    """Starting Bases at the rim, and where one can be attached."""
    for base in scene.public.rivers.starting_bases:
        place = places.starting_base(base.seat)
        text = f"[{letter(base.seat)}{base.camps or ' '}]"
        x, y = _outside(scene, centres, base.first_hex, base.second_hex)
        style = LIT if place == scene.main else look(scene, place, badge(base.seat))
        canvas.write(x, y, text, style, place)
    for place in scene.offered | scene.lit:
        if place.kind == "base site":
            assert isinstance(place.which, tuple)
            x, y = _outside(scene, centres, *place.which)
            free = OFFERED + Style(color="#ffe14d", bgcolor="#14171c", underline=False)
            canvas.write(x, y, "[  ]", LIT if place in scene.lit else free, place)


def _outside(
    scene: Scene, centres: dict[int, tuple[int, int]], first: int, second: int
) -> tuple[int, int]:
    """The first cell of what touches these two hexes from outside."""
    axial = {one.hex: (one.q, one.r) for one in scene.catalog.geometry.hexes}
    board = {where: hex_ for hex_, where in axial.items()}
    around = [
        {(q + step_q, r + step_r) for step_q, step_r in _NEIGHBOURS}
        for q, r in (axial[first], axial[second])
    ]
    q, r = next(where for where in around[0] & around[1] if where not in board)
    (x1, y1), (x2, y2) = centres[first], centres[second]
    if y1 == y2:  # in the notch above or below them
        pitch = min(abs(y - y1) for _, y in centres.values() if y != y1)
        return (x1 + x2) // 2 - _SITE // 2, y1 if r < axial[first][1] else y1 + pitch
    # Beside the upper corner of the lower hex, or below the lower corner of the upper one.
    (upper, _), (lower, y) = sorted(((x1, y1), (x2, y2)), key=lambda one: one[1])
    above = r == min(axial[first][1], axial[second][1])
    corner = lower if above else upper
    at_left = 2 * q + r < 0
    return corner - _SITE if at_left else corner, y - 1 if above else y + 1
