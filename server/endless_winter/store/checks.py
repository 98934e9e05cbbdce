"""Whether a store is what was written into it, down to one flipped bit."""

# ruff: noqa: S608 # all SQL is made of our own names

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

from endless_winter.rules.chance import commitment
from endless_winter.store import schema
from endless_winter.store.records import NO_CHAIN, chain_after
from endless_winter.store.schema import COLUMNS, row_hash

if TYPE_CHECKING:
    from collections.abc import Iterator


def problems(connection: sqlite3.Connection) -> Iterator[str]:
    """Everything that is wrong, a line each; in a transaction, all of one commit."""
    try:
        found = [row[0] for row in connection.execute("PRAGMA integrity_check(20)")]
        if found != ["ok"]:
            yield from (f"file: {line}" for line in found)
            return  # what a broken file says about games means nothing
        if _tables(connection) != _tables_of_new():
            yield f"file: its tables are not those of schema {schema.SCHEMA}"
        for table, _, parent, _ in connection.execute("PRAGMA foreign_key_check"):
            yield f"{table}: a row belongs to nothing in {parent}"
        for table in COLUMNS:
            yield from _rows(connection, table)
        for game in connection.execute("SELECT id, game_id, commitment FROM games"):
            yield from _game(connection, *game)
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter: from its message
        yield f"file: {error}"


def _tables(connection: sqlite3.Connection) -> set[tuple[Any, ...]]:
    return set(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema"))


def _tables_of_new() -> set[tuple[Any, ...]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(schema.tables())
        return _tables(connection)


_GAME_ID: Final = "(SELECT game_id FROM games WHERE id = {})"
_VALUES: Final = {
    "game": _GAME_ID.format("t.game"),
    "scope": f"iif(t.scope = 0, '', {_GAME_ID.format('t.scope')})",
}


def _rows(connection: sqlite3.Connection, table: str) -> Iterator[str]:
    """Rows that do not fit their hash, named by what can be read of them."""
    columns = COLUMNS[table]
    values = ", ".join(_VALUES.get(name, f"t.{name}") for name in columns)
    for *row, hashed in connection.execute(f"SELECT {values}, t.row_hash FROM {table} t"):
        if row_hash(table, *row) != hashed:
            shown = zip(columns, row, strict=True)
            short = [f"{name} {value}" for name, value in shown if not isinstance(value, bytes)]
            yield f"{table}: a row is not as it was written: {', '.join(short[:3])}"


def _game(
    connection: sqlite3.Connection, key: int, game_id: str, committed: bytes
) -> Iterator[str]:
    """What is wrong with a log, or with the seed behind it."""
    chain = NO_CHAIN
    last = 0
    for seq, kind, at_ms, payload, hashed in connection.execute(
        "SELECT seq, kind, at_ms, payload, chain FROM entries WHERE game = ? ORDER BY seq", (key,)
    ):
        if seq != last + 1:
            missing = f"{last + 1}" if seq == last + 2 else f"{last + 1} to {seq - 1}"
            yield f"game {game_id}: missing from the log: {missing}"
        chain = chain_after(chain, game_id, seq, kind, at_ms, payload)
        if chain != hashed:
            yield f"game {game_id}: entry {seq} is not as it was written"
        last, chain = seq, hashed  # of several bad entries each is named
    if not last:
        yield f"game {game_id}: has no log"
    secret = connection.execute("SELECT seed, salt FROM secrets WHERE game = ?", (key,)).fetchone()
    if secret is None:
        yield f"game {game_id}: has no seed"
    elif not _fits(committed, *secret):
        yield f"game {game_id}: seed and salt do not fit its commitment"
    (answered,) = connection.execute(
        "SELECT max(seq) FROM requests WHERE scope = ?", (key,)
    ).fetchone()
    if (answered or 0) > last:
        yield f"game {game_id}: entries after {last} were answered, and are gone"


def _fits(committed: bytes, seed: bytes, salt: bytes) -> bool:
    try:
        return commitment(seed, salt) == committed.hex()
    except ValueError:  # a salt that is none
        return False
