"""Every game of a store played again, from the file alone: which of them a server could go on with.

The store's own check knows nothing of rules: to it a log is sound when no entry is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.content import ContentError, pack_of
from endless_winter.rules import RULES_VERSION
from endless_winter.service.packs import Kit
from endless_winter.service.rewind import new_table
from endless_winter.service.table import position_hash
from endless_winter.store import StoreDamaged, read_game, upkeep
from endless_winter.v1 import replay_pb2

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from endless_winter.store import Kept


def problems(path: Path) -> Iterator[str]:
    """A line for each game of these rules that cannot be played again as its log says."""
    kits: dict[str, Kit | None] = {}
    for game_id in upkeep.games(path, str(RULES_VERSION)):
        try:
            kept = read_game(path, game_id)
        except StoreDamaged as error:
            yield f"game {game_id}: {error}"
            continue
        if kept is None:
            continue  # removed meanwhile
        content = kept.header.content_hash
        if content not in kits:
            kits[content] = _kit(path, content)
        kit = kits[content]
        wrong = "its content pack cannot be read" if kit is None else _wrong_with(kept, kit)
        if wrong:
            yield f"game {game_id}: {wrong}"


def _kit(path: Path, content_hash: str) -> Kit | None:
    try:
        return Kit(pack_of(upkeep.pack(path, content_hash)))
    except ContentError:
        return None


def _wrong_with(kept: Kept, kit: Kit) -> str:
    """Where a log stops to add up; empty: nowhere."""
    seq = 0
    try:
        config, rules = kit.config(kept.header.config)
        table = new_table(kept.header.game_id, config, rules, kept.secret.seed)
        for logged in kept.entries:
            seq = logged.seq
            entry = replay_pb2.LogEntry.FromString(logged.payload)
            table.apply(entry, logged.private)
            if position_hash(table) != entry.position_hash:
                return f"entry {seq} leads to another position than its hash says"
    except Exception as error:  # noqa: BLE001 # whatever is wrong with a log
        return f"entry {seq} cannot be played again: {error or type(error).__name__}"
    return ""
