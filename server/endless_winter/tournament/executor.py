"""Who plays the games: workers, wherever they run."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any, Protocol

from endless_winter.tournament import pace
from endless_winter.tournament.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from endless_winter.tournament.results import Game, Started
    from endless_winter.tournament.spec import Spec
    from endless_winter.tournament.worker import Folders, Order


class Player(Protocol):
    """Something that plays games. `play` raises ``HostGone`` when it is lost with its games."""

    at_first: int
    """Games at a time until it is known how long its bots think."""
    capacity: int
    """Games at a time, at most."""
    started: Started | None
    """What is known of its machine and its bots once it has started."""

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


def portions(each: int) -> list[tuple[int, ...]]:
    """The cores that we may use in portions of so many; none if they cannot be told apart."""
    if not each or not hasattr(os, "sched_getaffinity"):
        return []
    known = sorted(os.sched_getaffinity(0))
    return [tuple(known[at : at + each]) for at in range(0, len(known) - each + 1, each)]


def split(spec: Spec, available: int) -> list[int]:
    """Games at a time of each worker, at first (pace.py).

    A game keeps one process busy at a time: its server, or the bot that is asked. So as many games
    as cores never oversubscribe them, and a bot's clock runs while it thinks and not while it
    waits for a core. A worker that is bound to some of the cores has as many games as those: the
    others are no help to it.
    """
    workers = spec.workers or max(available // max(spec.limits.cores, 1), 1)
    if spec.attached:
        workers = 1  # somebody else starts a bot once, for one server
    each = spec.limits.cores or available  # cores of a worker; 0: any
    at_once = spec.at_once or min(workers * each, available)
    workers = min(workers, at_once)
    return [at_once // workers + (number < at_once % workers) for number in range(workers)]


def capacity(spec: Spec, at_first: int) -> int:
    """Games at a time of a worker, at most: what the spec says, or as many as its bots allow."""
    return at_first if spec.at_once else max(at_first, pace.MOST)


class LocalExecutor:
    """Workers on this machine, as processes of ours."""

    def __init__(self, spec: Spec, folders: Folders, *, listen: str = "127.0.0.1:0") -> None:
        self._spec = spec
        self._folders = folders
        self._listen = listen
        self._workers: dict[Player, Worker] = {}
        self._started = 0
        # A worker has cores to itself, so that no bot's clock runs while another worker thinks.
        # When there are more workers than that, the rest goes wherever there is room.
        self._free = portions(spec.limits.cores)
        self._on: dict[Player, tuple[int, ...]] = {}

    async def start(self) -> list[Coroutine[Any, Any, Player]]:
        return [self._begin(size) for size in split(self._spec, cores())]

    async def _begin(self, at_first: int) -> Player:
        number = self._started
        self._started += 1
        on = self._free.pop(0) if self._free else ()
        worker = Worker(
            self._spec,
            self._folders,
            number,
            at_first=at_first,
            capacity=capacity(self._spec, at_first),
            listen=self._listen,
            cores=on,
        )
        self._workers[worker] = worker
        self._on[worker] = on
        await worker.start()
        return worker

    async def replace(self, lost: Player) -> Player:
        await self._workers.pop(lost).stop()
        if on := self._on.pop(lost, ()):
            self._free.append(on)
        return await self._begin(lost.at_first)

    async def stop(self) -> None:
        workers = list(self._workers.values())
        self._workers.clear()
        await asyncio.gather(*(worker.stop() for worker in workers), return_exceptions=True)
