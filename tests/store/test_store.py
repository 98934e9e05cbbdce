"""What a store promises, in small stories; the conformance suite tries the rest."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from endless_winter.store import schema
from endless_winter.store.errors import (
    Conflict,
    GameExists,
    NoSuchGame,
    Repeated,
    StoreDamaged,
    StoreError,
    StoreFull,
)
from endless_winter.store.memory import MemoryStore
from endless_winter.store.records import Append, FirstAnswer, Head, Marks, Player, Query
from endless_winter.store.sqlite import SqliteStore
from tests.store.support import (
    add,
    appended,
    commit,
    create,
    created,
    entries,
    request,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from endless_winter.store.protocol import Store

ME = Player("host", b"hash of me", "Me Myself")


def test_a_refused_append_does_not_fail_the_others(store: Store) -> None:
    create(store, "a")
    create(store, "b")
    late = Append("a", 5, entries("a", Head(5, b""), ["late"]))
    good = appended(store, "b", "good", asked=request("r"))
    nowhere = appended(store, "none", "lost")
    outcomes = store.commit([late, created("b"), nowhere])
    assert [type(outcome) for outcome in outcomes] == [Conflict, GameExists, NoSuchGame]
    outcomes = store.commit([late, good, nowhere])
    assert [type(outcome) for outcome in outcomes] == [Conflict, type(None), NoSuchGame]
    assert str(outcomes[0]) == "the log of a ends at 1, not at 5"
    assert texts(store, "b") == ["created", "good"]


def test_a_repeated_request_gets_its_first_answer_also_when_the_log_has_grown(
    store: Store,
) -> None:
    create(store)
    append = appended(store, "one", "move", asked=request("r", b"accepted"))
    assert commit(store, append) is None
    add(store, "one", "another")
    outcome = commit(store, append)
    assert isinstance(outcome, Repeated)
    assert outcome.first == FirstAnswer("one", 2, b"asked for r", b"accepted")
    assert texts(store, "one") == ["created", "move", "another"]
    assert store.find_request(b"caller", "r", "one") == outcome.first
    assert store.find_request(b"caller", "r") is None, "not to create a game"
    assert store.find_request(b"other", "r", "one") is None


def test_the_same_creation_twice_makes_one_game(store: Store) -> None:
    first, second = (created(name, asked=request("create")) for name in ("a", "b"))
    outcomes = store.commit([first, second])
    assert outcomes[0] is None
    assert isinstance(outcomes[1], Repeated)
    assert outcomes[1].first.game_id == "a"
    assert [game.game_id for game in store.list_games(Query(everything=True)).games] == ["a"]


def test_an_answer_that_changed_nothing_is_stored(store: Store) -> None:
    create(store)
    assert commit(store, appended(store, "one", asked=request("r", b"refused"))) is None
    first = store.find_request(b"caller", "r", "one")
    assert first == FirstAnswer("one", 1, b"asked for r", b"refused")
    assert texts(store, "one") == ["created"]
    late = Append("one", 7, [], request("s"))
    assert isinstance(commit(store, late), Conflict)


def test_entries_are_numbered_without_a_gap(store: Store) -> None:
    create(store)
    wrong = Append("one", 1, entries("one", Head(2, b""), ["third"]))
    with pytest.raises(ValueError, match="entry 3 of one is not number 2"):
        store.commit([wrong])
    assert texts(store, "one") == ["created"]
    assert add(store, "one", "second") == 2


def test_a_person_is_erased_and_the_log_stays(store: Store) -> None:
    create(store, players=[ME], asked=request("c", caller=ME.client))
    add(store, "one", "move", marks=Marks(seats={0: "host"}))
    assert len(store.list_games(Query(client=ME.client, mine=True)).games) == 1
    assert store.erase(ME.client) == 1
    assert store.erase(ME.client) == 0
    assert store.list_games(Query(client=ME.client, mine=True)).games == ()
    assert store.list_games(Query(mine=True)).games == (), "nobody is not the erased one"
    assert store.find_request(ME.client, "c") is None
    record = store.load("one")
    assert record is not None
    assert record.people == {"host": Player("host", b"", "")}
    assert record.header.holders == {0: b""}
    assert texts(store, "one") == ["created", "move"]


def test_nothing_of_an_erased_person_is_left_in_the_file(path: Path) -> None:
    with SqliteStore.open(path) as store:
        create(store, players=[ME], asked=request("c", caller=ME.client))
        store.checkpoint()
        assert b"Me Myself" in path.read_bytes()
        store.erase(ME.client)
    assert b"Me Myself" not in path.read_bytes()
    assert ME.client not in path.read_bytes()


def test_reads_of_other_threads_see_what_is_committed(store: Store) -> None:
    create(store)
    seen: list[int] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            record = store.load("one")
            assert record is not None
            assert list(record.private) == list(range(2, record.header.seq + 1)), "one commit"
            seen.append(record.header.seq)

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for number in range(2, 60):
        add(store, "one", str(number), private={number: b"p"})
    done.set()
    for thread in threads:
        thread.join()
    assert seen
    assert max(seen) <= 59


def test_a_store_in_memory_fails_when_a_test_wants_it() -> None:
    store = MemoryStore()
    create(store)

    def fail(_: Sequence[Append] = ()) -> None:
        raise StoreError("no disk")

    append = appended(store, "one", "move")
    store.before = fail
    with pytest.raises(StoreError, match="no disk"):
        store.commit([append])
    store.before, store.after, store.recovering = None, fail, fail
    with pytest.raises(StoreError, match="no disk"):
        store.recover()
    with pytest.raises(StoreError, match="recover comes first"):
        store.commit([append])
    store.recovering = None
    store.recover()
    assert store.heads(["one"])["one"].seq == 1
    with pytest.raises(StoreError, match="no disk"):
        store.commit([append])
    assert store.heads(["one"])["one"].seq == 2, "nobody knew"


def test_errors_of_sqlite_say_what_an_operator_needs(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "small.db")) as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.execute("PRAGMA max_page_count = 2")
        with pytest.raises(sqlite3.Error) as full:
            connection.execute("INSERT INTO t VALUES (zeroblob(100000))")
    assert isinstance(schema.translate(full.value), StoreFull)
    (tmp_path / "text").write_text("no database " * 100)
    with (
        closing(sqlite3.connect(tmp_path / "text")) as connection,
        pytest.raises(sqlite3.Error) as bad,
    ):
        connection.execute("SELECT * FROM t")
    assert isinstance(schema.translate(bad.value), StoreDamaged)
