"""How much of the game is still to come, and what lasting things will bring in that time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.bots.prices import ROUNDS, TURNS, prices
from endless_winter.bots.weights import WEIGHTS
from endless_winter.rules import agenda

if TYPE_CHECKING:
    from endless_winter.rules.state import Player, Position
    from endless_winter.rules.tables import Tables


class Ahead:
    """Tables that depend on the pack, the round and how much of the round is left."""

    __slots__ = (
        "average_hex",
        "hexes",
        "labor",
        "lasting",
        "order_step",
        "points",
        "supply",
        "village",
    )

    def __init__(self, tables: Tables, round_: int, now: int) -> None:
        self.points: list[int] = [card.points for card in tables.cards]
        self.labor: list[int] = [card.labor for card in tables.cards]
        self.hexes: list[float] = [0.0] * len(tables.terrains)
        self.lasting: float = 0.0  # so many Eclipses will find a hex led that is led now
        self.supply: list[float] = [0.0]
        self.village: float = 0.0
        emptied = [0.0] * len(tables.supply)
        for later in range(1 - now, ROUNDS - round_ + 1):
            price = prices(tables, TURNS * (ROUNDS - round_ - later))
            held = WEIGHTS.hold**later
            self.lasting += held
            for number, terrain in enumerate(tables.terrains):
                self.hexes[number] += held * price.pool(terrain.benefit)
            self.village += price.pool(tables.village_benefit)
            for space, pool in enumerate(tables.supply):
                emptied[space] += price.pool(pool)
        lands = tables.one_of_each_land
        self.average_hex: float = sum(self.hexes[land] for land in lands) / len(lands)
        for value in emptied:
            self.supply.append(self.supply[-1] + value)


_AHEAD: Final[dict[tuple[str, int, int], Ahead]] = {}


def ahead(tables: Tables, round_: int, now: int) -> Ahead:
    key = (tables.digest, round_, now)
    found = _AHEAD.get(key)
    if found is None:
        found = _AHEAD[key] = Ahead(tables, round_, now)
    return found


def eclipse_to_come(position: Position, seat: int) -> int:
    """1 if the seat's Eclipse turn of this round has still to begin, else 0."""
    records = position.agenda
    if len(records) > 1 and records[1][0] == agenda.ECLIPSE:
        return 1 if position.order.index(seat) > records[1][2] >> 3 else 0
    return 0 if position.over else 1


def turns_to_come(position: Position, player: Player) -> int:
    """Own turns still to come, without the one under way."""
    if position.over:
        return 0
    return player.figures.count(0) + TURNS * (ROUNDS - position.round)
