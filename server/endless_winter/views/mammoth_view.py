"""Where the Mammoth stands (MAM): all of it is public."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules.zones import EMPTY, ONE
from endless_winter.v1 import view_public_pb2 as v

if TYPE_CHECKING:
    from endless_winter.rules.state import Position

MAMMOTH: Final = "mammoth"


def state_of(position: Position) -> bytes:
    """The module's state; empty without the module."""
    if MAMMOTH not in position.config.modules:
        return b""
    return position.module_state[position.config.modules.index(MAMMOTH)]


def mammoth_view(state: bytes) -> v.MammothView | None:
    if not state:
        return None
    return v.MammothView(juncture=None if state[0] == EMPTY else state[0])


def state_from(view: v.MammothView) -> bytes:
    """The module's state again."""
    return ONE[view.juncture if view.HasField("juncture") else EMPTY]
