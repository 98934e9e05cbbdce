"""A bot written from docs/write-a-bot.md alone, section by section; it takes the default always.

It does what the page says and no more: a refusal without retry_after_ms is final, and a seat that
it cannot attach is lost. What it loses it says on standard error, as `lost: ...`.
"""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator
from typing import Any

import grpc

from endless_winter.v1 import (
    arena_service_pb2,
    arena_service_pb2_grpc,
    decision_pb2,
    play_service_pb2,
    play_service_pb2_grpc,
    rejection_pb2,
)

a, p = arena_service_pb2, play_service_pb2
METADATA = (("ew-client-secret", os.environ.get("EW_CLIENT_SECRET", "")),)
WRONG = (
    rejection_pb2.REJECTION_REASON_ILLEGAL_OPTION,
    rejection_pb2.REJECTION_REASON_INVALID_ARGUMENT,
)
WAIT = 0.2  # seconds before a stream that broke is opened again


class Seat:
    """One of ours: the last sequence number, and what the server has not answered yet."""

    def __init__(self) -> None:
        self.seq: int | None = None
        self.asked = 0
        self.waiting: dict[str, p.PlayCommand] = {}


class Bot:
    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.play = play_service_pb2_grpc.PlayServiceStub(channel)
        self.arena = arena_service_pb2_grpc.ArenaServiceStub(channel)
        self.seats: dict[tuple[str, int], Seat] = {}
        self.out: asyncio.Queue[p.PlayRequest] = asyncio.Queue()
        self.replies: asyncio.Queue[a.AttachBotRequest] = asyncio.Queue()
        self.welcomed = False

    # 1. Attach to the arena

    async def attend(self) -> None:
        hello = a.BotHello(
            name=os.environ["EW_BOT_NAME"],
            token=os.environ["EW_BOT_TOKEN"],
            capacity=int(os.environ["EW_BOT_CAPACITY"]),
            least_revision=1,
        )
        self.replies = asyncio.Queue()
        self.replies.put_nowait(a.AttachBotRequest(hello=hello))
        async for response in self.arena.AttachBot(queued(self.replies), metadata=METADATA):
            kind = response.WhichOneof("message")
            if kind == "welcome":
                await self.ask_for_seats()
            elif kind == "seat_offer":
                reply = a.OfferReply(offer_id=response.seat_offer.offer_id, accept=True)
                self.replies.put_nowait(a.AttachBotRequest(offer_reply=reply))
            elif kind == "seat_bound":
                self.take(response.seat_bound.game_id, response.seat_bound.seat)

    async def ask_for_seats(self) -> None:
        token = ""
        while True:
            request = p.ListMySeatsRequest(page_token=token)
            page = await self.play.ListMySeats(request, metadata=METADATA)
            for seat in page.seats:
                self.take(seat.game_id, seat.seat)
            token = page.next_page_token
            if not token:
                return

    def take(self, game_id: str, number: int) -> None:
        if (game_id, number) not in self.seats:
            self.seats[game_id, number] = Seat()
            if self.welcomed:
                self.attach((game_id, number))

    # 2. Open the Play stream

    async def follow(self) -> None:
        self.welcomed = False
        self.out = asyncio.Queue()
        self.write(p.PlayCommand(hello=p.Hello(least_revision=1, client_name="by the book")))
        async for response in self.play.Play(queued(self.out), metadata=METADATA):
            for report in response.reports:
                await self.received(report)

    def write(self, *commands: p.PlayCommand) -> None:
        self.out.put_nowait(p.PlayRequest(commands=commands))

    async def received(self, report: p.PlayReport) -> None:
        kind = report.WhichOneof("report")
        key = (report.game_id, report.seat)
        if kind == "welcome":
            self.welcomed = True
            for known in self.seats:
                self.attach(known)
            await self.ask_for_seats()
        elif key not in self.seats:
            return
        elif kind == "attached":
            self.write(*self.seats[key].waiting.values())
        elif kind == "update":
            self.take_update(key, report.update)
        elif kind == "accepted":
            self.seats[key].waiting.pop(report.request_id, None)
        elif kind == "rejection":
            self.refused(key, report.request_id, report.rejection)
        elif kind == "detached":
            self.again_or_lost(key, "attach", report.detached.cause)

    # 3. Attach the game, say Ready

    def attach(self, key: tuple[str, int]) -> None:
        attach = p.Attach(after_seq=self.seats[key].seq)
        attach.feed.skip_events = attach.feed.skip_labels = True
        self.write(p.PlayCommand(request_id="attach", game_id=key[0], seat=key[1], attach=attach))

    def send(self, key: tuple[str, int], request_id: str, **command: Any) -> None:
        whole = p.PlayCommand(request_id=request_id, game_id=key[0], seat=key[1], **command)
        self.seats[key].waiting[request_id] = whole
        self.write(whole)

    # 4. Decide

    def take_update(self, key: tuple[str, int], update: Any) -> None:
        seat = self.seats[key]
        if seat.seq is not None and update.seq < seat.seq:
            return
        seat.seq = update.seq
        if update.HasField("result"):  # 7. The end
            del self.seats[key]
            return
        if update.HasField("ready_check") and "ready" not in seat.waiting:
            self.send(key, "ready", ready=p.Ready())
        if update.HasField("prompt") and update.prompt.decision.decision_id > seat.asked:
            seat.asked = update.prompt.decision.decision_id
            answer = decision_pb2.Answer(decision_id=seat.asked, take_default=True)
            self.send(key, f"d{seat.asked}", answer=answer)

    # 6. Something is refused

    def refused(self, key: tuple[str, int], request_id: str, rejection: Any) -> None:
        if request_id == "attach" or rejection.HasField("retry_after_ms"):
            self.again_or_lost(key, request_id, rejection)
            return
        command = self.seats[key].waiting.pop(request_id, None)
        if command is None or not command.HasField("answer") or request_id.endswith("-default"):
            return
        if rejection.reason in WRONG:
            self.send(key, f"{request_id}-default", answer=command.answer)

    def again_or_lost(self, key: tuple[str, int], request_id: str, cause: Any) -> None:
        if not cause.HasField("retry_after_ms"):
            del self.seats[key]
            print(f"lost: {key}: {cause}", file=sys.stderr, flush=True)
            return

        def again() -> None:
            if key in self.seats and request_id == "attach":
                self.attach(key)
            elif key in self.seats and request_id in self.seats[key].waiting:
                self.write(self.seats[key].waiting[request_id])

        asyncio.get_running_loop().call_later(cause.retry_after_ms / 1000, again)


async def queued(queue: asyncio.Queue[Any]) -> AsyncIterator[Any]:
    while True:
        yield await queue.get()


# 5. The line breaks


async def reopened(stream: Any) -> None:
    while True:
        with contextlib.suppress(grpc.aio.AioRpcError):
            await stream()
        await asyncio.sleep(WAIT)


async def main() -> None:
    async with grpc.aio.insecure_channel(os.environ["EW_SERVER"]) as channel:
        bot = Bot(channel)
        await asyncio.gather(reopened(bot.attend), reopened(bot.follow))


if __name__ == "__main__":
    asyncio.run(main())
