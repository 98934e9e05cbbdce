"""Load for a server, in a process of its own.

Run as ``python -m bench.load JSON`` by ``python -m bench serve``; the last line that it
prints is JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any

import grpc

from bench import slim
from bench.attack import attack
from bench.bystanders import bystanders
from bench.echo import echo, paced_echo, serve_echo
from bench.pacing import paced
from bench.playing import OPTIONS, Client, bots, one_seat
from bench.turns import in_turns

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine


_AT_ONCE = 16


async def look(*, address: str, secret: str, games: list[str], seats: int) -> dict[str, Any]:
    """Have the server load games, as a passer-by would; how long that took for each."""
    async with grpc.aio.insecure_channel(address, options=OPTIONS) as channel:
        client = Client(channel, secret, seats)
        loop = asyncio.get_running_loop()
        took = []
        for _ in range(2):  # the second time they are there
            start = loop.time()
            await client.look_at(games)
            took.append(loop.time() - start)
        return {"load_ms": (took[0] - took[1]) / len(games) * 1000}


async def hold(*, address: str, secret: str, games: list[str], seats: int) -> dict[str, Any]:
    """A stream of its own for each seat of the games; until standard input ends."""
    async with grpc.aio.insecure_channel(address, options=OPTIONS) as channel:
        client = Client(channel, secret, seats)
        gate = asyncio.Semaphore(_AT_ONCE)
        streams = []

        async def one(game_id: str, seat: int) -> None:
            async with gate:
                stream = client.stream()
                streams.append(stream)
                await stream.hello()
                await stream.attach(game_id, [seat], ready=False)
                async for body in stream.messages():
                    reports = slim.Response.FromString(body).reports
                    if any(report.HasField("update") for report in reports):
                        return

        await asyncio.gather(*(one(game_id, seat) for game_id in games for seat in range(seats)))
        print("held", flush=True)
        await asyncio.to_thread(sys.stdin.read)
        for stream in streams:
            stream.cut()
        return {"streams": len(streams)}


JOBS: dict[str, Callable[..., Coroutine[Any, Any, dict[str, Any]]]] = {
    "bots": bots,
    "in_turns": in_turns,
    "one_seat": one_seat,
    "paced": paced,
    "echo": echo,
    "paced_echo": paced_echo,
    "look": look,
    "hold": hold,
    "attack": attack,
    "bystanders": bystanders,
}


def main() -> None:
    job = json.loads(sys.argv[1])
    kind = job.pop("kind")
    if kind == "serve_echo":
        asyncio.run(serve_echo())
        return
    try:
        print(json.dumps(asyncio.run(JOBS[kind](**job))))
    except grpc.aio.AioRpcError as error:  # by itself it says so over many lines
        raise SystemExit(f"{kind}: {error.code().name}: {error.details()}") from error


if __name__ == "__main__":
    main()
