"""Many callers at once: one commit for many, and nobody pays for another's mistake."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from endless_winter.store import (
    Conflict,
    Repeated,
    SqliteStore,
    StoreError,
    measure,
    upkeep,
    writer,
)
from tests.store.support import create, entry, opened, request, texts

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.store.records import Logged


async def test_what_comes_together_is_committed_together(store: SqliteStore, path: Path) -> None:
    for number in range(100):
        await create(store, f"game-{number}")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # the writer has to wait
        before = store.stats.transactions
        calls = [
            asyncio.ensure_future(store.append(f"game-{number}", 1, [entry()]))
            for number in range(100)
        ]
        await asyncio.sleep(0)
        other.execute("ROLLBACK")
        assert await asyncio.gather(*calls) == [2] * 100
    assert store.stats.transactions - before <= 2, "the first alone, perhaps; then all the others"
    assert store.stats.largest_batch >= 50
    assert store.stats.retried == 0


@pytest.mark.parametrize("between", [writer.TOGETHER / 2, 0.015])  # also where it is slow
async def test_what_nobody_asks_for_is_committed_with_what_others_ask_for(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch, between: float
) -> None:
    """Where commits are asked for all the time, a seat that gets ready needs none of its own."""
    for number in range(3):
        await create(store, f"game-{number}")
    now = 1_000.0
    monkeypatch.setattr(writer, "perf_counter", lambda: now)
    monkeypatch.setattr(writer, "QUICK", 3_600)  # all of it in the event loop
    store._writer._there = 0
    store.flush()
    now += between
    store.flush()
    before = store.stats.transactions
    monkeypatch.setattr(writer, "TOGETHER", 3_600)
    waits = asyncio.ensure_future(store.append("game-0", 1, [entry()]))
    for _ in range(10):
        await asyncio.sleep(0)
    assert store.stats.transactions == before, "the next who asks is not far"
    outcomes: list[object] = []
    store.append_soon("game-1", 1, [entry()], [], outcomes.append)
    store.flush()
    assert await waits == 2
    assert outcomes == [2]
    assert store.stats.transactions == before + 1
    monkeypatch.setattr(writer, "TOGETHER", 0.001)
    assert await store.append("game-0", 2, [entry()]) == 3, "and if nobody asks, a moment later"
    now += 1
    monkeypatch.setattr(writer, "TOGETHER", 3_600)
    store.flush()
    now += writer.TOGETHER
    assert await store.append("game-2", 1, [entry()]) == 2, "the last who asked was long ago"


async def test_a_batch_is_not_unbounded(store: SqliteStore) -> None:
    await create(store)
    before = store.stats.transactions
    last = await asyncio.gather(*(store.append("one", n, [entry()]) for n in range(1, 1301)))
    assert last == list(range(2, 1302))
    assert store.stats.transactions - before >= 3
    assert store.stats.largest_batch <= 512


async def test_of_many_at_the_same_place_one_wins(store: SqliteStore) -> None:
    await create(store)
    for seq in range(1, 6):
        calls = [store.append("one", seq, [entry(f"{seq} by {who}")]) for who in range(20)]
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        won = [outcome for outcome in outcomes if outcome == seq + 1]
        lost = [outcome for outcome in outcomes if isinstance(outcome, Conflict)]
        assert (len(won), len(lost)) == (1, 19)
        assert {conflict.actual for conflict in lost} == {seq + 1}
    assert len(await store.read("one")) == 6


async def test_a_conflict_does_not_fail_the_others_of_its_batch(store: SqliteStore) -> None:
    for number in range(20):
        await create(store, f"game-{number}")
    calls = [
        store.append(f"game-{number}", number % 2, [entry("a")], requests=[request("r")])
        for number in range(20)
    ]
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    for number, outcome in enumerate(outcomes):
        if number % 2:
            assert outcome == 2
        else:
            assert isinstance(outcome, Conflict)
            assert await texts(store, f"game-{number}") == ["created"]
    assert store.stats.retried == 0, "not even by making them wait"


async def test_a_repeated_request_does_not_fail_the_others_of_its_batch(
    store: SqliteStore, path: Path
) -> None:
    for number in range(20):
        await create(store, f"game-{number}")
    await store.append("game-7", 1, [entry("a")], requests=[request("r")])
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # so that the twenty come together
        before = store.stats.transactions
        calls = [
            asyncio.ensure_future(
                store.append(
                    f"game-{number}", 2 if number == 7 else 1, [entry("b")], requests=[request("r")]
                )
            )
            for number in range(20)
        ]
        await asyncio.sleep(0)
        other.execute("ROLLBACK")
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert isinstance(outcomes.pop(7), Repeated)
    assert outcomes == [2] * 19
    assert store.stats.retried == 0, "it is found before anything is written"
    assert store.stats.transactions - before <= 2


async def test_a_batch_with_requests_and_without_is_one_statement(
    store: SqliteStore, path: Path
) -> None:
    for number in range(20):
        await create(store, f"game-{number}")
    said: list[str] = []
    store._writer.commits._connection.set_trace_callback(
        said.append
    )  # nothing else tells how it is done
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # so that what follows comes together
        first = asyncio.ensure_future(store.append("game-0", 1, [entry("a"), entry("b")]))
        await asyncio.sleep(0)
        calls = [
            store.append(
                f"game-{number}",
                1,
                [entry("a"), entry("b")],
                requests=[request(f"r{number}")] if number % 3 else [],
            )
            for number in range(1, 20)
        ]
        await asyncio.sleep(0)
        other.execute("ROLLBACK")
        assert await asyncio.gather(first, *calls) == [3] * 20
    store._writer.commits._connection.set_trace_callback(None)
    # To look for what was asked before, and to say how long to wait, writes nothing.
    told = {line for line in said if not line.startswith(("PRAGMA busy_timeout", "SELECT"))}
    assert 1 <= len(told) <= 3, "at most the first in the loop and in the thread; then the others"
    assert all(line.startswith("INSERT INTO") for line in told)
    for number in range(20):
        assert await texts(store, f"game-{number}") == ["created", "a", "b"]
        known = request(f"r{number}")
        found = await store.find_request(known.caller, known.request_id, f"game-{number}")
        assert (found and (found.game_id, found.seq, found.answer)) == (
            (f"game-{number}", 3, known.answer) if number % 3 else None
        )


async def test_rivals_who_retry_all_get_in(store: SqliteStore) -> None:
    """Optimistic concurrency as nodes would use it: on a conflict, go on from where it ends."""
    await create(store)

    async def insist(name: str) -> None:
        seq = 1
        for number in range(5):
            while True:
                try:
                    seq = await store.append("one", seq, [entry(f"{name}{number}")])
                    break
                except Conflict as conflict:
                    seq = conflict.actual

    await asyncio.gather(*(insist(name) for name in "abcdefgh"))
    log = (await texts(store, "one"))[1:]
    assert sorted(log) == sorted(f"{name}{number}" for name in "abcdefgh" for number in range(5))
    for name in "abcdefgh":
        own = [text for text in log if text.startswith(name)]
        assert own == sorted(own), "each rival's own entries keep their order"


async def test_many_games_at_random_end_as_acknowledged(path: Path) -> None:
    chance = random.Random(4)
    acknowledged: dict[str, list[str]] = {}

    async def play(store: SqliteStore, game_id: str, lengths: list[int]) -> None:
        await create(store, game_id)
        seq, log = 1, ["created"]
        for length in lengths:
            part = [f"{game_id} {seq + 1 + at}" for at in range(length)]
            seq = await store.append(
                game_id, seq, [entry(text) for text in part], requests=[request(f"r{seq}")]
            )
            log += part
        acknowledged[game_id] = log

    async with opened(path) as store:
        await asyncio.gather(
            *(
                play(store, f"game-{number}", [chance.randint(1, 90) for _ in range(12)])
                for number in range(30)
            )
        )
        assert store.stats.transactions < store.stats.jobs
        for game_id, log in acknowledged.items():
            assert await texts(store, game_id) == log
    assert list(upkeep.problems(path)) == []


async def test_a_cancelled_caller_disturbs_nobody(store: SqliteStore) -> None:
    await create(store)
    await create(store, "two")
    given_up = asyncio.ensure_future(store.append("one", 1, [entry("given up")]))
    stayed = asyncio.ensure_future(store.append("two", 1, [entry("stayed")]))
    await asyncio.sleep(0)
    given_up.cancel()
    assert await stayed == 2
    assert await texts(store, "one") in (["created"], ["created", "given up"])


async def test_a_slow_read_does_not_block_the_loop(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await create(store)
    released = threading.Event()

    def slow(*_: object) -> list[Logged]:
        assert released.wait(60)
        return []

    monkeypatch.setattr("endless_winter.store.sqlite._read", slow)
    reading = asyncio.ensure_future(store.read("one"))
    assert await store.append("one", 1, [entry()]) == 2, "the loop and the writer go on"
    assert not reading.done()
    released.set()
    assert await reading == []


async def test_a_writer_that_waits_blocks_neither_loop_nor_readers(
    store: SqliteStore, path: Path
) -> None:
    await create(store)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        writing = asyncio.ensure_future(store.append("one", 1, [entry("a")]))
        for _ in range(20):
            assert await texts(store, "one") == ["created"]
        assert not writing.done()
        other.execute("ROLLBACK")
    assert await writing == 2


async def test_a_file_that_stays_locked_is_an_error_and_not_for_ever(path: Path) -> None:
    store = await SqliteStore.open(path, synchronous="off", busy_ms=20)
    async with store:
        await create(store)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match="locked"):
                await store.append("one", 1, [entry("a")])
            other.execute("ROLLBACK")
        assert await store.append("one", 1, [entry("a")]) == 2


async def test_the_measure_measures(store: SqliteStore, tmp_path: Path) -> None:
    figures = await measure.measure(store, games=8, appends=80)
    assert figures.per_commit > 1
    assert 0 < figures.wait_p50 <= figures.wait_p99 <= figures.wait_most
    assert measure.bare_fsync(tmp_path, times=3) > 0
