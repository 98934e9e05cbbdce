"""What happened, newest last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.terminal.canvas import DIM, GROUND, HEAD, wrapped
from endless_winter.terminal.panels.look import heading
from endless_winter.terminal.seats import badge, letter

if TYPE_CHECKING:
    from endless_winter.terminal.canvas import Canvas
    from endless_winter.terminal.scene import Scene
    from endless_winter.terminal.telling import Line


def draw(scene: Scene, canvas: Canvas) -> None:
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
