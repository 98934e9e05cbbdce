"""Those who are hurt by an attack, or not: players by unary calls, with a clock, and passers-by."""

from __future__ import annotations

import asyncio
import itertools
import secrets
import statistics
import time
from typing import TYPE_CHECKING, Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from endless_winter.v1 import (
    catalog_service_pb2,
    catalog_service_pb2_grpc,
    clock_pb2,
    config_pb2,
    decision_pb2,
    game_pb2,
    game_service_pb2,
    game_service_pb2_grpc,
    play_service_pb2,
    play_service_pb2_grpc,
)

if TYPE_CHECKING:
    from collections.abc import Coroutine

p = play_service_pb2
DECISION_MS = 1000
_OPTIONS = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", 1 << 24)]
_PAUSE = 0.02  # seconds between two looks of a passer-by


class Bystanders:
    """What they saw: how long each waited, what was charged, who lost on time."""

    def __init__(self, address: str, *, decision_ms: int = DECISION_MS) -> None:
        self._address = address
        self._decision_ms = decision_ms
        self._wanted = 0
        self._enough = asyncio.Event()
        self._over = False
        self.waits: dict[str, list[float]] = {}
        self.charged: list[int] = []
        self.answers = 0
        self.expired = 0
        self.forfeits = 0
        self.failed = 0
        """Calls that got no answer: the server had no room, or was not there."""

    async def run(self, seconds: float, games: int, *, answers: int = 1 << 30) -> dict[str, Any]:
        """Play and look for so long, or until there are so many answers; what was seen."""
        self._wanted = answers
        work: list[Coroutine[Any, Any, object]] = [self._game() for _ in range(games)]
        work += [self._look(name) for name in ("GetServerInfo", "Check")]
        tasks = [asyncio.create_task(one) for one in work]
        tasks.append(asyncio.create_task(self._enough.wait()))
        done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        self._over = True
        self._enough.set()
        for task in done:
            task.result()
        await asyncio.wait(tasks, timeout=60)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return {
            "answers": self.answers,
            "expired": self.expired,
            "forfeits": self.forfeits,
            "failed": self.failed,
            "charged_ms": max(self.charged, default=0),
            "charged_mean_ms": statistics.fmean(self.charged or [0]),
            "submit_mean_ms": statistics.fmean(self.waits.get("SubmitMove", [0])) * 1000,
            "submit_ms": max(self.waits.get("SubmitMove", [0])) * 1000,
            "most_ms": max(map(max, self.waits.values())) * 1000,
        }

    def _channel(self) -> grpc.aio.Channel:
        return grpc.aio.insecure_channel(self._address, options=_OPTIONS)

    async def _timed(self, name: str, call: Any) -> Any:
        start = time.perf_counter()
        try:
            return await call
        finally:
            self.waits.setdefault(name, []).append(time.perf_counter() - start)

    async def _look(self, name: str) -> None:
        """Ask for something that needs no work, again and again."""
        async with self._channel() as channel:
            catalogs: Any = catalog_service_pb2_grpc.CatalogServiceStub(channel)
            health: Any = health_pb2_grpc.HealthStub(channel)
            while not self._over:
                call = (
                    health.Check(health_pb2.HealthCheckRequest())
                    if name == "Check"
                    else catalogs.GetServerInfo(catalog_service_pb2.GetServerInfoRequest())
                )
                try:
                    await self._timed(name, call)
                except grpc.aio.AioRpcError:
                    self.failed += 1
                await asyncio.sleep(_PAUSE)

    async def _game(self) -> None:
        """Games of two players, each on a connection of its own, one after the other."""
        while not self._over:
            async with self._channel() as one, self._channel() as other:
                try:
                    await self._play_one(one, other)
                except grpc.aio.AioRpcError:
                    self.failed += 1
                    await asyncio.sleep(_PAUSE)

    async def _play_one(self, *channels: grpc.aio.Channel) -> None:
        words = [(("ew-client-secret", secrets.token_hex(32)),) for _ in channels]
        games: Any = game_service_pb2_grpc.GameServiceStub(channels[0])
        seats = [config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)] * 2
        control = clock_pb2.TimeControl(decision_limit_ms=self._decision_ms)
        config = config_pb2.GameConfig(seats=seats, time_control=control)
        request = game_service_pb2.CreateGameRequest(config=config)
        created = await games.CreateGame(request, metadata=words[0])
        game_id = created.game.game_id
        for seat, channel in enumerate(channels):
            join = game_service_pb2.JoinGameRequest(game_id=game_id, seat=seat)
            stub: Any = game_service_pb2_grpc.GameServiceStub(channel)
            await stub.JoinGame(join, metadata=words[seat])
        await asyncio.gather(
            *(
                self._seat(play_service_pb2_grpc.PlayServiceStub(channel), game_id, seat, words)
                for seat, channel in enumerate(channels)
            )
        )
        found = await games.GetGame(
            game_service_pb2.GetGameRequest(game_id=game_id), metadata=words[0]
        )
        self.forfeits += sum(seat.forfeited != 0 for seat in found.game.seats)

    async def _seat(self, play: Any, game_id: str, seat: int, words: Any) -> None:
        metadata = words[seat]
        await play.SetReady(p.SetReadyRequest(game_id=game_id, seat=seat), metadata=metadata)
        after = 0
        for number in itertools.count():
            request = p.GetViewRequest(
                game_id=game_id, seat=seat, after_seq=after, wait_ms=500, wait_for_prompt=True
            )
            update = (await play.GetView(request, metadata=metadata)).update
            after = update.seq
            if update.status == game_pb2.GAME_STATUS_ENDED or self._over:
                return
            if update.HasField("prompt"):
                await self._answer(play, game_id, seat, metadata, update.prompt, number)

    async def _answer(
        self, play: Any, game_id: str, seat: int, metadata: Any, prompt: Any, number: int
    ) -> None:
        decision = prompt.decision
        answer = decision_pb2.Answer(
            decision_id=decision.decision_id, option_id=number % len(decision.options)
        )
        request = p.SubmitMoveRequest(game_id=game_id, seat=seat, answer=answer)
        try:
            found = await self._timed("SubmitMove", play.SubmitMove(request, metadata=metadata))
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.DEADLINE_EXCEEDED and (
                error.code() is not grpc.StatusCode.FAILED_PRECONDITION
            ):
                raise
            self.expired += 1  # the default was taken: too late, or stale
            return
        self.answers += 1
        if self.answers >= self._wanted:
            self._enough.set()
        self.charged.append(found.accepted.timing.charged_ms)


async def bystanders(*, address: str, seconds: float, games: int) -> dict[str, Any]:
    """Play and look for so long; the worst of what was seen."""
    return await Bystanders(address).run(seconds, games)
