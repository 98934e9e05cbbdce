"""The one writer, with group commit.

Whatever has come together is planned in Python, written in one transaction, and all callers are
told when that is committed. On a disk that is quick this is done at once, in the event loop: to
hand it to a thread and to hear of it again takes longer than to write it, and whatever follows
waits for the commit in any case. When commits take long, when another process holds the file, and
when there is tidying up to do, a thread does the same, one commit at a time, and
the loop goes on with whatever need not wait.

What is written nearly always, entries of games that go on and the requests that led to them, is
one statement: it is its own transaction. The entries are one value of it (rows.py), and find their
way into the logs later (settling.py).
"""

from __future__ import annotations

import queue
import sqlite3
import threading
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Any

from endless_winter.store import index, settling
from endless_winter.store.errors import (
    Conflict,
    GameExists,
    NoSuchGame,
    NoSuchPack,
    Repeated,
    StoreError,
    translate,
)
from endless_winter.store.jobs import Append, Create, Head, PutPack, Serve, Waiting
from endless_winter.store.plan import MOST_ROWS, TO_CREATE, Plan
from endless_winter.store.records import Answer
from endless_winter.store.settling import Tails

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from endless_winter.store.jobs import Job, Outcome
    from endless_winter.store.plan import Added

MOST_JOBS = 512  # of one transaction, so that the first of them does not wait for ever
MOST_HEADS = 100_000  # games whose last number is remembered
QUICK = 0.002  # seconds: for so long the disk may keep the event loop from everything else
TOGETHER = 0.004  # seconds: what nobody asks for waits so long for those who ask all the time
MOVED = 16 << 20  # octets, about, of the write-ahead log: then it is time to tidy up
PAGES = 8 << 10  # octets of it that a commit takes beside what is in it, about
SLOWLY = 0.8  # of a slow commit so much is remembered at the next: after some good ones it is over
NOWHERE = -1  # the scope of requests of a game that there is not


@dataclass(slots=True)
class Stats:
    """What the writer has done, for metrics and tests."""

    transactions: int = 0
    jobs: int = 0
    largest_batch: int = 0
    retried: int = 0
    """Jobs that were written one after the other, because one of their batch spoilt the rest."""


# Of the view of one statement: moment, data, prunings, and the six of a request.
_COMMITTED_ROW = "(?, ?, ?, ?, ?, ?, ?, ?, ?)"
_NO_MOMENT = (None, None)
_NOT_ASKED = (None,) * 6


class _Apart(Exception):
    """A request is answered twice in one batch, say: its jobs have to be written in turn."""


