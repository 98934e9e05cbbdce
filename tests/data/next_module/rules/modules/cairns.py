"""Cairns: whoever rests may raise one, and so may whoever gains a `cairn`.

No module of the game, but what one looks like: tests/foundations/test_next_module.py adds it to a
copy of the project, by these files and a line in the registry, and plays it.

State: the number of Cairns of each seat. Its words are numbers 190 to 199.
"""

from typing import Final

from endless_winter.rules import agenda, board, options
from endless_winter.rules.config import Config, ModuleRules
from endless_winter.rules.events import BY_MODULE, emit
from endless_winter.rules.hooks import Module
from endless_winter.rules.notation import NUMBER
from endless_winter.rules.options import option
from endless_winter.rules.reading import Json, Reader
from endless_winter.rules.sources import source
from endless_winter.rules.state import Position
from endless_winter.rules.tables import ModuleParts, Tables
from endless_winter.rules.zones import replaced

CAIRNS: Final = "cairns"
CAIRN_ICON: Final = 190
RAISE: Final = 190  # verb: which one of the pack, after a Rest
CAIRN: Final = 191  # verb: the same for an icon
CAIRN_RAISED: Final = 190  # event: which one
CAIRN_SOURCE: Final = 190  # kind of source: which one


class CairnRules(ModuleRules):
    """How many a seat can raise."""

    __slots__ = ("most",)

    name = CAIRNS

    def __init__(self, most: int = 3) -> None:
        self.most: int = most

    def written(self) -> dict[str, object]:
        return {"most": self.most}


class CairnParts(ModuleParts):
    """The points of each Cairn of the pack."""

    __slots__ = ("points",)

    def __init__(self, points: list[int]) -> None:
        self.points: list[int] = points


class Cairns(Module):
    name = CAIRNS
    own_rules = True

    def icon_names(self) -> dict[int, str]:
        return {CAIRN_ICON: "cairn"}

    def printed_icons(self) -> tuple[int, ...]:
        return (CAIRN_ICON,)

    def event_names(self) -> dict[int, str]:
        return {CAIRN_RAISED: "cairn_raised"}

    def source_kinds(self) -> dict[int, tuple[str, int]]:
        return {CAIRN_SOURCE: ("cairn", BY_MODULE)}

    def source_names(self, tables: Tables) -> dict[int, list[str]]:
        parts = tables.module_parts.get(CAIRNS)
        number = len(parts.points) if isinstance(parts, CairnParts) else 0
        return {CAIRN_SOURCE: [str(one) for one in range(number)]}

    def words(self) -> dict[int, tuple[str, tuple[int, ...]]]:
        return {RAISE: ("raise-cairn", (NUMBER,)), CAIRN: ("cairn", (NUMBER,))}

    def read_rules(self, reader: Reader) -> CairnRules:
        return CairnRules(reader.number("most"))

    def refusal(self, config: Config) -> str:
        if CAIRNS not in config.rules:
            return "Cairns are switched on by their own rules"
        return "" if CAIRNS in config.tables.module_parts else "the content pack has no Cairns"

    def set_up(self, position: Position, index: int) -> None:
        position.module_state[index] = bytes(len(position.players))

    def rest_begun(self, position: Position, index: int, seat: int) -> None:
        if self.icon_possible(position, index, seat, CAIRN_ICON, 1):
            position.agenda.append((agenda.MODULE, seat, index, b""))

    def options(self, position: Position, index: int, seat: int, pieces: bytes) -> list[int]:
        return [option(RAISE, number) for number in range(len(_points(position)))]

    def choose(self, position: Position, index: int, seat: int, pieces: bytes, code: int) -> None:
        _raise(position, index, seat, options.a_of(code))

    def icon_possible(
        self, position: Position, index: int, seat: int, icon: int, amount: int
    ) -> bool:
        return icon == CAIRN_ICON and position.module_state[index][seat] < _most(position)

    def icon_options(
        self,
        position: Position,
        index: int,
        seat: int,
        icon: int,
        amount: int,
        source: int,
        found: list[int],
    ) -> None:
        if self.icon_possible(position, index, seat, icon, amount):
            for number in range(len(_points(position))):
                found.append(option(CAIRN, number, 0, source))

    def takes(self, position: Position, index: int, code: int) -> tuple[int, int]:
        return (CAIRN_ICON, 1) if options.verb_of(code) == CAIRN else (0, 0)

    def perform(self, position: Position, index: int, seat: int, code: int) -> bool:
        if options.verb_of(code) != CAIRN:
            return False
        _raise(position, index, seat, options.a_of(code))
        return True

    def write_state(self, position: Position, index: int) -> Json:
        return {"raised": list(position.module_state[index])}

    def read_state(self, position: Position, index: int, reader: Reader) -> bytes:
        return reader.numbers("raised")

    def check(self, position: Position, index: int) -> str:
        state = position.module_state[index]
        if len(state) != len(position.players) or max(state) > _most(position):
            return "module_state.cairns.raised: for each seat how many it has expected"
        return ""


def _most(position: Position) -> int:
    rules = position.config.rules[CAIRNS]
    assert isinstance(rules, CairnRules)
    return rules.most


def _points(position: Position) -> list[int]:
    parts = position.tables.module_parts[CAIRNS]
    assert isinstance(parts, CairnParts)
    return parts.points


def _raise(position: Position, index: int, seat: int, number: int) -> None:
    state = position.module_state[index]
    position.module_state[index] = replaced(state, seat, state[seat] + 1)
    emit(position, CAIRN_RAISED, seat, number)
    position.cause = source(CAIRN_SOURCE, number)
    board.score(position, position.players[seat], _points(position)[number], BY_MODULE)
