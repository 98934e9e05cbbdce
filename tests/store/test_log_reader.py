"""Logs read straight from the file, by whoever has many to read, while a server uses it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from endless_winter.store import LogReader, StoreError
from tests.store.support import create, entry, opened

if TYPE_CHECKING:
    from pathlib import Path


async def test_many_threads_read_what_the_server_has_written(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    async with opened(path) as store:
        first = await create(store)
        reader = LogReader(path)
        await store.append("one", first, [entry("later")])
        found = await asyncio.gather(*(asyncio.to_thread(reader.lines, "one") for _ in range(8)))
        assert all(lines == found[0] for lines in found)
        assert [line.payload for line in found[0]][-1] == entry("later").payload
        assert len(found[0]) == first + 1
        assert reader.lines("another") == []
        reader.close()
        assert reader.lines("one") == found[0]
        reader.close()


def test_a_store_that_is_not_there_is_said_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no store"):
        LogReader(tmp_path / "none.db").lines("one")
