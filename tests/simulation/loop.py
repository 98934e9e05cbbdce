"""Virtual time: one scheduler for everything, and an asyncio event loop for each node on it.

The product's shell runs on `NodeLoop` unchanged: it is an event loop of asyncio like any other, but
time passes only when nothing is left to do, and what would be done by a thread is a completion that
comes later. All loops share one `World`, so N nodes run in one thread, in an order that follows
from the seed alone.
"""

# An event loop as asyncio uses it from Python: handles of our own, and no sockets or processes.
# mypy: disable-error-code="override,assignment"

from __future__ import annotations

import asyncio
import heapq
import random
from collections import Counter, deque
from contextvars import copy_context
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from contextvars import Context


class Call:
    """Something that is to happen; in the place of asyncio's own handles."""

    __slots__ = ("_args", "_callback", "_context", "_off", "_when", "loop")

    def __init__(
        self,
        when: float,
        loop: NodeLoop | None,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        context: Context | None = None,
    ) -> None:
        self._when = when
        self.loop = loop
        self._callback = callback
        self._args = args
        self._context = context
        self._off = False

    def cancel(self) -> None:
        self._off = True
        self._args = ()

    def cancelled(self) -> bool:
        return self._off

    def when(self) -> float:
        return self._when

    def run(self) -> None:
        if self._context is None:
            self._callback(*self._args)
        else:
            self._context.run(self._callback, *self._args)


class World:
    """Virtual time, chance and the trace of one run."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.now = 0.0
        self.seen: Counter[str] = Counter()
        """What has happened, by name, and how often: the "sometimes" assertions look here."""
        self.wrong: list[str] = []
        """What no run may ever do."""
        self._trace = blake2b(digest_size=16)
        self._ready: deque[Call] = deque()
        self._later: list[tuple[float, int, Call]] = []
        self._count = 0
        self.lines: list[str] = []
        """Those of the trace, for who repeats a seed."""
        self._keeps_log = False

    def chance(self, *names: object) -> random.Random:
        """A source of randomness of its own for each name: none shifts another's."""
        return random.Random(f"{self.seed}/{'/'.join(map(str, names))}")

    # --- what happens ---

    def note(self, what: str, *details: object) -> None:
        """A line of the trace."""
        line = f"{self.now:.6f} {what} {' '.join(map(str, details))}\n"
        self._trace.update(line.encode())
        if self._keeps_log:
            self.lines.append(line)

    def keep_log(self) -> None:
        """Keep the lines of the trace as well."""
        self._keeps_log = True

    @property
    def trace(self) -> str:
        return self._trace.hexdigest()

    def fail(self, what: str) -> None:
        self.wrong.append(f"at {self.now:.3f} s: {what}")

    # --- the scheduler ---

    def soon(
        self,
        callback: Callable[..., object],
        *args: object,
        loop: NodeLoop | None = None,
        context: Context | None = None,
    ) -> Call:
        call = Call(self.now, loop, callback, args, context)
        self._ready.append(call)
        return call

    def after(
        self,
        seconds: float,
        callback: Callable[..., object],
        *args: object,
        loop: NodeLoop | None = None,
        context: Context | None = None,
    ) -> Call:
        when = self.now + max(seconds, 0.0)
        call = Call(when, loop, callback, args, context)
        self.put(call)
        return call

    def put(self, call: Call) -> None:
        self._count += 1
        heapq.heappush(self._later, (call.when(), self._count, call))

    def again(self, call: Call, when: float) -> None:
        """What its node cannot do now is done then."""
        self._count += 1
        heapq.heappush(self._later, (max(when, self.now), self._count, call))

    def run(self, until: Callable[[], bool], seconds: float) -> bool:
        """Let things happen until something holds, for so long at most; whether it does."""
        end = self.now + seconds
        ready, later = self._ready, self._later
        while not self.wrong:
            if not ready:
                if until():
                    return True
                if not later or later[0][0] > end:
                    self.now = end
                    return until()
                self.now = later[0][0]
                while later and later[0][0] <= self.now:
                    ready.append(heapq.heappop(later)[2])
            call = ready.popleft()
            if call.cancelled():
                continue
            if call.loop is None:
                call.run()
            else:
                call.loop.perform(call)
        return False


