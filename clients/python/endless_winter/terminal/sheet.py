"""The whole screen as one drawing: what is where at which size."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.style import Style

from endless_winter.terminal import places
from endless_winter.terminal.canvas import DIM, GROUND, Canvas, cut, wrapped
from endless_winter.terminal.panels import PANELS, Panel, columns, decision, tray
from endless_winter.terminal.panels.look import look
from endless_winter.terminal.places import Place
from endless_winter.terminal.seats import badge, ink, letter
from endless_winter.terminal.view_text import turn_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from endless_winter.sdk import Option
    from endless_winter.terminal.picker import Picker
    from endless_winter.terminal.scene import Scene


LEAST = (100, 32)
PAGE = 60  # columns of a page
LEAST_RIGHT, MOST_RIGHT = 40, 60  # columns for the options
_BAR = Style(color="#e8ecf2", bgcolor="#27405c", bold=True)
_TAB = Style(color="#a8b0bc", bgcolor="#20252d")
_TAB_NOW = Style(color="#14171c", bgcolor="#f2e2b0", bold=True)
_KEY = Style(color="#ffe14d", bgcolor="#20252d", bold=True)
_FOOT = Style(color="#a8b0bc", bgcolor="#20252d")


@dataclass
class Sheet:
    """What is on the screen now."""

    scene: Scene | None = None
    picker: Picker | None = None
    asking: Option | None = None
    """An option that waits for a second yes."""
    why: str = ""
    page: str = "Terrain"
    waiting: str = "Starting …"
    note: str = ""
    hover: Place | None = None
    clocks: dict[int, str] = field(default_factory=dict)
    step: tuple[int, int] | None = None
    """In a replay: the step shown and the last one."""
    can_undo: bool = False
    rematch: bool = False
    """Whether the same game can be played again from here."""
    shown: frozenset[str] = frozenset()
    """The pages that were to be seen when the sheet was drawn last."""


def pages(scene: Scene) -> list[Panel]:
    return [panel for panel in PANELS if panel.wanted(scene)]


def page_of(place: Place) -> str | None:
    """The page that shows a place; None: it is on no page, or always to be seen."""
    return next((panel.name for panel in PANELS if place.kind in panel.shows), None)


def draw(sheet: Sheet, width: int, height: int) -> Canvas:
    """The screen at a size."""
    canvas = Canvas(width, height)
    if width < LEAST[0] or height < LEAST[1]:
        _too_small(canvas)
        return canvas
    scene = sheet.scene
    if scene is None:
        canvas.fill(0, 0, width, 1, _BAR)
        canvas.write(1, 0, "Endless Winter", _BAR)
        lines = wrapped(sheet.waiting, width - 4)
        for y, text in enumerate(lines, 2):
            canvas.write(2, y, text, GROUND)
        canvas.write(2, 3 + len(lines), "q leaves; a game on a server waits for you.", DIM)
        return canvas
    left, right = split(width)
    low = 6 if height < 36 else 7 if height < 46 else 8
    _header(sheet, scene, canvas)
    _put(canvas, 0, 1, left, columns.HEIGHT, lambda part: columns.draw(scene, part))
    top = 1 + columns.HEIGHT
    shown = arrange(scene, sheet.page, left, height - top - 2 - low)
    sheet.shown = frozenset(panel.name for panel, *_ in shown)
    _tabs(sheet, scene, canvas, top, left)
    for panel, x, y, wide, high in shown:
        _put(canvas, x, top + 1 + y, wide, high, lambda part, panel=panel: panel.draw(scene, part))
    high = len(scene.public.players) + 1
    _put(canvas, left, 1, right, high, lambda part: _standings(scene, part, sheet.clocks))
    _put(
        canvas,
        left,
        1 + high,
        right,
        height - 2 - high - low,
        lambda part: decision.draw(sheet, scene, part),
    )
    _put(canvas, 0, height - 1 - low, width, low, lambda part: tray.draw(scene, part))
    _footer(sheet, canvas, height - 1)
    return canvas


def split(width: int) -> tuple[int, int]:
    """Columns for the board area and for the options: pages side by side as soon as they fit."""
    pages_wide = (width - LEAST_RIGHT) // PAGE
    right = min(MOST_RIGHT, width - max(pages_wide, 1) * PAGE)
    return width - right, right


def _put(canvas: Canvas, x: int, y: int, width: int, height: int, paint: object) -> None:
    part = Canvas(max(width, 1), max(height, 0))
    assert callable(paint)
    paint(part)
    canvas.blit(part, x, y)


def arrange(
    scene: Scene, page: str, width: int, height: int
) -> list[tuple[Panel, int, int, int, int]]:
    """Which pages are to be seen, and where: the chosen one, and others where there is room."""
    wanted = pages(scene)
    chosen = next((panel for panel in wanted if panel.name == page), wanted[0])
    across = max(1, width // PAGE)
    wide = width // across
    found: list[tuple[Panel, int, int, int, int]] = []
    others = [panel for panel in wanted if panel is not chosen and panel.beside]
    waiting = [chosen, *sorted(others, key=lambda panel: panel.beside)]
    for column in range(across):
        y = 0
        while waiting and height - y >= 6:
            fits = [panel for panel in waiting if panel.size[1] <= height - y]
            if not fits:
                break
            panel = fits[0]
            waiting.remove(panel)
            left = height - y
            # A page may take what it makes use of, if another still fits below it.
            fitting = [
                lines
                for lines in (panel.best[1] if wide >= panel.best[0] else 0, panel.size[1])
                if lines and any(one.size[1] + 1 <= left - lines for one in waiting)
            ]
            high = fitting[0] if fitting else left
            found.append((panel, column * wide, y, wide, high))
            y += high + 1
    return found


def _header(sheet: Sheet, scene: Scene, canvas: Canvas) -> None:
    canvas.fill(0, 0, canvas.width, 1, _BAR)
    x = canvas.write(1, 0, "Endless Winter", _BAR) + 2
    text = f" step {sheet.step[0]} of {sheet.step[1]} " if sheet.step is not None else " "
    room = canvas.width - len(text)
    canvas.write(x, 0, cut(turn_text(scene), room - x), _BAR + Style(bold=False))
    canvas.write(room, 0, text, _BAR)


def _tabs(sheet: Sheet, scene: Scene, canvas: Canvas, y: int, width: int) -> None:
    canvas.fill(0, y, width, 1, _TAB)
    x = 0
    found = pages(scene)
    letters = sum(len(panel.name) for panel in found)
    gap = " " if letters + 3 * len(found) <= width else ""
    longest = 9 if letters + 2 * len(found) <= width else 6
    for panel in found:
        now = panel.name == sheet.page
        style = _TAB_NOW if now else _TAB
        place = Place("page", panel.name)
        name = cut(panel.name, longest)
        x = canvas.write(x, y, f"{gap}{name} ", style, place)
        x = canvas.write(x, y, panel.key, style if now else _KEY, place)
        if not now and panel.name in sheet.shown:
            canvas.restyle(x - 2 - len(name), y, len(name), Style(color="#ffffff"))


def _footer(sheet: Sheet, canvas: Canvas, y: int) -> None:
    canvas.fill(0, y, canvas.width, 1, _FOOT)
    x = 1
    if sheet.step is not None:
        keys = [
            ("←→", "step"),
            ("Home End", "start, end"),
            ("PgUp PgDn", "ten steps"),
            ("e", "eyes"),
        ]
    elif sheet.picker is not None:
        keys = [("↑↓", "option"), ("Enter", "do it"), ("1 2 …", "at once")]
        if sheet.can_undo:
            keys.append(("u", "undo"))
        if sheet.picker.decision.offers:
            keys.append(("w", "why not"))
    else:
        keys = []
    for key, what in (*keys, ("Tab", "page"), ("/", "look up"), ("?", "help"), ("q", "leave")):
        x = canvas.write(x, y, key, _KEY, Place("key", key))
        x = canvas.write(x + 1, y, what, _FOOT, Place("key", key)) + 2


def _too_small(canvas: Canvas) -> None:
    has = f"{canvas.width} columns and {canvas.height} lines"
    lines = (
        "This window is too small for the board.",
        f"It has {has}; {LEAST[0]} by {LEAST[1]} are needed.",
        "Make it larger (the game waits), or leave with Ctrl+Q",
        "and play in lines: ew play --plain",
    )
    rows = [line for text in lines for line in wrapped(text, max(canvas.width - 2, 1))]
    for y, text in enumerate(rows):
        canvas.write(1, y, text)


def _standings(scene: Scene, canvas: Canvas, clocks: Mapping[int, str] | None = None) -> None:
    """One line per seat, in turn order; an arrow at the one whose choice is awaited."""
    turn = scene.public.turn
    canvas.write(0, 0, f"   turn order{'points':>{canvas.width - 31}} Food Tool hand", DIM)
    order = list(turn.turn_order) or list(range(len(scene.public.players)))
    choosing = turn.choosing_seat if turn.HasField("choosing_seat") else None
    for y, seat in enumerate(order, 1):
        player = scene.player(seat)
        canvas.write(0, y, "▶" if seat == choosing else " ", Style(color="#ffe14d", bold=True))
        canvas.write(1, y, f" {letter(seat)} ", badge(seat))
        clock = f" {clocks[seat]}" if clocks and seat in clocks else ""
        name = scene.name(seat) + (" (out)" if player.forfeited else "")
        room = canvas.width - 27 - len(clock)
        canvas.write(5, y, cut(name, room) + clock, ink(seat))
        own = seat == scene.eyes
        x = canvas.width - 22
        score = player.score if scene.result is None else scene.result.scores[seat]
        points = look(scene, places.SCORE, GROUND) if own else GROUND
        canvas.write(x, y, f"{score:>4}", points + Style(bold=True), places.SCORE if own else None)
        stores = f"{player.food:>4}/{player.food_limit:<2}{player.tools:>3}/5{player.hand_count:>5}"
        canvas.write(x + 4, y, stores, Style())
        if seat == choosing:
            canvas.restyle(4, y, canvas.width, Style(bgcolor="#2b2f22"))
