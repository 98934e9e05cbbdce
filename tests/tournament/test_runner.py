"""The runner, with players that need no processes: what is scheduled is played, and once."""

from __future__ import annotations

import asyncio
import os
import random
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from endless_winter.tournament import results, schedule
from endless_winter.tournament.errors import TournamentError
from endless_winter.tournament.executor import portions, split
from endless_winter.tournament.host import HostGone
from endless_winter.tournament.results import Begun, Journal, Started, Use
from endless_winter.tournament.runner import Tournament, open_key
from endless_winter.tournament.seeds import Key
from tests.tournament.tables import WORLD, by_strength, spec_of

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from pathlib import Path

    from endless_winter.tournament.executor import Player
    from endless_winter.tournament.results import Game, Results
    from endless_winter.tournament.schedule import Plan
    from endless_winter.tournament.spec import Spec
    from endless_winter.tournament.worker import Order

STRENGTH = {"a": 2.0, "b": 1.0, "c": 0.0, "d": -1.0, "Nomad": 0.5}


class Stopped(Exception):
    """The machine goes down."""


class Silent:
    def began(self, plan: Plan, games: list[Game]) -> None: ...
    def played(self, plan: Plan, game: Game) -> None: ...
    def started(self, worker: Started) -> None: ...
    def lost(self, why: str) -> None: ...


class Desk:
    """Plays games in the head, in an order of its own."""

    def __init__(self, hall: Hall, at_first: int) -> None:
        self.at_first = at_first
        self.capacity = max(at_first, hall.most)
        self.started: Started | None = Started("a machine", {"a": "1"})
        self.busy = 0
        self._hall = hall

    async def play(self, order: Order) -> Game:
        self.busy += 1
        assert self.busy <= self.capacity
        self._hall.busiest = max(self._hall.busiest, self.busy)
        try:
            for _ in range(self._hall.draw.randrange(5)):
                await asyncio.sleep(0)
            self._hall.orders.append(order)
            return self._hall.play(self, order)
        finally:
            self.busy -= 1

    async def release(self, game_ids: Sequence[str]) -> None:
        if id(self) in self._hall.doomed:
            raise HostGone("gone")
        self._hall.released += game_ids


class Hall:
    """An executor of such players."""

    def __init__(self, play: Callable[[Desk, Order], Game], sizes: Sequence[int] = (2, 3)) -> None:
        self.play = play
        self.draw = random.Random(1)
        self.orders: list[Order] = []
        self.released: list[str] = []
        self.doomed: set[int] = set()
        self.replaced = 0
        self.room = 1
        self.most = 0
        self.busiest = 0
        self._sizes = sizes

    async def start(self) -> list[Coroutine[Any, Any, Player]]:
        return [self._open(size) for size in self._sizes]

    async def _open(self, size: int) -> Player:
        if not size:
            raise HostGone("no room")
        return Desk(self, size)

    async def replace(self, lost: Player) -> Player:
        self.replaced += 1
        return await self._open(lost.at_first * self.room)

    async def stop(self) -> None: ...


def honest(desk: Desk, order: Order) -> Game:
    del desk
    game = by_strength(STRENGTH)(order.match)
    return msgspec.structs.replace(game, id=order.game_id, attempt=order.attempt)


def go(spec: Spec, folder: Path, hall: Hall, key: Key | None = None) -> Journal:
    with Journal(folder / "results.jsonl") as journal:
        made = Tournament(spec, WORLD, open_key(folder, journal, key), journal, hall, Silent())
        asyncio.run(made.run())
    return journal


def swift(desk: Desk, order: Order) -> Game:
    """An honest game of bots that hardly think."""
    game = honest(desk, order)
    seats = tuple(
        msgspec.structs.replace(seat, decisions=80, charged_ms=80, longest_ms=2)
        for seat in game.seats
    )
    used = {seat.entrant: Use(asked_ms=20) for seat in seats}
    return msgspec.structs.replace(game, seats=seats, used=used)


