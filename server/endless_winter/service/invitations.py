"""The words that take reserved seats.

None is kept. A word is derived from the game's salt and from which of the seat's invitations it is;
whoever is told one again under an old request id is told the same as then, replaced or not.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

from endless_winter.service.refusal import Refusal
from endless_winter.service.table import INVITED
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from endless_winter.service.table import Table
    from endless_winter.store import Header, Secret

_LENGTH = 48
_BEGINS = b"invitation:"


class Invitations:
    """Those of one game."""

    __slots__ = ("_game_id", "_key")

    def __init__(self, header: Header, secret: Secret) -> None:
        self._game_id = header.game_id
        # A creator can bring the same salt again, and it is told at the end of the first game.
        self._key = secret.salt + header.creator

    def word(self, origin: bytes) -> str:
        """The word of an origin, which tells nobody the word that does not know the game's salt."""
        if not origin.startswith(_BEGINS):
            raise Refusal(
                reasons.REJECTION_REASON_INVITATION_INVALID,
                "an earlier version of the server made that invitation; make a new one",
            )
        return hmac.new(self._key, origin, hashlib.blake2b).hexdigest()[:_LENGTH]

    def origin(self, table: Table, seat: int) -> bytes:
        """What the word that a seat takes now is made of.

        A creator can bring the salt; the key of a seat that an operator rebinds is the server's.
        """
        known = table.seats[seat]
        return self._origin(seat, known.generation) + known.key

    def of_creation(self, seat: int) -> str:
        """The first word of a seat, whatever has happened since."""
        return self.word(self._origin(seat, 0))

    def fits(self, table: Table, word: str) -> list[int]:
        """The seats that a word takes: one, or none."""
        given = word.encode()
        fitting = []
        for number, seat in enumerate(table.seats):
            if seat.kind in INVITED or seat.key:
                due = self.word(self.origin(table, number)).encode()
                # Every word is compared, so that the time taken does not tell which came close.
                if hmac.compare_digest(due, given):
                    fitting.append(number)
        return fitting

    def _origin(self, seat: int, generation: int) -> bytes:
        return f"invitation:{self._game_id}:{seat}:{generation}".encode()
