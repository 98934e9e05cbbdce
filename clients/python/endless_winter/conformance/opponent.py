"""The checker's own side of the table: it creates games, takes the other seat, plays defaults."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Any

import grpc

from endless_winter.conformance.proxy import left_by_us
from endless_winter.v1 import (
    arena_service_pb2_grpc,
    clock_pb2,
    config_pb2,
    decision_pb2,
    game_pb2,
    game_service_pb2,
    game_service_pb2_grpc,
    operator_service_pb2,
    operator_service_pb2_grpc,
    play_service_pb2,
    play_service_pb2_grpc,
)

if TYPE_CHECKING:
    from google.protobuf.message import Message

_AGAIN_S = 0.1
_WAIT_MS = 2000
_GONE = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN)

Metadata = tuple[tuple[str, str], ...]


class Opponent:
    """Calls the real server directly; outlives its restarts."""

    def __init__(self, operator_token: str) -> None:
        self.metadata: Metadata = (
            ("ew-client-secret", secrets.token_hex(32)),
            ("ew-operator-token", operator_token),
        )
        self._channel: grpc.aio.Channel | None = None
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def connect(self, address: str) -> None:
        before = self._channel
        options = [("grpc.enable_http_proxy", 0), ("grpc.use_local_subchannel_pool", 1)]
        self._channel = channel = grpc.aio.insecure_channel(address, options=options)
        self.play = play_service_pb2_grpc.PlayServiceStub(channel)
        self.games = game_service_pb2_grpc.GameServiceStub(channel)
        self.operators = operator_service_pb2_grpc.OperatorServiceStub(channel)
        self.arena = arena_service_pb2_grpc.ArenaServiceStub(channel)
        if before is not None:
            await before.close()

    async def close(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        if self._channel is not None:
            await self._channel.close()

    async def create(
        self,
        bot_name: str,
        seed: bytes,
        clock_ms: int,
        bot_seat: int,
        *,
        game_id: str = "",
        closed: bool = False,
    ) -> str:
        """A game with the bot in one seat and us in the other; its id."""
        seats = [config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)] * 2
        seats[bot_seat] = config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_BOT, bot_name=bot_name)
        config = config_pb2.GameConfig(
            seats=seats,
            title="conformance check",
            time_control=clock_pb2.TimeControl(
                ready_limit_ms=600_000, decision_limit_ms=clock_ms, timeouts_to_forfeit=1000
            ),
            wrong_answers_to_forfeit=50,
            visibility=config_pb2.VISIBILITY_CLOSED
            if closed
            else config_pb2.VISIBILITY_UNSPECIFIED,
            hold_reveal=closed,
        )
        request = game_service_pb2.CreateGameRequest(config=config, seed=seed, game_id=game_id)
        response = await self.games.CreateGame(request, metadata=self.metadata)
        game_id = response.game.game_id
        join = game_service_pb2.JoinGameRequest(
            game_id=game_id, seat=1 - bot_seat, display_name="checker"
        )
        await self.games.JoinGame(join, metadata=self.metadata)
        self._tasks[game_id] = asyncio.create_task(self._play(game_id, 1 - bot_seat))
        return game_id

    async def abort(self, game_id: str) -> None:
        task = self._tasks.pop(game_id, None)
        if task is not None:
            task.cancel()
        request = game_service_pb2.AbortGameRequest(game_id=game_id, note="the check is over")
        try:
            await self.games.AbortGame(request, metadata=self.metadata)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.FAILED_PRECONDITION:  # it has ended anyhow
                raise

    async def revoke(self, game_id: str, seat: int) -> None:
        request = operator_service_pb2.RevokeSeatRequest(game_id=game_id, seat=seat, forfeit=True)
        await self.operators.RevokeSeat(request, metadata=self.metadata)

    async def answer_for(self, bot_secret: str, game_id: str, seat: int, decision: int) -> None:
        """Answer as another stream of the bot's owner would."""
        request = play_service_pb2.SubmitMoveRequest(
            game_id=game_id,
            seat=seat,
            request_id=f"second-stream-{decision}",
            answer=decision_pb2.Answer(decision_id=decision, take_default=True),
        )
        await self.play.SubmitMove(request, metadata=(("ew-client-secret", bot_secret),))

    async def ready(self, game_id: str, seat: int) -> object:
        """Say that we are; None: the server refused."""
        request = play_service_pb2.SetReadyRequest(game_id=game_id, seat=seat)
        return await self._insist("SetReady", request)

    async def _play(self, game_id: str, seat: int) -> None:
        """Defaults, to the end; a server that is gone comes back."""
        await self.ready(game_id, seat)
        after = 0
        while True:
            view = play_service_pb2.GetViewRequest(
                game_id=game_id,
                seat=seat,
                after_seq=after,
                wait_ms=_WAIT_MS,
                wait_for_prompt=True,
            )
            found = await self._insist("GetView", view)
            if found is None or found.update.status == game_pb2.GAME_STATUS_ENDED:
                return
            after = found.update.seq
            if found.update.HasField("prompt"):
                decision = found.update.prompt.decision.decision_id
                move = play_service_pb2.SubmitMoveRequest(
                    game_id=game_id,
                    seat=seat,
                    request_id=f"d{decision}",
                    answer=decision_pb2.Answer(decision_id=decision, take_default=True),
                )
                await self._insist("SubmitMove", move)

    async def _insist(self, method: str, request: Message) -> Any:
        """What the call answers, once there is a server; None: it is refused."""
        while True:
            try:
                return await getattr(self.play, method)(request, metadata=self.metadata)
            except grpc.aio.AioRpcError as error:
                if error.code() not in _GONE:
                    return None
            except (asyncio.CancelledError, grpc.aio.UsageError):
                if left_by_us():
                    raise
            await asyncio.sleep(_AGAIN_S)
