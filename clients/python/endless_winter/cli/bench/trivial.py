"""A bot that takes no time: attaches to the arena and answers by the decision's number alone.

Run as ``python -m endless_winter.cli.bench.trivial`` by ``ew bench arena``, with the variables that
every bot of a tournament gets.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import grpc

from endless_winter.cli.bench import slim
from endless_winter.cli.bench.playing import OPTIONS, Client
from endless_winter.v1 import (
    arena_service_pb2,
    arena_service_pb2_grpc,
    play_service_pb2,
)
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

a, p = arena_service_pb2, play_service_pb2
AGAIN = 0.02  # seconds until a seat that was accepted is asked for, or asked for again

# A game that is closed to others is not there for a bot before its seat is bound.
_TOO_EARLY = (reasons.REJECTION_REASON_NOT_ALLOWED, reasons.REJECTION_REASON_GAME_NOT_FOUND)


class Trivial:
    """One stream of offers and one of play."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        client = Client(channel, os.environ["EW_CLIENT_SECRET"], seats=1)
        self._seats: dict[str, int] = {}
        self._replies: asyncio.Queue[a.AttachBotRequest] = asyncio.Queue()
        self._tasks: set[asyncio.Task[None]] = set()
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
                contract_revision=1,
            )
        )
        while True:
            yield await self._replies.get()

    async def offers(self) -> None:
        async for told in self._offers:
            if told.HasField("seat_offer"):
                offer = told.seat_offer
                reply = a.OfferReply(offer_id=offer.offer_id, accept=True)
                self._replies.put_nowait(a.AttachBotRequest(offer_reply=reply))
                self._seats[offer.game_id] = offer.seat
                self._later(offer.game_id)

    def _later(self, game_id: str) -> None:
        """Attach when the server has bound the seat to us, which takes it a commit."""

        async def enter() -> None:
            await asyncio.sleep(AGAIN)
            await self._stream.attach(game_id, (self._seats[game_id],), ready=True)

        task = asyncio.create_task(enter())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def play(self) -> None:
        await self._stream.hello()
        async for body in self._stream.messages():
            try:
                told = slim.read(body)
            except RuntimeError:
                told = slim.read(self._refused(body))
            for game_id in told.over:
                self._seats.pop(game_id.decode(), None)
            if told.asked:
                await self._stream.answer([one.answer for one in told.asked])

    def _refused(self, body: bytes) -> bytes:
        """A seat that was asked for too early is asked for again; what else was said is left."""
        again = set()
        rest = p.PlayResponse()
        for report in p.PlayResponse.FromString(body).reports:
            if report.HasField("rejection"):
                if report.rejection.reason in _TOO_EARLY:
                    again.add(report.game_id)
            else:
                rest.reports.append(report)
        for game_id in again & self._seats.keys():
            self._later(game_id)
        return rest.SerializeToString()


async def main() -> None:
    async with grpc.aio.insecure_channel(os.environ["EW_SERVER"], options=OPTIONS) as channel:
        bot = Trivial(channel)
        await asyncio.gather(bot.offers(), bot.play())


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except grpc.aio.AioRpcError as error:  # by itself it says so over many lines
        raise SystemExit(f"{error.code().name}: {error.details()}") from error
