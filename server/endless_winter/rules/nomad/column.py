"""Which Action Column the Nomad goes to (SOL-08)."""

from typing import Final

from endless_winter.rules.icons import HUNT, INITIATE
from endless_winter.rules.state import Position
from endless_winter.rules.tables import NomadCard

COLUMNS: Final = 4

# Why a column was chosen.
IT_IS_EMPTY: Final = 0
ALL_ARE_OCCUPIED: Final = 1
BY_ARROW: Final = 2


def is_empty(position: Position, column: int) -> bool:
    return not position.first[column]


def why(position: Position, card: NomadCard) -> int:
    if is_empty(position, card.column):
        return IT_IS_EMPTY
    for column in range(INITIATE, HUNT + 1):
        if is_empty(position, column):
            return BY_ARROW
    return ALL_ARE_OCCUPIED


def found(position: Position, card: NomadCard) -> int:
    """The indicated column; if it is taken and others are not, the next empty one by the arrow."""
    if why(position, card) != BY_ARROW:
        return card.column
    step = 1 if card.right else -1
    column = card.column
    while not is_empty(position, column):
        column = (column - INITIATE + step) % COLUMNS + INITIATE
    return column
