"""What changes a database: rounds of appends, removing games, erasing people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from endless_winter.store.errors import (
    Conflict,
    GameExists,
    NoSuchGame,
    Repeated,
    StoreError,
    TooMany,
)
from endless_winter.store.postgres.arrays import Byteas, Flags, Texts
from endless_winter.store.postgres.reading import text
from endless_winter.store.postgres.statement import NOW_MS, deliveries
from endless_winter.store.records import STALE_MS, FirstAnswer, Pulse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from psycopg import Connection

    from endless_winter.store.records import Append, Creation, Delivery

_STAND: Final = b"""
SELECT g.head, o.game_id, q.seq, q.digest, q.answer
FROM unnest(%(games)b, %(creates)b, %(callers)b, %(request_ids)b) WITH ORDINALITY
    AS a(game_id, creates, caller, request_id, at)
LEFT JOIN games g ON g.game_id = a.game_id
LEFT JOIN requests q ON q.scope = CASE WHEN a.creates THEN 0 ELSE g.id END
    AND q.caller = a.caller AND q.request_id = a.request_id
LEFT JOIN games o ON o.id = q.game
ORDER BY a.at
"""


def refusals(connection: Connection[Any], appends: Sequence[Append]) -> list[StoreError | None]:
    """Why appends cannot be written, as things stand now; None: nothing is in the way."""
    found = connection.execute(
        _STAND,
        {
            "games": Texts(append.game_id for append in appends),
            "creates": Flags(append.creation is not None for append in appends),
            "callers": Byteas(append.request and append.request.caller for append in appends),
            "request_ids": Byteas(
                append.request and append.request.request_id.encode() for append in appends
            ),
        },
        binary=True,
    ).fetchall()
    return [_refusal(connection, append, *row) for append, row in zip(appends, found, strict=True)]


def _refusal(
    connection: Connection[Any],
    append: Append,
    head: int | None,
    first_game: str | None,
    *first: Any,
) -> StoreError | None:
    game_id = append.game_id
    if head is None and append.creation is None:
        return NoSuchGame(f"there is no game {game_id}")
    if append.request is not None and first_game is not None:
        return Repeated(append.request.request_id, FirstAnswer(first_game, *first))
    if head is not None and append.creation is not None:
        return GameExists(f"there is a game {game_id} already")
    if append.creation is not None and _has_too_many(connection, append, append.creation):
        return TooMany(f"the creator of {game_id} has too many unfinished games")
    if (head or 0) != append.expected_seq:
        return Conflict(game_id, append.expected_seq, head or 0)
    return None


def _has_too_many(connection: Connection[Any], append: Append, creation: Creation) -> bool:
    most, creator = creation.most_unfinished, creation.game.creator
    clients = [player.client for player in append.players if player.player_id == creator]
    if most is None or not clients:
        return False
    row = connection.execute(
        b"SELECT count(*) FROM people p JOIN games g ON g.id = p.game AND g.creator = p.player_id "
        b"WHERE p.client = %s AND p.client <> ''::bytea AND g.status < 4",
        (clients[-1],),
    ).fetchone()
    return row is not None and row[0] >= most


def remove(connection: Connection[Any], game_ids: Sequence[str]) -> None:
    """Remove games with all that belongs to them; content packs stay."""
    with connection.transaction():
        # Locked first: what a round in flight has just added is seen by the next statements.
        rows = connection.execute(
            "SELECT id FROM games WHERE game_id = ANY(%s) ORDER BY id FOR UPDATE",
            (Texts(map(text, game_ids)),),
        ).fetchall()
        numbers = [row[0] for row in rows]
        for query in (
            b"DELETE FROM entries WHERE game = ANY(%s)",
            b"DELETE FROM private_parts WHERE game = ANY(%s)",
            b"DELETE FROM requests WHERE scope = ANY(%s)",
            b"DELETE FROM requests WHERE scope = 0 AND game = ANY(%s)",
            b"DELETE FROM games WHERE id = ANY(%s)",  # the other tables follow
        ):
            connection.execute(query, (numbers,))


def erase(connection: Connection[Any], client: bytes) -> int:
    """Forget a person; entries know the player's id alone, and stay."""
    if not client:
        return 0
    with connection.transaction():
        found = connection.execute(
            "UPDATE people SET client = '', display_name = '' "
            "WHERE client = %s AND client <> ''::bytea RETURNING game, player_id",
            (client,),
        ).fetchall()
        # A caller is a client, or a seat's player, after what else the engine puts before it.
        for game, player_id in found:
            own = player_id.encode()
            connection.execute(
                "DELETE FROM requests "
                "WHERE scope = %s AND substr(caller, length(caller) - %s + 1) = %s",
                (game, len(own), own),
            )
        connection.execute(
            "DELETE FROM requests WHERE substr(caller, length(caller) - %s + 1) = %s",
            (len(client), client),
        )
    return len({game for game, _ in found})


def deliver(connection: Connection[Any], found: Sequence[Delivery]) -> None:
    """Note what was delivered of questions; of each game once."""
    if found:
        connection.execute(*deliveries(found))


_BEAT: Final = f"""
INSERT INTO nodes AS n (node, version, draining, heard_ms) VALUES (%s, %s, %s, {NOW_MS})
ON CONFLICT (node) DO UPDATE
    SET version = excluded.version, draining = excluded.draining, heard_ms = excluded.heard_ms
    WHERE excluded.heard_ms - n.heard_ms < {STALE_MS}
"""  # noqa: S608 # all SQL is made of our own names
_PULSE: Final = f"""
SELECT now_ms, node, greatest(now_ms - heard_ms, 0)
FROM nodes, (SELECT {NOW_MS} AS now_ms) AS calendar
WHERE node = %s OR heard_ms > now_ms - 3600000
"""  # noqa: S608 # all SQL is made of our own names


def beat(connection: Connection[Any], node: str, version: str, *, draining: bool = False) -> Pulse:
    """Note that a node lives, unless it was silent for too long."""
    noted = connection.execute(_BEAT.encode(), (node, version, draining)).rowcount
    rows = connection.execute(_PULSE.encode(), (node,)).fetchall()
    ages = {name: 0 if noted and name == node else age for _, name, age in rows}
    return Pulse(rows[0][0], ages)
