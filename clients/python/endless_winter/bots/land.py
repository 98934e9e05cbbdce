"""What Camps, Villages and Sacred Stones will bring in the Eclipse phases to come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.bots import river
from endless_winter.bots.ahead import ahead, turns_to_come
from endless_winter.bots.prices import ROUNDS
from endless_winter.bots.weights import WEIGHTS
from endless_winter.rules import scoring
from endless_winter.rules.board import (
    CAMPS,
    MAX_STONES,
    VILLAGE_CAMPS,
    VILLAGES,
    camp_home,
    influence,
)
from endless_winter.rules.tables import (
    STN_BURIED,
    STN_IDOL_SPACES,
    STN_LAND_TYPES,
    STN_MEGALITH_TILES,
    STN_MEGALITHS_ON_BOARD,
    STN_STACKED,
    STN_TIPPED_OF,
    STN_TIPPED_TYPES,
    STN_VILLAGES_TOUCHING,
    STN_VILLAGES_TOUCHING_ANY,
)
from endless_winter.rules.terrain import BASE, HEXES, JUNCTURES

if TYPE_CHECKING:
    from endless_winter.rules.state import Player, Position
    from endless_winter.rules.tables import Stone

# How much a count grows in a round of play, for Stones that score again.
GROWTH: Final[dict[int, float]] = {
    STN_VILLAGES_TOUCHING: 0.3,
    STN_LAND_TYPES: 0.4,
    STN_MEGALITHS_ON_BOARD: 0.7,
    STN_MEGALITH_TILES: 0.4,
    STN_BURIED: 1.3,
    STN_STACKED: 0.4,
    STN_IDOL_SPACES: 1.8,
    STN_TIPPED_TYPES: 0.6,
    STN_TIPPED_OF: 0.4,
    STN_VILLAGES_TOUCHING_ANY: 0.3,
}


_ONCE: Final = [1] * HEXES  # each hex gives its benefit


def influence_to_reach(position: Position, player: Player) -> list[int]:
    """On each hex the most Influence that the others have, and whatever else competes."""
    most = influence_of_others(position, player)
    for index, module in enumerate(position.modules):
        module.add_rivals(position, index, most)
    return most


def benefit_times(position: Position) -> list[int]:
    """How many times each hex gives its benefit."""
    times = [1] * HEXES
    for index, module in enumerate(position.modules):
        for hex_ in range(HEXES):
            times[hex_] *= module.benefit_times(position, index, hex_)
    return times


def influence_of_others(position: Position, player: Player) -> list[int]:
    """On each hex the most Influence that one of the others has."""
    most = [0] * HEXES
    for other in position.players:
        if other is player:
            continue
        theirs = influence(other)
        for hex_ in range(HEXES):
            most[hex_] = max(most[hex_], theirs[hex_])
    return most


def terrain_worth(position: Position, player: Player, now: int) -> float:
    """Each hex that is led brings its benefit in each Eclipse to come (ECL-03c)."""
    table = ahead(position.tables, position.round, now)
    own = influence(player)
    most = influence_to_reach(position, player)
    times = benefit_times(position) if position.modules else _ONCE
    hexes = table.hexes
    terrain = position.terrain
    total = 0.0
    for hex_ in range(HEXES):
        number = own[hex_]
        if number:
            worth = hexes[terrain[hex_]]
            if river.is_landmark(position, terrain[hex_]):
                worth = table.lasting * river.landmark_points(position, player, terrain[hex_])
            if number > most[hex_]:
                total += worth * times[hex_] * 1.05
            elif number == most[hex_]:
                total += worth * times[hex_]
            else:
                total += worth * 0.1
    total += river.raft_worth(position, player, now, most)
    moves = turns_to_come(position, player)
    if moves:
        outside = own[camp_home(position)]
        total += outside * WEIGHTS.base_camp * table.average_hex * min(moves, 2) / 2
        total += _village_to_come(position, player, now)
    # A Camp placed also raises the Food limit (GLD-04).
    return total + 0.1 * len(player.camps) * min(moves, 4) / CAMPS


def _village_to_come(position: Position, player: Player, now: int) -> float:
    """What Camps that stand around a juncture promise."""
    if len(player.villages) == VILLAGES or len(player.camps) < VILLAGE_CAMPS:
        return 0.0
    ready = _village_ready(position, player)
    if not ready:
        return 0.0
    worth = ahead(position.tables, position.round, now).village
    worth += village_stones(position, player, now)
    for stone in player.stones:
        if position.tables.stones[stone].kind == STN_VILLAGES_TOUCHING:
            worth += 1.2 * (ROUNDS - position.round + now)
    return ready * worth


def _village_ready(position: Position, player: Player) -> float:
    """How likely a Village is: three Camps stand ready for it, or two."""
    camps = player.camps
    best = 0.0
    with_base = position.terrain[BASE] == BASE
    for hexes in JUNCTURES:
        if hexes[0] == BASE and with_base:
            continue
        there = (hexes[0] in camps) + (hexes[1] in camps) + (hexes[2] in camps)
        if there == 3:
            return WEIGHTS.village
        if there == 2:
            best = WEIGHTS.village_two
    return best


def village_stones(position: Position, player: Player, now: int) -> float:
    """What a Village may score by Sacred Stones still to be taken."""
    if len(player.stones) == MAX_STONES or not position.stones[0]:
        return 0.0
    return WEIGHTS.village_stone * 2.0 * (ROUNDS - position.round + now)


def stones_worth(position: Position, player: Player, now: int) -> float:
    total = 0.0
    for stone in player.stones:
        total += stone_worth(position, player, position.tables.stones[stone], now)
    return total


def stone_worth(position: Position, player: Player, stone: Stone, now: int) -> float:
    """What a Stone will score in the Eclipse phases to come."""
    count = float(scoring.stone_count(position, player, stone))
    growth = GROWTH[stone.kind]
    total = 0.0
    for later in range(1 - now, ROUNDS - position.round + 1):
        counted = count + growth * later
        if stone.scale:
            total += between(stone.scale, counted)
        else:
            total += counted * stone.each / stone.per
    return total


def between(scale: list[int], count: float) -> float:
    """A chart between its whole numbers."""
    whole = int(count)
    if whole >= len(scale) - 1:
        return float(scale[-1])
    return scale[whole] + (scale[whole + 1] - scale[whole]) * (count - whole)