@pytest.mark.parametrize("form", ["round_robin", "swiss"])
def test_more_games_at_a_time_change_no_game(tmp_path: Path, form: str) -> None:
    spec = spec_of(*"abcd", format=form, players=2, blocks=10, rounds=3)
    found = []
    for most in (1, 16):
        hall = Hall(swift, sizes=(1, 1))
        hall.most = most
        folder = tmp_path / str(most)
        folder.mkdir()
        found.append(go(spec, folder, hall).results.finished)
        assert (hall.busiest > 4) == (most > 1)
    assert found[0] == found[1]


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("form", ["round_robin", "gauntlet", "swiss", "solo_field"])
def test_each_scheduled_game_is_played_once_and_its_seed_revealed(
    tmp_path: Path, form: str, paired: bool
) -> None:
    spec = spec_of(*"abcd", format=form, players=2, blocks=3, rounds=3, paired_seeds=paired)
    hall = Hall(honest)
    journal = go(spec, tmp_path, hall)
    found = journal.results
    known = schedule.plan(spec, WORLD, found.finished)
    assert known.over
    assert sorted(order.match.id for order in hall.orders) == sorted(
        match.id for match in known.matches()
    )
    assert all(map(found.public, found.finished.values()))
    assert sorted(hall.released) == sorted(game.id for game in found.finished.values())
    assert found.ended is not None
    seeds = {order.match.block: {o.seed for o in hall.orders if o.match.block == order.match.block}
             for order in hall.orders}  # fmt: skip
    made = set.union(*seeds.values())
    if paired:
        assert found.revealed == {block.id for block in known.blocks}
        assert all(len(one) == 1 for one in seeds.values())
        assert len(made) == len(known.blocks)
    else:
        assert found.revealed == {game.id for game in found.finished.values()}
        assert len(made) == len(hall.orders)
    lines = [msgspec.json.decode(line) for line in journal.path.read_bytes().splitlines()]
    assert {line["seed"] for line in lines if line["kind"] == "reveal"} == {
        seed.hex() for seed in made
    }
    assert len({order.salt for order in hall.orders}) == len(hall.orders)


@pytest.mark.parametrize("paired", [False, True])
def test_no_seed_is_revealed_while_a_game_on_it_is_to_be_played(
    tmp_path: Path, paired: bool
) -> None:
    spec = spec_of(*"abc", players=3, blocks=5, paired_seeds=paired)
    go(spec, tmp_path, Hall(honest))
    blocks = {block.id: block for block in schedule.plan(spec, WORLD, {}).blocks}
    known: set[str] = set()
    ids: set[str] = set()
    for line in (tmp_path / "results.jsonl").read_bytes().splitlines():
        record = msgspec.json.decode(line)
        if record["kind"] == "game":
            known.add(record["match"])
            ids.add(record["id"])
        elif record["kind"] == "reveal" and not paired:
            assert record["game"] in ids
        elif record["kind"] == "reveal":
            assert {match.id for match in blocks[record["block"]].matches} <= known


@pytest.mark.parametrize("form", ["round_robin", "swiss", "sprt"])
def test_however_often_it_is_stopped_the_end_is_the_same(tmp_path: Path, form: str) -> None:
    entrants = "ab" if form == "sprt" else "abcd"
    spec = spec_of(*entrants, format=form, players=2, blocks=6, rounds=3, paired_seeds=True)
    key = Key.fresh()
    alone = go(spec, _folder(tmp_path, "alone"), Hall(honest), key).results
    found, _ = stopped(spec, _folder(tmp_path, "stopped"), key)
    known = schedule.plan(spec, WORLD, found.finished)
    assert known == schedule.plan(spec, WORLD, alone.finished)
    for match in known.matches():
        assert found.finished[match.id] == alone.finished[match.id]
    assert found.revealed >= {block.id for block in known.blocks}


def stopped(spec: Spec, folder: Path, key: Key | None = None) -> tuple[Results, list[Order]]:
    """A tournament that is stopped again and again, and all games that were ever begun in it."""
    draw = random.Random(3)
    orders: list[Order] = []
    stops = 0
    while True:
        left = draw.randrange(1, 7)

        def fragile(desk: Desk, order: Order, left: list[int] = [left]) -> Game:  # noqa: B006 # counts on purpose
            left[0] -= 1
            if left[0] < 0:
                raise Stopped
            return honest(desk, order)

        hall = Hall(fragile, [draw.randrange(1, 5)])
        try:
            found = go(spec, folder, hall, key).results
        except Stopped:
            stops += 1
            continue
        finally:
            orders += hall.orders
        break
    assert stops > 2
    return found, orders


@pytest.mark.parametrize("form", ["round_robin", "swiss", "sprt", "solo_field"])
def test_a_game_that_was_under_way_is_played_again_on_another_seed(
    tmp_path: Path, form: str
) -> None:
    entrants = "ab" if form == "sprt" else "abcd"
    spec = spec_of(*entrants, format=form, players=2, blocks=6, rounds=3)
    found, orders = stopped(spec, tmp_path)
    assert found.ended is not None
    assert len(orders) > len(found.finished)  # some were begun in vain
    assert len({order.seed for order in orders}) == len(orders)
    assert len({order.game_id for order in orders}) == len(orders)
    # That it was stopped is nobody's fault.
    assert {order.absences for order in orders} == {0}
    assert not found.attempts


