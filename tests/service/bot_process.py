"""Bots that attach to a server as a client would let them, and the seats they want."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from endless_winter.v1 import (
    arena_pb2,
    arena_service_pb2,
    arena_service_pb2_grpc,
    config_pb2,
    game_pb2,
    game_service_pb2,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.service.player import Client

a = arena_service_pb2
OPEN_SEAT = config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)
STANDING = ("--offer-ms", "600000")  # offers that wait for the slowest test


def bot_seat(name: str = "heuristic", options: str = "") -> config_pb2.SeatConfig:
    return config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_BOT, bot_name=name, bot_options=options)


class BotProcess:
    """A bot on its stream."""

    def __init__(self, client: Client, name: str = "heuristic", **hello: Any) -> None:
        self._out: asyncio.Queue[a.AttachBotRequest | None] = asyncio.Queue()
        stub = arena_service_pb2_grpc.ArenaServiceStub(client.channel)
        self.call = stub.AttachBot(self._requests(), metadata=client.metadata)
        hello = {"capacity": 1, "version": "1", "least_revision": 1, **hello}
        self.send(hello=a.BotHello(name=name, **hello))

    async def _requests(self) -> AsyncIterator[a.AttachBotRequest]:
        while (request := await self._out.get()) is not None:
            yield request

    def send(self, **message: Any) -> None:
        self._out.put_nowait(a.AttachBotRequest(**message))

    def reply(self, offer: a.SeatOffer, accept: bool = True) -> None:
        self.send(offer_reply=a.OfferReply(offer_id=offer.offer_id, accept=accept))

    async def read(self) -> a.AttachBotResponse:
        found = await self.call.read()
        assert isinstance(found, a.AttachBotResponse), found
        return found

    async def welcomed(self) -> BotProcess:
        assert (await self.read()).HasField("welcome")
        return self

    async def offer(self) -> a.SeatOffer:
        found = await self.read()
        assert found.HasField("seat_offer"), found
        return found.seat_offer

    async def bound(self) -> a.SeatBound:
        found = await self.read()
        assert found.HasField("seat_bound"), found
        return found.seat_bound

    async def take_the_next(self) -> None:
        """Take whatever is offered, for as long as it is let."""
        while True:
            found = await self.read()
            if found.HasField("seat_offer"):
                self.reply(found.seat_offer)

    def close(self) -> None:
        self._out.put_nowait(None)


async def wanted(client: Client, *seats: config_pb2.SeatConfig, **config: Any) -> str:
    request = game_service_pb2.CreateGameRequest(
        config=config_pb2.GameConfig(seats=seats, **config)
    )
    response = await client.games.CreateGame(request, metadata=client.metadata)
    found: str = response.game.game_id
    return found


async def seats_of(client: Client, game_id: str) -> list[game_pb2.SeatInfo]:
    request = game_service_pb2.GetGameRequest(game_id=game_id)
    response = await client.games.GetGame(request, metadata=client.metadata)
    return list(response.game.seats)


async def taken(client: Client, game_id: str, seat: int) -> game_pb2.SeatInfo:
    """Wait until a seat is taken."""
    update = await client.view(game_id)
    while not (found := (await seats_of(client, game_id))[seat]).taken:
        update = await client.view(game_id, after_seq=update.seq, wait_ms=30_000)
    return found


async def bots(client: Client) -> list[arena_pb2.BotInfo]:
    stub = arena_service_pb2_grpc.ArenaServiceStub(client.channel)
    response = await stub.ListBots(a.ListBotsRequest(), metadata=client.metadata)
    return list(response.bots)
