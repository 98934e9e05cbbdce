"""The Eagle in the rules core.

State: the juncture it perches on, or EMPTY; then how many eggs its nest holds, which only the seat
that sent it there knows, and seat 0 as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import agenda, options
from endless_winter.rules.chance import shuffle
from endless_winter.rules.events import emit
from endless_winter.rules.hooks import Module
from endless_winter.rules.notation import NUMBER
from endless_winter.rules.terrain import JUNCTURES
from endless_winter.rules.zones import EMPTY

if TYPE_CHECKING:
    from endless_winter.rules.state import Position

PERCH: Final = 190  # verb: juncture
PERCHED: Final = 190  # event: juncture
ASKED: Final = 7  # the first piece of its record
EGGS: Final = bytes((1, 2, 3))


class Eagle(Module):
    name = "eagle"

    def event_names(self) -> dict[int, str]:
        return {PERCHED: "eagle_perched"}

    def words(self) -> dict[int, tuple[str, tuple[int, ...]]]:
        return {PERCH: ("perch", (NUMBER,))}

    def set_up(self, position: Position, index: int) -> None:
        eggs = shuffle(position.seed, "eggs", 0, EGGS)[:1]
        position.module_state[index] = bytes((EMPTY,)) + eggs
        self.ask(position, index, position.order[0])

    def rest_begun(self, position: Position, index: int, seat: int) -> None:
        self.ask(position, index, seat)

    def ask(self, position: Position, index: int, seat: int) -> None:
        position.agenda.append((agenda.MODULE, seat, index, bytes((ASKED,))))

    def options(self, position: Position, index: int, seat: int, pieces: bytes) -> list[int]:
        return [options.option(PERCH, juncture) for juncture in range(len(JUNCTURES))]

    def choose(self, position: Position, index: int, seat: int, pieces: bytes, code: int) -> None:
        juncture = options.a_of(code)
        position.module_state[index] = bytes((juncture,)) + position.module_state[index][1:]
        emit(position, PERCHED, seat, juncture, 0, position.module_state[index][1:])
