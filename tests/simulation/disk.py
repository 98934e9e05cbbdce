"""The one store of a run, and each node's connection to it, which draws the faults.

What stands behind is the store in memory: whatever it has acknowledged to anybody lasts. The
connection delays, loses, repeats and refuses as networks, disks and databases do.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from endless_winter.store.errors import StoreError, StoreFull
from endless_winter.store.memory import SharedMemoryStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from endless_winter.store.records import (
        Append,
        Delivery,
        FirstAnswer,
        GameRecord,
        Head,
        LogEntry,
        Page,
        Pulse,
        Query,
        Uptime,
        Wake,
    )
    from tests.simulation.loop import NodeLoop, World

START_UNIX_MS = 1_800_000_000_000
QUICK = (0.0002, 0.002)
SLOW = (0.02, 2.0)


class Database:
    """The store behind all connections, and what was committed, entry by entry."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.store = SharedMemoryStore(lambda: START_UNIX_MS + int(world.now * 1000))
        self.down_until = 0.0
        self.full_until = 0.0
        self.chains: dict[tuple[str, int], bytes] = {}
        self.listeners: dict[Connection, Callable[[Wake], None]] = {}

    def notify(self, sender: Connection, wake: Wake) -> None:
        for connection in self.listeners:
            if connection is not sender:
                connection.hear(wake)

    def commit(self, appends: Sequence[Append], uptime: Uptime | None) -> list[StoreError | None]:
        """One transaction; the trace has every entry."""
        outcomes = self.store.commit(appends, uptime)
        for append, outcome in zip(appends, outcomes, strict=True):
            if outcome is not None:
                self.world.seen[f"commit: {type(outcome).__name__}"] += 1
                continue
            for entry in append.entries:
                key = append.game_id, entry.seq
                if key in self.chains:
                    self.world.fail(f"entry {entry.seq} of {append.game_id} was written twice")
                self.chains[key] = entry.chain
                self.world.note("entry", append.game_id, entry.seq, entry.chain.hex())
        return outcomes

    def resolve(self, appends: Sequence[Append]) -> list[StoreError | None]:
        """As the store does it, and the trace has every entry."""
        again = self.commit(appends, None)  # the first may be on its way still
        found = self.store.look(appends)
        return [one if one is None else two for one, two in zip(found, again, strict=True)]


