"""The Nomad's area: its decks, its stack of open cards, its token.

On the table it is bytes, `position.module_state[index]`: a head of 8 (token, times the Map cards
were shuffled, sizes of the six zones), then the zones one after the other.
"""

from typing import Final

from endless_winter.rules.config import NOMAD
from endless_winter.rules.reading import Json, Reader
from endless_winter.rules.state import Position
from endless_winter.rules.tables import NomadCard, Tables
from endless_winter.rules.terrain import JUNCTURES
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


def written(tables: Tables, area: Area) -> Json:
    """The area in the JSON form of a position."""
    nomad_cards = [card.name for card in tables.nomad_cards]
    maps = [card.name for card in tables.map_cards]
    return {
        "token": "" if area.token == EMPTY else area.token,
        "stack": [nomad_cards[card] for card in area.stack],
        "deck": [nomad_cards[card] for card in area.deck],
        "pile": [nomad_cards[card] for card in area.pile],
        "sacrifice": [tables.cards[card].name for card in area.sacrifice],
        "maps": [maps[card] for card in area.maps],
        "seen_maps": [maps[card] for card in area.seen_maps],
        "map_shuffles": area.map_shuffles,
    }


def area_in(tables: Tables, reader: Reader) -> Area:
    nomad_cards = [card.name for card in tables.nomad_cards]
    maps = [card.name for card in tables.map_cards]
    area = Area()
    area.token = reader.place("token", len(JUNCTURES) - 1)
    area.stack = reader.pieces("stack", nomad_cards)
    area.deck = reader.pieces("deck", nomad_cards)
    area.pile = reader.pieces("pile", nomad_cards)
    area.sacrifice = reader.pieces("sacrifice", [card.name for card in tables.cards])
    area.maps = reader.pieces("maps", maps)
    area.seen_maps = reader.pieces("seen_maps", maps)
    area.map_shuffles = reader.number("map_shuffles")
    return area


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
