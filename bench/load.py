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

from bench.attack import attack
from bench.bystanders import bystanders
from bench.echo import echo, paced_echo, serve_echo
from bench.idle import hold, look
from bench.pacing import paced
from bench.playing import bots, one_seat
from bench.turns import in_turns

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

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
