"""Every game of a store played again from its log: which of them a server could go on with.

The store's own check knows nothing of rules: to it a log is sound when it is as it was written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.content import ContentError, pack_of
from endless_winter.engine.loading import BrokenLog, Loading
from endless_winter.engine.packs import Kit
from endless_winter.engine.table import position_hash
from endless_winter.rules import RULES_VERSION
from endless_winter.store.opening import upkeep_of
from endless_winter.v1 import replay_pb2

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from endless_winter.store.opening import Snapshot

_ALL: Final = 1 << 62


def problems(where: str | Path) -> Iterator[str]:
    """A line for each game of these rules that cannot be played again as its log says."""
    kits: dict[str, Kit | None] = {}
    with upkeep_of(where).opened() as snapshot:
        for game_id, content_hash in snapshot.games_of(str(RULES_VERSION)):
            if content_hash not in kits:
                kits[content_hash] = _kit(snapshot, content_hash)
            wrong = _wrong(snapshot, game_id, kits[content_hash])
            if wrong:
                yield f"game {game_id}: {wrong}"


def _kit(snapshot: Snapshot, content_hash: str) -> Kit | None:
    try:
        pack = pack_of(snapshot.get_pack(content_hash) or b"")
    except ContentError:
        return None
    return Kit(pack) if pack.digest == content_hash else None


def _wrong(snapshot: Snapshot, game_id: str, kit: Kit | None) -> str:
    """Where a log stops to add up; empty: nowhere."""
    if kit is None:
        return "its content pack cannot be read"
    seq = 0
    try:
        record = snapshot.load(game_id)
        assert record is not None  # in one transaction
        loading = Loading(record, kit, record.header.created_ms)
        for entry in snapshot.read(game_id, 0, _ALL):
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
