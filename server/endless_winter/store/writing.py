"""What changes a store: rounds of appends, removing games, erasing people. All of it as SQL."""

# ruff: noqa: S608 # all SQL is made of our own names

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any, Final

from endless_winter.store.errors import (
    Conflict,
    GameExists,
    NoSuchGame,
    Repeated,
    StoreError,
    TooMany,
)
from endless_winter.store.reading import find_request
from endless_winter.store.schema import COLUMNS, row_hash

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endless_winter.store.records import Append, Creation, Marks, Player, Uptime

_GAME: Final = "(SELECT id FROM games WHERE game_id = ?)"  # none: the row is refused
_ENTRY: Final = f"INSERT INTO entries VALUES ({_GAME}, ?, ?, ?, ?, ?)"
_ANSWER: Final = f"INSERT INTO requests VALUES ({_GAME}, ?, ?, {_GAME}, ?, ?, ?, ?)"
_FIRST_ANSWER: Final = f"INSERT INTO requests VALUES (0, ?, ?, {_GAME}, ?, ?, ?, ?)"
_PRIVATE: Final = f"INSERT INTO private_parts VALUES ({_GAME}, ?, ?, ?)"
_MOVING: Final = ("status", "started_ms", "ended_ms", "open_seats", "sealed", "summary")
_LISTED: Final = COLUMNS["games"]


