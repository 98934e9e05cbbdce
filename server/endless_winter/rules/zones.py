"""Zones of pieces (hand, deck, Camps on hexes, ...) as immutable bytes.

A piece is an id below 255. Being immutable, zones are shared by copies of a game, which is what
makes copying cheap. All zones but decks are sorted: they are sets of equal pieces, no order of
arrival can be read from them.
"""

from bisect import bisect_right
from typing import Final

EMPTY: Final = 255  # a free place in a display with fixed places

ONE: Final[list[bytes]] = [bytes((piece,)) for piece in range(256)]


def with_piece(zone: bytes, piece: int) -> bytes:
    at = bisect_right(zone, piece)
    return zone[:at] + ONE[piece] + zone[at:]


def without(zone: bytes, piece: int) -> bytes:
    at = zone.index(piece)
    return zone[:at] + zone[at + 1 :]


def replaced(zone: bytes, at: int, value: int) -> bytes:
    return zone[:at] + ONE[value] + zone[at + 1 :]


def merged(zone: bytes, more: bytes) -> bytes:
    return bytes(sorted(zone + more))


def distinct(zone: bytes) -> list[int]:
    """The different pieces of a sorted zone, in order."""
    found: list[int] = []
    last = -1
    for piece in zone:
        if piece != last:
            found.append(piece)
            last = piece
    return found
