"""Plots as SVG, drawn by hand: a page that holds them needs nothing else.

A plot without anything to show is empty text.
"""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Final

from endless_winter.tournament.report.summary import COLUMNS, signed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from endless_winter.tournament.statistics.table import SeatEffect, Standing

WIDTH: Final = 480  # so that words can be read on a phone, and are not huge on a desk
# Colours that stay apart for most eyes, on light and on dark ground.
COLOURS: Final = (
    "#3d7dca", "#e08a1e", "#3a9d6e", "#c2559b", "#8a6fd1", "#b8a21f", "#d1495b", "#4aa8b8",
)  # fmt: skip
COLUMN_COLOURS: Final = dict(zip(COLUMNS, COLOURS, strict=False))


def colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


class Drawing:
    """Marks on a ground of fixed width; the page scales it."""

    def __init__(self, height: float, label: str, *, left: float, right: float = 24) -> None:
        self.height = height
        self.left = left
        self.right = WIDTH - right
        self._label = label
        self._parts: list[str] = []

    def scale(self, low: float, high: float) -> Callable[[float], float]:
        span = (high - low) or 1.0
        return lambda value: self.left + (value - low) / span * (self.right - self.left)

    def text(self, x: float, y: float, text: str, *, anchor: str = "start", kind: str = "") -> None:
        self._parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">'
            f"{escape(text)}</text>"
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str, ink: str = "") -> None:
        stroke = f' stroke="{ink}"' if ink else ""
        ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        self._parts.append(f'<line {ends} class="{kind}"{stroke}/>')

    def box(self, x: float, y: float, wide: float, high: float, ink: str, title: str = "") -> None:
        words = f"<title>{escape(title)}</title>" if title else ""
        self._parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(wide, 0):.1f}" height="{max(high, 0):.1f}" '
            f'fill="{ink}">{words}</rect>'
        )

    def dot(self, x: float, y: float, ink: str, title: str) -> None:
        self._parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{ink}">'
            f"<title>{escape(title)}</title></circle>"
        )

    def axis(
        self, low: float, high: float, y: float, top: float, say: Callable[[float], str]
    ) -> None:
        """Ticks under the plot, with faint lines through it."""
        place = self.scale(low, high)
        for tick in ticks(low, high):
            self.line(place(tick), top, place(tick), y, "grid")
            self.text(place(tick), y + 16, say(tick), anchor="middle", kind="tick")

    def __str__(self) -> str:
        return (
            f'<svg viewBox="0 0 {WIDTH} {self.height:.0f}" role="img" '
            f'aria-label="{escape(self._label)}">{"".join(self._parts)}</svg>'
        )


def ticks(low: float, high: float, about: int = 6) -> list[float]:
    """Round numbers between two ends."""
    span = high - low
    if span <= 0 or not math.isfinite(span):
        return [low]
    rough = span / about
    power = 10 ** math.floor(math.log10(rough))
    step = next(power * nice for nice in (1, 2, 5, 10) if power * nice >= rough)
    first = math.ceil(low / step)
    return [number * step for number in range(first, math.floor(high / step) + 1)]


def _margin(names: Sequence[str]) -> float:
    return min(max((len(name) for name in names), default=0) * 7.6 + 18, 220)


def _short(name: str) -> str:
    return name if len(name) <= 26 else f"{name[:25]}…"


def ratings(standings: Sequence[Standing], inks: dict[str, str]) -> str:
    """Each entrant's rating with its interval, best on top."""
    standings = [one for one in standings if one.rated]
    if not standings:
        return ""
    step = 34
    height = len(standings) * step + 44
    draw = Drawing(height, "ratings with intervals", left=_margin([o.entrant for o in standings]))
    low = min(one.rating.low for one in standings)
    high = max(one.rating.high for one in standings)
    pad = (high - low) * 0.06 or 50.0
    low, high = low - pad, high + pad
    bottom = height - 28
    draw.axis(low, high, bottom, 6, signed)
    place = draw.scale(low, high)
    draw.line(place(0), 6, place(0), bottom, "zero")
    for row, one in enumerate(standings):
        y = 6 + step * (row + 0.5)
        ink = inks[one.entrant]
        draw.text(draw.left - 10, y + 5, _short(one.entrant), anchor="end", kind="name")
        draw.line(place(one.rating.low), y, place(one.rating.high), y, "whisker", ink)
        for end in (one.rating.low, one.rating.high):
            draw.line(place(end), y - 6, place(end), y + 6, "whisker", ink)
        words = f"{one.entrant}: {signed(one.rating.value)} ({signed(one.rating.low)} to "
        draw.dot(place(one.rating.value), y, ink, f"{words}{signed(one.rating.high)})")
    return str(draw)


