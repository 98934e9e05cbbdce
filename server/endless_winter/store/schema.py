"""The file itself: permissions, connections, and the numbered migrations."""

from __future__ import annotations

import os
import sqlite3
import time
from importlib import resources
from typing import TYPE_CHECKING, Literal

from endless_winter.store import rows
from endless_winter.store.errors import StoreDamaged, StoreError, StoreTooNew, translate

if TYPE_CHECKING:
    from pathlib import Path

Synchronous = Literal["full", "normal", "off"]
APPLICATION_ID = 0x45577374
OLDEST_SQLITE = (3, 37)  # strict tables
BUSY_MS = 10_000
MOMENTS = 2  # the step since which a log is values of many entries
_SCARCE = 16  # times the room that is asked for
_CACHED = 4 << 20  # octets that SQLite may keep in memory

# Of the first octets of every SQLite file: what it begins with, who it is for, how it is written.
_HEADER = 100
_MAGIC = b"SQLite format 3\0"
_MARK_AT = 68
_KIND_AT = 18
_HAS_LOG = 2


def migrations() -> list[tuple[int, str]]:
    """Number and SQL of each step, in order."""
    folder = resources.files("endless_winter.store") / "migrations"
    found = [
        (int(file.name.partition("_")[0]), file.read_text(encoding="utf-8"))
        for file in folder.iterdir()
        if file.name.endswith(".sql")
    ]
    return sorted(found)


def newest() -> int:
    return migrations()[-1][0]


def make_private(path: Path) -> None:
    """Create the file for its owner alone, or take it from everyone else.

    A file that exists is not opened: closing it again would drop the locks that SQLite holds on
    it in this process.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            flush(path.parent)
        elif path.stat().st_mode & 0o077:
            look_at(path)
            path.chmod(0o600)
    except FileExistsError as error:
        raise StoreError(f"cannot open the store {path}: {path.parent} is no folder") from error
    except OSError as error:
        raise StoreError(f"cannot open the store {path}: {error.strerror}") from error


def real(path: Path) -> Path:
    """The file itself, behind links."""
    try:
        found = path.resolve()
        found.exists()  # a name that no file can have
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise StoreError(f"cannot open the store {path}: {why}") from error
    return found


def look_at(path: Path) -> None:
    """Refuse what is plainly no store before anything about it is changed; SQLite says the rest.

    Not by SQLite, which makes files beside it, with the rights that this one has now. Not while
    this process has a connection to it: to close the file would drop SQLite's locks.
    """
    if not path.is_file():
        raise StoreError(f"there is no store {path}")
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER)
    except OSError as error:
        raise StoreError(f"cannot open the store {path}: {error.strerror}") from error
    if head and not head.startswith(_MAGIC):
        raise StoreDamaged(f"{path} is not a store: file is not a database")
    if len(head) < _HEADER:
        return
    mark = int.from_bytes(head[_MARK_AT : _MARK_AT + 4], "big")
    # A new store may have its mark in the write-ahead log still.
    if mark != APPLICATION_ID and (mark or head[_KIND_AT] != _HAS_LOG):
        raise StoreDamaged(f"{path} is not a store but some other SQLite file")


def flush(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def connect(path: Path, *, write: bool, busy_ms: int = BUSY_MS) -> sqlite3.Connection:
    """A connection in autocommit mode; the file must exist."""
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise StoreError(f"SQLite 3.37 or newer is needed; this is {sqlite3.sqlite_version}")
    if not path.is_file():
        raise StoreError(f"there is no store {path}")
    mode = "rw" if write else "ro"
    try:
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=busy_ms / 1000,
            isolation_level=None,
            check_same_thread=False,  # each is used by one thread at a time, and closed by another
            cached_statements=256,
        )
    except sqlite3.Error as error:
        raise StoreError(f"cannot open the store {path}: {error}") from error
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        _recognise(connection, path)
    except Exception:
        connection.close()
        raise
    return connection


def _recognise(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse in one line what is no store, or one that we do not know yet."""
    try:
        (mark,) = connection.execute("PRAGMA application_id").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        version = schema_version(connection) if mark == APPLICATION_ID else 0
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_NOTADB:
            raise StoreDamaged(f"{path} is not a store: {error}") from error
        if code == sqlite3.SQLITE_CORRUPT:
            raise StoreDamaged(f"the store {path} is damaged: {error}") from error
        raise StoreError(f"cannot read the store {path}: {error}") from error
    if tables and mark != APPLICATION_ID:
        raise StoreDamaged(f"{path} is not a store but some other SQLite file")
    if version > newest():
        raise StoreTooNew(
            f"the store {path} has schema {version}, and this program knows up to {newest()}; "
            "use a newer one"
        )


