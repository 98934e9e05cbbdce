"""The store in one SQLite file."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, NamedTuple, ParamSpec, TypeVar

from endless_winter.store import index, listing, schema, tail
from endless_winter.store.errors import StoreClosed, StoreError, translate
from endless_winter.store.intake import Intake
from endless_winter.store.lease import Lease
from endless_winter.store.records import UNFINISHED, Answer, Logged, Page, Query, Secret
from endless_winter.store.tables import Create, PutPack, Stats, Tables, find_request
from endless_winter.store.tail import Append, Tail
from endless_winter.store.writer import Writer

if TYPE_CHECKING:
    import os
    from collections.abc import AsyncIterator, Callable, Sequence
    from typing import Self

    from endless_winter.store.records import Entry, Header, NewGame, Request
    from endless_winter.store.tables import Job, Outcome

P = ParamSpec("P")
T = TypeVar("T")

READERS = 2
PAGE = 500


class SqliteStore:
    """Logs in one file, served by one process; see ``Store`` for what each call does.

    Choices are made safe in the tail, beside the file, and carried into the tables by the thread
    that writes everything else; a few threads read, each on its own connection. Whoever reads
    sees what is in the tables and what is safe. No call blocks the event loop for long.
    """

    def __init__(self, path: Path, lease: Lease, tables: Tables, intake: Intake) -> None:
        self.path = path
        self._lease = lease
        self._tables = tables
        self._intake = intake
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="store-reader")
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._closed = False

    @classmethod
    async def open(
        cls,
        path: str | os.PathLike[str],
        *,
        synchronous: schema.Synchronous = "full",
        busy_ms: int = schema.BUSY_MS,
    ) -> Self:
        """Open the file for serving, or make it. Raises a ``StoreError`` of one line.

        ``synchronous``: "full" survives the loss of power, "normal" the loss of the process,
        "off" promises nothing to speak of; the last two are for measuring and tests.
        """
        loop = asyncio.get_running_loop()
        return await asyncio.to_thread(cls._open, Path(path), synchronous, busy_ms, loop)

    @classmethod
    def _open(
        cls,
        path: Path,
        synchronous: schema.Synchronous,
        busy_ms: int,
        loop: asyncio.AbstractEventLoop,
    ) -> Self:
        schema.make_private(path)
        lease = Lease(path)
        reopen = partial(schema.open_writer, path, synchronous=synchronous, busy_ms=busy_ms)
        try:
            tables = Tables(reopen(), reopen)
            tables.recover(tail.read(path))
            tail.remove(tail.names(path))
            writer = Writer(tables, loop)
            intake = Intake(writer, Tail(path), loop, flushes=synchronous == "full")
            return cls(path, lease, tables, intake)
        except OSError as error:
            lease.release()
            raise StoreError(f"cannot open the store {path}: {error.strerror}") from error
        except Exception:
            lease.release()
            raise

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *args: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Write what is queued, then let the file go."""
        if self._closed:
            return
        self._closed = True
        await self._intake.finish()
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self._readers.shutdown()
        for connection in self._connections:
            connection.close()
        self._intake.close()
        self._lease.release()

    @property
    def stats(self) -> Stats:
        """What the writer has done so far."""
        return self._tables.stats

    def watch(self, watcher: Callable[[Job, float, Outcome], None]) -> None:
        """Have every job told when it is over, with the seconds it took and what came of it."""
        self._intake.watch = watcher

    @property
    def waiting(self) -> int:
        """How many calls wait until what they write is safe."""
        return self._intake.waiting

    async def create_game(
        self,
        new: NewGame,
        secret: Secret,
        entries: Sequence[Entry],
        *,
        request: Request | None = None,
    ) -> int:
        _at_least_one(entries)
        return await self._submit(Create(new, secret, entries, request))

    def append(
        self,
        game_id: str,
        expected_seq: int,
        entries: Sequence[Entry],
        *,
        requests: Sequence[Request] = (),
    ) -> asyncio.Future[int]:
        _at_least_one(entries)
        return self._submit(Append(game_id, expected_seq, entries, requests))

    def append_soon(
        self,
        game_id: str,
        expected_seq: int,
        entries: Sequence[Entry],
        requests: Sequence[Request],
        done: Callable[[Outcome], None],
    ) -> None:
        _at_least_one(entries)
        self._check_open()
        self._intake.submit(Append(game_id, expected_seq, entries, requests), done)

    async def put_pack(self, content_hash: str, data: bytes) -> None:
        await self._submit(PutPack(content_hash, data))

    async def read(self, game_id: str, after_seq: int = 0, limit: int = 1000) -> list[Logged]:
        pending = self._intake.pending(game_id)  # first: what is settled meanwhile is read twice
        found = await self._reading(_read, game_id, after_seq, limit)
        end = found[-1].seq if found else after_seq
        if not pending or len(found) == limit:
            return found
        return (found + [one for one in _logged(pending) if one.seq > end])[:limit]

    async def get_game(self, game_id: str) -> Header | None:
        pending = self._intake.pending(game_id)
        found = await self._reading(_get_game, game_id)
        return found if found is None else _at_its_end(found, pending)

    async def get_secret(self, game_id: str) -> Secret | None:
        return await self._reading(_get_secret, game_id)

    async def list_games(self, query: Query, *, limit: int = 100, token: str = "") -> Page:
        page = await self._reading(listing.list_games, query, max(1, limit), token)
        games = [_at_its_end(game, self._intake.pending(game.game_id)) for game in page.games]
        return Page(tuple(games), page.next_token)

    async def unfinished(self) -> AsyncIterator[Header]:
        query = Query(everything=True, statuses=UNFINISHED)
        token = ""
        while True:
            page = await self.list_games(query, limit=PAGE, token=token)
            for game in page.games:
                yield game
            token = page.next_token
            if not token:
                return

    async def find_request(
        self, caller: bytes, request_id: str, game_id: str = ""
    ) -> Answer | None:
        pending = self._intake.pending(game_id)
        found = await self._reading(find_request, caller, request_id, game_id)
        return found or _answered(pending, caller, request_id)

    async def get_pack(self, content_hash: str) -> bytes | None:
        return await self._reading(_get_pack, content_hash)

    async def list_packs(self) -> list[str]:
        return await self._reading(_list_packs)

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosed("the store is closed")

    def _submit(self, job: Job) -> asyncio.Future[int]:
        self._check_open()
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def done(outcome: Outcome) -> None:
            if future.done():
                return  # its task was cancelled
            if isinstance(outcome, StoreError):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)

        self._intake.submit(job, done)
        return future

    async def _reading(
        self,
        function: Callable[Concatenate[sqlite3.Connection, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run a reading function on a thread and connection of its own."""
        self._check_open()

        def call() -> T:
            try:
                return function(self._reader(), *args, **kwargs)
            except StoreError:
                raise
            except sqlite3.Error as error:
                raise translate(error) from error

        return await asyncio.get_running_loop().run_in_executor(self._readers, call)

    def _reader(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = schema.connect(self.path, write=False)
            self._local.connection = connection
            self._connections.append(connection)
        return connection


def _at_least_one(entries: Sequence[Entry]) -> None:
    if not entries:
        raise ValueError("there is nothing to append")


def _logged(pending: list[Append]) -> list[Logged]:
    return [
        Logged(job.expected_seq + at, *entry[:6])
        for job in pending
        for at, entry in enumerate(job.entries, 1)
    ]


def _answered(pending: list[Append], caller: bytes, request_id: str) -> Answer | None:
    for job in pending:
        for request in job.requests:
            if (request.caller, request.request_id) == (caller, request_id):
                return Answer(job.game_id, job.expected_seq + len(job.entries), request.answer)
    return None


def _at_its_end(game: Header, pending: list[Append]) -> Header:
    """A game with what is safe and not yet in the tables."""
    if not pending:
        return game
    end = pending[-1].expected_seq + len(pending[-1].entries)
    return replace(game, last_seq=max(game.last_seq, end))


def _read(connection: sqlite3.Connection, game_id: str, after_seq: int, limit: int) -> list[Logged]:
    rows = connection.execute(
        "SELECT seq, kind, at_ms, payload, private, events, position_hash FROM entries "
        "WHERE game = (SELECT id FROM games WHERE game_id = ?) AND seq > ? ORDER BY seq LIMIT ?",
        (game_id, after_seq, limit),
    ).fetchall()
    return [Logged(*row) for row in rows]


def _get_game(connection: sqlite3.Connection, game_id: str) -> Header | None:
    row = connection.execute(f"{index.SELECT} WHERE g.game_id = ?", (game_id,)).fetchone()
    return index.header(row) if row else None


def _get_secret(connection: sqlite3.Connection, game_id: str) -> Secret | None:
    row = connection.execute(
        "SELECT seed, salt FROM secrets WHERE game = (SELECT id FROM games WHERE game_id = ?)",
        (game_id,),
    ).fetchone()
    return Secret(*row) if row else None


def _get_pack(connection: sqlite3.Connection, content_hash: str) -> bytes | None:
    row = connection.execute("SELECT data FROM packs WHERE hash = ?", (content_hash,)).fetchone()
    return bytes(row[0]) if row else None


def _list_packs(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("SELECT hash FROM packs ORDER BY hash").fetchall()
    return [str(row[0]) for row in rows]


class Kept(NamedTuple):
    """One game with its whole log."""

    header: Header
    secret: Secret
    entries: list[Logged]


def read_game(path: Path, game_id: str) -> Kept | None:
    """A game straight from the file, as it is at one moment, also while a server uses it."""
    try:
        with closing(schema.connect(path, write=False)) as connection:
            # What is safe first, then the tables: what is carried over meanwhile is there twice.
            pending = [job for job in tail.read(path) if job.game_id == game_id]
            connection.execute("BEGIN")
            header = _get_game(connection, game_id)
            secret = _get_secret(connection, game_id)
            if header is None or secret is None:
                return None
            entries = _read(connection, game_id, 0, -1)
            entries += [one for one in _logged(pending) if one.seq > entries[-1].seq]
            return Kept(_at_its_end(header, pending), secret, entries)
    except sqlite3.Error as error:
        raise translate(error) from error
