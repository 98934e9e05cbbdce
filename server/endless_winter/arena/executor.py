"""Who plays the games: workers, wherever they run."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any, Protocol

from endless_winter.arena.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from endless_winter.arena.results import Game
    from endless_winter.arena.spec import Spec
    from endless_winter.arena.worker import Folders, Order


class Player(Protocol):
    """Something that plays games. `play` raises ``HostGone`` when it is lost with its games."""

    capacity: int

    async def play(self, order: Order) -> Game: ...
    async def release(self, game_ids: Sequence[str]) -> None: ...


class Executor(Protocol):
    """Where workers come from."""

    async def start(self) -> list[Coroutine[Any, Any, Player]]:
        """All workers, each to be waited for: the first can play while others still start."""

    async def replace(self, lost: Player) -> Player:
        """Another worker for one that is lost. Raises ``HostGone`` if there is no room for it."""

    async def stop(self) -> None:
        """End everything that was started."""


def cores() -> int:
    """The cores that we may use, which can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def split(spec: Spec, available: int) -> list[int]:
    """Games at a time of each worker.

    A game keeps one process busy at a time: its server, or the bot that is asked. So as many games
    as cores never oversubscribe them, and a bot's clock runs while it thinks and not while it
    waits for a core. Bots that take no time to think gain by more.
    """
    at_once = spec.at_once or available
    workers = min(spec.workers or available, at_once)
    if spec.attached:
        workers = 1  # somebody else starts a bot once, for one server
    return [at_once // workers + (number < at_once % workers) for number in range(workers)]


class LocalExecutor:
    """Workers on this machine, as processes of ours."""

    def __init__(self, spec: Spec, folders: Folders, *, listen: str = "127.0.0.1:0") -> None:
        self._spec = spec
        self._folders = folders
        self._listen = listen
        self._workers: dict[Player, Worker] = {}
        self._started = 0

    async def start(self) -> list[Coroutine[Any, Any, Player]]:
        return [self._begin(size) for size in split(self._spec, cores())]

    async def _begin(self, capacity: int) -> Player:
        number = self._started
        self._started += 1
        worker = Worker(self._spec, self._folders, number, capacity=capacity, listen=self._listen)
        self._workers[worker] = worker
        await worker.start()
        return worker

    async def replace(self, lost: Player) -> Player:
        await self._workers.pop(lost).stop()
        return await self._begin(lost.capacity)

    async def stop(self) -> None:
        workers = list(self._workers.values())
        self._workers.clear()
        await asyncio.gather(*(worker.stop() for worker in workers), return_exceptions=True)
