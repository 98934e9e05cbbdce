"""One suite for every store: whatever is done in whatever order, it answers as the model does.

A store is a subclass of `Conformance` with two methods: how it is opened, and what a crash leaves.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from endless_winter.store import upkeep, wal
from endless_winter.store.errors import BadPageToken, Conflict, Repeated, StoreError
from endless_winter.store.memory import MemoryStore, SharedMemoryStore
from endless_winter.store.postgres import upkeep as postgres_upkeep
from endless_winter.store.postgres.store import PostgresStore
from endless_winter.store.records import (
    NO_CHAIN,
    Append,
    Head,
    LogEntry,
    Marks,
    Player,
    Query,
    Request,
    Status,
    Uptime,
    chain_after,
)
from endless_winter.store.sqlite import SqliteStore
from tests.store.database import Databases, cut
from tests.store.model import Model
from tests.store.support import creation

if TYPE_CHECKING:
    from endless_winter.store.protocol import Store

GAMES = ["a", "b", "c", "d"]
CLIENTS = [b"me", b"you", b"\0\xff"]
PLAYERS = ["host", "p1", "p2"]
CALLERS = [*CLIENTS, b"\xfbme", b"\xfcme", b"\0host", b"\1p1", b"\1\0\0\0\1p2"]
names = st.sampled_from(["", "Ada", "Ötzi 🦣", "'; --"])
texts = st.sampled_from([b"", b"short", b"long " * 300, bytes(range(256))])
maybe = st.booleans()
players = st.builds(Player, st.sampled_from(PLAYERS), st.sampled_from(CLIENTS), names)
requests = st.builds(
    Request,
    st.sampled_from(CALLERS),
    st.sampled_from(["r1", "r2", "r3"]),
    st.sampled_from([b"one digest", b"other"]),
    texts,
)
marks = st.builds(
    Marks,
    status=st.none() | st.sampled_from([Status.STARTING, Status.RUNNING, Status.ENDED]),
    started_ms=st.none() | st.just(5),
    ended_ms=st.none() | st.just(9),
    open_seats=st.none() | st.integers(0, 3),
    sealed=st.none() | maybe,
    summary=st.none() | texts,
    seats=st.dictionaries(st.integers(0, 3), st.sampled_from(["", "host"]), max_size=2),
)
creations = st.builds(
    creation,
    created_ms=st.integers(1, 4),
    rules_version=st.sampled_from(["1", "2"]),
    content_hash=st.sampled_from(["feed", "f00d"]),
    listed=maybe,
    seats=st.integers(1, 3),
    rivers=maybe,
    solo=maybe,
    title=names,
    tags=st.sampled_from([(), ("x",), ("y", "x", "y")]),
    tournament_id=st.sampled_from(["", "cup"]),
)
CONDITIONS: dict[str, st.SearchStrategy[Any]] = {
    "client": st.sampled_from(CLIENTS),
    "statuses": st.frozensets(st.sampled_from(list(Status))),
    "rules_version": st.just("1"),
    "suspended": st.frozensets(st.sampled_from(GAMES), max_size=2),
    "joinable": st.just(True),
    "mine": st.just(True),
    "tag": st.sampled_from(["x", "y"]),
    "tournament_id": st.just("cup"),
    "seats": st.integers(1, 2),
    "rivers": maybe,
    "solo": maybe,
    "created_from_ms": st.integers(1, 4),
}


@st.composite
def queries(draw: st.DrawFn) -> Query:
    """Few conditions at once, so that there is something to find."""
    chosen = draw(st.lists(st.sampled_from(sorted(CONDITIONS)), max_size=3, unique=True))
    return Query(everything=draw(maybe), **{name: draw(CONDITIONS[name]) for name in chosen})


def same(outcome: StoreError | None, wanted: StoreError | None) -> bool:
    if type(outcome) is not type(wanted):
        return False
    if isinstance(outcome, Repeated) and isinstance(wanted, Repeated):
        return outcome.first == wanted.first
    if isinstance(outcome, Conflict) and isinstance(wanted, Conflict):
        return outcome.actual == wanted.actual
    return True


class Conformance(RuleBasedStateMachine):
    """What every store must do."""

    sends_again = False
    """Whether `resolve` commits a round that did not arrive."""

    def open(self) -> Store:
        raise NotImplementedError

    def crash(self, store: Store) -> Store:
        """The process ends here, without closing anything, and another one begins."""
        raise NotImplementedError

    @initialize()
    def begin(self) -> None:
        self.model = Model()
        self.store = self.open()

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()

    def append(self, draw: st.DataObject, game_id: str) -> Append:
        """Something to append: mostly as it should be, now and then late, early or repeated."""
        known = self.model.games.get(game_id)
        head = known.head if known else Head(0, NO_CHAIN)
        creates = draw.draw(st.sampled_from([known is None] * 5 + [known is not None]))
        off = draw.draw(st.sampled_from([0] * 6 + [-1, 1]))
        seq = expected = max(0, head.seq + off)
        count = draw.draw(st.integers(1 if creates else 0, 3))
        log = []
        chain = head.chain
        for payload in draw.draw(st.lists(texts, min_size=count, max_size=count)):
            seq += 1
            chain = chain_after(chain, game_id, seq, "choice", 7, payload)
            log.append(LogEntry(seq, "choice", 7, payload, chain))
        people = draw.draw(st.lists(players, max_size=2, unique_by=lambda one: one.player_id))
        if creates:
            people = [Player("host", b"me", "Me"), *(one for one in people if one[0] != "host")]
        return Append(
            game_id,
            expected,
            log,
            draw.draw(st.none() | requests),
            draw.draw(st.none() | marks),
            people,
            {log[0].seq: b"hidden"} if draw.draw(maybe) and log else None,
            draw.draw(creations) if creates else None,
        )

    @rule(draw=st.data(), games=st.lists(st.sampled_from(GAMES), max_size=4, unique=True))
    def commit_a_round(self, draw: st.DataObject, games: list[str]) -> None:
        appends = [self.append(draw, game_id) for game_id in games]
        wanted = self.model.commit(appends)
        outcomes = self.store.commit(appends)
        assert all(map(same, outcomes, wanted)), (outcomes, wanted)
        assert len(outcomes) == len(wanted)

    @rule(draw=st.data(), game_id=st.sampled_from(GAMES), happens=maybe, crashes=maybe)
    def commit_with_an_unknown_result(
        self, draw: st.DataObject, game_id: str, happens: bool, crashes: bool
    ) -> None:
        """The caller hears nothing: the store says what was committed, or it is sent again."""
        append = self.append(draw, game_id)
        done = False
        if happens:
            (outcome,) = self.store.commit([append])
            self.model.commit([append])
            done = outcome is None
        if crashes:
            self.store = self.crash(self.store)
        else:
            self.store.recover()
        if done:
            assert self.store.resolve([append]) == [None]
        elif not self.sends_again:
            (became,) = self.store.resolve([append])
            head = self.model.games[game_id].head if game_id in self.model.games else None
            if became is None:  # the very same was there before
                assert head is not None
        self.heads_are_right()
        (outcome,) = self.store.commit([append])
        (wanted,) = self.model.commit([append])
        assert same(outcome, wanted)

    @rule()
    def crash_between_two_steps(self) -> None:
        self.store = self.crash(self.store)

    @rule(game_ids=st.lists(st.sampled_from(GAMES), max_size=2))
    def remove(self, game_ids: list[str]) -> None:
        self.store.remove(game_ids)
        self.model.remove(game_ids)

    @rule(client=st.sampled_from([b"", *CLIENTS]))
    def erase(self, client: bytes) -> None:
        assert self.store.erase(client) == (self.model.erase(client) if client else 0)

    @rule(since_ms=st.integers(1, 3), until_ms=st.integers(3, 9))
    def heartbeat(self, since_ms: int, until_ms: int) -> None:
        assert self.store.commit([], Uptime(since_ms, until_ms)) == []
        known = self.model.uptimes.get(since_ms, until_ms)
        self.model.uptimes[since_ms] = max(known, until_ms)

    @rule()
    def checkpoint(self) -> None:
        self.store.checkpoint()
        assert self.store.checkpoint_due() is False

    @precondition(lambda self: self.model.games)
    @rule(draw=st.data(), after_seq=st.integers(0, 5), limit=st.integers(1, 4))
    def read_a_page(self, draw: st.DataObject, after_seq: int, limit: int) -> None:
        game_id = draw.draw(st.sampled_from(sorted(self.model.games)))
        wanted = self.model.games[game_id].log[after_seq : after_seq + limit]
        found = self.store.read(game_id, after_seq, limit)
        assert list(map(plain, found)) == list(map(plain, wanted))

    @rule(asked=st.lists(queries(), min_size=5, max_size=10), limit=st.integers(1, 3))
    def list_in_pages(self, asked: list[Query], limit: int) -> None:
        for query in asked:
            self.list_one(query, limit)

    def list_one(self, query: Query, limit: int) -> None:
        wanted = self.model.listed(query)
        found: list[Any] = []
        token = ""
        while True:
            page = self.store.list_games(query, limit=limit, token=token)
            assert page.games or not found, "no page for nothing"
            found += page.games
            assert len(found) <= len(wanted)
            token = page.next_token
            if not token:
                break
            assert token == page.after(limit)
        assert found == wanted

    @invariant()
    def heads_are_right(self) -> None:
        if hasattr(self, "store"):
            wanted = {game_id: game.head for game_id, game in self.model.games.items()}
            assert self.store.heads(GAMES) == wanted

    @invariant()
    def all_that_is_read_is_right(self) -> None:
        if not hasattr(self, "store"):
            return
        store, model = self.store, self.model
        for game_id in GAMES:
            game = model.games.get(game_id)
            assert store.load(game_id) == (game.record(game_id) if game else None)
            log = game.log if game else []
            assert list(map(plain, store.read(game_id))) == list(map(plain, log))
        for scope, known in [
            ("", model.creations),
            *((i, g.requests) for i, g in model.games.items()),
        ]:
            for caller in CALLERS:
                first = {name: store.find_request(caller, name, scope) for name in ("r1", "r2")}
                assert first == {name: known.get((caller, name)) for name in first}
        unfinished = Query(everything=True, statuses=frozenset(list(Status)[:3]))
        assert list(store.list_games(unfinished).games) == model.listed(unfinished)
        assert store.list_packs() == sorted(model.packs)
        assert all(store.get_pack(name) == data for name, data in model.packs.items())
        assert store.get_pack("none") is None
        assert store.uptimes() == sorted(model.uptimes.items())


def plain(entry: LogEntry) -> tuple[Any, ...]:
    return entry.seq, entry.kind, entry.at_ms, entry.payload, entry.chain


class SqliteConformance(Conformance):
    """A file; a crash leaves it and its write-ahead log."""

    def open(self) -> Store:
        self.folder = Path(tempfile.mkdtemp(prefix="ew-conformance-"))
        self.number = 0
        return SqliteStore.open(self.folder / "0.db", synchronous="off")

    def crash(self, store: Store) -> Store:
        assert isinstance(store, SqliteStore)
        self.number += 1
        left = self.folder / f"{self.number}.db"
        shutil.copyfile(store.path, left)
        shutil.copyfile(wal.wal_of(store.path), wal.wal_of(left))
        store.close()
        after = SqliteStore.open(left, synchronous="off")
        assert after.warnings == []
        return after

    def teardown(self) -> None:
        super().teardown()
        if hasattr(self, "folder"):
            assert list(upkeep.problems(self.folder / f"{self.number}.db")) == []
            shutil.rmtree(self.folder)


class MemoryConformance(Conformance):
    """What is in memory outlives a crash as if it were on a disk."""

    def open(self) -> Store:
        return MemoryStore()

    def crash(self, store: Store) -> Store:
        return store


class SharedMemoryConformance(MemoryConformance):
    """The same for several nodes."""

    sends_again = True

    def open(self) -> Store:
        return SharedMemoryStore()


class PostgresConformance(Conformance):
    """A database; a crash cuts its connections."""

    sends_again = True
    databases: ClassVar[Databases]

    def open(self) -> Store:
        self.url = self.databases.new()
        return PostgresStore.open(self.url)

    def crash(self, store: Store) -> Store:
        assert isinstance(store, PostgresStore)
        cut(store)
        store.close()
        return PostgresStore.open(self.url)

    def teardown(self) -> None:
        super().teardown()
        if hasattr(self, "url"):
            assert list(postgres_upkeep.problems(self.url)) == []
            self.databases.drop(self.url)


QUICK = settings(
    max_examples=40,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
# Each call goes to another process: few, and none to find a smaller example.
FEW = settings(QUICK, max_examples=4, phases=[Phase.generate])
LONG = settings(QUICK, max_examples=3_000, stateful_step_count=60)
LONG_ENOUGH = settings(QUICK, max_examples=400, stateful_step_count=60)
IN_PROCESS = [SqliteConformance, MemoryConformance, SharedMemoryConformance]


@pytest.mark.parametrize("machine", IN_PROCESS)
def test_a_store_answers_as_the_model_does(machine: type[Conformance]) -> None:
    run(machine, QUICK)


def test_a_store_in_postgresql_answers_as_the_model_does(databases: Databases) -> None:
    PostgresConformance.databases = databases
    run(PostgresConformance, FEW)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("machine", IN_PROCESS)
def test_a_store_answers_as_the_model_does_for_long(machine: type[Conformance]) -> None:
    run(machine, LONG)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_store_in_postgresql_answers_as_the_model_does_for_long(databases: Databases) -> None:
    PostgresConformance.databases = databases
    run(PostgresConformance, LONG_ENOUGH)


def run(machine: type[Conformance], how: settings) -> None:
    case = machine.TestCase
    case.settings = how
    case("runTest").runTest()


@pytest.mark.parametrize("token", ["x", "!", "ä", "MS4y ", "OTk5OTk5OTk5OTk5OTk5OTk5OTkuMQ"])
def test_what_is_no_page_token_is_refused(store: Store, token: str) -> None:
    with pytest.raises(BadPageToken):
        store.list_games(Query(), token=token)
