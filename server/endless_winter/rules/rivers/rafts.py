"""Rafts: where they go (RAF-08), what they stand in for (RAF-09), what they score (RAF-10)."""

from endless_winter.rules import board
from endless_winter.rules.events import emit
from endless_winter.rules.options import option
from endless_winter.rules.rivers import codes
from endless_winter.rules.rivers.area import (
    DELTA,
    HEADWATERS,
    RAFTS_AT,
    raft_hex,
    raft_of,
    river_of,
    set_byte,
)
from endless_winter.rules.sources import source
from endless_winter.rules.state import Player, Position
from endless_winter.rules.terrain import JUNCTURES
from endless_winter.rules.zones import EMPTY


def list_moves(
    position: Position, index: int, seat: int, verb: int, source: int, found: list[int]
) -> None:
    """RAF-08: downriver as far as one likes, upriver one place."""
    start = raft_of(position, index, seat)
    if start > HEADWATERS:
        found.append(option(verb, start, start - 1, source))
    for end in range(start + 1, DELTA + 1):
        found.append(option(verb, start, end, source))


def move(position: Position, index: int, seat: int, end: int) -> None:
    start = raft_of(position, index, seat)
    if start != end:
        set_byte(position, index, RAFTS_AT + seat, end)
        emit(position, codes.RAFT_MOVED, seat, start, end)


def all_home(position: Position, index: int) -> None:
    for seat in range(len(position.players)):
        move(position, index, seat, HEADWATERS)


def village_sites(position: Position, index: int, player: Player) -> list[int]:
    """RAF-09: junctures at the Raft with an own Camp on each of the two other hexes."""
    found: list[int] = []
    hex_ = raft_hex(position, index, player.seat)
    if hex_ == EMPTY or len(player.villages) == board.VILLAGES:
        return found
    for juncture, hexes in enumerate(JUNCTURES):
        if hex_ not in hexes or not board.can_be_built_on(position, juncture):
            continue
        if all(other == hex_ or other in player.camps for other in hexes):
            found.append(juncture)
    return found


def place_village(position: Position, index: int, player: Player, juncture: int) -> None:
    """RAF-09: two Camps and the Raft go home."""
    hex_ = raft_hex(position, index, player.seat)
    move(position, index, player.seat, HEADWATERS)
    board.place_village(position, player, juncture, hex_)


def score(position: Position, index: int, seat: int) -> None:
    """RAF-10: closest or joint closest to the Delta, as things stand now."""
    place = raft_of(position, index, seat)
    for other in range(len(position.players)):
        if raft_of(position, index, other) > place:
            return
    river = river_of(position, index)
    player = position.players[seat]
    points = 1
    for hex_ in player.camps:
        if hex_ in river:
            points += 1
    position.cause = source(codes.RAFT_PIECE, seat)
    board.score(position, player, points, codes.BY_RAFT)
