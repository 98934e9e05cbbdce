"""Who is where: turn order, points, stores, clocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style

from endless_winter.terminal import places
from endless_winter.terminal.canvas import DIM, GROUND, cut
from endless_winter.terminal.panels.look import look
from endless_winter.terminal.seats import badge, ink, letter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from endless_winter.terminal.canvas import Canvas
    from endless_winter.terminal.scene import Scene


def height(scene: Scene) -> int:
    return len(scene.public.players) + 1


def draw(scene: Scene, canvas: Canvas, clocks: Mapping[int, str] | None = None) -> None:
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
