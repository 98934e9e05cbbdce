"""Rivers & Rafts: what Rafts, Landmarks and Starting Bases bring a seat (RAF)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.bots.prices import ROUNDS, TURNS, prices
from endless_winter.bots.weights import WEIGHTS
from endless_winter.rules.rivers import area, bases, codes, landmarks
from endless_winter.rules.rivers.parts import parts_in
from endless_winter.rules.terrain import ADJACENT, OUTSIDE
from endless_winter.rules.zones import EMPTY

if TYPE_CHECKING:
    from endless_winter.rules.state import Player, Position

_SURE: Final = 0.95  # at the Delta, or when nobody else has a turn left before the Eclipse
_AHEAD: Final = 0.55  # ahead of the others, who can still pass
_BEHIND: Final = 0.2  # behind them, with a turn left


def steps(position: Position, player: Player, place: int) -> bytes:
    """Where a Camp can go from a hex, or from its Starting Base."""
    if place < OUTSIDE:
        return ADJACENT[place]
    index = area.index_of(position)
    return bases.steps(position, index, player.seat) if index >= 0 else b""


def raft_hex(position: Position, player: Player) -> int:
    """The hex of the own Raft; EMPTY: none, or outside the board."""
    index = area.index_of(position)
    return EMPTY if index < 0 else area.raft_hex(position, index, player.seat)


def raft_worth(position: Position, player: Player, now: int, most: list[int]) -> float:
    """Points of the Raft in this round's Eclipse, and the hex that it wins; then it goes home.

    `most` is the Influence to reach.
    """
    index = area.index_of(position)
    if index < 0 or not now:
        return 0.0
    return WEIGHTS.rafts * worth_at(
        position, player, area.raft_of(position, index, player.seat), most
    )


def worth_at(position: Position, player: Player, place: int, most: list[int]) -> float:
    """The same with the Raft at this place of the river."""
    index = area.index_of(position)
    river = area.river_of(position, index)
    points = 1.0
    for camp in player.camps:
        if camp in river:
            points += 1.0
    first = 0
    waiting = False
    for other in position.players:
        if other is not player:
            first = max(first, area.raft_of(position, index, other.seat))
            waiting = waiting or 0 in other.figures
    if place < first:
        total = points * (_BEHIND if 0 in player.figures else 0.0)
    else:
        total = points * (_SURE if place == area.DELTA or not waiting else _AHEAD)
    hex_ = area.hex_at(position, index, place)
    if hex_ != EMPTY:
        own = player.camps.count(hex_)
        if own + 1 >= most[hex_] > own or (not own and not most[hex_]):
            price = prices(position.tables, TURNS * (ROUNDS - position.round))
            total += price.icon[codes.FISH_ICON]
    return total


def landmark_points(position: Position, player: Player, terrain: int) -> float:
    """What a Landmark hex scores for the player as things stand."""
    index = area.index_of(position)
    icon = landmarks.icon_of(position, terrain)
    return float(landmarks.points(position, index, player, icon))


def is_landmark(position: Position, terrain: int) -> bool:
    parts = parts_in(position.tables)
    return parts is not None and terrain > parts.bare
