"""A small bot that plays by the book, unless its argument says which mistake to make.

    python faulty_bot.py            plays by the book
    python faulty_bot.py hangs      ... and each fault is one of the words that `fault()` asks for

Made of the generated stubs alone, as a bot author's would be. It takes the default everywhere.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import signal
import sys
from typing import Any

import grpc

from endless_winter.v1 import (
    arena_pb2,
    arena_service_pb2,
    arena_service_pb2_grpc,
    decision_pb2,
    play_service_pb2,
    play_service_pb2_grpc,
    rejection_pb2,
)

a = arena_service_pb2
p = play_service_pb2
r = rejection_pb2

SERVER = os.environ["EW_SERVER"]
NAME = os.environ["EW_BOT_NAME"]
METADATA = (("ew-client-secret", os.environ["EW_CLIENT_SECRET"]),)
FAULTS = set(sys.argv[1:])
OPTIONS = [
    ("grpc.enable_http_proxy", 0),
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 500),
]
KNOWN = (r.REJECTION_REASON_STORE_UNAVAILABLE, r.REJECTION_REASON_DRAINING)

Key = tuple[str, int]


def fault(name: str) -> bool:
    """Whether the bot is to make this mistake."""
    return name in FAULTS


class Seat:
    def __init__(self, key: Key) -> None:
        self.key = key
        self.seq: int | None = None
        self.asked = 0
        self.waiting: dict[str, p.PlayCommand] = {}
        self.attached = False

    def command(self, request_id: str, **body: Any) -> p.PlayCommand:
        game_id, seat = self.key
        return p.PlayCommand(request_id=request_id, game_id=game_id, seat=seat, **body)


class Bot:
    def __init__(self) -> None:
        self.channel = grpc.aio.insecure_channel(SERVER, options=OPTIONS)
        self.play = play_service_pb2_grpc.PlayServiceStub(self.channel)
        self.seats: dict[Key, Seat] = {}
        self.out: asyncio.Queue[p.PlayRequest | None] | None = None
        self.numbers = itertools.count(1)
        self.answered = 0
        self.cuts = 0
        self.welcomed = fault("no hello")  # else it would not even ask
        self.tasks: set[asyncio.Task[None]] = set()
        self.attended = False  # the arena has welcomed it

    def later(self, seconds: float, work: Any) -> None:
        async def soon() -> None:
            await asyncio.sleep(seconds)
            work()

        task = asyncio.create_task(soon())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    # --- the arena ---

    async def attend(self) -> None:
        while True:
            with contextlib.suppress(grpc.aio.AioRpcError):
                await self.attend_once()
            if self.attended and fault("no arena again"):  # a first call that fails is no matter
                return
            await asyncio.sleep(0.1)

    async def attend_once(self) -> None:
        stub = arena_service_pb2_grpc.ArenaServiceStub(self.channel)
        metadata = () if fault("no secret") else METADATA
        call = stub.AttachBot(metadata=metadata)
        hello = a.BotHello(
            name="somebody" if fault("wrong name") else NAME,
            token=os.environ["EW_BOT_TOKEN"],
            capacity=1 if fault("capacity of one") else int(os.environ["EW_BOT_CAPACITY"]),
            ability=arena_pb2.BotAbility(modules=True),
            least_revision=1,
        )
        await call.write(a.AttachBotRequest(hello=hello))
        async for message in call:
            self.attended = True
            if message.HasField("seat_offer"):
                offer = message.seat_offer
                reply = a.OfferReply(offer_id=offer.offer_id, accept=not fault("declines"))
                await call.write(a.AttachBotRequest(offer_reply=reply))
                if fault("attaches early"):
                    self.take((offer.game_id, offer.seat))
            elif message.HasField("seat_bound"):
                self.take((message.seat_bound.game_id, message.seat_bound.seat))
            elif message.HasField("welcome"):
                await self.ask_for_seats()

    async def ask_for_seats(self) -> None:
        if fault("forgets its seats"):
            return
        found = await self.play.ListMySeats(p.ListMySeatsRequest(), metadata=METADATA)
        for one in found.seats:
            self.take((one.game_id, one.seat))

    # --- the Play stream ---

    async def follow(self) -> None:
        while True:
            with contextlib.suppress(grpc.aio.AioRpcError):
                await self.follow_once()
            self.cuts += 1
            self.welcomed = False
            self.out = None
            for seat in self.seats.values():
                seat.attached = False
            if fault("never resumes"):
                await asyncio.sleep(3600)
            await self.pause()

    async def pause(self) -> None:
        if not fault("no backoff"):
            await asyncio.sleep(0.1)
            return
        host, _, port = SERVER.partition(":")
        until = asyncio.get_running_loop().time() + 4  # longer than a server needs to start

        async def knock() -> None:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection(host, int(port))
                writer.close()
                await writer.wait_closed()

        while asyncio.get_running_loop().time() < until:  # many at a time, as fast as it can
            await asyncio.gather(*(knock() for _ in range(40)))

    async def follow_once(self) -> None:
        out: asyncio.Queue[p.PlayRequest | None] = asyncio.Queue()
        self.out = out

        async def requests() -> Any:
            while (request := await out.get()) is not None:
                yield request

        if not fault("no hello"):
            self.write(p.PlayCommand(hello=p.Hello(least_revision=1)))
        else:
            self.write(p.PlayCommand(request_id="ping", ping=p.Ping()))
        async for response in self.play.Play(requests(), metadata=METADATA):
            for report in response.reports:
                await self.received(report)

    def write(self, *commands: p.PlayCommand) -> None:
        if self.out is not None:
            self.out.put_nowait(p.PlayRequest(commands=commands))

    def take(self, key: Key) -> None:
        if key in self.seats:
            return
        seat = self.seats[key] = Seat(key)
        if fault("a stream per game"):
            task = asyncio.create_task(self.follow_alone())
            self.tasks.add(task)
        if self.welcomed:
            self.attach(seat)

    async def follow_alone(self) -> None:
        """A stream that does nothing but be there."""
        call = self.play.Play(metadata=METADATA)
        await call.write(p.PlayRequest(commands=[p.PlayCommand(hello=p.Hello(least_revision=1))]))
        await asyncio.sleep(3600)

    def attach(self, seat: Seat) -> None:
        attach = p.Attach()
        if fault("always from the start"):
            attach.after_seq = 0
        elif seat.seq is not None and not fault("no after_seq"):
            attach.after_seq = seat.seq
        self.write(seat.command("attach", attach=attach))

    def send(self, seat: Seat, command: p.PlayCommand) -> None:
        if fault("empty request ids"):
            command.request_id = ""
        if not fault("repeats nothing"):
            seat.waiting[command.request_id] = command
        if seat.attached:
            self.write(command)

    async def received(self, report: p.PlayReport) -> None:
        kind = report.WhichOneof("report")
        if kind == "welcome":
            self.welcomed = True
            for seat in self.seats.values():
                self.attach(seat)
            await self.ask_for_seats()
        elif kind == "goodbye":
            assert self.out is not None
            self.out.put_nowait(None)
            self.out = None
        elif kind is None and fault("chokes on the unknown"):
            raise ValueError("what is this?")
        elif kind == "rejection" and report.request_id != "attach" and fault("breaks when refused"):
            raise ValueError(report.rejection.message)
        key = (report.game_id, report.seat)
        if key not in self.seats:
            return
        seat = self.seats[key]
        if kind == "attached":
            seat.attached = True
            self.repeat(seat)
        elif kind == "accepted":
            seat.waiting.pop(report.request_id, None)
        elif kind == "detached" and not fault("never lets go"):
            del self.seats[key]
        elif kind == "detached":
            self.attach(seat)
        elif kind == "rejection":
            self.refused(seat, report.request_id, report.rejection)
        elif kind == "update":
            await self.take_update(seat, report.update)

    def repeat(self, seat: Seat) -> None:
        for command in list(seat.waiting.values()):
            if fault("waits for its acknowledgement"):
                break
            if fault("new ids after a cut"):
                del seat.waiting[command.request_id]
                command.request_id = f"again-{next(self.numbers)}"
                seat.waiting[command.request_id] = command
            self.write(command)

    async def take_update(self, seat: Seat, update: Any) -> None:
        if fault("trips over snapshots") and update.snapshot and seat.seq is not None:
            raise ValueError("this update is not new")
        if fault("trips over duplicates") and update.seq == seat.seq:
            raise ValueError("this update is not new")
        seat.seq = update.seq
        if update.HasField("ready_check") and not fault("never ready"):
            self.send(seat, seat.command("ready", ready=p.Ready()))
        if update.HasField("prompt"):
            await self.decide(seat, update.prompt.decision)
        if update.HasField("result"):
            if fault("talks after the end"):
                answer = decision_pb2.Answer(decision_id=seat.asked, take_default=True)
                self.send(seat, seat.command("afterwards", answer=answer))
            del self.seats[seat.key]

    async def decide(self, seat: Seat, decision: decision_pb2.Decision) -> None:
        if decision.decision_id <= seat.asked and not fault("answers twice"):
            return
        if fault("waits for its acknowledgement") and seat.waiting and self.cuts:
            return
        seat.asked = decision.decision_id
        self.answered += 1
        if self.answered > 5:
            if fault("crashes"):
                sys.stderr.write("something broke in here\n")
                sys.stderr.flush()
                os._exit(3)
            if fault("hangs"):
                return
            if fault("late"):
                await asyncio.sleep(1.3)
            if fault("floods"):
                for _ in range(1000):
                    self.write(p.PlayCommand(request_id="ping", ping=p.Ping()))
        if fault("slow with many options") and len(decision.options) > 500:
            return
        if fault("chokes on the unknown") and decision.kind > 50:
            raise ValueError("what is this?")
        answer = decision_pb2.Answer(decision_id=decision.decision_id, take_default=True)
        if fault("stubborn"):
            first = next(option for option in decision.options if option.is_default)
            answer = decision_pb2.Answer(
                decision_id=decision.decision_id, option_id=first.option_id
            )
        self.plan(seat, answer)
        if fault("illegal") and self.answered == 5:
            answer = decision_pb2.Answer(decision_id=decision.decision_id, option_id=9999)
        if fault("answers what it was not asked") and self.answered == 5:
            answer.decision_id += 1
            self.write(seat.command(f"x{answer.decision_id}", answer=answer))
            answer = decision_pb2.Answer(decision_id=decision.decision_id, take_default=True)
        number = next(self.numbers) if fault("answers twice") else ""
        name = "same" if fault("one id for all") else f"d{decision.decision_id}{number}"
        self.send(seat, seat.command(name, answer=answer))

    def plan(self, seat: Seat, answer: decision_pb2.Answer) -> None:
        """Say what is to follow."""
        if not fault("plans nothing"):
            answer.plan.extend(("end", "done"))
        if fault("trusts its plans"):
            seat.asked += len(answer.plan)

    def refused(self, seat: Seat, request_id: str, rejection: r.Rejection) -> None:
        if request_id == "attach":
            if rejection.HasField("retry_after_ms"):
                self.later(rejection.retry_after_ms / 1000, lambda: self.attach(seat))
            elif fault("never lets go"):
                self.later(0.01, lambda: self.attach(seat))
            return
        command = seat.waiting.get(request_id)
        if command is None:
            return
        again = rejection.HasField("retry_after_ms")
        if fault("knows its reasons only"):
            again = rejection.reason in KNOWN
        if fault("tries whatever is new again") and rejection.reason > max(
            r.RejectionReason.values()
        ):
            again = True
        if again:
            wait = 0.0 if fault("does not wait") else rejection.retry_after_ms / 1000
            self.later(wait, lambda: self.write(command))
            return
        del seat.waiting[request_id]
        if fault("insists") or fault("stubborn"):
            command.request_id = f"insists-{next(self.numbers)}"
            self.send(seat, command)
        elif rejection.reason == r.REJECTION_REASON_ILLEGAL_OPTION and not fault("gives up"):
            answer = decision_pb2.Answer(decision_id=command.answer.decision_id, take_default=True)
            self.send(seat, seat.command(f"{request_id}-default", answer=answer))


async def main() -> None:
    if fault("never attaches"):
        await asyncio.sleep(3600)
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    if fault("ignores SIGTERM"):
        loop.add_signal_handler(signal.SIGTERM, lambda: None)
    else:
        loop.add_signal_handler(signal.SIGTERM, ended.set)
    bot = Bot()
    streams = [asyncio.create_task(bot.attend()), asyncio.create_task(bot.follow())]
    for task in streams:
        task.add_done_callback(lambda one: None if one.cancelled() else broken(one.exception()))
    await ended.wait()
    os._exit(0)


def broken(error: BaseException | None) -> None:
    """A stream's task has ended: as it should not, unless that is the fault."""
    if error is not None:
        sys.stderr.write(f"{error!r}\n")
        sys.stderr.flush()
        os._exit(4)


asyncio.run(main())
