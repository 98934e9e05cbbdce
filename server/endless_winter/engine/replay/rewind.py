"""A game stepped through again from its log: frames of a replay through somebody's eyes.

Events are those of the log; positions come from folding the log once more. So what a
viewer finds in a frame was made for that viewer by the same builders as in play. Without the
rules or the content of the game there are no positions, and the events can still be shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from endless_winter.engine import clocks
from endless_winter.engine.events import read_events, viewer_events
from endless_winter.engine.table import RUNNING
from endless_winter.v1 import replay_pb2, view_pb2
from endless_winter.views import (
    PublicEncoder,
    event_bytes,
    omniscient_view,
    private_bytes,
    wire,
)

if TYPE_CHECKING:
    from endless_winter.engine.table import Table
    from endless_winter.views import Scribe

_F = replay_pb2.ReplayFrame
_V = view_pb2.View


class Eyes(NamedTuple):
    """Who looks: a seat, nobody in particular (a spectator), or everything lies open."""

    seat: int | None = None
    everything: bool = False


SPECTATOR = Eyes()
OMNISCIENT = Eyes(everything=True)


class Rewind:
    """Steps through one game; entries come in order, each once."""

    def __init__(self, table: Table | None, scribe: Scribe | None, eyes: Eyes) -> None:
        """`table` is as before the first entry; None: the events are all that can be shown."""
        self.table = table
        self.eyes = eyes
        self.broken = ""
        """From which entry on there are no positions, and why; empty: there are."""
        self._scribe = scribe
        self._public = PublicEncoder(scribe.words) if scribe is not None else None

    def step(self, entry: replay_pb2.LogEntry, private: bytes = b"") -> None:
        """Let an entry happen. From one on that cannot, there are events and no positions."""
        if self.table is None:
            return
        try:
            self.table.apply(entry, private)
        except Exception as error:  # noqa: BLE001 # anything can be wrong with a log
            self.broken = f"entry {entry.seq}: {error or type(error).__name__}"
            self.table = None

    def frame(self, entry: replay_pb2.LogEntry, *, views: bool = True) -> bytes:
        """The serialized frame of the entry that happened last."""
        parts = [
            wire.uint(_F.SEQ_FIELD_NUMBER, entry.seq),
            wire.present(_F.TIME_UNIX_MS_FIELD_NUMBER, entry.time_unix_ms),
        ]
        parts += [wire.message(_F.EVENTS_FIELD_NUMBER, event) for event in self._events(entry)]
        if views:
            parts.append(self._view())
        clock = self._clock(entry.time_unix_ms)
        if clock is not None:
            parts.append(wire.message(_F.CLOCK_FIELD_NUMBER, clock))
        return b"".join(parts)

    def _events(self, entry: replay_pb2.LogEntry) -> list[bytes]:
        events = read_events(entry)
        if not self.eyes.everything:
            return viewer_events(entry.seq, events, self.eyes.seat)
        return [
            event_bytes(entry.seq, event.public, event.private if event.seat >= 0 else None)
            for event in events
        ]

    def _view(self) -> bytes:
        """The position; nothing before the start, or if it cannot be worked out."""
        table = self.table
        if table is None or table.game is None:
            return b""
        assert self._scribe is not None
        assert self._public is not None
        position = table.game.position
        forfeited = table.forfeited
        if self.eyes.everything:
            view = omniscient_view(self._scribe, table.game, table.decision_id, forfeited)
            body = view.SerializeToString(deterministic=True)
            return wire.message(_F.OMNISCIENT_VIEW_FIELD_NUMBER, body)
        body = wire.message(_V.PUBLIC_VIEW_FIELD_NUMBER, self._public.encode(position, forfeited))
        if self.eyes.seat is not None:
            own = private_bytes(self._scribe.words, position, self.eyes.seat)
            body += wire.message(_V.PRIVATE_VIEW_FIELD_NUMBER, own)
        return wire.message(_F.VIEW_FIELD_NUMBER, body)

    def _clock(self, time_ms: int) -> bytes | None:
        """The clocks when the entry was logged; absent in games without."""
        table = self.table
        if table is None or table.status != RUNNING:
            return None
        chooser = table.deciding_seat
        limits = clocks.limits_of(table.config.time_control)
        allowed = clocks.allowed_ms(table, chooser, limits) if chooser >= 0 else None
        deadline = None if allowed is None else time_ms + allowed
        return clocks.reading(table, time_ms, deadline, [one.bank_ms for one in table.seats])
