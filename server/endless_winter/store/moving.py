"""Moves the write-ahead log into the file, on a connection of its own, beside whoever writes."""

from __future__ import annotations

import logging
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from endless_winter.store import flushing

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.store.commits import Commits

log = logging.getLogger("endless_winter.store")


class Mover:
    """Moves what is committed when it begins. The log begins anew when nothing came meanwhile."""

    def __init__(
        self,
        connect: Callable[[], sqlite3.Connection],
        commits: Commits,
        in_the_loop: Callable[[Callable[[], None]], None],
    ) -> None:
        """`commits` knows what to do when the disk fails."""
        self.busy = False
        self._connect = connect
        self._commits = commits
        self._in_the_loop = in_the_loop
        self._connection: sqlite3.Connection | None = None
        self._failing = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store-mover")

    def move(self, then: Callable[[bool], None]) -> None:
        """Called in the event loop, and so is `then`, with whether it could be done."""
        self.busy = True
        self._thread.submit(self._move, partial(self._moved, then))

    def _moved(self, then: Callable[[bool], None], moved: bool) -> None:  # noqa: FBT001 # a word
        self.busy = False
        then(moved)

    def _move(self, done: Callable[[bool], None]) -> None:
        moved = False
        try:
            if self._connection is None:
                self._connection = self._connect()
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            moved, self._failing = True, False
        except Exception as error:  # noqa: BLE001 # the next time, with another connection
            if flushing.failed(error):
                self._commits.lost(error)
            if not self._failing:
                log.warning("the write-ahead log could not be moved into the file: %s", error)
            self._failing = True
            self._forget()
        self._in_the_loop(partial(done, moved))

    def _forget(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()

    def close(self) -> None:
        """Blocks until it has come to its end."""
        self._thread.shutdown()
        self._forget()
