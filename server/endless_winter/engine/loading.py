"""A game's log, folded into a game again: crash recovery is replay.

Every entry is checked against the chain hash, the secret against the commitment, and the last
position against the hash that the log has of it: rules that changed without a new version would
go on with another game otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.engine.delay import Frame
from endless_winter.engine.events import EntryEvents
from endless_winter.engine.game import RING, Game, Identity
from endless_winter.engine.replay.record import secret_fits
from endless_winter.engine.table import new_table, position_hash
from endless_winter.store.records import NO_CHAIN, GameRecord, LogEntry, chain_after
from endless_winter.v1 import replay_pb2

if TYPE_CHECKING:
    from endless_winter.engine.clocks import Now
    from endless_winter.engine.lobby import Presence
    from endless_winter.engine.packs import Kit
    from endless_winter.engine.settings import Settings
    from endless_winter.engine.table import Table


class BrokenLog(Exception):
    """A log does not add up; the message says where."""


def read_entry(chain: bytes, game_id: str, logged: LogEntry) -> replay_pb2.LogEntry:
    """The entry after the one with that chain hash. Raises `BrokenLog`."""
    due = chain_after(chain, game_id, logged.seq, logged.kind, logged.at_ms, logged.payload)
    if due != logged.chain:
        raise BrokenLog(f"entry {logged.seq} does not fit its chain hash")
    return replay_pb2.LogEntry.FromString(logged.payload)


class Loading:
    """A game on its way into memory: `take` every entry, then `finish`."""

    def __init__(self, record: GameRecord, kit: Kit, unix_ms: int) -> None:
        header, secret = record.header, record.secret
        if not secret_fits(record):
            raise BrokenLog("seed and salt do not fit the commitment")
        config, rules = kit.config(header.config)
        self.table = new_table(header.game_id, config, rules, secret.seed)
        self.table.people = dict(record.people)
        self.chain = NO_CHAIN
        self._record = record
        self._scribe = kit.scribe(rules)
        self._delay_ms = config.spectator_delay_ms
        self._seen_ms = unix_ms - self._delay_ms
        self._ring: list[EntryEvents] = []
        # What spectators with a delay have seen (None: everything), and what they have not yet.
        self._seen: tuple[Table, list[EntryEvents]] | None = None
        self._frames: list[Frame] = []
        self._position_hash = b""
        self._question: tuple[int, int] | None = None
        self.asked_unix_ms = 0
        """When the pending question was asked, on the calendar."""

    def take(self, logged: LogEntry) -> None:
        """Let the next entry happen; raises what is wrong with it."""
        table = self.table
        entry = read_entry(self.chain, table.game_id, logged)
        self.chain = logged.chain
        delayed = self._delay_ms > 0 and entry.time_unix_ms > self._seen_ms
        unseen = delayed and entry.seq > 1  # that there is a game, all may know at once
        if unseen and self._seen is None:
            self._seen = (table.copy(), self._ring[-RING:])
        table.apply(entry, self._record.private.get(entry.seq, b""))
        self._position_hash = entry.position_hash
        if self._question != (table.status, table.decision_id):
            self._question = (table.status, table.decision_id)
            if not entry.HasField("undo"):
                self.asked_unix_ms = entry.time_unix_ms
        # What no viewer can be sent from memory any more is not cached.
        if self._delay_ms or entry.seq > self._record.header.seq - RING:
            events = EntryEvents(entry.seq, logged.payload, table.people)
            self._ring.append(events)
            if unseen:
                self._frames.append(Frame(entry.time_unix_ms, table.copy(), (events,)))

    def finish(
        self, settings: Settings, everywhere: Presence, thought_ms: int, version: str, now: Now
    ) -> Game:
        """The game; its pending question was thought about for `thought_ms` before."""
        table = self.table
        if self._position_hash != position_hash(table):
            raise BrokenLog(f"entry {table.seq} leads to another position than its hash says")
        header = self._record.header
        identity = Identity(
            header.creator_client, self._record.secret, header.commitment, header.tournament_id
        )
        game = Game(
            table,
            identity,
            self._scribe,
            self.chain,
            settings=settings,
            everywhere=everywhere,
            now=now,
        )
        game.restarted = version
        game.ring.extend(self._ring)
        game.go_on(thought_ms, now)
        if game.delayed is not None:
            past, ring = self._seen or (table, self._ring)
            game.delayed.restore(past, ring, self._frames)
        return game


def catch_up(game: Game, record: GameRecord, newer: list[LogEntry], now: Now) -> bool:
    """Another writer has added to the log: the game becomes what it says.

    Whether a seat changed hands.
    """
    table, events, chain = game.table.copy(), [], game.chain
    table.people = dict(record.people)
    at_ms, undone = 0, False
    for logged in newer:
        entry = read_entry(chain, table.game_id, logged)
        chain = logged.chain
        table.apply(entry, record.private.get(entry.seq, b""))
        at_ms, undone = entry.time_unix_ms, entry.HasField("undo")
        events.append(EntryEvents(entry.seq, logged.payload, table.people))
    if not events:
        return False
    game.chain = chain
    return game.become(table, events, at_ms, now, undone=undone)
