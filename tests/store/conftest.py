"""Stores for the tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from endless_winter.store.memory import MemoryStore
from endless_winter.store.postgres.store import PostgresStore
from endless_winter.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from endless_winter.store.protocol import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


@pytest.fixture(params=["sqlite", "memory", "postgres"])
def store(request: pytest.FixtureRequest, path: Path) -> Iterator[Store]:
    """Each kind of store; the file does not wait for the disk, since few tests are about that."""
    store: Store
    if request.param == "sqlite":
        store = SqliteStore.open(path, synchronous="off")
    elif request.param == "memory":
        store = MemoryStore()
    else:
        store = PostgresStore.open(request.getfixturevalue("database"))
    yield store
    store.close()
