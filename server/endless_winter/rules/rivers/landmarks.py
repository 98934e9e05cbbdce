"""Landmarks: chosen in set-up (RAF-04), scored by whoever leads on their hexes (RAF-12)."""

from typing import Final

from endless_winter.rules import agenda, board
from endless_winter.rules.events import emit
from endless_winter.rules.options import option
from endless_winter.rules.rivers import codes
from endless_winter.rules.rivers.area import (
    TILE_BYTES,
    TILES,
    TILES_AT,
    parts_of,
    raft_hex,
)
from endless_winter.rules.scoring import villages_touching_any
from endless_winter.rules.sources import source
from endless_winter.rules.state import Player, Position
from endless_winter.rules.terrain import HEXES
from endless_winter.rules.zones import EMPTY, replaced

FIRST_OUTER: Final = 7  # the middle 7 hexes are those below
NOMADS_POINTS: Final = 5  # SRF-02


def terrain_of(position: Position, icon: int) -> int:
    """The Terrain type of the hex with a Landmark, by the Landmark's icon."""
    return parts_of(position).bare + 1 + icon - codes.VOLCANO


def icon_of(position: Position, terrain: int) -> int:
    return codes.VOLCANO + terrain - parts_of(position).bare - 1


def put_on_agenda(position: Position, index: int) -> None:
    """RAF-04, as decisions: the hexes from the Headwaters on, the players in turn order.

    On top of the agenda: a draft comes after them (VAR-01, docs/decisions/0136).
    """
    hexes = bare_hexes(position, index)
    for number in range(len(hexes) - 1, -1, -1):
        people = [seat for seat in position.order if position.kinds[seat].owns_cards]
        record = bytes((codes.RAISE_LANDMARK, hexes[number]))
        position.agenda.append((agenda.MODULE, people[number % len(people)], index, record))


def bare_hexes(position: Position, index: int) -> list[int]:
    """Landmark hexes without a Landmark, from the Headwaters to the Delta."""
    bare = parts_of(position).bare
    return [hex_ for hex_ in tile_hexes(position, index) if position.terrain[hex_] == bare]


def tile_hexes(position: Position, index: int) -> bytes:
    """The hexes of the River tiles, from the Headwaters to the Delta."""
    from_head = b""
    tiles = position.module_state[index][TILES_AT : TILES_AT + TILES * TILE_BYTES]
    for at in range(0, len(tiles), TILE_BYTES):
        from_head += tiles[at + 1 : at + TILE_BYTES]
    return from_head


def raise_options(position: Position, hex_: int) -> list[int]:
    """The Landmarks that are not on the board yet."""
    parts = parts_of(position)
    return [
        option(codes.RAISE, hex_, parts.bare + 1 + number)
        for number in range(len(parts.landmarks))
        if parts.bare + 1 + number not in position.terrain
    ]


def put(position: Position, seat: int, hex_: int, terrain: int) -> None:
    position.terrain = replaced(position.terrain, hex_, terrain)
    emit(position, codes.LANDMARK_RAISED, seat, hex_, terrain)


def points(position: Position, index: int, player: Player, icon: int) -> int:
    """RAF-12."""
    if not position.kinds[player.seat].owns_cards:
        return NOMADS_POINTS
    return parts_of(position).landmarks[icon - codes.VOLCANO].each * counted(
        position, index, player, icon
    )


def counted(position: Position, index: int, player: Player, icon: int) -> int:
    """How much the player has of what a Landmark counts."""
    if icon == codes.VOLCANO:
        return board.CAMPS - len(player.camps)
    if icon == codes.MONOLITH:
        return player.camps.count(position.terrain.index(terrain_of(position, icon)))
    if icon == codes.TREE:
        return villages_touching_any(position, player, 1 << parts_of(position).river)
    hexes = set(player.camps)
    raft = raft_hex(position, index, player.seat)
    if raft != EMPTY:
        hexes.add(raft)
    if icon == codes.BUTTE:
        return len([hex_ for hex_ in hexes if hex_ < FIRST_OUTER])
    return len([hex_ for hex_ in hexes if FIRST_OUTER <= hex_ < HEXES])


def score(position: Position, index: int, seat: int, icon: int) -> None:
    player = position.players[seat]
    gained = points(position, index, player, icon)
    position.cause = source(codes.LANDMARK_HEX, icon - codes.VOLCANO)
    board.score(position, player, gained, codes.BY_LANDMARK)
