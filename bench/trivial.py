"""A bot that takes no time: attaches to the arena and answers by the decision's number alone.

Run as ``python -m bench.trivial`` by ``python -m bench tournament``, with the variables that
every bot of a tournament gets.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import grpc

from bench import slim
from bench.playing import OPTIONS, Client
from endless_winter.v1 import (
    arena_service_pb2,
    arena_service_pb2_grpc,
    play_service_pb2,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

a, p = arena_service_pb2, play_service_pb2


class Trivial:
    """One stream of offers and one of play."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        client = Client(channel, os.environ["EW_CLIENT_SECRET"], seats=1)
        self._replies: asyncio.Queue[a.AttachBotRequest] = asyncio.Queue()
        self._offers = arena_service_pb2_grpc.ArenaServiceStub(channel).AttachBot(
            self._answers(), metadata=client.metadata
        )
        self._stream = client.stream()

    async def _answers(self) -> AsyncIterator[a.AttachBotRequest]:
        yield a.AttachBotRequest(
            hello=a.BotHello(
                name=os.environ["EW_BOT_NAME"],
                capacity=int(os.environ["EW_BOT_CAPACITY"]),
                token=os.environ["EW_BOT_TOKEN"],
                least_revision=1,
            )
        )
        while True:
            yield await self._replies.get()

    async def offers(self) -> None:
        async for message in self._offers:
            if message.HasField("seat_offer"):
                offer = message.seat_offer
                reply = a.OfferReply(offer_id=offer.offer_id, accept=True)
                self._replies.put_nowait(a.AttachBotRequest(offer_reply=reply))
            elif message.HasField("seat_bound"):
                bound = message.seat_bound
                await self._stream.attach(bound.game_id, (bound.seat,), ready=True)

    async def play(self) -> None:
        await self._stream.hello()
        async for body in self._stream.messages():
            try:
                received = slim.read(body)
            except RuntimeError:  # something was refused: a game has just ended, say
                received = slim.read(_without_refusals(body))
            if received.asked:
                await self._stream.answer([one.answer for one in received.asked])


def _without_refusals(body: bytes) -> bytes:
    reports = p.PlayResponse.FromString(body).reports
    rest = [report for report in reports if not report.HasField("rejection")]
    return p.PlayResponse(reports=rest).SerializeToString()


async def main() -> None:
    async with grpc.aio.insecure_channel(os.environ["EW_SERVER"], options=OPTIONS) as channel:
        bot = Trivial(channel)
        await asyncio.gather(bot.offers(), bot.play())


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except grpc.aio.AioRpcError as error:  # by itself it says so over many lines
        raise SystemExit(f"{error.code().name}: {error.details()}") from error