class Connection:
    """What one process of a node has of the store: a `Store` with faults."""

    shared = True
    remote = True

    def __init__(self, database: Database, loop: NodeLoop, *, faults: Callable[[], bool]) -> None:
        self._database = database
        self._store = database.store
        self._world = database.world
        self._loop = loop
        self._chance = database.world.chance("store", loop.name)
        self._faults = faults
        self._broken = False
        self._closed = False

    # --- faults ---

    def _wait(self, least: float, most: float) -> None:
        self._loop.spend(self._chance.uniform(least, most))

    def _reach(self) -> None:
        """Get through to the store at all."""
        self._wait(*QUICK)
        if self._world.now < self._database.down_until:
            self._world.seen["store: away"] += 1
            raise StoreError("the store is away")

    @contextmanager
    def _reading(self) -> Iterator[None]:
        self._reach()
        if self._faults() and self._chance.random() < 0.002:
            self._world.seen["read: failed"] += 1
            raise StoreError("a read failed")
        yield

    # --- writing ---

    def commit(
        self, appends: Sequence[Append], uptime: Uptime | None = None
    ) -> list[StoreError | None]:
        if self._broken:
            raise StoreError("the last commit failed; recover comes first")
        try:
            return self._commit(appends, uptime)
        except StoreError:
            self._broken = True
            raise

    def _commit(self, appends: Sequence[Append], uptime: Uptime | None) -> list[StoreError | None]:
        self._reach()
        database, seen = self._database, self._world.seen
        if self._world.now < database.full_until:
            seen["commit: full"] += 1
            raise StoreFull("the store is full")
        fault = self._chance.random() if self._faults() else 1.0
        if fault < 0.01:
            seen["commit: lost on its way"] += 1
            raise StoreError("the connection broke")
        if fault < 0.02:
            database.commit(appends, uptime)
            seen["commit: acknowledgement lost"] += 1
            raise StoreError("the connection broke")
        if fault < 0.03:
            late = self._chance.uniform(0.001, 1.0)
            self._world.after(late, self._arrive, appends, uptime)
            seen["commit: arrives late"] += 1
            raise StoreError("the connection broke")
        if fault < 0.06:
            seen["commit: slow"] += 1
            self._wait(*SLOW)
        return database.commit(appends, uptime)

    def _arrive(self, appends: Sequence[Append], uptime: Uptime | None) -> None:
        outcomes = self._database.commit(appends, uptime)
        if None in outcomes:
            self._world.seen["commit: arrived late"] += 1

    def recover(self) -> bool:
        self._reach()
        self._broken = False
        return False

    def resolve(self, appends: Sequence[Append]) -> list[StoreError | None]:
        self._reach()
        return self._database.resolve(appends)

    # --- reading ---

    def heads(self, game_ids: Sequence[str]) -> dict[str, Head]:
        with self._reading():
            return self._store.heads(game_ids)

    def uptimes(self) -> list[Uptime]:
        with self._reading():
            return self._store.uptimes()

    def load(self, game_id: str) -> GameRecord | None:
        with self._reading():
            return self._store.load(game_id)

    def read(self, game_id: str, after_seq: int = 0, limit: int = 1000) -> list[LogEntry]:
        with self._reading():
            return self._store.read(game_id, after_seq, limit)

    def list_games(self, query: Query, *, limit: int = 100, token: str = "") -> Page:
        with self._reading():
            return self._store.list_games(query, limit=limit, token=token)

    def find_request(self, caller: bytes, request_id: str, game_id: str = "") -> FirstAnswer | None:
        with self._reading():
            return self._store.find_request(caller, request_id, game_id)

    def get_pack(self, content_hash: str) -> bytes | None:
        with self._reading():
            return self._store.get_pack(content_hash)

    def list_packs(self) -> list[str]:
        with self._reading():
            return self._store.list_packs()

    def beat(self, node: str, version: str, *, draining: bool = False) -> Pulse:
        self._reach()
        pulse = self._store.beat(node, version, draining=draining)
        if pulse.nodes[node]:
            self._world.seen["node: counted as dead, and lives"] += 1
        return pulse

    def deliver(self, deliveries: Sequence[Delivery]) -> None:
        self._reach()
        self._store.deliver(deliveries)

    def overdue(self, limit: int = 100) -> list[str]:
        with self._reading():
            return self._store.overdue(limit)

    def notify(self, wake: Wake) -> None:
        self._reach()
        self._database.notify(self, wake)

    def listen(self, heard: Callable[[Wake], None]) -> None:
        self._database.listeners[self] = heard

    def hear(self, wake: Wake) -> None:
        """Another node notifies; it comes later, or never."""
        heard = self._database.listeners.get(self)
        if heard is None or self._loop.dead:
            return
        if self._faults() and self._chance.random() < 0.05:
            self._world.seen["wake-up: lost"] += 1
            return
        wait = self._chance.expovariate(1 / 0.002)
        if self._faults() and self._chance.random() < 0.05:
            wait += self._chance.uniform(0.1, 2.0)
            self._world.seen["wake-up: late"] += 1
        self._world.after(wait, heard, wake, loop=self._loop)

    def checkpoint(self) -> None:
        """Nothing is put off."""

    def checkpoint_due(self) -> bool:
        return False

    def remove(self, game_ids: Sequence[str]) -> None:
        self._store.remove(game_ids)

    def erase(self, client: bytes) -> int:
        return self._store.erase(client)

    def close(self) -> None:
        self._closed = True
