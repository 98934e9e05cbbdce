"""The server's one loop: gather commands, apply, commit, publish.

A round runs when the inbox is not empty and no commit is in flight. What comes meanwhile waits for
the next round: that is the group commit, and the lock. On a quick disk a commit is done here, in
the event loop, because a thread would cost more than it saves; when commits are slow, a thread does
them, and the loop goes on reading.
"""

from __future__ import annotations

import asyncio
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context
from functools import partial
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Final, TypeGuard

from endless_winter.engine.refusal import Refusal, draining, store_unavailable
from endless_winter.engine.stream import PlayStream, StreamCommand
from endless_winter.service import logs
from endless_winter.service.clock import RETURN_MS
from endless_winter.store.errors import StoreBusy, StoreClosed, StoreError
from endless_winter.store.records import Uptime

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from endless_winter.engine.commands import Command, Reply
    from endless_winter.engine.engine import Engine, Item, Round
    from endless_winter.service.clock import Clock
    from endless_winter.service.meters import Meters
    from endless_winter.store.protocol import Store
    from endless_winter.store.records import Append, FirstAnswer

MOST: Final = 256  # commands of a round: the first shall not wait long for the last
MOST_LATE: Final = 16  # rounds that deadlines wait while there is more than a round takes
IN_TURN: Final = 64  # commands of one stream before the next one has its turn
QUICK_SECONDS: Final = 0.004  # so long may a commit keep the event loop from everything else
MOST_THREADED: Final = 1024  # commits that are left to the thread where one is slow again and again
BUSY_SECONDS: Final = 10.0  # so long a commit waits for another process that writes
BUSY_PAUSE_SECONDS: Final = 0.005
AGAIN_SECONDS: Final = 0.5  # after this long a store that is away is tried again
HEARTBEAT_SECONDS: Final = 5.0  # between two notes of the uptime

Outcomes = tuple[list[StoreError | None], list["FirstAnswer | None"]]


class Call:
    """A unary call that waits for the reply to its command."""

    __slots__ = ("_future",)

    def __init__(self) -> None:
        self._future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()

    def deliver(self, command: Command, reply: Reply) -> None:
        del command
        if not self._future.done():  # else its client has gone
            self._future.set_result(reply)

    async def reply(self) -> bytes:
        """The reply; a refusal is raised."""
        reply = await self._future
        if isinstance(reply, Refusal):
            raise reply
        return reply


