"""The one writer, with group commit.

Whatever has come together is written in one transaction (commits.py), and all callers are
told. On a disk that is quick this is done at once, in the event loop: to
hand it to a thread and to hear of it again takes longer than to write it, and whatever follows
waits for the commit in any case. When commits take long, or another process holds the file, a
thread does the same, one commit at a time, and the loop goes on with whatever need not wait.

Whoever asks for a commit (``flush``) may go on with what follows from it while the disk is asked to
keep it, as long as nothing of that leaves before ``kept``.
"""

from __future__ import annotations

import queue
import threading
from contextlib import suppress
from functools import partial
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING

from endless_winter.store.errors import StoreClosed, translate
from endless_winter.store.jobs import Append
from endless_winter.store.moving import Mover

if TYPE_CHECKING:
    import asyncio
    import sqlite3
    from collections.abc import Callable, Sequence

    from endless_winter.store.commits import Commits
    from endless_winter.store.jobs import Job, Outcome
    from endless_winter.store.records import Entry, Request

MOST_JOBS = 512  # of one transaction, so that the first of them does not wait for ever
QUICK = 0.004  # seconds: for so long the disk may keep the event loop from everything else
TOGETHER = 0.004  # seconds: what nobody asks for waits so long for those who ask all the time
RHYTHM = 0.02  # seconds between two who ask all the time, where the machine is slow
BESIDE = 48  # jobs: what follows from so many takes longer than to have the disk begin beside it
MOVED = 16 << 20  # octets, about, of the write-ahead log: then it is time to move it
REST = 256 << 10  # octets of it that commits wait for
FEWEST = 1  # commits that are the thread's after one that kept the loop waiting, and
MOST = 1024  # where one is slow again and again


