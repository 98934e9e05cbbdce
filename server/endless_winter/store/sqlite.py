"""The store in one SQLite file. A commit is durable when it returns: SQLite calls fsync in it."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING, Concatenate, Final, ParamSpec, TypeVar

from endless_winter.store import reading, recovery, schema, wal, writing
from endless_winter.store.errors import StoreBusy, StoreClosed, StoreError
from endless_winter.store.lock import FileLock, identity
from endless_winter.store.records import Pulse
from endless_winter.store.resolving import became

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import Self

    from endless_winter.store.records import Append, Delivery, Uptime, Wake

P = ParamSpec("P")
T = TypeVar("T")

CHECKPOINT_BYTES: Final = 16 << 20
# How the write-ahead log grows, within a third from 1 to 256 appends of a commit: by pages that
# each commit writes, by those of each append, and by what is in its entries.
_COMMIT_BYTES: Final = 16 << 10
_APPEND_BYTES: Final = 4 << 10
# After one of these the last frame of a commit is not in the write-ahead log.
_NOT_WRITTEN: Final = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE}


def _method(
    function: Callable[Concatenate[sqlite3.Connection, P], T], *, write: bool = False
) -> Callable[Concatenate[SqlStore, P], T]:
    def method(store: SqlStore, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with store.connection(write=write) as connection:
            return function(connection, *args, **kwargs)

    return method


class SqlStore:
    """The methods of a ``Store`` that are SQL alone, on connections that a subclass provides."""

    shared = False
    remote = False

    def connection(self, *, write: bool = False) -> AbstractContextManager[sqlite3.Connection]:
        """One that reads, all of one commit; `write`: one that writes beside commits."""
        raise NotImplementedError

    heads = _method(reading.heads)
    load = _method(reading.load)
    read = _method(reading.read)
    list_games = _method(reading.list_games)
    find_request = _method(reading.find_request)
    get_pack = _method(reading.get_pack)
    list_packs = _method(reading.list_packs)
    uptimes = _method(reading.uptimes)
    remove = _method(writing.remove, write=True)
    erase = _method(writing.erase, write=True)

    resolve = became

    # One process serves it: it has no other nodes.

    def beat(self, node: str, version: str, *, draining: bool = False) -> Pulse:
        del version, draining
        return Pulse(time_ns() // 1_000_000, {node: 0})

    def deliver(self, deliveries: Sequence[Delivery]) -> None:
        """No timer is stored: all games with one are in memory."""

    def overdue(self, limit: int = 100) -> list[str]:
        del limit
        return []

    def notify(self, wake: Wake) -> None:
        """There is nobody to wake."""

    def listen(self, heard: Callable[[Wake], None]) -> None:
        """There is nobody to hear."""


class SqliteStore(SqlStore):
    """Logs in one file, served by one process; see ``Store`` for what each call does.

    One connection commits. Each thread that reads has a connection of its own. What another
    thread may do beside commits (``remove``, ``erase``, ``checkpoint``) opens one for the call.
    """

    def __init__(
        self, path: Path, lock: FileLock, reopen: Callable[[], sqlite3.Connection]
    ) -> None:
        self.path = path
        self.warnings: list[str] = []
        """What an operator should know of the file, found when it was opened."""
        self._lock = lock
        self._reopen = reopen
        self._wal = wal.wal_of(path)
        self._misplaced = False  # whether file or log were not in their place when last seen
        self._files = {path: identity(path)}
        self._writer: sqlite3.Connection | None = reopen()
        self._files[self._wal] = identity(self._wal)
        self._in_doubt = False  # whether a commit that failed may be in the write-ahead log
        self._local = threading.local()
        self._readers: list[sqlite3.Connection] = []
        self._written = 0  # bytes since the last checkpoint, about
        self._closed = False

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        synchronous: schema.Synchronous = "full",
    ) -> Self:
        """Open the file for serving, or make it. Raises a ``StoreError`` of one line.

        ``synchronous``: "full" survives the loss of power, "normal" the loss of the process,
        "off" promises nothing to speak of; the last two are for measuring and tests.
        """
        file = schema.resolve(Path(path))
        lock = FileLock(file)
        try:
            recovery.remove_leftovers(file)
            warning = recovery.check(file)
            store = cls(file, lock, lambda: schema.open_writer(file, synchronous))
        except OSError as error:
            lock.release()
            raise StoreError(f"cannot open the store {file}: {error.strerror}") from error
        except Exception:
            lock.release()
            raise
        if warning:
            store.warnings.append(warning)
        return store

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Move what is in the write-ahead log into the file, and let it go; twice is fine."""
        if self._closed:
            return
        self._closed = True
        for connection in self._readers:
            connection.close()
        if self._writer is not None:
            self._writer.close()  # the last one: SQLite empties the write-ahead log
        self._lock.release()

    def commit(
        self, appends: Sequence[Append], uptime: Uptime | None = None
    ) -> list[StoreError | None]:
        writer = self._writing()
        # Not with each commit: a stat gives up the interpreter's lock, and to wait for it again
        # costs as much as ten decisions (python -m tests.tools.two_servers).
        if uptime is not None or self._misplaced:
            self._check_place()
        self._written += _COMMIT_BYTES
        for append in appends:
            self._written += _APPEND_BYTES
            for entry in append.entries:
                self._written += len(entry.payload)
        try:
            return writing.commit(writer, appends, uptime)
        except sqlite3.Error as error:
            reported = schema.translate(error)
            if not isinstance(reported, StoreBusy):  # else nothing was begun
                self._writer = None
                self._in_doubt |= getattr(error, "sqlite_errorcode", 0) not in _NOT_WRITTEN
                del self._files[self._wal]  # removed with the last connection
                with suppress(sqlite3.Error):
                    writer.close()
            raise reported from error
        except BaseException:
            writer.rollback()
            raise

    def recover(self) -> bool:
        self._check_open()
        if self._writer is not None:
            return False  # nothing was written
        self._check_place()
        writer = self._reopen()
        try:
            if self._in_doubt:
                self._drop(writer)
        except (sqlite3.Error, OSError) as error:
            writer.close()
            raise schema.translate(error) from error
        self._files[self._wal] = identity(self._wal)
        self._in_doubt = False
        self._writer = writer
        return False

    def _drop(self, writer: sqlite3.Connection) -> None:
        """Drop a commit that SQLite does not see, but the next start would: its fsync failed.

        A commit of one page is written over its first frame, and the frames behind that one are
        removed, which would look like a damaged commit.
        """
        writer.execute(f"PRAGMA user_version = {schema.SCHEMA}")
        writer.execute("BEGIN IMMEDIATE")
        wal.cut(self._wal)
        writer.execute("ROLLBACK")

    def checkpoint(self) -> None:
        # A reader or a commit may be in the way. Then it is due again after as much once more.
        self._written = 0
        with self.connection(write=True) as connection:
            writing.checkpoint(connection)

    def checkpoint_due(self) -> bool:
        return self._written >= CHECKPOINT_BYTES

    @contextmanager
    def connection(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        self._check_open()
        try:
            if write:
                self._check_place()
                with closing(schema.connect(self.path, write=True)) as writer:
                    yield writer
                return
            reader = self._reader()
            reader.execute("BEGIN")
            try:
                yield reader
            finally:
                reader.rollback()
        except sqlite3.Error as error:
            raise schema.translate(error) from error
        except ValueError as error:  # a value that was never written
            raise schema.damaged(error) from error

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosed("the store is closed")

    def _check_place(self) -> None:
        """SQLite goes on with files that were renamed, and the next start would not find them."""
        self._misplaced = True
        for path, known in self._files.items():
            try:
                found = identity(path)
            except OSError:
                found = None
            if found != known:
                raise StoreError(
                    f"{path} was renamed, replaced or removed while it is served: put it back"
                )
        self._misplaced = False

    def _reader(self) -> sqlite3.Connection:
        """The connection that reads, of this thread."""
        reader: sqlite3.Connection | None = getattr(self._local, "reader", None)
        if reader is None:
            self._check_place()
            reader = self._local.reader = schema.connect(self.path, write=False)
            self._readers.append(reader)
        return reader

    def _writing(self) -> sqlite3.Connection:
        self._check_open()
        if self._writer is None:
            raise StoreError("the last commit failed; recover comes first")
        return self._writer