class Rounds:
    """Runs the rounds of one engine on one store."""

    def __init__(self, engine: Engine, store: Store, clock: Clock, meters: Meters) -> None:
        self._engine = engine
        self._store = store
        self._clock = clock
        self._meters = meters
        self.replaced: Callable[[], None] = lambda: None
        """Called when the store is another one than before, and may lack what is in memory."""
        self.absent: Callable[[list[Command]], None] = lambda _: None
        """Takes commands whose games have to be loaded, or read further."""
        self.after: Callable[[], None] | None = None
        """Called after each round, where nodes share the store."""
        # What was put off, by its game: it comes first, one of each game in a round.
        self._put_off: dict[str, deque[Command]] = {}
        self._calls: deque[Command] = deque()
        self._streams: deque[PlayStream] = deque()  # those with something in their queue, in turn
        self._late_rounds = 0
        self._scheduled = False
        self._in_flight = False
        self._threaded = 1  # commits for the thread; what the first one takes is not known
        self._after_slow = 1  # and so many after the next slow one
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="store-writer")
        self._checkpointing = False
        self._timer: asyncio.TimerHandle | None = None
        self._timer_ms = 0
        self._up_since_ms: int | None = None  # None: no heartbeats yet
        self._uptime_due: Uptime | None = None  # for the next commit
        self._stalled_ms = 0
        self._heartbeat: asyncio.TimerHandle | None = None
        self._room: dict[PlayStream, Callable[[], None]] = {}
        self._stopping = False
        self._context = Context()  # log lines of a round are not about the call that began it
        self._idle = asyncio.Event()
        self._idle.set()
        self._tasks: set[asyncio.Task[None]] = set()

    # --- the inbox ---

    def put(self, stream: PlayStream, command: Command) -> None:
        """Take a command of a stream; a read is answered at once if nothing comes before it."""
        if stream.is_idle() and self._can_read(command):
            stream.in_flight += 1
            now = self._clock.now()
            self._engine.read(command, now)
            self._set_timer(now.ms)
            return
        if not stream.queue:
            self._streams.append(stream)
        stream.queue.append(command)
        self.schedule()

    def _can_read(self, command: Command) -> TypeGuard[StreamCommand]:
        """Whether it changes nothing, and needs no game that is not in memory."""
        return isinstance(command, StreamCommand) and self._engine.can_read(command)

    async def call(self, command: Command) -> bytes:
        """Have a command of a `Call` done; its reply, or the refusal is raised."""
        self._calls.append(command)
        self.schedule()
        assert isinstance(command.asked.origin, Call)
        return await command.asked.origin.reply()

    def put_first(self, commands: Sequence[Command]) -> None:
        """Commands that were put off: their games are in memory now.

        They come before others of their games that wait already: those were said later.
        """
        again: dict[str, list[Command]] = {}
        for command in commands:
            again.setdefault(command.game_id, []).append(command)
        for game_id, some in again.items():
            self._put_off.setdefault(game_id, deque()).extendleft(reversed(some))
        self.schedule()

    @property
    def waiting(self) -> int:
        """Commands that are in no round yet."""
        queues = [stream.queue for stream in list(self._streams)]  # another thread may ask
        queues += list(self._put_off.values())
        return len(self._calls) + sum([len(queue) for queue in queues])

    def _take(self) -> list[Command]:
        """The commands of the next round, in turn by game and by stream."""
        found: list[Command] = []
        for game_id in list(self._put_off)[:MOST]:
            waiting = self._put_off.pop(game_id)
            found.append(waiting.popleft())
            if waiting:
                self._put_off[game_id] = waiting  # behind the other games
        while self._calls and len(found) < MOST:
            self._add(found, self._calls.popleft())
        while self._streams and len(found) < MOST:
            stream = self._streams.popleft()
            queue = stream.queue
            count = min(len(queue), IN_TURN)
            stream.in_flight += count
            for _ in range(count):
                self._add(found, queue.popleft())
            if queue:
                self._streams.append(stream)
        return found

    def _add(self, found: list[Command], command: Command) -> None:
        """A command for the next round, unless others of its game come before it."""
        waiting = self._put_off.get(command.game_id) if self._put_off else None
        if waiting is None:
            found.append(command)
        else:
            waiting.append(command)

    # --- rounds ---

    def schedule(self) -> None:
        """A round is wanted.

        It runs one turn of the loop later. Messages that lie in the same socket come to their
        streams in two turns, so one round takes them all: with 64 games on one stream this makes
        a round half as often and the stream half as fast again, and costs one game alone 0.02 ms.
        """
        if not (self._scheduled or self._in_flight):
            self._scheduled = True
            self._soon(self._gather)

    def _gather(self) -> None:
        self._soon(self._run)

    def _soon(self, step: Callable[[], None]) -> None:
        asyncio.get_running_loop().call_soon(step, context=self._context)

    def _run(self) -> None:
        self._scheduled = False
        if self._in_flight:
            return
        now = self._clock.now_unary()
        engine = self._engine
        commands = self._take()
        # What came in time may still wait: deadlines come after it, if not for ever.
        self._late_rounds += 1
        if not (self._calls or self._streams) or self._late_rounds >= MOST_LATE:
            self._late_rounds = 0
            for command in engine.due(now):
                self._add(commands, command)
        found = engine.round(commands, now)
        for command, error in found.faults:
            logs.log.error(
                "a command failed",
                exc_info=error,
                command=type(command).__name__,
                game=command.game_id[:64],
            )
        if found.deferred:
            self.put_first(found.deferred)
        if found.absent:
            self.absent(found.absent)
        appends, lookups = found.appends, found.lookups
        uptime = self._uptime_due
        if not (appends or lookups or uptime):
            self._finish(found, [], [], wrote=False)
            return
        self._uptime_due = None
        self._idle.clear()
        if self._store.remote or (self._threaded > 0 and (appends or uptime)):
            self._threaded -= 1
            self._in_flight = True
            self._spawn(self._commit_in_thread(found, uptime))
            return
        start = self._clock.stopwatch()
        try:
            outcomes, firsts = self._commit(appends, lookups, uptime)
        except StoreBusy:  # another process writes: the thread waits for it
            self._in_flight = True
            self._spawn(self._commit_in_thread(found, uptime))
            return
        except StoreError as error:
            self._in_flight = True
            # The loop stood still meanwhile, so no clock ran: it is halted from now on.
            self._spawn(self._recover(found, error, self._clock.seconds()))
            return
        self._took(self._clock.stopwatch() - start)
        self._finish(found, outcomes, firsts, wrote=bool(appends or uptime))

    def _commit(
        self, appends: list[Append], lookups: list[Item], uptime: Uptime | None
    ) -> Outcomes:
        """One transaction; and the first answers to requests that may be repeated."""
        outcomes: list[StoreError | None] = []
        if appends or uptime:
            start = perf_counter()
            outcomes = self._store.commit(appends, uptime)
            self._meters.committed(appends, outcomes, perf_counter() - start)
        firsts = []
        for item in lookups:
            key = item.key
            assert key is not None
            firsts.append(self._store.find_request(key.caller, key.request_id, item.scope))
        return outcomes, firsts

    def _commit_patiently(
        self, appends: list[Append], lookups: list[Item], uptime: Uptime | None
    ) -> Outcomes:
        """As `_commit`, while another process may be writing (`ew store prune`)."""
        until = perf_counter() + BUSY_SECONDS
        while True:
            try:
                return self._commit(appends, lookups, uptime)
            except StoreBusy:
                if perf_counter() >= until:
                    raise
                sleep(BUSY_PAUSE_SECONDS)

    async def _commit_in_thread(self, found: Round, uptime: Uptime | None) -> None:
        loop = asyncio.get_running_loop()
        start, since = self._clock.stopwatch(), self._clock.seconds()
        commit = partial(self._commit_patiently, found.appends, found.lookups, uptime)
        try:
            outcomes, firsts = await loop.run_in_executor(self._writer, commit)
        except StoreError as error:
            await self._recover(found, error, since)
            return
        took = self._clock.stopwatch() - start
        if took >= QUICK_SECONDS:
            self._took(took)
        self._in_flight = False
        self._finish(found, outcomes, firsts, wrote=True)

    def _took(self, seconds: float) -> None:
        """A commit took so long: after a slow one the next are left to the thread."""
        if seconds >= QUICK_SECONDS:
            self._threaded = self._after_slow
            self._after_slow = min(2 * self._after_slow, MOST_THREADED)
        else:
            self._after_slow = 1

    async def _recover(self, found: Round, error: StoreError, since: float) -> None:
        """The result of a commit is unknown: ask the store, before anything of it is sent."""
        if self._clock.halt(since):
            logs.log.warning(
                "the store cannot be written, and all clocks stand still", why=str(error)
            )
        self._meters.commit_failures += len(found.appends)
        loop = asyncio.get_running_loop()
        outcomes: list[StoreError | None] = []
        while True:
            try:
                if await loop.run_in_executor(self._writer, self._store.recover):
                    self.replaced()
                outcomes = await loop.run_in_executor(
                    self._writer, self._store.resolve, found.appends
                )
                break
            except StoreClosed:
                outcomes = [error for _ in found.appends]
                break
            except StoreError:
                if self._stopping:
                    return  # what became of it the next start finds out
                self._refuse_all(store_unavailable())
                await asyncio.sleep(AGAIN_SECONDS)
        self._in_flight = False
        self._schedule_heartbeat(AGAIN_SECONDS)
        lookups = found.lookups
        for item in lookups:
            item.reply = store_unavailable()
        self._finish(found, outcomes, [None] * len(lookups), wrote=False)

    def _refuse_all(self, refusal: Refusal) -> None:
        """Nothing can be written now: refuse what waits, instead of keeping it waiting."""
        while commands := self._take():
            for command in commands:
                if self._can_read(command):
                    self._engine.read(command, self._clock.now())
                else:
                    command.deliver(refusal)

    def _finish(
        self,
        found: Round,
        outcomes: list[StoreError | None],
        firsts: list[FirstAnswer | None],
        *,
        wrote: bool,
    ) -> None:
        """Publish what is committed, and see to the next round."""
        if wrote and self._clock.resume():
            self._up_since_ms = self._clock.unix_ms()  # the halt was nobody's thinking
            logs.log.warning("the store can be written again, and the clocks go on")
        now = self._clock.now_unary()
        behind = self._engine.committed(found, outcomes, firsts, now)
        if behind:
            self.absent(behind)
        for stream, wake in list(self._room.items()):
            if not stream.is_full():
                del self._room[stream]
                wake()
        self._idle.set()
        engine = self._engine
        if self._put_off or self._calls or self._streams or engine.inbox or self._uptime_due:
            self.schedule()
        elif engine.matchmaking.due:
            engine.matchmaking.match(now)
        self._set_timer(now.ms)
        if self.after is not None:
            self.after()
        if not self._checkpointing and self._store.checkpoint_due():
            self._checkpointing = True
            self._spawn(self._checkpoint())

    async def _checkpoint(self) -> None:
        """Most of it beside commits, the rest with none in flight."""
        try:
            await asyncio.to_thread(self._store.checkpoint)
            while self._in_flight:  # when this task is woken, the next commit may have begun
                await self._idle.wait()
            self._in_flight = True
            self._idle.clear()
            try:
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(self._writer, self._store.checkpoint)
            finally:
                self._in_flight = False
                self._idle.set()
                self.schedule()
        except StoreError as error:
            logs.log.warning("a checkpoint failed", why=str(error))
        finally:
            self._checkpointing = False

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- deadlines and heartbeats ---

    def _set_timer(self, now_ms: int) -> None:
        due = self._engine.timers.next_ms()
        if due is None or (self._timer is not None and self._timer_ms <= due):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_ms = due
        wait = max(due - now_ms, 1 if not self._clock.halted else 1000)
        self._timer = asyncio.get_running_loop().call_later(wait / 1000, self._ring)

    def _ring(self) -> None:
        self._timer = None
        now_ms = self._clock.now_unary().ms
        due = self._engine.timers.next_ms()
        if due is not None and due <= now_ms:
            self.schedule()
        else:
            self._set_timer(now_ms)

    def start_heartbeats(self) -> None:
        """Store from now on that there is a server: while there is none, no clock runs."""
        if self._store.shared:
            return  # a node beats for itself
        self._up_since_ms = self._clock.unix_ms()
        self.heartbeat()

    def heartbeat(self) -> None:
        """Store the uptime with the next commit, and again in a while."""
        now_ms = self._clock.unix_ms()
        stalled_ms = self._clock.stalled_ms()
        if self._up_since_ms is None or stalled_ms - self._stalled_ms >= RETURN_MS:
            self._up_since_ms = now_ms  # as after a halt
        self._stalled_ms = stalled_ms
        self._uptime_due = Uptime(self._up_since_ms, now_ms)
        self.schedule()
        self._schedule_heartbeat(HEARTBEAT_SECONDS)

    def stop_heartbeats(self) -> None:
        """The last one: no clock runs while the server drains."""
        if not self._store.shared:
            self.heartbeat()
        self._cancel_heartbeat()

    def _schedule_heartbeat(self, seconds: float) -> None:
        self._cancel_heartbeat()
        if self._up_since_ms is not None:
            loop = asyncio.get_running_loop()
            self._heartbeat = loop.call_later(seconds, self.heartbeat)

    def _cancel_heartbeat(self) -> None:
        if self._heartbeat is not None:
            self._heartbeat.cancel()

    # --- backpressure and the end ---

    async def room(self, stream: PlayStream) -> None:
        """Backpressure: return when a stream may be read on."""
        if stream.is_full():
            woken = asyncio.Event()
            self._room[stream] = woken.set
            try:
                await woken.wait()
            finally:  # the stream may have broken
                self._room.pop(stream, None)

    def sent(self, stream: PlayStream) -> None:
        """A stream has sent something: it may have room again."""
        wake = self._room.get(stream)
        if wake is not None and not stream.is_full():
            del self._room[stream]
            wake()

    async def idle(self) -> None:
        """Return when no round is due and no commit is in flight."""
        while self._scheduled or not self._idle.is_set():  # noqa: ASYNC110 # a commit plans more
            await asyncio.sleep(0)

    async def stop(self) -> None:
        """No more rounds; what is in flight is finished."""
        self._stopping = True
        self._cancel_heartbeat()
        if self._timer is not None:
            self._timer.cancel()
        self._refuse_all(draining())
        for task in tuple(self._tasks):
            await asyncio.gather(task, return_exceptions=True)
        self._writer.shutdown()
