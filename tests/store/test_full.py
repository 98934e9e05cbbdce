"""No room: the append is refused, nothing is half-written, and later it works again."""

from __future__ import annotations

import asyncio
import errno
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from endless_winter.store import SqliteStore, StoreFull, StoreInUse, upkeep
from tests.store.support import create, ended, entry, opened, request

if TYPE_CHECKING:
    from pathlib import Path

BIG = "x" * 3_000


def limit(store: SqliteStore, more_pages: int) -> None:
    """Let the file grow by so many pages and no more. The writer must be idle."""
    connection = store._writer.commits._connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages + more_pages}")


async def test_a_full_store_refuses_and_recovers(path: Path) -> None:
    async with opened(path) as store:
        await create(store)
        limit(store, 8)
        seq = 1
        with pytest.raises(StoreFull, match="the store is full"):  # noqa: PT012 # it is a loop
            while True:
                seq = await store.append("one", seq, [entry(BIG)], requests=[request(f"r{seq}")])
        assert seq > 1
        for _ in range(3):
            with pytest.raises(StoreFull):
                await store.append("one", seq, [entry(BIG)], requests=[request(f"r{seq}")])
        assert len(await store.read("one")) == seq, "reading goes on"
        assert await store.find_request(b"caller", f"r{seq}", "one") is None
        limit(store, 1_000)
        assert await store.append("one", seq, [ended(1)], requests=[request(f"r{seq}")]) == seq + 1
    assert list(upkeep.problems(path)) == []


async def test_a_disk_that_is_full_at_the_start_is_told_in_one_line(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as store:
        await create(store)

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "pwrite", full)
        async with opened(path) as store:  # whose number the lock tells is not worth more
            assert await store.get_game("one") is not None
            with pytest.raises(StoreInUse, match="in use by another process"):
                await SqliteStore.open(path)


async def test_an_append_of_many_entries_is_written_whole_or_not_at_all(path: Path) -> None:
    async with opened(path) as store:
        await create(store)
        before = await store.get_game("one")
        limit(store, 8)
        with pytest.raises(StoreFull):
            await store.append("one", 1, [*(entry(BIG) for _ in range(200)), ended(1)])
        assert await store.get_game("one") == before
        assert len(await store.read("one")) == 1
    assert list(upkeep.problems(path)) == []


async def test_of_a_batch_that_does_not_fit_what_fits_is_written(path: Path) -> None:
    async with opened(path) as store:
        for number in range(10):
            await create(store, f"game-{number}")
        limit(store, 40)
        calls = [
            store.append(f"game-{number}", 1, [entry(BIG * (100 if number == 4 else 1))])
            for number in range(6)
        ]
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        assert isinstance(outcomes[4], StoreFull)
        assert [outcome for outcome in outcomes if outcome == 2] == [2] * 5
        assert store.stats.retried > 0
    assert list(upkeep.problems(path)) == []


# In a process of its own, because the limit holds for every file that a process writes. A file
# that may not grow is not "full" to SQLite but an I/O error: the other kind of trouble.
SCRIPT = """
import asyncio, resource, sys
from pathlib import Path
from endless_winter.store import StoreError
from tests.store.support import create, entry, opened

async def main(path):
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    async with opened(path, "full") as store:
        await create(store)
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, unlimited[1]))
        seq = 1
        try:
            while True:
                seq = await store.append("one", seq, [entry("x" * 3000)])
        except StoreError as error:
            print("refused:", error)
        for _ in range(3):
            try:
                await store.append("one", seq, [entry("x" * 3000)])
            except StoreError:
                continue
            sys.exit("that cannot have been written")
        assert len(await store.read("one", limit=10_000)) == seq > 1
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
        for _ in range(300):
            seq = await store.append("one", seq, [entry("x" * 3000)])
        assert len(await store.read("one", limit=10_000)) == seq
        print("went on")

asyncio.run(main(Path(sys.argv[1])))
"""


def test_an_error_of_the_disk_refuses_and_is_survived(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path)], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    refused, went_on = done.stdout.splitlines()
    assert refused.startswith("refused: the store ")
    assert went_on == "went on"
    assert list(upkeep.problems(path)) == []