def test_an_attempt_is_durable_before_it_is_sent_to_a_server(tmp_path: Path) -> None:
    seen = []

    def look(desk: Desk, order: Order) -> Game:
        written, _ = results.read(tmp_path / "results.jsonl")
        seen.append(written.last[order.match.id] == order.attempt)
        return honest(desk, order)

    go(spec_of("a", "b", blocks=5), tmp_path, Hall(look))
    assert seen == [True] * 10


def _folder(path: Path, name: str) -> Path:
    path = path / name
    path.mkdir()
    return path


@pytest.mark.parametrize("seen", ["in a game", "after a game"])
def test_games_of_a_lost_worker_are_played_elsewhere(tmp_path: Path, seen: str) -> None:
    spec = spec_of("a", "b", blocks=10)

    def lossy(desk: Desk, order: Order) -> Game:
        if seen == "in a game" and id(desk) in hall.doomed:
            raise HostGone("gone")
        if len(hall.orders) == 7:
            hall.doomed.add(id(desk))
        return honest(desk, order)

    hall = Hall(lossy)
    found = go(spec, tmp_path, hall).results
    assert hall.replaced == 1  # however often it is noticed
    assert len(found.finished) == 20
    assert not found.attempts  # nobody did anything wrong
    assert {order.absences for order in hall.orders} == {0}
    assert len({order.seed for order in hall.orders}) == len(hall.orders)
    assert len(hall.orders) > 20 or seen == "after a game"


def test_a_worker_that_cannot_be_had_or_replaced_leaves_the_others_playing(tmp_path: Path) -> None:
    spec = spec_of("a", "b", blocks=10)

    def once(desk: Desk, order: Order) -> Game:
        if desk.capacity == 3:
            raise HostGone("gone")
        return honest(desk, order)

    hall = Hall(once, [0, 3, 1])
    hall.room = 0
    assert len(go(spec, tmp_path, hall).results.finished) == 20
    assert hall.replaced == 1
    nobody = Hall(honest, [0, 0])
    folder = _folder(tmp_path, "other")
    with pytest.raises(TournamentError, match="no worker left to play on: no room"):
        go(spec, folder, nobody)


def test_workers_that_are_always_lost_end_it_in_one_line(tmp_path: Path) -> None:
    def never(desk: Desk, order: Order) -> Game:
        del desk, order
        raise HostGone("no disk")

    with pytest.raises(TournamentError, match="again and again: no disk"):
        go(spec_of("a", "b"), tmp_path, Hall(never))
    assert go(spec_of("a", "b"), tmp_path, Hall(honest)).results.ended  # and can go on


def test_a_game_that_did_not_count_is_tried_again_as_the_next_attempt(tmp_path: Path) -> None:
    def flaky(desk: Desk, order: Order) -> Game:
        game = honest(desk, order)
        return msgspec.structs.replace(game, outcome="void") if order.attempt == 1 else game

    hall = Hall(flaky)
    found = go(spec_of("a", "b", blocks=2), tmp_path, hall).results
    assert sorted(order.attempt for order in hall.orders) == [1] * 4 + [2] * 4
    assert {game.attempt for game in found.finished.values()} == {2}
    assert len({order.game_id for order in hall.orders}) == 8
    assert len({order.seed for order in hall.orders}) == 8
    assert {order.absences for order in hall.orders} == {0}  # a fault of the server


def test_only_attempts_that_bots_did_not_come_to_count_against_them(tmp_path: Path) -> None:
    def flaky(desk: Desk, order: Order) -> Game:
        game = honest(desk, order)
        if order.attempt > 2:
            return game
        reason = "server_fault" if order.attempt == 1 else "never_started"
        seats = tuple(msgspec.structs.replace(seat, reason=reason) for seat in game.seats)
        return msgspec.structs.replace(game, outcome="void", seats=seats)

    hall = Hall(flaky)
    spec = spec_of("a", "b", blocks=1)
    with Journal(tmp_path / "results.jsonl") as journal:
        key = open_key(tmp_path, journal)
        made = Tournament(spec, WORLD, key, journal, hall, Silent())
        killed = next(made.plan.matches()).id
        journal.append([made._header(), *(Begun(killed, attempt) for attempt in range(1, 20))])
        asyncio.run(made.run())
        found = journal.results
    # Nineteen times it was killed in the middle of this one: that makes nobody give up.
    assert [order.attempt for order in hall.orders if order.match.id == killed] == [20]
    assert [
        (order.attempt, order.absences) for order in hall.orders if order.match.id != killed
    ] == [(1, 0), (2, 0), (3, 1)]
    assert len(found.finished) == 2


