"""The disk is asked to keep a commit while others go on; nobody is told before it has."""

from __future__ import annotations

import asyncio
import errno
import os
import sqlite3
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.store import Conflict, SqliteStore, commits, flushing, writer
from endless_winter.store.flushing import Flusher
from tests.foundations.tree import ROOT
from tests.store.support import create, entry, opened, request, texts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

GAMES = 2 * writer.BESIDE


@pytest.fixture(params=["beside", "in turn"])
def some_library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what the C library offers, and without."""
    if request.param == "in turn":
        monkeypatch.setattr(flushing, "_library", lambda: None)


@pytest.mark.usefixtures("some_library")
def test_the_disk_can_be_asked_again_and_again(path: Path) -> None:
    path.write_bytes(bytes(8192))
    flusher = Flusher(path)
    for _ in range(20):
        flusher.begin()
        flusher.begin()  # it has begun
        flusher.finish()
        flusher.finish()
    flusher.begin()
    flusher.close()


@pytest.mark.usefixtures("some_library")
def test_what_the_disk_refuses_is_an_error(path: Path) -> None:
    os.mkfifo(path)  # which cannot be flushed
    flusher = Flusher(path)
    for _ in range(2):
        flusher.begin()
        with pytest.raises(OSError, match=os.strerror(errno.EINVAL)):
            flusher.finish()
    flusher.close()


def test_a_library_that_cannot_begin_is_not_asked_again(path: Path) -> None:
    path.write_bytes(b"")
    flusher = Flusher(path)
    if flusher._library is None:
        pytest.skip("nothing is done beside other work here")
    asked: list[int] = []

    def refuses(*_: object) -> int:
        asked.append(1)
        return -1

    flusher._library = flusher._library._replace(begin=refuses)
    for _ in range(3):
        flusher.begin()
        flusher.finish()
    assert len(asked) == 1
    flusher.close()


class Noted:
    """A flusher that notes what happens, and waits for nothing."""

    def __init__(self, happened: list[Any]) -> None:
        self.happened = happened
        self.fails = False

    def begin(self) -> None:
        self.happened.append("begin")

    def finish(self) -> None:
        self.happened.append("kept")
        if self.fails:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    def close(self) -> None:
        pass


async def noting(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A store with some games, whose commits are all made in the event loop."""
    monkeypatch.setattr(writer, "QUICK", 3_600)
    for number in range(GAMES):
        await create(store, f"game-{number}")
    happened: list[Any] = []
    flusher: Any = Noted(happened)
    monkeypatch.setattr(store._writer.commits, "flusher", flusher)
    return happened


def append_all(store: SqliteStore, seq: int, done: Callable[[Any], None], count: int) -> None:
    for number in range(count):
        store.append_soon(f"game-{number}", seq, [entry()], [], done)


async def test_whoever_asks_goes_on_while_the_disk_is_at_work(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path, "full") as store:
        happened = await noting(store, monkeypatch)
        append_all(store, 1, happened.append, GAMES)
        store.flush()
        assert happened == ["begin", *[2] * GAMES]
        store.kept()
        assert happened.pop() == "kept"
        store.kept()
        assert len(happened) == 1 + GAMES, "once for a commit"


