"""`GameService`: creating, finding, joining, leaving and aborting games."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from endless_winter.engine import commands
from endless_winter.engine.absent import Suspended
from endless_winter.engine.commands import check_request_id
from endless_winter.engine.creating import invitations_of
from endless_winter.engine.refusal import Refusal, invalid
from endless_winter.engine.seats import MOST_NAME, MOST_NOTE, check_text
from endless_winter.engine.stored_game import StoredGameCommand
from endless_winter.service.loader import RULES
from endless_winter.service.rpc.pages import Room, not_a_token, place_of, token_for
from endless_winter.store.errors import BadPageToken
from endless_winter.store.records import Query, Status
from endless_winter.v1 import game_pb2, result_pb2
from endless_winter.v1 import game_service_pb2 as g

if TYPE_CHECKING:
    from endless_winter.engine.caller import Caller
    from endless_winter.service.host import Host


class GameServicer:
    """Thin: each method makes a command, or reads."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.settings = host.settings

    async def CreateGame(
        self, request: g.CreateGameRequest, caller: Caller
    ) -> g.CreateGameResponse:
        game = await self.host.create(caller, request)
        return g.CreateGameResponse(
            game=game.info(self.host.clock.now()), invitations=invitations_of(game)
        )

    async def GetGame(self, request: g.GetGameRequest, caller: Caller) -> g.GetGameResponse:
        return g.GetGameResponse(game=await self.host.describe(request.game_id, caller))

    async def ListGames(self, request: g.ListGamesRequest, caller: Caller) -> g.ListGamesResponse:
        host = self.host
        query = Query(
            client=caller.client,
            everything=caller.operator,
            rules_version=RULES,
            suspended=host.engine.absent.unlisted()
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
        place = place_of(request)
        try:
            page = await asyncio.to_thread(host.store.list_games, query, limit=limit, token=place)
        except BadPageToken as error:
            raise not_a_token() from error
        games: list[game_pb2.GameInfo] = []
        place, room = page.next_token, Room(self.settings)
        for number, header in enumerate(page.games):
            try:
                info = await host.describe(header.game_id, caller, header)
            except Refusal:
                continue  # closed to this caller
            if request.statuses and info.status not in request.statuses:  # as this caller sees it
                continue
            if not room.takes(info):
                place = page.after(number)
                break
            games.append(info)
        return g.ListGamesResponse(games=games, next_page_token=token_for(request, place))

    async def JoinGame(self, request: g.JoinGameRequest, caller: Caller) -> g.JoinGameResponse:
        caller.known()
        check_request_id(request.request_id)
        check_text(request.display_name, "display_name", MOST_NAME)
        command = commands.JoinGame(request, self.host.asked(caller), self.host.new_id())
        try:
            game = await self.host.find(request.game_id, caller, request.invitation)
        except Refusal:  # a closed game is hidden from who has lost its seat, who may ask again
            first = await self.host.first_answer(command)
            if first is None:
                raise
            return g.JoinGameResponse(seat=g.JoinGameResponse.FromString(first).seat)
        answer = g.JoinGameResponse.FromString(await self.host.rounds.call(command))
        info = game.info_for(caller, self.host.clock.now())
        return g.JoinGameResponse(seat=answer.seat, game=info)

    async def LeaveGame(self, request: g.LeaveGameRequest, caller: Caller) -> g.LeaveGameResponse:
        caller.known()
        check_request_id(request.request_id)
        command = commands.LeaveGame(request, self.host.asked(caller))
        try:
            game = await self.host.find(request.game_id, caller)
        except Refusal:  # a closed game is hidden from who has left it, who may ask again
            if await self.host.first_answer(command) is None:
                raise
            return g.LeaveGameResponse()
        if game.table.is_open():  # to give up a running game is play, and never limited
            self.host.limits.charge("seats", caller)
        await self.host.rounds.call(command)
        return g.LeaveGameResponse(game=game.info_for(caller, self.host.clock.now()))

    async def AbortGame(self, request: g.AbortGameRequest, caller: Caller) -> g.AbortGameResponse:
        check_request_id(request.request_id)
        check_text(request.note, "note", MOST_NOTE)
        try:
            game = await self.host.find(request.game_id, caller)
        except Suspended as suspended:
            if not caller.operator:
                raise
            return await self._end_suspended(request, caller, suspended)
        await self.host.rounds.call(commands.AbortGame(request, self.host.asked(caller)))
        return g.AbortGameResponse(game=game.info(self.host.clock.now()))

    async def _end_suspended(
        self, request: g.AbortGameRequest, caller: Caller, suspended: Suspended
    ) -> g.AbortGameResponse:
        """An operator ends a game that nobody can continue; a broken one is the server's fault."""
        stored = await self.host.stored_game(request.game_id, caller)
        outcome = result_pb2.GAME_OUTCOME_ABORTED
        if suspended.broken:
            outcome = result_pb2.GAME_OUTCOME_SERVER_FAULT
        abort = commands.AbortGame(request, self.host.asked(caller))
        await self.host.rounds.call(StoredGameCommand(abort, stored, outcome))
        return g.AbortGameResponse(game=await self.host.describe(request.game_id, caller))

    async def CreateInvitation(
        self, request: g.CreateInvitationRequest, caller: Caller
    ) -> g.CreateInvitationResponse:
        check_request_id(request.request_id)
        game = await self.host.find(request.game_id, caller)
        command = commands.CreateInvitation(request, self.host.asked(caller))
        word = game.invitations.word(await self.host.rounds.call(command))
        return g.CreateInvitationResponse(invitation=g.Invitation(seat=request.seat, token=word))


def _status(number: int) -> Status:
    try:
        return Status(number)
    except ValueError as error:
        raise invalid("statuses", f"no such status: {number}") from error
