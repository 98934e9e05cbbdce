"""What Rivers & Rafts adds to the fixed encodings: its moves, and its part of the board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import board, icons, options
from endless_winter.rules.options import option
from endless_winter.rules.rivers import area, bases, codes, layout
from endless_winter.rules.rivers.parts import parts_in
from endless_winter.rules.terrain import HEXES, JUNCTURES, OUTSIDE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.pettingzoo.page import Page
    from endless_winter.rules.state import Position
    from endless_winter.rules.tables import Tables

ICONS: Final = tuple(codes.ICON_NAMES)
_PLACES: Final = area.DELTA + 1
# Hexes of the River tiles that are no River hexes: one of them may have a Landmark.
_BESIDE: Final = sorted(
    {hex_ for pair in (*layout.BESIDE_CENTRE, *layout.THIRD_HEX) for hex_ in pair}
)


def set_up(tables: Tables) -> Iterator[int]:
    parts = parts_in(tables)
    assert parts is not None
    for hex_ in _BESIDE:
        for number in range(len(parts.landmarks)):
            yield option(codes.RAISE, hex_, parts.bare + 1 + number)
    for first, second in bases.TOUCHED:
        yield option(codes.ATTACH, first, second)


def turn() -> Iterator[int]:
    """In Migrate."""
    yield from _steps(options.TRAVEL, 0)
    yield from _sails(codes.SAIL, 0)
    yield option(codes.PITCH_AT_RAFT)
    for juncture in range(len(JUNCTURES)):
        yield option(codes.SETTLE_WITH_RAFT, juncture)


def ways(tables: Tables, icon: int, where: int) -> Iterator[int]:
    """What a benefit can be taken as, besides what it is in any game."""
    if icon == icons.MOVE:
        yield from _steps(options.MOVE, where)
        yield from _sails(codes.RAFT, where)
    elif icon == icons.CAMP:
        yield option(codes.CAMP_AT_RAFT, 0, 0, where)
    elif icon == icons.VILLAGE:
        for juncture in range(len(JUNCTURES)):
            yield option(codes.VILLAGE_WITH_RAFT, juncture, 0, where)
    elif icon == codes.FISH_ICON:
        yield option(codes.FISH, 0, 0, where)
    elif icon in ICONS:
        parts = parts_in(tables)
        assert parts is not None
        yield option(codes.LANDMARK, parts.bare + 1 + icon - codes.VOLCANO, 0, where)


def _steps(verb: int, where: int) -> Iterator[int]:
    """A Camp from its Starting Base."""
    for end in range(bases.FIRST_OUTER, HEXES):
        yield option(verb, OUTSIDE, end, where)


def _sails(verb: int, where: int) -> Iterator[int]:
    for start in range(_PLACES):
        for end in range(_PLACES):
            if end == start - 1 or end > start:
                yield option(verb, start, end, where)


# --- observations ---


def sections(seats: int, tables: Tables) -> list[tuple[str, int]]:
    parts = parts_in(tables)
    assert parts is not None
    return [
        ("river_from_east", 1),
        ("rafts", seats * _PLACES),
        ("starting_bases", seats * bases.SITES),
        ("camps_outside", seats),
        ("fish_discarded", len(parts.fish)),
    ]


def write(page: Page, position: Position, order: list[int]) -> None:
    index = area.index_of(position)
    state = position.module_state[index]
    parts = area.parts_of(position)
    page.numbers((float(area.river_of(position, index) != layout.RIVER),))
    for seat in order:
        page.one_of(area.raft_of(position, index, seat), _PLACES)
    for seat in order:
        site = area.base_of(position, index, seat)
        page.one_of(site if site < bases.SITES else -1, bases.SITES)
    page.numbers([position.players[seat].camps.count(OUTSIDE) / board.CAMPS for seat in order])
    discarded = area.fish_discarded(state)
    page.numbers([discarded.count(number) / fish.copies for number, fish in enumerate(parts.fish)])
