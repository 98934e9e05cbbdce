"""Stores for the tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from endless_winter.store.memory import MemoryStore
from endless_winter.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from endless_winter.store.protocol import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


@pytest.fixture(params=["sqlite", "memory"])
def store(request: pytest.FixtureRequest, path: Path) -> Iterator[Store]:
    """Each kind of store; it does not wait for the disk, since few tests are about that."""
    is_file = request.param == "sqlite"
    store = SqliteStore.open(path, synchronous="off") if is_file else MemoryStore()
    yield store
    store.close()
