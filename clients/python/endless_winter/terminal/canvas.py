"""A grid of letters on which panels are drawn; every cell may belong to a place of the game.

So one drawing answers three questions: what is to be seen, what was clicked, and where on the
screen a place is. Every cell has a background of its own, or the theme would show through.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.terminal.places import Place

GROUND = Style(color="#d0d4dc", bgcolor="#14171c")
DIM = Style(color="#828a98", bgcolor="#14171c")
HEAD = Style(color="#f2e2b0", bgcolor="#14171c", bold=True)


class Canvas:
    """``width`` by ``height`` cells. What is written outside is cut off."""

    def __init__(self, width: int, height: int, style: Style = GROUND) -> None:
        self.width = width
        self.height = height
        self._marks = [[" "] * width for _ in range(height)]
        self._styles = [[style] * width for _ in range(height)]
        self._places: list[list[Place | None]] = [[None] * width for _ in range(height)]

    def write(
        self, x: int, y: int, text: str, style: Style = GROUND, place: Place | None = None
    ) -> int:
        """Write a line; where it ends. A style without a background keeps the one below."""
        if not 0 <= y < self.height:
            return x + len(text)
        marks, styles, places = self._marks[y], self._styles[y], self._places[y]
        below = mixed = None
        for mark in text:
            if 0 <= x < self.width:
                marks[x] = mark
                if styles[x] is not below:  # neighbours mostly share a style; mixing is slow
                    below = styles[x]
                    mixed = below + style
                assert mixed is not None
                styles[x] = mixed
                if place is not None:
                    places[x] = place
            x += 1
        return x

    def fill(
        self, x: int, y: int, width: int, height: int, style: Style, place: Place | None = None
    ) -> None:
        for line in range(y, y + height):
            self.write(x, line, " " * width, style, place)

    def restyle(self, x: int, y: int, width: int, style: Style) -> None:
        """Change how cells look, and leave what they say."""
        if 0 <= y < self.height:
            for column in range(max(x, 0), min(x + width, self.width)):
                self._styles[y][column] += style

    def blit(self, other: Canvas, x: int, y: int) -> None:
        """Put another drawing here, with its places."""
        for line in range(max(0, -y), min(other.height, self.height - y)):
            width = min(other.width, self.width - x)
            row = y + line
            self._marks[row][x : x + width] = other._marks[line][:width]
            self._styles[row][x : x + width] = other._styles[line][:width]
            self._places[row][x : x + width] = other._places[line][:width]

    def place_at(self, x: int, y: int) -> Place | None:
        if 0 <= x < self.width and 0 <= y < self.height:
            return self._places[y][x]
        return None

    def style_at(self, x: int, y: int) -> Style:
        return self._styles[y][x]

    def spots(self, place: Place) -> Iterator[tuple[int, int]]:
        """The cells of a place."""
        for y, line in enumerate(self._places):
            for x, found in enumerate(line):
                if found == place:
                    yield x, y

    def places(self) -> set[Place]:
        return {place for line in self._places for place in line if place is not None}

    def lines(self) -> list[str]:
        return ["".join(marks).rstrip() for marks in self._marks]

    def strip(self, y: int) -> Strip:
        """A line as Textual wants it."""
        if not 0 <= y < self.height:
            return Strip.blank(self.width, GROUND)
        segments: list[Segment] = []
        marks, styles = self._marks[y], self._styles[y]
        start = 0
        for x in range(1, self.width + 1):
            if x < self.width and styles[x] is styles[start]:  # mostly; comparing is slow
                continue
            if x == self.width or styles[x] != styles[start]:
                segments.append(Segment("".join(marks[start:x]), styles[start]))
                start = x
        return Strip(segments, self.width)


def wrapped(text: str, width: int, *, later: int | None = None) -> list[str]:
    """Text in lines of at most `width`, the second and later ones of at most `later`."""
    lines: list[str] = []
    line = ""
    room = width
    for word in text.split():
        if line and len(line) + 1 + len(word) > room:
            lines.append(line)
            line, room = "", later or width
        line = f"{line} {word}" if line else word
        while len(line) > room:
            lines.append(line[:room])
            line, room = line[room:], later or width
    return [*lines, line] if line or not lines else lines


def cut(text: str, width: int) -> str:
    """At most `width` letters, with a mark where some are left out."""
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"
