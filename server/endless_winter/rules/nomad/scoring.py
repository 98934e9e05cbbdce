"""What the Nomad's Animals are worth in the end (NMD-17)."""

from typing import Final

from endless_winter.rules.state import Position
from endless_winter.rules.zones import distinct

# Points for 1, 2, ... cards of a type, by how many cards of it there are.
SETS_BY_COPIES: Final[dict[int, list[int]]] = {10: [1, 3, 6, 10], 5: [2, 5], 1: [5]}


def set_points(position: Position, animal: int) -> list[int]:
    """The scale of a type: a wild one is a type like any other."""
    printed = position.tables.animals[animal]
    return SETS_BY_COPIES.get(printed.copies, printed.sets)


def animal_points(position: Position, seat: int) -> int:
    animals = position.players[seat].animals
    total = 0
    for animal in distinct(animals):
        scale = set_points(position, animal)
        total += scale[min(animals.count(animal), len(scale)) - 1]
    return total
