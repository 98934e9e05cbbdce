"""Every game of a store played again, from the file alone: which of them a server could go on with.

The store's own check knows nothing of rules: to it a log is sound when it is as it was written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.content import ContentError, pack_of
from endless_winter.engine.loading import BrokenLog, Loading
from endless_winter.engine.packs import Kit
from endless_winter.engine.table import position_hash
from endless_winter.rules import RULES_VERSION
from endless_winter.store import upkeep
from endless_winter.store.errors import StoreDamaged, StoreError
from endless_winter.v1 import replay_pb2

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from endless_winter.store.records import GameRecord, LogEntry


def problems(path: Path) -> Iterator[str]:
    """A line for each game of these rules that cannot be played again as its log says."""
    kits: dict[str, Kit | None] = {}
    for game_id in upkeep.games(path, str(RULES_VERSION)):
        try:
            found = upkeep.read_game(path, game_id)
        except StoreDamaged as error:
            yield f"game {game_id}: {error}"
            continue
        if found is None:
            continue  # removed meanwhile
        record, logged = found
        content = record.header.content_hash
        if content not in kits:
            kits[content] = _kit(path, content)
        kit = kits[content]
        wrong = "its content pack cannot be read" if kit is None else _wrong(record, logged, kit)
        if wrong:
            yield f"game {game_id}: {wrong}"


def _kit(path: Path, content_hash: str) -> Kit | None:
    try:
        pack = pack_of(upkeep.pack(path, content_hash))
    except (ContentError, StoreError):
        return None
    return Kit(pack) if pack.digest == content_hash else None


def _wrong(record: GameRecord, logged: list[LogEntry], kit: Kit) -> str:
    """Where a log stops to add up; empty: nowhere."""
    seq = 0
    try:
        loading = Loading(record, kit, record.header.created_ms)
        for entry in logged:
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
