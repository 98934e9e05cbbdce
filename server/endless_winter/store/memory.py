"""A store in memory, for tests and simulations: the SQL of `SqliteStore` without a file."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import contextmanager
from dataclasses import replace
from time import time_ns
from typing import TYPE_CHECKING, NamedTuple

from endless_winter.store import schema, writing
from endless_winter.store.errors import Conflict, StoreClosed, StoreError
from endless_winter.store.records import STALE_MS, GameRecord, Page, Pulse, Status
from endless_winter.store.sqlite import SqlStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from endless_winter.store.records import Append, Deadline, Delivery, Header, Query, Uptime, Wake


def _calendar_ms() -> int:
    return time_ns() // 1_000_000


class MemoryStore(SqlStore):
    """See ``Store``. What is committed lasts as long as the object, whatever fails.

    Faults are injected by functions that raise a ``StoreError``: `before` and `after` are called
    with each round, before it is committed and after it was (its result is unknown then), and
    `recovering` by `recover`.
    """

    def __init__(self) -> None:
        self.before: Callable[[Sequence[Append]], None] | None = None
        self.after: Callable[[Sequence[Append]], None] | None = None
        self.recovering: Callable[[], None] | None = None
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(
            ":memory:", isolation_level=None, check_same_thread=False
        )
        self._connection.execute("PRAGMA foreign_keys = ON")
        self._connection.executescript(schema.tables())
        self._failed = False
        self._closed = False

    def commit(
        self, appends: Sequence[Append], uptime: Uptime | None = None
    ) -> list[StoreError | None]:
        if self._failed:
            raise StoreError("the last commit failed; recover comes first")
        try:
            if self.before is not None:
                self.before(appends)
            outcomes = self._write(appends, uptime)
            if self.after is not None:
                self.after(appends)
        except StoreError:
            self._failed = True
            raise
        return outcomes

    def _write(self, appends: Sequence[Append], uptime: Uptime | None) -> list[StoreError | None]:
        with self.connection() as connection:
            try:
                return writing.commit(connection, appends, uptime)
            finally:
                connection.rollback()  # nothing is left of a commit that was refused as wrong

    def recover(self) -> bool:
        self._check_open()
        if self.recovering is not None:
            self.recovering()
        self._failed = False
        return False

    def checkpoint(self) -> None:
        self._check_open()

    def checkpoint_due(self) -> bool:
        return False

    def close(self) -> None:
        self._closed = True

    @contextmanager
    def connection(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        del write
        self._check_open()
        with self._lock:
            yield self._connection

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosed("the store is closed")


class _Noted(NamedTuple):
    """The last `Deadline` of a game, on the calendar."""

    deadline_ms: int | None
    node: str
    delivered_ms: int | None


class SharedMemoryStore(MemoryStore):
    """A store in memory that several nodes of one process share, as they would a database."""

    shared = True

    def __init__(self, calendar_ms: Callable[[], int] = _calendar_ms) -> None:
        """`calendar_ms` is the store's clock."""
        super().__init__()
        self._calendar_ms = calendar_ms
        self._deadlines: dict[str, _Noted] = {}
        self._beats: dict[str, int] = {}
        self._heard: list[Callable[[Wake], None]] = []

    # --- timers ---

    def _write(self, appends: Sequence[Append], uptime: Uptime | None) -> list[StoreError | None]:
        with self._lock:
            early = {one.game_id for one in appends if one.overdue and not self._is_over(one)}
            written = [one for one in appends if one.game_id not in early]
            found = iter(super()._write(written, uptime))
            outcomes: list[StoreError | None] = []
            for append in appends:
                if append.game_id in early:
                    head = self.heads([append.game_id]).get(append.game_id)
                    actual = head.seq if head is not None else 0
                    outcomes.append(Conflict(append.game_id, append.expected_seq, actual))
                    continue
                outcome = next(found)
                outcomes.append(outcome)
                if outcome is None and append.deadline is not None:
                    self._note(append.game_id, append.deadline)
            return outcomes

    def _is_over(self, append: Append) -> bool:
        noted = self._deadlines.get(append.game_id)
        deadline_ms = noted.deadline_ms if noted is not None else None
        return deadline_ms is not None and deadline_ms <= self._calendar_ms()

    def _note(self, game_id: str, deadline: Deadline) -> None:
        now_ms = self._calendar_ms()
        self._deadlines[game_id] = _Noted(
            None if deadline.wait_ms is None else now_ms + deadline.wait_ms,
            deadline.node,
            now_ms - deadline.thought_ms if deadline.node else None,
        )

    def deliver(self, deliveries: Sequence[Delivery]) -> None:
        with self._lock:
            heads = self.heads([one.game_id for one in deliveries])
            for delivery in deliveries:
                head = heads.get(delivery.game_id)
                if head is not None and head.seq == delivery.seq:
                    self._note(delivery.game_id, delivery.deadline)

    def look(self, appends: Sequence[Append]) -> list[StoreError | None]:
        """What became of a round, by what is there."""
        return super().resolve(appends)

    def resolve(self, appends: Sequence[Append]) -> list[StoreError | None]:
        with self._lock:
            again = self.commit(appends)  # the first may be on its way still
            found = self.look(appends)
        return [one if one is None else two for one, two in zip(found, again, strict=True)]

    def _with_deadline(self, header: Header) -> Header:
        noted = self._deadlines.get(header.game_id)
        return header if noted is None else replace(header, **noted._asdict())

    def load(self, game_id: str) -> GameRecord | None:
        record = super().load(game_id)
        return (
            None if record is None else replace(record, header=self._with_deadline(record.header))
        )

    def list_games(self, query: Query, *, limit: int = 100, token: str = "") -> Page:
        page = super().list_games(query, limit=limit, token=token)
        return replace(page, games=tuple(self._with_deadline(header) for header in page.games))

    def overdue(self, limit: int = 100) -> list[str]:
        now_ms = self._calendar_ms()
        with self._lock:
            late = sorted(
                (noted.deadline_ms, game_id)
                for game_id, noted in self._deadlines.items()
                if noted.deadline_ms is not None and noted.deadline_ms <= now_ms
            )
        found: list[str] = []
        for _, game_id in late:
            record = super().load(game_id)
            if record is None or record.header.status == Status.ENDED:
                self._deadlines.pop(game_id, None)
            elif len(found) < limit:
                found.append(game_id)
        return found

    # --- nodes ---

    def beat(self, node: str, version: str, *, draining: bool = False) -> Pulse:
        del version, draining
        self._check_open()
        now_ms = self._calendar_ms()
        with self._lock:
            if now_ms - self._beats.get(node, now_ms) < STALE_MS:
                self._beats[node] = now_ms
            return Pulse(now_ms, {name: now_ms - at_ms for name, at_ms in self._beats.items()})

    def notify(self, wake: Wake) -> None:
        for heard in self._heard:
            heard(wake)

    def listen(self, heard: Callable[[Wake], None]) -> None:
        self._heard.append(heard)
