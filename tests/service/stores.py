"""Stores that are slow, or away, for tests of the server around them."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from endless_winter.store.errors import StoreError
from endless_winter.store.memory import MemoryStore
from tests.service.wire import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endless_winter.store.records import Append, Uptime


class SlowStore(MemoryStore):
    """Each write takes so many seconds; it notes which were done beside the main thread."""

    def __init__(self, seconds: float = 0.0) -> None:
        super().__init__()
        self.seconds = seconds
        self.beside: list[bool] = []

    def commit(
        self, appends: Sequence[Append], uptime: Uptime | None = None
    ) -> list[StoreError | None]:
        if appends:
            self.beside.append(threading.current_thread() is not threading.main_thread())
        time.sleep(self.seconds)
        return super().commit(appends, uptime)


class GatedStore(MemoryStore):
    """While the gate is closed a commit waits before it, in the thread of the store.

    Each takes some milliseconds, so that the server leaves them to that thread.
    """

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.gate.set()
        self.waits = threading.Event()
        """Set when a commit waits."""
        self.before = self._pass

    def _pass(self, appends: Sequence[Append]) -> None:
        del appends
        time.sleep(0.005)
        if threading.current_thread() is not threading.main_thread():
            self.waits.set()
            assert self.gate.wait(PATIENCE)


class AwayStore:
    """A store that can neither be read nor written while it is `away`."""

    shared = False

    def __init__(self, store: Any) -> None:
        self._store = store
        self.away = False

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if not callable(found):
            return found

        def call(*args: Any, **more: Any) -> Any:
            if self.away and name != "checkpoint_due":
                raise StoreError("it is away")
            return found(*args, **more)

        return call
