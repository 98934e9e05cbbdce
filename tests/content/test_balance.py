"""A rough scale of what effects are worth keeps the cards of a kind together.

Food is 1. Playing decides the real balance; this catches a slip of the pen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from endless_winter.content import load
from endless_winter.rules import icons as i

if TYPE_CHECKING:
    from endless_winter.rules.tables import Ability, Card, Chief, SetupCard

WORTH: Final = {
    i.FOOD: 1.0,
    i.TOOL: 1.5,
    i.IDOL: 2.0,
    i.DRAW: 2.0,
    i.MEGALITH: 3.0,
    i.LABOR: 0.5,  # a half
    i.DISCARD: 1.5,
    i.BURY: 2.5,
    i.VILLAGE: 4.0,
    i.CAMP: 2.0,
    i.MOVE: 1.0,
    i.TRIBE: 2.0,
    i.RECRUIT: 1.5,
    i.CULTURE: 2.5,
    i.ANIMAL: 2.5,
    i.BEAST: 2.0,
    i.REVEAL: 0.5,
    i.TIP: 1.5,
    i.STONE: 4.0,
    i.POINT: 1.0,
    i.FEAST: 4.0,
}
CHANCE: Final = 0.8  # that a condition holds when the card is played by somebody who wants it


def pool_worth(pool: bytes) -> float:
    return sum(WORTH[icon] * amount for icon, amount in zip(pool[::2], pool[1::2], strict=True))


def worth(ability: Ability) -> float:
    plain = pool_worth(ability.gains) - pool_worth(ability.cost)
    return plain * (CHANCE if ability.when else 1.0)


TABLES: Final = load()
CULTURE: Final = [card for card in TABLES.cards if card.era]


@pytest.mark.parametrize("card", CULTURE, ids=[card.name for card in CULTURE])
def test_a_culture_card_is_worth_its_era(card: Card) -> None:
    power = sum(worth(ability) for ability in card.abilities)
    low, high = (2.0, 3.0) if card.era == 1 else (4.0, 5.0)
    assert low <= power <= high, power


@pytest.mark.parametrize("chief", TABLES.chiefs, ids=[chief.name for chief in TABLES.chiefs])
def test_a_chief_who_needs_a_column_gets_more_for_it(chief: Chief) -> None:
    (ability,) = chief.abilities
    low, high = (3.5, 4.0) if ability.where else (3.0, 3.5)
    assert low <= worth(ability) <= high


@pytest.mark.parametrize("setup", TABLES.setups, ids=[setup.name for setup in TABLES.setups])
def test_setup_cards_start_alike(setup: SetupCard) -> None:
    animals = sum(3.0 if TABLES.animals[animal].copies == 5 else 2.5 for animal in setup.animals)
    total = setup.food + 1.5 * setup.tools + 2.0 * setup.camp + animals
    assert 6.5 <= total <= 8.5


@pytest.mark.parametrize("index", range(4))
def test_a_megalith_space_beats_the_lesser_benefits_more_often_than_not(index: int) -> None:
    spaces = [space for space in TABLES.megalith_tiles[index] if not space.grey]
    mean = sum(pool_worth(space.benefit) for space in spaces) / len(spaces)
    assert WORTH[i.DRAW] <= mean + 0.25 <= WORTH[i.MEGALITH]
