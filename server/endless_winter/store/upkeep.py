"""What an operator does with a store, also beside a server: back up, prune, check."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager, suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.store import checks, lock, recovery, schema, writing
from endless_winter.store.errors import StoreError
from endless_winter.store.records import Status
from endless_winter.store.wal import wal_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GAMES_AT_ONCE: Final = 20  # of one transaction when pruning, so that a server waits little


class Contents(NamedTuple):
    """How much there is."""

    games: int
    entries: int


class Pruned(NamedTuple):
    """A game that was removed, or would be."""

    game_id: str
    ended_ms: int
    entries: int


@contextmanager
def opened(path: Path, *, write: bool = False) -> Iterator[sqlite3.Connection]:
    """A connection to a store that exists, as it is at one commit; errors as ``StoreError``."""
    file = schema.resolve(path)
    if not file.is_file():
        raise StoreError(f"there is no store {path}")
    try:
        lock.check_names(file)
        with lock.unserved(file) as free:
            if free:
                _check_log(file)
            elif not wal_of(file).exists():
                raise StoreError(
                    f"the store {path} is served, but has no write-ahead log beside it: if it was "
                    "renamed, give it its name back; if the server has just started, try again"
                )
        with closing(schema.connect(file, write=write)) as connection:
            if not write:
                connection.execute("BEGIN")
            yield connection
    except sqlite3.Error as error:
        raise schema.translate(error) from error
    except OSError as error:
        raise StoreError(f"cannot open the store {path}: {error.strerror}") from error


def _check_log(file: Path) -> None:
    """Refuse what a server refuses, where SQLite would drop commits without a word."""
    try:
        found = wal_of(file).stat()
    except FileNotFoundError:
        return
    _check_once(file, found.st_ino, found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=8)
def _check_once(file: Path, *state: int) -> None:
    """To read a log takes time, and it is asked for each of many games."""
    del state
    recovery.check(file)


def contents(path: Path) -> Contents:
    """Count what a store holds."""
    with opened(path) as connection:
        counts = "SELECT (SELECT count(*) FROM games), (SELECT count(*) FROM entries)"
        return Contents(*connection.execute(counts).fetchone())


def backup(path: Path, target: Path) -> Contents:
    """Copy a store as it is at one commit, check the copy, and only then give it its name."""
    if target.exists():
        raise StoreError(f"{target} exists already; a backup does not overwrite")
    part = target.with_name(target.name + ".part")
    with opened(path) as source:
        source.rollback()  # SQLite's own copying has a transaction of its own
        _forget(part)
        schema.create_private(part)
        try:
            with closing(sqlite3.connect(part, isolation_level=None)) as copy:
                source.backup(copy)  # all pages in one go: one commit, and writers are not held up
                copy.execute("PRAGMA journal_mode = DELETE")  # one file, nothing beside it
            wrong = next(problems(part), None)
            if wrong is not None:
                raise StoreError(f"the copy of {path} is not sound: {wrong}")
            copied = contents(part)
            schema.fsync(part)
            part.rename(target)
            schema.fsync(target.parent)
        except OSError as error:
            raise StoreError(f"cannot write {target}: {error.strerror}") from error
        finally:
            _forget(part)
    return copied


def _forget(part: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        with suppress(FileNotFoundError, NotADirectoryError):
            part.with_name(part.name + ending).unlink()


def prunable(path: Path, ended_before_ms: int) -> tuple[list[Pruned], int]:
    """The ended games from before a time, oldest first, and how many of that age are sealed."""
    with opened(path) as connection:
        found = connection.execute(
            "SELECT sealed, game_id, ended_ms, (SELECT count(*) FROM entries WHERE game = games.id)"
            " FROM games WHERE status = ? AND ended_ms < ? ORDER BY ended_ms, id",
            (int(Status.ENDED), ended_before_ms),
        ).fetchall()
    old = [Pruned(*row) for sealed, *row in found if not sealed]
    return old, len(found) - len(old)


def prune(path: Path, games: list[Pruned]) -> None:
    """Remove games with all that belongs to them; content packs stay."""
    with opened(path, write=True) as connection:
        for start in range(0, len(games), GAMES_AT_ONCE):
            some = games[start : start + GAMES_AT_ONCE]
            writing.remove(connection, [game.game_id for game in some])
        writing.checkpoint(connection)


def erase(path: Path, client: bytes) -> int:
    """Erase a person; see ``Store``. A server goes on showing the names that it has in memory."""
    with opened(path, write=True) as connection:
        return writing.erase(connection, client)


def problems(path: Path) -> Iterator[str]:
    """Everything that is wrong with a store, a line each; an unreadable one raises instead."""
    with opened(path) as connection:
        yield from checks.problems(connection)
