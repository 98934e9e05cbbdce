"""The file: who may read it, who may serve from it, and what is said about a bad one."""

# ruff: noqa: ASYNC220, ASYNC240 # nothing else runs on the loop of a test

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from endless_winter.store import (
    SqliteStore,
    StoreDamaged,
    StoreError,
    StoreInUse,
    StoreTooNew,
    schema,
    upkeep,
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
            connection = store._writer._connection
            assert connection.execute("PRAGMA synchronous").fetchone() == (number,)
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    async with await SqliteStore.open(path) as store:
        assert store._writer._connection.execute("PRAGMA synchronous").fetchone() == (2,)


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
        assert store._writer._connection.execute(header).fetchone() == (1,)
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
        connection = store._writer._connection
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
        connection = store._writer._connection
        assert schema.schema_version(connection) == known
        assert await texts(store, "one") == ["created"]
        with pytest.raises(sqlite3.OperationalError):
            connection.execute("SELECT * FROM later")
