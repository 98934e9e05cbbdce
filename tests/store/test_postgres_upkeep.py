"""Roles, migrations and ``ew store`` on PostgreSQL."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import psycopg
import pytest

from endless_winter.store.errors import StoreError, StoreTooNew
from endless_winter.store.opening import read_game, roles, upkeep_of
from endless_winter.store.postgres import start
from endless_winter.store.postgres.start import Migration
from endless_winter.store.postgres.store import PostgresStore
from endless_winter.store.records import Marks, Player
from tests.foundations.tree import EW, passed, run
from tests.store.database import Databases, execute
from tests.store.support import add, create, ended, request, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

ME = Player("host", b"m" * 32, "Me Myself")
SECRETS = {"secrets", "private_parts"}
PERSONAL = {"people", "requests"}


@pytest.fixture
def store(database: str) -> Iterator[PostgresStore]:
    with PostgresStore.open(database) as found:
        create(found, "one", players=[ME], asked=request("c", caller=ME.client), tags=("t",))
        add(found, "one", "move", private={2: b"hidden"}, marks=Marks(seats={0: "host"}))
        create(found, "old")
        add(found, "old", "end", marks=ended(1))
        create(found, "sealed")
        add(found, "sealed", "end", marks=ended(1, sealed=True))
        yield found


def as_role(url: str, role: str) -> psycopg.Connection[Any]:
    connection = psycopg.connect(url, autocommit=True)
    connection.execute(f"SET ROLE {role}".encode())
    return connection


def tables(url: str) -> list[str]:
    with psycopg.connect(url) as connection:
        rows = connection.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' "
            "AND relnamespace = 'endless_winter'::regnamespace ORDER BY relname"
        ).fetchall()
    return [row[0] for row in rows]


def test_a_role_for_reports_reads_how_games_went_and_no_secrets(
    store: PostgresStore, database: str
) -> None:
    del store
    execute(database, roles(), roles())  # again after an upgrade
    hidden = set()
    with as_role(database, "ew_report") as report:
        for table in tables(database):
            try:
                report.execute(f"SELECT * FROM endless_winter.{table}".encode())
            except psycopg.errors.InsufficientPrivilege:
                hidden.add(table)
        assert hidden == SECRETS | PERSONAL | {"entries", "store", "nodes"}
        query = "SELECT count(*), max(at_ms) FROM endless_winter.entries WHERE kind = 'choice'"
        assert report.execute(query).fetchone() is not None
        for column in ("payload", "chain"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                report.execute(f"SELECT {column} FROM endless_winter.entries".encode())
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            report.execute("UPDATE endless_winter.games SET title = ''")


def test_a_role_for_servers_serves_and_changes_no_tables(
    store: PostgresStore, database: str
) -> None:
    del store
    execute(
        database,
        roles(),
        f"DROP ROLE IF EXISTS ew_node_{os.getpid()}",
        f"CREATE ROLE ew_node_{os.getpid()} LOGIN IN ROLE ew_server PASSWORD 'node'",
    )
    parts = urlsplit(database)
    url = parts._replace(
        netloc=f"ew_node_{os.getpid()}:node@{parts.hostname}:{parts.port}"
    ).geturl()
    with PostgresStore.open(url) as node:
        add(node, "one", "by the node")
        create(node, "new", content_hash="f00d")
        node.recover()
        node.erase(ME.client)
        node.remove(["new"])
    newer = Migration(2, 1, "ALTER TABLE games ADD COLUMN more text")
    with pytest.raises(StoreError, match="start one server as the owner first"):
        PostgresStore.open(url, steps=[*start.migrations(), newer])
    execute(database, f"DROP ROLE ew_node_{os.getpid()}")


def test_a_role_without_rights_is_told_what_it_lacks(store: PostgresStore, database: str) -> None:
    del store
    execute(
        database,
        f"DROP ROLE IF EXISTS ew_nobody_{os.getpid()}",
        f"CREATE ROLE ew_nobody_{os.getpid()} LOGIN PASSWORD 'nobody'",
    )
    parts = urlsplit(database)
    netloc = f"ew_nobody_{os.getpid()}:nobody@{parts.hostname}:{parts.port}"
    url = parts._replace(netloc=netloc).geturl()
    with pytest.raises(StoreError, match="the database does not allow it: permission denied"):
        PostgresStore.open(url)
    execute(database, f"DROP ROLE ew_nobody_{os.getpid()}")


# --- migrations ---


def test_a_newer_server_migrates_and_an_older_one_goes_on_as_long_as_it_may(
    store: PostgresStore, database: str
) -> None:
    own = start.migrations()
    second = Migration(2, 1, "ALTER TABLE games ADD COLUMN more text")
    third = Migration(3, 3, "ALTER TABLE games ADD COLUMN needed text NOT NULL DEFAULT ''")
    with PostgresStore.open(database, steps=[*own, second]) as newer:
        add(newer, "one", "newer")
        add(store, "one", "older, still connected")
        with PostgresStore.open(database) as older:
            add(older, "one", "older, started after")
        assert texts(newer, "one")[-1] == "older, started after"
    PostgresStore.open(database, steps=[*own, second, third]).close()
    with pytest.raises(StoreTooNew, match="has schema 3, where programs of schema 3 or newer may"):
        PostgresStore.open(database)
    with pytest.raises(StoreTooNew, match="use a newer one"):
        upkeep_of(database).contents()


def test_a_migration_that_fails_leaves_the_database_as_it_was(
    store: PostgresStore, database: str
) -> None:
    del store
    wrong = Migration(2, 1, "ALTER TABLE games ADD COLUMN more text; SELECT nonsense")
    with pytest.raises(StoreError, match="nonsense"):
        PostgresStore.open(database, steps=[*start.migrations(), wrong])
    with PostgresStore.open(database) as again:
        add(again, "one", "as before")


def test_each_migration_says_who_may_write_after_it() -> None:
    steps = start.migrations()
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    assert all(step.oldest <= step.number for step in steps)


# --- ew store ---


def shown(url: str) -> tuple[str, dict[str, str]]:
    """An address without its password, and the environment that has it."""
    parts = urlsplit(url)
    password = psycopg.conninfo.conninfo_to_dict(url).get("password", "")
    bare = parts._replace(netloc=f"{parts.username}@{parts.hostname}:{parts.port}").geturl()
    return bare, {**os.environ, "PGPASSWORD": str(password)}


def test_the_commands_for_a_store_work_on_a_database(store: PostgresStore, database: str) -> None:
    where, env = shown(database)
    said = passed(run(EW, "store", "check", where, env=env))
    assert said == f"{where}: 3 games, 6 entries, nothing wrong\n"
    said = passed(run(EW, "store", "prune", where, "--older-than", "1", env=env))
    assert said.splitlines() == [
        "removed old: ended 1970-01-01, 2 entries",
        f"{where}: removed 1 games, 2 entries; 1 of that age stay, still sealed",
    ]
    said = passed(run(EW, "store", "erase", where, ME.client.hex(), env=env))
    assert said == f"{where}: erased from 1 games\n"
    record = store.load("one")
    assert record is not None
    assert record.people == {"host": Player("host", b"", "")}
    done = run(EW, "store", "backup", where, "copy", env=env)
    assert done.returncode == 1
    assert "that is for files; for a database use pg_dump" in done.stderr
    done = run(EW, "store", "erase", where, "me", env=env)
    assert "'me' is not 64 hexadecimal digits" in done.stderr
    assert "CREATE ROLE ew_report" in passed(run(EW, "store", "roles"))


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("DELETE FROM entries WHERE seq = 1", "game one: missing from the log: 1"),
        ("UPDATE entries SET payload = 'x' WHERE seq = 2", "game one: entry 2 is not as it was"),
        ("UPDATE games SET head = 1", "game one: its log does not end with its head, entry 1"),
        ("DELETE FROM entries", "game one: has no log"),
        ("DELETE FROM secrets", "game one: has no seed"),
        ("UPDATE secrets SET salt = 'x'", "game one: seed and salt do not fit its commitment"),
        ("UPDATE requests SET scope = game, seq = 9", "game one: entries after 2 were answered"),
        ("DELETE FROM games", "entries: rows belong to game number"),
    ],
)
def test_damage_is_found(store: PostgresStore, database: str, damage: str, said: str) -> None:
    store.remove(["old", "sealed"])
    assert list(upkeep_of(database).problems()) == []
    execute(database, f"SET search_path = endless_winter; {damage}")
    assert any(line.startswith(said) for line in upkeep_of(database).problems())


def test_a_game_is_read_straight_from_a_database(store: PostgresStore, database: str) -> None:
    del store
    found = read_game(database, "one")
    assert found is not None
    assert [entry.payload for entry in found[1]] == [b"created", b"move"]
    assert read_game(database, "none") is None


def test_a_database_without_a_store_is_not_made_one_by_looking(databases: Databases) -> None:
    url = databases.url("postgres")
    with pytest.raises(StoreError, match=r"there is no store in postgresql://.*'ew serve' mak"):
        upkeep_of(url).contents()
