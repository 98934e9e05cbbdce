"""`OperatorService`: what the host can do with seats and seals. Each is an entry of a game's log.

Power over seats is not sight of hands: nothing here shows what only a seat may see.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from endless_winter.service import logs, proposals
from endless_winter.service.asked import Asked, check_request_id
from endless_winter.service.calls import unary
from endless_winter.service.refusal import Refusal
from endless_winter.service.shelved import Shelved
from endless_winter.service.suspended import Suspended
from endless_winter.service.table import ENDED, RUNNING
from endless_winter.service.texts import MOST_NOTE, MOST_OPTIONS, check_bot_name, check_text
from endless_winter.v1 import game_service_pb2, operator_service_pb2_grpc, replay_pb2, result_pb2
from endless_winter.v1 import operator_service_pb2 as o
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from endless_winter.service.arena import Bot
    from endless_winter.service.hall import Hall
    from endless_winter.service.identity import Caller
    from endless_winter.service.proposals import Draft
    from endless_winter.service.session import Session

SERVICE = "endless_winter.v1.OperatorService"
_OPERATORS = 255  # in the place of a seat: operators share their request ids
_KEY_BYTES = 16


class OperatorServicer(operator_service_pb2_grpc.OperatorServiceServicer):
    """One rule for all: without an operator's token nothing happens."""

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self.settings = hall.settings

    @unary
    async def RevokeSeat(
        self, request: o.RevokeSeatRequest, caller: Caller
    ) -> o.RevokeSeatResponse:
        session = await self._seat(request, caller)
        check_text(request.note, "note", MOST_NOTE)

        def change(draft: Draft) -> None:
            _check_playing(draft, request.seat)
            held = bool(draft.table.seats[request.seat].holder)
            if held:
                proposals.free_seat(draft, request.seat, request.note or "revoked")
            forfeits = request.forfeit and draft.table.status == RUNNING
            if forfeits:
                proposals.forfeit(draft, request.seat, result_pb2.END_REASON_ABANDONED)
            if not (held or forfeits):
                raise Refusal(
                    reasons.REJECTION_REASON_INVALID_ARGUMENT,
                    "nobody holds the seat",
                    field="seat",
                )

        await session.amend(Asked(_OPERATORS, request.request_id, b"revoke", request), change)
        logs.log.info("an operator revoked a seat", forfeit=request.forfeit)
        return o.RevokeSeatResponse(game=session.info())

    @unary
    async def RebindSeat(
        self, request: o.RebindSeatRequest, caller: Caller
    ) -> o.RebindSeatResponse:
        session = await self._seat(request, caller)
        check_text(request.note, "note", MOST_NOTE)

        invitations = session.invitations

        def change(draft: Draft) -> bytes:
            _check_playing(draft, request.seat)
            key = secrets.token_bytes(_KEY_BYTES)
            proposals.free_seat(draft, request.seat, request.note or "rebound", key)
            return invitations.origin(draft.table, request.seat)

        asked = Asked(_OPERATORS, request.request_id, b"rebind", request)
        word = invitations.word(await session.amend(asked, change))
        logs.log.info("an operator rebound a seat")
        invitation = game_service_pb2.Invitation(seat=request.seat, token=word)
        return o.RebindSeatResponse(game=session.info(), invitation=invitation)

    @unary
    async def HandSeatToBot(
        self, request: o.HandSeatToBotRequest, caller: Caller
    ) -> o.HandSeatToBotResponse:
        session = await self._seat(request, caller)
        check_bot_name(request.bot_name, "bot_name")
        check_text(request.bot_options, "bot_options", MOST_OPTIONS)
        asked = Asked(_OPERATORS, request.request_id, b"hand", request)
        if await session.answered(asked):
            return o.HandSeatToBotResponse(game=session.info())
        _check_playing(session, request.seat)

        async def bind(bot: Bot) -> None:
            def change(draft: Draft) -> None:
                _check_playing(draft, request.seat)
                proposals.free_seat(draft, request.seat, "handed to a bot")
                proposals.take_seat(draft, request.seat, bot.holder, bot.name, bot=True)

            await session.amend(asked, change)

        await self.hall.arena.hand(
            session, request.seat, request.bot_name, request.bot_options, bind
        )
        logs.log.info("an operator handed a seat to a bot", bot=request.bot_name)
        return o.HandSeatToBotResponse(game=session.info())

    @unary
    async def ReleaseReveal(
        self, request: o.ReleaseRevealRequest, caller: Caller
    ) -> o.ReleaseRevealResponse:
        _check_operator(caller)
        if len(request.game_ids) > self.settings.page_size:
            raise Refusal(
                reasons.REJECTION_REASON_TOO_LARGE,
                f"at most {self.settings.page_size} games at once",
                field="game_ids",
            )
        found = [await self._sealed(game_id, caller) for game_id in request.game_ids]
        # All or none, as far as that goes: an ended game stays ended.
        if any(_status(game) != ENDED for game in found):
            raise Refusal(reasons.REJECTION_REASON_NOT_REVEALED_YET, "not all games have ended")
        for game in found:
            if isinstance(game, Shelved):
                opened = game.header.sealed
                if opened:
                    await game.release(self.hall.time.unix_ms())
            else:
                opened = game.table.config.hold_reveal and not game.table.released
                if opened:
                    await game.amend(None, _release)
            if opened:
                logs.log.info("an operator opened a seal", game=game.header.game_id)
        games = [await self.hall.describe(game_id, caller) for game_id in request.game_ids]
        return o.ReleaseRevealResponse(games=games)

    async def _sealed(self, game_id: str, caller: Caller) -> Session | Shelved:
        try:
            return await self.hall.find(game_id, caller)
        except Suspended:  # what has ended can be opened, whether or not it can be played again
            return await self.hall.shelved(game_id, caller)

    async def _seat(
        self,
        request: o.RevokeSeatRequest | o.RebindSeatRequest | o.HandSeatToBotRequest,
        caller: Caller,
    ) -> Session:
        """The game of a request, with the seat in it."""
        _check_operator(caller)
        check_request_id(request.request_id)
        session = await self.hall.find(request.game_id, caller)
        if request.seat >= len(session.table.seats):
            raise Refusal(reasons.REJECTION_REASON_SEAT_NOT_FOUND, "the game has no such seat")
        if session.table.seats[request.seat].served:
            raise Refusal(reasons.REJECTION_REASON_SEAT_TAKEN, "the server plays the Nomad")
        return session


def _check_operator(caller: Caller) -> None:
    if not caller.operator:
        raise Refusal(reasons.REJECTION_REASON_NOT_ALLOWED, "only operators may do this")


def _check_playing(draft: Draft | Session, seat: int) -> None:
    """A seat that still means something."""
    if draft.table.status == ENDED:
        raise Refusal(reasons.REJECTION_REASON_GAME_ENDED, "the game has ended")
    if draft.table.seats[seat].forfeited:
        raise Refusal(reasons.REJECTION_REASON_SEAT_FORFEITED, "the seat is played by defaults")


def _status(game: Session | Shelved) -> int:
    return game.header.status if isinstance(game, Shelved) else game.table.status


def _release(draft: Draft) -> None:
    if draft.table.released:  # somebody was quicker
        raise Refusal(reasons.REJECTION_REASON_CONFLICT, "the seal has just been opened")
    draft.add(replay_pb2.LogEntry(released=replay_pb2.LogReleased()))
