"""Where a commit is made: in the event loop while that is quick, else in the thread."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.store import (
    Conflict,
    Entry,
    SqliteStore,
    StoreError,
    commits,
    schema,
    settling,
    writer,
)
from endless_winter.store.sqlite import read_game
from tests.store.support import create, entry, opened, request, texts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from endless_winter.store.jobs import Job

HERE = threading.main_thread()


class Where:
    """Notes the thread of each attempt to write."""

    def __init__(self, store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
        self.threads: list[threading.Thread] = []
        self.seconds = 0.0  # that the next attempts take, on the writer's clock
        self.now = 0.0
        self.second = threading.Event()  # the same jobs are tried in the thread
        at_once: Callable[..., object] = store._writer.commits.at_once
        insert: Callable[..., None] = store._writer.commits._insert

        def noted(jobs: list[object], *, careful: bool) -> object:
            self.threads.append(threading.current_thread())
            if self.threads[-1] is not HERE:
                self.second.set()
            return at_once(jobs, careful=careful)

        def timed(plan: object) -> None:
            self.now += self.seconds
            insert(plan)

        monkeypatch.setattr(store._writer.commits, "at_once", noted)
        monkeypatch.setattr(store._writer.commits, "_insert", timed)
        monkeypatch.setattr(commits, "perf_counter", lambda: self.now)
        monkeypatch.setattr(writer, "perf_counter", lambda: self.now)

    def here(self) -> list[bool]:
        found = [thread is HERE for thread in self.threads]
        self.threads.clear()
        return found


async def test_quick_commits_are_made_in_the_event_loop(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as store:
        where = Where(store, monkeypatch)
        await create(store)  # a pack, and the game
        assert where.here() == [False, True], "at first nobody knows the disk"
        for seq in range(1, 6):
            await store.append("one", seq, [entry()])
        assert where.here() == [True] * 5


async def test_slow_commits_are_made_in_the_thread_until_they_are_quick_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as store:
        where = Where(store, monkeypatch)
        await create(store)
        seq = 1
        for _ in range(3):
            seq = await store.append("one", seq, [entry()])
        where.here()
        where.seconds = 10 * writer.QUICK
        for _ in range(2 + 3 + 5):
            seq = await store.append("one", seq, [entry()])
        here, there = [True], [False]
        waits = here + there + here + 2 * there + here + 4 * there
        assert where.here() == waits, "the loop tries a slow disk ever less often"
        where.seconds = 0.0
        for _ in range(4):
            seq = await store.append("one", seq, [entry()])
        assert where.here() == [True] * 4, "and uses it again as soon as one was quick"
        where.seconds = 10 * writer.QUICK
        for _ in range(3):
            seq = await store.append("one", seq, [entry()])
        assert where.here() == here + there + here, "one slow commit does not make a slow disk"


async def test_a_slow_failure_is_not_forgotten_over_quick_retries(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One batch counts once, by its longest attempt, however often its jobs were tried."""
    async with opened(path) as store:
        where = Where(store, monkeypatch)
        await create(store)
        for number in range(20):
            await create(store, f"game-{number}")
        insert = store._writer.commits._insert
        failures = [10.0]

        def fails_slowly(plan: object) -> None:
            if failures:
                where.now += failures.pop()
                raise sqlite3.OperationalError("disk I/O error")
            insert(plan)  # type: ignore[arg-type] # a plan

        monkeypatch.setattr(store._writer.commits, "_insert", fails_slowly)
        calls = [store.append(f"game-{number}", 1, [entry()]) for number in range(20)]
        assert await asyncio.gather(*calls) == [2] * 20
        where.here()
        await store.append("game-0", 2, [entry()])
        assert where.here() == [False], "the loop does not try again so soon"


async def test_the_loop_goes_on_while_another_process_has_the_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as store:
        where = Where(store, monkeypatch)
        await create(store)
        await store.append("one", 1, [entry()])
        await store.append("one", 2, [entry()])
        where.here()
        where.second.clear()
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            waits = store.append("one", 3, [entry("at last")])
            await asyncio.wait_for(asyncio.to_thread(where.second.wait), 60)  # the loop goes on
            assert not waits.done()
            assert where.here() == [True, False]
            other.execute("ROLLBACK")
            assert await waits == 4
        assert (await texts(store, "one"))[-1] == "at last"


