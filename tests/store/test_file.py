"""The file: who may read it, who may serve from it, and what is said about a bad one."""

# ruff: noqa: ASYNC220, ASYNC240 # nothing else runs on the loop of a test

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.store import (
    SqliteStore,
    StoreDamaged,
    StoreError,
    StoreInUse,
    StoreTooNew,
    schema,
    upkeep,
    writer,
)
from tests.store.support import create, entry, opened, texts

if TYPE_CHECKING:
    from pathlib import Path


def permissions(path: Path) -> int:
    return path.stat().st_mode & 0o777


async def test_only_the_owner_can_read_any_of_its_files(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "games.db"
    mask = os.umask(0)
    try:
        async with opened(path) as store:
            await create(store)
            found = {file.name: permissions(file) for file in path.parent.iterdir()}
    finally:
        os.umask(mask)
    names = ("games.db", "games.db-shm", "games.db-wal", "games.db.lock")
    assert found == dict.fromkeys(names, 0o600)
    assert permissions(path.parent) == 0o700


async def test_a_file_that_others_could_read_is_taken_from_them(path: Path) -> None:
    async with opened(path) as store:
        await create(store)
    path.chmod(0o644)
    async with opened(path):
        assert permissions(path) == 0o600


async def test_a_folder_that_exists_is_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    async with opened(tmp_path / "games.db"):
        assert permissions(tmp_path) == 0o755


async def test_after_closing_there_is_one_file_with_everything(path: Path) -> None:
    async with opened(path) as store:
        await create(store)
    assert sorted(file.name for file in path.parent.iterdir()) == ["games.db", "games.db.lock"]


async def test_how_it_commits_is_as_asked(path: Path) -> None:
    for number, synchronous in enumerate(("off", "normal", "full")):
        store = await SqliteStore.open(path, synchronous=synchronous)  # type: ignore[arg-type] # a word of the table above
        async with store:
            connection = store._writer.commits._connection
            assert connection.execute("PRAGMA synchronous").fetchone() == (number,)
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    async with await SqliteStore.open(path) as store:
        assert store._writer.commits._connection.execute("PRAGMA synchronous").fetchone() == (2,)


async def test_the_default_waits_for_the_disk(path: Path) -> None:
    async with await SqliteStore.open(path) as store:
        await create(store)
        assert await store.append("one", 1, [entry("a")]) == 2


async def test_a_second_server_on_the_same_file_gets_one_line(path: Path) -> None:
    async with opened(path):
        with pytest.raises(StoreInUse) as caught:
            await SqliteStore.open(path)
        assert str(caught.value) == f"the store {path} is in use by process {os.getpid()}"
    async with opened(path):
        pass


HOLD = """
import asyncio, sys
from endless_winter.store import SqliteStore

async def hold():
    await SqliteStore.open(sys.argv[1])
    print("open", flush=True)
    await asyncio.Event().wait()

asyncio.run(hold())
"""


async def test_a_killed_server_holds_nothing(path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "open\n"
            with pytest.raises(StoreInUse, match=f"in use by process {process.pid}$"):
                await SqliteStore.open(path)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
    async with opened(path) as store:
        await create(store)


async def refusal(path: Path) -> str:
    """The one line with which opening is refused; the file stays as it was, and nobody's."""
    before = path.read_bytes()
    for _ in range(2):
        with pytest.raises(StoreError) as caught:
            await SqliteStore.open(path)
    assert path.read_bytes() == before
    assert "\n" not in str(caught.value)
    return f"{type(caught.value).__name__}: {caught.value}"


async def test_a_file_of_something_else_is_refused(path: Path) -> None:
    path.write_text("These are not the games you are looking for.\n" * 100)
    said = await refusal(path)
    assert said == f"StoreDamaged: {path} is not a store: file is not a database"


async def test_a_database_of_something_else_is_refused(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE guests (name)")
    said = await refusal(path)
    assert said == f"StoreDamaged: {path} is not a store but some other SQLite file"


@pytest.mark.parametrize("mode", [0o644, 0o600])
async def test_what_is_no_store_is_left_as_it_is(path: Path, mode: int) -> None:
    path.write_text("Somebody needs this.\n" * 100)
    path.chmod(mode)
    await refusal(path)
    with pytest.raises(StoreError):
        schema.open_writer(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert [file.name for file in path.parent.iterdir()] == [path.name], "no lock, no log"


async def test_a_database_of_something_else_keeps_its_rights(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE guests (name)")
    path.chmod(0o644)
    await refusal(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("mode", [0o444, 0o644])
async def test_a_store_that_others_could_read_becomes_its_owners_alone(
    path: Path, mode: int
) -> None:
    async with opened(path) as store:
        await create(store)
    path.chmod(mode)
    async with opened(path) as store:
        assert await store.append("one", 1, [entry("x")]) == 2
        rights = {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
        assert rights == {0o600}, "those of the files beside it too"


async def test_a_store_has_one_server_whatever_it_is_called(path: Path) -> None:
    link = path.with_name("link.db")
    link.symlink_to(path.name)
    async with opened(link) as store:  # the file itself is made
        await create(store)
        with pytest.raises(StoreInUse):
            await SqliteStore.open(path)
    assert path.is_file()


async def test_a_name_that_no_file_can_have_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cannot open the store .*: File name too long"):
        await SqliteStore.open(tmp_path / ("x" * 300))
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(StoreError, match="cannot open the store"):
        await SqliteStore.open(tmp_path / "a")


async def test_a_store_of_a_newer_program_is_refused(path: Path) -> None:
    async with opened(path):
        pass
    with closing(sqlite3.connect(path)) as other:
        other.execute("INSERT INTO schema_version VALUES (99, 0)")
        other.commit()
        other.execute("PRAGMA journal_mode = DELETE")
    said = await refusal(path)
    assert said.startswith(f"{StoreTooNew.__name__}: the store {path} has schema 99, and this")
    with pytest.raises(StoreTooNew):
        list(upkeep.problems(path))


async def test_a_file_cut_short_is_refused(path: Path) -> None:
    async with opened(path) as store:
        await create(store)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 3])
    said = await refusal(path)
    assert said.startswith(f"{StoreDamaged.__name__}: the store {path} is damaged: ")


async def test_an_empty_file_becomes_a_store(path: Path) -> None:
    path.touch()
    async with opened(path) as store:
        await create(store)


async def test_a_folder_is_not_a_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no store"):
        await SqliteStore.open(tmp_path)


async def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="file is no folder"):
        await SqliteStore.open(tmp_path / "file" / "games.db")


async def test_damage_found_while_serving_is_an_error_of_that_call(path: Path) -> None:
    async with opened(path) as store:
        await create(store)
        await store.append("one", 1, [entry("x" * 200_000)])
    with closing(sqlite3.connect(path)) as other:
        (page,) = other.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'logs'").fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 4096)
    async with opened(path) as store:
        with pytest.raises(StoreDamaged, match="ew store check"):
            await store.read("one")
        header = "SELECT count(*) FROM games"
        assert store._writer.commits._connection.execute(header).fetchone() == (1,)
    assert next(upkeep.problems(path)).startswith("file: ")


async def test_a_file_is_brought_up_to_date_step_by_step(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as store:
        await create(store)
    steps = schema.migrations()
    assert [version for version, _ in steps] == list(range(1, len(steps) + 1))
    more = [*steps, (len(steps) + 1, "CREATE TABLE later (x TEXT) STRICT;")]
    monkeypatch.setattr(schema, "migrations", lambda: more)
    with pytest.raises(StoreError, match="brings it up to date"):
        list(upkeep.problems(path))
    async with opened(path) as store:
        assert await texts(store, "one") == ["created"]
        connection = store._writer.commits._connection
        assert schema.schema_version(connection) == len(more)
        assert connection.execute("SELECT count(*) FROM later").fetchone() == (0,)


async def test_a_step_that_fails_leaves_the_file_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as store:
        await create(store)
    known = schema.newest()
    broken = "CREATE TABLE later (x TEXT) STRICT; INSERT INTO nowhere VALUES (1);"
    with monkeypatch.context() as patched:
        steps = [*schema.migrations(), (known + 1, broken)]
        patched.setattr(schema, "migrations", lambda: steps)
        with pytest.raises(StoreError, match="nowhere"):
            await SqliteStore.open(path)
    async with opened(path) as store:
        connection = store._writer.commits._connection
        assert schema.schema_version(connection) == known
        assert await texts(store, "one") == ["created"]
        with pytest.raises(sqlite3.OperationalError):
            connection.execute("SELECT * FROM later")


async def test_a_log_that_is_flushed_has_its_room_from_the_beginning(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "_SCARCE", 0)  # however full the disk of the tests is
    wal = path.with_name(path.name + "-wal")
    async with opened(path, "full") as store:
        assert wal.stat().st_size >= writer.MOVED
        await create(store)
        for seq in range(1, 20):
            await store.append("one", seq, [entry(str(seq))])
        assert wal.stat().st_size < writer.MOVED + (8 << 20)
        assert await texts(store, "one") == ["created", *map(str, range(1, 20))]
    assert not wal.exists(), "and is gone when the store is closed"
    async with opened(path, "full") as store:  # now there are commits before it
        assert await texts(store, "one") == ["created", *map(str, range(1, 20))]
        await store.append("one", 20, [entry("20")])
    assert not list(upkeep.problems(path))
    async with opened(path, "off"):
        assert not wal.exists() or wal.stat().st_size < writer.MOVED, "nobody waits for the disk"


async def test_what_killed_servers_left_does_not_pile_up(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "_SCARCE", 0)
    wal = path.with_name(path.name + "-wal")
    async with opened(path, "off") as store:
        await create(store)
    lengths = []
    for number in range(1, 5):
        async with opened(path, "full") as store:
            await store.append("one", number, [entry("x" * 100_000)])
            left = [(file, file.read_bytes()) for file in (path, wal)]
            lengths.append(wal.stat().st_size)
        for file, data in left:  # as if it had been killed before it was closed
            file.write_bytes(data)
    assert lengths[-1] == lengths[1]
    async with opened(path, "off") as store:
        assert len(await store.read("one")) == 5
    assert not list(upkeep.problems(path))
    link = tmp_path / "link.db"
    link.symlink_to(path)
    flushed: list[Path] = []
    monkeypatch.setattr(schema, "flush", flushed.append)
    async with opened(link, "full"):
        assert flushed == [wal.resolve()]


async def test_nobody_waits_for_room_while_another_process_writes(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "_SCARCE", 0)
    async with opened(path, "off") as store:
        await create(store)
    with closing(schema.open_writer(path)) as ours, closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            schema.make_room(ours, path, writer.MOVED)
        assert ours.execute("PRAGMA busy_timeout").fetchone() == (schema.BUSY_MS,)
        assert not ours.in_transaction


async def test_a_disk_with_little_room_is_left_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wal = path.with_name(path.name + "-wal")
    little = SimpleNamespace(f_bavail=2 * writer.MOVED // 4096, f_frsize=4096)
    monkeypatch.setattr(os, "statvfs", lambda _: little)
    async with opened(path, "full") as store:
        assert wal.stat().st_size < writer.MOVED
        await create(store)


async def test_a_disk_that_gets_full_while_room_is_made_still_takes_what_fits(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite gives the transaction up by itself then, and nothing is left of it."""
    flushed: list[Path] = []
    monkeypatch.setattr(schema, "flush", flushed.append)

    def limited(path: Path, **more: Any) -> sqlite3.Connection:
        connection = open_writer(path, **more)
        connection.execute("PRAGMA max_page_count = 200")
        return connection

    open_writer = schema.open_writer
    monkeypatch.setattr(schema, "open_writer", limited)
    async with opened(path, "full") as store:
        assert path.with_name(path.name + "-wal") not in flushed, "it has failed"
        await create(store)
        assert await store.append("one", 1, [entry("fits")]) == 2
    assert not list(upkeep.problems(path))
