"""What happened, newest last; and where the points came from, when the game is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style

from endless_winter.sdk import category_label, category_name
from endless_winter.terminal.canvas import DIM, GROUND, HEAD, cut, wrapped
from endless_winter.terminal.panels.look import heading
from endless_winter.terminal.seats import badge, letter
from endless_winter.terminal.text import enum_name, ordinal
from endless_winter.v1 import result_pb2

if TYPE_CHECKING:
    from endless_winter.terminal.canvas import Canvas
    from endless_winter.terminal.event_text import Line
    from endless_winter.terminal.scene import Scene


def draw_log(scene: Scene, canvas: Canvas) -> None:
    """The end of the log, or further back if the player has turned back."""
    heading(canvas, 0, "Log", f"turned back {scene.back} lines" if scene.back else "")
    room = canvas.height - 1
    rows: list[tuple[Line, str, bool]] = []
    for line in scene.log:
        for number, text in enumerate(wrapped(line.text, canvas.width - 4)):
            rows.append((line, text, number == 0))
    if not rows:
        canvas.write(1, 1, "Nothing has happened yet.", DIM)
        return
    end = max(len(rows) - scene.back, min(room, len(rows)))
    for y, (line, text, first) in enumerate(rows[max(0, end - room) : end], 1):
        if line.heading:
            canvas.write(0, y, text, HEAD)
            continue
        if first and line.seat is not None:
            canvas.write(1, y, letter(line.seat), badge(line.seat))
        canvas.write(3 if first else 5, y, text, GROUND)


def draw_result(scene: Scene, canvas: Canvas) -> None:
    result = scene.result
    if result is None:
        canvas.write(1, 1, "The game is not over yet.", DIM)
        return
    heading(canvas, 0, "The end", verdict(scene))
    seats = sorted(result.raw.seats, key=lambda one: (one.place or 9, one.seat))
    width = min(12, (canvas.width - 24) // max(len(seats), 1))
    categories = sorted({part.category for seat in seats for part in seat.categories})
    for column, seat in enumerate(seats):
        x = 23 + column * width
        name = f"{letter(seat.seat)} {scene.name(seat.seat)}"
        canvas.write(x, 2, f" {cut(name, width - 3)} ", badge(seat.seat))
        place = ordinal(seat.place) if seat.place else "-"
        canvas.write(x, 3, f"{place:>{width - 2}}", GROUND)
        for y, category in enumerate(categories, 4):
            points = next((one.points for one in seat.categories if one.category == category), 0)
            canvas.write(x, y, f"{points or '·':>{width - 2}}", GROUND if points else DIM)
        bold = GROUND + Style(bold=True)
        canvas.write(x, 4 + len(categories), f"{seat.score:>{width - 2}}", bold)
        reason = enum_name(result_pb2.EndReason, seat.reason, "END_REASON_")
        if seat.reason != result_pb2.END_REASON_NORMAL:
            canvas.write(x, 5 + len(categories), cut(reason, width - 1), DIM)
    for y, category in enumerate(categories, 4):
        canvas.write(1, y, cut(category_label(category_name(category)), 21))
    canvas.write(1, 4 + len(categories), "Points", GROUND + Style(bold=True))


def verdict(scene: Scene) -> str:
    """Who won, in a few words."""
    result = scene.result
    if result is None:
        return ""
    if not result.completed:
        return f"no places: {result.outcome.replace('_', ' ')}"
    if result.winner is None:
        return "a shared first place"
    name = scene.name(result.winner)
    tie = " by the tie-break" if result.raw.seats[result.winner].tie_broken else ""
    return f"{name} {'win' if name == 'You' else 'wins'}{tie}"
