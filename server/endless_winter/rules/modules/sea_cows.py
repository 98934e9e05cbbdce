"""Sea Cows: 5 Animals more, for games with Rivers & Rafts (RAF-13).

A type like any other: what tipping one brings is on the card. The module has no state.
"""

from endless_winter.rules.config import Config
from endless_winter.rules.hooks import Module
from endless_winter.rules.state import Position
from endless_winter.rules.tables import NONE
from endless_winter.rules.zones import ONE


class SeaCows(Module):
    name = "sea_cows"

    def refusal(self, config: Config) -> str:
        if config.rivers is None:
            return "Sea Cows are played only with Rivers & Rafts"
        return "" if config.tables.sea_cow != NONE else "the content pack has no Sea Cows"

    def components(self, position: Position, index: int) -> None:
        """RAF-13: shuffled into the deck before the Grounds are dealt."""
        animal = position.tables.sea_cow
        position.animal_cards += ONE[animal] * position.tables.animals[animal].copies

    def check(self, position: Position, index: int) -> str:
        return "sea_cows: no state expected" if position.module_state[index] else ""
