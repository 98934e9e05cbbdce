"""What an operator does with a store, also while it is served: back up, prune, check."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING, NamedTuple

from endless_winter.store import index, schema, settling
from endless_winter.store.errors import StoreDamaged, StoreError, translate
from endless_winter.store.records import Status

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from endless_winter.store.rows import Row

GAMES_AT_ONCE = 20  # of one transaction when pruning, so that a server in between waits little


class Contents(NamedTuple):
    """How much there is."""

    games: int
    entries: int


class Pruned(NamedTuple):
    """A game that was removed, or would be."""

    game_id: str
    ended_ms: int
    entries: int


def contents(path: Path) -> Contents:
    """Count what a store holds."""
    with closing(_open(path)) as connection:
        connection.execute("BEGIN")  # one moment of it
        return _contents(connection)


def backup(path: Path, target: Path) -> Contents:
    """Copy a store as it is at one moment, check the copy, and only then give it its name."""
    if target.exists():
        raise StoreError(f"{target} exists already; a backup does not overwrite")
    part = target.with_name(target.name + ".part")
    with closing(_open(path)) as source:
        _forget(part)
        schema.make_private(part)
        try:
            with closing(sqlite3.connect(part, isolation_level=None)) as copy:
                source.backup(copy)  # all pages in one go: one moment, and writers are not held up
                copy.execute("PRAGMA journal_mode = DELETE")  # one file, nothing beside it
            wrong = next(problems(part), None)
            if wrong is not None:
                raise StoreError(f"the copy of {path} is not sound: {wrong}")
            copied = contents(part)
            schema.flush(part)
            part.rename(target)
            schema.flush(target.parent)
        except sqlite3.Error as error:
            raise translate(error) from error
        except OSError as error:
            raise StoreError(f"cannot write {target}: {error.strerror}") from error
        finally:
            _forget(part)
    return copied


def _forget(part: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        with suppress(FileNotFoundError, NotADirectoryError):
            part.with_name(part.name + ending).unlink()


_OLD = "status = ? AND ended_ms < ?"
_SETTLED = "(SELECT coalesce(sum(l.last_seq - l.first_seq + 1), 0) FROM logs l WHERE l.game = g.id)"


def prunable(path: Path, ended_before_ms: int) -> tuple[list[Pruned], int]:
    """The ended games from before a moment, oldest first, and how many of that age are sealed."""
    with closing(_open(path)) as connection:
        connection.execute("BEGIN")  # one moment of it
        newer = settling.newer(connection)
        found = connection.execute(
            f"SELECT g.game_id, g.ended_ms, g.id, {_SETTLED} "  # noqa: S608 # from above
            f"FROM games g WHERE {_OLD} AND NOT sealed ORDER BY g.ended_ms, g.id",
            (int(Status.ENDED), ended_before_ms),
        ).fetchall()
        (sealed,) = connection.execute(
            f"SELECT count(*) FROM games WHERE {_OLD} AND sealed",  # noqa: S608 # from above
            (int(Status.ENDED), ended_before_ms),
        ).fetchone()
    games = [
        Pruned(game_id, ended_ms, settled + len(newer.get(game, ())))
        for game_id, ended_ms, game, settled in found
    ]
    return games, sealed


def prune(path: Path, games: list[Pruned]) -> None:
    """Remove games with all that belongs to them; content packs stay."""
    with closing(_open(path, write=True)) as connection:
        for start in range(0, len(games), GAMES_AT_ONCE):
            connection.execute("BEGIN IMMEDIATE")
            try:
                for game in games[start : start + GAMES_AT_ONCE]:
                    _remove(connection, game.game_id)
                connection.execute("UPDATE prunings SET count = count + 1")
                connection.execute("COMMIT")
            except sqlite3.Error as error:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise translate(error) from error


def _remove(connection: sqlite3.Connection, game_id: str) -> None:
    row = connection.execute("SELECT id FROM games WHERE game_id = ?", (game_id,)).fetchone()
    if row is not None:
        connection.execute("DELETE FROM requests WHERE scope = ?", row)
        connection.execute("DELETE FROM requests WHERE game = ? AND scope = 0", row)
        connection.execute("DELETE FROM games WHERE id = ?", row)  # the rest goes with it


def games(path: Path, rules_version: str) -> list[str]:
    """The ids of all games of a version of the rules, oldest first."""
    with closing(_open(path)) as connection:
        found = connection.execute(
            "SELECT game_id FROM games WHERE rules_version = ? ORDER BY id", (rules_version,)
        ).fetchall()
    return [str(game_id) for (game_id,) in found]


def pack(path: Path, content_hash: str) -> bytes:
    """A content pack; a game cannot be kept without its pack."""
    with closing(_open(path)) as connection:
        (data,) = connection.execute(
            "SELECT data FROM packs WHERE hash = ?", (content_hash,)
        ).fetchone()
    return bytes(data)


def problems(path: Path) -> Iterator[str]:
    """Everything that is wrong with a store, a line each; an unreadable one raises instead."""
    with closing(_open(path)) as connection:
        connection.execute("BEGIN")  # one moment of it, whatever a server writes meanwhile
        try:
            found = [row[0] for row in connection.execute("PRAGMA integrity_check(20)")]
            if found != ["ok"]:
                yield from (f"file: {line}" for line in found)
                return  # what a broken file says about games means nothing
            newer = settling.newer(connection)
            yield from _strays(connection, newer)
            for row in connection.execute(index.SELECT):
                yield from _game(connection, row, newer)
        except (sqlite3.Error, StoreError) as error:
            yield f"file: {error}"


Newer = dict[int, list[tuple[int, "Row"]]]


def _strays(connection: sqlite3.Connection, newer: Newer) -> Iterator[str]:
    """Rows that belong to nothing."""
    for table, _, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        yield f"{table}: a row belongs to nothing in {parent}"
    for request_id, game, seq in connection.execute(
        "SELECT r.request_id, r.game, r.seq FROM requests r WHERE NOT EXISTS "
        "(SELECT 1 FROM logs l WHERE l.game = r.game AND r.seq BETWEEN l.first_seq AND l.last_seq)"
    ):
        if all(row.seq != seq for _, row in newer.get(game, ())):
            yield (
                f"requests: {request_id} was answered by entry {seq} of game #{game}, which is gone"
            )


def _game(connection: sqlite3.Connection, row: tuple[object, ...], newer: Newer) -> Iterator[str]:
    key, game_id, last_seq, stored = index.stored(row)
    expected = 1
    changes = []
    try:
        entries = list(settling.read(connection, key))
    except StoreDamaged as error:
        yield f"game {game_id}: {error}"
        return
    entries += [one for _, one in newer.get(key, ())]
    last_seq = max(last_seq, entries[-1].seq if entries else 0)
    for entry in entries:
        if entry.seq != expected:
            yield _missing(game_id, expected, entry.seq, last_seq)
        expected = entry.seq + 1
        if entry.game != key:
            yield f"game {game_id}: entry {entry.seq} is one of game #{entry.game}"
        if entry.marks:
            changes.append(index.from_text(entry.marks))
    if 1 < expected <= last_seq:
        yield _missing(game_id, expected, last_seq + 1, last_seq)
    if expected == 1:
        yield f"game {game_id}: has no log"
    derived = index.fold(changes)
    for name in (*index.COLUMNS, "tags", "holders"):
        if derived.get(name) != stored[name]:
            yield f"game {game_id}: {name} is not what the log says"
    if not connection.execute("SELECT 1 FROM secrets WHERE game = ?", (key,)).fetchone():
        yield f"game {game_id}: has no seed"


def _missing(game_id: str, expected: int, found: int, last_seq: int) -> str:
    missing = f"{expected}" if found == expected + 1 else f"{expected} to {found - 1}"
    return f"game {game_id}: missing from the log: {missing} (of {last_seq})"


def _contents(connection: sqlite3.Connection) -> Contents:
    (games,) = connection.execute("SELECT count(*) FROM games").fetchone()
    (settled,) = connection.execute(
        "SELECT coalesce(sum(last_seq - first_seq + 1), 0) FROM logs"
    ).fetchone()
    return Contents(games, settled + sum(map(len, settling.newer(connection).values())))


def _open(path: Path, *, write: bool = False) -> sqlite3.Connection:
    """A store that exists and has the schema of this program."""
    connection = schema.connect(path, write=write)
    try:
        known = schema.schema_version(connection)
    except sqlite3.Error:
        known = 0
    if known != schema.newest():
        connection.close()
        raise StoreError(
            f"the store {path} has schema {known}, not {schema.newest()}; serving from it once "
            "brings it up to date"
        )
    return connection
