"""The SQL behind a query for games."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from endless_winter.store import index
from endless_winter.store.errors import BadPageToken
from endless_winter.store.records import UNFINISHED, Page, Query, Status, page_token

if TYPE_CHECKING:
    import sqlite3

_MINE = "(g.creator = ? OR EXISTS (SELECT 1 FROM holders m WHERE m.game = g.id AND m.client = ?))"
# Only the own games, found by their indexes instead of by walking all games.
_ONLY_MINE = (
    "g.id IN (SELECT id FROM games WHERE creator = ? AND creator <> x'' "
    "UNION SELECT game FROM holders WHERE client = ?)"
)


class _Conditions:
    def __init__(self) -> None:
        self.texts: list[str] = []
        self.values: list[Any] = []

    def add(self, text: str, *values: Any) -> None:
        self.texts.append(text)
        self.values += values


def list_games(connection: sqlite3.Connection, query: Query, limit: int, token: str) -> Page:
    """One page; the token names the last game of the page before it."""
    where = _conditions(query)
    if token:
        where.add("(g.created_ms, g.id) < (?, ?)", *_read_token(token))
    text = " AND ".join(where.texts) or "1"
    rows = connection.execute(
        f"{index.SELECT} WHERE {text} ORDER BY g.created_ms DESC, g.id DESC LIMIT ?",
        [*where.values, limit + 1],
    ).fetchall()
    more = len(rows) > limit
    games = tuple(index.header(row) for row in rows[:limit])
    keys = tuple(row[0] for row in rows[:limit])
    return Page(games, page_token(games[-1].created_ms, keys[-1]) if more else "", keys)


def _conditions(query: Query) -> _Conditions:
    where = _Conditions()
    if query.mine:
        where.add(_ONLY_MINE, query.client, query.client)
    elif not query.everything:
        if query.client:
            where.add(f"(g.listed OR {_MINE})", query.client, query.client)
        else:
            where.add("g.listed")
    if query.statuses:
        _statuses(where, query)
    if query.joinable:
        where.add("g.open_seats > 0 AND g.status = ?", int(Status.OPEN))
        if query.rules_version:
            where.add("g.rules_version = ?", query.rules_version)
        if query.suspended:
            named = json.dumps(sorted(query.suspended))
            where.add("g.game_id NOT IN (SELECT value FROM json_each(?))", named)
    if query.tag:
        where.add("g.id IN (SELECT game FROM tags WHERE tag = ?)", query.tag)
    if query.tournament_id:
        where.add("g.tournament_id = ? AND g.tournament_id <> ''", query.tournament_id)
    if query.seats:
        where.add("g.seats = ?", query.seats)
    if query.rivers is not None:
        where.add("g.rivers = ?", query.rivers)
    if query.solo is not None:
        where.add("g.solo = ?", query.solo)
    if query.created_from_ms is not None:
        where.add("g.created_ms >= ?", query.created_from_ms)
    return where


def _statuses(where: _Conditions, query: Query) -> None:
    if query.statuses == UNFINISHED and not query.rules_version:
        where.add("g.status < 4")  # in the words of the partial index
        return
    numbers = ", ".join(str(int(status)) for status in sorted(query.statuses))
    if not query.rules_version:
        where.add(f"g.status IN ({numbers})")
        return
    suspended = "(g.status < 4 AND g.rules_version <> ?)"
    values = [query.rules_version]
    if query.suspended:
        named = "g.game_id IN (SELECT value FROM json_each(?))"
        suspended = f"(g.status < 4 AND (g.rules_version <> ? OR {named}))"
        values.append(json.dumps(sorted(query.suspended)))
    if Status.SUSPENDED in query.statuses:
        where.add(f"(g.status IN ({numbers}) OR {suspended})", *values)
    else:
        where.add(f"(g.status IN ({numbers}) AND NOT {suspended})", *values)


def _read_token(token: str) -> tuple[int, int]:
    try:
        padded = token.encode("ascii") + b"=" * (-len(token) % 4)
        created_ms, key = base64.urlsafe_b64decode(padded).decode("ascii").split(".")
        found = int(created_ms), int(key)
    except ValueError as error:
        raise BadPageToken("not a page token of this store") from error
    if max(map(abs, found)) >= 1 << 63 or page_token(*found) != token:
        raise BadPageToken("not a page token of this store")
    return found
