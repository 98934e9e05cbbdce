"""Attaches, takes its seat, and answers everything with an option that there is not."""

import asyncio
import os
from collections.abc import AsyncIterator

import grpc

from endless_winter.v1 import (
    arena_service_pb2,
    arena_service_pb2_grpc,
    decision_pb2,
    play_service_pb2,
    play_service_pb2_grpc,
)

a, p = arena_service_pb2, play_service_pb2
METADATA = (("ew-client-secret", os.environ.get("EW_CLIENT_SECRET", "")),)


class Nonsense:
    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.channel = channel
        self.commands: asyncio.Queue[p.PlayCommand] = asyncio.Queue()
        self.offers: asyncio.Queue[a.AttachBotRequest] = asyncio.Queue()
        self.sent = 0

    async def requests(self) -> AsyncIterator[p.PlayRequest]:
        yield p.PlayRequest(commands=[p.PlayCommand(hello=p.Hello(least_revision=1))])
        while True:
            yield p.PlayRequest(commands=[await self.commands.get()])

    async def replies(self) -> AsyncIterator[a.AttachBotRequest]:
        hello = a.BotHello(
            name=os.environ["EW_BOT_NAME"],
            token=os.environ["EW_BOT_TOKEN"],
            capacity=4,
            least_revision=1,
        )
        yield a.AttachBotRequest(hello=hello)
        while True:
            yield await self.offers.get()

    async def seats(self) -> None:
        stub = arena_service_pb2_grpc.ArenaServiceStub(self.channel)
        async for response in stub.AttachBot(self.replies(), metadata=METADATA):
            if response.HasField("seat_offer"):
                offer = response.seat_offer
                reply = a.OfferReply(offer_id=offer.offer_id, accept=True)
                self.offers.put_nowait(a.AttachBotRequest(offer_reply=reply))
            elif response.HasField("seat_bound"):
                self.attach(response.seat_bound.game_id, response.seat_bound.seat)

    def attach(self, game_id: str, seat: int) -> None:
        self.commands.put_nowait(p.PlayCommand(game_id=game_id, seat=seat, attach=p.Attach()))

    async def play(self) -> None:
        stub = play_service_pb2_grpc.PlayServiceStub(self.channel)
        async for response in stub.Play(self.requests(), metadata=METADATA):
            for report in response.reports:
                await self.answer(report)

    async def answer(self, report: p.PlayReport) -> None:
        self.sent += 1
        command = p.PlayCommand(request_id=str(self.sent), game_id=report.game_id, seat=report.seat)
        if report.update.HasField("ready_check"):
            command.ready.SetInParent()
        elif report.update.HasField("prompt") or report.HasField("rejection"):
            number = report.update.prompt.decision.decision_id
            number = number or report.rejection.pending_decision_id
            command.answer.CopyFrom(decision_pb2.Answer(decision_id=number, option_id=99_999))
        else:
            return
        self.commands.put_nowait(command)


async def main() -> None:
    async with grpc.aio.insecure_channel(os.environ["EW_SERVER"]) as channel:
        bot = Nonsense(channel)
        await asyncio.gather(bot.seats(), bot.play())


if __name__ == "__main__":
    asyncio.run(main())
