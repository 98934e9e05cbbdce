"""What is read of a store: games as lists show them, logs, first answers. All of it as SQL."""

# ruff: noqa: S608 # all SQL is made of our own names

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any, Final

from endless_winter.store.errors import BadPageToken
from endless_winter.store.records import (
    UNFINISHED,
    FirstAnswer,
    GameRecord,
    Head,
    Header,
    LogEntry,
    Page,
    Player,
    Secret,
    Status,
    Uptime,
    page_token,
)
from endless_winter.store.schema import COLUMNS, row_hash

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from endless_winter.store.records import Query

_COLUMNS: Final = COLUMNS["games"]
_HEADER: Final = (
    f"SELECT g.id, g.row_hash, {', '.join(f'g.{name}' for name in _COLUMNS)}, "
    "(SELECT max(e.seq) FROM entries e WHERE e.game = g.id), "
    "(SELECT json_group_array(t.tag) FROM tags t WHERE t.game = g.id), "
    "(SELECT json_group_array(json_array(s.seat, s.player_id, hex(p.client), p.display_name)) "
    "FROM seats s LEFT JOIN people p ON p.game = s.game AND p.player_id = s.player_id "
    "WHERE s.game = g.id), "
    "(SELECT p.client FROM people p WHERE p.game = g.id AND p.player_id = g.creator) "
    "FROM games g"
)
_MINE: Final = (
    "g.id IN (SELECT p.game FROM people p WHERE p.client = ? AND p.client <> x'' AND ("
    "p.player_id = (SELECT c.creator FROM games c WHERE c.id = p.game) OR EXISTS "
    "(SELECT 1 FROM seats s WHERE s.game = p.game AND s.player_id = p.player_id)))"
)
_SUSPENDED: Final = (
    "(g.status < 4 AND ((? <> '' AND g.rules_version <> ?) "
    "OR g.game_id IN (SELECT value FROM json_each(?))))"
)


def _header(row: tuple[Any, ...]) -> Header:
    _, hashed, *values, seq, tags, seats, creator_client = row
    fields: dict[str, Any] = dict(zip(_COLUMNS, values, strict=True))
    for name in ("listed", "rivers", "solo", "sealed"):
        fields[name] = bool(fields[name])
    # A damaged row may have any number here; the index of unfinished games goes by status < 4.
    fields["status"] = Status(min(max(fields["status"], Status.OPEN), Status.ENDED))
    players = {
        seat: Player(player_id, bytes.fromhex(client or ""), name or "")
        for seat, player_id, client, name in sorted(json.loads(seats))
    }
    return Header(
        **fields,
        seq=seq or 0,
        tags=tuple(sorted(json.loads(tags))),
        players=players,
        creator_client=creator_client or b"",
        damaged=row_hash("games", *values) != hashed,
    )


def load(connection: sqlite3.Connection, game_id: str) -> GameRecord | None:
    """One game with its secrets and people; in a transaction, all of one commit."""
    row = connection.execute(f"{_HEADER} WHERE g.game_id = ?", (game_id,)).fetchone()
    if row is None:
        return None
    key = row[:1]
    secret = connection.execute("SELECT seed, salt FROM secrets WHERE game = ?", key).fetchone()
    people = connection.execute(
        "SELECT player_id, client, display_name FROM people WHERE game = ?", key
    ).fetchall()
    private = connection.execute(
        "SELECT seq, data FROM private_parts WHERE game = ? ORDER BY seq", key
    ).fetchall()
    return GameRecord(
        _header(row),
        Secret(*(secret or (b"", b""))),  # without one it fits no commitment
        {player_id: Player(player_id, client, name) for player_id, client, name in people},
        dict(private),
    )


def read(
    connection: sqlite3.Connection, game_id: str, after_seq: int = 0, limit: int = 1000
) -> list[LogEntry]:
    """Entries of a log, in order."""
    rows = connection.execute(
        "SELECT seq, kind, at_ms, payload, chain FROM entries "
        "WHERE game = (SELECT id FROM games WHERE game_id = ?) AND seq > ? ORDER BY seq LIMIT ?",
        (game_id, after_seq, limit),
    ).fetchall()
    return [LogEntry(*row) for row in rows]


def heads(connection: sqlite3.Connection, game_ids: Sequence[str]) -> dict[str, Head]:
    """Where logs end."""
    rows = connection.execute(
        "SELECT g.game_id, e.seq, e.chain FROM json_each(?) asked "
        "JOIN games g ON g.game_id = asked.value JOIN entries e ON e.game = g.id "
        "AND e.seq = (SELECT max(seq) FROM entries WHERE game = g.id)",
        (json.dumps(list(game_ids)),),
    ).fetchall()
    return {game_id: Head(seq, chain) for game_id, seq, chain in rows}


