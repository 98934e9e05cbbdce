"""A short hash of a position: equal positions, equal hash, on any platform.

The log keeps one per step, so that a replay can be checked step by step. It covers everything
that decides how the game goes on, the hidden parts too, so it stays in the log until the end.
"""

from hashlib import blake2b
from typing import Final

from endless_winter.rules.state import Player, Position
from endless_winter.rules.zones import ONE

FINGERPRINT_BYTES: Final = 16
# A copy of it is cheaper than one made anew with its parameters.
_UNUSED: Final = blake2b(digest_size=FINGERPRINT_BYTES, person=b"ew-position-1\0\0\0")
# Of the three numbers of a record of the agenda and of its pieces.
_RECORD_LENGTHS: Final[list[bytes]] = [bytes((6, pieces)) for pieces in range(256)]
_FOUR_BYTES: Final[list[bytes]] = [number.to_bytes(4, "big") for number in range(256)]

# A hash is made for each choice. Of everything that puts bytes together, formatting is what the
# compiler makes the best code of: no list, no tuple and no number becomes an object.


def fingerprint(position: Position) -> bytes:
    """16 bytes of BLAKE2b over every part in a fixed order, each with its length."""
    lengths: list[bytes] = [ONE[len(position.seed)]]
    parts: list[bytes] = [position.seed]
    for player in position.players:
        lengths.append(_player_lengths(player))
        parts.append(_player_parts(player))
    lengths.append(_table_lengths(position))
    parts.append(_table_parts(position))
    for state in position.module_state:
        lengths.append(ONE[len(state)])
        parts.append(state)
    for operation, seat, number, pieces in position.agenda:
        lengths.append(_RECORD_LENGTHS[len(pieces)])
        parts.append(b"%b%b%b%b" % (ONE[operation], ONE[seat], _four_bytes(number), pieces))
    hashed = _UNUSED.copy()
    hashed.update(b"".join(lengths + parts))
    return hashed.digest()


def _four_bytes(number: int) -> bytes:
    """A number that may grow large."""
    return _FOUR_BYTES[number] if number < 256 else number.to_bytes(4, "big")


def _player_lengths(player: Player) -> bytes:
    """Of its seven small numbers, its two large ones and its zones."""
    return b"\x07\x08%b%b%b%b%b%b%b%b%b%b%b%b%b" % (
        ONE[len(player.points)],
        ONE[len(player.camps)],
        ONE[len(player.villages)],
        ONE[len(player.stones)],
        ONE[len(player.figures)],
        ONE[len(player.hand)],
        ONE[len(player.deck)],
        ONE[len(player.discard)],
        ONE[len(player.above)],
        ONE[len(player.pile)],
        ONE[len(player.buried)],
        ONE[len(player.animals)],
        ONE[len(player.tipped)],
    )


def _player_parts(player: Player) -> bytes:
    return b"%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b" % (
        ONE[player.food],
        ONE[player.tools],
        ONE[player.megaliths],
        ONE[player.offering],
        ONE[player.honor],
        ONE[player.chief],
        ONE[player.setup],
        _four_bytes(player.shuffles),
        _four_bytes(player.score),
        player.points,
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
    )


def _table_lengths(position: Position) -> bytes:
    """Of its nine small numbers, the Labor and its zones."""
    return b"\x09\x04%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b" % (
        ONE[len(position.order)],
        ONE[len(position.terrain)],
        ONE[len(position.tiles)],
        ONE[len(position.megaliths)],
        ONE[len(position.stones[0])],
        ONE[len(position.stones[1])],
        ONE[len(position.tribes)],
        ONE[len(position.culture[0])],
        ONE[len(position.culture[1])],
        ONE[len(position.display)],
        ONE[len(position.animals)],
        ONE[len(position.grounds)],
        ONE[len(position.honor_queue)],
        ONE[len(position.first)],
        ONE[len(position.chiefs)],
        ONE[len(position.setups)],
        ONE[len(position.ready)],
        ONE[len(position.fresh)],
    )


def _table_parts(position: Position) -> bytes:
    return b"%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b" % (
        ONE[position.over],
        ONE[position.round],
        ONE[position.turn],
        ONE[position.place],
        ONE[position.section],
        ONE[position.bottom_open],
        ONE[position.chief_ready],
        ONE[position.cultures_played],
        ONE[position.taken],
        _four_bytes(position.labor),
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
    )