class Writer:
    """Owns the writing connection. ``reopen`` makes a new one when the old one is beyond help."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        reopen: Callable[[], sqlite3.Connection],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        """`loop` is the event loop of all callers."""
        self.stats = Stats()
        self.watch: Callable[[list[Waiting], list[Outcome]], None] | None = None
        """Told of jobs when they are over, in the event loop, and what came of them."""
        self.tails = Tails()
        """Committed entries that are in no log yet. Other threads may look."""
        self._connection = connection
        self._reopen = reopen
        self._loop = loop
        self._heads: dict[str, Head] = {}
        self._added: list[tuple[int, Added]] = []  # what the transaction under way adds to tails
        (self._last_game,) = connection.execute("SELECT coalesce(max(id), 0) FROM games").fetchone()
        (self._busy_ms,) = connection.execute("PRAGMA busy_timeout").fetchone()
        self._prunings = 0  # how often games had been removed when it was last asked
        self._moment = 0  # the number of the last commit
        self._unmoved = 0  # octets of the write-ahead log, about
        self._look_again()
        with suppress(sqlite3.Error):  # a full disk is no reason not to start
            self._settle(self.tails.everything())  # what a predecessor left
        self._be_patient(0)
        self._spoilt: Exception | None = None  # after this the thread has to recover first
        self._gathered: list[Waiting] = []
        self._open = 0
        self._committing = False  # the thread has something that is not delivered yet
        self._soon: asyncio.Handle | None = None  # the next commit, if nobody asks for it before
        self._asked = self._asked_before = -inf  # when somebody asked for a commit
        self._slowest = QUICK  # seconds of a commit lately; what the first one takes is not known
        self._longest = 0.0  # seconds of the attempt that took longest, among those for one batch
        self._queue: queue.SimpleQueue[list[Waiting] | None] = queue.SimpleQueue()
        self._working = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._working.start()

    @property
    def waiting(self) -> int:
        """Jobs that are neither committed nor refused yet."""
        return self._open

    # --- in the event loop ---

    def submit(self, job: Job, done: Callable[[Outcome], None]) -> None:
        """Queue a job; `done` is told when it is committed or refused. Not after ``close``.

        Called in the event loop, and so is `done`.
        """
        self._gathered.append(Waiting(job, done, perf_counter()))
        self._open += 1
        self._flush_soon()

    def _flush_soon(self) -> None:
        if self._soon is not None or self._committing:
            return
        if perf_counter() - self._asked_before < TOGETHER:  # the next who asks is not far
            self._soon = self._loop.call_later(TOGETHER, self._flush_now)
        else:
            self._soon = self._loop.call_soon(self._flush_next)

    def _flush_next(self) -> None:
        """What belongs together comes in two turns of the loop as often as in one."""
        self._soon = self._loop.call_soon(self._flush_now)

    def flush(self) -> None:
        """Commit what has gathered. If a commit is under way, it is the next one."""
        self._asked_before, self._asked = self._asked, perf_counter()
        self._flush_now()

    def _flush_now(self) -> None:
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None
        if not self._committing:
            self._commit_gathered()

    def _commit_gathered(self) -> None:
        gathered, self._gathered = self._gathered, []
        while gathered and self._spoilt is None and self._slowest < QUICK and self._unmoved < MOVED:
            batch = gathered[:MOST_JOBS]
            outcomes = self._write_here([waiting.job for waiting in batch])
            if outcomes is None:
                break
            del gathered[:MOST_JOBS]
            self._tell(batch, outcomes)
        if gathered:
            self._committing = True
            self._queue.put(gathered)
        elif self._gathered:  # by those who were told
            self._flush_soon()

    def _write_here(self, jobs: list[Job]) -> list[Outcome] | None:
        """Write in the event loop; None: something is in the way, and that is for the thread."""
        self._longest = 0.0
        try:
            outcomes = self._at_once(jobs)
        except Exception as error:  # noqa: BLE001 # the thread tries again, and tells
            self._spoilt = error
            self._slowest = max(self._longest, QUICK)
            return None
        self._took(self._longest)
        return outcomes

    def _took(self, seconds: float) -> None:
        self._slowest = max(seconds, self._slowest * SLOWLY)

    def _thread_is_free(self) -> None:
        self._committing = False
        if self._gathered:
            self._flush_now()

    def _tell(self, batch: list[Waiting], outcomes: list[Outcome]) -> None:
        """Tell the callers."""
        self._open -= len(batch)
        self.stats.jobs += len(batch)
        self.stats.largest_batch = max(self.stats.largest_batch, len(batch))
        for waiting, outcome in zip(batch, outcomes, strict=True):
            try:
                waiting.done(outcome)
            except Exception as error:  # noqa: BLE001 # the others are told all the same
                self._complain("whoever waited for the store failed", error)
        try:
            if self.watch is not None:
                self.watch(batch, outcomes)
        except Exception as error:  # noqa: BLE001 # nobody depends on what is counted
            self._complain("whoever watches the store failed", error)

    def _complain(self, message: str, error: Exception) -> None:
        self._loop.call_exception_handler({"message": message, "exception": error})

    def hand_over(self) -> None:
        """Leave what has gathered to the thread, which is about to be closed."""
        gathered, self._gathered = self._gathered, []
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None
        if gathered:
            self._queue.put(gathered)

    def close(self) -> None:
        """Write what was handed over, then close the file. Blocks."""
        self._queue.put(None)
        self._working.join()

    # --- in the thread ---

    def _run(self) -> None:
        while (come := self._queue.get()) is not None:
            for start in range(0, len(come), MOST_JOBS):
                batch = come[start : start + MOST_JOBS]
                outcomes = self._write_patiently([waiting.job for waiting in batch])
                self._in_the_loop(partial(self._tell, batch, outcomes))
                del batch  # whoever is told last lets go of it all: the loop, if possible
            del come
            if self._unmoved >= MOVED:
                self._tidy()
            self._in_the_loop(self._thread_is_free)
        # What fails here is made up for by the next start.
        with suppress(sqlite3.Error):
            self._settle(self.tails.everything())
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()

    def _in_the_loop(self, call: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # a loop that was closed meanwhile has nobody to tell
            self._loop.call_soon_threadsafe(call)

    def _tidy(self) -> None:
        """Settle some of what has waited longest; when nothing has, move the write-ahead log.

        One piece after each commit until all is done, since the next commits wait for it. Nobody
        writes meanwhile, so that all of the write-ahead log is moved into the file and it begins
        anew; but what others still read stays for the next time.
        """
        try:
            overdue = self.tails.overdue()
            if overdue:
                self._settle(overdue)
                return
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        except Exception as error:  # noqa: BLE001 # it can wait, and the thread goes on
            self._spoilt = error  # nothing may be written into a transaction that was left open
        self._unmoved = 0

    def _write_patiently(self, jobs: list[Job]) -> list[Outcome]:
        """Write, and wait if another process has the file."""
        self._longest = 0.0
        self._be_patient(self._busy_ms)
        try:
            return self._write(jobs)
        except Exception as error:  # noqa: BLE001 # the thread outlives whatever happens
            self._spoilt = error
            return [translate(error) for _ in jobs]
        finally:
            self._be_patient(0)
            self._took(self._longest)

    def _be_patient(self, busy_ms: int) -> None:
        with suppress(sqlite3.Error):
            self._connection.execute(f"PRAGMA busy_timeout = {busy_ms}")

    def _write(self, jobs: list[Job]) -> list[Outcome]:
        """Write all at once; if one of them spoils that, one after the other."""
        if self._spoilt is not None:  # by the event loop, or by tidying up
            self._recover(self._spoilt)
            self._spoilt = None
        try:
            return self._at_once(jobs)
        except Exception as error:  # noqa: BLE001 # the thread outlives whatever one job brings
            self._recover(error)
            if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
                return [translate(error) for _ in jobs]  # again, each would wait just as long
        self.stats.retried += len(jobs)
        try:
            return self._commit(lambda: self._each_in_turn(jobs))
        except Exception as error:  # noqa: BLE001 # as above
            self._recover(error)
        return [self._alone(job) for job in jobs]

    def _at_once(self, jobs: list[Job]) -> list[Outcome]:
        """Write all in one transaction; after an error ``_recover`` has to follow."""
        plan = Plan()
        outcomes = [self._plan(plan, job) for job in jobs]
        if not plan.plain:
            return self._commit(lambda: self._carry_out(plan, outcomes))
        start = perf_counter()
        try:
            self._insert(plan)
        finally:
            self._longest = max(self._longest, perf_counter() - start)
        self.stats.transactions += 1
        self._remember(plan)
        self._committed()
        return outcomes

    def _commit(self, work: Callable[[], list[Outcome]]) -> list[Outcome]:
        """Do the work in one transaction."""
        start = perf_counter()
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            outcomes = work()
            self._connection.execute("COMMIT")
        finally:
            self._longest = max(self._longest, perf_counter() - start)
        self.stats.transactions += 1
        self._committed()
        return outcomes

    def _each_in_turn(self, jobs: list[Job]) -> list[Outcome]:
        self._forget_removed()
        return [self._in_turn(job) for job in jobs]

    def _in_turn(self, job: Job) -> Outcome:
        """Write one of several; if it fails, the others of the transaction stay."""
        connection = self._connection
        connection.execute("SAVEPOINT job")
        try:
            outcome = self._only(job)
        except Exception as error:
            if not connection.in_transaction:
                raise  # SQLite gave all of it up
            connection.execute("ROLLBACK TO job")
            outcome = self._explain(job, error)
        connection.execute("RELEASE job")
        return outcome

    def _alone(self, job: Job) -> Outcome:
        """Write one in a transaction of its own."""
        try:
            return self._commit(lambda: self._first(job))[0]
        except Exception as error:  # noqa: BLE001 # as above
            self._recover(error)
            return self._explain(job, error)

    def _first(self, job: Job) -> list[Outcome]:
        self._forget_removed()
        return [self._only(job)]

    def _only(self, job: Job) -> Outcome:
        """Plan one job, and write it if it can be written."""
        plan = Plan()
        (outcome,) = self._carry_out(plan, [self._plan(plan, job)])
        return outcome

    def _carry_out(self, plan: Plan, outcomes: list[Outcome]) -> list[Outcome]:
        """Write a plan with few statements."""
        connection = self._connection
        self._unmoved += PAGES * (len(plan.games) + len(plan.changes) + len(plan.serving))
        for pack in plan.packs:
            self._unmoved += len(pack.data)
            values = (pack.content_hash, pack.data)
            connection.execute("INSERT OR IGNORE INTO packs VALUES (?, ?)", values)
        for serving in plan.serving:
            connection.execute(
                "INSERT INTO uptimes VALUES (?, ?) "
                "ON CONFLICT DO UPDATE SET until_ms = excluded.until_ms",
                (serving.since_ms, serving.until_ms),
            )
        for game, game_id, change, secret in plan.games:
            index.insert(connection, game, game_id, change)
            connection.execute(
                "INSERT INTO secrets VALUES (?, ?, ?)", (game, secret.seed, secret.salt)
            )
        self._insert(plan)
        for game, change in plan.changes:
            index.update(connection, game, change)
        self._remember(plan)
        return outcomes

    def _insert(self, plan: Plan) -> None:
        """Entries and requests, in one statement unless there are very many."""
        if not (plan.added or plan.requests):
            return
        self._moment += 1  # one that is not committed after all leaves a gap
        asked = plan.requests or [_NOT_ASKED]
        data = plan.data()
        # The requests of a game are apart from those of another, so each has pages of its own.
        self._unmoved += len(data) + PAGES * (1 + len(plan.requests))
        values: list[Any] = [self._moment if data else None, data]
        for start in range(0, len(asked), MOST_ROWS):
            part = asked[start : start + MOST_ROWS]
            for number, request in enumerate(part):
                if start or number:
                    values += _NO_MOMENT
                values.append(self._prunings)
                values += request
            text = ", ".join([_COMMITTED_ROW] * len(part))
            self._connection.execute(f"INSERT INTO committed VALUES {text}", values)  # noqa: S608 # our own names
            values.clear()

    def _remember(self, plan: Plan) -> None:
        """Where logs end now; if the commit fails, that is forgotten again."""
        self._last_game += len(plan.games)
        if len(self._heads) > MOST_HEADS:
            self._heads.clear()
        self._heads |= plan.heads
        self._added += [(self._moment, added) for added in plan.added]

    def _committed(self) -> None:
        """What was remembered is so."""
        tails = self.tails
        for moment, added in self._added:
            first, last = added.first_seq, added.last_seq
            tails.add(added.game_id, added.game, moment, first, last, added.data)
        self._added.clear()

    def _settle(self, game_ids: list[str]) -> None:
        """Write tails into their logs; nothing else waits for it."""
        if not game_ids:
            return
        connection = self._connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            self.tails.settle(connection, game_ids, self._moment + 1)
            connection.execute("COMMIT")
        except Exception:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        self.tails.drop(game_ids)

    def _plan(self, plan: Plan, job: Job) -> Outcome:
        """Add the job to the plan, or say why not; what SQLite itself refuses comes later."""
        if isinstance(job, PutPack):
            plan.packs.append(job)
            return 0
        if isinstance(job, Serve):
            plan.serving.append(job)
            return 0
        if isinstance(job, Create):
            game_id = job.new.game_id
            if self._head(plan, game_id) is not None:
                if game_id not in plan.heads and not self._is_kept(game_id):
                    raise _Apart  # somebody has removed it: look again
                first = self._repeated(plan, job)
                return first or GameExists(f"the game {game_id} exists")
            head = Head(self._last_game + 1 + len(plan.games), 0)
            change = index.of_new(job.new, job.entries[0].marks)
            plan.games.append((head.game, game_id, change, job.secret))
            seq = plan.add(game_id, head, job.entries)
            if job.request is not None:
                plan.answer("", head.game, seq, job.request)
            return seq
        found = self._head(plan, job.game_id)
        if found is None:
            return NoSuchGame(f"there is no game {job.game_id}")
        if found.seq != job.expected_seq:
            first = self._repeated(plan, job)
            return first or Conflict(job.game_id, job.expected_seq, found.seq)
        seq = plan.add(job.game_id, found, job.entries)
        for request in job.requests:
            plan.answer(job.game_id, found.game, seq, request)
        return seq

    def _head(self, plan: Plan, game_id: str) -> Head | None:
        head = plan.heads.get(game_id) or self._heads.get(game_id)
        tail = self.tails.get(game_id)
        if head is None and tail is not None:
            head = Head(tail.game, tail.last_seq)
        elif head is None:
            row = self._connection.execute(
                "SELECT g.id, (SELECT max(l.last_seq) FROM logs l WHERE l.game = g.id) "
                "FROM games g WHERE g.game_id = ?",
                (game_id,),
            ).fetchone()
            head = Head(row[0], row[1] or 0) if row else None
        elif tail is not None and tail.last_seq > head.seq:
            raise _Apart  # what is remembered is not so: look again before anything is written
        return head

    def _is_kept(self, game_id: str) -> bool:
        """Whether the file has a game; what is remembered may have been removed since."""
        found = self._connection.execute("SELECT 1 FROM games WHERE game_id = ?", (game_id,))
        return found.fetchone() is not None

    def _explain(self, job: Job, error: Exception) -> StoreError:
        """Why a job could not be written."""
        if isinstance(error, sqlite3.IntegrityError) and not isinstance(job, PutPack | Serve):
            found = self._repeated(Plan(), job)
            if found is not None:
                return found
            missing = error.sqlite_errorcode == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY
            if missing and isinstance(job, Create):
                return NoSuchPack(f"the content pack {job.new.content_hash} is not kept")
        return translate(error)

    def _repeated(self, plan: Plan, job: Create | Append) -> Repeated | None:
        """The first answer to a request of the job, if one was given before."""
        if isinstance(job, Create):
            requests, scope = [job.request] if job.request else [], ""
        else:
            requests, scope = list(job.requests), job.game_id
        for request in requests:
            if (scope, request.caller, request.request_id) in plan.asked:
                raise _Apart
            first = find_request(self._connection, request.caller, request.request_id, scope)
            if first is not None:
                return Repeated(request.request_id, first)
        return None

    def _recover(self, error: Exception) -> None:
        """Back to the last commit, with nothing remembered that may not be so."""
        self._heads.clear()
        self._added.clear()
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            if not _nothing_was_written(error):
                self._look_again()
        except Exception:  # noqa: BLE001 # whatever it is
            with suppress(Exception):  # the next job tries again
                self._connection.close()
                self._connection = self._reopen()
                self._look_again()

    def _forget_removed(self) -> None:
        """Forget games that somebody has removed; inside a transaction, so that no more can go."""
        (prunings,) = self._connection.execute("SELECT count FROM prunings").fetchone()
        if prunings == self._prunings:
            return
        self._prunings = prunings
        left = {row[0] for row in self._connection.execute("SELECT game_id FROM games")}
        self.tails.drop([game_id for game_id in self.tails.everything() if game_id not in left])

    def _look_again(self) -> None:
        """What the file itself says of commits that are in no log yet."""
        (self._prunings,) = self._connection.execute("SELECT count FROM prunings").fetchone()
        (self._moment,) = self._connection.execute(
            "SELECT coalesce(max(id), 0) FROM moments"
        ).fetchone()
        self.tails = settling.load(self._connection)


def _nothing_was_written(error: Exception) -> bool:
    """Another process has the file; or a request was answered before, a pack or a game is missing.

    Then the file is sound, and what is committed is what it was.
    """
    if not isinstance(error, sqlite3.Error):
        return False
    code = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF == sqlite3.SQLITE_BUSY or code in (
        sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY,
        sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY,
        sqlite3.SQLITE_CONSTRAINT_UNIQUE,
        sqlite3.SQLITE_CONSTRAINT_TRIGGER,
    )


def find_request(
    connection: sqlite3.Connection, caller: bytes, request_id: str, game_id: str
) -> Answer | None:
    """The first answer to a request; without a game: to a request to create one."""
    row = connection.execute(
        "SELECT g.game_id, r.seq, r.answer FROM requests r JOIN games g ON g.id = r.game "
        "WHERE r.scope = coalesce((SELECT id FROM games WHERE game_id = ?), ?) "
        "AND r.caller = ? AND r.request_id = ?",
        (game_id, NOWHERE if game_id else TO_CREATE, caller, request_id),
    ).fetchone()
    return Answer(*row) if row else None
