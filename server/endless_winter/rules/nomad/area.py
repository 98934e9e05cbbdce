"""The Nomad's area: its decks, its stack of open cards, its token.

On the table it is bytes, `position.module_state[index]`: a head of 8 (token, times the Map cards
were shuffled, sizes of the six zones), then the zones one after the other.
"""

from typing import Final

from endless_winter.rules.config import NOMAD
from endless_winter.rules.state import Position
from endless_winter.rules.tables import NomadCard
from endless_winter.rules.zones import EMPTY

HEAD: Final = 8


class Area:
    """The parts by name. Change one, then `keep` it."""

    __slots__ = (
        "deck",
        "map_shuffles",
        "maps",
        "pile",
        "sacrifice",
        "seen_maps",
        "stack",
        "token",
    )

    def __init__(self) -> None:
        self.token: int = EMPTY  # the juncture it stands on
        self.map_shuffles: int = 0
        self.deck: bytes = b""  # Nomad cards face down, the top first
        self.stack: bytes = b""  # open Nomad cards, the newest last
        self.pile: bytes = b""  # the Eclipse pile
        self.sacrifice: bytes = b""  # the top first (SOL-02)
        self.maps: bytes = b""  # Map cards face down, the top first
        self.seen_maps: bytes = b""  # the newest last


def unpacked(state: bytes) -> Area:
    area = Area()
    area.token = state[0]
    area.map_shuffles = state[1]
    at = HEAD
    area.deck = state[at : at + state[2]]
    at += state[2]
    area.stack = state[at : at + state[3]]
    at += state[3]
    area.pile = state[at : at + state[4]]
    at += state[4]
    area.sacrifice = state[at : at + state[5]]
    at += state[5]
    area.maps = state[at : at + state[6]]
    at += state[6]
    area.seen_maps = state[at : at + state[7]]
    return area


def packed(area: Area) -> bytes:
    return (
        bytes(
            (
                area.token,
                area.map_shuffles & 255,
                len(area.deck),
                len(area.stack),
                len(area.pile),
                len(area.sacrifice),
                len(area.maps),
                len(area.seen_maps),
            )
        )
        + area.deck
        + area.stack
        + area.pile
        + area.sacrifice
        + area.maps
        + area.seen_maps
    )


def index_of(position: Position) -> int:
    """Where the Nomad stands among the modules; -1: nowhere."""
    for index, module in enumerate(position.modules):
        if module.name == NOMAD:
            return index
    return -1


def area_of(position: Position) -> Area:
    return unpacked(position.module_state[index_of(position)])


def keep(position: Position, area: Area) -> None:
    position.module_state[index_of(position)] = packed(area)


def newest_card(position: Position, area: Area) -> NomadCard:
    """The top of the stack: its arrows count (SOL-10)."""
    return position.tables.nomad_cards[area.stack[-1]]
