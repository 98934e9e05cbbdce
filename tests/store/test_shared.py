"""Stores that several nodes share: timers, who has delivered a question, heartbeats, wake-ups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from endless_winter.store.errors import Conflict, Repeated, TooMany
from endless_winter.store.memory import SharedMemoryStore
from endless_winter.store.records import STALE_MS, Deadline, Delivery, Player, Wake
from tests.store.support import add, appended, commit, create, created, ended, request

if TYPE_CHECKING:
    from endless_winter.store.protocol import Store


class Calendar:
    """The store's clock."""

    def __init__(self) -> None:
        self.ms = 1_000

    def __call__(self) -> int:
        return self.ms


@pytest.fixture
def calendar() -> Calendar:
    return Calendar()


@pytest.fixture
def shared(calendar: Calendar) -> Store:
    return SharedMemoryStore(calendar)


def test_an_append_sets_the_timers_of_its_game(shared: Store, calendar: Calendar) -> None:
    create(shared)
    calendar.ms = 5_000
    append = appended(shared, "one", "a question")
    append.deadline = Deadline(2_000, "node", 300)
    assert commit(shared, append) is None
    record = shared.load("one")
    assert record is not None
    header = record.header
    assert (header.deadline_ms, header.node, header.delivered_ms) == (7_000, "node", 4_700)
    assert shared.overdue() == []
    calendar.ms = 7_000
    assert shared.overdue() == ["one"]
    add(shared, "one", "an end", marks=ended(8))
    assert shared.overdue() == []


def test_a_delivery_is_noted_while_the_log_ends_where_it_says(shared: Store) -> None:
    create(shared)
    shared.deliver(
        [Delivery("one", 2, Deadline(5, "late")), Delivery("none", 1, Deadline(5, "none"))]
    )
    record = shared.load("one")
    assert record is not None
    assert record.header.node == ""
    shared.deliver([Delivery("one", 1, Deadline(None, "node"))])
    record = shared.load("one")
    assert record is not None
    assert (record.header.node, record.header.deadline_ms) == ("node", None)


def test_a_time_out_before_the_deadline_is_a_conflict(shared: Store, calendar: Calendar) -> None:
    create(shared)
    append = appended(shared, "one", "too late")
    append.overdue = True
    outcome = commit(shared, append)
    assert isinstance(outcome, Conflict), "it has no deadline"
    shared.deliver([Delivery("one", 1, Deadline(500, "node"))])
    outcome = commit(shared, append)
    assert isinstance(outcome, Conflict)
    assert outcome.actual == append.expected_seq
    calendar.ms += 500
    assert commit(shared, append) is None


def test_unfinished_games_of_a_creator_are_counted_where_they_are_created(shared: Store) -> None:
    host = Player("host", b"a client", "")
    for number, name in enumerate(("one", "two", "three")):
        append = created(name, asked=request(name), players=[host])
        assert append.creation is not None
        append.creation = append.creation._replace(most_unfinished=2)
        outcome = commit(shared, append)
        assert outcome is None if number < 2 else isinstance(outcome, TooMany)
    append = created("four", asked=request("one"), players=[host])
    assert append.creation is not None
    append.creation = append.creation._replace(most_unfinished=2)
    assert isinstance(commit(shared, append), Repeated), "a retry has its first answer"


def test_a_heartbeat_is_answered_with_the_time_and_the_nodes(
    shared: Store, calendar: Calendar
) -> None:
    shared.beat("one", "1.0")
    calendar.ms += 700
    pulse = shared.beat("two", "1.0")
    assert pulse.time_ms == calendar.ms
    assert dict(pulse.nodes) == {"one": 700, "two": 0}


def test_a_node_that_was_silent_is_dead_for_ever(shared: Store, calendar: Calendar) -> None:
    shared.beat("one", "1.0")
    calendar.ms += STALE_MS
    assert shared.beat("one", "1.0").nodes["one"] == STALE_MS
    calendar.ms += 1
    assert shared.beat("two", "1.0").nodes["one"] == STALE_MS + 1


def test_what_a_node_notifies_is_heard(shared: Store) -> None:
    heard: list[Wake] = []
    shared.listen(heard.append)
    wake = Wake({"one": 3}, {"one": (b"a client",)}, {"one": "a bot"})
    shared.notify(wake)
    assert wake in heard


def test_a_commit_with_unknown_result_is_found_behind_entries_of_others(shared: Store) -> None:
    create(shared)
    append = appended(shared, "one", "mine")
    assert commit(shared, append) is None
    add(shared, "one", "another's")
    shared.recover()
    assert shared.resolve([append]) == [None]


def test_a_commit_that_did_not_arrive_is_sent_again(shared: Store) -> None:
    create(shared)
    lost = appended(shared, "one", "mine", asked=request("r"))
    shared.recover()
    assert shared.resolve([lost]) == [None]
    assert isinstance(commit(shared, lost), Repeated), "it arrives late, and changes nothing"