def schema_version(connection: sqlite3.Connection) -> int:
    (found,) = connection.execute("SELECT max(version) FROM schema_version").fetchone()
    return int(found or 0)


def open_writer(
    path: Path, *, synchronous: Synchronous = "full", busy_ms: int = BUSY_MS
) -> sqlite3.Connection:
    """The connection that writes: brings the file up to date, sets how it commits.

    The file must exist, and be private: a server opens it anew while it has other connections, and
    then ``make_private`` could drop their locks.
    """
    connection = connect(path, write=True, busy_ms=busy_ms)
    try:
        (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        connection.execute(f"PRAGMA synchronous = {synchronous.upper()}")
        migrate(connection)
        # A commit would now and then do this too, whoever waits for it (see the writer).
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        # What is settled is in the file once more: to write zeros where it was would hide nothing.
        connection.execute("PRAGMA secure_delete = OFF")
    except sqlite3.Error as error:
        connection.close()
        raise translate(error) from error
    if mode != "wal":
        connection.close()
        raise StoreError(f"the store {path} lies where SQLite cannot keep a write-ahead log")
    return connection


def open_mover(path: Path) -> sqlite3.Connection:
    """A connection beside the one that writes, which only moves the write-ahead log."""
    connection = connect(path, write=True)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    return connection


def make_room(connection: sqlite3.Connection, path: Path, octets: int) -> None:
    """Let the write-ahead log be so long before it is needed.

    To flush a file that has grown, the disk also writes down how long it is: a commit into a log
    that has its room takes two thirds of the time. What is written here is taken back, but its
    place stays. Where room is scarce, or somebody else is writing, the log grows as it is written.
    """
    free = os.statvfs(path)
    if free.f_bavail * free.f_frsize < _SCARCE * octets:
        return
    (patience,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        # What a killed server left goes into the file first, and its place is used again.
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        connection.execute("BEGIN IMMEDIATE")
        # More than fits into SQLite's cache, which is never written.
        connection.execute("INSERT INTO moments VALUES (-1, zeroblob(?))", (octets + _CACHED,))
    finally:
        if connection.in_transaction:  # a full disk may have ended it
            connection.execute("ROLLBACK")
        connection.execute(f"PRAGMA busy_timeout = {patience}")
    flush(write_ahead_log(path))


def write_ahead_log(path: Path) -> Path:
    """The file that commits go to first."""
    real = path.resolve()
    return real.with_name(real.name + "-wal")


def migrate(connection: sqlite3.Connection) -> None:
    """Run the steps that the file has not seen, each in a transaction of its own."""
    connection.execute(
        "CREATE TABLE IF NOT EXISTS schema_version "
        "(version INTEGER PRIMARY KEY, applied_ms INTEGER NOT NULL) STRICT"
    )
    known = schema_version(connection)
    for version, sql in migrations():
        if version <= known:
            continue
        now = time.time_ns() // 1_000_000
        note = f"INSERT INTO schema_version VALUES ({version}, {now})"  # noqa: S608 # two numbers
        try:
            connection.executescript(f"BEGIN IMMEDIATE;\n{sql}")
            if version == MOMENTS:
                _gather_entries(connection)
            connection.execute(note)
            connection.execute("COMMIT")
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def _gather_entries(connection: sqlite3.Connection) -> None:
    """The part of step 2 that SQL cannot do: logs of one row for each entry become one value."""
    games = connection.execute("SELECT DISTINCT game FROM entries ORDER BY game").fetchall()
    for (game,) in games:
        found = connection.execute(
            "SELECT game, seq, kind, at_ms, payload, private, events, position_hash, "
            "coalesce(marks, '') FROM entries WHERE game = ? ORDER BY seq",
            (game,),
        ).fetchall()
        entries = [rows.Row(*values) for values in found]
        data = b"".join(map(rows.repack, entries))
        connection.execute(
            "INSERT INTO logs VALUES (?, ?, ?, ?)", (game, entries[0].seq, entries[-1].seq, data)
        )
    connection.execute("DROP TABLE entries")