def test_a_tournament_goes_on_only_with_the_seeds_it_was_begun_with(tmp_path: Path) -> None:
    def stop(desk: Desk, order: Order) -> Game:
        del desk, order
        raise Stopped

    for paired, advice in ((True, "set paired_seeds = true in the spec"),
                         (False, "take paired_seeds = true out of the spec")):  # fmt: skip
        folder = _folder(tmp_path, str(paired))
        with pytest.raises(Stopped):
            go(spec_of("a", "b", blocks=1, paired_seeds=paired), folder, Hall(stop))
        hall = Hall(honest)
        with pytest.raises(TournamentError, match=advice) as caught:
            go(spec_of("a", "b", blocks=1, paired_seeds=not paired), folder, hall)
        assert "begin a new one with --new" in str(caught.value)
        assert "\n" not in str(caught.value)
        assert not hall.orders
        found = go(spec_of("a", "b", blocks=1, paired_seeds=paired), folder, Hall(honest)).results
        assert found.header is not None
        assert found.header.paired_seeds == paired


def test_a_tournament_of_before_there_was_a_choice_goes_on_with_shared_seeds(
    tmp_path: Path,
) -> None:
    key = Key.fresh()
    old = {
        "kind": "tournament", "format": 1, "title": "t", "key_commitment": key.commitment,
        "rules_version": "1", "content_hash": "c0ffee", "entrants": ["a", "b"], "begun_ms": 1,
    }  # fmt: skip
    (tmp_path / "results.jsonl").write_bytes(msgspec.json.encode(old) + b"\n")
    (tmp_path / "key").write_text(key.text())
    with pytest.raises(TournamentError, match="begun with shared seeds: set paired_seeds = true"):
        go(spec_of("a", "b", blocks=1), tmp_path, Hall(honest))
    hall = Hall(honest)
    go(spec_of("a", "b", blocks=1, paired_seeds=True), tmp_path, hall)
    assert {order.seed for order in hall.orders} == {key.seed("a+b:0")}
    # Also when it has ended: other games of a solo field are none that could still be played.
    with pytest.raises(TournamentError, match="begun with shared seeds"):
        go(spec_of("a", "b", format="solo_field", blocks=1), tmp_path, Hall(honest))


def test_a_key_without_results_is_not_used_again(tmp_path: Path) -> None:
    # Whoever takes the results away begins anew; bots may remember what they saw.
    first, second = Hall(honest), Hall(honest)
    go(spec_of("a", "b", blocks=2), tmp_path, first)
    (tmp_path / "results.jsonl").unlink()
    go(spec_of("a", "b", blocks=2), tmp_path, second)
    seeds = [order.seed for order in (*first.orders, *second.orders)]
    assert len(set(seeds)) == len(seeds) == 8


def test_a_game_that_never_counts_ends_it_in_one_line(tmp_path: Path) -> None:
    def void(desk: Desk, order: Order) -> Game:
        return msgspec.structs.replace(honest(desk, order), outcome="void")

    with pytest.raises(TournamentError, match="could not be played in 7 attempts"):
        go(spec_of("a", "b", blocks=1), tmp_path, Hall(void))


def test_a_sequential_test_ends_early_and_says_so(tmp_path: Path) -> None:
    spec = spec_of("a", "b", format="sprt", blocks=500, sprt={"rating1": 100.0})
    found = go(spec, tmp_path, Hall(honest)).results
    assert found.ended is not None
    assert found.ended.verdict.startswith("a is better than b")
    assert len(found.finished) < 400


def test_an_ended_tournament_takes_no_more_games(tmp_path: Path) -> None:
    go(spec_of("a", "b", blocks=1), tmp_path, Hall(honest))
    assert go(spec_of("a", "b", blocks=1), tmp_path, Hall(honest)).results.ended
    with pytest.raises(TournamentError, match="its key is public"):
        go(spec_of("a", "b", blocks=2), tmp_path, Hall(honest))


def test_more_entrants_keep_what_was_played(tmp_path: Path) -> None:
    def stop(desk: Desk, order: Order) -> Game:
        if len(hall.orders) > 4:
            raise Stopped
        return honest(desk, order)

    hall = Hall(stop, [1])
    with pytest.raises(Stopped):
        go(spec_of("a", "b", blocks=3), tmp_path, hall)
    more = Hall(honest)
    found = go(spec_of("a", "b", "c", blocks=3), tmp_path, more).results
    assert len(more.orders) == 3 * 3 * 2 - 4
    assert len(found.finished) == 18


