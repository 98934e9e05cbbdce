"""What changes a database: rounds of appends, removing games, erasing people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from endless_winter.store.errors import (
    Conflict,
    GameExists,
    NoSuchGame,
    Repeated,
    StoreError,
)
from endless_winter.store.postgres.arrays import Byteas, Flags, Texts
from endless_winter.store.postgres.reading import text
from endless_winter.store.records import FirstAnswer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from psycopg import Connection

    from endless_winter.store.records import Append

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
    return [_refusal(append, *row) for append, row in zip(appends, found, strict=True)]


def _refusal(
    append: Append, head: int | None, first_game: str | None, *first: Any
) -> StoreError | None:
    game_id = append.game_id
    if head is None and append.creation is None:
        return NoSuchGame(f"there is no game {game_id}")
    if append.request is not None and first_game is not None:
        return Repeated(append.request.request_id, FirstAnswer(first_game, *first))
    if head is not None and append.creation is not None:
        return GameExists(f"there is a game {game_id} already")
    if (head or 0) != append.expected_seq:
        return Conflict(game_id, append.expected_seq, head or 0)
    return None


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
