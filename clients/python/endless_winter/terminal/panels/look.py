"""How panels show what is pointed at: the same for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style

from endless_winter.terminal.canvas import DIM, GROUND, HEAD, Canvas, cut

if TYPE_CHECKING:
    from endless_winter.terminal.places import Place
    from endless_winter.terminal.scene import Scene

LIT = Style(color="#101014", bgcolor="#ffe14d", bold=True)
ALSO = Style(color="#101014", bgcolor="#e8e2c0", bold=True)  # what it comes from
OFFERED = Style(color="#ffffff", bold=True, underline=True)
CHANGED = Style(color="#ffe9a0")  # since the own last turn
CARD = Style(color="#e4e6ea", bgcolor="#2a303a")
QUIET = Style(color="#a2a9b6", bgcolor="#20252d")


def look(scene: Scene, place: Place, style: Style) -> Style:
    """How a place is to look: as it is, as one that can be chosen, or as the one in question."""
    if place in scene.lit:
        return style + (LIT if place == scene.main else ALSO)
    if place in scene.offered:
        return style + OFFERED
    if place in scene.changed:
        return style + CHANGED
    return style


def chip(
    canvas: Canvas,
    scene: Scene,
    x: int,
    y: int,
    text: str,
    place: Place,
    style: Style = CARD,
    width: int = 0,
) -> int:
    """A card or token in a line; where the next one goes."""
    shown = cut(text, width - 2) if width else text
    body = f" {shown:<{max(width - 2, 0)}} "
    if place in scene.lit:
        body = f"▸{body[1:]}"
    end = canvas.write(x, y, body, look(scene, place, style), place)
    return end + 1


def heading(canvas: Canvas, y: int, title: str, note: str = "") -> None:
    """A line across the panel."""
    end = canvas.write(0, y, f" {title} ", HEAD)
    end = canvas.write(end, y, note, DIM)
    canvas.write(end + bool(note), y, "─" * canvas.width, DIM + Style(color="#3a414d"))


__all__ = ["CARD", "DIM", "GROUND", "HEAD", "LIT", "OFFERED", "QUIET", "chip", "heading", "look"]
