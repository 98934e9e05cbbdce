"""Commits of a store: jobs are planned in Python and written in one transaction.

What is written nearly always, entries of games that go on and the requests that led to them, is
one value of one statement (rows.py), which is its own transaction. They find their way into the
logs, and into the table of requests, later (settling.py).
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from endless_winter.store import flushing, index, rows, settling
from endless_winter.store.errors import (
    Conflict,
    GameExists,
    NoSuchGame,
    NoSuchPack,
    Repeated,
    StoreError,
    translate,
)
from endless_winter.store.flushing import Flusher
from endless_winter.store.jobs import MARK, Added, Append, Create, Head, PutPack, Serve, mark_of
from endless_winter.store.plan import TO_CREATE, Plan
from endless_winter.store.records import Answer
from endless_winter.store.settling import Tails

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from endless_winter.store.jobs import Job, Outcome

MOST_HEADS = 100_000  # games whose last number is remembered
MOST_MARKS = 1_000_000  # and so many of their requests
PAGES = 8 << 10  # octets of the write-ahead log that a commit takes beside what is in it, about
NOWHERE = -1  # the scope of requests of a game that there is not


@dataclass(slots=True)
class Stats:
    """What the writer has done, for metrics and tests."""

    transactions: int = 0
    jobs: int = 0
    largest_batch: int = 0
    retried: int = 0
    """Jobs that were written one after the other, because one of their batch spoilt the rest."""


# Games that somebody removed since the writer looked may be among those that it remembers, so it
# says when that was.
_MOMENT = "INSERT INTO moments SELECT ?, ? WHERE (SELECT count FROM prunings WHERE id = 1) = ?"


class _Apart(Exception):
    """A request is answered twice in one batch, say: its jobs have to be written in turn."""


class _Twice(_Apart):
    """The same request is planned twice; or a mark is one of nothing that was committed."""


class Commits:
    """Owns the writing connection. ``reopen`` makes a new one when the old one is beyond help.

    One thread at a time uses it.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        reopen: Callable[[], sqlite3.Connection],
        log: Path | None,
    ) -> None:
        """`log` is the file of the write-ahead log, if commits are to survive the loss of power."""
        self.stats = Stats()
        self.unmoved = 0
        """Octets of the write-ahead log, about."""
        self.longest = 0.0
        """Seconds of the attempt that took longest, among those for one batch."""
        self.lost: Callable[[Exception], None] = flushing.lost
        """Called when the disk did not keep what was written; it does not return."""
        self.flusher: Flusher | None = None
        self.unflushed = False
        """Something is committed that the disk need not have yet: ``flusher`` is to be asked."""
        self._connection = connection
        self._reopen = reopen
        self._log = log
        self._careful = True  # a commit waits for the disk, if commits shall
        self._open_log()
        self._heads: dict[str, Head] = {}
        self._marks = 0  # of requests, in all heads
        self._tails = Tails()
        self._added: list[tuple[int, list[Added]]] = []  # what the transaction under way adds
        self._in_turns = False  # its jobs are written one after the other
        self._unfiled: list[tuple[int, list[Added]]] = []  # committed, and not in a tail yet
        (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM games").fetchone()
        # A number is not given twice: moments may still have entries of games that were removed.
        self._last_game = max(last, settling.newest_game(connection))
        (self._busy_ms,) = connection.execute("PRAGMA busy_timeout").fetchone()
        self._prunings = 0  # how often games had been removed when it was last asked
        self._moment = 0  # the number of the last commit
        self._look_again()
        with suppress(sqlite3.Error):  # a full disk is no reason not to start
            self.settle(self.tails.everything())  # what a predecessor left
        self._be_patient(0)

    @property
    def tails(self) -> Tails:
        """Committed entries that are in no log yet.

        Whoever commits may look, and the event loop: while a thread commits, nothing is unfiled.
        """
        if self._unfiled:
            self.file()
        return self._tails

    def _open_log(self) -> None:
        if self.flusher is not None:
            self.flusher.close()
            self.flusher = None
        self._careful = True
        if self._log is not None:
            with suppress(OSError):  # then SQLite itself waits for the disk
                self.flusher = Flusher(self._log)

    def close(self) -> None:
        """Settle and move what can be, and close the file; the next start makes up for the rest."""
        with suppress(sqlite3.Error):
            self.settle(self.tails.everything())
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()
        if self.flusher is not None:
            self.flusher.close()

    def move(self) -> None:
        """Move the write-ahead log into the file, so that it begins anew.

        Nobody writes meanwhile; but what others still read stays for the next time.
        """
        self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        self.unmoved = 0

    def patiently(self, jobs: list[Job], spoilt: Exception | None) -> list[Outcome]:
        """Write, and wait if another process has the file; `spoilt` is what went wrong before."""
        self._be_patient(self._busy_ms)
        try:
            return self._write(jobs, spoilt)
        finally:
            self._be_patient(0)

    def _be_patient(self, busy_ms: int) -> None:
        with suppress(sqlite3.Error):
            self._connection.execute(f"PRAGMA busy_timeout = {busy_ms}")

    def _be_careful(self, *, careful: bool) -> None:
        """Whether a commit waits for the disk, or somebody else asks for that afterwards."""
        if self.flusher is not None and careful != self._careful:
            how = "FULL" if careful else "NORMAL"
            self._connection.execute(f"PRAGMA synchronous = {how}")
            self._careful = careful

    def _write(self, jobs: list[Job], spoilt: Exception | None) -> list[Outcome]:
        """Write all at once; if one of them spoils that, one after the other."""
        if spoilt is not None:
            self._recover(spoilt)
        try:
            return self.at_once(jobs, careful=True)
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

    def at_once(self, jobs: list[Job], *, careful: bool) -> list[Outcome]:
        """Write all in one transaction; after an error the next who writes says that it was so.

        Unless it is `careful`, the disk may have yet to be asked (``unflushed``).
        """
        self.file()
        self._in_turns = False
        plan = Plan()
        if len(self._heads) > MOST_HEADS or self._marks > MOST_MARKS:
            self._forget_heads()
        outcomes = [self._plan(plan, job) for job in jobs]
        if not plan.plain:
            return self._commit(lambda: self._carry_out(plan, outcomes), careful=careful)
        start = perf_counter()
        try:
            self._be_careful(careful=careful)
            self._insert(plan)
        finally:
            self.longest = max(self.longest, perf_counter() - start)
        self.unflushed = not self._careful
        self.stats.transactions += 1
        self._remember(plan)
        self._committed(careful=careful)
        return outcomes

    def _commit(self, work: Callable[[], list[Outcome]], *, careful: bool = True) -> list[Outcome]:
        """Do the work in one transaction."""
        start = perf_counter()
        try:
            self._be_careful(careful=careful)
            self._connection.execute("BEGIN IMMEDIATE")
            outcomes = work()
            self._connection.execute("COMMIT")
        finally:
            self.longest = max(self.longest, perf_counter() - start)
        self.unflushed = not self._careful
        self.stats.transactions += 1
        self._committed(careful=careful)
        return outcomes

    def _each_in_turn(self, jobs: list[Job]) -> list[Outcome]:
        self._forget_removed()
        self._in_turns = True
        return [self._in_turn(job) for job in jobs]

    def _in_turn(self, job: Job) -> Outcome:
        """Write one of several; if it fails, the others of the transaction stay."""
        connection = self._connection
        connection.execute("SAVEPOINT job")
        head = self._heads.get(job.game_id) if isinstance(job, Append) else None
        seq = head.seq if head is not None else 0
        try:
            outcome = self._only(job)
        except Exception as error:
            if not connection.in_transaction:
                raise  # SQLite gave all of it up
            connection.execute("ROLLBACK TO job")
            if head is not None:
                head.seq = seq
            elif isinstance(job, Append | Create):
                self._heads.pop(job.game_id, None)
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
        self._in_turns = True
        return [self._only(job)]

    def _only(self, job: Job) -> Outcome:
        """Plan one job, and write it if it can be written."""
        plan = Plan()
        (outcome,) = self._carry_out(plan, [self._plan(plan, job)])
        return outcome

    def _carry_out(self, plan: Plan, outcomes: list[Outcome]) -> list[Outcome]:
        """Write a plan with few statements."""
        connection = self._connection
        self.unmoved += PAGES * (len(plan.games) + len(plan.changes) + len(plan.serving))
        for pack in plan.packs:
            self.unmoved += len(pack.data)
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
        """Entries and requests in one statement; those that create games have one each."""
        if not plan.added:
            return
        self._moment += 1  # one that is not committed after all leaves a gap
        data = plan.data()
        self.unmoved += len(data) + PAGES * (1 + len(plan.requests))
        given = (self._moment, data, self._prunings)
        if self._connection.execute(_MOMENT, given).rowcount != 1:
            raise _Apart  # somebody has removed games: look again
        for request in plan.requests:
            self._connection.execute("INSERT INTO requests VALUES (?, ?, ?, ?, ?, ?)", request)

    def _remember(self, plan: Plan) -> None:
        """Where logs end now; if the commit fails, that is forgotten again."""
        self._last_game += len(plan.games)
        if plan.added:
            self._added.append((self._moment, plan.added))

    def _committed(self, *, careful: bool) -> None:
        """What was remembered is so. The event loop, which is in a hurry, files it later."""
        if careful:
            self._file(self._added)
        else:
            self._unfiled += self._added
        self._added.clear()

    def file(self) -> None:
        """Add to the tails what the loop has committed: before the next commit at the latest."""
        if self._unfiled:
            self._file(self._unfiled)
            self._unfiled.clear()

    def _file(self, committed: list[tuple[int, list[Added]]]) -> None:
        tails = self._tails
        for moment, several in committed:
            for added in several:
                tails.add(moment, added)

    def settle(self, game_ids: list[str]) -> None:
        """Write tails into their logs.

        The disk is not asked for that: if it is lost, what was settled is still where it was.
        """
        if not game_ids:
            return
        connection = self._connection
        try:
            self._be_careful(careful=False)
            connection.execute("BEGIN IMMEDIATE")
            octets = self.tails.settle(connection, game_ids, self._moment + 1)
            connection.execute("COMMIT")
        except Exception:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        self.tails.drop(game_ids)
        # Each game has pages of its own, in the logs and among the requests.
        self.unmoved += 2 * octets + PAGES * len(game_ids)

    def prepare(self, job: Append) -> None:
        """Pack an ordinary choice while it is at hand: until there is a plan, it gets cold.

        May be called while a thread commits: it looks only for the number of the game.
        """
        head = self._heads.get(job.game_id)
        if head is None or len(job.entries) != 1 or job.entries[0].marks is not None:
            return
        seq = job.expected_seq + 1
        try:
            row = rows.pack(head.game, seq, job.entries[0])
            asked = [rows.pack_request(head.game, seq, request) for request in job.requests]
        except Exception:  # noqa: BLE001 # whoever plans it finds that too, and tells
            return
        job.added = Added(job.game_id, head.game, seq, seq, row, b"".join(asked))

    def _plan(self, plan: Plan, job: Job) -> Outcome:
        """Add the job to the plan, or say why not; what SQLite itself refuses comes later."""
        if isinstance(job, Append):  # as nearly all are
            found = self._head(job.game_id)
            if found is None:
                return NoSuchGame(f"there is no game {job.game_id}")
            if job.requests:
                first = self._repeated(found, job)
                if first is not None:
                    return first
            if found.seq != job.expected_seq:
                return Conflict(job.game_id, job.expected_seq, found.seq)
            added = job.added
            if added is not None and added.game == found.game:
                seq = plan.add_packed(found, added)
            else:
                seq = plan.add(job.game_id, found, job.entries, job.requests)
            if job.requests:
                assert found.asked is not None  # somebody has just looked there
                for request in job.requests:
                    found.asked += mark_of(request.caller, request.request_id)
                self._marks += len(job.requests)
            return seq
        if isinstance(job, Create):
            game_id = job.new.game_id
            if self._head(game_id) is not None:
                if game_id not in plan.created and not self._is_kept(game_id):
                    raise _Apart  # somebody has removed it: look again
                first = self._created_before(plan, job)
                return first or GameExists(f"the game {game_id} exists")
            head = self._heads[game_id] = Head(self._last_game + 1 + len(plan.games), 0)
            head.asked = bytearray()
            plan.created.add(game_id)
            change = index.of_new(job.new, job.entries[0].marks)
            plan.games.append((head.game, game_id, change, job.secret))
            seq = plan.add(game_id, head, job.entries, ())
            if job.request is not None:
                plan.answer(head.game, seq, job.request)
            return seq
        if isinstance(job, PutPack):
            plan.packs.append(job)
        else:
            plan.serving.append(job)
        return 0

    def _forget_heads(self) -> None:
        """They are looked up again."""
        self._heads.clear()
        self._marks = 0

    def _head(self, game_id: str) -> Head | None:
        """Where a log ends, with what is planned."""
        head = self._heads.get(game_id)
        tail = self._tails.get(game_id)
        if head is not None:
            if tail is not None and tail.last_seq > head.seq:
                raise _Apart  # what is remembered is not so: look again before anything is written
            return head
        if tail is not None:
            head = Head(tail.game, tail.last_seq)
        else:
            row = self._connection.execute(
                "SELECT g.id, (SELECT max(l.last_seq) FROM logs l WHERE l.game = g.id) "
                "FROM games g WHERE g.game_id = ?",
                (game_id,),
            ).fetchone()
            if row is None:
                return None
            head = Head(row[0], row[1] or 0)
        self._heads[game_id] = head
        return head

    def _is_kept(self, game_id: str) -> bool:
        """Whether the file has a game; what is remembered may have been removed since."""
        found = self._connection.execute("SELECT 1 FROM games WHERE game_id = ?", (game_id,))
        return found.fetchone() is not None

    def _explain(self, job: Job, error: Exception) -> StoreError:
        """Why a job could not be written."""
        if isinstance(error, sqlite3.IntegrityError) and not isinstance(job, PutPack | Serve):
            found = self._created_before(Plan(), job) if isinstance(job, Create) else None
            if found is not None:
                return found
            missing = error.sqlite_errorcode == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY
            if missing and isinstance(job, Create):
                return NoSuchPack(f"the content pack {job.new.content_hash} is not kept")
        return translate(error)

    def _repeated(self, head: Head, job: Append) -> Repeated | None:
        """The first answer to a request of the job, if one was given before."""
        if head.asked is None:
            head.asked = self._asked_before(head.game, job.game_id)
            self._marks += len(head.asked) // MARK
        for caller, request_id, _ in job.requests:
            if not head.knows(mark_of(caller, request_id)):
                continue
            first = self._first_answer(job.game_id, caller, request_id)
            if first is not None:
                return Repeated(request_id, first)
            if not self._in_turns:
                raise _Twice
        return None

    def _asked_before(self, game: int, game_id: str) -> bytearray:
        """The marks of all requests of a game."""
        asked = bytearray()
        for caller, request_id in self._connection.execute(
            "SELECT caller, request_id FROM requests WHERE scope = ?", (game,)
        ):
            asked += mark_of(caller, request_id)
        tail = self._tails.get(game_id)
        if tail is not None:
            for caller, request_id, _, _ in tail.requests():
                asked += mark_of(caller, request_id)
        return asked

    def _first_answer(self, game_id: str, caller: bytes, request_id: str) -> Answer | None:
        """Wherever it stands: in this transaction, in a tail, in the file."""
        under_way = Tails()
        for moment, several in self._added:
            for added in several:
                if added.game_id == game_id and added.asked:
                    under_way.add(moment, added)
        for tails in (under_way, self._tails):
            first = tails.find_request(game_id, caller, request_id)
            if first is not None:
                return first
        return find_request(self._connection, caller, request_id, game_id)

    def _created_before(self, plan: Plan, job: Create) -> Repeated | None:
        """The first answer to a request to create a game, if one was given before."""
        request = job.request
        if request is None:
            return None
        if (request.caller, request.request_id) in plan.asked:
            raise _Apart
        first = find_request(self._connection, request.caller, request.request_id, "")
        return Repeated(request.request_id, first) if first is not None else None

    def _recover(self, error: Exception) -> None:
        """Back to the last commit, with nothing remembered that may not be so."""
        if flushing.failed(error):
            self.lost(error)
        self._forget_heads()
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
                self._open_log()  # which may be another file now
                self._look_again()

    def _forget_removed(self) -> None:
        """Forget games that somebody has removed; inside a transaction, so that no more can go."""
        (prunings,) = self._connection.execute("SELECT count FROM prunings").fetchone()
        if prunings == self._prunings:
            return
        self._prunings = prunings
        self._forget_heads()
        left = {row[0] for row in self._connection.execute("SELECT game_id FROM games")}
        self.tails.drop([game_id for game_id in self.tails.everything() if game_id not in left])

    def _look_again(self) -> None:
        """What the file itself says of commits that are in no log yet."""
        (self._prunings,) = self._connection.execute("SELECT count FROM prunings").fetchone()
        (self._moment,) = self._connection.execute(
            "SELECT coalesce(max(id), 0) FROM moments"
        ).fetchone()
        self._unfiled.clear()  # it is in the file
        self._tails = settling.load(self._connection)


def _nothing_was_written(error: Exception) -> bool:
    """Another process has the file; a request came before, or twice; a pack or a game is missing.

    Then the file is sound, and what is committed is what it was.
    """
    if isinstance(error, _Twice):
        return True
    if not isinstance(error, sqlite3.Error):
        return False
    code = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF == sqlite3.SQLITE_BUSY or code in (
        sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY,
        sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY,
        sqlite3.SQLITE_CONSTRAINT_UNIQUE,
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
