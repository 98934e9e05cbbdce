"""`GameService`: creating, finding, joining, leaving and aborting games."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

from endless_winter.service import proposals
from endless_winter.service.asked import Asked, check_request_id
from endless_winter.service.calls import unary
from endless_winter.service.hall import RULES
from endless_winter.service.identity import same
from endless_winter.service.refusal import Refusal
from endless_winter.service.suspended import Suspended
from endless_winter.service.table import ENDED, INVITED, RUNNING
from endless_winter.service.texts import MOST_NAME, MOST_NOTE, check_text
from endless_winter.store import BadPageToken, Query, Status
from endless_winter.v1 import (
    config_pb2,
    game_service_pb2,
    game_service_pb2_grpc,
    result_pb2,
)
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from endless_winter.service.hall import Hall
    from endless_winter.service.identity import Caller
    from endless_winter.service.proposals import Draft
    from endless_winter.service.session import Session

g = game_service_pb2
# In the place of a seat: who invites, leaves or aborts has request ids of its own.
_INVITING = 254
_LEAVING = 253
_ABORTING = 252


class GameServicer(game_service_pb2_grpc.GameServiceServicer):
    """Thin: each method finds its game and asks its session."""

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self.settings = hall.settings

    @unary
    async def CreateGame(
        self, request: g.CreateGameRequest, caller: Caller
    ) -> g.CreateGameResponse:
        session, invitations = await self.hall.create(caller, request)
        return g.CreateGameResponse(game=session.info(), invitations=invitations)

    @unary
    async def GetGame(self, request: g.GetGameRequest, caller: Caller) -> g.GetGameResponse:
        return g.GetGameResponse(game=await self.hall.describe(request.game_id, caller))

    @unary
    async def ListGames(self, request: g.ListGamesRequest, caller: Caller) -> g.ListGamesResponse:
        query = Query(
            client=caller.holder,
            everything=caller.operator,
            rules_version=RULES,
            suspended=self.hall.suspended.unlisted() if request.statuses else frozenset(),
            statuses=frozenset(_status(status) for status in request.statuses),
            joinable=request.joinable,
            mine=request.mine,
            tag=request.tag,
            tournament_id=request.tournament_id,
            seats=request.seats,
            rivers=request.rivers if request.HasField("rivers") else None,
            solo=request.solo if request.HasField("solo") else None,
            created_from_ms=(
                request.created_from_unix_ms if request.HasField("created_from_unix_ms") else None
            ),
        )
        limit = min(request.page_size or self.settings.page_size, self.settings.page_size)
        try:
            page = await self.hall.store.list_games(query, limit=limit, token=request.page_token)
        except BadPageToken as error:
            raise Refusal(
                reasons.REJECTION_REASON_PAGE_TOKEN_INVALID,
                "not a page token of this list",
                field="page_token",
            ) from error
        games = []
        for header in page.games:
            try:
                info = await self.hall.describe(header.game_id, caller, header)
            except Refusal:
                continue  # closed to this caller
            if not request.statuses or info.status in request.statuses:  # as this caller sees it
                games.append(info)
        return g.ListGamesResponse(games=games, next_page_token=page.next_token)

    @unary
    async def JoinGame(self, request: g.JoinGameRequest, caller: Caller) -> g.JoinGameResponse:
        holder = caller.known()
        check_text(request.display_name, "display_name", MOST_NAME)
        session = await self.hall.find(request.game_id, caller, request.invitation)
        wanted = request.seat if request.HasField("seat") else None
        seat = _seat_for(session, holder, wanted, request.invitation)
        generation = session.table.seats[seat].generation
        await session.take_seat(seat, holder, request.display_name, generation=generation)
        return g.JoinGameResponse(seat=seat, game=session.info())

    @unary
    async def LeaveGame(self, request: g.LeaveGameRequest, caller: Caller) -> g.LeaveGameResponse:
        check_request_id(request.request_id)
        asked = Asked(_LEAVING, request.request_id, b"leave", request, caller.known())
        try:
            session = await self.hall.find(request.game_id, caller)
        except Refusal:  # a closed game is hidden from who has left it, who may ask again
            if await self._was_answered(request.game_id, asked):
                return g.LeaveGameResponse()
            raise
        await session.leave(caller, request.seat, asked)
        return g.LeaveGameResponse(game=session.info_for(caller))

    async def _was_answered(self, game_id: str, asked: Asked) -> bool:
        if not asked.request_id:
            return False
        found = await self.hall.store.find_request(asked.key, asked.request_id, game_id)
        return found is not None and bool(asked.first(found.answer))

    @unary
    async def AbortGame(self, request: g.AbortGameRequest, caller: Caller) -> g.AbortGameResponse:
        check_request_id(request.request_id)
        check_text(request.note, "note", MOST_NOTE)
        asked = Asked(_ABORTING, request.request_id, b"abort", request, caller.holder)
        try:
            session = await self.hall.find(request.game_id, caller)
        except Suspended:
            if not caller.operator:
                raise
            game = await self.hall.end_suspended(request.game_id, caller, request.note, asked)
            return g.AbortGameResponse(game=await game.info())
        if not (caller.operator or same(session.header.creator, caller.holder)):
            raise Refusal(
                reasons.REJECTION_REASON_NOT_ALLOWED, "only its creator or an operator may abort"
            )

        def change(draft: Draft) -> None:
            if not caller.operator and draft.table.status == RUNNING:
                raise Refusal(
                    reasons.REJECTION_REASON_GAME_STARTED,
                    "once it has started only operators may abort",
                )
            proposals.abort(draft, result_pb2.GAME_OUTCOME_ABORTED, request.note)

        await session.amend(asked, change)
        return g.AbortGameResponse(game=session.info())

    @unary
    async def CreateInvitation(
        self, request: g.CreateInvitationRequest, caller: Caller
    ) -> g.CreateInvitationResponse:
        session = await self.hall.find(request.game_id, caller)
        if not (caller.operator or same(session.header.creator, caller.holder)):
            raise Refusal(
                reasons.REJECTION_REASON_NOT_ALLOWED, "only its creator or an operator may invite"
            )
        seats = session.table.seats
        if request.seat >= len(seats):
            raise Refusal(reasons.REJECTION_REASON_SEAT_NOT_FOUND, "the game has no such seat")
        if session.table.status in (RUNNING, ENDED):
            raise Refusal(reasons.REJECTION_REASON_GAME_STARTED, "the game has started")
        if seats[request.seat].kind not in INVITED:
            raise Refusal(
                reasons.REJECTION_REASON_INVALID_ARGUMENT,
                "only reserved seats take invitations",
                field="seat",
            )
        if seats[request.seat].holder:
            raise Refusal(reasons.REJECTION_REASON_SEAT_TAKEN, "the seat is taken")
        if seats[request.seat].key and not caller.operator:
            raise Refusal(
                reasons.REJECTION_REASON_NOT_ALLOWED, "an operator has invited somebody else"
            )
        check_request_id(request.request_id)

        def renew(draft: Draft) -> None:
            known = draft.table.seats[request.seat]
            if known.holder:
                raise Refusal(reasons.REJECTION_REASON_SEAT_TAKEN, "the seat is taken")
            # An entry that it is free makes earlier invitations invalid.
            proposals.free_seat(draft, request.seat, key=known.key)

        await session.amend(Asked(_INVITING, request.request_id, b"invite", request), renew)
        token = session.invitation(request.seat)
        return g.CreateInvitationResponse(invitation=g.Invitation(seat=request.seat, token=token))


def _status(number: int) -> Status:
    try:
        return Status(number)
    except ValueError as error:
        raise Refusal(
            reasons.REJECTION_REASON_INVALID_ARGUMENT,
            f"no such status: {number}",
            field="statuses",
        ) from error


def _seat_for(session: Session, holder: bytes, wanted: int | None, invitation: str) -> int:
    """The seat a caller gets: its own again, the wanted one, the invited one, or the first free."""
    seats = session.table.seats
    if wanted is not None and wanted >= len(seats):
        raise Refusal(reasons.REJECTION_REASON_SEAT_NOT_FOUND, "the game has no such seat")
    for number, seat in enumerate(seats):
        if same(seat.holder, holder) and wanted in (None, number):
            return number
    if invitation:
        for number, seat in enumerate(seats):
            invited = seat.kind in INVITED or bool(seat.key)
            fits = wanted in (None, number) and invited
            if fits and hmac.compare_digest(
                session.invitation(number).encode(), invitation.encode()
            ):
                return number
        raise Refusal(
            reasons.REJECTION_REASON_INVITATION_INVALID, "the invitation fits no seat here"
        )
    if wanted is not None:
        if seats[wanted].served:
            raise Refusal(
                reasons.REJECTION_REASON_SEAT_TAKEN, "the server plays the Nomad; take another seat"
            )
        if seats[wanted].kind == config_pb2.SEAT_KIND_BOT and not seats[wanted].key:
            raise Refusal(
                reasons.REJECTION_REASON_SEAT_TAKEN, "the seat is for a bot; take another seat"
            )
        if seats[wanted].kind != config_pb2.SEAT_KIND_OPEN or seats[wanted].key:
            raise Refusal(
                reasons.REJECTION_REASON_INVITATION_INVALID, "the seat takes an invitation"
            )
        return wanted
    for number, seat in enumerate(seats):
        if seat.kind == config_pb2.SEAT_KIND_OPEN and not (seat.holder or seat.key):
            return number
    raise Refusal(reasons.REJECTION_REASON_SEAT_TAKEN, "no seat is free")
