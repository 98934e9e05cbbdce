"""The file: who may read it, who may serve from it, and what is said about a bad one."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest

from endless_winter.store import upkeep
from endless_winter.store.errors import (
    StoreClosed,
    StoreDamaged,
    StoreError,
    StoreInUse,
    StoreTooNew,
)
from endless_winter.store.records import Query, Uptime
from endless_winter.store.sqlite import SqliteStore
from endless_winter.store.wal import wal_of
from tests.store.support import add, appended, create, texts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def opened(path: Path) -> SqliteStore:
    return SqliteStore.open(path, synchronous="off")


def permissions(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_the_owner_can_read_any_of_its_files(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "games.db"
    mask = os.umask(0)
    try:
        with opened(path) as store:
            create(store)
            found = {file.name: permissions(file) for file in path.parent.iterdir()}
    finally:
        os.umask(mask)
    assert found == dict.fromkeys(("games.db", "games.db-shm", "games.db-wal"), 0o600)
    assert permissions(path.parent) == 0o700


@pytest.mark.parametrize("mode", [0o444, 0o644])
def test_a_store_that_others_could_read_becomes_its_owners_alone(path: Path, mode: int) -> None:
    with opened(path) as store:
        create(store)
    path.chmod(mode)
    with opened(path) as store:
        assert add(store, "one", "x") == 2
        rights = {permissions(file) for file in path.parent.iterdir()}
        assert rights == {0o600}, "those of the files beside it too"


def test_a_folder_that_exists_is_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with opened(tmp_path / "games.db"):
        assert permissions(tmp_path) == 0o755


def test_after_closing_there_is_one_file_with_everything(path: Path) -> None:
    with opened(path) as store:
        create(store)
    assert [file.name for file in path.parent.iterdir()] == ["games.db"]
    store.close()  # twice is fine
    with pytest.raises(StoreClosed):
        store.load("one")


def test_the_default_waits_for_the_disk(path: Path) -> None:
    with SqliteStore.open(path) as store:
        create(store)
        assert add(store, "one", "a") == 2


def test_a_second_server_on_the_same_file_gets_one_line(path: Path) -> None:
    with opened(path) as store:
        create(store)
        with pytest.raises(StoreInUse) as caught:
            opened(path)
        assert str(caught.value) == f"the store {path} is in use by process {os.getpid()}"
        assert add(store, "one", "on") == 2
    with opened(path):
        pass


HOLD = """
import sys
from endless_winter.store.sqlite import SqliteStore

