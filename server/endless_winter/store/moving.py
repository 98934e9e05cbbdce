"""Moves the write-ahead log into the file, on a connection of its own, beside whoever writes."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Mover:
    """Moves what is committed when it begins. The log begins anew when nothing came meanwhile."""

    def __init__(
        self,
        connect: Callable[[], sqlite3.Connection],
        in_the_loop: Callable[[Callable[[], None]], None],
    ) -> None:
        self.busy = False
        self._connect = connect
        self._in_the_loop = in_the_loop
        self._connection: sqlite3.Connection | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store-mover")

    def move(self, then: Callable[[int], None], octets: int) -> None:
        """Called in the event loop, and so is `then`, with what is in the log now, about."""
        self.busy = True
        self._thread.submit(self._move, partial(self._moved, then, octets))

    def _moved(self, then: Callable[[int], None], octets: int) -> None:
        self.busy = False
        then(octets)

    def _move(self, done: Callable[[], None]) -> None:
        try:
            if self._connection is None:
                self._connection = self._connect()
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        except Exception:  # noqa: BLE001 # the next time, with another connection
            self._forget()
        self._in_the_loop(done)

    def _forget(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()

    def close(self) -> None:
        """Blocks until it has come to its end."""
        self._thread.shutdown()
        self._forget()
