"""What a commit leaves to do is done later, and nobody who looks earlier can tell."""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import TYPE_CHECKING

import pytest

from endless_winter.store import Conflict, Query, SqliteStore, StoreClosed, rows, writer
from endless_winter.store.jobs import Added, Append, Head
from tests.store.support import create, entry, opened, request, texts

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.store.jobs import Job, Outcome


@pytest.fixture(autouse=True)
def _in_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is: what is done later is what the loop has committed."""
    monkeypatch.setattr(writer, "QUICK", 3_600)


def committed(store: SqliteStore, seq: int, text: str) -> None:
    """Commit a choice in this very turn of the loop."""
    told: list[Outcome] = []
    store.append_soon("one", seq, [entry(text)], [], told.append)
    store.flush()
    store.kept()
    assert told == [seq + 1]


async def test_what_was_committed_in_this_turn_is_read_and_listed(path: Path) -> None:
    async with opened(path) as store:
        await create(store)
        await asyncio.sleep(0)
        committed(store, 1, "a")
        assert store._writer.commits._unfiled, "or this tests nothing"
        reading = store.read("one")
        assert [logged.payload for logged in await reading] == [b"created", b"a"]
        committed(store, 2, "b")
        header = await store.get_game("one")
        assert header is not None
        assert header.last_seq == 3
        committed(store, 3, "c")
        page = await store.list_games(Query(everything=True))
        assert [game.last_seq for game in page.games] == [4]


async def test_commits_of_one_turn_follow_each_other(path: Path) -> None:
    async with opened(path) as store:
        await create(store)
        for seq in range(1, 20):
            committed(store, seq, str(seq))
        told: list[Outcome] = []
        store.append_soon("one", 5, [entry("again")], [], told.append)
        store.flush()
        store.kept()
        assert isinstance(told[0], Conflict)
        assert told[0].actual == 20
        assert await texts(store, "one") == ["created", *map(str, range(1, 20))]


async def test_the_thread_knows_what_the_loop_has_committed(path: Path) -> None:
    async with opened(path) as store:
        await create(store)
        committed(store, 1, "in the loop")
        store._writer._there = 1
        thread = store.append("one", 2, [entry("in the thread")])
        store.flush()
        assert not store._writer.commits._unfiled, "it is the thread's from here on"
        assert await thread == 3
        assert not store._writer.commits._unfiled, "the loop may not do at the same time"
        assert await store.append("one", 3, [entry("in the loop again")]) == 4
        expected = ["created", "in the loop", "in the thread", "in the loop again"]
        assert await texts(store, "one") == expected
    async with opened(path) as store:
        assert await texts(store, "one") == expected


async def test_what_is_committed_last_is_there_after_the_end(path: Path) -> None:
    store = await SqliteStore.open(path, synchronous="off")
    await create(store)
    committed(store, 1, "the last")
    assert store._writer.commits._unfiled
    await store.close()
    async with opened(path) as again:
        assert await texts(again, "one") == ["created", "the last"]


async def test_every_commit_is_counted_once_after_those_who_waited(path: Path) -> None:
    async with opened(path) as store:
        await create(store)
        await asyncio.sleep(0)
        order: list[str] = []
        tidied: list[float] = []

        def watch(jobs: list[Job], outcomes: list[Outcome], when: float) -> None:
            assert jobs[-1].since < when < tidied[0], "when it was over, not when it is counted"
            assert outcomes in ([2, 2], [3])
            order.append(f"counted {len(jobs)}")

        await create(store, "two")
        await asyncio.sleep(0)
        store.watch(watch)
        for game in ("one", "two"):
            store.append_soon(game, 1, [entry()], [], lambda _: order.append("told"))
        store.flush()
        store.kept()
        store.append_soon("one", 2, [entry()], [], lambda _: order.append("told"))
        store.flush()
        store.kept()
        assert order == ["told"] * 3
        tidied.append(perf_counter())
        await asyncio.sleep(0)
        assert order == ["told"] * 3 + ["counted 2", "counted 1"]
        await asyncio.sleep(0)
        assert len(order) == 5


async def test_commits_of_the_last_turn_are_counted_too(path: Path) -> None:
    store = await SqliteStore.open(path, synchronous="off")
    await create(store)
    await asyncio.sleep(0)
    counted: list[int] = []
    store.watch(lambda jobs, *_: counted.append(len(jobs)))
    committed(store, 1, "the last")
    over = asyncio.ensure_future(store.append("one", 2, [entry("what the thread has by then")]))
    await asyncio.sleep(0)
    await store.close()
    assert await over == 3
    assert counted == [1, 1]


async def test_nothing_is_taken_after_the_end(path: Path) -> None:
    store = await SqliteStore.open(path, synchronous="off")
    await create(store)
    await store.close()
    with pytest.raises(StoreClosed):
        store.append_soon("one", 1, [entry()], [], lambda _: None)


async def test_a_choice_is_kept_the_same_whether_it_was_packed_before_or_not(path: Path) -> None:
    async with opened(path) as store:
        await create(store)
        await create(store, "two")
        commits = store._writer.commits
        for seq in range(1, 4):
            told: list[Outcome] = []
            with_request = [request(f"request {seq}")] if seq == 2 else []
            store.append_soon("one", seq, [entry(str(seq))], with_request, told.append)
            store.append_soon("two", seq, [entry(str(seq))], with_request, told.append)
            early, late = store._writer._gathered[-2:]
            assert isinstance(early, Append)
            assert early.added is not None
            assert isinstance(late, Append)
            late.added = None
            store.flush()
            store.kept()
            assert told == [seq + 1] * 2
        assert await store.read("one") == await store.read("two")
        assert await store.find_request(b"caller", "request 2", "one") is not None
        assert commits.stats.retried == 0


async def test_a_choice_packed_for_a_game_that_was_replaced_is_packed_again(path: Path) -> None:
    """A game was removed, and another took its name, while a choice of it waited."""
    async with opened(path) as store:
        await create(store)
        await create(store, "two")
        told: list[Outcome] = []
        store.append_soon("two", 1, [entry("mine")], [], told.append)
        (job,) = store._writer._gathered
        first = store._writer.commits._heads["one"].game
        row = rows.pack(first, 2, entry("mine"))
        assert isinstance(job, Append)
        job.added = Added("two", first, 2, 2, row)
        store.flush()
        store.kept()
        assert told == [2]
    async with opened(path) as store:
        assert await texts(store, "one") == ["created"]
        assert await texts(store, "two") == ["created", "mine"]


async def test_a_number_of_this_turn_is_not_given_twice(path: Path) -> None:
    """Whatever the writer believes of where a log ends."""
    async with opened(path) as store:
        await create(store)
        await asyncio.sleep(0)
        committed(store, 1, "first")
        assert store._writer.commits._unfiled
        heads = store._writer.commits._heads
        heads["one"] = Head(heads["one"].game, 1)
        told: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        store.append_soon("one", 1, [entry("second")], [], told.set_result)
        store.flush()
        outcome = await told
        assert isinstance(outcome, Conflict)
        assert outcome.actual == 2
        assert await texts(store, "one") == ["created", "first"]
