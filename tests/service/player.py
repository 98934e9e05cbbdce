"""Clients for tests: one plays over the Play stream, one by unary calls alone.

Both are made of the generated stubs and nothing else of ours, as any bot author's would be.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
from typing import TYPE_CHECKING, Any, Self

import grpc

from endless_winter.v1 import (
    config_pb2,
    decision_pb2,
    game_pb2,
    game_service_pb2,
    game_service_pb2_grpc,
    play_service_pb2,
    play_service_pb2_grpc,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from endless_winter.v1 import update_pb2

p = play_service_pb2
g = game_service_pb2


def secret(name: str) -> tuple[tuple[str, str], ...]:
    """The metadata of a client of that name."""
    return (("ew-client-secret", hashlib.sha256(name.encode()).hexdigest()),)


class Client:
    """One client secret on one channel."""

    def __init__(self, address: str, name: str) -> None:
        self.name = name
        self.metadata = secret(name)
        self.channel = grpc.aio.insecure_channel(address)
        self.games = game_service_pb2_grpc.GameServiceStub(self.channel)
        self.play = play_service_pb2_grpc.PlayServiceStub(self.channel)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *args: object) -> None:
        await self.channel.close()

    async def create(self, seats: int = 2, **config: Any) -> game_pb2.GameInfo:
        request_seed = config.pop("seed", bytes(32))
        kinds = config.pop("kinds", [config_pb2.SEAT_KIND_OPEN] * seats)
        wanted = config_pb2.GameConfig(
            seats=[config_pb2.SeatConfig(kind=kind) for kind in kinds], **config
        )
        request = g.CreateGameRequest(config=wanted, seed=request_seed)
        response = await self.games.CreateGame(request, metadata=self.metadata)
        found: game_pb2.GameInfo = response.game
        return found

    async def join(self, game_id: str, seat: int | None = None) -> int:
        request = g.JoinGameRequest(game_id=game_id, seat=seat, display_name=self.name)
        response = await self.games.JoinGame(request, metadata=self.metadata)
        found: int = response.seat
        return found

    async def view(self, game_id: str, seat: int | None = None, **more: Any) -> update_pb2.Update:
        request = p.GetViewRequest(game_id=game_id, seat=seat, **more)
        response = await self.play.GetView(request, metadata=self.metadata)
        found: update_pb2.Update = response.update
        return found

    async def submit(
        self, game_id: str, seat: int, request_id: str = "", **answer: Any
    ) -> play_service_pb2.Accepted:
        request = p.SubmitMoveRequest(
            game_id=game_id,
            seat=seat,
            request_id=request_id,
            answer=decision_pb2.Answer(**answer),
        )
        response = await self.play.SubmitMove(request, metadata=self.metadata)
        found: play_service_pb2.Accepted = response.accepted
        return found

    async def ready(self, game_id: str, seat: int) -> None:
        request = p.SetReadyRequest(game_id=game_id, seat=seat)
        await self.play.SetReady(request, metadata=self.metadata)


def pick(decision: decision_pb2.Decision, seed: int) -> int:
    """An option by a seeded choice that depends on the decision alone, so games repeat."""
    names = "|".join(option.text for option in decision.options)
    return random.Random(f"{seed}:{decision.seat}:{names}").randrange(len(decision.options))


async def play_unary(client: Client, game_id: str, seat: int, seed: int) -> update_pb2.Update:
    """Play a seat to the end by unary calls; the last update."""
    await client.ready(game_id, seat)
    after = 0
    while True:
        update = await client.view(
            game_id, seat, after_seq=after, wait_ms=30_000, wait_for_prompt=True
        )
        if update.status == game_pb2.GAME_STATUS_ENDED:
            return update
        after = update.seq
        if update.HasField("prompt"):
            decision = update.prompt.decision
            await client.submit(
                game_id,
                seat,
                request_id=f"d{decision.decision_id}",
                decision_id=decision.decision_id,
                option_id=pick(decision, seed),
            )


class Stream:
    """A Play stream for any number of games."""

    def __init__(self, client: Client) -> None:
        self._out: asyncio.Queue[p.PlayRequest | None] = asyncio.Queue()
        self._call = client.play.Play(self._requests(), metadata=client.metadata)
        self.send(p.PlayCommand(hello=p.Hello(least_revision=1, client_name=client.name)))

    async def _requests(self) -> AsyncIterator[p.PlayRequest]:
        while (request := await self._out.get()) is not None:
            yield request

    def send(self, *commands: play_service_pb2.PlayCommand) -> None:
        self._out.put_nowait(p.PlayRequest(commands=commands))

    async def reports(self) -> AsyncIterator[play_service_pb2.PlayReport]:
        async for response in self._call:
            for report in response.reports:
                yield report

    def close(self) -> None:
        self._out.put_nowait(None)

    def cut(self) -> None:
        self._call.cancel()


async def play_stream(
    client: Client, seats: list[tuple[str, int]], seed: int
) -> dict[tuple[str, int], update_pb2.Update]:
    """Play seats of any games to their end on one stream; the last update of each."""
    stream = Stream(client)
    for game_id, seat in seats:
        stream.send(
            p.PlayCommand(request_id="a", game_id=game_id, seat=seat, attach=p.Attach()),
            p.PlayCommand(request_id="r", game_id=game_id, seat=seat, ready=p.Ready()),
        )
    ended: dict[tuple[str, int], update_pb2.Update] = {}
    async for report in stream.reports():
        if report.HasField("rejection"):
            raise AssertionError(f"{report.rejection}")
        if not report.HasField("update"):
            continue
        update = report.update
        if update.HasField("result"):
            ended[(report.game_id, report.seat)] = update
            if len(ended) == len(seats):
                break
        elif update.HasField("prompt"):
            decision = update.prompt.decision
            stream.send(
                p.PlayCommand(
                    request_id=f"d{decision.decision_id}",
                    game_id=report.game_id,
                    seat=report.seat,
                    answer=decision_pb2.Answer(
                        decision_id=decision.decision_id, option_id=pick(decision, seed)
                    ),
                )
            )
    stream.close()
    return ended
