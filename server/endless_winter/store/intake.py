"""Where appends come in: the short way for choices, the long one for everything else.

Nearly all that ever comes are choices of running games: entries that change nothing in the listing.
Those of one turn of the event loop are written to the tail together, flushed by a thread that does
nothing else, and told; the writer carries them into the tables a moment later. Everything else (new
games, seats, starts, ends, and whatever is doubtful) is told when it is in the tables.

All of this runs in the event loop. What it remembers of a game decides which way an append takes:
the short one if it is the next of its log and its request is surely new. Otherwise the tables
decide, where (game, seq) and the ids of requests are unique.
"""

from __future__ import annotations

import errno
import queue
import threading
from collections import deque
from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from endless_winter.store.errors import Conflict, StoreError, StoreFull
from endless_winter.store.records import Status
from endless_winter.store.tables import Create, asked_hash
from endless_winter.store.tail import Append, Place, Tail
from endless_winter.store.writer import Waiting, Work

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from endless_winter.store.tables import Job, Outcome
    from endless_winter.store.writer import Done, Writer

MOST_JOBS = 512  # of one batch
MOST_ENTRIES = 64  # of an append that goes the short way
MOST_KNOWN = 100_000  # games
SETTLE_JOBS = 1024  # appends that are safe; so many of them go into the tables at once
SETTLE_SECONDS = 0.25  # until fewer do
AGAIN_SECONDS = 1.0  # until what the tables did not take is tried again
MOST_PENDING = 8_192  # appends that are not in the tables; then the tables set the pace
_LATEST_MS = 1 << 62  # the tables take no larger numbers
_NOWHERE = -1  # where no log ends: nothing goes the short way


class Known:
    """A game whose log the intake follows."""

    __slots__ = ("asked", "pending", "seq")

    def __init__(self, seq: int, asked: bytes) -> None:
        self.seq = seq  # where its log ends
        self.asked = bytearray(asked)  # hashes of all its requests, one after the other
        self.pending: deque[Append] = deque()  # safe, and perhaps not yet in the tables


class _Batch(NamedTuple):
    number: int
    place: Place
    waiting: list[Waiting]


