"""Limits: on creating, listing and streams, never on play."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from endless_winter.engine.caller import Caller
from endless_winter.engine.creators import UNIX
from endless_winter.engine.refusal import Refusal
from endless_winter.engine.settings import Settings
from endless_winter.service.front import HEALTH
from endless_winter.service.limits import MOST_BUCKETS, Limits, RateLimit, peer_of
from endless_winter.store.memory import MemoryStore
from endless_winter.v1 import (
    game_pb2,
    game_service_pb2,
    play_service_pb2,
    rejection_pb2,
    replay_service_pb2,
    replay_service_pb2_grpc,
)
from tests.engine.desk import Desk
from tests.service.hosting import OPERATOR, hosted, operator, reason_of
from tests.service.inside import inside
from tests.service.player import Client, Stream, play_stream, play_unary, secret

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ANN = Caller(b"ann", False)
BOB = Caller(b"bob", False)
NOBODY = Caller(b"", False)
HOST = Caller(b"host", True)


class Clock:
    def __init__(self) -> None:
        self.ms = 0

    def __call__(self) -> int:
        return self.ms


def at(peer: str, caller: Caller) -> Caller:
    """A caller from an address."""
    return caller._replace(peer=peer)


@contextmanager
def stream(limits: Limits, caller: Caller, peer: str) -> Iterator[None]:
    """A stream while it is open."""
    keys = limits.enter("streams", at(peer, caller))
    yield
    limits.leave(keys)


def test_a_bucket_gives_its_burst_at_once_and_then_its_rate() -> None:
    clock = Clock()
    rate = RateLimit(60, 3, clock)
    for _ in range(3):
        assert rate.wait_ms("a") == 0
        rate.take("a")
    assert rate.wait_ms("a") == 1000
    assert rate.wait_ms("b") == 0
    clock.ms = 999
    assert rate.wait_ms("a") == 1
    clock.ms = 1000
    assert rate.wait_ms("a") == 0
    clock.ms = 10**9
    for _ in range(3):
        assert rate.wait_ms("a") == 0
        rate.take("a")
    assert rate.wait_ms("a")


def test_buckets_take_bounded_memory() -> None:
    clock = Clock()
    rate = RateLimit(60, 2, clock)
    for number in range(2 * MOST_BUCKETS):
        clock.ms += number % 2
        rate.take(str(number))
    assert len(rate) <= MOST_BUCKETS


def test_the_clients_of_one_address_have_a_limit_together() -> None:
    settings = Settings(creates_per_minute=1, create_burst=1, clients_per_peer=2)
    limits = Limits(settings, Clock())
    limits.charge("games", at("here", ANN))
    with pytest.raises(Refusal) as refused:
        limits.charge("games", at("here", ANN))
    assert refused.value.name == "LIMIT_REACHED"
    assert refused.value.retry_after_ms == 60_000
    limits.charge("games", at("here", BOB))
    with pytest.raises(Refusal):
        limits.charge("games", at("here", Caller(b"eve", False)))
    limits.charge("games", at("elsewhere", Caller(b"eve", False)))
    for _ in range(5):
        limits.charge("games", at("here", HOST))


def test_a_refused_call_costs_nothing() -> None:
    clock = Clock()
    limits = Limits(Settings(lists_per_minute=1, list_burst=1, clients_per_peer=2), clock)
    limits.charge("lists", at("here", NOBODY))
    for _ in range(10):
        with pytest.raises(Refusal):
            limits.charge("lists", at("here", NOBODY))
    clock.ms = 60_000
    limits.charge("lists", at("here", NOBODY))


def test_zero_means_no_limit() -> None:
    limits = Limits(Settings(creates_per_minute=0, create_burst=1), Clock())
    for _ in range(100):
        limits.charge("games", at("here", ANN))
    limits = Limits(Settings(creates_per_minute=1, create_burst=1, clients_per_peer=0), Clock())
    for number in range(100):
        limits.charge("games", at("here", Caller(bytes([number, 1]), False)))


def test_streams_are_counted_while_they_are_open() -> None:
    limits = Limits(Settings(streams_per_client=1, clients_per_peer=2), Clock())
    with stream(limits, ANN, "here"):
        assert limits.streams == 1
        with pytest.raises(Refusal), stream(limits, ANN, "here"):
            pass
        with stream(limits, BOB, "here"):
            with pytest.raises(Refusal), stream(limits, Caller(b"eve", False), "here"):
                pass
            with stream(limits, HOST, "here"):
                pass
    with stream(limits, ANN, "here"):
        pass
    assert limits.streams == 0


def test_waits_are_counted_while_they_last() -> None:
    limits = Limits(Settings(waits_per_client=1, clients_per_peer=2), Clock())
    keys = limits.enter("waits", at("here", ANN))
    assert keys
    assert not limits.enter("waits", at("here", ANN))
    assert limits.enter("waits", at("here", BOB))
    assert not limits.enter("waits", at("here", Caller(b"eve", False)))
    assert limits.enter("waits", at("elsewhere", Caller(b"eve", False)))
    assert limits.enter("waits", at("here", HOST))
    limits.leave(())  # one that was not counted takes nothing off
    assert not limits.enter("waits", at("here", ANN))
    limits.leave(keys)
    limits = Limits(Settings(waits_per_client=1), Clock())
    limits.leave(limits.enter("waits", at("here", ANN)))
    assert limits.enter("waits", at("here", ANN))


async def left_waiting(calls: set[asyncio.Future[Any]], count: int) -> set[asyncio.Future[Any]]:
    """Those that wait when all others have been answered."""
    while len(calls) > count:
        done, calls = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        for one in done:
            one.result()
    return calls


async def test_a_long_poll_too_many_is_answered_at_once_and_never_refused() -> None:
    async with inside(MemoryStore(), waits_per_client=2) as server:
        ann, bob = server.client("ann"), server.client("bob")
        game = await ann.create(2)
        seat = await ann.join(game.game_id)
        seq = (await ann.view(game.game_id, seat)).seq
        owing = play_service_pb2.ListMySeatsRequest(only_owing=True, wait_ms=60_000)
        waits: set[asyncio.Future[Any]] = set()
        for _ in range(10):
            view = ann.view(game.game_id, seat, after_seq=seq, wait_ms=60_000)
            listed = ann.play.ListMySeats(owing, metadata=ann.metadata)
            waits |= {asyncio.ensure_future(view), asyncio.ensure_future(listed)}
        waits = await left_waiting(waits, 2)
        # Another client has its own, and what does not wait is never in question.
        other = asyncio.ensure_future(bob.play.ListMySeats(owing, metadata=bob.metadata))
        assert (await ann.view(game.game_id, seat)).seq == seq
        assert not any(one.done() for one in (*waits, other))
        await bob.join(game.game_id)
        await asyncio.wait_for(asyncio.gather(*waits, other), 30)
        # They are over, so that there is room again.
        again: set[asyncio.Future[Any]] = {
            asyncio.ensure_future(ann.view(game.game_id, seat, after_seq=99, wait_ms=60_000))
            for _ in range(3)
        }
        for one in await left_waiting(again, 2):
            one.cancel()


def test_the_refusal_of_a_stream_too_many_says_whose_limit_it_is() -> None:
    limits = Limits(Settings(streams_per_client=2, clients_per_peer=2), Clock())
    with stream(limits, ANN, "here"), stream(limits, ANN, "here"):
        with pytest.raises(Refusal) as refused:
            limits.enter("streams", at("here", ANN))
        assert refused.value.message == "a client has at most 2 streams at a time"
        with stream(limits, BOB, "here"), stream(limits, BOB, "here"):
            with pytest.raises(Refusal) as refused:
                limits.enter("streams", at("here", Caller(b"eve", False)))
            message = refused.value.message
            assert message == "all clients of one network address have at most 4 streams at a time"


def test_a_peer_counts_under_its_address_and_one_with_ipv6_under_its_network() -> None:
    assert peer_of("ipv4:10.0.0.1:5678") == "10.0.0.1"
    assert peer_of("ipv6:%5B::ffff:10.0.0.1%5D:5678") == "10.0.0.1"
    one = peer_of("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:5678")
    assert one == peer_of("ipv6:[2001:db8:1:2:ffff::9]:1") == "2001:db8:1:2::/64"
    assert peer_of("ipv6:%5B2001:db8:1:3::1%5D:5678") != one
    assert peer_of("ipv6:%5Bfe80::1%25eth0%5D:5678") == "fe80::/64"
    assert peer_of("unix:") == peer_of("unix:/run/ew.sock") == peer_of("unix-abstract:x") == UNIX
    assert peer_of("whatever") == "whatever"


def test_an_address_has_so_many_calls_under_way_and_health_is_counted_apart() -> None:
    refusals: list[tuple[str, str]] = []
    limits = Limits(Settings(calls_per_address=2), Clock(), lambda *of: refusals.append(of))
    for _ in range(2):
        limits.begin("here")
        limits.begin("here" + HEALTH)
    limits.begin("elsewhere")
    with pytest.raises(Refusal) as refused:
        limits.begin("here")
    assert refused.value.name == "LIMIT_REACHED"
    assert refused.value.retry_after_ms
    assert limits.under_way == 5
    limits.begin("here", lambda: True)  # an operator
    limits.end("here")
    limits.end("here")
    limits.begin("here")
    for _ in range(10):
        limits.begin(UNIX)  # files have owners
    assert refusals == [("calls", "here")]
    for number in range(2000):
        Limits(Settings(calls_per_address=0), Clock()).begin(str(number % 2))


def test_streams_and_long_polls_never_take_all_places_of_a_connection() -> None:
    limits = Limits(Settings(calls_per_connection=12), Clock())  # six of them
    streams = [limits.enter("streams", at("here", ANN), "here:1") for _ in range(4)]
    waits = [limits.enter("waits", at("here", BOB), "here:1") for _ in range(2)]
    assert all(waits)
    assert not limits.enter("waits", at("here", ANN), "here:1")
    for who in (ANN, HOST):
        with pytest.raises(Refusal, match="6 streams and long polls") as refused:
            limits.enter("streams", at("here", who), "here:1")
        assert refused.value.retry_after_ms
    limits.leave(limits.enter("streams", at("here", ANN), "here:2"))
    limits.leave(waits[0])
    assert limits.enter("waits", at("here", ANN), "here:1")
    for keys in streams:
        limits.leave(keys)
    # By a Unix socket all have the same name, and each client counts as one connection.
    for _ in range(6):
        assert limits.enter("waits", at(UNIX, ANN), "unix:")
    assert not limits.enter("waits", at(UNIX, ANN), "unix:")
    assert limits.enter("waits", at(UNIX, BOB), "unix:")


async def refused(call: object) -> tuple[str, dict[str, str]]:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call  # type: ignore[misc]
    assert error.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    return reason_of(error.value)


async def test_creating_and_listing_too_quickly_is_refused_with_the_time_to_wait(
    tmp_path: Path,
) -> None:
    flags = ("--creates-per-minute", "1", "--create-burst", "2")
    more = ("--lists-per-minute", "1", "--list-burst", "1", "--operator-token", OPERATOR)
    with hosted(tmp_path, *flags, *more) as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "bob") as bob:
            game = await ann.create(2)
            await ann.create(2)
            reason, words = await refused(ann.create(2))
            assert reason == "LIMIT_REACHED"
            assert 0 < int(words["retry_after_ms"]) <= 60_000
            await bob.create(2)
            lists = game_service_pb2.ListGamesRequest()
            await ann.games.ListGames(lists, metadata=ann.metadata)
            reason, _ = await refused(ann.games.ListGames(lists, metadata=ann.metadata))
            assert reason == "LIMIT_REACHED"
            for _ in range(3):
                await ann.games.ListGames(lists, metadata=operator(*ann.metadata))
            # Play goes on, however many calls it takes: what a client owes is no list.
            for _ in range(5):
                mine = play_service_pb2.ListMySeatsRequest()
                await ann.play.ListMySeats(mine, metadata=ann.metadata)
            one, two = await ann.join(game.game_id), await bob.join(game.game_id)
            played, _ = await asyncio.gather(
                play_unary(ann, game.game_id, one, 1), play_unary(bob, game.game_id, two, 1)
            )
            assert played.status == game_pb2.GAME_STATUS_ENDED


async def test_joining_and_leaving_again_and_again_is_limited_and_giving_up_a_game_is_not() -> None:
    """Before the start each is an entry of the log; later a seat can be given up only once."""
    desk = Desk()
    waiting, running = desk.seated(), [desk.running() for _ in range(3)]
    async with inside(desk.store, creates_per_minute=1, create_burst=2) as server:
        player = server.client("player 0")

        async def leave(game_id: str) -> game_pb2.GameInfo:
            request = game_service_pb2.LeaveGameRequest(game_id=game_id, seat=0)
            left = await player.games.LeaveGame(request, metadata=player.metadata)
            found: game_pb2.GameInfo = left.game
            return found

        for _ in range(2):
            await leave(waiting.game_id)
            await player.join(waiting.game_id, 0)
        assert (await refused(leave(waiting.game_id)))[0] == "LIMIT_REACHED"
        for game in running:
            assert (await leave(game.game_id)).seats[0].forfeited


async def test_a_creator_has_so_many_unfinished_games_also_after_a_restart() -> None:
    store = MemoryStore()
    async with inside(store, games_per_creator=2) as server:
        ann, bob = server.client("ann"), server.client("bob")
        game = await ann.create(2)
        await ann.create(2)
        reason, _ = await refused(ann.create(2))
        assert reason == "LIMIT_REACHED"
        await bob.create(2)
    async with inside(store, games_per_creator=2) as server:
        ann = server.client("ann")
        reason, _ = await refused(ann.create(2))
        assert reason == "LIMIT_REACHED"
        abort = game_service_pb2.AbortGameRequest(game_id=game.game_id)
        await ann.games.AbortGame(abort, metadata=ann.metadata)
        await ann.create(2)


async def test_new_secrets_do_not_create_without_end() -> None:
    async with inside(MemoryStore(), games_per_creator=1, clients_per_peer=2) as server:
        ann = server.client("ann")
        game = await ann.create(2)
        ann.metadata = secret("bob")
        await ann.create(2)
        ann.metadata = secret("cat")
        reason, _ = await refused(ann.create(2))
        assert reason == "LIMIT_REACHED"
        abort = game_service_pb2.AbortGameRequest(game_id=game.game_id)
        await ann.games.AbortGame(abort, metadata=secret("ann"))
        await ann.create(2)


async def test_a_stream_too_many_is_refused_and_the_others_play_on() -> None:
    async with inside(MemoryStore(), streams_per_client=2) as server:
        ann, bob = server.client("ann"), server.client("bob")
        game = await ann.create(2)
        one, two = await ann.join(game.game_id), await bob.join(game.game_id)
        watching = ann.play.Watch(
            play_service_pb2.WatchRequest(game_id=game.game_id), metadata=ann.metadata
        )
        await watching.read()
        idle = Stream(ann)
        assert (await anext(idle.reports())).HasField("welcome")
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await anext(Stream(ann).reports())
        assert reason_of(error.value)[0] == "LIMIT_REACHED"
        idle.close()
        assert [report async for report in idle.reports()] == []
        ended, _ = await asyncio.gather(
            play_stream(ann, [(game.game_id, one)], 1),
            play_stream(bob, [(game.game_id, two)], 1),
        )
        assert len(ended) == 1


async def test_every_stream_too_many_learns_why() -> None:
    """A refusal must not overtake the first message: the client would see its write fail."""

    async def refused_stream(client: Client) -> str:
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await anext(Stream(client).reports())
        return reason_of(error.value)[0]

    async with inside(MemoryStore(), streams_per_client=1) as server:
        ann = server.client("ann")
        idle = Stream(ann)
        assert (await anext(idle.reports())).HasField("welcome")
        for _ in range(10):
            reasons = await asyncio.gather(*(refused_stream(ann) for _ in range(20)))
            assert set(reasons) == {"LIMIT_REACHED"}
        silent = ann.play.Play(metadata=ann.metadata)
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await silent.read()
        assert reason_of(error.value)[0] == "LIMIT_REACHED"
        idle.cut()


async def test_attachments_have_their_limit() -> None:
    async with inside(MemoryStore(), attachments_per_stream=1) as server:
        ann = server.client("ann")
        games = [await ann.create(2), await ann.create(2)]
        stream = Stream(ann)
        for game in games:
            attach = play_service_pb2.Attach()
            stream.send(play_service_pb2.PlayCommand(game_id=game.game_id, attach=attach))
        async for report in stream.reports():
            if report.HasField("rejection"):
                break
        assert report.rejection.reason == rejection_pb2.REJECTION_REASON_LIMIT_REACHED
        assert report.game_id == games[1].game_id
        stream.cut()


async def test_pages_and_messages_have_their_size() -> None:
    async with inside(MemoryStore(), page_size=2, message_bytes=65_536) as server:
        ann = server.client("ann")
        for _ in range(3):
            await ann.create(2)
        wanted = game_service_pb2.ListGamesRequest(page_size=1000)
        page = await ann.games.ListGames(wanted, metadata=ann.metadata)
        assert len(page.games) == 2
        assert page.next_page_token
        for size in (70_000, 1 << 20):  # a little and far too large
            huge = game_service_pb2.CreateGameRequest(request_id="x" * size)
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await ann.games.CreateGame(huge, metadata=ann.metadata)
            assert error.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
            assert str(65536) in (error.value.details() or "") or size == 1 << 20


async def test_creating_and_seeds_can_be_reserved_to_operators(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text(f"{OPERATOR}\n")
    flags = ("--operators-create", "--operator-token-file", "tokens")
    with hosted(tmp_path, *flags) as server:
        async with Client(server.address, "ann") as ann:
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await ann.create(2)
            assert reason_of(error.value)[0] == "NOT_ALLOWED"
            ann.metadata = operator(*ann.metadata)
            await ann.create(2)
            ann.metadata = (("ew-operator-token", OPERATOR + "x"), *ann.metadata[1:])
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await ann.create(2)
            assert reason_of(error.value)[0] == "NOT_ALLOWED"
    flags = ("--operators-seed", "--operator-token", OPERATOR)
    with hosted(tmp_path, *flags) as server:
        async with Client(server.address, "ann") as ann:
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await ann.create(2, seed=bytes(32))
            assert reason_of(error.value)[0] == "NOT_ALLOWED"
            await ann.create(2, seed=b"")
            ann.metadata = operator(*ann.metadata)
            await ann.create(2, seed=bytes(32))


async def test_a_stream_that_is_refused_takes_no_place() -> None:
    desk = Desk()
    game = desk.running()
    async with inside(desk.store, lists_per_minute=1, list_burst=1) as server:
        stub: Any = replay_service_pb2_grpc.ReplayServiceStub(server.client("ann").channel)
        request = replay_service_pb2.StreamReplayRequest(game_id=game.game_id)
        assert [part async for part in stub.StreamReplay(request)]
        for _ in range(3):
            assert (await refused(anext(aiter(stub.StreamReplay(request)))))[0] == "LIMIT_REACHED"
        assert server.host.limits.streams == 0
