"""`OperatorService`: what the host can do with seats and seals. Each is an entry of a game's log.

Power over seats is not sight of hands: nothing here shows what only a seat may see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.engine.absent import Suspended
from endless_winter.engine.commands import (
    Asked,
    Command,
    HandSeatToBot,
    RebindSeat,
    ReleaseReveal,
    RevokeSeat,
    check_request_id,
)
from endless_winter.engine.refusal import Refusal, draining
from endless_winter.engine.seats import MOST_NOTE, MOST_OPTIONS, check_bot_name, check_text
from endless_winter.engine.stored_game import StoredGame, StoredGameCommand
from endless_winter.engine.table import ENDED
from endless_winter.service import logs
from endless_winter.service.rounds import Call
from endless_winter.v1 import game_service_pb2
from endless_winter.v1 import operator_service_pb2 as o
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from endless_winter.engine.caller import Caller
    from endless_winter.engine.game import Game
    from endless_winter.service.host import Host

_KEY_BYTES = 16


class OperatorServicer:
    """One rule for all: without an operator's token nothing happens."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.settings = host.settings

    async def RevokeSeat(
        self, request: o.RevokeSeatRequest, caller: Caller
    ) -> o.RevokeSeatResponse:
        game = await self._game(request, caller)
        check_text(request.note, "note", MOST_NOTE)
        await self.host.rounds.call(RevokeSeat(request, self.host.asked(caller)))
        logs.log.info("an operator revoked a seat", forfeit=request.forfeit)
        return o.RevokeSeatResponse(game=game.info(self.host.clock.now()))

    async def RebindSeat(
        self, request: o.RebindSeatRequest, caller: Caller
    ) -> o.RebindSeatResponse:
        game = await self._game(request, caller)
        check_text(request.note, "note", MOST_NOTE)
        key = self.host.chance(_KEY_BYTES)
        origin = await self.host.rounds.call(RebindSeat(request, self.host.asked(caller), key))
        word = game.invitations.word(origin)
        logs.log.info("an operator rebound a seat")
        invitation = game_service_pb2.Invitation(seat=request.seat, token=word)
        return o.RebindSeatResponse(game=game.info(self.host.clock.now()), invitation=invitation)

    async def HandSeatToBot(
        self, request: o.HandSeatToBotRequest, caller: Caller
    ) -> o.HandSeatToBotResponse:
        host = self.host
        game = await self._game(request, caller)
        check_bot_name(request.bot_name, "bot_name")
        check_text(request.bot_options, "bot_options", MOST_OPTIONS)
        call = Call()
        command = HandSeatToBot(request, Asked(caller, call, host.clock.now_unary()))
        if await host.first_answer(command, game) is not None:
            return o.HandSeatToBotResponse(game=game.info(host.clock.now()))
        if host.draining:
            raise draining()
        host.engine.matchmaking.hand(game, command)
        host.rounds.schedule()
        await call.reply()
        logs.log.info("an operator handed a seat to a bot", bot=request.bot_name)
        return o.HandSeatToBotResponse(game=game.info(host.clock.now()))

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
            await self._open(game, caller)
        games = [await self.host.describe(game_id, caller) for game_id in request.game_ids]
        return o.ReleaseRevealResponse(games=games)

    async def _open(self, game: Game | StoredGame, caller: Caller) -> None:
        asked = self.host.asked(caller)
        command: Command
        if isinstance(game, StoredGame):
            sealed = game.header.sealed
            command = StoredGameCommand(ReleaseReveal(game.header.game_id, asked), game)
        else:
            sealed = game.table.config.hold_reveal and not game.table.released
            command = ReleaseReveal(game.game_id, asked)
        if sealed:
            await self.host.rounds.call(command)
            logs.log.info("an operator opened a seal", game=command.game_id)

    async def _sealed(self, game_id: str, caller: Caller) -> Game | StoredGame:
        try:
            return await self.host.find(game_id, caller)
        except Suspended:  # what has ended can be opened, whether or not it can be played again
            return await self.host.stored_game(game_id, caller)

    async def _game(
        self,
        request: o.RevokeSeatRequest | o.RebindSeatRequest | o.HandSeatToBotRequest,
        caller: Caller,
    ) -> Game:
        _check_operator(caller)
        check_request_id(request.request_id)
        return await self.host.find(request.game_id, caller)


def _check_operator(caller: Caller) -> None:
    if not caller.operator:
        raise Refusal(reasons.REJECTION_REASON_NOT_ALLOWED, "only operators may do this")


def _status(game: Game | StoredGame) -> int:
    return game.header.status if isinstance(game, StoredGame) else game.table.status