async def test_of_few_the_disk_is_asked_when_it_is_waited_for(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What follows from them takes less time than to have it done beside that."""
    async with opened(path, "full") as store:
        happened = await noting(store, monkeypatch)
        append_all(store, 1, happened.append, 1)
        store.flush()
        assert happened == [2]
        store.kept()
        assert happened == [2, "kept"]


async def test_what_nobody_asked_for_is_kept_before_it_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path, "full") as store:
        happened = await noting(store, monkeypatch)
        append_all(store, 1, happened.append, GAMES)
        assert await store.append("game-0", 2, [entry()], requests=[request("r")]) == 3
        assert happened == ["kept", *[2] * GAMES]
        new = await create(store, "another")
        assert new == 1
        assert happened.count("kept") >= 2, "and so is what is more than one statement"


async def test_a_commit_is_kept_before_the_next_begins(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path, "full") as store:
        happened = await noting(store, monkeypatch)
        for seq in (1, 2):
            append_all(store, seq, happened.append, GAMES)
            store.flush()
        store.kept()
        assert [one for one in happened if isinstance(one, str)] == ["begin", "kept"] * 2


async def test_what_is_left_to_the_thread_comes_after_what_was_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread may have to open the file anew."""
    monkeypatch.setattr(writer, "MOST_JOBS", GAMES)
    async with opened(path, "full") as store:
        happened = await noting(store, monkeypatch)
        twice = asyncio.Event()
        at_once = store._writer.commits.at_once
        calls: list[bool] = []

        def fails_second(jobs: list[Any], *, careful: bool) -> Any:
            calls.append(careful)
            if len(calls) == 2:
                raise MemoryError
            return at_once(jobs, careful=careful)

        def told(outcome: object) -> None:
            happened.append(outcome)
            if len(happened) > 2 * GAMES:
                twice.set()

        monkeypatch.setattr(store._writer.commits, "at_once", fails_second)
        append_all(store, 1, told, GAMES)
        append_all(store, 2, told, GAMES)
        store.flush()
        assert happened == ["kept", *[2] * GAMES]
        await asyncio.wait_for(twice.wait(), 60)
        assert happened[-GAMES:] == [3] * GAMES
        assert calls == [False, False, True], "the thread itself waits for the disk"


async def test_nobody_is_told_of_what_the_disk_may_have_lost(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class EndedError(Exception):
        pass

    def ends(error: Exception) -> None:
        raise EndedError from error

    async with opened(path, "full") as store:
        happened = await noting(store, monkeypatch)
        flusher: Any = store._writer.commits.flusher
        flusher.fails = True
        monkeypatch.setattr(store._writer.commits, "lost", ends)
        append_all(store, 1, happened.append, 1)
        with pytest.raises(EndedError):
            store._writer._flush_now()
        assert happened == ["kept"]
        flusher.fails = False


async def test_a_commit_of_the_thread_that_the_disk_did_not_keep_is_not_tried_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was settled before it may be lost, and would not be written again."""
    async with opened(path, "full") as store:
        await create(store)
        ended: list[Exception] = []
        monkeypatch.setattr(store._writer.commits, "lost", ended.append)
        failure = sqlite3.OperationalError("disk I/O error")
        failure.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
        failures = [failure]
        insert = store._writer.commits._insert

        def fails(plan: Any) -> None:
            if failures:
                raise failures.pop()
            insert(plan)

        monkeypatch.setattr(store._writer.commits, "_insert", fails)
        store._writer._there = 1
        await store.append("one", 1, [entry()])
        assert ended == [failure]


async def test_a_disk_that_fails_while_the_log_is_moved_ends_the_server_too(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as store:
        await create(store)
        await asyncio.sleep(0)  # who is told comes first, tidying up in the turn after
        ended: list[Exception] = []
        monkeypatch.setattr(store._writer.commits, "lost", ended.append)
        mover = store._writer._mover
        failure = sqlite3.OperationalError("disk I/O error")
        failure.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC

        def fails() -> sqlite3.Connection:
            raise failure

        monkeypatch.setattr(mover, "_connect", fails)
        monkeypatch.setattr(writer, "MOVED", 1)
        assert await store.append("one", 1, [entry()]) == 2
        await asyncio.sleep(0)
        await asyncio.to_thread(mover._thread.submit(int).result)
        assert ended == [failure]


FAILING = """
import asyncio, errno, os, sys
from pathlib import Path
from endless_winter.store import SqliteStore, writer
from endless_winter.store.flushing import Flusher
from tests.store.support import create, entry

writer.QUICK = 3_600  # all of it in the event loop, however busy the machine is

def fails(flusher):
    raise OSError(errno.EIO, os.strerror(errno.EIO))

async def main():
    store = await SqliteStore.open(sys.argv[1])
    await create(store)
    print(await store.append("one", 1, [entry("kept")]), flush=True)
    Flusher.finish = fails
    print(await store.append("one", 2, [entry("who knows")]), flush=True)

asyncio.run(main())
"""


async def test_a_disk_that_fails_ends_the_server_and_nothing_is_acknowledged(path: Path) -> None:
    command = [sys.executable, "-c", textwrap.dedent(FAILING), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)  # noqa: ASYNC221 # our own program
    assert done.returncode == flushing.DISK_FAILED
    assert done.stdout == "2\n"
    assert "the disk failed to keep what was written" in done.stderr
    async with opened(path) as store:
        assert (await texts(store, "one"))[:2] == ["created", "kept"]


async def test_a_log_that_cannot_be_opened_twice_is_flushed_by_sqlite(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: object) -> Flusher:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(commits, "Flusher", refuses)
    async with opened(path, "full") as store:
        monkeypatch.undo()
        assert store._writer.commits.flusher is None
        await create(store)
        assert await store.append("one", 1, [entry("a")]) == 2
        store.flush()
        store.kept()
        connection = store._writer.commits._connection
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)


async def test_the_commits_of_the_thread_wait_for_the_disk_themselves(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path, "full") as store:
        happened = await noting(store, monkeypatch)
        connection = store._writer.commits._connection
        assert await store.append("game-0", 1, [entry()]) == 2
        assert connection.execute("PRAGMA synchronous").fetchone() == (1,), "asked for afterwards"
        happened.clear()
        store._writer._there = 1
        assert await store.append("game-0", 2, [entry()]) == 3
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert happened == []


async def test_one_that_fails_among_several_leaves_the_ends_of_logs_right(path: Path) -> None:
    """Written in turn: what a job that was refused had planned is taken back."""
    async with opened(path) as store:
        await create(store)
        await create(store, "two")
        await store.append("one", 1, [entry("a")], requests=[request("r")])
        calls = [
            store.append("one", 2, [entry("b")]),
            store.append("one", 3, [entry("again")], requests=[request("r")]),
            store.append("one", 3, [entry("c")]),
            store.append("two", 1, [entry("a")], requests=[request("s")]),
            store.append("two", 2, [entry("b")], requests=[request("s")]),
            store.append("two", 2, [entry("c")]),
            store.append("two", 2, [entry("too late")]),
        ]
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        assert [one if isinstance(one, int) else type(one).__name__ for one in outcomes] == [
            3,
            "Repeated",
            4,
            2,
            "Repeated",
            3,
            "Conflict",
        ]
        assert isinstance(outcomes[-1], Conflict)
        assert await texts(store, "one") == ["created", "a", "b", "c"]
        assert await texts(store, "two") == ["created", "a", "c"]
