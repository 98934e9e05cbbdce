"""The yardstick: a bare gRPC server that sends, for each message, one of the size of a prompt.

Messages are plain bytes on both sides; nothing is built, read or stored. Its bots and ours are of
the same make: one event loop in a process of its own.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import grpc

from bench.counting import Counter
from bench.pacing import Pace
from bench.playing import OPTIONS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ECHO = "/bench.Echo/Echo"
ANSWER = 40  # bytes of an answer, about


async def serve_echo() -> None:
    """Serve until the process is ended."""

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


async def echo(
    *, address: str, streams: int, size: int, answers: int, server: int = 0
) -> dict[str, Any]:
    """One message in flight on each stream, as large as a prompt; a small one goes out."""
    counter = Counter(answers, warm=answers // 10, server=server)
    question = size.to_bytes(4, "big") + bytes(ANSWER)

    async def one(channel: Any) -> None:
        call = channel.stream_stream(ECHO)()
        while not counter.over:
            sent = time.perf_counter()
            await call.write(question)
            message = await call.read()
            counter.count(time.perf_counter() - sent)
            counter.weigh(len(message))
        call.cancel()

    async with grpc.aio.insecure_channel(address, options=OPTIONS) as channel:
        await asyncio.gather(*(one(channel) for _ in range(streams)))
        return counter.figures()


async def paced_echo(
    *, address: str, streams: int, size: int, answers: int, per_second: int, games: int
) -> dict[str, Any]:
    """So many messages a second, whatever the answers do; `games` are places to send from."""
    counter = Counter(answers, warm=answers // 10)
    question = size.to_bytes(4, "big") + bytes(ANSWER)
    async with grpc.aio.insecure_channel(address, options=OPTIONS) as channel:
        calls: list[Any] = [channel.stream_stream(ECHO)() for _ in range(streams)]
        pace: Pace[int] = Pace(per_second)
        under_way: list[list[float]] = [[] for _ in calls]

        async def read(number: int) -> None:
            while not counter.over:
                await calls[number].read()
                now = time.perf_counter()
                # A stream keeps its order, and one message answers one.
                counter.count(now - under_way[number].pop(0))
                pace.ready(number)

        async def send(due: float, number: int) -> None:
            under_way[number].append(due)
            await calls[number].write(question)

        for place in range(games):
            pace.ready(place % streams)
        readers = [asyncio.create_task(read(number)) for number in range(streams)]
        await pace.run(send, lambda: counter.over, readers)
        for call in calls:
            call.cancel()
        return counter.figures()
