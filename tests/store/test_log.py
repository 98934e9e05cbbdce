"""A game is its log: creating, appending, reading, and the first answer to a request."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from endless_winter.store import (
    Answer,
    Conflict,
    Entry,
    GameExists,
    Logged,
    NoSuchGame,
    NoSuchPack,
    Repeated,
    Secret,
    SqliteStore,
    Store,
    StoreClosed,
    StoreError,
    upkeep,
)
from endless_winter.store.jobs import Head
from tests.store.support import PACK, SECRET, create, entry, new_game, opened, request, texts

if TYPE_CHECKING:
    from pathlib import Path


def test_the_file_store_is_a_store(store: SqliteStore) -> None:
    anything: Store = store  # for the type checker
    assert anything is store


async def test_an_entry_is_read_as_it_was_written(store: SqliteStore) -> None:
    await create(store)
    written = Entry("choice", 77, b"\0payload", b"\1private", b"\2events", b"\3hash")
    assert await store.append("one", 1, [written]) == 2
    assert await store.read("one", 1) == [
        Logged(2, "choice", 77, b"\0payload", b"\1private", b"\2events", b"\3hash")
    ]


async def test_entries_are_numbered_from_one_without_gaps(store: SqliteStore) -> None:
    await store.put_pack(PACK, b"pack")
    entries = [entry("created"), entry("seat")]
    assert await store.create_game(new_game(), SECRET, entries) == 2
    assert await store.append("one", 2, [entry("a"), entry("b"), entry("c")]) == 5
    assert [logged.seq for logged in await store.read("one")] == [1, 2, 3, 4, 5]
    assert await texts(store, "one") == ["created", "seat", "a", "b", "c"]


async def test_a_long_log_is_read_in_parts(store: SqliteStore) -> None:
    await create(store)
    await store.append("one", 1, [entry(str(number)) for number in range(2, 1201)])
    first = await store.read("one", after_seq=0, limit=700)
    rest = await store.read("one", after_seq=first[-1].seq, limit=700)
    assert [logged.seq for logged in first + rest] == list(range(1, 1201))
    assert rest[-1].payload == b"1200"
    assert await store.read("one", after_seq=1200) == []


@pytest.mark.parametrize("expected", [0, 1, 3, 99])
async def test_an_append_at_the_wrong_place_is_a_conflict(
    store: SqliteStore, expected: int
) -> None:
    await create(store)
    await store.append("one", 1, [entry("first")])
    with pytest.raises(Conflict) as caught:
        await store.append("one", expected, [entry("second")])
    assert caught.value.actual == 2
    assert await texts(store, "one") == ["created", "first"]


async def test_a_conflict_is_found_without_what_the_writer_remembers(path: Path) -> None:
    async with opened(path) as store:
        await create(store)
        await store.append("one", 1, [entry("first")])
    async with opened(path) as store:
        with pytest.raises(Conflict) as caught:
            await store.append("one", 1, [entry("second")])
        assert caught.value.actual == 2
        assert await store.append("one", 2, [entry("third")]) == 3


async def test_what_is_committed_refuses_a_number_twice(store: SqliteStore) -> None:
    """Whatever the writer believes of where a log ends."""
    await create(store)
    await store.append("one", 1, [entry("first")])
    head = store._writer.commits._heads["one"]
    store._writer.commits._heads["one"] = Head(head.game, 1)
    with pytest.raises(Conflict) as caught:
        await store.append("one", 1, [entry("second")])
    assert caught.value.actual == 2
    assert await texts(store, "one") == ["created", "first"]


async def test_an_unknown_game_has_no_log_and_takes_none(store: SqliteStore) -> None:
    with pytest.raises(NoSuchGame):
        await store.append("one", 0, [entry()])
    assert await store.read("one") == []
    assert await store.get_game("one") is None
    assert await store.get_secret("one") is None


async def test_a_game_id_is_taken_once(store: SqliteStore) -> None:
    await create(store)
    with pytest.raises(GameExists):
        await store.create_game(new_game(), Secret(b"other", b"salt"), [entry("again")])
    assert await texts(store, "one") == ["created"]
    assert await store.get_secret("one") == SECRET


async def test_nothing_is_not_an_append(store: SqliteStore) -> None:
    await create(store)
    with pytest.raises(ValueError, match="nothing to append"):
        await store.append("one", 1, [])
    with pytest.raises(ValueError, match="nothing to append"):
        await store.create_game(new_game("two"), SECRET, [])


async def test_packs_are_kept_by_hash_and_never_change(store: SqliteStore) -> None:
    assert await store.get_pack(PACK) is None
    await store.put_pack(PACK, b"pack")
    await store.put_pack(PACK, b"another")
    assert await store.get_pack(PACK) == b"pack"


async def test_a_game_needs_its_pack(store: SqliteStore) -> None:
    with pytest.raises(NoSuchPack, match="feed"):
        await store.create_game(new_game(), SECRET, [entry("created")])
    assert await store.get_game("one") is None
    await create(store)


async def test_a_retried_request_gets_its_first_answer(store: SqliteStore) -> None:
    await create(store)
    await store.append("one", 1, [entry("a"), entry("b")], requests=[request("r", b"yes")])
    with pytest.raises(Repeated) as caught:
        await store.append("one", 1, [entry("a"), entry("b")], requests=[request("r", b"no")])
    assert caught.value.first == Answer("one", 3, b"yes")
    with pytest.raises(Repeated):
        await store.append("one", 3, [entry("a")], requests=[request("r", b"no")])
    assert await store.find_request(b"caller", "r", "one") == Answer("one", 3, b"yes")
    assert await texts(store, "one") == ["created", "a", "b"]


async def test_a_request_id_counts_per_game_and_caller(store: SqliteStore) -> None:
    await create(store, "one")
    await create(store, "two")
    await store.append("one", 1, [entry()], requests=[request("r", b"1", caller=b"x")])
    await store.append("one", 2, [entry()], requests=[request("r", b"2", caller=b"y")])
    await store.append("two", 1, [entry()], requests=[request("r", b"3", caller=b"x")])
    assert await store.find_request(b"x", "r", "one") == Answer("one", 2, b"1")
    assert await store.find_request(b"y", "r", "one") == Answer("one", 3, b"2")
    assert await store.find_request(b"x", "r", "two") == Answer("two", 2, b"3")
    assert await store.find_request(b"y", "r", "two") is None
    assert await store.find_request(b"x", "r") is None, "no request to create a game"
    assert await store.find_request(b"x", "r", "three") is None, "no such game"


async def test_a_request_that_changes_nothing_is_answered_again_too(path: Path) -> None:
    async with opened(path) as store:
        await create(store)
        await store.append("one", 1, [entry("a")])
        assert await store.append("one", 2, [], requests=[request("r", b"yes")]) == 2
        with pytest.raises(Repeated):
            await store.append("one", 2, [], requests=[request("r", b"no")])
        with pytest.raises(Conflict):
            await store.append("one", 1, [], requests=[request("s", b"no")])
        with pytest.raises(ValueError, match="nothing to append"):
            await store.append("one", 2, [])
        await store.append("one", 2, [entry("b")])
    async with opened(path) as store:
        assert await store.find_request(b"caller", "r", "one") == Answer("one", 2, b"yes")
        assert await store.find_request(b"caller", "s", "one") is None
        assert await texts(store, "one") == ["created", "a", "b"]


async def test_one_append_can_answer_several_requests(store: SqliteStore) -> None:
    await create(store)
    both = [request("r", b"1"), request("s", b"2")]
    await store.append("one", 1, [entry()], requests=both)
    assert await store.find_request(b"caller", "s", "one") == Answer("one", 2, b"2")


async def test_a_retried_creation_gets_its_first_answer(store: SqliteStore) -> None:
    await store.put_pack(PACK, b"pack")
    asked = request("r", b"one it is")
    await store.create_game(new_game("one"), SECRET, [entry()], request=asked)
    for game_id in ("one", "two"):
        with pytest.raises(Repeated) as caught:
            await store.create_game(new_game(game_id), SECRET, [entry()], request=asked)
        assert caught.value.first == Answer("one", 1, b"one it is")
    assert await store.get_game("two") is None
    assert await store.find_request(b"caller", "r") == Answer("one", 1, b"one it is")


async def test_a_request_sent_twice_at_once_is_answered_once(store: SqliteStore) -> None:
    await create(store)
    asked = request("r", b"yes")
    calls = [store.append("one", 1, [entry("a")], requests=[asked]) for _ in range(8)]
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert outcomes[0] == 2
    for outcome in outcomes[1:]:
        assert isinstance(outcome, Repeated)
        assert outcome.first == Answer("one", 2, b"yes")
    assert await texts(store, "one") == ["created", "a"]


async def test_answers_and_logs_outlive_the_process(path: Path) -> None:
    async with opened(path) as store:
        await create(store)
        await store.append("one", 1, [entry("a")], requests=[request("r", b"yes")])
    async with opened(path) as store:
        assert await texts(store, "one") == ["created", "a"]
        assert await store.get_secret("one") == SECRET
        assert await store.get_pack(PACK) == b"pack"
        with pytest.raises(Repeated) as caught:
            await store.append("one", 1, [entry("a")], requests=[request("r", b"no")])
        assert caught.value.first == Answer("one", 2, b"yes")
        await create(store, "two")
        assert await texts(store, "two") == ["created"]


async def test_closing_writes_what_was_asked_before(path: Path) -> None:
    async with opened(path) as store:
        await create(store)
        pending = asyncio.gather(
            *(store.append("one", seq, [entry(str(seq))]) for seq in range(1, 50))
        )
        await asyncio.sleep(0)  # all are queued
        await store.close()
        assert await pending == list(range(2, 51))
        with pytest.raises(StoreClosed):
            await store.append("one", 50, [entry()])
        with pytest.raises(StoreClosed):
            await store.read("one")
        await store.close()


async def test_what_cannot_be_written_harms_nobody_else(store: SqliteStore) -> None:
    await create(store, "one")
    await create(store, "two")
    wrong = Entry("choice", 1 << 80, b"")
    outcomes = await asyncio.gather(
        store.append("one", 1, [wrong]),
        store.append("two", 1, [entry("fine")]),
        return_exceptions=True,
    )
    assert isinstance(outcomes[0], StoreError)
    assert outcomes[1] == 2
    assert await store.append("one", 1, [entry("right")]) == 2


async def test_when_there_was_a_server_is_kept_over_restarts(path: Path) -> None:
    async with opened(path) as store:
        assert await store.uptimes() == []
        await store.serving(1_000, 1_000)
        await store.serving(1_000, 6_000)
        await create(store)
    async with opened(path) as store:
        await asyncio.gather(store.serving(9_000, 9_500), create(store, "two"))
        assert await store.uptimes() == [(1_000, 6_000), (9_000, 9_500)]
    assert list(upkeep.problems(path)) == []