def scores(standings: Sequence[Standing], inks: dict[str, str]) -> str:
    """The points of each entrant's games, as a row of bars each."""
    every = [score for one in standings for score in one.scores]
    if not every:
        return ""
    step = 62
    height = len(standings) * step + 40
    draw = Drawing(height, "distribution of points", left=_margin([o.entrant for o in standings]))
    low, high = min(every), max(every) + 1
    bins = min(max(high - low, 1), 40)
    bottom = height - 26
    draw.axis(low, high, bottom, 6, lambda tick: f"{tick:g}")
    place = draw.scale(low, high)
    for row, one in enumerate(standings):
        base = 6 + step * (row + 1) - 6
        draw.text(draw.left - 10, base - 14, _short(one.entrant), anchor="end", kind="name")
        counts = [0] * bins
        for score in one.scores:
            counts[min((score - low) * bins // (high - low), bins - 1)] += 1
        most = max(counts, default=0) or 1
        for number, count in enumerate(counts):
            if count:
                at, to = (low + (high - low) * end / bins for end in (number, number + 1))
                tall = (step - 14) * count / most
                words = f"{one.entrant}: {count} games with {at:.0f} to {to:.0f} points"
                wide = place(to) - place(at) - 1
                draw.box(place(at), base - tall, wide, tall, inks[one.entrant], words)
        draw.line(draw.left, base, draw.right, base, "base")
        if one.scores:
            middle = place(one.mean_score)
            draw.line(middle, base - step + 12, middle, base, "mean")
    return str(draw)


def seats(effects: Sequence[SeatEffect]) -> str:
    """Wins by seat with their intervals; the line is an even share."""
    if not effects:
        return ""
    height = 190.0
    draw = Drawing(height, "wins by seat", left=48)
    bottom, top = height - 34, 12
    most = max(one.win_rate + one.win_margin for one in effects)
    most = min(max(most * 1.1, 0.2), 1.0)

    def up(share: float) -> float:
        return bottom - min(max(share, 0.0), most) / most * (bottom - top)

    for tick in ticks(0, most, 4):
        draw.line(draw.left, up(tick), draw.right, up(tick), "grid")
        draw.text(draw.left - 8, up(tick) + 4, f"{100 * tick:.0f} %", anchor="end", kind="tick")
    room = (draw.right - draw.left) / len(effects)
    for number, one in enumerate(effects):
        middle = draw.left + room * (number + 0.5)
        words = f"seat {one.seat + 1}: {100 * one.win_rate:.1f} ± {100 * one.win_margin:.1f} % wins"
        wide = min(room * 0.5, 90)
        draw.box(
            middle - wide / 2, up(one.win_rate), wide, bottom - up(one.win_rate), COLOURS[0], words
        )
        low, high = up(one.win_rate - one.win_margin), up(one.win_rate + one.win_margin)
        draw.line(middle, low, middle, high, "error")
        draw.text(middle, bottom + 18, f"seat {one.seat + 1}", anchor="middle", kind="name")
    even = up(1 / len(effects))
    draw.line(draw.left, even, draw.right, even, "mean")
    draw.line(draw.left, bottom, draw.right, bottom, "base")
    return str(draw)


def lengths(decisions: Sequence[int]) -> str:
    """How many decisions the games had."""
    if not decisions:
        return ""
    height = 190.0
    draw = Drawing(height, "decisions in a game", left=12)
    bottom, top = height - 28, 22
    low, high = min(decisions), max(decisions) + 1
    bins = min(max(high - low, 1), 32)
    counts = [0] * bins
    for value in decisions:
        counts[min((value - low) * bins // (high - low), bins - 1)] += 1
    most = max(counts) or 1
    draw.axis(low, high, bottom, top, lambda tick: f"{tick:g}")
    place = draw.scale(low, high)
    for number, count in enumerate(counts):
        at, to = (low + (high - low) * end / bins for end in (number, number + 1))
        tall = (bottom - top) * count / most
        words = f"{count} games with {at:.0f} to {to:.0f} decisions"
        draw.box(place(at), bottom - tall, place(to) - place(at) - 1, tall, COLOURS[2], words)
    draw.line(draw.left, bottom, draw.right, bottom, "base")
    tallest = place(low + (high - low) * (counts.index(most) + 0.5) / bins)
    tallest = min(max(tallest, draw.left + 20), draw.right - 20)  # words need some room
    draw.text(tallest, top - 6, f"{most} games", anchor="middle", kind="tick")
    return str(draw)


def columns(standings: Sequence[Standing]) -> str:
    """Where each entrant places its figures: shares of the Action Columns and of resting."""
    if not any(sum(one.columns.values()) for one in standings):
        return ""
    step = 34
    height = len(standings) * step + 44
    draw = Drawing(height, "choices by column", left=_margin([o.entrant for o in standings]))
    bottom = height - 28
    draw.axis(0, 100, bottom, 6, lambda tick: f"{tick:g} %")
    place = draw.scale(0, 1)
    for row, one in enumerate(standings):
        y = 6 + step * row + 5
        draw.text(draw.left - 10, y + 17, _short(one.entrant), anchor="end", kind="name")
        known = [*COLUMNS, *sorted(set(one.columns) - set(COLUMNS))]
        total = sum(one.columns.values())
        done = 0.0
        for column in known:
            share = one.columns.get(column, 0) / total if total else 0.0
            if share:
                words = f"{one.entrant}: {column} {100 * share:.1f} %"
                ink = COLUMN_COLOURS.get(column, COLOURS[-1])
                wide = place(done + share) - place(done) - 1
                draw.box(place(done), y, wide, step - 10, ink, words)
            done += share
    return str(draw)
