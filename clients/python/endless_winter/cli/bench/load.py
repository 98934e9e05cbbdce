"""Load for a server, in a process of its own.

Run as ``python -m endless_winter.cli.bench.load JSON`` by ``ew bench serve``; the last line that it
prints is JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any

import grpc

from endless_winter.cli.bench.attack import attack
from endless_winter.cli.bench.bystanders import bystanders
from endless_winter.cli.bench.echo import echo, paced_echo, serve_echo
from endless_winter.cli.bench.idle import hold, look
from endless_winter.cli.bench.pacing import paced
from endless_winter.cli.bench.playing import bots, one_seat
from endless_winter.cli.bench.turns import in_turns
from endless_winter.service import wakeups

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
YARDSTICKS = frozenset(("echo", "paced_echo"))


def main() -> None:
    job = json.loads(sys.argv[1])
    kind = job.pop("kind")
    if kind == "serve_echo":
        asyncio.run(serve_echo())
        return
    try:
        # The yardstick is bare; what loads a server shall cost little beside it.
        run = asyncio.run if kind in YARDSTICKS else wakeups.run
        print(json.dumps(run(JOBS[kind](**job))))
    except grpc.aio.AioRpcError as error:  # by itself it says so over many lines
        raise SystemExit(f"{kind}: {error.code().name}: {error.details()}") from error


if __name__ == "__main__":
    main()