def find_request(
    connection: sqlite3.Connection, caller: bytes, request_id: str, game_id: str = ""
) -> FirstAnswer | None:
    """The first answer to a request of a game, or to one to create a game."""
    scope = "(SELECT id FROM games WHERE game_id = ?)" if game_id else "0"
    row = connection.execute(
        "SELECT g.game_id, r.seq, r.digest, r.answer "
        f"FROM requests r JOIN games g ON g.id = r.game WHERE r.scope = {scope} "
        "AND r.caller = ? AND r.request_id = ?",
        (game_id, caller, request_id) if game_id else (caller, request_id),
    ).fetchone()
    return FirstAnswer(*row) if row else None


class _Conditions:
    def __init__(self) -> None:
        self.texts: list[str] = ["true"]
        self.values: list[Any] = []

    def add(self, text: str, *values: Any) -> None:
        self.texts.append(text)
        self.values += values


def list_games(
    connection: sqlite3.Connection, query: Query, *, limit: int = 100, token: str = ""
) -> Page:
    """One page; the token names the last game of the page before it."""
    limit = max(1, limit)
    conditions, values = page_conditions(query, token)
    rows = connection.execute(
        f"{_HEADER} WHERE {conditions} ORDER BY g.created_ms DESC, g.id DESC LIMIT ?",
        [*values, limit + 1],
    ).fetchall()
    return page_of([(row[0], _header(row)) for row in rows], limit)


def page_conditions(query: Query, token: str) -> tuple[str, list[Any]]:
    """What the games of a page must fulfil, as SQL on `games g`, and the values in it."""
    where = _conditions(query)
    if token:
        where.add("(g.created_ms, g.id) < (?, ?)", *_read_token(token))
    return " AND ".join(where.texts), where.values


def _conditions(query: Query) -> _Conditions:
    where = _Conditions()
    rules = query.rules_version
    suspended = (_SUSPENDED, rules, rules, json.dumps(sorted(query.suspended)))
    if query.mine:
        where.add(_MINE, query.client)
    elif not query.everything:
        where.add(f"(g.listed OR {_MINE})", query.client)
    if query.statuses == UNFINISHED and not rules and not query.suspended:
        where.add("g.status < 4")  # in the words of the partial index
    elif query.statuses:
        numbers = ", ".join(str(int(status)) for status in sorted(query.statuses))
        joined = "OR" if Status.SUSPENDED in query.statuses else "AND NOT"
        where.add(f"(g.status IN ({numbers}) {joined} {_SUSPENDED})", *suspended[1:])
    if query.joinable:
        where.add("g.open_seats > 0 AND g.status = 1")
        where.add(f"NOT {_SUSPENDED}", *suspended[1:])
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


def page_of(found: list[tuple[int, Header]], limit: int) -> Page:
    """A page of at most ``limit`` of the games found, which are one more where there are more."""
    games = tuple(header for _, header in found[:limit])
    keys = tuple(key for key, _ in found[:limit])
    page = Page(games, "", keys)
    return Page(games, page.after(limit), keys) if len(found) > limit else page


def _read_token(token: str) -> tuple[int, int]:
    """When the game was created, and its key. Raises ``BadPageToken``."""
    try:
        padded = token.encode("ascii") + b"=" * (-len(token) % 4)
        created_ms, key = base64.urlsafe_b64decode(padded).decode("ascii").split(".")
        found = int(created_ms), int(key)
    except ValueError as error:
        raise BadPageToken("not a page token of this store") from error
    if max(map(abs, found)) >= 1 << 63 or page_token(*found) != token:
        raise BadPageToken("not a page token of this store")
    return found


def get_pack(connection: sqlite3.Connection, content_hash: str) -> bytes | None:
    """A content pack by its hash."""
    row = connection.execute("SELECT data FROM packs WHERE hash = ?", (content_hash,)).fetchone()
    return row[0] if row else None


def list_packs(connection: sqlite3.Connection) -> list[str]:
    """The hashes of all content packs."""
    return [row[0] for row in connection.execute("SELECT hash FROM packs ORDER BY hash")]


def games_of(connection: sqlite3.Connection, rules_version: str) -> list[tuple[str, str]]:
    """The games of a version of the rules, each with the hash of its content pack."""
    select = "SELECT game_id, content_hash FROM games WHERE rules_version = ? ORDER BY id"
    return connection.execute(select, (rules_version,)).fetchall()


def uptimes(connection: sqlite3.Connection) -> list[Uptime]:
    """When there was a server."""
    rows = connection.execute("SELECT since_ms, until_ms FROM uptimes ORDER BY since_ms")
    return [Uptime(*row) for row in rows]
