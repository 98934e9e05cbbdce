"""How long a unary call waits before anything of ours sees it.

gRPC keeps the calls of each method in a queue and hands us one at a time. A call does not say when
it came, and the loop need not be late at all while thousands wait. So a busy server calls itself: a
probe waits in the same queues as everybody, and its wait is what an answer that is read just then
has waited as well. A flooder waits in the same queue: only what was really waited is ever excused
(decision 156).

Probes come by a Unix socket in a folder that only the server's user may enter, and that is gone as
soon as they are connected.
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import grpc

from endless_winter.service import logs
from endless_winter.service.contract import PACKAGE

if TYPE_CHECKING:
    from endless_winter.service.clock import Clock

KEY: Final = "ew-probe"
# What somebody who plays by unary calls passes between a question and its answer.
METHODS: Final = ("PlayService/ListMySeats", "PlayService/GetView", "PlayService/SubmitMove")
EVERY_SECONDS: Final = 0.05
BUSY_CALLS: Final = 20  # in that time: fewer do not make a queue
BUSY_LAG_MS: Final = 5.0
_PATIENCE_SECONDS: Final = 60.0
_OPTIONS: Final = (
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.enable_http_proxy", 0),
    ("grpc.client_idle_timeout_ms", (1 << 31) - 1),  # it could not connect again
)
_ALIVE_SECONDS: Final = 60.0  # also an idle server is probed so often, or it would cut us off


class Queue:
    """The queue of one method."""

    __slots__ = ("_before_ms", "_last_ms", "_since_ms", "_clock")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since_ms: int | None = None  # when the probe that is under way was sent
        self._last_ms = 0
        self._before_ms = 0

    @property
    def probed(self) -> bool:
        return self._since_ms is not None

    def sent(self) -> None:
        self._since_ms = self._clock.now().ms

    def taken(self) -> None:
        """A probe has come to its turn."""
        if self.probed:
            self.note(self._under_way_ms())

    def note(self, wait_ms: int) -> None:
        self._before_ms, self._last_ms = self._last_ms, wait_ms
        self._since_ms = None

    def _under_way_ms(self) -> int:
        return 0 if self._since_ms is None else max(self._clock.now().ms - self._since_ms, 0)

    def wait_ms(self) -> int:
        """How long a call has waited that is taken now: at least as long as a probe that is not."""
        return max(self._before_ms, self._last_ms, self._under_way_ms())


class Queues:
    """The queues of one server, as its probes find them."""

    def __init__(self, clock: Clock, idle_ms: int) -> None:
        """`idle_ms`: so long may a connection be without calls."""
        self._clock = clock
        alive = min(idle_ms / 3000, _ALIVE_SECONDS) if idle_ms else _ALIVE_SECONDS
        self._alive_turns = max(int(alive / EVERY_SECONDS), 1)
        self._word = secrets.token_hex(16)
        self._folder = ""
        self._queues = {method: Queue(clock) for method in METHODS}
        self._task: asyncio.Task[None] | None = None
        self._probing: set[asyncio.Task[None]] = set()
        self.begun = 0
        """Calls that were taken, of everybody, since `_watch` last looked."""

    def wait_ms(self) -> int:
        """How long an answer by unary calls has waited in all, if it is read now."""
        return sum([queue.wait_ms() for queue in self._queues.values()])

    def took_probe(self, method: str, context: Any) -> bool:
        """Whether a call is a probe, which has come to its turn."""
        queue = self._queues.get(method)
        if queue is None or (KEY, self._word) not in (context.invocation_metadata() or ()):
            return False
        queue.taken()
        return True

    def listen(self, server: grpc.aio.Server) -> None:
        """Let a server that has not started yet be probed."""
        folder = ""
        try:
            folder = tempfile.mkdtemp(prefix="ew-probe-")  # for our eyes only
            server.add_insecure_port(f"unix:{Path(folder) / 'probe'}")
            self._folder = folder
        except (OSError, RuntimeError):  # it is full, not ours, or its path too long for a socket
            shutil.rmtree(folder, ignore_errors=True)
            logs.log.warning(
                "no socket can be made in the temporary folder, so nobody knows how long calls "
                "wait: players by unary calls are charged for it",
                folder=tempfile.gettempdir() if folder else "",
            )

    def start(self) -> None:
        if self._folder:
            self._task = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        for task in (self._task, *self._probing):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        self._remove_folder()

    def _remove_folder(self) -> None:
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = ""

    async def _watch(self) -> None:
        target = f"unix:{Path(self._folder) / 'probe'}"
        async with grpc.aio.insecure_channel(target, options=_OPTIONS) as channel:
            await channel.channel_ready()
            self._remove_folder()
            calls: dict[str, Any] = {
                method: channel.unary_unary(f"/{PACKAGE}.{method}") for method in METHODS
            }
            for turn in itertools.count(1):
                await asyncio.sleep(EVERY_SECONDS)
                begun, self.begun = self.begun, 0
                busy = begun >= BUSY_CALLS or self._clock.lag_ms >= BUSY_LAG_MS
                busy = busy or turn % self._alive_turns == 0
                for method, queue in self._queues.items():
                    if queue.probed:
                        continue
                    if not busy:
                        queue.note(0)
                        continue
                    queue.sent()
                    task = asyncio.create_task(self._probe(calls[method], queue))
                    self._probing.add(task)
                    task.add_done_callback(self._probing.discard)

    async def _probe(self, call: Any, queue: Queue) -> None:
        with suppress(grpc.aio.AioRpcError):
            await call(b"", metadata=((KEY, self._word),), timeout=_PATIENCE_SECONDS)
        if queue.probed:  # it was cut: by a queue that is full, say
            queue.taken()
