"""A store in memory, for tests and simulations: the SQL of `SqliteStore` without a file."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from endless_winter.store import schema, writing
from endless_winter.store.errors import StoreClosed, StoreError
from endless_winter.store.sqlite import SqlStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from endless_winter.store.records import Append, Uptime


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
            with self.connection() as connection:
                try:
                    outcomes = writing.commit(connection, appends, uptime)
                finally:
                    connection.rollback()  # nothing is left of a commit that was refused as wrong
            if self.after is not None:
                self.after(appends)
        except StoreError:
            self._failed = True
            raise
        return outcomes

    def recover(self) -> None:
        self._check_open()
        if self.recovering is not None:
            self.recovering()
        self._failed = False

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
