"""``ew store backup | prune | check``, also while a server writes."""

# ruff: noqa: ASYNC240 # nothing else runs on the loop of a test

from __future__ import annotations

import asyncio
import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from endless_winter.store import (
    GameExists,
    Marks,
    NoSuchGame,
    SqliteStore,
    StoreError,
    rows,
    upkeep,
)
from tests.foundations.tree import EW, passed, run
from tests.store.support import PACK, SECRET, create, ended, entry, new_game, opened, request, texts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from endless_winter.store.rows import Row

DAY_MS = 24 * 60 * 60 * 1000


def change(path: Path, sql: str) -> None:
    """Tamper with a store."""
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(sql).rowcount > 0


def tamper(path: Path, where: str, keep: Callable[[Row], Row | None]) -> None:
    """Tamper with the entries of a log."""
    with closing(sqlite3.connect(path)) as connection, connection:
        ((number, data),) = connection.execute(f"SELECT rowid, data FROM logs WHERE {where}")
        left = [changed for row in rows.unpack(data) if (changed := keep(row)) is not None]
        data = b"".join(map(rows.repack, left))
        connection.execute("UPDATE logs SET data = ? WHERE rowid = ?", (data, number))


async def test_a_backup_is_a_store_of_one_moment(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    async with opened(path) as store:
        await create(store)
        await store.append("one", 1, [entry("before")], requests=[request("r")])
        assert upkeep.backup(path, copy) == (1, 2)
        await store.append("one", 2, [entry("after")])
    assert [file.name for file in tmp_path.glob("copy.db*")] == ["copy.db"]
    assert copy.stat().st_mode & 0o777 == 0o600
    async with opened(copy) as store:
        assert await texts(store, "one") == ["created", "before"]
        assert await store.get_secret("one") == SECRET
        assert await store.find_request(b"caller", "r", "one") is not None
        assert await store.append("one", 2, [entry("elsewhere")]) == 3


async def test_backups_while_writing_are_sound(path: Path, tmp_path: Path) -> None:
    """Every copy holds of each log at least what was acknowledged when the backup began."""
    acknowledged: dict[str, int] = {}
    done = asyncio.Event()

    async def play(store: SqliteStore, game_id: str) -> None:
        seq = await create(store, game_id)
        while not done.is_set():
            acknowledged[game_id] = seq
            marks = Marks(open_seats=seq) if seq % 5 == 0 else None
            seq = await store.append(game_id, seq, [entry(str(seq + 1), marks)])

    async with opened(path) as store:
        playing = [asyncio.ensure_future(play(store, f"game-{n}")) for n in range(8)]
        for number in range(5):
            while len(acknowledged) < 8 or store.stats.jobs < 100 * (number + 1):
                await store.read("game-0", limit=1)  # something to wait for
            before = dict(acknowledged)
            copy = tmp_path / f"copy-{number}.db"
            await asyncio.to_thread(upkeep.backup, path, copy)  # checks the copy itself
            async with opened(copy) as copied:
                for game_id, seq in before.items():
                    assert len(await copied.read(game_id, limit=100_000)) >= seq
        done.set()
        await asyncio.gather(*playing)


async def test_a_backup_overwrites_nothing(path: Path, tmp_path: Path) -> None:
    async with opened(path):
        pass
    target = tmp_path / "precious"
    target.write_text("precious")
    with pytest.raises(StoreError, match="does not overwrite"):
        upkeep.backup(path, target)
    assert target.read_text() == "precious"


async def test_a_backup_of_a_damaged_store_is_not_kept(path: Path, tmp_path: Path) -> None:
    async with opened(path) as store:
        await create(store)
        await store.append("one", 1, [entry("a"), entry("b")])
    tamper(path, "game = 1", lambda row: row if row.seq != 2 else None)
    with pytest.raises(StoreError, match="is not sound: game one: missing from the log: 2"):
        upkeep.backup(path, tmp_path / "copy.db")
    assert list(tmp_path.glob("copy.db*")) == []


async def test_a_backup_that_cannot_be_written_says_so(path: Path, tmp_path: Path) -> None:
    async with opened(path):
        pass
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="file is no folder"):
        upkeep.backup(path, tmp_path / "file" / "copy.db")


