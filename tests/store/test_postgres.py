"""What is special about the store in PostgreSQL; the conformance suite has what all stores do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from endless_winter.store.errors import (
    Conflict,
    Repeated,
    StoreClosed,
    StoreError,
)
from endless_winter.store.postgres import upkeep
from endless_winter.store.postgres.store import PostgresStore
from endless_winter.store.records import Player, Query
from tests.store.database import Database, cut, execute
from tests.store.support import add, appended, commit, create, created, request, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.store.database import Databases


def ask(url: str, query: str) -> Any:
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute(query.encode()).fetchone()
        assert row is not None
        return row[0]


@pytest.fixture
def store(database: str) -> Iterator[PostgresStore]:
    with PostgresStore.open(database) as found:
        yield found


# --- two servers ---


def test_of_two_servers_that_append_to_one_game_one_is_refused(
    store: PostgresStore, database: str
) -> None:
    create(store)
    with PostgresStore.open(database) as other:
        late = appended(other, "one", "late", asked=request("late"))
        add(store, "one", "first")
        outcome = commit(other, late)
        assert isinstance(outcome, Conflict)
        assert outcome.actual == 2
        assert other.find_request(b"caller", "late", "one") is None
    assert texts(store, "one") == ["created", "first"]


def test_an_append_to_another_history_is_refused_although_its_number_fits(
    store: PostgresStore,
) -> None:
    """As after a fail-over to a standby that lacked what was committed."""
    create(store)
    append = appended(store, "one", "next")
    append.previous = bytes(32)
    outcome = commit(store, append)
    assert isinstance(outcome, Conflict)
    assert outcome.actual == 1
    append.previous = store.heads(["one"])["one"].chain
    assert commit(store, append) is None


def test_a_round_waits_for_the_rows_of_another_one_and_then_sees_what_it_did(
    store: PostgresStore, database: str
) -> None:
    """A backend that hangs between its statement and its commit, as one that was frozen does."""
    create(store)
    append = appended(store, "one", "mine")
    with psycopg.connect(database) as other:
        other.execute("UPDATE endless_winter.games SET head = 2, chain = 'x'")
        with pytest.raises(StoreError, match="lock timeout"):
            store.commit([append])
        other.rollback()
    store.recover()
    assert store.resolve([append]) == [None], "sent again, it was committed"


# --- unknown results ---


class Losing:
    """A store whose connections end at certain steps of a commit."""

    def __init__(self, store: PostgresStore, when: str) -> None:
        self.store = store
        self.when = when
        self._execute = store._execute

    def __call__(self, connection: Any, sent: Any) -> list[bool]:
        self.store._execute = self._execute  # type: ignore[method-assign] # as it was
        if self.when == "before":
            cut(self.store)
        found = self._execute(connection, sent)
        cut(self.store)
        connection.execute("SELECT 1")
        return found


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_round_whose_connection_was_lost_is_committed_once(
    store: PostgresStore, when: str
) -> None:
    create(store, "a")
    create(store, "b")
    appends = [
        appended(store, "a", "x", "y", asked=request("r"), private={2: b"p"}),
        appended(store, "b", asked=request("s", b"no")),
        created("c", asked=request("new"), players=[Player("host", b"me", "Me")]),
    ]
    store._execute = Losing(store, when)  # type: ignore[method-assign] # a fault
    with pytest.raises(StoreError, match="the database failed"):
        store.commit(appends)
    with pytest.raises(StoreError, match="recover comes first"):
        store.commit([])
    assert store.heads(["a"])["a"].seq == (1 if when == "before" else 3), "reads go on"
    assert store.recover() is False
    assert store.resolve(appends) == [None, None, None]
    assert texts(store, "a") == ["created", "x", "y"]
    for append in appends:
        assert isinstance(commit(store, append), Repeated)


def test_what_was_committed_is_known_as_committed_when_another_server_went_on(
    store: PostgresStore, database: str
) -> None:
    create(store)
    append = appended(store, "one", "mine")
    store._execute = Losing(store, "after")  # type: ignore[method-assign] # a fault
    with pytest.raises(StoreError):
        store.commit([append])
    with PostgresStore.open(database) as other:
        add(other, "one", "theirs")
    store.recover()
    assert store.resolve([append]) == [None]
    assert texts(store, "one") == ["created", "mine", "theirs"]


def test_what_another_server_was_first_with_is_known_as_a_conflict(
    store: PostgresStore, database: str
) -> None:
    create(store)
    append = appended(store, "one", "mine")
    store._execute = Losing(store, "before")  # type: ignore[method-assign] # a fault
    with pytest.raises(StoreError):
        store.commit([append])
    with PostgresStore.open(database) as other:
        add(other, "one", "theirs")
    store.recover()
    (outcome,) = store.resolve([append])
    assert isinstance(outcome, Conflict)
    assert texts(store, "one") == ["created", "theirs"]


def test_reads_come_back_by_themselves_after_their_connections_were_ended(
    store: PostgresStore, database: str
) -> None:
    create(store)
    execute(
        database,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )
    assert texts(store, "one") == ["created"]
    append = appended(store, "one", "x")
    with pytest.raises(StoreError, match="terminating connection"):
        store.commit([append])
    store.recover()
    assert store.resolve([append]) == [None]


def test_one_append_that_the_database_cannot_take_does_not_fail_the_others(
    store: PostgresStore,
) -> None:
    create(store)
    bad = created("bad", title="a\0b")
    outcomes = store.commit([bad, appended(store, "one", "x")])
    assert str(outcomes[0]) == "the database did not take it"
    assert outcomes[1] is None
    assert texts(store, "one") == ["created", "x"]


def test_any_word_is_a_request_id_and_can_be_looked_for(store: PostgresStore) -> None:
    create(store)
    add(store, "one", "x", asked=request("a\0b"))
    assert store.find_request(b"caller", "a\0b", "one") is not None
    assert store.find_request(b"caller", "a", "one") is None
    assert store.list_games(Query(tag="\0", tournament_id="\0")).games == ()
    assert store.load("\0") is None


def test_a_closed_store_says_so(database: str) -> None:
    store = PostgresStore.open(database)
    store.close()
    for call in (lambda: store.commit([]), store.recover, lambda: store.heads([])):
        with pytest.raises(StoreClosed):
            call()


# --- what is refused at the start ---


@pytest.mark.parametrize(
    ("setting", "why"),
    [
        ("synchronous_commit = off", "synchronous_commit is off, so a crash would lose choices"),
        ("synchronous_commit = local", "synchronous_commit is local"),
        ("default_transaction_isolation = 'serializable'", "its transactions are 'serializable'"),
        ("default_transaction_read_only = on", "it is read-only; set default_transaction_read_onl"),
    ],
)
def test_a_database_that_would_break_a_promise_is_refused(
    database: str, setting: str, why: str
) -> None:
    name = ask(database, "SELECT current_database()")
    execute(database, f"ALTER DATABASE {name} SET {setting}")
    with pytest.raises(StoreError, match=why):
        PostgresStore.open(database)
    with pytest.raises(StoreError, match="cannot keep games"):
        upkeep.contents(database)


def test_unlogged_tables_are_refused(database: str) -> None:
    execute(database, "ALTER TABLE endless_winter.entries SET UNLOGGED")
    with pytest.raises(StoreError, match="its tables entries are unlogged, and empty after a cras"):
        PostgresStore.open(database)


def test_a_database_of_another_encoding_is_refused(databases: Databases, database: str) -> None:
    name = "ew_test_latin"
    execute(
        database,
        f"DROP DATABASE IF EXISTS {name}",
        f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'",
    )
    with pytest.raises(StoreError, match="its encoding is LATIN1; make one with ENCODING 'UTF8'"):
        PostgresStore.open(databases.url(name))
    execute(database, f"DROP DATABASE {name}")


@pytest.mark.parametrize(
    "name", ["fsync", pytest.param("full_page_writes", marks=pytest.mark.soak)]
)
def test_a_server_that_does_not_keep_what_it_says_is_refused(name: str) -> None:
    with Database(f"{name}=off", initdb=("--no-data-checksums",)) as server:
        with pytest.raises(StoreError, match=f"{name} is off, so a crash could damage it"):
            PostgresStore.open(server.url("postgres"))
        server.stop()
        if name == "fsync":
            return
        server.settings = ()
        server.start()
        with PostgresStore.open(server.url("postgres")) as store:
            assert "has no data checksums" in store.warnings[0]
