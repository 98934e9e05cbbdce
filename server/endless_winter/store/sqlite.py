"""The store in one SQLite file."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, NamedTuple, ParamSpec, TypeVar

from endless_winter.store import index, listing, rows, schema, settling
from endless_winter.store.commits import Commits, find_request
from endless_winter.store.errors import StoreClosed, StoreError, translate
from endless_winter.store.jobs import Create, PutPack, Serve
from endless_winter.store.lease import Lease
from endless_winter.store.records import UNFINISHED, Logged, Page, Query, Secret
from endless_winter.store.writer import MOVED, Writer

if TYPE_CHECKING:
    import os
    from collections.abc import AsyncIterator, Callable, Sequence
    from typing import Self

    from endless_winter.store.commits import Stats
    from endless_winter.store.jobs import Job, Outcome
    from endless_winter.store.records import Answer, Entry, Header, NewGame, Request
    from endless_winter.store.settling import Tail

P = ParamSpec("P")
T = TypeVar("T")

READERS = 2
PAGE = 500


class SqliteStore:
    """Logs in one file, served by one process; see ``Store`` for what each call does.

    Whatever has come together is committed together, in the event loop where that takes a moment,
    else in a thread; a few threads read, each on its own connection, and see what is committed.
    """

    def __init__(self, path: Path, lease: Lease, writer: Writer) -> None:
        self.path = path
        self._lease = lease
        self._writer = writer
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="store-reader")
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._closed = False
        # What every choice passes is the writer's own, with no call in between.
        self.append_soon = writer.append
        self.flush = writer.flush
        self.kept = writer.kept

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
        path = schema.real(path)  # one server for a file, whatever it is called
        if not path.exists():
            schema.make_private(path)
        lease = Lease(path)
        try:
            schema.look_at(path)
            schema.make_private(path)
        except Exception:
            lease.release(remove=lease.made)
            raise
        reopen = partial(schema.open_writer, path, synchronous=synchronous, busy_ms=busy_ms)
        try:
            connection = reopen()
            if synchronous == "full":
                with suppress(sqlite3.Error, OSError):  # it is quicker with it, and works without
                    schema.make_room(connection, path, MOVED)
                if connection.in_transaction:  # nothing may be committed into that
                    connection.close()
                    connection = reopen()
            log = schema.write_ahead_log(path) if synchronous == "full" else None
            mover = partial(schema.open_mover, path)
            return cls(path, lease, Writer(Commits(connection, reopen, log), mover, loop))
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
        self._writer.hand_over()  # here, and not beside the event loop that may be about to do it
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self._readers.shutdown()
        for connection in self._connections:
            connection.close()
        self._writer.close()
        self._lease.release()

    @property
    def stats(self) -> Stats:
        """What the writer has done so far."""
        return self._writer.stats

    def watch(self, watcher: Callable[[list[Job], list[Outcome], float], None]) -> None:
        """Have jobs told, those of a commit together, what came of them, and when they were over.

        Some time after that: whoever waited for them goes first. The time is `perf_counter`'s.
        """
        self._writer.watch = watcher

    @property
    def waiting(self) -> int:
        """How many calls wait for the writer."""
        return self._writer.waiting

    async def create_game(
        self,
        new: NewGame,
        secret: Secret,
        entries: Sequence[Entry],
        *,
        request: Request | None = None,
    ) -> int:
        if not entries:
            raise ValueError("there is nothing to append: a game begins with an entry")
        future, done = self._expected()
        self._writer.submit(Create(new, secret, entries, request, done))
        return await future

    def append(
        self,
        game_id: str,
        expected_seq: int,
        entries: Sequence[Entry],
        *,
        requests: Sequence[Request] = (),
    ) -> asyncio.Future[int]:
        future, done = self._expected()
        self._writer.append(game_id, expected_seq, entries, requests, done)
        return future

    async def put_pack(self, content_hash: str, data: bytes) -> None:
        future, done = self._expected()
        self._writer.submit(PutPack(content_hash, data, done))
        await future

    async def read(self, game_id: str, after_seq: int = 0, limit: int = 1000) -> list[Logged]:
        # Looked at before the file: what is settled in between is then found there.
        tail = self._writer.commits.tails.get(game_id)
        newest = bytes(tail.data) if tail is not None else b""
        return await self._reading(_read, game_id, after_seq, limit, newest)

    async def get_game(self, game_id: str) -> Header | None:
        # As in `read`: a tail that is settled meanwhile is no longer there afterwards.
        tail = self._writer.commits.tails.get(game_id)
        header = await self._reading(_get_game, game_id)
        return _with_tail(header, tail) if header is not None else None

    async def get_secret(self, game_id: str) -> Secret | None:
        return await self._reading(_get_secret, game_id)

    async def list_games(self, query: Query, *, limit: int = 100, token: str = "") -> Page:
        tails = self._writer.commits.tails.now()
        page = await self._reading(listing.list_games, query, max(1, limit), token)
        games = tuple(_with_tail(header, tails.get(header.game_id)) for header in page.games)
        return replace(page, games=games)

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

    async def removals(self) -> int:
        return await self._reading(_removals)

    async def find_request(
        self, caller: bytes, request_id: str, game_id: str = ""
    ) -> Answer | None:
        # As in `read`: one that is settled meanwhile is found in the file.
        first = self._writer.commits.tails.find_request(game_id, caller, request_id)
        if first is not None:
            return first
        return await self._reading(find_request, caller, request_id, game_id)

    async def get_pack(self, content_hash: str) -> bytes | None:
        return await self._reading(_get_pack, content_hash)

    async def list_packs(self) -> list[str]:
        return await self._reading(_list_packs)

    async def serving(self, since_ms: int, until_ms: int) -> None:
        future, done = self._expected()
        self._writer.submit(Serve(since_ms, until_ms, done))
        await future

    async def uptimes(self) -> list[tuple[int, int]]:
        return await self._reading(_uptimes)

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosed("the store is closed")

    def _expected(self) -> tuple[asyncio.Future[int], Callable[[Outcome], None]]:
        """What a caller waits for, and how it comes."""
        self._check_open()
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def done(outcome: Outcome) -> None:
            if future.done():
                return  # its task was cancelled
            if isinstance(outcome, StoreError):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)

        return future, done

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


def _with_tail(header: Header, tail: Tail | None) -> Header:
    """The index knows only where the settled part of a log ends."""
    if tail is None or tail.last_seq <= header.last_seq:
        return header
    return replace(header, last_seq=tail.last_seq)


def _read(
    connection: sqlite3.Connection, game_id: str, after_seq: int, limit: int, tail: bytes
) -> list[Logged]:
    """A log after a number; `tail` is what was in no part of it yet when the caller looked."""
    row = connection.execute("SELECT id FROM games WHERE game_id = ?", (game_id,)).fetchone()
    if row is None:
        return []
    settled = settling.read(connection, row[0], after_seq)
    found = [logged(one) for one in islice(settled, limit)]
    newest = found[-1].seq if found else after_seq
    newer = rows.after(rows.unpack(tail), newest)
    return found + [logged(one) for one in islice(newer, max(limit - len(found), 0))]


def logged(row: rows.Row) -> Logged:
    return Logged(
        row.seq,
        row.kind,
        row.at_ms,
        row.payload,
        row.private,
        row.events,
        row.position_hash,
    )


def _get_game(connection: sqlite3.Connection, game_id: str) -> Header | None:
    row = connection.execute(f"{index.SELECT} WHERE g.game_id = ?", (game_id,)).fetchone()
    return index.header(row) if row else None


def _get_secret(connection: sqlite3.Connection, game_id: str) -> Secret | None:
    row = connection.execute(
        "SELECT seed, salt FROM secrets WHERE game = (SELECT id FROM games WHERE game_id = ?)",
        (game_id,),
    ).fetchone()
    return Secret(*row) if row else None


def _removals(connection: sqlite3.Connection) -> int:
    (count,) = connection.execute("SELECT count FROM prunings").fetchone()
    return int(count)


def _get_pack(connection: sqlite3.Connection, content_hash: str) -> bytes | None:
    row = connection.execute("SELECT data FROM packs WHERE hash = ?", (content_hash,)).fetchone()
    return bytes(row[0]) if row else None


def _list_packs(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("SELECT hash FROM packs ORDER BY hash").fetchall()
    return [str(row[0]) for row in rows]


def _uptimes(connection: sqlite3.Connection) -> list[tuple[int, int]]:
    return connection.execute("SELECT since_ms, until_ms FROM uptimes ORDER BY since_ms").fetchall()


class Kept(NamedTuple):
    """One game with its whole log."""

    header: Header
    secret: Secret
    entries: list[Logged]


def read_game(path: Path, game_id: str) -> Kept | None:
    """A game straight from the file, as it is at one moment, also while a server uses it."""
    try:
        with closing(schema.connect(path, write=False)) as connection:
            connection.execute("BEGIN")
            row = connection.execute(f"{index.SELECT} WHERE g.game_id = ?", (game_id,)).fetchone()
            secret = _get_secret(connection, game_id)
            if row is None or secret is None:
                return None
            entries = [logged(one) for one in settling.whole(connection, row[0])]
            header = replace(index.header(row), last_seq=entries[-1].seq if entries else 0)
            return Kept(header, secret, entries)
    except sqlite3.Error as error:
        raise translate(error) from error
