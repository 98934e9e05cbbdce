"""Every game of a store played again, from the file alone: which of them a server could go on with.

The store's own check knows nothing of rules: to it a log is sound when it is as it was written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.content import ContentError, pack_of
from endless_winter.engine.loading import BrokenLog, Loading
from endless_winter.engine.packs import Kit
from endless_winter.engine.table import position_hash
from endless_winter.rules import RULES_VERSION
from endless_winter.store import reading, upkeep
from endless_winter.v1 import replay_pb2

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

_ALL: Final = 1 << 62


def problems(path: Path) -> Iterator[str]:
    """A line for each game of these rules that cannot be played again as its log says."""
    kits: dict[str, Kit | None] = {}
    with upkeep.opened(path) as connection:
        select = "SELECT game_id, content_hash FROM games WHERE rules_version = ? ORDER BY id"
        games = connection.execute(select, (str(RULES_VERSION),)).fetchall()
        for game_id, content_hash in games:
            if content_hash not in kits:
                kits[content_hash] = _kit(connection, content_hash)
            wrong = _wrong(connection, game_id, kits[content_hash])
            if wrong:
                yield f"game {game_id}: {wrong}"


def _kit(connection: sqlite3.Connection, content_hash: str) -> Kit | None:
    try:
        pack = pack_of(reading.get_pack(connection, content_hash) or b"")
    except ContentError:
        return None
    return Kit(pack) if pack.digest == content_hash else None


def _wrong(connection: sqlite3.Connection, game_id: str, kit: Kit | None) -> str:
    """Where a log stops to add up; empty: nowhere."""
    if kit is None:
        return "its content pack cannot be read"
    seq = 0
    try:
        record = reading.load(connection, game_id)
        assert record is not None  # in one transaction
        loading = Loading(record, kit, record.header.created_ms)
        for entry in reading.read(connection, game_id, 0, _ALL):
            seq = entry.seq
            loading.take(entry)
            expected = replay_pb2.LogEntry.FromString(entry.payload).position_hash
            if position_hash(loading.table) != expected:
                return f"entry {seq} leads to another position than its hash says"
    except BrokenLog as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 # anything can be wrong with a log
        return f"entry {seq} cannot be played again: {error or type(error).__name__}"
    return ""
