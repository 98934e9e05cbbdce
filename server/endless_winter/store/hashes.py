"""A hash of each row that no chain covers, so that one flipped bit is noticed."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, Final

COLUMNS: Final = {
    "packs": ("hash", "data"),
    "games": (
        *("game_id", "created_ms", "rules_version", "content_hash", "config", "commitment"),
        *("creator", "listed", "seats", "rivers", "solo", "title", "tournament_id", "status"),
        *("started_ms", "ended_ms", "open_seats", "sealed", "summary"),
    ),
    "tags": ("game", "tag"),
    "requests": ("scope", "caller", "request_id", "game", "seq", "digest", "answer"),
    "people": ("game", "player_id", "client", "display_name"),
    "seats": ("game", "seat", "player_id"),
    "private_parts": ("game", "seq", "data"),
    "uptimes": ("since_ms", "until_ms"),
    "removals": ("count",),
}
"""What a hash covers. For `game` it is the id of the game, and for `scope` too (or empty)."""


def row_hash(table: str, *values: Any) -> bytes:
    """Of the values of a row, in the order of `COLUMNS` and of the types that SQLite gives."""
    return blake2b(ascii(values).encode(), digest_size=8, person=table.encode()).digest()