class NodeLoop(asyncio.AbstractEventLoop):
    """The event loop of one node, in virtual time."""

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name
        self.skew = 1.0  # how quickly this node's clock goes
        self.spent = 0.0  # how long the step under way has blocked the node so far
        self.dead = False
        self._until = 0.0  # the node does nothing before: it is frozen, or a step blocks it
        self._chance = world.chance("loop", name)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._in_thread = False

    # --- what the world does with it ---

    def perform(self, call: Call) -> None:
        """Let the node take a step, if it can now."""
        if self.dead:
            return
        if self._until > self.world.now:
            self.world.again(call, self._until)
            return
        asyncio._set_running_loop(self)
        try:
            call.run()
        except Exception as error:  # noqa: BLE001 # what a loop does with it is to report it
            self.call_exception_handler({"message": "a callback failed", "exception": error})
        finally:
            asyncio._set_running_loop(None)
            if self.spent:
                self._until = self.world.now + self.spent
                self.spent = 0.0

    def freeze(self, seconds: float) -> None:
        """The process stands still, and goes on later."""
        self._until = max(self._until, self.world.now + seconds)

    @property
    def frozen(self) -> bool:
        return self._until > self.world.now

    def kill(self) -> None:
        """The process is gone. What it would have done in its ``finally`` reaches nobody."""
        self.dead = True
        asyncio._set_running_loop(self)
        try:
            for task in list(self._tasks):
                coroutine = task.get_coro()
                try:
                    coroutine.close()
                except (RuntimeError, ValueError):
                    continue  # it is running, or waits in its finally
        finally:
            asyncio._set_running_loop(None)
        self._tasks.clear()

    def spend(self, seconds: float) -> None:
        """The step under way, or the thread, waits so long."""
        self.spent += seconds

    # --- what asyncio asks of an event loop ---

    def time(self) -> float:
        return self.world.now + self.spent

    def call_soon(self, callback: Any, *args: Any, context: Context | None = None) -> Any:
        if self.dead:
            return Call(0.0, self, callback, args, context)
        return self.world.soon(
            callback, *args, loop=self, context=copy_context() if context is None else context
        )

    call_soon_threadsafe = call_soon

    def call_later(
        self, delay: float, callback: Any, *args: Any, context: Context | None = None
    ) -> Any:
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(
        self, when: float, callback: Any, *args: Any, context: Context | None = None
    ) -> Any:
        call = Call(when, self, callback, args, copy_context() if context is None else context)
        if not self.dead:
            self.world.put(call)
        return call

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(
        self, coro: Any, *, name: str | None = None, context: Context | None = None
    ) -> Any:
        task: asyncio.Task[Any] = asyncio.Task(coro, loop=self, name=name, context=context)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:
        """A thread would do it; here it is done a little later, in one piece.

        What was sent to the store arrives there, also if the node freezes meanwhile.
        """
        del executor
        future = self.create_future()
        if not self.dead:
            self.world.after(self._chance.uniform(0.00005, 0.0005), self._work, future, func, args)
        return future

    def _work(self, future: asyncio.Future[Any], func: Any, args: tuple[Any, ...]) -> None:
        if self.dead and self._chance.random() < 0.5:
            return  # it had not been sent yet
        before, self.spent = self.spent, 0.0
        result: Any = None
        error: BaseException | None = None
        try:
            result = func(*args)
        except Exception as raised:  # noqa: BLE001 # it goes to who waits for it
            error = raised
        waited, self.spent = self.spent, before
        if not self.dead:
            self.world.after(waited, self._settle, future, result, error, loop=self)

    def _settle(
        self, future: asyncio.Future[Any], result: Any, error: BaseException | None
    ) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return not self.dead

    def is_closed(self) -> bool:
        return self.dead

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Nothing of ours may fail unseen; of a node that was killed there is nothing to see."""
        if self.dead:
            return
        error = context.get("exception")
        self.world.fail(f"{self.name}: {context.get('message')}: {error!r}")

    def start(self, coroutine: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Begin a task of this node from outside."""
        task: asyncio.Task[Any] = self.create_task(coroutine)
        return task
