"""Warriors instead of Pathfinders, in any game (RAF-15).

What a Warrior can do is on its card. The module has no state: it says whose deck is in play.
"""

from endless_winter.rules.config import Config
from endless_winter.rules.hooks import Module
from endless_winter.rules.state import Position
from endless_winter.rules.tables import NONE
from endless_winter.rules.zones import replaced


class Warriors(Module):
    name = "warriors"

    def refusal(self, config: Config) -> str:
        return "" if config.tables.warrior != NONE else "the content pack has no Warriors"

    def components(self, position: Position, index: int) -> None:
        """RAF-15: never both; a Setup card that shows a Pathfinder gives a Warrior."""
        tables = position.tables
        position.tribe_cards = replaced(position.tribe_cards, tables.warrior_deck, tables.warrior)

    def check(self, position: Position, index: int) -> str:
        return "warriors: no state expected" if position.module_state[index] else ""