class Intake:
    """Takes every job of a store. ``flushes``: whether an append is told only after a flush."""

    def __init__(
        self, writer: Writer, tail: Tail, loop: asyncio.AbstractEventLoop, *, flushes: bool
    ) -> None:
        self.watch: Callable[[Job, float, Outcome], None] | None = None
        """Told of each job when it is over: the seconds it took, and what came of it."""
        self._writer = writer
        self._tail = tail
        self._loop = loop
        self._flushes = flushes
        self._known: dict[str, Known] = {}
        self._long: dict[str, int] = {}  # appends on the long way, by game
        self._unsettled: list[Append] = []  # safe, and not handed to the writer yet
        self._timer: asyncio.TimerHandle | None = None
        self._pending = 0  # appends that are safe and perhaps not yet in the tables
        self._stuck = False  # the tables do not take what is safe: nothing goes the short way
        self._gathered: list[Waiting] = []
        self._held: list[Waiting] = []  # of this turn, for the long way
        self._behind: deque[tuple[int, list[Waiting]]] = deque()  # those that wait for a batch
        self._called = False
        self._batches = 0
        self._last_safe = 0  # batch
        self._unsafe: deque[_Batch] = deque()
        self._open = 0
        self._closing: asyncio.Future[None] | None = None
        self._queue: queue.SimpleQueue[_Batch | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._flush, name="store-flush", daemon=True)
        self._thread.start()
        writer.start(self._told)

    @property
    def waiting(self) -> int:
        """Jobs that are neither safe nor refused yet."""
        return self._open

    def pending(self, game_id: str) -> list[Append]:
        """What is safe and perhaps not yet in the tables."""
        known = self._known.get(game_id)
        return list(known.pending) if known is not None else []

    # --- in ---

    def submit(self, job: Job, done: Callable[[Outcome], None]) -> None:
        """Take a job; `done` is told when it is safe or refused. Not after ``close``."""
        self._open += 1
        if isinstance(job, Append) and self._short(job):
            self._gathered.append(Waiting(job, done, perf_counter()))
        else:
            learn = False
            if isinstance(job, Append):
                learn = job.game_id not in self._known
                self._long[job.game_id] = self._long.get(job.game_id, 0) + 1
            waiting = Waiting(job, done, perf_counter(), learn)
            # It follows what was taken before it; this turn's choices are written first.
            self._held.append(waiting)
        if not self._called:
            self._called = True
            self._loop.call_soon(self.hand_over)

    def _short(self, job: Append) -> bool:
        """Whether an append may go the short way; if so, it is the end of its log from now on."""
        known = self._known.get(job.game_id)
        if known is None or known.seq != job.expected_seq or job.game_id in self._long:
            return False
        if self._stuck or self._pending > MOST_PENDING:
            return False
        if len(job.entries) > MOST_ENTRIES:
            return False
        for entry in job.entries:
            if entry.marks is not None or entry.at_ms > _LATEST_MS:
                return False
        hashes = [asked_hash(request.caller, request.request_id) for request in job.requests]
        if any([one in known.asked for one in hashes]) or len(hashes) > 1:  # noqa: C419
            return False
        for one in hashes:
            known.asked += one
        known.seq += len(job.entries)
        return True

    def hand_over(self) -> None:
        """What has come together in one turn of the event loop is one batch."""
        self._called = False
        gathered, self._gathered = self._gathered, []
        for start in range(0, len(gathered), MOST_JOBS):
            self._write(gathered[start : start + MOST_JOBS])
        if self._held:
            self._behind.append((self._batches, self._held))
            self._held = []
        self._release()

    def _write(self, waiting: list[Waiting]) -> None:
        number = self._batches + 1
        try:
            place = self._tail.write(number, [one.job for one in waiting])  # type: ignore[misc] # all appends
        except OSError as error:
            self._refuse(waiting, error)
            return
        except Exception:  # noqa: BLE001 # something that cannot be written: the tables say whose it is
            self._go_long(waiting)
            return
        self._batches = number
        batch = _Batch(number, place, waiting)
        self._writer.tables.stats.batch(len(waiting))
        if self._flushes:
            self._unsafe.append(batch)
            self._queue.put(batch)
        else:
            self._safe(batch)

    def _go_long(self, waiting: list[Waiting]) -> None:
        for one in reversed(waiting):  # so that the first of a game says where its log ends
            assert isinstance(one.job, Append)
            self._known[one.job.game_id].seq = one.job.expected_seq
            self._long[one.job.game_id] = self._long.get(one.job.game_id, 0) + 1
        self._behind.append((self._batches, waiting))

    def _flush(self) -> None:
        """The thread: flush what has been written, as often as there is something new."""
        batch = self._queue.get()
        while batch is not None:
            come = [batch]
            with suppress(queue.Empty):
                while batch is not None:
                    batch = self._queue.get_nowait()
                    if batch is not None:
                        come.append(batch)
            failed: OSError | None = None
            try:
                for place in {one.place.file: one.place for one in come}.values():
                    place.flush()
            except OSError as error:
                failed = error
            with suppress(RuntimeError):  # a loop that was closed meanwhile has nobody to tell
                self._loop.call_soon_threadsafe(self._flushed, come[-1].number, failed)
            if batch is not None:
                batch = self._queue.get()

    # --- out ---

    def _flushed(self, number: int, failed: OSError | None) -> None:
        if failed is not None:
            self._take_back(failed)
        while self._unsafe and self._unsafe[0].number <= number:
            self._safe(self._unsafe.popleft())
        self._release()

    def _safe(self, batch: _Batch) -> None:
        """A batch survives whatever happens: its callers are told, and the writer has it."""
        jobs: list[Append] = [one.job for one in batch.waiting]  # type: ignore[misc] # all appends
        self._unsettled += jobs
        self._last_safe = batch.number
        self._pending += len(jobs)
        for job in jobs:
            self._known[job.game_id].pending.append(job)
        for one, job in zip(batch.waiting, jobs, strict=True):
            self._tell(one, job.expected_seq + len(job.entries))
        if len(self._unsettled) >= SETTLE_JOBS:
            self._settle()
        elif self._timer is None:
            self._timer = self._loop.call_later(SETTLE_SECONDS, self._settle)

    def _settle(self, waiting: list[Waiting] | None = None) -> None:
        """Have the writer carry into the tables what is safe, and write what waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        jobs, self._unsettled = self._unsettled, []
        self._writer.write(Work(jobs, self._last_safe, waiting or []))

    def _take_back(self, failed: OSError) -> None:
        """The disk did not take it: what nobody was told of never was."""
        batches, self._unsafe = list(self._unsafe), deque()
        firsts = {batch.place.file: batch.place for batch in reversed(batches)}
        for place in firsts.values():
            try:
                self._tail.take_back(place)
            except OSError:
                self._stuck = True  # a start would read it back; nothing more goes behind it
        for batch in batches:
            self._refuse(batch.waiting, failed)

    def _refuse(self, waiting: list[Waiting], failed: OSError) -> None:
        full = failed.errno in (errno.ENOSPC, errno.EDQUOT)
        for one in reversed(waiting):  # so that the first of a game says where its log ends
            assert isinstance(one.job, Append)
            self._known[one.job.game_id].seq = one.job.expected_seq
        for one in waiting:
            why = failed.strerror or "an error of the disk"
            refusal = StoreFull if full else StoreError
            self._tell(one, refusal(f"the store {'is full' if full else 'failed'} ({why})"))

    def _release(self) -> None:
        """Send on the long way what no longer waits for a batch."""
        safe = self._unsafe[0].number - 1 if self._unsafe else self._batches
        while self._behind and self._behind[0][0] <= safe:
            self._settle(self._behind.popleft()[1])

    def _told(self, done: Done) -> None:
        """The writer has done something."""
        for game_id, seq in done.settled.items():
            known = self._known.get(game_id)
            while known is not None and known.pending and known.pending[0].expected_seq < seq:
                known.pending.popleft()
                self._pending -= 1
        self._stuck = done.stuck
        if done.batch:
            self._tail.settled(done.batch)
        if done.stuck and self._timer is None and self._closing is None:
            self._timer = self._loop.call_later(AGAIN_SECONDS, self._settle)
        for one, outcome in zip(done.waiting, done.outcomes, strict=True):
            self._landed(one.job, outcome, done.asked)
            self._tell(one, outcome)

    def _landed(self, job: Job, outcome: Outcome, asked: dict[str, bytes]) -> None:
        """Follow the log of a game that came the long way."""
        if isinstance(job, Create):
            if not isinstance(outcome, StoreError):
                self._follow(job.new.game_id, outcome, b"")
            return
        if not isinstance(job, Append):
            return
        left = self._long.pop(job.game_id) - 1
        if left:
            self._long[job.game_id] = left
        known = self._known.get(job.game_id)
        if known is None:
            if not isinstance(outcome, StoreError) and job.game_id in asked:
                self._follow(job.game_id, outcome, asked[job.game_id])
        elif isinstance(outcome, Conflict):
            if outcome.actual != known.seq:
                known.seq = _NOWHERE
        elif not isinstance(outcome, StoreError):
            known.seq = outcome
            for request in job.requests:
                known.asked += asked_hash(request.caller, request.request_id)
            marks = job.entries[-1].marks
            if marks is not None and marks.status == Status.ENDED:
                del self._known[job.game_id]

    def _follow(self, game_id: str, seq: int, asked: bytes) -> None:
        if len(self._known) >= MOST_KNOWN:
            under_way = [*self._gathered, *(one for batch in self._unsafe for one in batch.waiting)]
            busy = {one.job.game_id for one in under_way if isinstance(one.job, Append)}
            for name in [name for name, one in self._known.items() if not one.pending]:
                if name not in busy:
                    del self._known[name]
        self._known[game_id] = Known(seq, asked)

    def _tell(self, waiting: Waiting, outcome: Outcome) -> None:
        self._open -= 1
        try:
            if self.watch is not None:
                self.watch(waiting.job, perf_counter() - waiting.since, outcome)
            waiting.done(outcome)
        except Exception as error:  # noqa: BLE001 # the others are told all the same
            self._loop.call_exception_handler(
                {"message": "whoever waited for the store failed", "exception": error}
            )
        if self._closing is not None and not self._open and not self._closing.done():
            self._closing.set_result(None)

    # --- the end ---

    async def finish(self) -> None:
        """Wait until everybody is told."""
        self.hand_over()
        self._closing = self._loop.create_future()
        if self._open:
            await self._closing
        self._settle()

    def close(self) -> None:
        """Let the threads and the files go; what is safe is in the tables then. Blocks."""
        self._queue.put(None)
        self._thread.join()
        self._tail.close(empty=self._writer.close())