async def test_prune_removes_old_ended_games_and_nothing_else(path: Path) -> None:
    async with opened(path) as store:
        await store.put_pack(PACK, b"pack")
        for name in ("old", "older", "young", "sealed", "running"):
            asked = request(f"create {name}")
            new = new_game(name, tags=("t",))
            await store.create_game(new, SECRET, [entry("created")], request=asked)
            held = entry("seat", Marks(holders={0: b"client"}))
            await store.append(name, 1, [held], requests=[request("r")])
        await store.append("old", 2, [ended(900)])
        await store.append("older", 2, [ended(800), entry("after")])
        await store.append("young", 2, [ended(1_000)])
        await store.append("sealed", 2, [ended(800, sealed=True)])

        games, sealed = upkeep.prunable(path, 1_000)
        assert games == [("older", 800, 4), ("old", 900, 3)]
        assert sealed == 1
        upkeep.prune(path, games)  # while the store is open

        left = {name: await store.get_game(name) is not None for name in ("old", "older", "young")}
        assert left == {"old": False, "older": False, "young": True}
        assert await texts(store, "old") == []
        assert await store.get_secret("old") is None
        assert await store.find_request(b"caller", "create old") is None
        assert await store.find_request(b"caller", "create young") is not None
        with pytest.raises(NoSuchGame):
            await store.append("old", 3, [entry("too late")])
        assert await store.append("sealed", 3, [entry("open", Marks(sealed=False))]) == 4
        await create(store, "old")
        assert await texts(store, "old") == ["created"]
    assert list(upkeep.problems(path)) == []
    with closing(sqlite3.connect(path)) as connection:
        for table, column in (("requests", "game"), ("tags", "game"), ("logs", "game")):
            (stray,) = connection.execute(
                f"SELECT count(*) FROM {table} WHERE {column} NOT IN (SELECT id FROM games)"
            ).fetchone()
            assert stray == 0, table
        assert connection.execute("SELECT count(*) FROM packs").fetchone() == (1,)


async def test_the_id_of_a_game_that_was_just_pruned_is_free(path: Path) -> None:
    async with opened(path) as store:
        await create(store, "old")
        await store.append("old", 1, [ended(1)])
        before = await store.removals()
        upkeep.prune(path, upkeep.prunable(path, 2)[0])
        assert await store.removals() != before
        await create(store, "old")  # the first that is written since
        assert await texts(store, "old") == ["created"]
        with pytest.raises(GameExists):
            await create(store, "old")
    assert list(upkeep.problems(path)) == []


async def test_prune_beside_a_busy_server(path: Path) -> None:
    async with opened(path) as store:
        for number in range(60):
            await create(store, f"old-{number}")
            await store.append(f"old-{number}", 1, [ended(1)])
        await create(store, "live")
        games, _ = upkeep.prunable(path, 2)
        pruning = asyncio.create_task(asyncio.to_thread(upkeep.prune, path, games))
        seq = 1
        while not pruning.done():
            seq = await store.append("live", seq, [entry(str(seq))])
        await pruning
        assert upkeep.contents(path).games == 1
        assert await store.append("live", seq, [entry("on")]) == seq + 1
    assert list(upkeep.problems(path)) == []


