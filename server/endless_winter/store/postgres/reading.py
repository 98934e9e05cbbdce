"""What is read of a database: games as lists show them, logs, first answers."""

# ruff: noqa: S608 # all SQL is made of our own names

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from endless_winter.store.postgres.arrays import Texts
from endless_winter.store.postgres.statement import NOW_MS
from endless_winter.store.reading import page_conditions, page_of
from endless_winter.store.records import (
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
)
from endless_winter.store.schema import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from psycopg import Connection

    from endless_winter.store.records import Query

_COLUMNS: Final = COLUMNS["games"]
_TIMERS: Final = ("deadline_ms", "node", "delivered_ms")
_HEADER: Final = (
    f"SELECT g.id, {', '.join(f'g.{name}' for name in (*_COLUMNS, *_TIMERS))}, g.head, "
    "ARRAY(SELECT t.tag FROM tags t WHERE t.game = g.id ORDER BY t.tag), "
    "(SELECT jsonb_agg(jsonb_build_array("
    "s.seat, s.player_id, encode(p.client, 'hex'), p.display_name) ORDER BY s.seat) "
    "FROM seats s LEFT JOIN people p ON p.game = s.game AND p.player_id = s.player_id "
    "WHERE s.game = g.id), "
    "(SELECT p.client FROM people p WHERE p.game = g.id AND p.player_id = g.creator)"
)
# All of one statement: what it gives is of one commit.
_RECORD: Final = (
    f"{_HEADER}, "
    "(SELECT jsonb_agg(jsonb_build_array(p.player_id, encode(p.client, 'hex'), p.display_name)) "
    "FROM people p WHERE p.game = g.id), "
    "(SELECT array_agg(p.seq ORDER BY p.seq) FROM private_parts p WHERE p.game = g.id), "
    "(SELECT array_agg(p.data ORDER BY p.seq) FROM private_parts p WHERE p.game = g.id), "
    "s.seed, s.salt FROM games g LEFT JOIN secrets s ON s.game = g.id WHERE g.game_id = %s"
)


def text(value: str) -> str:
    """A word to look for; PostgreSQL has no text with NUL, so there is nothing to find then."""
    return value.replace("\0", "\ufffd")


def _header(row: Sequence[Any]) -> Header:
    _, *values, seq, tags, seats, creator_client = row
    fields: dict[str, Any] = dict(zip((*_COLUMNS, *_TIMERS), values, strict=True))
    fields["status"] = Status(fields["status"])
    players = {
        seat: Player(player_id, bytes.fromhex(client or ""), name or "")
        for seat, player_id, client, name in seats or ()
    }
    return Header(
        **fields,
        seq=seq,
        tags=tuple(tags),
        players=players,
        creator_client=creator_client or b"",
        damaged=False,
    )


def load(connection: Connection[Any], game_id: str) -> GameRecord | None:
    """One game with its secrets and people."""
    row = _rows(connection, _RECORD, (text(game_id),)).fetchone()
    if row is None:
        return None
    *header, people, numbers, parts, seed, salt = row
    return GameRecord(
        _header(header),
        Secret(seed or b"", salt or b""),  # without one it fits no commitment
        {
            player_id: Player(player_id, bytes.fromhex(client), name)
            for player_id, client, name in people or ()
        },
        dict(zip(numbers or (), parts or (), strict=True)),
    )


def read(
    connection: Connection[Any], game_id: str, after_seq: int = 0, limit: int = 1000
) -> list[LogEntry]:
    """Entries of a log, in order."""
    rows = _rows(
        connection,
        "SELECT seq, kind, at_ms, payload, chain FROM entries "
        "WHERE game = (SELECT id FROM games WHERE game_id = %s) AND seq > %s "
        "ORDER BY seq LIMIT %s",
        (text(game_id), after_seq, limit),
    )
    return [LogEntry(*row) for row in rows]


def heads(connection: Connection[Any], game_ids: Sequence[str]) -> dict[str, Head]:
    """Where logs end."""
    rows = _rows(
        connection,
        "SELECT game_id, head, chain FROM games WHERE game_id = ANY(%s)",
        (Texts(map(text, game_ids)),),
    )
    return {game_id: Head(seq, chain) for game_id, seq, chain in rows}


def find_request(
    connection: Connection[Any], caller: bytes, request_id: str, game_id: str = ""
) -> FirstAnswer | None:
    """The first answer to a request of a game, or to one to create a game."""
    scope = "(SELECT id FROM games WHERE game_id = %s)" if game_id else "0"
    values: tuple[Any, ...] = (caller, request_id.encode())
    row = _rows(
        connection,
        "SELECT g.game_id, r.seq, r.digest, r.answer "
        f"FROM requests r JOIN games g ON g.id = r.game WHERE r.scope = {scope} "
        "AND r.caller = %s AND r.request_id = %s",
        (text(game_id), *values) if game_id else values,
    ).fetchone()
    return FirstAnswer(*row) if row else None


def list_games(
    connection: Connection[Any], query: Query, *, limit: int = 100, token: str = ""
) -> Page:
    """One page; the token names the last game of the page before it."""
    limit = max(1, limit)
    conditions, values = page_conditions(query, token)
    for ours, theirs in (
        ("json_each(?)", "jsonb_array_elements_text(?::jsonb) AS each(value)"),
        ("x''", "''::bytea"),
        ("?", "%s"),
    ):
        conditions = conditions.replace(ours, theirs)
    values = [text(value) if isinstance(value, str) else value for value in values]
    rows = _rows(
        connection,
        f"{_HEADER} FROM games g WHERE {conditions} ORDER BY g.created_ms DESC, g.id DESC LIMIT %s",
        (*values, limit + 1),
    )
    return page_of([(row[0], _header(row)) for row in rows], limit)


def get_pack(connection: Connection[Any], content_hash: str) -> bytes | None:
    """A content pack by its hash."""
    row = _rows(connection, "SELECT data FROM packs WHERE hash = %s", (text(content_hash),))
    found = row.fetchone()
    return found[0] if found else None


def list_packs(connection: Connection[Any]) -> list[str]:
    """The hashes of all content packs."""
    return [row[0] for row in _rows(connection, 'SELECT hash FROM packs ORDER BY hash COLLATE "C"')]


def games_of(connection: Connection[Any], rules_version: str) -> list[tuple[str, str]]:
    """The games of a version of the rules, each with the hash of its content pack."""
    select = "SELECT game_id, content_hash FROM games WHERE rules_version = %s ORDER BY id"
    found: list[tuple[str, str]] = _rows(connection, select, (rules_version,)).fetchall()
    return found


def uptimes(connection: Connection[Any]) -> list[Uptime]:
    """When there was a server."""
    rows = _rows(connection, "SELECT since_ms, until_ms FROM uptimes ORDER BY since_ms")
    return [Uptime(*row) for row in rows]


def _rows(connection: Connection[Any], query: str, values: tuple[Any, ...] = ()) -> Any:
    return connection.execute(query.encode(), values, binary=True)


def overdue(connection: Connection[Any], limit: int = 100) -> list[str]:
    """Unfinished games whose deadline has passed, by the index of unfinished games."""
    rows = _rows(
        connection,
        "SELECT game_id FROM games WHERE status < 4 "
        f"AND deadline_ms <= (SELECT {NOW_MS}) ORDER BY deadline_ms, id LIMIT %s",
        (limit,),
    )
    return [row[0] for row in rows]
