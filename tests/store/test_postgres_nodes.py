"""What nodes that share a PostgreSQL need: timers, deliveries, heartbeats, wake-ups."""

from __future__ import annotations

import queue
import time
from typing import TYPE_CHECKING

import pytest

from endless_winter.store.errors import Conflict, Repeated, StoreError, TooMany
from endless_winter.store.postgres.store import PostgresStore
from endless_winter.store.postgres.waking import MOST_BYTES, payloads, wake_of
from endless_winter.store.records import STALE_MS, Deadline, Delivery, Head, Player, Wake
from tests.store.database import execute
from tests.store.support import add, appended, commit, create, created, ended, request

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.store.records import Header

PATIENCE = 30


@pytest.fixture
def store(database: str) -> Iterator[PostgresStore]:
    with PostgresStore.open(database) as found:
        yield found


def header(store: PostgresStore, game_id: str = "one") -> Header:
    record = store.load(game_id)
    assert record is not None
    return record.header


def test_an_append_sets_the_timers_of_its_game(store: PostgresStore) -> None:
    now_ms = store.beat("node", "1").time_ms
    new = created("one")
    new.deadline = Deadline(60_000, "node", 300)
    assert commit(store, new) is None
    first = header(store)
    assert first.deadline_ms is not None
    assert first.delivered_ms is not None
    assert now_ms + 60_000 <= first.deadline_ms <= now_ms + 60_000 + PATIENCE * 1000
    assert first.deadline_ms - first.delivered_ms == pytest.approx(60_300, abs=5)
    assert first.node == "node"
    add(store, "one", "nothing about timers")
    same = header(store)
    assert (same.deadline_ms, same.node) == (first.deadline_ms, "node")
    assert store.overdue() == []
    late = appended(store, "one", "a question")
    late.deadline = Deadline(-5)
    assert commit(store, late) is None
    assert (header(store).node, header(store).delivered_ms) == ("", None)
    create(store, "other")
    assert store.overdue() == ["one"]
    add(store, "one", "an end", marks=ended(8))
    assert store.overdue() == []


def test_a_delivery_is_noted_while_the_log_ends_where_it_says(store: PostgresStore) -> None:
    create(store)
    store.deliver([])
    store.deliver(
        [Delivery("one", 2, Deadline(5, "late")), Delivery("none", 1, Deadline(5, "none"))]
    )
    assert header(store).node == ""
    store.deliver([Delivery("one", 1, Deadline(None, "node"))])
    assert (header(store).node, header(store).deadline_ms) == ("node", None)


def test_a_time_out_before_the_deadline_is_a_conflict(store: PostgresStore) -> None:
    create(store)
    create(store, "two")
    append = appended(store, "one", "too late")
    append.overdue = True
    outcome = commit(store, append)
    assert isinstance(outcome, Conflict), "it has no deadline"
    store.deliver([Delivery("one", 1, Deadline(60_000, "node"))])
    outcomes = store.commit([append, appended(store, "two", "beside it")])
    assert isinstance(outcomes[0], Conflict)
    assert outcomes[0].actual == append.expected_seq
    assert outcomes[1] is None
    store.deliver([Delivery("one", 1, Deadline(-1, "node"))])
    assert commit(store, append) is None
    assert store.heads(["one"])["one"] == Head(2, append.entries[-1].chain)


def test_unfinished_games_of_a_creator_are_counted_where_they_are_created(
    store: PostgresStore,
) -> None:
    host = Player("host", b"a client", "")
    appends = []
    for name in ("one", "two", "three", "four"):
        append = created(name, asked=request(name), players=[host])
        assert append.creation is not None
        append.creation = append.creation._replace(most_unfinished=2)
        appends.append(append)
    assert [commit(store, append) for append in appends[:2]] == [None, None]
    outcomes = store.commit(appends)
    assert [type(one) for one in outcomes] == [Repeated, Repeated, TooMany, TooMany]
    add(store, "one", "an end", marks=ended(8))
    outcomes = store.commit(appends[2:])
    assert outcomes[0] is None, "one place is free"
    assert isinstance(outcomes[1], TooMany)


def test_a_heartbeat_is_answered_with_the_time_and_the_nodes(
    store: PostgresStore, database: str
) -> None:
    first = store.beat("one", "1.0")
    assert dict(first.nodes) == {"one": 0}
    assert abs(first.time_ms - time.time() * 1000) < PATIENCE * 1000
    execute(database, "UPDATE endless_winter.nodes SET heard_ms = heard_ms - 700")
    pulse = store.beat("two", "1.0")
    assert pulse.nodes["two"] == 0
    assert 700 <= pulse.nodes["one"] <= 700 + PATIENCE * 1000
    assert store.beat("one", "1.0", draining=True).nodes["one"] == 0


def test_a_node_that_was_silent_is_dead_for_ever(store: PostgresStore, database: str) -> None:
    store.beat("one", "1.0")
    execute(database, f"UPDATE endless_winter.nodes SET heard_ms = heard_ms - {STALE_MS}")
    for _ in range(2):
        assert store.beat("one", "1.0").nodes["one"] >= STALE_MS


def test_what_a_node_notifies_the_others_hear(store: PostgresStore, database: str) -> None:
    heard: queue.Queue[Wake] = queue.Queue()
    with PostgresStore.open(database) as other:
        other.listen(heard.put)
        wake = Wake({"one": 3}, {"one": (b"a client", b"\xff")}, {"one": "a bot"})
        store.notify(wake)
        assert heard.get(timeout=PATIENCE) == wake


def test_a_listener_that_was_cut_off_listens_again_and_says_so(
    store: PostgresStore, database: str
) -> None:
    heard: queue.Queue[Wake] = queue.Queue()
    store.listen(heard.put)
    execute(
        database,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'",
    )
    assert heard.get(timeout=PATIENCE) == Wake()
    wake = Wake({"one": 4})
    store.notify(wake)
    assert heard.get(timeout=PATIENCE) == wake


def test_a_wake_that_is_too_long_for_one_payload_comes_in_several() -> None:
    games = {f"game-{number}": number for number in range(2_000)}
    wake = Wake(games, {game: (bytes(32), bytes(32)) for game in games}, dict.fromkeys(games, "b"))
    found = list(payloads(wake))
    assert max(len(payload.encode()) for payload in found) <= MOST_BYTES
    heads: dict[str, int] = {}
    clients: dict[str, tuple[bytes, ...]] = {}
    for payload in found:
        part = wake_of(payload)
        heads |= part.heads
        for game, some in part.clients.items():
            clients[game] = clients.get(game, ()) + some
    assert heads == wake.heads
    assert clients == wake.clients


@pytest.mark.parametrize("payload", ["", "{}", "[1]", '[["c", "g", "x"]]', "null"])
def test_a_payload_of_somebody_else_is_an_empty_wake(payload: str) -> None:
    assert wake_of(payload) == Wake()


def test_a_node_without_its_database_says_so(store: PostgresStore) -> None:
    store.close()
    with pytest.raises(StoreError):
        store.beat("one", "1.0")