store = SqliteStore.open(sys.argv[1])
print("open", flush=True)
sys.stdin.read()
"""


@contextmanager
def another_server(path: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", HOLD, str(path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "open\n"
            yield process
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()


def test_a_killed_server_holds_nothing(path: Path) -> None:
    with (
        another_server(path) as process,
        pytest.raises(StoreInUse, match=f"in use by (process {process.pid}|another process)$"),
    ):
        opened(path)
    with opened(path) as store:
        create(store)


def test_no_name_and_no_missing_file_lets_a_second_server_in(path: Path) -> None:
    symbolic, hard = path.with_name("symbolic.db"), path.with_name("hard.db")
    with another_server(path):
        symbolic.symlink_to(path.name)
        hard.hardlink_to(path)
        for file in path.parent.iterdir():
            if file not in {path, symbolic, hard} and not file.name.endswith(("-wal", "-shm")):
                file.unlink()
        for name in (path, symbolic, hard):
            with pytest.raises(StoreInUse):
                opened(name)
        hard.unlink()
        assert list(upkeep.problems(path)) == []


def test_a_link_to_a_store_that_is_not_there_yet_makes_the_store(path: Path) -> None:
    link = path.with_name("link.db")
    link.symlink_to(path.name)
    with opened(link) as store:
        create(store)
        with pytest.raises(StoreInUse):
            opened(path)
    assert path.is_file()


def test_a_file_with_two_names_is_refused_by_each(path: Path) -> None:
    """A commit made by one name would be in the log of that name, and missing by the other."""
    with opened(path) as store:
        create(store)
    other = path.with_name("other.db")
    other.hardlink_to(path)
    for name in (path, other):
        with pytest.raises(StoreError, match=r"has 2 names \(hard links\), .* remove the others"):
            opened(name)
    assert {file.name for file in path.parent.iterdir()} == {"games.db", "other.db"}
    other.unlink()
    with opened(path) as store:
        assert texts(store, "one") == ["created"]


def killed(path: Path) -> None:
    """Leave a store as a killed server does, with its commits in the write-ahead log."""
    running = path.with_name("running.db")
    with opened(running) as store:
        create(store)
        add(store, "one", "two")
        shutil.copyfile(running, path)
        shutil.copyfile(wal_of(running), wal_of(path))
    running.unlink()


@pytest.mark.parametrize("left", ["nothing", "an empty file", "a backup"])
def test_a_log_without_its_file_is_not_dropped(path: Path, tmp_path: Path, left: str) -> None:
    killed(path)
    upkeep.backup(path, tmp_path / "copy.db")
    moved = path.rename(path.with_name("moved.db"))
    if left == "an empty file":
        path.touch()
    elif left == "a backup":
        shutil.copyfile(tmp_path / "copy.db", path)
    before = {file.name for file in path.parent.iterdir()}
    log = wal_of(path).read_bytes()
    said = f"{wal_of(path)} is not the write-ahead log of {path}, .* move it back; .* move games.db"
    with pytest.raises(StoreError, match=said):
        opened(path)
    if left != "nothing":
        with pytest.raises(StoreError, match=said):
            list(upkeep.problems(path))
    assert {file.name for file in path.parent.iterdir()} == before, "nothing was made"
    assert wal_of(path).read_bytes() == log
    moved.rename(path)
    with opened(path) as store:
        assert texts(store, "one") == ["created", "two"]


@pytest.mark.parametrize("ending", ["", "-wal"])
def test_a_store_that_was_renamed_is_not_written_until_it_is_back(path: Path, ending: str) -> None:
    """Nobody would find what is acknowledged meanwhile; and its name is not free for another."""
    file = path.with_name(path.name + ending)
    with opened(path) as store:
        create(store)
        append = appended(store, "one", "two")
        moved = file.rename(path.with_name("moved"))
        heartbeat = Uptime(1, 2)
        for call in (
            lambda: store.commit([], heartbeat),
            lambda: store.commit([append]),
            store.checkpoint,
        ):
            with pytest.raises(StoreError, match=f"{file} was renamed, .*: put it back"):
                call()
        store.recover()
        with pytest.raises(StoreError):
            opened(path)
        assert texts(store, "one") == ["created"], "reading goes on"
        moved.rename(file)
        assert store.commit([append]) == [None]
    with opened(path) as store:
        assert texts(store, "one") == ["created", "two"]


def test_the_tables_of_a_new_store_are_in_its_file_before_any_game_is(path: Path) -> None:
    """Else a flipped bit in the log may leave nothing that can be read."""
    copy = path.with_name("copy.db")
    with opened(path) as store:
        create(store)
        shutil.copyfile(path, copy)
    assert upkeep.contents(copy) == (0, 0)
    assert list(upkeep.problems(copy)) == []


def refusal(path: Path) -> str:
    """The one line with which opening is refused; the file stays as it was, and nobody's."""
    before = path.read_bytes()
    for _ in range(2):
        with pytest.raises(StoreError) as caught:
            SqliteStore.open(path)
    assert path.read_bytes() == before
    assert "\n" not in str(caught.value)
    return f"{type(caught.value).__name__}: {caught.value}"


