"""The one thread that writes, with group commit.

Callers put jobs into a queue. The thread takes whatever has come together while it was busy, plans
it in Python, writes it in one transaction, and answers all callers when that is committed. Few
statements matter more than they cost: SQLite's module lets go of the interpreter lock at each, and
gets it back only when a busy event loop yields. So what is written nearly always, entries of games
that go on and the requests that led to them, is one statement: it is its own transaction. The
entries are one value of it (rows.py), and find their way into the logs later (settling.py).
"""

from __future__ import annotations

import queue
import sqlite3
import threading
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from endless_winter.store import index, rows, settling
from endless_winter.store.errors import (
    Conflict,
    GameExists,
    NoSuchGame,
    NoSuchPack,
    Repeated,
    StoreError,
    translate,
)
from endless_winter.store.jobs import Append, Create, Head, PutPack, Waiting
from endless_winter.store.records import Answer
from endless_winter.store.settling import Tails

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Sequence

    from endless_winter.store.jobs import Job, Outcome
    from endless_winter.store.records import Entry, Request, Secret

MOST_JOBS = 512  # of one transaction, so that the first of them does not wait for ever
MOST_ROWS = 64  # of one statement; each number of rows is a prepared statement of its own
MOST_HEADS = 100_000  # games whose last number is remembered
LONGEST_WAIT = 0.002  # seconds that a commit waits while more comes with every turn of the loop
TO_CREATE = 0  # the scope of requests that create a game
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


class _Added(NamedTuple):
    """Entries of one game, as they go into a moment and a tail."""

    game_id: str
    game: int
    last_seq: int
    packed: list[bytes]


