"""The one thread that writes to the tables.

What goes the long way is told when it is committed. What is safe already, in the tail, goes along:
before the next thing that comes, or by itself when a moment has passed.
"""

from __future__ import annotations

import logging
import queue
import sqlite3
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from endless_winter.store.errors import StoreError
from endless_winter.store.tables import MOST_JOBS
from endless_winter.store.tail import Append

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from endless_winter.store.tables import Job, Outcome, Tables

log = logging.getLogger("endless_winter.store")


class Waiting(NamedTuple):
    """A job, and who wants to know what comes of it."""

    job: Job
    done: Callable[[Outcome], None]
    since: float  # on the clock of `perf_counter`
    learn: bool = False  # whether the caller wants to follow the log of its game


class Work(NamedTuple):
    """What the thread is to write."""

    safe: list[Append]
    """In the tail already; in order."""
    batch: int
    """The last batch of the tail that is part of it, or of what came before."""
    waiting: list[Waiting]


class Done(NamedTuple):
    """What the thread has done, for the event loop."""

    waiting: list[Waiting]
    outcomes: list[Outcome]
    asked: dict[str, bytes]
    """Hashes of all requests of the games that were appended to the long way."""
    settled: dict[str, int]
    """Where the logs of games end in the tables, of those that had something in the tail."""
    batch: int
    """All batches of the tail up to this one are in the tables; 0: it is not known."""
    stuck: bool
    """Something that is safe could not be written to the tables."""


class Writer:
    """Owns the tables from its start on."""

    def __init__(self, tables: Tables, loop: asyncio.AbstractEventLoop) -> None:
        """`loop` is the event loop of all callers."""
        self.tables = tables
        self._loop = loop
        self._pending: list[Append] = []  # safe in the tail, and not in the tables
        self._stuck = False  # the tables did not take it
        self._batch = 0  # the newest batch of the tail
        self._tell: Callable[[Done], None] | None = None
        self._queue: queue.SimpleQueue[Work | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)

    def start(self, tell: Callable[[Done], None]) -> None:
        """Begin to work; `tell` is called in the event loop."""
        self._tell = tell
        self._thread.start()

    def write(self, work: Work) -> None:
        """Queue work."""
        self._queue.put(work)

    def close(self) -> bool:
        """Write what was queued, then close the file; whether all is in the tables. Blocks."""
        self._queue.put(None)
        self._thread.join()
        return not self._pending

    def _run(self) -> None:
        work = self._queue.get()
        while work is not None:
            come: list[Waiting] = []
            with suppress(queue.Empty):
                while work is not None:
                    self._pending += work.safe
                    self._batch = work.batch
                    come += work.waiting
                    if len(come) >= MOST_JOBS:
                        break
                    work = self._queue.get_nowait()
            for start in range(0, len(come) or 1, MOST_JOBS):
                self._carry(come[start : start + MOST_JOBS])
            if work is not None:
                work = self._queue.get()
        with suppress(sqlite3.Error):  # a checkpoint that fails is made up for by the next start
            self.tables.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.tables.connection.close()

    def _carry(self, waiting: list[Waiting]) -> None:
        """Write what is pending, and behind it what waits."""
        jobs = [one.job for one in waiting]
        first = self._pending
        outcomes = self.tables.write([*first, *jobs], pending=len(first))
        failed, settled = self._settled(outcomes)
        told = [
            failed.get(job.game_id, outcome) if isinstance(job, Append) else outcome
            for job, outcome in zip(jobs, outcomes[len(first) :], strict=True)
        ]
        if waiting:
            self.tables.stats.batch(len(waiting))
        done = Done(
            waiting,
            told,
            self._asked(waiting, told),
            settled,
            0 if failed else self._batch,
            self._stuck,
        )
        assert self._tell is not None
        with suppress(RuntimeError):  # a loop that was closed meanwhile has nobody to tell
            self._loop.call_soon_threadsafe(self._tell, done)

    def _settled(self, outcomes: list[Outcome]) -> tuple[dict[str, StoreError], dict[str, int]]:
        """Games of which the tables did not take what is pending, and where other logs end."""
        failed: dict[str, StoreError] = {}
        ends: dict[str, int] = {}
        left: list[Append] = []
        for job, outcome in zip(self._pending, outcomes, strict=False):  # others' stand behind
            name = job.game_id
            if isinstance(outcome, StoreError) and not self.tables.is_there(job, outcome):
                failed.setdefault(name, outcome)
            if name in failed:
                left.append(job)
            else:
                ends[name] = job.expected_seq + len(job.entries)
        if failed and not self._stuck:
            why = next(iter(failed.values()))
            log.error("choices are safe in the tail, but the tables do not take them: %s", why)
        self._pending = left
        self._stuck = bool(left)
        return failed, ends

    def _asked(self, waiting: list[Waiting], told: list[Outcome]) -> dict[str, bytes]:
        """The hashes of all requests of games that are to be followed from now on."""
        found: dict[str, bytes] = {}
        for one, outcome in zip(waiting, told, strict=True):
            job = one.job
            if one.learn and isinstance(job, Append) and not isinstance(outcome, StoreError):
                with suppress(sqlite3.Error):  # then its appends go on coming the long way
                    found[job.game_id] = self.tables.asked(job.game_id)
        return found