class Writer:
    """Has the jobs of all callers committed, and tells them."""

    def __init__(
        self,
        commits: Commits,
        connect: Callable[[], sqlite3.Connection],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        """`connect` is for moving the write-ahead log; `loop` is the event loop of all callers."""
        self.commits = commits
        self.stats = commits.stats
        self.watch: Callable[[list[Job], list[Outcome], float], None] | None = None
        """Told of jobs when they are over, in the event loop, what came of them, and when."""
        self._loop = loop
        self._spoilt: Exception | None = None  # after this the thread has to recover first
        self._gathered: list[Job] = []
        self._open = 0
        self._committing = False  # the connection is not the loop's
        self._unkept = False  # callers were told of what the disk need not have yet
        self._closing = False
        self._rest = False  # of the write-ahead log is to be moved before the next commit
        self._soon: asyncio.Handle | None = None  # the next commit, if nobody asks for it before
        self._tidying: asyncio.Handle | None = None
        self._uncounted: list[tuple[list[Job], list[Outcome], float]] = []
        self._asked = self._asked_before = -inf  # when somebody asked for a commit
        self._there = 1  # commits that are the thread's; what the first one takes is not known
        self._more = FEWEST  # and so many after the next slow one
        self._spent = 0.0  # seconds of the commit that is not kept yet
        self._mover = Mover(connect, commits, self._in_the_loop)
        self._unmovable = 0  # octets of the write-ahead log when it could not be moved
        self._queue: queue.SimpleQueue[list[Job] | None] = queue.SimpleQueue()
        self._working = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._working.start()

    @property
    def waiting(self) -> int:
        """Jobs that are neither committed nor refused yet."""
        return self._open

    # --- in the event loop ---

    def append(
        self,
        game_id: str,
        expected_seq: int,
        entries: Sequence[Entry],
        requests: Sequence[Request],
        done: Callable[[Outcome], None],
    ) -> None:
        """Queue more entries of a game; as ``submit``."""
        if not (entries or requests):
            raise ValueError("there is nothing to append")
        job = Append(game_id, expected_seq, entries, requests, done)
        self.commits.prepare(job)
        self.submit(job)

    def submit(self, job: Job) -> None:
        """Queue a job; it is told when it is committed or refused. Not after ``hand_over``.

        Called in the event loop, and so is whoever is told.
        """
        if self._closing:
            raise StoreClosed("the store is closed")
        job.since = perf_counter()
        self._gathered.append(job)
        self._open += 1
        if self._soon is None and not self._committing:
            self._flush_soon()

    def _flush_soon(self) -> None:
        if self._soon is not None or self._committing:
            return
        rhythm = self._asked - self._asked_before
        wait = max(TOGETHER, 1.5 * rhythm)
        if rhythm < RHYTHM and perf_counter() - self._asked < wait:  # the next who asks is not far
            self._soon = self._loop.call_later(wait, self._flush_now)
        else:
            self._soon = self._loop.call_soon(self._flush_next)

    def _flush_next(self) -> None:
        """What belongs together comes in two turns of the loop as often as in one."""
        self._soon = self._loop.call_soon(self._flush_now)

    def flush(self) -> None:
        """Commit what has gathered, and tell. If a commit is under way, it is the next one.

        ``kept`` has to follow in the same turn of the loop, before anything of it leaves.
        """
        self._asked_before, self._asked = self._asked, perf_counter()
        self._commit_now(beside=True)

    def _flush_now(self) -> None:
        self._commit_now(beside=False)

    def _commit_now(self, *, beside: bool) -> None:
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None
        if not self._committing:
            self._commit_gathered(beside=beside)

    def kept(self) -> None:
        """Return when the disk has all that was told."""
        if not self._unkept:
            return
        self._unkept = False
        flusher = self.commits.flusher
        assert flusher is not None
        start = perf_counter()
        try:
            flusher.finish()
        except OSError as error:
            self.commits.lost(error)
        self._took(self._spent + perf_counter() - start)

    def _commit_gathered(self, *, beside: bool) -> None:
        self.kept()  # of the last one
        gathered, self._gathered = self._gathered, []
        committed: list[tuple[list[Job], list[Outcome]]] = []
        count = 0
        self._spent = 0.0
        there = self._there > 0
        while gathered and self._spoilt is None and not there:
            batch = gathered[:MOST_JOBS]
            outcomes = self._write_here(batch)
            if outcomes is None:
                break
            del gathered[:MOST_JOBS]
            count += len(batch)
            committed.append((batch, outcomes))
        if self.commits.unflushed:
            self.commits.unflushed = False
            self._unkept = True
            if not beside or gathered:
                self.kept()
            elif count >= BESIDE and self.commits.flusher is not None:
                self.commits.flusher.begin()
        elif committed:
            self._took(self._spent)
        for batch, outcomes in committed:
            self._tell(batch, outcomes)
        if gathered:
            if there:
                self._there -= 1
            self._committing = True
            self.commits.file()  # from here on they are the thread's
            self._queue.put(gathered)
            return
        if self._gathered:  # by those who were told
            self._flush_soon()

    def _write_here(self, jobs: list[Job]) -> list[Outcome] | None:
        """Write in the event loop; None: something is in the way, and that is for the thread."""
        commits = self.commits
        commits.longest = 0.0
        try:
            outcomes = commits.at_once(jobs, careful=False)
        except Exception as error:  # noqa: BLE001 # the thread tries again, and tells
            self._spoilt = error
            if commits.longest >= QUICK:  # or it was no matter of the disk
                self._took(commits.longest)
            return None
        self._spent += commits.longest
        return outcomes

    def _took(self, seconds: float) -> None:
        """A commit has kept the loop so long.

        What those of the thread take says little of the disk: it waits for the interpreter too.
        """
        if seconds >= QUICK:
            self._there = self._more
            self._more = min(2 * self._more, MOST)
        else:
            self._more = FEWEST

    def _thread_is_free(self) -> None:
        self._committing = False
        if self._rest and not self._closing:
            self._move_rest()
        elif self._gathered:
            self._commit_now(beside=False)

    def _tell(self, batch: list[Job], outcomes: list[Outcome]) -> None:
        """Tell the callers."""
        self._open -= len(batch)
        self.stats.jobs += len(batch)
        self.stats.largest_batch = max(self.stats.largest_batch, len(batch))
        for job, outcome in zip(batch, outcomes, strict=True):
            try:
                job.done(outcome)
            except Exception as error:  # noqa: BLE001 # the others are told all the same
                self._complain("whoever waited for the store failed", error)
        self._uncounted.append((batch, outcomes, perf_counter()))
        if self._closing:
            self._count()
        elif self._tidying is None:
            self._tidying = self._loop.call_soon(self._tidy)

    def _complain(self, message: str, error: Exception) -> None:
        self._loop.call_exception_handler({"message": message, "exception": error})

    # --- tidying up, when those who waited are told, and what follows is on its way ---

    def _tidy(self) -> None:
        self._tidying = None
        self._count()
        # The thread settles for itself; nobody writes into a transaction that was left open.
        if not self._committing and self._spoilt is None:
            self._settle_some()
        if self.commits.unmoved >= MOVED + self._unmovable and not self._mover.busy:
            self._mover.move(partial(self._moved, self.commits.unmoved))

    def _count(self) -> None:
        uncounted, self._uncounted = self._uncounted, []
        for batch, outcomes, when in uncounted:
            try:
                if self.watch is not None:
                    self.watch(batch, outcomes, when)
            except Exception as error:  # noqa: BLE001 # nobody depends on what is counted
                self._complain("whoever watches the store failed", error)

    def _settle_some(self) -> None:
        """Settle some of what has waited longest: a little more than came with the last commit."""
        try:
            self.commits.settle(self.commits.tails.overdue())
        except Exception as error:  # noqa: BLE001 # it can wait
            self._spoilt = error  # nothing may be written into a transaction that was left open

    def _moved(self, octets: int, moved: bool) -> None:  # noqa: FBT001 # what came of it
        """Most of the write-ahead log was moved beside commits; the rest, with none beside it."""
        if self._closing or not self._count_moved(octets, moved):
            return
        if self._committing:
            self._rest = True
        elif REST < self.commits.unmoved <= octets // 2:  # else it would never come to an end
            self._mover.move(partial(self._moved, self.commits.unmoved))
        else:
            self._move_rest()

    def _count_moved(self, octets: int, moved: bool) -> bool:  # noqa: FBT001 # as above
        if moved:
            self.commits.unmoved = max(self.commits.unmoved - octets, 0)
            self._unmovable = 0
        else:  # it is tried again when there is as much again
            self._unmovable = self.commits.unmoved
        return moved

    def _move_rest(self) -> None:
        self._rest = False
        self._committing = True
        self._mover.move(partial(self._all_moved, self.commits.unmoved))

    def _all_moved(self, octets: int, moved: bool) -> None:  # noqa: FBT001 # as above
        self._count_moved(octets, moved)
        self._thread_is_free()

    def hand_over(self) -> None:
        """Leave what has gathered to the thread, which is about to be closed."""
        self.kept()
        self._closing = True
        gathered, self._gathered = self._gathered, []
        for handle in (self._soon, self._tidying):
            if handle is not None:
                handle.cancel()
        self._soon = self._tidying = None
        self._count()
        if not self._committing:
            self.commits.file()  # what is left is the thread's
        if gathered:
            self._queue.put(gathered)

    def close(self) -> None:
        """Write what was handed over, then close the file. Blocks."""
        self._mover.close()
        self._queue.put(None)
        self._working.join()

    # --- in the thread ---

    def _run(self) -> None:
        while (come := self._queue.get()) is not None:
            for start in range(0, len(come), MOST_JOBS):
                batch = come[start : start + MOST_JOBS]
                outcomes = self._write_patiently(batch)
                self._in_the_loop(partial(self._tell, batch, outcomes))
                del batch  # whoever is told last lets go of it all: the loop, if possible
            del come
            if self._spoilt is None:
                self._settle_some()
            self._in_the_loop(self._thread_is_free)
        self.commits.close()

    def _in_the_loop(self, call: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # a loop that was closed meanwhile has nobody to tell
            self._loop.call_soon_threadsafe(call)

    def _write_patiently(self, jobs: list[Job]) -> list[Outcome]:
        """Write, and wait if another process has the file."""
        spoilt, self._spoilt = self._spoilt, None
        try:
            return self.commits.patiently(jobs, spoilt)
        except Exception as error:  # noqa: BLE001 # the thread outlives whatever happens
            self._spoilt = error
            return [translate(error) for _ in jobs]
