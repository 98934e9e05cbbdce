"""Sea Cows: 5 Animals more, for games with Rivers & Rafts (RAF-13).

A type like any other: what tipping one brings is on the card. The module has no state.
"""

from typing import Final

from endless_winter.rules.config import Config
from endless_winter.rules.hooks import Module
from endless_winter.rules.rivers.agreed import RIVERS
from endless_winter.rules.state import Position
from endless_winter.rules.tables import NONE, ModuleParts, Tables
from endless_winter.rules.zones import ONE

SEA_COWS: Final = "sea_cows"


class SeaCowParts(ModuleParts):
    """Which of the Animals they are."""

    __slots__ = ("animal",)

    def __init__(self, animal: int) -> None:
        self.animal: int = animal


def sea_cow_in(tables: Tables) -> int:
    """The Animal; NONE in a pack without it."""
    parts = tables.module_parts.get(SEA_COWS)
    return parts.animal if isinstance(parts, SeaCowParts) else NONE


class SeaCows(Module):
    name = SEA_COWS

    def refusal(self, config: Config) -> str:
        if RIVERS not in config.modules:
            return "Sea Cows are played only with Rivers & Rafts"
        return "" if sea_cow_in(config.tables) != NONE else "the content pack has no Sea Cows"

    def components(self, position: Position, index: int) -> None:
        """RAF-13: shuffled into the deck before the Grounds are dealt."""
        animal = sea_cow_in(position.tables)
        position.animal_cards += ONE[animal] * position.tables.animals[animal].copies

    def check(self, position: Position, index: int) -> str:
        return "module_state.sea_cows: none expected" if position.module_state[index] else ""
