"""The sheet as a widget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Region
from textual.widget import Widget

from endless_winter.terminal import sheet as sheets
from endless_winter.terminal.canvas import Canvas

if TYPE_CHECKING:
    from textual.strip import Strip

    from endless_winter.terminal.sheet import Sheet


class Drawing(Widget):
    """The sheet on the screen. Only lines that changed are painted again: it may be a slow line."""

    def __init__(self, sheet: Sheet) -> None:
        super().__init__()
        self.sheet = sheet
        self.canvas = Canvas(1, 1)
        self._strips: list[Strip] = []

    def redraw(self) -> None:
        width, height = self.size
        if not width or not height:
            return
        self.canvas = sheets.draw(self.sheet, width, height)
        before, self._strips = self._strips, [self.canvas.strip(y) for y in range(height)]
        if len(before) != height or before[0].cell_length != width:
            self.refresh()
            return
        changed = [
            Region(0, y, width, 1)
            for y, strip in enumerate(self._strips)
            if list(strip) != list(before[y])
        ]
        if changed:
            self.refresh(*changed)

    def render_line(self, y: int) -> Strip:
        return self._strips[y] if y < len(self._strips) else self.canvas.strip(y)

    def on_resize(self) -> None:
        self.redraw()
