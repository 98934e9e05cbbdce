"""A game's log, folded into a table again.

Recovery is replay. What is there afterwards is compared with the hash that the log has kept of
the position: rules that changed without a new version would go on with another game otherwise.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from endless_winter.service.committing import RING
from endless_winter.service.delay import Frame
from endless_winter.service.table import position_hash
from endless_winter.service.telling import News
from endless_winter.v1 import replay_pb2

if TYPE_CHECKING:
    from endless_winter.service.table import Table
    from endless_winter.store import Header, Store

_PAGE = 500
_PAUSE = 8  # entries that are replayed before others get a moment: a millisecond or so


class AnotherPosition(Exception):
    """A log leads to another position than it says."""


class Folded(NamedTuple):
    """What the log of a game says, and what is told of it from memory."""

    table: Table
    ring: list[News]
    # What spectators with a delay have seen (None: everything), and what they have not seen yet.
    seen: tuple[Table, list[News]] | None
    frames: list[Frame]
    asked_ms: int
    """When the pending question was asked, on the calendar."""


async def fold(store: Store, header: Header, table: Table, now_ms: int) -> Folded:
    """Let a whole log happen to an empty table; raises whatever is wrong with the log."""
    delay_ms = table.config.spectator_delay_ms
    seen_ms = now_ms - delay_ms
    seen: tuple[Table, list[News]] | None = None
    ring: list[News] = []
    frames: list[Frame] = []
    hashed = b""
    asked: tuple[int, int] | None = None  # the pending question
    asked_ms = 0
    after = 0
    while entries := await store.read(header.game_id, after, _PAGE):
        for logged in entries:
            entry = replay_pb2.LogEntry.FromString(logged.payload)
            delayed = delay_ms > 0 and entry.time_unix_ms > seen_ms
            unseen = delayed and entry.seq > 1  # that there is a game, all may know at once
            if unseen and seen is None:
                seen = (table.copy(), ring[:])
            table.apply(entry, logged.private)
            hashed = entry.position_hash
            if asked != (table.status, table.decision_id):
                asked = (table.status, table.decision_id)
                if not entry.HasField("undo"):
                    asked_ms = entry.time_unix_ms
            if not entry.seq % _PAUSE:
                await asyncio.sleep(0)
            # What nobody can be told from memory any more need not be read.
            if not delay_ms and entry.seq <= header.last_seq - RING:
                continue
            told = News(entry.seq, None, logged.payload)
            ring.append(told)
            if unseen:
                frames.append(Frame(entry.time_unix_ms, table.copy(), (told,)))
        ring = ring[-RING:]
        after = entries[-1].seq
    if hashed != position_hash(table):
        raise AnotherPosition(f"entry {table.seq} leads to another position than its hash says")
    return Folded(table, ring, seen, frames, asked_ms)
