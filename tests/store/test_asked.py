"""The requests of a game are committed with what they did, and written into their table later."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from endless_winter.store import (
    Answer,
    Conflict,
    Repeated,
    SqliteStore,
    StoreDamaged,
    commits,
    read_game,
    rows,
    settling,
    upkeep,
    writer,
)
from endless_winter.store.jobs import MARK, Head, mark_of
from tests.store.support import create, ended, entry, opened, request, texts

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.store.jobs import Outcome


def table(path: Path) -> list[tuple[str, int]]:
    """Id and number of all requests in the table that create no game."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(
            "SELECT request_id, seq FROM requests WHERE scope <> 0 ORDER BY request_id"
        ).fetchall()


def crashed(path: Path, name: str = "crashed.db") -> Path:
    """The file as a crash would leave it now."""
    copy = path.with_name(name)
    for ending in ("", "-wal"):
        beside = path.with_name(path.name + ending)
        if beside.exists():
            shutil.copyfile(beside, copy.with_name(copy.name + ending))
    return copy


async def answered(store: SqliteStore) -> None:
    """A game whose entries 2 and 3 answer requests, and one more that changed nothing."""
    await create(store)
    await store.append("one", 1, [entry("a")], requests=[request("r1", b"first")])
    await store.append("one", 2, [entry("b")], requests=[request("r2", b"second")])
    await store.append("one", 3, [], requests=[request("r3", b"third")])


async def check(store: SqliteStore) -> None:
    """All three are known, whoever asks, and nothing else is."""
    for name, seq, answer in (("r1", 2, b"first"), ("r2", 3, b"second"), ("r3", 3, b"third")):
        first = Answer("one", seq, answer)
        assert await store.find_request(b"caller", name, "one") == first
        for expected in (3, 1):  # where the log ends, and where it ended then
            with pytest.raises(Repeated) as caught:
                await store.append("one", expected, [entry("again")], requests=[request(name)])
            assert caught.value.first == first
    assert await store.find_request(b"another", "r1", "one") is None
    assert await store.find_request(b"caller", "r1", "two") is None
    assert await store.find_request(b"caller", "r4", "one") is None
    assert await texts(store, "one") == ["created", "a", "b"]


async def test_what_was_answered_is_known_before_it_is_in_the_table(path: Path) -> None:
    async with opened(path) as store:
        await answered(store)
        assert table(path) == []
        await check(store)


async def test_what_was_answered_is_known_after_a_crash(path: Path) -> None:
    async with opened(path) as store:
        await answered(store)
        copy = crashed(path)
    async with opened(copy) as store:
        await check(store)
        assert await store.append("one", 3, [entry("c")], requests=[request("r4")]) == 4


async def test_a_request_that_cannot_be_read_is_damage(path: Path) -> None:
    """And is told as such by the check, and to who wants to serve the store."""
    async with opened(path) as store:
        await answered(store)
        copy = crashed(path)
    with closing(sqlite3.connect(copy)) as connection:
        for moment, data in connection.execute("SELECT id, data FROM moments").fetchall():
            broken = data.replace(b"r2", b"r\xff")
            connection.execute("UPDATE moments SET data = ? WHERE id = ?", (broken, moment))
        connection.commit()
    assert [wrong for wrong in upkeep.problems(copy) if "request cannot be read" in wrong]
    with pytest.raises(StoreDamaged, match="a request cannot be read"):
        await SqliteStore.open(copy)


async def test_what_was_answered_is_known_when_it_is_settled(path: Path) -> None:
    async with opened(path) as store:
        await answered(store)
        store._writer.commits.settle(store._writer.commits.tails.everything())
        assert table(path) == [("r1", 2), ("r2", 3), ("r3", 3)]
        await check(store)
        store._writer.commits._heads.clear()
        await check(store)


async def test_what_was_answered_is_known_after_an_end(path: Path) -> None:
    async with opened(path) as store:
        await answered(store)
    assert table(path) == [("r1", 2), ("r2", 3), ("r3", 3)]
    async with opened(path) as store:
        await check(store)


async def test_a_crash_between_settled_and_not_settled_writes_nothing_twice(path: Path) -> None:
    async with opened(path) as store:
        await create(store, "two")
        await answered(store)
        await asyncio.gather(  # one moment of both, which stays as long as one of them is missing
            store.append("one", 3, [entry("c")], requests=[request("r4")]),
            store.append("two", 1, [entry("x")], requests=[request("r5")]),
        )
        store._writer.commits.settle(["one"])
        copy = crashed(path)
    async with opened(copy) as store:
        assert await texts(store, "one") == ["created", "a", "b", "c"]
        assert await store.find_request(b"caller", "r5", "two") is not None
        with pytest.raises(Repeated):
            await store.append("one", 4, [entry()], requests=[request("r4")])
        assert await store.append("one", 4, [entry("d")], requests=[request("r6")]) == 5
    assert table(copy) == [("r1", 2), ("r2", 3), ("r3", 3), ("r4", 4), ("r5", 2), ("r6", 5)]
    assert list(upkeep.problems(copy)) == []


async def test_a_request_of_its_own_is_settled_without_entries(path: Path) -> None:
    async with opened(path) as store:
        await create(store)
    async with opened(path) as store:
        await store.append("one", 1, [], requests=[request("r")])
        store._writer.commits.settle(["one"])
        assert table(path) == [("r", 1)]
        assert await store.append("one", 1, [entry("a")]) == 2
        header = await store.get_game("one")
        assert header is not None
        assert header.last_seq == 2
    kept = read_game(path, "one")
    assert kept is not None
    assert [logged.seq for logged in kept.entries] == [1, 2]


