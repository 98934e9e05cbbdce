"""Seats: who gets which, and the words that take reserved ones.

No word is stored. It is derived from the game's salt and the number of the seat's invitation; a
retry under an old request id gets the same word as the first time, replaced or not.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import TYPE_CHECKING

from endless_winter.engine.caller import is_one_of, same
from endless_winter.engine.refusal import Refusal, invalid, revoked
from endless_winter.engine.table import INVITED, RUNNING
from endless_winter.v1 import config_pb2
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from endless_winter.engine.draft import Draft
    from endless_winter.engine.table import Seat, Table
    from endless_winter.store.records import Player, Secret

BOT_NAME = re.compile(r"\A[A-Za-z0-9_-]{1,40}\Z")
MOST_NAME = 40
MOST_NOTE = 200
MOST_OPTIONS = 1000
_WORD = 48  # characters


def check_text(text: str, field: str, most: int) -> None:
    """What clients write for others to read: bounded, and nothing that cannot be shown."""
    if len(text) > most or not text.isprintable():
        raise invalid(field, f"at most {most} characters that can be shown")


def check_bot_name(name: str, field: str) -> None:
    if not BOT_NAME.match(name):
        raise invalid(field, "a bot's name has 1 to 40 letters, digits, '-' and '_'")


def seat_at(table: Table, number: int) -> Seat:
    """A seat that exists."""
    if number >= len(table.seats):
        raise Refusal(reasons.REJECTION_REASON_SEAT_NOT_FOUND, "the game has no such seat")
    return table.seats[number]


class Invitations:
    """The words of one game."""

    __slots__ = ("_game_id", "_key")

    def __init__(self, game_id: str, creator: bytes, secret: Secret) -> None:
        self._game_id = game_id
        # A creator can bring the same salt again, and it is public after the end of the first game.
        self._key = secret.salt + creator

    def word(self, origin: bytes) -> str:
        """The word of an origin, from which nobody can derive it without the game's salt."""
        return hmac.new(self._key, origin, hashlib.blake2b).hexdigest()[:_WORD]

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
                # Every word is compared, so that the time taken shows not which came close.
                if hmac.compare_digest(due, given):
                    fitting.append(number)
        return fitting

    def _origin(self, seat: int, generation: int) -> bytes:
        return f"invitation:{self._game_id}:{seat}:{generation}".encode()


def seat_for(
    table: Table, invitations: Invitations, holder: bytes, wanted: int | None, invitation: str
) -> int:
    """The seat that a caller means: the one it names, the invited one, its own, or a free one.

    A client can hold several seats of a game, so an invitation means its seat and no other.
    """
    seats = table.seats
    if wanted is not None and same(seat_at(table, wanted).holder, holder):
        return wanted
    if invitation:
        for number in invitations.fits(table, invitation):
            if wanted in (None, number):
                return number
        raise Refusal(
            reasons.REJECTION_REASON_INVITATION_INVALID, "the invitation fits no seat here"
        )
    if wanted is not None:
        _check_open_to_all(seats[wanted])
        return wanted
    return _any_seat(seats, holder)


def _any_seat(seats: list[Seat], holder: bytes) -> int:
    """The caller's own again, or the first that it may have."""
    for number, seat in enumerate(seats):
        if same(seat.holder, holder):
            return number
    free = [number for number, seat in enumerate(seats) if seat.is_free]
    for number in free:
        if not _was_revoked(seats[number], holder):
            return number
    if free:
        raise revoked()
    raise Refusal(reasons.REJECTION_REASON_SEAT_TAKEN, "no seat is free")


def _was_revoked(seat: Seat, holder: bytes) -> bool:
    return is_one_of(holder, list(seat.revoked))


def _check_open_to_all(seat: Seat) -> None:
    if seat.served:
        raise Refusal(
            reasons.REJECTION_REASON_SEAT_TAKEN, "the server plays the Nomad; take another seat"
        )
    if seat.kind == config_pb2.SEAT_KIND_BOT and not seat.key:
        raise Refusal(
            reasons.REJECTION_REASON_SEAT_TAKEN, "the seat is for a bot; take another seat"
        )
    if seat.kind != config_pb2.SEAT_KIND_OPEN or seat.key:
        raise Refusal(reasons.REJECTION_REASON_INVITATION_INVALID, "the seat takes an invitation")


def take(draft: Draft, seat: int, player: Player) -> None:
    """Bind a seat to somebody who is entitled to it; nothing, if it is so already."""
    table = draft.table
    known = table.seats[seat]
    if same(known.holder, player.client):
        return  # at any time: a repeated request means that the answer was lost
    # An operator can have given a seat free in the middle of a game.
    rebound = table.status == RUNNING and bool(known.key)
    if not (rebound or table.is_open()):
        raise Refusal(
            reasons.REJECTION_REASON_GAME_STARTED, "the game has started; seats are fixed"
        )
    if known.player_id:
        raise Refusal(reasons.REJECTION_REASON_SEAT_TAKEN, "the seat is taken by somebody else")
    if known.forfeited:
        raise Refusal(reasons.REJECTION_REASON_SEAT_FORFEITED, "the seat is played by defaults")
    if not known.key and _was_revoked(known, player.client):
        raise revoked()
    draft.take_seat(seat, player)


def invite(draft: Draft, seat: int, *, operator: bool) -> None:
    """Make earlier invitations of a reserved seat worth nothing."""
    known = seat_at(draft.table, seat)
    if not draft.table.is_open():
        raise Refusal(reasons.REJECTION_REASON_GAME_STARTED, "the game has started")
    if known.kind not in INVITED:
        raise invalid("seat", "only reserved seats take invitations")
    if known.player_id:
        raise Refusal(reasons.REJECTION_REASON_SEAT_TAKEN, "the seat is taken")
    if known.key and not operator:
        raise Refusal(reasons.REJECTION_REASON_NOT_ALLOWED, "an operator has invited somebody else")
    draft.free_seat(seat, key=known.key)
