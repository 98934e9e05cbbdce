"""The index of games, as a fold of what each entry changes in it.

A change is a plain dict of columns of ``games`` (and ``tags``, ``holders``). It is written as JSON
beside its entry and applied to the tables in the same transaction; folding the changes of a whole
log gives the game's row again.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from endless_winter.store.records import Header, Marks, NewGame, Status

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

Change = dict[str, Any]

_BLOBS = ("config", "commitment", "creator", "summary")
_FIXED = tuple(field.name for field in fields(NewGame) if field.name not in {"game_id", "tags"})
_MOVING = tuple(field.name for field in fields(Marks) if field.name != "holders")
COLUMNS = _FIXED + _MOVING
_TO_TEXT = json.JSONEncoder(separators=(",", ":"), sort_keys=True).encode


def of_marks(marks: Marks) -> Change:
    """What an entry changes."""
    change: Change = {
        name: int(value) if isinstance(value, int) else value
        for name in _MOVING
        if (value := getattr(marks, name)) is not None
    }
    if marks.holders:
        change["holders"] = dict(marks.holders)
    return change


def of_new(new: NewGame, marks: Marks | None) -> Change:
    """What the first entry of a game says: everything."""
    change: Change = {
        name: int(value) if isinstance(value := getattr(new, name), int) else value
        for name in _FIXED
    }
    change |= {"status": int(Status.OPEN), "started_ms": None, "ended_ms": None}
    change |= {"open_seats": 0, "sealed": 0, "summary": b""}
    change |= {"tags": sorted(set(new.tags)), "holders": {}}
    return change | (of_marks(marks) if marks else {})


def to_text(change: Change) -> str:
    """As kept beside the entry."""
    plain = {name: value.hex() if name in _BLOBS else value for name, value in change.items()}
    if "holders" in plain:
        plain["holders"] = {seat: client.hex() for seat, client in change["holders"].items()}
    return _TO_TEXT(plain)


def from_text(text: str) -> Change:
    change: Change = json.loads(text)
    for name in _BLOBS:
        if name in change:
            change[name] = bytes.fromhex(change[name])
    if "holders" in change:
        change["holders"] = {int(s): bytes.fromhex(c) for s, c in change["holders"].items()}
    return change


def fold(changes: Iterable[Change]) -> Change:
    """The later change wins; a seat without a holder is not mentioned."""
    whole: Change = {}
    holders: dict[int, bytes] = {}
    for change in changes:
        holders |= change.get("holders", {})
        whole |= change
    whole["holders"] = {seat: client for seat, client in sorted(holders.items()) if client}
    return whole


_INSERT = (
    f"INSERT INTO games (id, game_id, {', '.join(COLUMNS)}) "  # noqa: S608 # our own names
    f"VALUES (?, ?{', ?' * len(COLUMNS)})"
)


def insert(connection: sqlite3.Connection, game: int, game_id: str, change: Change) -> None:
    """The row of a new game."""
    connection.execute(_INSERT, [game, game_id, *(change[name] for name in COLUMNS)])
    connection.executemany("INSERT INTO tags VALUES (?, ?)", [(t, game) for t in change["tags"]])
    _hold(connection, game, change["holders"])


def update(connection: sqlite3.Connection, game: int, change: Change) -> None:
    """Apply what an entry changes."""
    names = [name for name in _MOVING if name in change]
    if names:
        assigned = ", ".join(f"{name} = ?" for name in names)
        connection.execute(
            f"UPDATE games SET {assigned} WHERE id = ?",  # noqa: S608 # our own names
            [*(change[name] for name in names), game],
        )
    _hold(connection, game, change.get("holders", {}))


def _hold(connection: sqlite3.Connection, game: int, holders: dict[int, bytes]) -> None:
    for seat, client in holders.items():
        if client:
            connection.execute("REPLACE INTO holders VALUES (?, ?, ?)", (game, seat, client))
        else:
            connection.execute("DELETE FROM holders WHERE game = ? AND seat = ?", (game, seat))


SELECT = (
    f"SELECT g.id, g.game_id, {', '.join(f'g.{name}' for name in COLUMNS)}, "  # noqa: S608 # our own names
    "(SELECT max(l.last_seq) FROM logs l WHERE l.game = g.id), "
    "(SELECT json_group_array(t.tag) FROM tags t WHERE t.game = g.id), "
    "(SELECT json_group_object(h.seat, hex(h.client)) FROM holders h WHERE h.game = g.id) "
    "FROM games g"
)


def stored(row: tuple[Any, ...]) -> tuple[int, str, int, Change]:
    """A row of SELECT: key, id, last number, and the row in the form that ``fold`` gives."""
    key, game_id, *values, last_seq, tags, holders = row
    change = dict(zip(COLUMNS, values, strict=True))
    change["tags"] = sorted(json.loads(tags))
    held = {int(seat): bytes.fromhex(client) for seat, client in json.loads(holders).items()}
    change["holders"] = dict(sorted(held.items()))
    return key, game_id, last_seq or 0, change


def header(row: tuple[Any, ...]) -> Header:
    """A row of SELECT as the record that callers see."""
    _, game_id, last_seq, change = stored(row)
    for name in ("listed", "rivers", "solo", "sealed"):
        change[name] = bool(change[name])
    change["status"] = Status(change["status"])
    change["tags"] = tuple(change["tags"])
    return Header(game_id=game_id, last_seq=last_seq, **change)
