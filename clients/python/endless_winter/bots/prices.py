"""What things are worth in general, in points of the final score.

A price depends only on the pack and on how many own turns are still to come: Food is worth
something as long as it can be spent. What depends on the position (the next Animal of a set, the
next buried card) is in worth.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import icons
from endless_winter.rules.modules.warriors import MARCH_ICON, RAID_ICON
from endless_winter.rules.rivers import codes

if TYPE_CHECKING:
    from endless_winter.rules.tables import Ability, Tables

ROUNDS: Final = 4
TURNS: Final = 3
STAGES: Final = ROUNDS * TURNS + 1

# Price of one icon while there is time to use it, and the part of it that never fades.
_ICONS: Final[dict[int, tuple[float, float]]] = {
    icons.FOOD: (0.55, 0.15),
    icons.TOOL: (1.0, 0.15),
    icons.IDOL: (1.5, 1.2),
    icons.DRAW: (1.0, 0.1),
    icons.MEGALITH: (2.0, 1.5),
    icons.LABOR: (0.4, 0.0),  # a half
    icons.DISCARD: (0.8, 0.0),
    icons.BURY: (2.5, 2.5),
    icons.VILLAGE: (4.0, 0.5),
    icons.CAMP: (1.5, 0.1),
    icons.MOVE: (0.8, 0.1),
    icons.TRIBE: (1.6, 0.9),
    icons.RECRUIT: (1.2, 0.9),
    icons.CULTURE: (2.6, 1.5),
    icons.ANIMAL: (2.3, 1.8),
    icons.BEAST: (1.8, 1.2),
    icons.REVEAL: (0.2, 0.0),
    icons.TIP: (1.0, 0.0),
    icons.STONE: (2.0, 0.5),
    icons.POINT: (1.0, 1.0),
    icons.FEAST: (1.8, 0.4),
    MARCH_ICON: (0.8, 0.1),
    RAID_ICON: (0.6, 0.3),
    codes.FISH_ICON: (1.4, 0.9),
    codes.VOLCANO: (1.5, 1.5),
    codes.BUTTE: (2.5, 2.5),
    codes.ARCH: (2.5, 2.5),
    codes.MONOLITH: (1.5, 1.5),
    codes.TREE: (2.0, 2.0),
}
_FADE: Final = [0.0, 0.7, 0.85, 0.95]  # by own turns to come; later on all of it
_MET: Final = 0.7  # how often the condition of a card is met when it could be used
_UNPLACED: Final = 0.45  # how often Labor that needs one column finds itself there


class Prices:
    """The prices at one stage: `turns` own turns still to come."""

    __slots__ = ("card_eclipse", "card_play", "icon", "space")

    def __init__(self, tables: Tables, turns: int) -> None:
        fade = _FADE[turns] if turns < len(_FADE) else 1.0
        self.icon: list[float] = [0.0] * 256  # nothing for those of modules not known here
        for number, (full, floor) in _ICONS.items():
            self.icon[number] = floor + (full - floor) * fade
        # Of each card: being able to play it once, and its Eclipse ability.
        self.card_play: list[float] = []
        self.card_eclipse: list[float] = []
        for card in tables.cards:
            play = card.labor * self.icon[icons.LABOR]
            eclipse = 0.0
            for ability in card.abilities:
                if ability.where == icons.ECLIPSE:
                    eclipse += max(self.ability(ability), 0.0)
                elif ability.where in (icons.ANYWHERE, icons.ANY_COLUMN):
                    play += max(self.ability(ability), 0.0)
                else:
                    play += _UNPLACED * max(self.ability(ability), 0.0)
            self.card_play.append(play)
            self.card_eclipse.append(eclipse)
        self.space: list[list[float]] = [
            [
                self.icon[icons.MEGALITH] if space.grey else self.pool(space.benefit)
                for space in tile
            ]
            for tile in tables.megalith_tiles
        ]

    def pool(self, pool: bytes) -> float:
        icon = self.icon
        total = 0.0
        for at in range(0, len(pool), 2):
            total += icon[pool[at]] * pool[at + 1]
        return total

    def ability(self, ability: Ability) -> float:
        """Using it once, its cost paid; without a look at the position."""
        plain = self.pool(ability.gains) - self.pool(ability.cost)
        return plain * _MET if ability.when else plain


_PRICES: Final[dict[str, list[Prices]]] = {}


def prices(tables: Tables, turns: int) -> Prices:
    """The prices of a pack with so many own turns to come; worked out once."""
    stages = _PRICES.get(tables.digest)
    if stages is None:
        stages = [Prices(tables, stage) for stage in range(STAGES)]
        _PRICES[tables.digest] = stages
    return stages[turns]
