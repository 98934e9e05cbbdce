"""The file: permissions, connections, what it says when it is no store, and its tables."""

from __future__ import annotations

import os
import sqlite3
from functools import partial
from hashlib import blake2b
from importlib import resources
from typing import TYPE_CHECKING, Any, Final, Literal

from endless_winter.store.errors import StoreBusy, StoreDamaged, StoreError, StoreFull, StoreTooNew

if TYPE_CHECKING:
    from pathlib import Path

Synchronous = Literal["full", "normal", "off"]
APPLICATION_ID: Final = 0x45577374
SCHEMA: Final = 1
_BUSY_MS: Final = 10_000
_OLDEST_SQLITE: Final = (3, 37)  # strict tables
_WAL_LIMIT: Final = 64 << 20  # bytes that stay of a log that had to grow

# Of the first bytes of every SQLite file: what it begins with, who it is for, how it is written.
HEADER: Final = 100
_MAGIC: Final = b"SQLite format 3\0"
_APPLICATION_AT: Final = 68
_FORMAT_AT: Final = 18
_IN_WAL_MODE: Final = 2

_DAMAGED: Final = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


COLUMNS: Final = {
    "packs": ("hash", "data"),
    "games": (
        *("game_id", "created_ms", "rules_version", "content_hash", "config", "commitment"),
        *("creator", "listed", "seats", "rivers", "solo", "title", "tournament_id", "status"),
        *("started_ms", "ended_ms", "open_seats", "sealed", "summary"),
    ),
    "tags": ("game", "tag"),
    "requests": ("scope", "caller", "request_id", "game", "seq", "digest", "answer"),
    "people": ("game", "player_id", "client", "display_name"),
    "seats": ("game", "seat", "player_id"),
    "private_parts": ("game", "seq", "data"),
    "uptimes": ("since_ms", "until_ms"),
}
"""What a hash covers. For `game` it is the id of the game, and for `scope` too (or empty)."""


def row_hash(table: str, *values: Any) -> bytes:
    """Of the values of a row, in the order of `COLUMNS` and of the types that SQLite gives."""
    return blake2b(ascii(values).encode(), digest_size=8, person=table.encode()).digest()


def translate(error: Exception) -> StoreError:
    """What SQLite reports, as one of ours."""
    if isinstance(error, StoreError):
        return error
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without the extended part
    if code == sqlite3.SQLITE_FULL:
        return StoreFull(f"the store is full ({error})")
    if code in _DAMAGED:
        return damaged(error)
    if code == sqlite3.SQLITE_BUSY:
        return StoreBusy(f"another process writes to the store ({error})")
    return StoreError(f"the store failed ({error or type(error).__name__})")


def damaged(error: Exception) -> StoreDamaged:
    """What cannot be read."""
    return StoreDamaged(f"the store is damaged ({error}); 'ew store check' says more")


def resolve(path: Path) -> Path:
    """The file itself, behind links."""
    try:
        found = path.resolve()
        found.exists()  # a name that no file can have
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise StoreError(f"cannot open the store {path}: {why}") from error
    return found


def create_private(path: Path) -> None:
    """Create an empty file for its owner alone, and its folder; one that exists stays."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            fsync(path.parent)
    except FileExistsError as error:
        raise StoreError(f"cannot open the store {path}: {path.parent} is no folder") from error
    except OSError as error:
        raise StoreError(f"cannot open the store {path}: {error.strerror}") from error


def look_at(path: Path, head: bytes) -> None:
    """Refuse what is plainly no store, by the start of its file; SQLite says the rest.

    SQLite itself would make files beside it, with the rights that this one has now.
    """
    if head and not head.startswith(_MAGIC):
        raise StoreDamaged(f"{path} is not a store: file is not a database")
    if len(head) < HEADER:
        return
    mark = int.from_bytes(head[_APPLICATION_AT : _APPLICATION_AT + 4], "big")
    # Of a store that was killed as it was made, the mark is in the write-ahead log still.
    if mark != APPLICATION_ID and (mark or not is_in_wal_mode(head)):
        raise StoreDamaged(f"{path} is not a store but some other SQLite file")


def is_in_wal_mode(head: bytes) -> bool:
    """Whether a file that starts so has a write-ahead log."""
    return len(head) == HEADER and head[_FORMAT_AT] == _IN_WAL_MODE


def fsync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def connect(path: Path, *, write: bool) -> sqlite3.Connection:
    """A connection in autocommit mode to a file that exists. Raises a ``StoreError``."""
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise StoreError(f"SQLite 3.37 or newer is needed; this is {sqlite3.sqlite_version}")
    if not path.is_file():
        raise StoreError(f"there is no store {path}")
    mode = "rw" if write else "ro"
    try:
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=_BUSY_MS / 1000,
            isolation_level=None,
            check_same_thread=False,  # each is used by one thread at a time, and closed by another
        )
    except sqlite3.Error as error:
        raise StoreError(f"cannot open the store {path}: {error}") from error
    # A flipped bit may leave text that is none: that must differ, not fail.
    connection.text_factory = partial(str, encoding="utf-8", errors="backslashreplace")
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA wal_autocheckpoint = 0")  # not inside a commit
        _recognise(connection, path, empty_is_fine=write)
    except Exception:
        connection.close()
        raise
    return connection


def _recognise(connection: sqlite3.Connection, path: Path, *, empty_is_fine: bool) -> None:
    """Refuse in one line what is no store, or none that this program knows."""
    try:
        (mark,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except UnicodeDecodeError as error:  # SQLite quotes damaged text in its message
        raise StoreDamaged(f"the store {path} is damaged: {error}") from error
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_NOTADB:
            raise StoreDamaged(f"{path} is not a store: {error}") from error
        if code == sqlite3.SQLITE_CORRUPT:
            raise StoreDamaged(f"the store {path} is damaged: {error}") from error
        raise StoreError(f"cannot read the store {path}: {error}") from error
    if not tables and empty_is_fine:
        return
    if mark != APPLICATION_ID:
        raise StoreDamaged(f"{path} is not a store but some other SQLite file")
    if version != SCHEMA:
        newer = version > SCHEMA
        raise (StoreTooNew if newer else StoreDamaged)(
            f"the store {path} has schema {version}, and this program knows {SCHEMA}; "
            f"use {'a newer' if newer else 'an older'} one"
        )


def tables() -> str:
    """The SQL that makes a new store."""
    file = resources.files("endless_winter.store") / "schema.sql"
    return file.read_text(encoding="utf-8")


def open_writer(path: Path, synchronous: Synchronous) -> sqlite3.Connection:
    """The connection that commits; makes the tables of a new store.

    It does not wait for another process that writes: it may be used in an event loop.
    """
    connection = connect(path, write=True)
    try:
        (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        connection.execute(f"PRAGMA synchronous = {synchronous.upper()}")
        connection.execute(f"PRAGMA journal_size_limit = {_WAL_LIMIT}")
        if not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            connection.executescript(f"BEGIN IMMEDIATE;\n{tables()}\nCOMMIT;")
            # The tables are never only in the log, where one flipped bit makes all unreadable.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA busy_timeout = 0")
    except sqlite3.Error as error:
        connection.close()
        raise translate(error) from error
    if mode != "wal":
        connection.close()
        raise StoreError(f"the store {path} lies where SQLite cannot keep a write-ahead log")
    return connection
