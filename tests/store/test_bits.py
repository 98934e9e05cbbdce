"""One flipped bit anywhere in a store: `ew store check` notices."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.store import upkeep
from endless_winter.store.errors import StoreError
from endless_winter.store.records import Marks, Player, Status, Uptime
from endless_winter.store.sqlite import SqliteStore
from tests.store.support import add, create, ended, request

if TYPE_CHECKING:
    from pathlib import Path

CLIENT = bytes(range(32))
TABLES = [
    *("packs", "games", "tags", "entries", "requests", "people", "seats", "secrets"),
    *("private_parts", "uptimes"),
]


@pytest.fixture
def full(path: Path) -> Path:
    """A store with something in each column."""
    with SqliteStore.open(path, synchronous="off") as store:
        store.commit([], Uptime(5, 1_000))
        for number in range(4):
            game_id = f"game-{number}"
            host = Player("host", CLIENT, "Höst 🦣")
            create(
                store,
                game_id,
                created_ms=1_000 + number,
                tags=("a", f"tag {number}"),
                title="A title",
                tournament_id="cup",
                seats=2,
                asked=request(f"create {number}", caller=CLIENT),
                players=[host, Player("guest", b"other client", "Guest")],
                marks=Marks(status=Status.RUNNING, started_ms=2, open_seats=1, seats={0: "host"}),
            )
            for turn in range(2, 6):
                text = f"{game_id} {turn} " + "x" * 100 * turn
                add(store, game_id, text, asked=request(str(turn)), private={turn: b"drawn"})
        add(store, "game-0", "end", marks=ended(9, sealed=True))
        add(store, "game-1", "end", marks=Marks(summary=b"summary", seats={1: "guest"}))
    assert list(upkeep.problems(path)) == []
    return path


def flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def with_a_flip(value: Any, chance: random.Random) -> Any:
    if isinstance(value, int):
        return value ^ 1 << chance.randrange(40)
    data = value if isinstance(value, bytes) else value.encode()
    return flipped(data, chance.randrange(8 * len(data)))


def rows_of(path: Path) -> dict[str, list[Any]]:
    """All that is in all tables, as bytes where it need not be text."""
    with closing(sqlite3.connect(path)) as connection:
        connection.text_factory = bytes
        return {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}


def put_back(path: Path, original: bytes) -> None:
    path.write_bytes(original)
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def is_noticed(path: Path) -> bool:
    try:
        return list(upkeep.problems(path)) != []
    except StoreError:
        return True


def flip_cells(path: Path, table: str, times: int) -> None:
    """Flip bits of values, in each column in turn."""
    chance = random.Random(table)
    original = path.read_bytes()
    with closing(sqlite3.connect(path)) as connection:
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        rows = connection.execute(f"SELECT * FROM {table}").fetchall()
    done = 0
    while done < times:
        at = done % len(columns)
        row = chance.choice(rows)
        if not row[at]:
            row = next(one for one in rows if one[at] is not None and one[at] not in {b"", ""})
        value = with_a_flip(row[at], chance)
        new = "CAST(? AS TEXT)" if isinstance(row[at], str) else "?"
        this = " AND ".join(f"{name} IS ?" for name in columns)
        with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.IntegrityError):
            connection.execute(
                f"UPDATE {table} SET {columns[at]} = {new} WHERE {this}", (value, *row)
            )
            connection.commit()
            assert connection.total_changes == 1
            done += 1  # else its key is another row's: no single flip makes that
            assert is_noticed(path), (table, columns[at], row[at], value)
        put_back(path, original)


@pytest.mark.parametrize("table", TABLES)
def test_a_flipped_bit_of_any_value_is_noticed(full: Path, table: str) -> None:
    flip_cells(full, table, 40)


@pytest.mark.soak
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("table", TABLES)
def test_many_flipped_bits_of_any_value_are_noticed(full: Path, table: str) -> None:
    flip_cells(full, table, 2_000)


def flip_file(path: Path, times: int) -> None:
    """Flip bits of the file wherever they are: what changes a value must be noticed."""
    chance = random.Random(times)
    original = path.read_bytes()
    before = rows_of(path)
    changed = 0
    for _ in range(times):
        path.write_bytes(flipped(original, chance.randrange(8 * len(original))))
        try:
            differs = rows_of(path) != before
        except (sqlite3.Error, UnicodeDecodeError):
            differs = True
        if differs:
            changed += 1
            assert is_noticed(path)
        put_back(path, original)
    assert changed > times / 20


def test_a_flipped_bit_of_the_file_is_noticed_if_it_matters(full: Path) -> None:
    flip_file(full, 400)


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_many_flipped_bits_of_the_file_are_noticed(full: Path) -> None:
    flip_file(full, 40_000)


def test_a_changed_table_is_noticed(full: Path) -> None:
    with closing(sqlite3.connect(full)) as connection:
        connection.execute("DROP TRIGGER entries_have_no_gap")
    assert list(upkeep.problems(full)) == ["file: its tables are not those of schema 1"]


def test_damage_is_not_hidden_by_the_next_change_of_the_same_row(full: Path) -> None:
    with closing(sqlite3.connect(full)) as connection:
        connection.execute("UPDATE games SET title = 'B title' WHERE game_id = 'game-2'")
        connection.commit()
    with SqliteStore.open(full, synchronous="off") as store:
        add(store, "game-2", "end", marks=ended(9))
    (line,) = upkeep.problems(full)
    assert line.startswith("games: a row is not as it was written: game_id game-2")