async def test_what_is_refused_is_refused_in_either(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as store:
        where = Where(store, monkeypatch)
        await create(store)
        for slow in (False, True):
            where.seconds = 10 * writer.QUICK if slow else 0.0
            with pytest.raises(Conflict):
                await store.append("one", 7, [entry()])
            seq = (await store.read("one"))[-1].seq
            call = request(f"r{slow}")
            assert await store.append("one", seq, [entry()], requests=[call]) == seq + 1
            with pytest.raises(StoreError):
                await store.append("one", seq + 1, [entry()], requests=[call])
            assert len(await store.read("one")) == seq + 1


async def test_a_disk_that_fails_in_the_loop_is_tried_again_in_the_thread(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as store:
        await create(store)
        await store.append("one", 1, [entry("a")])
        at_once = store._writer.commits.at_once
        failed: list[bool] = []

        def fails_once(jobs: list[Job], *, careful: bool) -> object:
            outcomes = at_once(jobs, careful=careful)
            if not failed:
                failed.append(threading.current_thread() is HERE)
                raise sqlite3.OperationalError("disk I/O error")
            return outcomes

        store._writer._there = 0
        monkeypatch.setattr(store._writer.commits, "at_once", fails_once)
        # It was committed before it failed, so the second attempt finds a longer log.
        with pytest.raises(Conflict):
            await store.append("one", 2, [entry("b")])
        assert failed == [True]
        assert await texts(store, "one") == ["created", "a", "b"]
        assert await store.append("one", 3, [entry("c")]) == 4
    async with opened(path) as store:
        assert await texts(store, "one") == ["created", "a", "b", "c"]


async def test_the_write_ahead_log_is_moved_beside_commits_and_does_not_grow(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "MOVED", 64 << 10)
    async with opened(path) as store:
        where = Where(store, monkeypatch)
        await create(store)
        where.here()
        largest = 0
        for seq in range(1, 900):
            await store.append("one", seq, [Entry("choice", 1, bytes(2_000))])
            largest = max(largest, path.with_name(f"{path.name}-wal").stat().st_size)
        assert all(where.here()), "no commit had to be the thread's"
        # Unmoved it would have three times that; on a busy machine the mover comes late.
        assert 0 < largest < 4 << 20
        assert len(await store.read("one")) == 900


async def test_the_write_ahead_log_does_not_grow_where_the_disk_is_slow(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then there is hardly a moment without a commit of the thread."""
    monkeypatch.setattr(writer, "MOVED", 64 << 10)
    async with opened(path) as store:
        for number in range(4):
            await create(store, f"game-{number}")
        store._writer._there = 1_000_000

        async def play(name: str) -> None:
            for seq in range(1, 201):
                await store.append(name, seq, [Entry("choice", 1, bytes(2_000))])

        await asyncio.gather(*(play(f"game-{number}") for number in range(4)))
        size = path.with_name(f"{path.name}-wal").stat().st_size
        assert 0 < size < 2 << 20


async def test_the_last_of_the_write_ahead_log_is_moved_after_the_threads_commit(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the thread always has a commit, it would never begin anew otherwise."""
    async with opened(path) as store:
        await create(store)
        moved: list[bool] = []
        mover = store._writer._mover
        move = mover.move

        def noted(then: Callable[[bool], None]) -> None:
            moved.append(store._writer._committing)
            move(then)

        monkeypatch.setattr(mover, "move", noted)
        patiently = store._writer.commits.patiently

        def meanwhile(jobs: list[Job], spoilt: Exception | None) -> object:
            store._writer._in_the_loop(lambda: store._writer._moved(0, True))  # beside this commit
            return patiently(jobs, spoilt)

        with monkeypatch.context() as slow:
            slow.setattr(store._writer.commits, "patiently", meanwhile)
            store._writer._there = 1
            assert await store.append("one", 1, [entry()]) == 2
        assert await store.append("one", 2, [entry()]) == 3
        assert moved == [True], "and the next commit came after it"


async def test_the_log_is_moved_to_its_end_however_much_comes_meanwhile(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as store:
        await create(store)
        await asyncio.sleep(0)
        commits, loop = store._writer.commits, asyncio.get_running_loop()
        alone: list[bool] = []

        class Moves:
            """While it moves, as much comes as it moved last."""

            busy = False

            def move(self, then: Callable[[bool], None]) -> None:
                alone.append(store._writer._committing)
                if not alone[-1]:
                    commits.unmoved += 3 * writer.REST
                if len(alone) < 20:
                    loop.call_soon(then, True)

            def close(self) -> None:
                pass

        store._writer._mover.close()
        monkeypatch.setattr(store._writer, "_mover", Moves())
        commits.unmoved = writer.MOVED
        store._writer._tidy()
        for _ in range(25):
            await asyncio.sleep(0)
        assert alone == [False, False, True], "the second brought no less, so commits wait"
        assert not commits.unmoved


async def test_commits_wait_for_the_last_of_the_write_ahead_log_and_nothing_else_does(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "QUICK", 3_600)
    async with opened(path) as store:
        await create(store)
        monkeypatch.setattr(writer, "MOVED", 1)  # with every commit
        mover = store._writer._mover
        asked: list[bool] = []  # whether commits were held back meanwhile
        held, go_on = threading.Event(), threading.Event()
        move = mover._move

        def slow_move(done: Callable[[bool], None]) -> None:
            asked.append(store._writer._committing)
            if asked[-1]:
                held.set()
                assert go_on.wait(60)
            move(done)

        monkeypatch.setattr(mover, "_move", slow_move)
        assert await store.append("one", 1, [entry()]) == 2
        assert await asyncio.to_thread(held.wait, 60)
        waits = store.append("one", 2, [entry()])
        for _ in range(5):
            await asyncio.sleep(0)
        assert not waits.done(), "one at a time"
        assert len(await store.read("one")) == 2, "reading goes on"
        go_on.set()
        assert await waits == 3
        assert asked[0] is False, "most of it was moved beside commits"


async def test_whoever_moves_the_log_leaves_the_locks_of_the_server_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To look at the file itself would drop them, and others would take the store for theirs."""
    async with opened(path) as store:
        await create(store)
        path.chmod(0o640)  # noqa: ASYNC240 # nobody else is there
        looked: list[Path] = []
        monkeypatch.setattr(schema, "look_at", looked.append)
        monkeypatch.setattr(writer, "MOVED", 1)
        assert await store.append("one", 1, [entry()]) == 2
        await asyncio.to_thread(store._writer._mover._thread.submit(int).result)
        assert store._writer._mover._connection is not None
        store._writer.commits._connection.close()  # so that it is opened anew
        store._writer.commits._recover(sqlite3.DatabaseError("beyond help"))
        assert await store.append("one", 2, [entry()]) == 3
        assert looked == []


async def test_a_log_that_cannot_be_moved_is_moved_the_next_time(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(path) as store:
        await create(store)
        monkeypatch.setattr(writer, "MOVED", 1)
        mover = store._writer._mover
        connect = mover._connect
        failures = [sqlite3.OperationalError("disk I/O error"), MemoryError()]

        def fails() -> sqlite3.Connection:
            if failures:
                raise failures.pop()
            return connect()

        monkeypatch.setattr(mover, "_connect", fails)
        for seq in range(1, 20):
            assert await store.append("one", seq, [entry()]) == seq + 1
            await asyncio.to_thread(mover._thread.submit(int).result)  # it has come to its end
        assert mover._connection is not None
        assert [record.message for record in caplog.records] == [
            "the write-ahead log could not be moved into the file: "
        ], "said once"
    async with opened(path) as store:
        assert len(await store.read("one")) == 20


async def test_the_thread_outlives_whatever_happens_in_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as store:
        await create(store)
        store._writer._there = 1  # the thread's turn
        with monkeypatch.context() as broken:

            def fails(*_: object) -> None:
                raise MemoryError

            broken.setattr(store._writer.commits, "at_once", fails)
            broken.setattr(store._writer.commits, "_each_in_turn", fails)
            broken.setattr(store._writer.commits, "_recover", fails)
            with pytest.raises(StoreError):
                await store.append("one", 1, [entry()])
        assert await store.append("one", 1, [entry()]) == 2


async def test_settling_that_fails_half_way_leaves_no_transaction_open(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settling, "KEPT", 0)
    monkeypatch.setattr(writer, "MOVED", 1)  # a piece of tidying after every commit
    async with opened(path) as store:
        await create(store)
        settle = settling.Tails.settle

        def fails(*given: Any) -> None:
            settle(*given)
            raise MemoryError

        with monkeypatch.context() as broken:
            broken.setattr(settling.Tails, "settle", fails)
            await store.append("one", 1, [entry("a")])
            await store.append("one", 2, [entry("b")])  # comes after the tidying
        await store.append("one", 3, [entry("c")])
        await store.append("one", 4, [entry("d")])
        assert await texts(store, "one") == ["created", "a", "b", "c", "d"]
    async with opened(path) as store:
        assert await texts(store, "one") == ["created", "a", "b", "c", "d"]


async def test_whoever_waits_is_told_though_the_one_who_counts_fails(path: Path) -> None:
    async with opened(path) as store:
        complaints: list[str] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: complaints.append(context["message"])
        )

        def fails(*_: object) -> None:
            raise ValueError

        store.watch(fails)
        await create(store)
        assert await store.append("one", 1, [entry()]) == 2
        assert set(complaints) == {"whoever watches the store failed"}


async def test_nothing_is_written_into_a_transaction_that_was_left_open(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is told as committed is seen by another connection."""
    monkeypatch.setattr(writer, "QUICK", 3_600)
    monkeypatch.setattr(settling, "KEPT", 0)
    async with opened(path) as store:
        await create(store)

        def leaves_it_open(_: object) -> None:
            store._writer.commits._connection.execute("BEGIN IMMEDIATE")
            raise MemoryError

        monkeypatch.setattr(writer, "MOVED", 1)  # after every commit
        monkeypatch.setattr(store._writer.commits, "settle", leaves_it_open)
        for seq in range(1, 5):
            await store.append("one", seq, [entry(f"after {seq}")])
            kept = read_game(path, "one")
            assert kept is not None
            assert kept.entries[-1].payload == f"after {seq}".encode()
        monkeypatch.undo()
