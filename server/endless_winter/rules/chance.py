"""Chance: a keyed hash of the game's secret seed, a named stream and a counter.

Nothing is drawn from a shared generator. A shuffle is a function of (seed, stream, counter) and
of the pieces shuffled, so one player's choices never shift another's deck, a copied game goes
on identically, and anybody who knows the seed can check every shuffle. docs/fairness.md has the
byte-level description and test vectors, so that it can be rebuilt in any language.
"""

from hashlib import blake2b
from typing import Final

SEED_BYTES: Final = 32
SALT_BYTES: Final = 32


def keyed(seed: bytes) -> blake2b:
    """The hash keyed with a seed; whoever shuffles a lot makes it once."""
    return blake2b(digest_size=64, key=seed, person=b"endless-winter-1")


def block(seed: bytes, stream: str, counter: int, index: int) -> bytes:
    """64 pseudo-random bytes: block `index` of use `counter` of `stream`."""
    return block_with(keyed(seed), stream, counter, index)


def block_with(key: blake2b, stream: str, counter: int, index: int) -> bytes:
    """The same from the keyed hash."""
    hashed = key.copy()
    hashed.update(stream.encode("ascii") + (counter << 32 | index).to_bytes(8, "big"))
    return hashed.digest()


def shuffle(seed: bytes, stream: str, counter: int, pieces: bytes) -> bytes:
    """The pieces in a random order (see `shuffle_with`)."""
    return shuffle_with(keyed(seed), stream, counter, pieces)


def shuffle_with(key: blake2b, stream: str, counter: int, pieces: bytes) -> bytes:
    """The pieces in a random order.

    From the last place down to the second, each place is exchanged with a place not after it.
    A place below n is drawn from 16-bit words; a word at or above the largest multiple of n is
    passed over, so that every order is equally likely.
    """
    order = list(pieces)
    index = 0
    words = b""
    at = 0
    end = 0
    for last in range(len(order) - 1, 0, -1):
        n = last + 1
        limit = 65536 - 65536 % n
        word = limit
        while word >= limit:
            if at == end:
                words = block_with(key, stream, counter, index)
                index += 1
                at = 0
                end = 64
            word = words[at] << 8 | words[at + 1]
            at += 2
        pick = word % n
        piece = order[pick]
        order[pick] = order[last]
        order[last] = piece
    return bytes(order)


def commitment(seed: bytes, salt: bytes) -> str:
    """What is published when a game is created: it binds the server to the seed, and hides it."""
    return blake2b(seed, digest_size=32, key=salt, person=b"ew-commitment-1\0").hexdigest()


def verify(published: str, seed: bytes, salt: bytes) -> bool:
    """Whether the revealed seed and salt are those that the commitment was made of."""
    return commitment(seed, salt) == published