def commit(
    connection: sqlite3.Connection, appends: Sequence[Append], uptime: Uptime | None = None
) -> list[StoreError | None]:
    """A round in one transaction. A refusal costs a second try, one append after the other."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        _write(connection, appends)
        outcomes: list[StoreError | None] = [None] * len(appends)
    except (sqlite3.IntegrityError, _Refused):
        connection.execute("ROLLBACK")
        connection.execute("BEGIN IMMEDIATE")
        outcomes = [_write_or_refuse(connection, append) for append in appends]
    if uptime is not None:
        _note_uptime(connection, uptime)
    connection.execute("COMMIT")
    return outcomes


class _Refused(Exception):
    """A refusal that no key of a table notices."""


def _write_or_refuse(connection: sqlite3.Connection, append: Append) -> StoreError | None:
    refusal = _refusal(connection, append)
    if refusal is None:
        _write(connection, [append])
    return refusal


def _refusal(connection: sqlite3.Connection, append: Append) -> StoreError | None:
    """Why an append cannot be written. The transaction keeps it true."""
    game_id = append.game_id
    actual, exists = connection.execute(
        "SELECT (SELECT max(e.seq) FROM games g JOIN entries e ON e.game = g.id "
        "WHERE g.game_id = ?1), EXISTS (SELECT 1 FROM games WHERE game_id = ?1)",
        (game_id,),
    ).fetchone()
    if not exists and append.creation is None:
        return NoSuchGame(f"there is no game {game_id}")
    if append.request is not None:
        caller, request_id, *_ = append.request
        first = find_request(connection, caller, request_id, "" if append.creation else game_id)
        if first is not None:
            return Repeated(request_id, first)
    if exists and append.creation is not None:
        return GameExists(f"there is a game {game_id} already")
    if append.creation is not None and _has_too_many(connection, append, append.creation):
        return TooMany(f"the creator of {game_id} has too many unfinished games")
    if (actual or 0) != append.expected_seq:
        return Conflict(game_id, append.expected_seq, actual or 0)
    return None


def _has_too_many(connection: sqlite3.Connection, append: Append, creation: Creation) -> bool:
    most = creation.most_unfinished
    if most is None:
        return False
    creator = creation.game.creator
    clients = [player.client for player in append.players if player.player_id == creator]
    (count,) = connection.execute(
        "SELECT count(*) FROM people p JOIN games g ON g.id = p.game AND g.creator = p.player_id "
        "WHERE p.client = ? AND p.client <> x'' AND g.status < 4",
        clients or [b""],
    ).fetchone()
    return bool(count >= most)


def _write(connection: sqlite3.Connection, appends: Sequence[Append]) -> None:
    """Write appends, those of all games together; the keys of the tables refuse what is late."""
    entries: list[tuple[Any, ...]] = []
    answers: list[tuple[Any, ...]] = []
    private: list[tuple[Any, ...]] = []
    for append in appends:
        game_id = append.game_id
        seq = append.expected_seq
        if not append.entries and _refusal(connection, append):
            raise _Refused
        for entry in append.entries:
            seq += 1
            if entry.seq != seq:
                raise ValueError(f"entry {entry.seq} of {game_id} is not number {seq}")
            entries.append((game_id, seq, entry.kind, entry.at_ms, entry.payload, entry.chain))
        if append.creation is not None:
            _create(connection, append, append.creation)
        elif append.request is not None:
            caller, request_id, digest, answer = append.request
            hashed = row_hash("requests", game_id, caller, request_id, game_id, seq, digest, answer)
            answers.append((game_id, caller, request_id, game_id, seq, digest, answer, hashed))
        if append.private:
            private += [
                (game_id, at, data, row_hash("private_parts", game_id, at, data))
                for at, data in append.private.items()
            ]
        if append.players:
            _put_people(connection, game_id, append.players)
        if append.marks is not None:
            _move(connection, game_id, append.marks)
    connection.executemany(_ENTRY, entries)
    if answers:
        connection.executemany(_ANSWER, answers)
    if private:
        connection.executemany(_PRIVATE, private)


def _create(connection: sqlite3.Connection, append: Append, creation: Creation) -> None:
    """The rows of a new game but its entries."""
    game_id = append.game_id
    new = creation.game
    if not append.entries:
        raise ValueError("a game begins with an entry")
    if _has_too_many(connection, append, creation):
        raise _Refused
    name, pack = new.content_hash, creation.pack
    if not connection.execute("SELECT 1 FROM packs WHERE hash = ?", (name,)).fetchone():
        row = (name, pack, row_hash("packs", name, pack))
        connection.execute("INSERT INTO packs VALUES (?, ?, ?)", row)
    begun = {"game_id": game_id, "status": 1, "started_ms": None, "ended_ms": None}
    begun |= {"open_seats": 0, "sealed": 0, "summary": b""}
    values = [begun[name] if name in begun else getattr(new, name) for name in _LISTED]
    values = [int(value) if isinstance(value, bool) else value for value in values]
    connection.execute(
        f"INSERT INTO games ({', '.join(_LISTED)}, row_hash) VALUES (?{', ?' * len(_LISTED)})",
        (*values, row_hash("games", *values)),
    )
    connection.executemany(
        f"INSERT INTO tags VALUES ({_GAME}, ?, ?)",
        [(game_id, tag, row_hash("tags", game_id, tag)) for tag in sorted(set(new.tags))],
    )
    secret = creation.secret
    connection.execute(
        f"INSERT INTO secrets VALUES ({_GAME}, ?, ?)", (game_id, secret.seed, secret.salt)
    )
    if append.request is not None:
        caller, request_id, digest, answer = append.request
        seq = append.expected_seq + len(append.entries)
        hashed = row_hash("requests", "", caller, request_id, game_id, seq, digest, answer)
        connection.execute(
            _FIRST_ANSWER, (caller, request_id, game_id, seq, digest, answer, hashed)
        )


def _put_people(connection: sqlite3.Connection, game_id: str, players: Sequence[Player]) -> None:
    connection.executemany(
        f"REPLACE INTO people VALUES ({_GAME}, ?, ?, ?, ?)",
        [(game_id, *player, row_hash("people", game_id, *player)) for player in players],
    )


def _move(connection: sqlite3.Connection, game_id: str, marks: Marks) -> None:
    """Change where a game stands. A row that was damaged before stays known as damaged."""
    found = connection.execute(
        f"SELECT {', '.join(_LISTED)}, row_hash FROM games WHERE game_id = ?",
        (game_id,),
    ).fetchone()
    if found is None:
        raise _Refused
    *values, hashed = found
    sound = row_hash("games", *values) == hashed
    for name in _MOVING:
        value = getattr(marks, name)
        if value is not None:
            values[_LISTED.index(name)] = int(value) if isinstance(value, int) else value
    if sound:
        hashed = row_hash("games", *values)
    connection.execute(
        f"UPDATE games SET {', '.join(f'{name} = ?' for name in _MOVING)}, "
        "row_hash = ? WHERE game_id = ?",
        (*(values[_LISTED.index(name)] for name in _MOVING), hashed, game_id),
    )
    for seat, player_id in marks.seats.items():
        if player_id:
            hashed = row_hash("seats", game_id, seat, player_id)
            row = (game_id, seat, player_id, hashed)
            connection.execute(f"REPLACE INTO seats VALUES ({_GAME}, ?, ?, ?)", row)
        else:
            connection.execute(
                f"DELETE FROM seats WHERE game = {_GAME} AND seat = ?", (game_id, seat)
            )


def _note_uptime(connection: sqlite3.Connection, uptime: Uptime) -> None:
    since_ms, until_ms = uptime
    known = connection.execute(
        "SELECT until_ms FROM uptimes WHERE since_ms = ?", (since_ms,)
    ).fetchone()
    until_ms = max(until_ms, known[0]) if known else until_ms
    row = (since_ms, until_ms, row_hash("uptimes", since_ms, until_ms))
    connection.execute("REPLACE INTO uptimes VALUES (?, ?, ?)", row)


def checkpoint(connection: sqlite3.Connection) -> None:
    """Move what is in the write-ahead log into the file, as far as nobody is in the way."""
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def remove(connection: sqlite3.Connection, game_ids: Sequence[str]) -> None:
    """Remove games; the rows of other tables go with that of the game."""
    connection.execute("BEGIN IMMEDIATE")
    for game_id in game_ids:
        row = (game_id,)
        connection.execute(f"DELETE FROM requests WHERE scope = {_GAME}", row)
        connection.execute(f"DELETE FROM requests WHERE scope = 0 AND game = {_GAME}", row)
        connection.execute("DELETE FROM games WHERE game_id = ?", row)
    connection.execute("COMMIT")


def erase(connection: sqlite3.Connection, client: bytes) -> int:
    """Forget a person; entries know the player's id alone, and stay."""
    connection.execute("BEGIN IMMEDIATE")
    found = connection.execute(
        "SELECT g.game_id, p.player_id FROM people p JOIN games g ON g.id = p.game "
        "WHERE p.client = ? AND p.client <> x''",
        (client,),
    ).fetchall()
    connection.executemany(
        f"REPLACE INTO people VALUES ({_GAME}, ?, x'', '', ?)",
        [
            (game_id, player_id, row_hash("people", game_id, player_id, b"", ""))
            for game_id, player_id in found
        ],
    )
    # A caller is a client, or a seat's player, after what else the engine puts before it.
    connection.executemany(
        f"DELETE FROM requests WHERE scope = {_GAME} AND substr(caller, -length(?2)) = ?2",
        [(game_id, player_id.encode()) for game_id, player_id in found],
    )
    if client:
        connection.execute("DELETE FROM requests WHERE substr(caller, -length(?1)) = ?1", (client,))
    connection.execute("COMMIT")
    return len({game_id for game_id, _ in found})
