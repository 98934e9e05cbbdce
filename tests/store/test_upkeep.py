"""``ew store backup | prune | check | recover``, also while a server writes."""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import pytest

from endless_winter.store import upkeep
from endless_winter.store.errors import GameExists, NoSuchGame, StoreBusy, StoreError
from endless_winter.store.opening import read_game
from endless_winter.store.records import Marks, Player, Query
from endless_winter.store.sqlite import SqliteStore
from tests.foundations.tree import EW, passed, run
from tests.store.support import (
    SECRET,
    add,
    appended,
    commit,
    create,
    created,
    ended,
    request,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DAY_MS = 24 * 60 * 60 * 1000


@pytest.fixture
def served(path: Path) -> Iterator[SqliteStore]:
    """A store that a server has open."""
    with SqliteStore.open(path, synchronous="off") as store:
        yield store


def change(path: Path, sql: str) -> None:
    """Tamper with a store."""
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(sql).rowcount > 0


def test_a_backup_is_a_store_of_its_own(served: SqliteStore, path: Path, tmp_path: Path) -> None:
    create(served)
    add(served, "one", "before", asked=request("r"))
    copy = tmp_path / "copy.db"
    assert upkeep.backup(path, copy) == (1, 2)
    add(served, "one", "after")
    assert [file.name for file in tmp_path.glob("copy.db*")] == ["copy.db"]
    assert copy.stat().st_mode & 0o777 == 0o600
    with SqliteStore.open(copy, synchronous="off") as store:
        assert texts(store, "one") == ["created", "before"]
        record = store.load("one")
        assert record is not None
        assert record.secret == SECRET
        assert store.find_request(b"caller", "r", "one") is not None
        assert add(store, "one", "elsewhere") == 3


def test_backups_while_writing_are_sound(served: SqliteStore, path: Path, tmp_path: Path) -> None:
    """Every copy holds of a log at least what was acknowledged when the backup began."""
    create(served)
    acknowledged = 1
    for number in range(3):
        before = acknowledged
        copy = tmp_path / f"copy-{number}.db"
        thread = threading.Thread(target=upkeep.backup, args=(path, copy))  # checks the copy itself
        thread.start()
        while thread.is_alive():
            acknowledged = add(served, "one", str(acknowledged + 1))
        thread.join()
        with SqliteStore.open(copy, synchronous="off") as copied:
            assert len(copied.read("one", limit=100_000)) >= before


@pytest.mark.usefixtures("served")
def test_a_backup_overwrites_nothing(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("precious")
    with pytest.raises(StoreError, match="does not overwrite"):
        upkeep.backup(path, target)
    assert target.read_text() == "precious"


def test_a_backup_of_a_damaged_store_gets_no_name(
    served: SqliteStore, path: Path, tmp_path: Path
) -> None:
    create(served)
    add(served, "one", "a", "b")
    change(path, "DELETE FROM entries WHERE seq = 2")
    with pytest.raises(StoreError, match="is not sound: game one: missing from the log: 2"):
        upkeep.backup(path, tmp_path / "copy.db")
    assert list(tmp_path.glob("copy.db*")) == []


@pytest.mark.usefixtures("served")
def test_a_backup_that_cannot_be_written_says_so(path: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="file is no folder"):
        upkeep.backup(path, tmp_path / "file" / "copy.db")


def test_prune_removes_old_ended_games_and_nothing_else(served: SqliteStore, path: Path) -> None:
    for name in ("old", "older", "young", "sealed", "running"):
        host = Player("host", b"client", "Host")
        create(served, name, asked=request(f"create {name}"), tags=("t",), players=[host])
        seat = Marks(seats={0: "host"})
        add(served, name, "seat", marks=seat, asked=request("r"), private={2: b"p"})
    add(served, "old", "end", marks=ended(900))
    add(served, "older", "end", "after", marks=ended(800))
    add(served, "young", "end", marks=ended(1_000))
    add(served, "sealed", "end", marks=ended(800, sealed=True))

    games, sealed = upkeep.prunable(path, 1_000)
    assert games == [("older", 800, 4), ("old", 900, 3)]
    assert sealed == 1
    late = appended(served, "old", "too late")
    upkeep.prune(path, games)

    assert [game.game_id for game in served.list_games(Query(tag="t")).games] == [
        *("running", "sealed", "young")
    ]
    assert texts(served, "old") == []
    assert served.load("old") is None
    assert served.find_request(b"caller", "create old") is None
    assert served.find_request(b"caller", "create young") is not None
    assert isinstance(commit(served, late), NoSuchGame)
    add(served, "sealed", "open", marks=Marks(sealed=False))
    create(served, "old")
    assert texts(served, "old") == ["created"]
    assert isinstance(commit(served, created("old")), GameExists)
    assert list(upkeep.problems(path)) == []
    with closing(sqlite3.connect(path)) as connection:
        for table in ("requests", "tags", "entries", "people", "seats", "secrets", "private_parts"):
            stray = f"SELECT count(*) FROM {table} WHERE game NOT IN (SELECT id FROM games)"
            assert connection.execute(stray).fetchone() == (0,), table
        assert connection.execute("SELECT count(*) FROM packs").fetchone() == (1,)


def test_prune_beside_a_busy_server(served: SqliteStore, path: Path) -> None:
    for number in range(60):
        create(served, f"old-{number}", marks=ended(1))
    create(served, "live")
    games, _ = upkeep.prunable(path, 2)
    thread = threading.Thread(target=upkeep.prune, args=(path, games))
    thread.start()
    while thread.is_alive():
        with suppress(StoreBusy):  # as the server, which tries again in its thread
            add(served, "live", "on")
    thread.join()
    assert upkeep.contents(path).games == 1
    add(served, "live", "on")
    assert list(upkeep.problems(path)) == []


@pytest.mark.parametrize(
    ("sql", "line"),
    [
        ("UPDATE games SET open_seats = 9", "games: a row is not as it was written: game_id one"),
        ("UPDATE seats SET seat = 3", "seats: a row is not as it was written: game one, seat 3"),
        ("UPDATE people SET display_name = 'I'", "people: a row is not as it was written: game o"),
        ("UPDATE packs SET data = x'00'", "packs: a row is not as it was written: hash feed"),
        ("UPDATE secrets SET salt = seed", "game one: seed and salt do not fit its commitment"),
        ("DELETE FROM secrets", "game one: has no seed"),
        ("DELETE FROM packs", "games: a row belongs to nothing in packs"),
        ("DELETE FROM entries WHERE seq = 6", "game one: entries after 5 were answered, and are"),
        ("DELETE FROM entries WHERE seq IN (3, 4)", "game one: missing from the log: 3 to 4"),
        ("UPDATE entries SET payload = x'' WHERE seq = 3", "game one: entry 3 is not as it was"),
        ("UPDATE entries SET kind = 'x' WHERE seq = 3", "game one: entry 3 is not as it was"),
        ("UPDATE requests SET answer = x''", "requests: a row is not as it was written: scope one"),
    ],
)
def test_check_says_what_was_tampered_with(path: Path, sql: str, line: str) -> None:
    with SqliteStore.open(path, synchronous="off") as store:
        create(store, tags=("t",), players=[Player("host", b"client", "Me")])
        seat = Marks(seats={0: "host"}, open_seats=1)
        add(store, "one", "seat", marks=seat)
        add(store, "one", "3", "4", "5", "6", asked=request("r"))
    assert list(upkeep.problems(path)) == []
    change(path, sql)
    assert next(upkeep.problems(path)).startswith(line)


@pytest.mark.parametrize("how", ["linked", "renamed"])
def test_a_served_store_is_not_touched_by_another_name(
    served: SqliteStore, path: Path, tmp_path: Path, how: str
) -> None:
    """There it would have a second write-ahead log: commits would be missing, and overwritten."""
    create(served, "old", marks=ended(1))
    games, _ = upkeep.prunable(path, 2)
    other = path.with_name("other.db")
    if how == "linked":
        other.hardlink_to(path)
    else:
        path.rename(other)
    said = "has 2 names" if how == "linked" else "is served, but has no write-ahead log beside it"
    for call in (
        lambda: upkeep.prune(other, games),
        lambda: upkeep.backup(other, tmp_path / "copy.db"),
        lambda: list(upkeep.problems(other)),
        lambda: read_game(other, "old"),
    ):
        with pytest.raises(StoreError, match=said):
            call()
    assert [file.name for file in tmp_path.glob("copy.db*")] == []
    assert [file.name for file in tmp_path.glob("other.db*")] == ["other.db"]
    other.unlink() if how == "linked" else other.rename(path)
    add(served, "old", "more")
    assert list(upkeep.problems(path)) == []


def test_a_game_is_read_straight_from_the_file(served: SqliteStore, path: Path) -> None:
    create(served)
    add(served, "one", "two", private={2: b"drawn"})
    found = read_game(path, "one")
    assert found is not None
    record, log = found
    assert record == served.load("one")
    assert [entry.payload for entry in log] == [b"created", b"two"]
    assert read_game(path, "none") is None


def test_the_commands_say_what_they_did(served: SqliteStore, path: Path, tmp_path: Path) -> None:
    now = time.time_ns() // 1_000_000
    for name, days in (("old", 40), ("young", 20)):
        create(served, name)
        add(served, name, "end", marks=ended(now - days * DAY_MS))
    create(served, "sealed")
    add(served, "sealed", "end", marks=ended(0, sealed=True))

    copy = tmp_path / "copy.db"
    said = passed(run(EW, "store", "backup", path, copy))
    assert said == f"{copy}: 3 games, 6 entries, checked\n"

    said = passed(run(EW, "store", "prune", path, "--older-than", "30", "--dry-run"))
    first, last = said.splitlines()
    assert first.startswith("would remove old: ended 20")
    assert first.endswith(", 2 entries")
    sealed = "1 of that age stay, still sealed"
    assert last == f"{path}: would remove 1 games, 2 entries; {sealed}"
    assert texts(served, "old") == ["created", "end"]

    said = passed(run(EW, "store", "prune", path, "--older-than", "30"))
    assert said.splitlines()[-1] == f"{path}: removed 1 games, 2 entries; {sealed}"
    assert texts(served, "old") == []
    assert passed(run(EW, "store", "check", path)) == f"{path}: 2 games, 4 entries, nothing wrong\n"
    done = run(EW, "store", "recover", path, "--keep", tmp_path / "keep")
    assert done.returncode == 1
    assert "is in use by process" in done.stderr
    served.close()
    done = run(EW, "store", "recover", path, "--keep", tmp_path / "keep")
    assert passed(done) == f"{path}: nothing to recover\n"
    change(path, "DELETE FROM entries WHERE seq = 1 AND game = 2")
    done = run(EW, "store", "check", path)
    assert done.returncode == 1
    assert done.stdout.startswith("game young: missing from the log: 1\n")
    assert done.stderr.startswith(f"ew: {path}: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "command", [["backup", "copy"], ["prune", "--older-than=1"], ["check"], ["recover", "--keep=k"]]
)
def test_a_missing_store_costs_one_line_and_is_not_made(
    path: Path, tmp_path: Path, command: list[str]
) -> None:
    done = run(EW, "store", command[0], path, *command[1:], cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, f"ew: there is no store {path}\n")
    assert list(tmp_path.iterdir()) == []


def test_the_help_teaches() -> None:
    said = passed(run(EW, "store", "--help"))
    for command in ("backup", "prune", "check", "recover"):
        assert f"  {command} " in said
