"""`GameService`: creating, finding, joining, leaving and aborting games."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.service import joining, proposals
from endless_winter.service.asked import Asked, check_request_id
from endless_winter.service.calls import unary
from endless_winter.service.hall import RULES
from endless_winter.service.identity import same
from endless_winter.service.pages import Room, not_a_token, place_of, token_for
from endless_winter.service.refusal import Refusal
from endless_winter.service.suspended import Suspended
from endless_winter.service.table import RUNNING
from endless_winter.service.texts import MOST_NAME, MOST_NOTE, check_text
from endless_winter.store import BadPageToken, Query, Status
from endless_winter.v1 import (
    game_pb2,
    game_service_pb2,
    game_service_pb2_grpc,
    result_pb2,
)
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from endless_winter.service.hall import Hall
    from endless_winter.service.identity import Caller
    from endless_winter.service.proposals import Draft

g = game_service_pb2
# In the place of a seat: who invites, leaves, aborts or joins has request ids of its own.
_INVITING = 254
_LEAVING = 253
_ABORTING = 252
_JOINING = 251


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
            suspended=self.hall.suspended.unlisted()
            if request.statuses or request.joinable
            else frozenset(),
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
            page = await self.hall.store.list_games(query, limit=limit, token=place_of(request))
        except BadPageToken as error:
            raise not_a_token() from error
        games: list[game_pb2.GameInfo] = []
        place, room = page.next_token, Room(self.settings)
        for number, header in enumerate(page.games):
            try:
                info = await self.hall.describe(header.game_id, caller, header)
            except Refusal:
                continue  # closed to this caller
            if request.statuses and info.status not in request.statuses:  # as this caller sees it
                continue
            if not room.takes(info):
                place = page.after(number)
                break
            games.append(info)
        return g.ListGamesResponse(games=games, next_page_token=token_for(request, place))

    @unary
    async def JoinGame(self, request: g.JoinGameRequest, caller: Caller) -> g.JoinGameResponse:
        holder = caller.known()
        check_request_id(request.request_id)
        check_text(request.display_name, "display_name", MOST_NAME)
        asked = Asked(_JOINING, request.request_id, b"join", request, holder)
        try:
            session = await self.hall.find(request.game_id, caller, request.invitation)
        except Refusal:  # a closed game is hidden from who has lost its seat, who may ask again
            first = await self._first(request.game_id, asked)
            if first is None:
                raise
            return g.JoinGameResponse(seat=g.JoinGameResponse.FromString(first).seat)
        wanted = request.seat if request.HasField("seat") else None

        def change(draft: Draft) -> bytes:
            seat = joining.seat_for(
                draft.table, session.invitations, holder, wanted, request.invitation
            )
            joining.take(draft, seat, holder, request.display_name)
            now = game_pb2.GameInfo(seq=draft.table.seq)
            return g.JoinGameResponse(seat=seat, game=now).SerializeToString()

        answer = g.JoinGameResponse.FromString(await session.amend(asked, change))
        return g.JoinGameResponse(seat=answer.seat, game=session.info_for(caller))

    @unary
    async def LeaveGame(self, request: g.LeaveGameRequest, caller: Caller) -> g.LeaveGameResponse:
        check_request_id(request.request_id)
        asked = Asked(_LEAVING, request.request_id, b"leave", request, caller.known())
        try:
            session = await self.hall.find(request.game_id, caller)
        except Refusal:  # a closed game is hidden from who has left it, who may ask again
            if await self._first(request.game_id, asked) is None:
                raise
            return g.LeaveGameResponse()
        if proposals.is_open(session.table):  # to give up a running game is play, and never limited
            self.hall.limits.free(caller, caller.peer)
        await session.leave(caller, request.seat, asked)
        return g.LeaveGameResponse(game=session.info_for(caller))

    async def _first(self, game_id: str, asked: Asked) -> bytes | None:
        """The first answer to a request of a game that its caller cannot see any more."""
        if not asked.request_id:
            return None
        found = await self.hall.store.find_request(asked.key, asked.request_id, game_id)
        return None if found is None else asked.first(found.answer)

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
        check_request_id(request.request_id)
        invitations = session.invitations

        def renew(draft: Draft) -> bytes:
            joining.invite(draft, request.seat, operator=caller.operator)
            return invitations.origin(draft.table, request.seat)

        asked = Asked(_INVITING, request.request_id, b"invite", request, caller.holder)
        word = invitations.word(await session.amend(asked, renew))
        return g.CreateInvitationResponse(invitation=g.Invitation(seat=request.seat, token=word))


def _status(number: int) -> Status:
    try:
        return Status(number)
    except ValueError as error:
        raise Refusal(
            reasons.REJECTION_REASON_INVALID_ARGUMENT,
            f"no such status: {number}",
            field="statuses",
        ) from error
