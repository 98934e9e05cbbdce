"""Stores for the tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.store.support import opened

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from endless_winter.store import SqliteStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    async with opened(path) as store:
        yield store
