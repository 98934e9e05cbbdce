"""Where the seeds of a tournament come from: one secret key, committed to before the first game.

The seed of a game is ``HMAC-SHA256(key, "seed:" + game id)``, its attempt included; where seeds are
paired, ``HMAC-SHA256(key, "seed:" + block)``. The salt of a game's commitment is
``HMAC-SHA256(key, "salt:" + game id)``: with the key, at the end, anyone can make them all again.
"""

from __future__ import annotations

import hmac
import os
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from endless_winter.rules.chance import commitment
from endless_winter.tournament.errors import TournamentError

if TYPE_CHECKING:
    from pathlib import Path

KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Key:
    """The secret of a tournament, with the salt of its commitment."""

    key: bytes
    salt: bytes

    @classmethod
    def fresh(cls) -> Self:
        return cls(secrets.token_bytes(KEY_BYTES), secrets.token_bytes(KEY_BYTES))

    @classmethod
    def parse(cls, text: str) -> Self:
        """From the two lines of a key file."""
        words = text.split()
        try:
            key, salt = (bytes.fromhex(word) for word in words)
        except ValueError as error:
            raise TournamentError("a key file holds two lines of 64 hexadecimal digits") from error
        if len(key) != KEY_BYTES or len(salt) != KEY_BYTES:
            raise TournamentError("a key file holds two lines of 64 hexadecimal digits")
        return cls(key, salt)

    def text(self) -> str:
        return f"{self.key.hex()}\n{self.salt.hex()}\n"

    def __repr__(self) -> str:
        """Not the secret: a log or an error message may show this."""
        return f"Key(commitment={self.commitment})"

    @property
    def commitment(self) -> str:
        """Published from the start; made like that of a game's seed (docs/fairness.md)."""
        return commitment(self.key, self.salt)

    def seed(self, of: str) -> bytes:
        """Of a game, by its id, or of a block. The names differ: a block's has a colon."""
        return hmac.digest(self.key, f"seed:{of}".encode(), "sha256")

    def game_salt(self, game_id: str) -> bytes:
        return hmac.digest(self.key, f"salt:{game_id}".encode(), "sha256")


def keep(path: Path, key: Key) -> None:
    """Write a key that only its owner may read; an existing file is never overwritten.

    A process that is killed meanwhile leaves no key and not half of one: with half of one the
    tournament could not go on.
    """
    if path.exists():
        raise FileExistsError(path)
    begun = path.with_name(f"{path.name}.begun")
    begun.unlink(missing_ok=True)
    handle = os.open(begun, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(key.text())
        file.flush()
        os.fsync(file.fileno())
    begun.rename(path)


def load(path: Path) -> Key:
    try:
        text = path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise TournamentError(f"{path}: the tournament's key cannot be read") from error
    try:
        return Key.parse(text)
    except TournamentError as error:
        raise TournamentError(f"{path}: {error}") from error
