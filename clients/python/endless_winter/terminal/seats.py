"""How a seat looks everywhere: a letter and a colour.

The colours stay distinct for colour-blind people, and the letter is always there besides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.style import Style

from endless_winter.v1 import config_pb2

if TYPE_CHECKING:
    from collections.abc import Iterable

    from endless_winter.v1 import game_pb2

LETTERS = "ABCD"
COLOURS = ("#f0a030", "#6cc0f5", "#3fd0a0", "#e38fc0")
NEUTRAL = "#9a9a9a"
OWN = "You"
NOMAD = "Nomad"
_NOMADS = (config_pb2.SEAT_KIND_NOMAD, config_pb2.SEAT_KIND_NOMAD_CLIENT)


def letter(seat: int) -> str:
    return LETTERS[seat] if seat < len(LETTERS) else "?"


def colour(seat: int | None) -> str:
    return NEUTRAL if seat is None or seat >= len(COLOURS) else COLOURS[seat]


def badge(seat: int | None) -> Style:
    """A piece of a seat: dark on its colour."""
    return Style(color="#101014", bgcolor=colour(seat), bold=True)


def ink(seat: int | None) -> Style:
    """Words about a seat."""
    return Style(color=colour(seat), bold=True)


def printable(text: str) -> str:
    """A text from elsewhere, without anything that a terminal would obey."""
    return "".join(mark if mark.isprintable() else "?" for mark in text)


def clean(text: str) -> str:
    """The same for a place on the screen: each mark is one cell wide."""
    return "".join(mark if cell_len(mark) == 1 else "?" for mark in printable(text)).strip()


def names_of(seats: Iterable[game_pb2.SeatInfo], own: int | None, count: int) -> tuple[str, ...]:
    """The name of each seat; the own one is "You"."""
    given = {
        seat.seat: NOMAD if seat.kind in _NOMADS else clean(seat.display_name) for seat in seats
    }
    names = [given.get(seat, "") for seat in range(count)]
    return tuple(OWN if seat == own else _name(names, seat) for seat in range(count))


def _name(names: list[str], seat: int) -> str:
    """The name of somebody else: never ours, and never that of a third, whatever they write."""
    name = names[seat]
    if not name:
        return f"Player {letter(seat)}"
    alone = names.count(name) == 1 and name.casefold() != OWN.casefold()
    return name if alone else f"{name} {letter(seat)}"
