"""Load for a server: trivial bots and a bare echo, each in a process of its own.

Run as ``python -m endless_winter.cli.bench.load JSON`` by ``ew bench serve``; prints one line of
JSON. The bots answer at once with an option that depends on nothing but the decision's number.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
import time
from typing import TYPE_CHECKING, Any

import grpc

from endless_winter.v1 import (
    config_pb2,
    decision_pb2,
    game_service_pb2,
    game_service_pb2_grpc,
    play_service_pb2,
    play_service_pb2_grpc,
    view_pb2,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

p = play_service_pb2
ECHO = "/bench.Echo/Echo"
_SPREAD = 7919  # a prime, so that consecutive decisions take different options
_MOST = [("grpc.max_receive_message_length", 1 << 22)]


class Counter:
    """How many answers there were, and when to stop."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.done = 0
        self.waits: list[float] = []
        self.octets = 0
        self.start = 0.0
        self.end = 0.0

    def count(self, wait: float) -> None:
        self.done += 1
        self.waits.append(wait)
        if self.done >= self.wanted and not self.end:
            self.end = time.perf_counter()

    def figures(self) -> dict[str, float]:
        waits = sorted(self.waits)
        seconds = (self.end or time.perf_counter()) - self.start
        return {
            "per_second": min(self.done, self.wanted) / seconds,
            "p50_ms": waits[len(waits) // 2] * 1000,
            "p99_ms": waits[int(len(waits) * 0.99)] * 1000,
            "octets": self.octets / max(self.done, 1),
            "answers": self.done,
        }


async def new_game(stub: Any, metadata: Any) -> str:
    seats = [config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)] * 2
    request = game_service_pb2.CreateGameRequest(config=config_pb2.GameConfig(seats=seats))
    game_id: str = (await stub.CreateGame(request, metadata=metadata)).game.game_id
    for seat in (0, 1):
        await stub.JoinGame(
            game_service_pb2.JoinGameRequest(game_id=game_id, seat=seat), metadata=metadata
        )
    return game_id


async def play(channel: Any, metadata: Any, game_ids: list[str], counter: Counter) -> None:
    """Play games on one stream; a game that ends is replaced by nothing."""
    out: asyncio.Queue[p.PlayRequest | None] = asyncio.Queue()
    feed = p.FeedOptions(
        view_mode=view_pb2.VIEW_MODE_ON_DECISION, skip_labels=True, only_when_asked=True
    )

    async def requests() -> AsyncIterator[p.PlayRequest]:
        while (request := await out.get()) is not None:
            yield request

    commands = [p.PlayCommand(hello=p.Hello(contract_revision=1))]
    for game_id in game_ids:
        for seat in (0, 1):
            commands += [
                p.PlayCommand(game_id=game_id, seat=seat, attach=p.Attach(feed=feed)),
                p.PlayCommand(game_id=game_id, seat=seat, ready=p.Ready()),
            ]
    out.put_nowait(p.PlayRequest(commands=commands))
    asked: dict[str, float] = {}
    over = 0
    call = play_service_pb2_grpc.PlayServiceStub(channel).Play(requests(), metadata=metadata)
    async for response in call:
        now = time.perf_counter()
        answers = []
        for report in response.reports:
            if report.HasField("rejection"):
                raise RuntimeError(str(report.rejection))
            if not report.HasField("update"):
                continue
            update = report.update
            if update.HasField("result"):
                over += 1
            elif update.HasField("prompt"):
                if report.game_id in asked:
                    counter.count(now - asked[report.game_id])
                asked[report.game_id] = now
                decision = update.prompt.decision
                number = decision.decision_id * _SPREAD % len(decision.options)
                answer = decision_pb2.Answer(decision_id=decision.decision_id, option_id=number)
                answers.append(
                    p.PlayCommand(game_id=report.game_id, seat=report.seat, answer=answer)
                )
        counter.octets += response.ByteSize()
        if counter.end or over == 2 * len(game_ids):
            break
        if answers:
            out.put_nowait(p.PlayRequest(commands=answers))
    out.put_nowait(None)
    call.cancel()


async def bots(address: str, games: int, streams: int, answers: int) -> dict[str, float]:
    metadata = (("ew-client-secret", secrets.token_hex(32)),)
    async with grpc.aio.insecure_channel(address, options=_MOST) as channel:
        stub = game_service_pb2_grpc.GameServiceStub(channel)
        ids = [await new_game(stub, metadata) for _ in range(games)]
        counter = Counter(answers)
        counter.start = time.perf_counter()
        share = max(games // streams, 1)
        groups = [ids[at : at + share] for at in range(0, games, share)]
        await asyncio.gather(*(play(channel, metadata, group, counter) for group in groups))
        return counter.figures()


async def echo(address: str, streams: int, octets: int, answers: int) -> dict[str, float]:
    """One message in flight on each stream, as large as a prompt; a small one goes out."""
    counter = Counter(answers)
    reply = octets.to_bytes(4, "big") + bytes(40)

    async def one(channel: Any) -> None:
        call = channel.stream_stream(ECHO)()
        while not counter.end:
            sent = time.perf_counter()
            await call.write(reply)
            message = await call.read()
            counter.count(time.perf_counter() - sent)
            counter.octets += len(message)
        call.cancel()

    async with grpc.aio.insecure_channel(address, options=_MOST) as channel:
        counter.start = time.perf_counter()
        await asyncio.gather(*(one(channel) for _ in range(streams)))
        return counter.figures()


async def serve_echo() -> None:
    """A bare server: for each message one of the size that it asks for."""

    async def answer(requests: AsyncIterator[bytes], _: object) -> AsyncIterator[bytes]:
        async for request in requests:
            yield bytes(int.from_bytes(request[:4], "big"))

    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
        "Echo": grpc.stream_stream_rpc_method_handler(answer)
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench.Echo", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"bench echo: listening on 127.0.0.1:{port}", flush=True)
    await server.wait_for_termination()


def main() -> None:
    job = json.loads(sys.argv[1])
    kind = job.pop("kind")
    if kind == "serve_echo":
        asyncio.run(serve_echo())
        return
    work = bots(**job) if kind == "bots" else echo(**job)
    print(json.dumps(asyncio.run(work)))


if __name__ == "__main__":
    main()
