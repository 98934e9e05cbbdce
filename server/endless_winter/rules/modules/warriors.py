"""Warriors instead of Pathfinders, in any game (RAF-15).

What a Warrior can do is on its card: `eclipse: march, raid`, two icons of the module's own. March:
an own Camp goes to a hex beside its own, or what may move in place of a Camp (a Raft). Raid: the
same with an opponent's Camp. A Starting Base is no hex: no Camp goes off it either way.

The module has no state. Its words are numbers 110 to 119:

    RAID_ICON, RAID   `raid 1 7>8`: the Camp of seat 1 from hex 7 to hex 8
    MARCH_ICON        taken by the options of the Camp move
    CAMP_RAIDED       by this seat: from hex, whose Camp * 256 + to hex
"""

from typing import Final

from endless_winter.rules import board, options
from endless_winter.rules.config import Config
from endless_winter.rules.events import emit
from endless_winter.rules.hooks import Module
from endless_winter.rules.icons import MOVE
from endless_winter.rules.notation import OWNER, STEP
from endless_winter.rules.options import option
from endless_winter.rules.state import Player, Position
from endless_winter.rules.tables import NONE, ModuleParts, Tables
from endless_winter.rules.terrain import ADJACENT, HEXES
from endless_winter.rules.zones import distinct, replaced

RAID_ICON: Final = 110
MARCH_ICON: Final = 111
RAID: Final = 110  # verb: from hex, to hex, whose Camp
CAMP_RAIDED: Final = 110


WARRIORS: Final = "warriors"


class WarriorParts(ModuleParts):
    """Which card it is, and the Tribe deck whose place it takes."""

    __slots__ = ("card", "deck")

    def __init__(self, card: int, deck: int) -> None:
        self.card: int = card
        self.deck: int = deck


def parts_in(tables: Tables) -> WarriorParts | None:
    """None: the pack has no Warriors."""
    parts = tables.module_parts.get(WARRIORS)
    return parts if isinstance(parts, WarriorParts) else None


def warrior_in(tables: Tables) -> int:
    """The card; NONE in a pack without it."""
    parts = parts_in(tables)
    return NONE if parts is None else parts.card


class Warriors(Module):
    name = WARRIORS

    def icon_names(self) -> dict[int, str]:
        return {RAID_ICON: "raid", MARCH_ICON: "march"}

    def printed_icons(self) -> tuple[int, ...]:
        return (RAID_ICON, MARCH_ICON)

    def event_names(self) -> dict[int, str]:
        return {CAMP_RAIDED: "camp_raided"}

    def words(self) -> dict[int, tuple[str, tuple[int, ...]]]:
        return {RAID: ("raid", (OWNER, STEP))}

    def refusal(self, config: Config) -> str:
        return "" if parts_in(config.tables) is not None else "the content pack has no Warriors"

    def components(self, position: Position, index: int) -> None:
        """RAF-15: never both; a Setup card that shows a Pathfinder gives a Warrior."""
        parts = parts_in(position.tables)
        assert parts is not None  # else the game is refused
        position.tribe_cards = replaced(position.tribe_cards, parts.deck, parts.card)

    def icon_possible(
        self, position: Position, index: int, seat: int, icon: int, amount: int
    ) -> bool:
        if icon == MARCH_ICON:
            found: list[int] = []
            _list_marches(position, seat, 0, found)
            return bool(found)
        if icon != RAID_ICON:
            return False
        return any(_hexes(other) for other in _opponents(position, seat))

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
        if icon == MARCH_ICON:
            _list_marches(position, seat, source, found)
        if icon != RAID_ICON:
            return
        for other in _opponents(position, seat):
            for start in _hexes(other):
                for end in ADJACENT[start]:
                    found.append(option(RAID, start, end, source, other.seat))

    def taken_like(self) -> dict[int, int]:
        return {MARCH_ICON: MOVE}

    def takes(self, position: Position, index: int, code: int) -> tuple[int, int]:
        return (RAID_ICON, 1) if options.verb_of(code) == RAID else (0, 0)

    def perform(self, position: Position, index: int, seat: int, code: int) -> bool:
        if options.verb_of(code) != RAID:
            return False
        start, end, owner = options.a_of(code), options.b_of(code), options.c_of(code)
        emit(position, CAMP_RAIDED, seat, start, owner << 8 | end)
        board.shift_camp(position, position.players[owner], start, end)
        return True

    def check(self, position: Position, index: int) -> str:
        return "module_state.warriors: none expected" if position.module_state[index] else ""


def _list_marches(position: Position, seat: int, source: int, found: list[int]) -> None:
    """Own Camps from hex to hex, and what may move in place of one."""
    for start in _hexes(position.players[seat]):
        for end in ADJACENT[start]:
            found.append(option(options.MOVE, start, end, source))
    for index, module in enumerate(position.modules):
        module.other_moves(position, index, seat, source, found)


def _opponents(position: Position, seat: int) -> list[Player]:
    """Whose Camps a seat can move: not those of the Nomad (SRF-02)."""
    return [
        player
        for player in position.players
        if player.seat != seat and position.kinds[player.seat].camps_yield
    ]


def _hexes(player: Player) -> list[int]:
    """The hexes with Camps of a player."""
    return [hex_ for hex_ in distinct(player.camps) if hex_ < HEXES]