@pytest.mark.parametrize(
    ("sql", "line"),
    [
        ("UPDATE games SET open_seats = 9", "game one: open_seats is not what the log says"),
        ("UPDATE games SET title = 'x'", "game one: title is not what the log says"),
        ("UPDATE games SET status = 4", "game one: status is not what the log says"),
        ("UPDATE holders SET seat = 3", "game one: holders is not what the log says"),
        ("DELETE FROM tags", "game one: tags is not what the log says"),
        ("DELETE FROM secrets", "game one: has no seed"),
        ("DELETE FROM packs", "games: a row belongs to nothing in packs"),
        (
            "UPDATE requests SET seq = 7",
            "requests: r was answered by entry 7 of game #1, which is gone",
        ),
        ("UPDATE logs SET data = substr(data, 1, 100)", "game one: an entry ends too early"),
        ("UPDATE logs SET data = x'00'", "game one: an entry cannot be read"),
    ],
)
async def test_check_finds_what_was_tampered_with(path: Path, sql: str, line: str) -> None:
    async with opened(path) as store:
        await store.put_pack(PACK, b"pack")
        await store.create_game(new_game(tags=("t",)), SECRET, [entry("created")])
        seat = entry("seat", Marks(holders={0: b"client"}, open_seats=1))
        await store.append("one", 1, [seat], requests=[request("r")])
        await store.append("one", 2, [entry(str(number)) for number in range(3, 7)])
    assert list(upkeep.problems(path)) == []
    change(path, sql)
    (found,) = upkeep.problems(path)
    assert found.startswith(line)


@pytest.mark.parametrize(
    ("keep", "line"),
    [
        (lambda row: row if row.seq != 3 else None, "missing from the log: 3 (of 6)"),
        (lambda row: row if row.seq not in (3, 4) else None, "missing from the log: 3 to 4 (of 6)"),
        (lambda row: row if row.seq < 6 else None, "missing from the log: 6 (of 6)"),
        (
            lambda row: row if row.seq != 6 else row._replace(game=5),
            "entry 6 is one of game #5",
        ),
    ],
)
async def test_check_reads_every_entry(
    path: Path, keep: Callable[[Row], Row | None], line: str
) -> None:
    async with opened(path) as store:
        await create(store)
        await store.append("one", 1, [entry(str(number)) for number in range(2, 7)])
    assert list(upkeep.problems(path)) == []
    tamper(path, "game = 1", keep)
    assert list(upkeep.problems(path)) == [f"game one: {line}"]


async def test_the_commands_say_what_they_did(path: Path, tmp_path: Path) -> None:
    now = time.time_ns() // 1_000_000
    async with opened(path) as store:
        for name, days in (("old", 40), ("young", 20)):
            await create(store, name)
            await store.append(name, 1, [ended(now - days * DAY_MS)])
        await create(store, "sealed")
        await store.append("sealed", 1, [ended(0, sealed=True)])

        copy = tmp_path / "copy.db"
        said = passed(run(EW, "store", "backup", path, copy))
        assert said == f"{copy}: 3 games, 6 entries, checked\n"

        said = passed(run(EW, "store", "prune", path, "--older-than", "30", "--dry-run"))
        first, last = said.splitlines()
        assert first.startswith("would remove old: ended 20")
        assert first.endswith(", 2 entries")
        sealed = "1 of that age kept, still sealed"
        assert last == f"{path}: would remove 1 games, 2 entries; {sealed}"
        assert await texts(store, "old") == ["created", "ended"]

        said = passed(run(EW, "store", "prune", path, "--older-than", "30"))
        assert said.splitlines()[-1] == f"{path}: removed 1 games, 2 entries; {sealed}"
        assert await texts(store, "old") == []
        assert passed(run(EW, "store", "check", path)) == (
            f"{path}: 2 games, 4 entries, nothing wrong\n"
        )
    tamper(path, "game = 2", lambda row: row if row.seq != 1 else None)
    done = run(EW, "store", "check", path)
    assert done.returncode == 1
    assert done.stdout.startswith("game young: missing from the log: 1 (of 2)\n")
    assert done.stderr.startswith(f"ew: {path}: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", [["backup", "copy"], ["prune", "--older-than=1"], ["check"]])
def test_a_missing_store_costs_one_line_and_is_not_made(
    path: Path, tmp_path: Path, command: list[str]
) -> None:
    done = run(EW, "store", command[0], path, *command[1:], cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, f"ew: there is no store {path}\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["backup", "prune", "check"])
def test_the_help_teaches(command: str) -> None:
    assert f"  {command} " in passed(run(EW, "store", "--help"))
    assert f"Usage: ew store {command} " in passed(run(EW, "store", command, "--help"))
