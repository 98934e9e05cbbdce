"""The tail: choices are safe before they are in the tables, whatever happens in between."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from endless_winter.store import (
    Conflict,
    Repeated,
    SqliteStore,
    StoreDamaged,
    StoreError,
    StoreFull,
    read_game,
    tail,
    upkeep,
)
from tests.store.support import NEWS, create, ended, entry, opened, request, texts

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.store.records import Entry, Request


def crashed(path: Path, folder: Path) -> Path:
    """The files as a killed process leaves them: a copy of them while they are in use."""
    folder.mkdir()
    for file in path.parent.glob("games.db*"):
        if file.suffix != ".lock":
            shutil.copy2(file, folder / file.name)
    return folder / path.name


def rows(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM entries").fetchone()
    return int(count)


async def play(store: SqliteStore, game_id: str, first: int, last: int) -> None:
    """Choices of a game, one after the other."""
    for seq in range(first, last):
        await store.append(game_id, seq, [entry(f"{game_id} {seq + 1}")], requests=[asked(seq)])


def asked(seq: int) -> Request:
    return request(f"r{seq}", f"answer {seq}".encode())


async def test_what_a_crash_left_in_the_tail_is_carried_over(path: Path, tmp_path: Path) -> None:
    async with opened(path) as store:
        for game_id in ("one", "two"):
            await create(store, game_id)
        await asyncio.gather(play(store, "one", 1, 30), play(store, "two", 1, 20))
        assert [file.stat().st_mode & 0o777 for file in tail.names(path)] == [0o600, 0o600]
        left = crashed(path, tmp_path / "left")
    assert not any(file.exists() for file in tail.names(path)), "a store that is closed has none"
    assert rows(left) < 50
    for _ in range(2):  # a second start finds nothing more to do
        async with opened(left) as store:
            assert await texts(store, "one") == ["created", *(f"one {n}" for n in range(2, 31))]
            assert await texts(store, "two") == ["created", *(f"two {n}" for n in range(2, 21))]
            answer = await store.find_request(b"caller", "r7", "two")
            assert answer is not None
            assert (answer.seq, answer.answer) == (8, b"answer 7")
            with pytest.raises(Repeated):
                await store.append("two", 20, [entry()], requests=[asked(7)])
    assert rows(left) == 50
    assert list(upkeep.problems(left)) == []


async def test_files_are_written_over_only_when_the_tables_have_it(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "LARGEST", 5_000)
    monkeypatch.setattr(tail, "GROWTH", 1_000)
    async with opened(path) as store:
        for number in range(4):
            await create(store, f"game-{number}")
        for start in range(1, 200, 20):
            names = [f"game-{number}" for number in range(4)]
            await asyncio.gather(*(play(store, name, start, start + 20) for name in names))
            if start % 40 == 1:
                await store.put_pack("more", b"")  # takes along what is safe
            left = crashed(path, tmp_path / f"left-{start}")
            async with opened(left) as other:
                for name in names:
                    assert len(await other.read(name)) == start + 20
            assert list(upkeep.problems(left)) == []
    assert rows(path) == 4 * 201


async def test_a_record_that_is_not_whole_was_never_written(path: Path, tmp_path: Path) -> None:
    async with opened(path) as store:
        await create(store)
        await play(store, "one", 1, 5)
        left = crashed(path, tmp_path / "left")
    (file,) = (file for file in tail.names(left) if file.stat().st_size)
    whole = file.read_bytes().rstrip(b"\0")
    assert len(tail.read(left)) == 4
    for cut in (1, 10, 100):
        file.write_bytes(whole[:-cut] + bytes(500))
        assert len(tail.read(left)) == 3, "the last one is torn"
    file.write_bytes(b"nonsense" * 1000)
    assert tail.read(left) == []
    async with opened(left) as store:
        assert await texts(store, "one") == ["created"]


async def test_a_tail_that_does_not_go_on_where_the_log_ends_is_named(
    path: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    async with opened(path) as store:
        await create(store)
        upkeep.backup(path, copy)
        await play(store, "one", 1, 5)
        await store.put_pack("more", b"")  # in the tables now
        await play(store, "one", 5, 6)
        left = crashed(path, tmp_path / "left")
    whole = [file.read_bytes() for file in tail.names(left)]
    for file, data in zip(tail.names(left), whole, strict=True):
        skipped = list(tail._records(data))[:4]
        used = sum(len(body) + tail._HEAD.size for _, body in skipped)
        file.write_bytes(data[used:])
    shutil.copy2(copy, left)
    for ending in ("-wal", "-shm"):
        left.with_name(left.name + ending).unlink()
    with pytest.raises(StoreDamaged, match=r"remove its \.tail files"):
        await SqliteStore.open(left)
    tail.remove(tail.names(left))
    async with opened(left) as store:
        assert await texts(store, "one") == ["created"]


async def test_what_the_disk_does_not_take_was_never_said(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path, "full") as store:
        await create(store)
        await create(store, "two")
        await play(store, "one", 1, 5)

        def fail(_: int) -> None:
            raise OSError(errno.EIO, "the disk is broken")

        with monkeypatch.context() as broken:
            broken.setattr(os, "fdatasync", fail)
            calls = [
                store.append("one", 5, [entry("lost")], requests=[request("lost")]),
                store.append("two", 1, [entry("lost too")]),
            ]
            outcomes = await asyncio.gather(*calls, return_exceptions=True)
            assert [str(outcome) for outcome in outcomes] == [
                "the store failed (the disk is broken)"
            ] * 2
        assert await store.find_request(b"caller", "lost", "one") is None
        left = crashed(path, tmp_path / "left")
        assert await store.append("one", 5, [entry("again")], requests=[request("lost")]) == 6
        assert await store.append("two", 1, [entry("again")]) == 2
        assert (await texts(store, "one"))[-1] == "again"
    async with opened(left) as store:
        assert len(await store.read("one")) == 5
        assert await texts(store, "two") == ["created"]


async def test_a_full_disk_refuses_and_takes_it_later(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as store:
        await create(store)
        await play(store, "one", 1, 3)

        def fail(*_: object) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as full:
            full.setattr(os, "pwrite", fail)
            with pytest.raises(StoreFull, match="the store is full"):
                await store.append("one", 3, [entry("no room")])
        await play(store, "one", 3, 6)
        assert (await texts(store, "one"))[-1] == "one 6"
    assert list(upkeep.problems(path)) == []


async def test_short_and_long_ways_keep_their_order(path: Path) -> None:
    """What changes the listing goes to the tables, behind choices that are only safe."""
    kinds: list[Entry] = [entry("a"), entry("b", NEWS), entry("c"), entry("d", NEWS), entry("e")]
    for synchronous in ("off", "full"):
        store_path = path.with_name(f"{synchronous}.db")
        async with opened(store_path, synchronous) as store:
            await create(store)
            calls = [store.append("one", seq, [one]) for seq, one in enumerate(kinds, 1)]
            assert await asyncio.gather(*calls) == [2, 3, 4, 5, 6]
            assert await texts(store, "one") == ["created", "a", "b", "c", "d", "e"]
            assert await store.append("one", 6, [entry("f")]) == 7
            rivals = [store.append("one", 7, [entry(text, NEWS)]) for text in "gh"]
            last = store.append("one", 7, [entry("i")])
            outcomes = await asyncio.gather(*rivals, last, return_exceptions=True)
            assert outcomes[0] == 8
            assert all(isinstance(outcome, Conflict) for outcome in outcomes[1:])
            assert await store.append("one", 8, [ended(1)]) == 9
        assert list(upkeep.problems(store_path)) == []


async def test_a_request_is_answered_once_whichever_way_it_comes(path: Path) -> None:
    async with opened(path) as store:
        await create(store)
        assert await store.append("one", 1, [entry("a")], requests=[request("short")]) == 2
        assert await store.append("one", 2, [entry("b", NEWS)], requests=[request("long")]) == 3
        for name in ("short", "long"):
            for marks in (None, NEWS):
                with pytest.raises(Repeated):
                    await store.append("one", 3, [entry("c", marks)], requests=[request(name)])
        assert await store.append("one", 3, [entry("c")], requests=[request("new")]) == 4
    async with opened(path) as store:
        assert await store.append("one", 4, [entry("d")]) == 5, "the long way: it learns the game"
        for name in ("short", "long", "new"):
            with pytest.raises(Repeated):
                await store.append("one", 5, [entry("e")], requests=[request(name)])
        assert await store.append("one", 5, [entry("e")], requests=[request("newer")]) == 6


async def test_a_game_is_read_from_the_file_with_what_is_safe(path: Path) -> None:
    async with opened(path) as store:
        await create(store)
        await play(store, "one", 1, 4)
        assert rows(path) == 1
        kept = read_game(path, "one")
        assert kept is not None
        assert kept.header.last_seq == 4
        assert [one.seq for one in kept.entries] == [1, 2, 3, 4]


async def test_what_is_safe_goes_into_the_tables_by_itself(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("endless_winter.store.intake.SETTLE_SECONDS", 0.0)
    async with opened(path) as store:
        await create(store)
        await play(store, "one", 1, 4)
        async with asyncio.timeout(60):
            while rows(path) < 4:
                await store.read("one")  # something to wait for
    with pytest.raises(StoreError):
        await store.append("one", 4, [entry()])