async def test_the_same_request_twice_in_one_commit_is_answered_once(path: Path) -> None:
    async with opened(path) as store:
        await create(store)
        told: list[Outcome] = []
        all_told = asyncio.get_running_loop().create_future()

        def done(outcome: Outcome) -> None:
            told.append(outcome)
            if len(told) == 3:
                all_told.set_result(None)

        store.append_soon("one", 1, [entry("a")], [request("r", b"first")], done)
        store.append_soon("one", 2, [entry("b")], [request("r", b"second")], done)
        store.append_soon("one", 1, [entry("c")], [request("r", b"third")], done)
        store.flush()
        await all_told
        assert told[0] == 2
        for outcome in told[1:]:
            assert isinstance(outcome, Repeated)
            assert outcome.first == Answer("one", 2, b"first")
        assert await texts(store, "one") == ["created", "a"]


async def test_a_conflict_leaves_its_request_unanswered(path: Path) -> None:
    async with opened(path) as store:
        await create(store)
        with pytest.raises(Conflict):
            await store.append("one", 5, [entry("a")], requests=[request("r")])
        assert await store.find_request(b"caller", "r", "one") is None
        assert await store.append("one", 1, [entry("a")], requests=[request("r")]) == 2


async def test_requests_are_no_entries_of_the_log(path: Path) -> None:
    async with opened(path) as store:
        await answered(store)
        kept = read_game(path, "one")
        assert kept is not None
        assert [logged.kind for logged in kept.entries] == ["choice"] * 3
        assert await store.read("one") == kept.entries
        with closing(sqlite3.connect(path)) as connection:
            (found,) = settling.newer(connection).values()
            assert [row.seq for _, row in found] == [1, 2, 3]
        assert list(upkeep.problems(path)) == []


async def test_a_backup_beside_a_server_has_the_requests(path: Path) -> None:
    async with opened(path) as store:
        await answered(store)
        copy = path.with_name("copy.db")
        upkeep.backup(path, copy)
    async with opened(copy) as store:
        await check(store)


async def test_requests_go_with_their_game(path: Path) -> None:
    async with opened(path) as store:
        await answered(store)
        await store.append("one", 3, [ended(1_000)], requests=[request("r4")])
        games, _ = upkeep.prunable(path, 2_000)
        upkeep.prune(path, games)
        assert await create(store) == 1
        assert await store.append("one", 1, [entry("new")], requests=[request("r1")]) == 2
        assert await store.find_request(b"caller", "r2", "one") is None
    assert table(path) == [("r1", 2)]
    assert list(upkeep.problems(path)) == []


async def test_a_new_game_inherits_nothing_from_one_that_was_removed(path: Path) -> None:
    """What was committed of a game may outlive it in the file, over a crash too."""
    async with opened(path) as store:
        await answered(store)
        await store.append("one", 3, [ended(1_000)])
        games, _ = upkeep.prunable(path, 2_000)
        upkeep.prune(path, games)
        first = crashed(path, "first.db")
    async with opened(first) as store:
        await create(store, "new")
        second = crashed(first, "second.db")
    async with opened(second) as store:
        assert await texts(store, "new") == ["created"]
        assert await store.find_request(b"caller", "r1", "new") is None
        assert await store.append("new", 1, [entry("a")], requests=[request("r1")]) == 2
    assert list(upkeep.problems(second)) == []


async def test_marks_do_not_pile_up(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commits, "MOST_MARKS", 2)
    async with opened(path) as store:
        await answered(store)
        await create(store, "two")
        known = [head.asked for head in store._writer.commits._heads.values()]
        assert known == [bytearray()], "all others were forgotten"
        await check(store)


async def test_two_of_one_id_do_not_have_all_tails_read_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as store:
        await create(store)
        read: list[object] = []
        monkeypatch.setattr(store._writer.commits, "_look_again", lambda: read.append(None))
        calls = [store.append("one", 1, [entry("a")], requests=[request("r")]) for _ in range(2)]
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        assert outcomes[0] == 2
        assert isinstance(outcomes[1], Repeated)
        assert read == []


async def test_how_long_the_write_ahead_log_is_counts_what_is_settled(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or it would be moved too late, when it has outgrown its room."""
    monkeypatch.setattr(settling, "KEPT", 20_000)
    monkeypatch.setattr(writer, "MOVED", 1 << 40)
    async with opened(path) as store:
        for number in range(16):
            await create(store, f"game-{number}")
        log = path.with_name(f"{path.name}-wal")
        counted, long = store._writer.commits.unmoved, log.stat().st_size
        for seq in range(1, 60):
            asked = [request(f"d{seq}", b"answer" * 10)]
            calls = [
                store.append(f"game-{number}", seq, [entry("x" * 100)], requests=asked)
                for number in range(16)
            ]
            await asyncio.gather(*calls)
        grown = log.stat().st_size - long
        assert 0.8 * grown <= store._writer.commits.unmoved - counted <= 2 * grown


def test_marks_are_found_where_they_are_and_nowhere_else() -> None:
    head = Head(1, 0)
    first, second = mark_of(b"caller", "r1"), mark_of(b"caller", "r2")
    assert len(first) == len(second) == MARK
    head.asked = bytearray(first + second)
    assert head.knows(first)
    assert head.knows(second)
    assert not head.knows((first + second)[1 : MARK + 1]), "across two others"
    head.asked += (first + second)[1 : MARK + 1]
    assert head.knows((first + second)[1 : MARK + 1]), "though it stands across two others too"


def test_no_entry_has_the_kind_of_a_request() -> None:
    assert not rows.ASKED.isprintable()