@pytest.mark.parametrize("mode", [0o644, 0o600])
def test_what_is_no_store_is_refused_and_left_as_it_is(path: Path, mode: int) -> None:
    path.write_text("These are not the games you are looking for.\n" * 100)
    path.chmod(mode)
    assert refusal(path) == f"StoreDamaged: {path} is not a store: file is not a database"
    assert permissions(path) == mode
    assert [file.name for file in path.parent.iterdir()] == [path.name], "no log"


def test_a_database_of_something_else_is_refused_and_keeps_its_rights(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE guests (name)")
    path.chmod(0o644)
    assert refusal(path) == f"StoreDamaged: {path} is not a store but some other SQLite file"
    assert permissions(path) == 0o644
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("version", "said"),
    [
        (99, f"{StoreTooNew.__name__}: the store PATH has schema 99, and this program knows 1; "),
        (0, f"{StoreDamaged.__name__}: the store PATH has schema 0, and this program knows 1; "),
    ],
)
def test_a_store_of_another_program_version_is_refused(path: Path, version: int, said: str) -> None:
    with opened(path):
        pass
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"PRAGMA user_version = {version}")
        other.execute("PRAGMA journal_mode = DELETE")
    assert refusal(path).startswith(said.replace("PATH", str(path)))
    with pytest.raises(StoreError, match=f"has schema {version}"):
        list(upkeep.problems(path))


def test_a_file_cut_short_is_refused(path: Path) -> None:
    with opened(path) as store:
        create(store)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 3])
    assert refusal(path).startswith(f"{StoreDamaged.__name__}: the store {path} is damaged: ")


def test_an_empty_file_becomes_a_store(path: Path) -> None:
    path.touch()
    with opened(path) as store:
        create(store)


def test_a_folder_is_not_a_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no store"):
        opened(tmp_path)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="file is no folder"):
        opened(tmp_path / "file" / "games.db")


def test_a_name_that_no_file_can_have_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cannot open the store .*: File name too long"):
        opened(tmp_path / ("x" * 300))
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(StoreError, match="cannot open the store"):
        opened(tmp_path / "a")


def test_damage_found_while_serving_is_an_error_of_that_call(path: Path) -> None:
    with opened(path) as store:
        create(store)
        add(store, "one", "x" * 200_000)
    with closing(sqlite3.connect(path)) as other:
        select = "SELECT rootpage FROM sqlite_schema WHERE name = 'entries'"
        (page,) = other.execute(select).fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 4096)
    with opened(path) as store:
        with pytest.raises(StoreDamaged, match="ew store check"):
            store.read("one")
        assert store.list_packs() == ["feed"]
    assert next(upkeep.problems(path)).startswith("file: ")


@pytest.mark.parametrize("column", ["status", "summary", "title", "commitment"])
def test_a_game_whose_row_was_changed_is_known_as_damaged(path: Path, column: str) -> None:
    with opened(path) as store:
        create(store)
        create(store, "two")
    with closing(sqlite3.connect(path)) as other, other:
        value = "65" if column == "status" else "CAST(x'ff' AS TEXT)"
        value = "x'ff'" if column in ("summary", "commitment") else value
        other.execute(f"UPDATE games SET {column} = {value} WHERE game_id = 'one'")
    with opened(path) as store:
        damaged = {header.game_id: header.damaged for header in store.list_games(Query()).games}
        assert damaged == {"one": True, "two": False}
        record = store.load("one")
        assert record is not None
        assert record.header.damaged


def test_reads_and_checkpoints_of_any_thread_go_on_beside_commits(path: Path) -> None:
    with opened(path) as store:
        create(store)
        script = (
            "import sys; from pathlib import Path; from endless_winter.store import upkeep; "
            "print(upkeep.contents(Path(sys.argv[1])).entries)"
        )
        add(store, "one", "two")
        store.checkpoint()
        done = subprocess.run(
            [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True
        )
        assert done.stdout == "2\n"
        add(store, "one", "three")
        assert texts(store, "one") == ["created", "two", "three"]
