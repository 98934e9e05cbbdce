"""Who gets which seat: looked at and drafted in one go, under the lock of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.service import proposals
from endless_winter.service.identity import same
from endless_winter.service.refusal import Refusal, revoked
from endless_winter.service.table import ENDED, INVITED, RUNNING
from endless_winter.v1 import config_pb2
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from endless_winter.service.invitations import Invitations
    from endless_winter.service.proposals import Draft
    from endless_winter.service.table import Seat, Table


def seat_for(
    table: Table, invitations: Invitations, holder: bytes, wanted: int | None, invitation: str
) -> int:
    """The seat that a caller means: the one it names, the invited one, its own, or a free one.

    A client can hold several seats of a game, so an invitation means its seat and no other.
    """
    seats = table.seats
    if wanted is not None:
        if wanted >= len(seats):
            raise Refusal(reasons.REJECTION_REASON_SEAT_NOT_FOUND, "the game has no such seat")
        if same(seats[wanted].holder, holder):
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
    free = [number for number, seat in enumerate(seats) if _is_free(seat)]
    for number in free:
        if not _was_revoked(seats[number], holder):
            return number
    if free:
        raise revoked()
    raise Refusal(reasons.REJECTION_REASON_SEAT_TAKEN, "no seat is free")


def _is_free(seat: Seat) -> bool:
    return seat.kind == config_pb2.SEAT_KIND_OPEN and not (seat.holder or seat.key)


def _was_revoked(seat: Seat, holder: bytes) -> bool:
    return any([same(known, holder) for known in seat.revoked])  # noqa: C419 # all are compared


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


def take(draft: Draft, seat: int, holder: bytes, display_name: str, *, bot: bool = False) -> None:
    """Bind a seat to somebody who is entitled to it; nothing, if it is so already."""
    table = draft.table
    known = table.seats[seat]
    if same(known.holder, holder):
        return  # at any time: who asks again has not heard the answer
    # An operator can have given a seat free in the middle of a game.
    rebound = table.status == RUNNING and bool(known.key)
    if not (rebound or proposals.is_open(table)):
        raise Refusal(
            reasons.REJECTION_REASON_GAME_STARTED, "the game has started; seats are fixed"
        )
    if known.holder:
        raise Refusal(reasons.REJECTION_REASON_SEAT_TAKEN, "the seat is taken by somebody else")
    if known.forfeited:
        raise Refusal(reasons.REJECTION_REASON_SEAT_FORFEITED, "the seat is played by defaults")
    if not known.key and _was_revoked(known, holder):
        raise revoked()
    proposals.take_seat(draft, seat, holder, display_name, bot=bot)


def invite(draft: Draft, seat: int, *, operator: bool) -> None:
    """Make earlier invitations of a reserved seat worth nothing, for the next one to be told."""
    table = draft.table
    if seat >= len(table.seats):
        raise Refusal(reasons.REJECTION_REASON_SEAT_NOT_FOUND, "the game has no such seat")
    if table.status in (RUNNING, ENDED):
        raise Refusal(reasons.REJECTION_REASON_GAME_STARTED, "the game has started")
    known = table.seats[seat]
    if known.kind not in INVITED:
        raise Refusal(
            reasons.REJECTION_REASON_INVALID_ARGUMENT,
            "only reserved seats take invitations",
            field="seat",
        )
    if known.holder:
        raise Refusal(reasons.REJECTION_REASON_SEAT_TAKEN, "the seat is taken")
    if known.key and not operator:
        raise Refusal(reasons.REJECTION_REASON_NOT_ALLOWED, "an operator has invited somebody else")
    proposals.free_seat(draft, seat, key=known.key)
