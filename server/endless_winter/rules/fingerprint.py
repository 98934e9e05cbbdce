"""A short hash of a position: equal positions, equal hash, on any platform.

The log keeps one per step, so that a replay can be checked step by step. It covers everything
that decides how the game goes on, the hidden parts too, so it stays in the log until the end.
"""

from hashlib import blake2b
from struct import Struct
from typing import Final

from endless_winter.rules.state import Player, Position

FINGERPRINT_BYTES: Final = 16
_TALLIES: Final = Struct(">5I")  # numbers that may grow large


def fingerprint(position: Position) -> bytes:
    """16 bytes of BLAKE2b over every part in a fixed order, each with its length."""
    parts: list[bytes] = [position.seed]
    for player in position.players:
        _player_parts(player, parts)
    parts.append(
        bytes(
            (
                position.over,
                position.round,
                position.turn,
                position.place,
                position.section,
                position.bottom_open,
                position.chief_ready,
                position.cultures_played,
                position.taken,
            )
        )
    )
    parts.append(position.labor.to_bytes(4, "big"))
    parts += [
        position.order,
        position.terrain,
        position.tiles,
        position.megaliths,
        position.stones[0],
        position.stones[1],
        position.tribes,
        position.culture[0],
        position.culture[1],
        position.display,
        position.animals,
        position.grounds,
        position.honor_queue,
        position.first,
        position.chiefs,
        position.setups,
        position.ready,
        position.fresh,
    ]
    parts += position.module_state
    for operation, seat, number, pieces in position.agenda:
        parts.append(bytes((operation, seat, number)))
        parts.append(pieces)
    lengths = bytes([len(part) for part in parts])
    return blake2b(
        lengths + b"".join(parts), digest_size=FINGERPRINT_BYTES, person=b"ew-position-1\0\0\0"
    ).digest()


def _player_parts(player: Player, parts: list[bytes]) -> None:
    parts.append(
        bytes(
            (
                player.food,
                player.tools,
                player.megaliths,
                player.offering,
                player.honor,
                player.chief,
                player.setup,
            )
        )
    )
    parts.append(
        _TALLIES.pack(
            player.shuffles,
            player.megalith_points,
            player.honor_points,
            player.stone_points,
            player.other_points,
        )
    )
    parts += [
        player.camps,
        player.villages,
        player.stones,
        player.figures,
        player.hand,
        player.deck,
        player.discard,
        player.above,
        player.pile,
        player.buried,
        player.animals,
        player.tipped,
    ]