def test_a_lost_or_foreign_key_is_an_error(tmp_path: Path) -> None:
    go(spec_of("a", "b", blocks=1), tmp_path, Hall(honest))
    with pytest.raises(TournamentError, match="begun with another key"):
        go(spec_of("a", "b", blocks=1), tmp_path, Hall(honest), Key.fresh())
    (tmp_path / "key").unlink()
    with pytest.raises(TournamentError, match="is gone"):
        go(spec_of("a", "b", blocks=1), tmp_path, Hall(honest))
    (tmp_path / "key").write_text(Key.fresh().text())
    with pytest.raises(TournamentError, match="not the key that"):
        go(spec_of("a", "b", blocks=1), tmp_path, Hall(honest))


def test_other_rules_are_not_mixed_into_a_tournament(tmp_path: Path) -> None:
    spec = spec_of("a", "b", blocks=1)
    go(spec, tmp_path, Hall(honest))
    with Journal(tmp_path / "results.jsonl") as journal:
        world = schedule.World("2", WORLD.content_hash)
        key = open_key(tmp_path, journal)
        journal.results.ended = None
        with pytest.raises(TournamentError, match="begun with rules 1"):
            asyncio.run(Tournament(spec, world, key, journal, Hall(honest), Silent()).run())


@pytest.mark.parametrize(
    ("settings", "cores", "expected"),
    [
        ({}, 2, [1, 1]),
        ({}, 8, [1] * 8),
        ({"at_once": 5}, 2, [3, 2]),
        ({"at_once": 1}, 4, [1]),
        ({"workers": 1, "at_once": 64}, 2, [64]),
        ({"workers": 3}, 2, [1, 1]),
        # A worker that is kept to its cores gains nothing by those that nobody uses.
        ({"workers": 1}, 8, [1]),
        ({"workers": 3}, 8, [1, 1, 1]),
        ({"workers": 1, "limits": {"cores": 3}}, 8, [3]),
        ({"workers": 1, "limits": {"cores": 0}}, 8, [8]),
        ({"workers": 3, "limits": {"cores": 0}}, 8, [3, 3, 2]),
        ({"limits": {"cores": 0}}, 4, [1] * 4),
        ({"workers": 1, "at_once": 5}, 8, [5]),
    ],
)
def test_by_default_no_more_games_run_than_there_are_cores(
    settings: dict[str, Any], cores: int, expected: list[int]
) -> None:
    assert split(spec_of("a", "b", **settings), cores) == expected


def test_a_worker_has_cores_to_itself() -> None:
    mine = sorted(os.sched_getaffinity(0))
    assert portions(1) == [(core,) for core in mine]
    assert portions(len(mine)) == [tuple(mine)]
    assert portions(len(mine) + 1) == portions(0) == []
    assert split(spec_of("a", "b", limits={"cores": 2}), 5) == [2, 2]
    assert split(spec_of("a", "b", limits={"cores": 8}), 4) == [4]


def test_who_attaches_by_itself_finds_one_server() -> None:
    entrants = [{"name": "a"}, {"name": "b", "bot": "attach"}]
    assert split(spec_of("a", "b", entrant=entrants, at_once=6), 4) == [6]
    assert split(spec_of("a", "b", entrant=entrants), 8) == [1]
    assert split(spec_of("a", "b", entrant=entrants, limits={"cores": 4}), 8) == [4]
    assert split(spec_of("a", "b", entrant=entrants, limits={"cores": 0}), 8) == [8]


@pytest.mark.parametrize("available", range(1, 10))
@pytest.mark.parametrize("cores", range(5))
@pytest.mark.parametrize("workers", range(5))
def test_no_worker_has_more_games_than_its_cores_unless_it_is_asked_to(
    available: int, cores: int, workers: int
) -> None:
    sizes = split(spec_of("a", "b", workers=workers, limits={"cores": cores}), available)
    assert min(sizes) >= 1
    assert max(sizes) <= (cores or available)
    assert sum(sizes) <= available


def test_results_are_read_while_a_tournament_writes_them(tmp_path: Path) -> None:
    with Journal(tmp_path / "results.jsonl") as journal:
        spec = spec_of("a", "b", blocks=1)
        made = Tournament(spec, WORLD, open_key(tmp_path, journal), journal, Hall(honest), Silent())
        asyncio.run(made.run())
        assert results.read(tmp_path / "results.jsonl")[0].ended is not None
