"""From commits to logs: what is committed is read at any moment, wherever it stands by then."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endless_winter.store import (
    Entry,
    Marks,
    NoSuchGame,
    Query,
    SqliteStore,
    Status,
    StoreDamaged,
    index,
    read_game,
    rows,
    schema,
    settling,
    upkeep,
    writer,
)
from tests.store.support import PACK, SECRET, create, ended, entry, new_game, opened, request, texts

if TYPE_CHECKING:
    from pathlib import Path

some_bytes = st.binary(max_size=40)
some_rows = st.builds(
    rows.Row,
    st.integers(0, 2**64 - 1),
    st.integers(0, 2**64 - 1),
    st.text(max_size=10),
    st.integers(-(2**63), 2**63 - 1),
    some_bytes,
    some_bytes,
    some_bytes,
    some_bytes,
    st.text(max_size=10),
)


def parts(path: Path) -> list[tuple[int, int, int]]:
    """Game, first and last number of every part of a log."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(
            "SELECT game, first_seq, last_seq FROM logs ORDER BY game, last_seq"
        ).fetchall()


def moments(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM moments").fetchone()
        return int(count)


@given(st.lists(some_rows, max_size=5))
def test_rows_come_back_as_they_were(some: list[rows.Row]) -> None:
    assert list(rows.unpack(b"".join(map(rows.repack, some)))) == some


@given(st.lists(some_rows, min_size=1, max_size=3), st.data())
def test_what_was_cut_or_changed_is_damage_and_nothing_else(
    some: list[rows.Row], data: st.DataObject
) -> None:
    packed = b"".join(map(rows.repack, some))
    cut = packed[: data.draw(st.integers(0, len(packed) - 1))]
    try:
        left = list(rows.unpack(cut))
    except StoreDamaged:
        pass
    else:
        assert left == some[: len(left)], "it was cut between two entries"
    with pytest.raises(StoreDamaged):
        list(rows.unpack(packed + b"\0"))


async def test_a_commit_is_one_moment_and_stands_in_the_logs_after_the_end(path: Path) -> None:
    async with opened(path) as store:
        for name in ("one", "two"):
            await create(store, name)
        before = moments(path)
        await asyncio.gather(*(store.append(name, 1, [entry("a")]) for name in ("one", "two")))
        assert moments(path) - before == 1
        assert parts(path) == []
        kept = read_game(path, "two")
        assert kept is not None
        assert kept.header.last_seq == 2
        assert [logged.payload for logged in kept.entries] == [b"created", b"a"]
        assert upkeep.contents(path) == (2, 4)
    assert moments(path) == 0
    assert parts(path) == [(1, 1, 2), (2, 1, 2)]
    assert upkeep.contents(path) == (2, 4)


async def test_when_too_much_waits_the_oldest_is_settled(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settling, "KEPT", 2_000)
    monkeypatch.setattr(settling, "MOST_GAMES", 2)
    monkeypatch.setattr(writer, "MOVED", 1)  # tidied up after every commit
    logs: dict[str, list[str]] = {}
    async with opened(path) as store:
        for number in range(6):
            await create(store, f"game-{number}")
            logs[f"game-{number}"] = ["created"]
        for turn in range(30):
            for game_id, log in logs.items():
                log.append(f"{game_id} {turn}")
                marks = Marks(open_seats=turn) if turn % 7 == 0 else None
                last = await store.append(game_id, len(log) - 1, [entry(log[-1], marks)])
                assert last == len(log)
            assert store._writer.commits.tails.octets < 4_000, "the last piece may be under way"
            for game_id, log in logs.items():
                assert await texts(store, game_id) == log
                header = await store.get_game(game_id)
                assert header is not None
                assert header.last_seq == len(log)
                start = max(len(log) - 3, 0)
                some = await store.read(game_id, after_seq=start, limit=2)
                assert [logged.payload.decode() for logged in some] == log[start : start + 2]
            assert list(upkeep.problems(path)) == []
        assert moments(path) < 60
        assert len(parts(path)) > 12
        page = await store.list_games(Query(everything=True))
        assert {game.last_seq for game in page.games} == {31}
    for game_id, log in logs.items():
        kept = read_game(path, game_id)
        assert kept is not None
        assert [logged.payload.decode() for logged in kept.entries] == log


async def test_what_a_dead_server_left_is_settled_by_the_next(path: Path, tmp_path: Path) -> None:
    left = tmp_path / "left.db"
    async with opened(path) as store:
        await create(store)
        await create(store, "two")
        await store.append("one", 1, [entry("a"), entry("b")], requests=[request("r")])
        for ending in ("", "-wal"):  # as a kill leaves them
            shutil.copy(f"{path}{ending}", f"{left}{ending}")
    assert moments(left) == 3
    async with opened(left) as store:
        assert moments(left) == 0
        assert parts(left) == [(1, 1, 3), (2, 1, 1)]
        assert await texts(store, "one") == ["created", "a", "b"]
        assert await store.append("one", 3, [entry("c")]) == 4
    assert parts(left) == [(1, 1, 3), (1, 4, 4), (2, 1, 1)]
    assert list(upkeep.problems(left)) == []


async def test_a_moment_that_was_settled_in_part_is_not_told_twice(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill between two games of one moment: one of them is in its log, the other is not."""
    left = tmp_path / "left.db"
    monkeypatch.setattr(settling, "MOST_GAMES", 1)
    async with opened(path) as store:
        await create(store)
        await create(store, "two")
        await asyncio.gather(*(store.append(name, 1, [entry("a")]) for name in ("one", "two")))
        await store.append("two", 2, [entry("b")])
        monkeypatch.setattr(settling, "KEPT", 0)
        store._writer.commits.settle(store._writer.commits.tails.overdue())
        assert moments(path) > 0
        assert len(parts(path)) == 1
        shutil.copy(path, left)
        shutil.copy(f"{path}-wal", f"{left}-wal")
    for game_id, log in (("one", [b"created", b"a"]), ("two", [b"created", b"a", b"b"])):
        kept = read_game(left, game_id)
        assert kept is not None
        assert [logged.payload for logged in kept.entries] == log
    assert list(upkeep.problems(left)) == []
    async with opened(left) as store:
        assert await texts(store, "two") == ["created", "a", "b"]
    assert list(upkeep.problems(left)) == []


async def test_what_is_settled_while_it_is_read_is_read_once(path: Path) -> None:
    async with opened(path) as store:
        await create(store)
        await store.append("one", 1, [entry("a")])
        reading = asyncio.ensure_future(store.read("one"))
        await asyncio.sleep(0)  # it has looked at what waits
        store._writer.commits.settle(store._writer.commits.tails.everything())
        assert [logged.payload for logged in await reading] == [b"created", b"a"]
        assert await texts(store, "one") == ["created", "a"]


async def test_what_is_settled_after_the_file_was_read_counts_in_the_listing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as store:
        await create(store)
        reading = store._reading

        async def settled_meanwhile(*args: Any) -> Any:
            found = await reading(*args)
            store._writer.commits.settle(store._writer.commits.tails.everything())
            return found

        monkeypatch.setattr(store, "_reading", settled_meanwhile)
        await store.append("one", 1, [entry("a")])
        header = await store.get_game("one")
        assert header is not None
        assert header.last_seq == 2
        await store.append("one", 2, [entry("b")])
        (listed,) = (await store.list_games(Query(everything=True))).games
        assert listed.last_seq == 3


async def test_a_removed_game_takes_nothing_and_leaves_the_others_alone(path: Path) -> None:
    async with opened(path) as store:
        for name in ("old", "live"):
            await create(store, name)
        await store.append("old", 1, [ended(1)])
        upkeep.prune(path, upkeep.prunable(path, 2)[0])
        assert await texts(store, "old") == []
        outcomes = await asyncio.gather(
            store.append("old", 2, [entry("too late")]),
            store.append("live", 1, [entry("on")]),
            return_exceptions=True,
        )
        assert isinstance(outcomes[0], NoSuchGame)
        assert outcomes[1] == 2
        assert store._writer.commits.tails.get("old") is None
        await create(store, "old")
        assert await texts(store, "old") == ["created"]
    assert list(upkeep.problems(path)) == []
    assert upkeep.contents(path) == (2, 3)


async def test_games_that_are_removed_again_and_again_fail_nobody(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`ew store prune` removes a few games at a time: the next few go while a commit is retried."""
    async with opened(path) as store:
        for name in ("old", "older", "live"):
            await create(store, name)
        for name in ("old", "older"):
            await store.append(name, 1, [ended(1)])
        first, second = upkeep.prunable(path, 2)[0]
        recover = store._writer.commits._recover

        def in_between(error: Exception) -> None:
            recover(error)
            upkeep.prune(path, [second])

        upkeep.prune(path, [first])
        monkeypatch.setattr(store._writer.commits, "_recover", in_between)
        assert await store.append("live", 1, [entry("on")]) == 2
        assert await store.append("live", 2, [entry("and on")]) == 3
        assert store._writer.commits.tails.everything() == ["live"]
    assert list(upkeep.problems(path)) == []


async def test_logs_of_a_row_for_each_entry_are_brought_up_to_date(path: Path) -> None:
    """Files of schema 1, whose entries had a table of their own."""
    (first,) = [sql for version, sql in schema.migrations() if version == 1]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(
            "CREATE TABLE schema_version "
            "(version INTEGER PRIMARY KEY, applied_ms INTEGER NOT NULL) STRICT;"
            f"{first}; INSERT INTO schema_version VALUES (1, 0);"
        )
        connection.execute("INSERT INTO packs VALUES (?, ?)", (PACK, b"pack"))
        for game, game_id in ((1, "one"), (2, "two")):
            change = index.of_new(new_game(game_id), None)
            index.insert(connection, game, game_id, change)
            connection.execute("INSERT INTO secrets VALUES (?, ?, ?)", (game, b"seed", b"salt"))
            marks = [index.to_text(change), None, index.to_text({"status": int(Status.OPEN)})]
            for seq, text in enumerate(marks, 1):
                connection.execute(
                    "INSERT INTO entries VALUES (?, ?, 'choice', 7, ?, ?, ?, ?, ?)",
                    (game, seq, b"payload %d" % seq, b"private", b"events", b"hash", text),
                )
        connection.execute("INSERT INTO requests VALUES (2, ?, 'r', 2, 3, ?)", (b"c", b"answer"))
    async with opened(path) as store:
        found = await store.read("two")
        assert [logged.payload for logged in found] == [b"payload 1", b"payload 2", b"payload 3"]
        assert (found[1].kind, found[1].at_ms, found[1].private) == ("choice", 7, b"private")
        assert (found[1].events, found[1].position_hash) == (b"events", b"hash")
        assert await store.find_request(b"c", "r", "two") is not None
        assert await store.append("two", 3, [entry("on")]) == 4
    assert list(upkeep.problems(path)) == []
    assert upkeep.contents(path) == (2, 7)


async def test_a_full_disk_stops_no_start(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(path) as store:
        await create(store)
        with monkeypatch.context() as patched:
            patched.setattr(settling.Tails, "settle", _no_room)
            await store.close()
    assert moments(path) == 1
    with monkeypatch.context() as patched:
        patched.setattr(settling.Tails, "settle", _no_room)
        store = await SqliteStore.open(path)
        assert await texts(store, "one") == ["created"]
        assert await store.append("one", 1, [entry("a")]) == 2
        await store.close()
    async with opened(path) as store:
        assert await texts(store, "one") == ["created", "a"]
    assert moments(path) == 0


def _no_room(*_: object) -> None:
    raise sqlite3.OperationalError("database or disk is full")


async def test_nothing_that_waits_is_lost_when_the_store_is_closed(path: Path) -> None:
    async with opened(path) as store:
        for name in ("one", "two"):
            await create(store, name)
        await asyncio.gather(*(store.append(name, 1, [entry("a")]) for name in ("one", "two")))
        waits = store.append("one", 2, [Entry("choice", 1, b"last")])
        await store.close()
        assert await waits == 3
    kept = read_game(path, "one")
    assert kept is not None
    assert kept.entries[-1].payload == b"last"
    assert kept.secret == SECRET