class _Plan:
    """The rows of a transaction, in the order in which they can be written."""

    def __init__(self) -> None:
        self.packs: list[PutPack] = []
        self.games: list[tuple[int, str, index.Change, Secret]] = []
        self.added: list[_Added] = []
        self.requests: list[tuple[Any, ...]] = []
        self.changes: list[tuple[int, index.Change]] = []
        self.heads: dict[str, Head] = {}
        """Where logs end after this."""
        self.asked: set[tuple[str, bytes, str]] = set()
        """The requests that this answers: game id or nothing, caller, request id."""

    def add(self, game_id: str, head: Head, entries: Sequence[Entry]) -> int:
        """Number the entries after the head; the first entry of a game has its change already."""
        game, seq = head
        packed = []
        for entry in entries:
            seq += 1
            text = ""
            if seq == 1:
                text = index.to_text(self.games[-1][2])
            elif entry.marks is not None:
                change = index.of_marks(entry.marks)
                text = index.to_text(change)
                self.changes.append((game, change))
            packed.append(rows.pack(game, seq, entry, text))
        self.added.append(_Added(game_id, game, seq, packed))
        self.heads[game_id] = Head(game, seq)
        return seq

    def answer(self, scope: str, game: int, seq: int, request: Request) -> None:
        """Keep the first answer to a request of a game, or without scope to create one."""
        caller, request_id, answer = request.caller, request.request_id, request.answer
        self.asked.add((scope, caller, request_id))
        self.requests.append((game if scope else TO_CREATE, caller, request_id, game, seq, answer))

    @property
    def plain(self) -> bool:
        """Whether one statement can write it all."""
        return not (self.packs or self.games or self.changes) and len(self.requests) <= MOST_ROWS

    def data(self) -> bytes:
        """What goes into the moment."""
        return b"".join([row for added in self.added for row in added.packed])


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
        self.watch: Callable[[Job, float, Outcome], None] | None = None
        """Told of each job when it is over, in the event loop: seconds, and what came of it."""
        self.tails = Tails()
        """Committed entries that are in no log yet. Other threads may look."""
        self._connection = connection
        self._reopen = reopen
        self._loop = loop
        self._heads: dict[str, Head] = {}
        self._added: list[tuple[int, _Added]] = []  # what the transaction under way adds to tails
        (self._last_game,) = connection.execute("SELECT coalesce(max(id), 0) FROM games").fetchone()
        self._prunings = 0  # how often games had been removed when it was last asked
        self._moment = 0  # the number of the last commit
        self._look_again()
        with suppress(sqlite3.Error):  # a full disk is no reason not to start
            self._settle(self.tails.everything())  # what a predecessor left
        self._gathered: list[Waiting] = []
        self._open = 0
        self._committing = False  # something was handed over and is not delivered yet
        self._soon: asyncio.Handle | None = None  # the next look at what has gathered
        self._seen = 0  # what had gathered when that was planned
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
        self._look_soon()

    def _look_soon(self) -> None:
        if self._soon is None and not self._committing:
            self._seen = len(self._gathered)
            self._soon = self._loop.call_soon(self._look)

    def _look(self) -> None:
        """Commit what has gathered, unless more of it comes with every turn of the loop.

        A commit costs about as much for one as for many, and a loop that is this busy has other
        things to do meanwhile. Somebody alone never waits.
        """
        self._soon = None
        gathered = self._gathered
        more = len(gathered) > self._seen
        if more and perf_counter() - gathered[0].since < LONGEST_WAIT:
            self._look_soon()
        else:
            self.hand_over()

    def hand_over(self) -> None:
        """Give the thread what has gathered: one commit. Called in the event loop."""
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None
        gathered, self._gathered = self._gathered, []
        if gathered:
            self._committing = True
            self._queue.put(gathered)

    def _deliver(self, batch: list[Waiting], outcomes: list[Outcome], *, last: bool) -> None:
        """Tell the callers."""
        self._open -= len(batch)
        for (job, done, since), outcome in zip(batch, outcomes, strict=True):
            try:
                if self.watch is not None:
                    self.watch(job, perf_counter() - since, outcome)
                done(outcome)
            except Exception as error:  # noqa: BLE001 # the others are told all the same
                self._loop.call_exception_handler(
                    {"message": "whoever waited for the store failed", "exception": error}
                )
        if last:
            self._committing = False
            if self._gathered:
                self._look_soon()

    def close(self) -> None:
        """Write what was handed over, then close the file. Blocks."""
        self._queue.put(None)
        self._working.join()

    # --- in the thread ---

    def _run(self) -> None:
        while (come := self._queue.get()) is not None:
            for start in range(0, len(come), MOST_JOBS):
                batch = come[start : start + MOST_JOBS]
                outcomes = self._write([waiting.job for waiting in batch])
                last = start + MOST_JOBS >= len(come)
                deliver = partial(self._deliver, batch, outcomes, last=last)
                with suppress(RuntimeError):  # a loop that was closed meanwhile has nobody to tell
                    self._loop.call_soon_threadsafe(deliver)
                del batch, deliver  # whoever is told last lets go of it all: the loop, if possible
            del come
        # What fails here is made up for by the next start.
        with suppress(sqlite3.Error):
            self._settle(self.tails.everything())
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()

    def _write(self, jobs: list[Job]) -> list[Outcome]:
        """Write all at once; if one of them spoils that, one after the other."""
        self.stats.largest_batch = max(self.stats.largest_batch, len(jobs))
        self.stats.jobs += len(jobs)
        overdue = self.tails.overdue()
        try:
            plan = _Plan()
            outcomes = [self._plan(plan, job) for job in jobs]
            if plan.plain and not overdue:
                self._insert(plan)
                self.stats.transactions += 1
                self._remember(plan)
                self._committed()
                return outcomes
            return self._commit(lambda: self._carry_out(plan, outcomes, overdue), overdue)
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

    def _commit(
        self, work: Callable[[], list[Outcome]], settled: Sequence[str] = ()
    ) -> list[Outcome]:
        """Do the work in one transaction."""
        self._connection.execute("BEGIN IMMEDIATE")
        outcomes = work()
        self._connection.execute("COMMIT")
        self.stats.transactions += 1
        self._committed(settled)
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
        plan = _Plan()
        (outcome,) = self._carry_out(plan, [self._plan(plan, job)])
        return outcome

    def _carry_out(
        self, plan: _Plan, outcomes: list[Outcome], overdue: list[str] | None = None
    ) -> list[Outcome]:
        """Write a plan with few statements."""
        connection = self._connection
        for content_hash, data in plan.packs:
            connection.execute("INSERT OR IGNORE INTO packs VALUES (?, ?)", (content_hash, data))
        for game, game_id, change, secret in plan.games:
            index.insert(connection, game, game_id, change)
            connection.execute(
                "INSERT INTO secrets VALUES (?, ?, ?)", (game, secret.seed, secret.salt)
            )
        self._insert(plan)
        for game, change in plan.changes:
            index.update(connection, game, change)
        if overdue:
            self.tails.settle(connection, overdue, self._moment)
        self._remember(plan)
        return outcomes

    def _insert(self, plan: _Plan) -> None:
        """Entries and requests, in one statement unless there are very many."""
        if not (plan.added or plan.requests):
            return
        self._moment += 1  # one that is not committed after all leaves a gap
        asked = plan.requests or [_NOT_ASKED]
        values: list[Any] = [self._moment, plan.data()]
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

    def _remember(self, plan: _Plan) -> None:
        """Where logs end now; if the commit fails, that is forgotten again."""
        self._last_game += len(plan.games)
        if len(self._heads) > MOST_HEADS:
            self._heads.clear()
        self._heads |= plan.heads
        self._added += [(self._moment, added) for added in plan.added]

    def _committed(self, settled: Sequence[str] = ()) -> None:
        """What was remembered is so."""
        tails = self.tails
        tails.drop(settled)
        for moment, added in self._added:
            tails.add(added.game_id, added.game, moment, added.last_seq, added.packed)
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
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        self.tails.drop(game_ids)

    def _plan(self, plan: _Plan, job: Job) -> Outcome:
        """Add the job to the plan, or say why not; what SQLite itself refuses comes later."""
        if isinstance(job, PutPack):
            plan.packs.append(job)
            return 0
        if isinstance(job, Create):
            game_id = job.new.game_id
            if self._head(plan, game_id) is not None:
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

    def _head(self, plan: _Plan, game_id: str) -> Head | None:
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

    def _explain(self, job: Job, error: Exception) -> StoreError:
        """Why a job could not be written."""
        if isinstance(error, sqlite3.IntegrityError) and not isinstance(job, PutPack):
            found = self._repeated(_Plan(), job)
            if found is not None:
                return found
            missing = error.sqlite_errorcode == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY
            if missing and isinstance(job, Create):
                return NoSuchPack(f"the content pack {job.new.content_hash} is not kept")
        return translate(error)

    def _repeated(self, plan: _Plan, job: Create | Append) -> Repeated | None:
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
            if not _refused_by_a_table(error):
                self._look_again()
        except (sqlite3.Error, StoreError):
            with suppress(sqlite3.Error, StoreError):  # the next job tries again
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


def _refused_by_a_table(error: Exception) -> bool:
    """A request that was answered before, a pack that is missing, games that were removed.

    Then the file is sound, and what is committed is what it was.
    """
    return isinstance(error, sqlite3.IntegrityError) and error.sqlite_errorcode in (
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
