"""Warriors (RAF-15): moves of opponents' Camps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import options
from endless_winter.rules.modules.warriors import CAMP_RAIDED, MARCH_ICON, RAID, RAID_ICON
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import move_pb2 as m
from endless_winter.views.events import camp_moved
from endless_winter.views.moves import camp_move
from endless_winter.views.plugin import ViewModule

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.rules.state import Position
    from endless_winter.rules.tables import Tables
    from endless_winter.v1 import event_pb2
    from endless_winter.views.words import Words


def _label(_: Tables, full: int) -> str:
    start, end = options.a_of(full), options.b_of(full)
    return f"Move a Camp of seat {options.c_of(full)} from hex {start} to hex {end}"


class WarriorsView(ViewModule):
    def icons(self) -> dict[int, enums.Icon.ValueType]:
        return {RAID_ICON: enums.ICON_CAMP_MOVE_OPPONENT, MARCH_ICON: enums.ICON_CAMP_MARCH}

    def phrases(self) -> dict[int, tuple[str, str]]:
        return {
            RAID_ICON: ("move an opponent's Camp", "{} moves of opponents' Camps"),
            MARCH_ICON: ("move a Camp from hex to hex", "{} moves of Camps from hex to hex"),
        }

    def labels(self) -> dict[int, Callable[[Tables, int], str]]:
        return {RAID: _label}

    def targets(self) -> dict[int, Callable[[Words, int], m.Target]]:
        return {RAID: lambda _, full: m.Target(camp_move=camp_move(full))}

    def owners(self) -> dict[int, Callable[[int], int]]:
        return {RAID: options.c_of}

    def events(
        self,
    ) -> dict[int, Callable[[Words, Position, int, int, int], list[event_pb2.PublicEvent]]]:
        """The second number of a raid is the owner and where the Camp went."""
        return {
            CAMP_RAIDED: lambda _, __, seat, start, end: [
                camp_moved(end >> 8, start, end & 255, by=seat)
            ]
        }

    def by_itself(self) -> tuple[int, ...]:
        return (CAMP_RAIDED,)


VIEW: Final = WarriorsView()
