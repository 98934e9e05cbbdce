"""Limits: on creating, listing and streams, never on play."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from endless_winter.service.creators import Creators
from endless_winter.service.front import HEALTH
from endless_winter.service.games import GameServicer
from endless_winter.service.identity import Caller
from endless_winter.service.limits import MOST_BUCKETS, UNIX, Buckets, Limits, peer_of
from endless_winter.service.refusal import Refusal
from endless_winter.service.settings import Settings
from endless_winter.store import Query, StoreError
from endless_winter.v1 import game_pb2, game_service_pb2, play_service_pb2
from tests.service.desk import Context, caller, config, desk
from tests.service.hosting import OPERATOR, hosted, operator, reason_of
from tests.service.player import Client, Stream, play_stream, play_unary, secret

if TYPE_CHECKING:
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


def test_a_bucket_gives_its_burst_at_once_and_then_its_rate() -> None:
    clock = Clock()
    buckets = Buckets(60, 3, clock)
    for _ in range(3):
        assert buckets.wait_ms("a") == 0
        buckets.take("a")
    assert buckets.wait_ms("a") == 1000
    assert buckets.wait_ms("b") == 0
    clock.ms = 999
    assert buckets.wait_ms("a") == 1
    clock.ms = 1000
    assert buckets.wait_ms("a") == 0
    clock.ms = 10**9
    for _ in range(3):
        assert buckets.wait_ms("a") == 0
        buckets.take("a")
    assert buckets.wait_ms("a")


def test_buckets_take_bounded_memory() -> None:
    clock = Clock()
    buckets = Buckets(60, 2, clock)
    for number in range(2 * MOST_BUCKETS):
        clock.ms += number % 2
        buckets.take(str(number))
    assert len(buckets) <= MOST_BUCKETS


def test_the_clients_of_one_address_have_a_limit_together() -> None:
    settings = Settings(creates_per_minute=1, create_burst=1, clients_per_peer=2)
    limits = Limits(settings, Clock())
    limits.create(ANN, "here")
    with pytest.raises(Refusal) as refused:
        limits.create(ANN, "here")
    assert refused.value.name == "LIMIT_REACHED"
    assert refused.value.retry_after_ms == 60_000
    limits.create(BOB, "here")
    with pytest.raises(Refusal):
        limits.create(Caller(b"eve", False), "here")
    limits.create(Caller(b"eve", False), "elsewhere")
    for _ in range(5):
        limits.create(HOST, "here")


def test_a_refused_call_costs_nothing() -> None:
    clock = Clock()
    limits = Limits(Settings(lists_per_minute=1, list_burst=1, clients_per_peer=2), clock)
    limits.list_(NOBODY, "here")
    for _ in range(10):
        with pytest.raises(Refusal):
            limits.list_(NOBODY, "here")
    clock.ms = 60_000
    limits.list_(NOBODY, "here")


def test_zero_means_no_limit() -> None:
    limits = Limits(Settings(creates_per_minute=0, create_burst=1), Clock())
    for _ in range(100):
        limits.create(ANN, "here")
    limits = Limits(Settings(creates_per_minute=1, create_burst=1, clients_per_peer=0), Clock())
    for number in range(100):
        limits.create(Caller(bytes([number, 1]), False), "here")


def test_streams_are_counted_while_they_are_open() -> None:
    limits = Limits(Settings(streams_per_client=1, clients_per_peer=2), Clock())
    with limits.stream(ANN, "here"):
        assert limits.streams == 1
        with pytest.raises(Refusal), limits.stream(ANN, "here"):
            pass
        with limits.stream(BOB, "here"):
            with pytest.raises(Refusal), limits.stream(Caller(b"eve", False), "here"):
                pass
            with limits.stream(HOST, "here"):
                pass
    with limits.stream(ANN, "here"):
        pass
    assert limits.streams == 0
    assert not limits._streams


def test_waits_are_counted_while_they_last() -> None:
    limits = Limits(Settings(waits_per_client=1, clients_per_peer=2), Clock())
    keys = limits.wait(ANN, "here")
    assert keys
    assert not limits.wait(ANN, "here")
    assert limits.wait(BOB, "here")
    assert not limits.wait(Caller(b"eve", False), "here")
    assert limits.wait(Caller(b"eve", False), "elsewhere")
    assert limits.wait(HOST, "here")
    limits.waited(())  # one that was not counted takes nothing off
    assert not limits.wait(ANN, "here")
    limits.waited(keys)
    limits = Limits(Settings(waits_per_client=1), Clock())
    limits.waited(limits.wait(ANN, "here"))
    assert limits.wait(ANN, "here")


async def left_waiting(calls: set[asyncio.Future[Any]], count: int) -> set[asyncio.Future[Any]]:
    """Those that wait when all others have been answered."""
    while len(calls) > count:
        done, calls = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        for one in done:
            one.result()
    return calls


async def test_a_long_poll_too_many_is_answered_at_once_and_never_refused(tmp_path: Path) -> None:
    with hosted(tmp_path, "--waits-per-client", "2") as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "bob") as bob:
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


def test_a_stream_too_many_is_told_whose_limit_it_is() -> None:
    limits = Limits(Settings(streams_per_client=2, clients_per_peer=2), Clock())
    with limits.stream(ANN, "here"), limits.stream(ANN, "here"):
        with pytest.raises(Refusal) as refused:
            limits.enter(ANN, "here")
        assert refused.value.message == "a client has at most 2 streams at a time"
        with limits.stream(BOB, "here"), limits.stream(BOB, "here"):
            with pytest.raises(Refusal) as refused:
                limits.enter(Caller(b"eve", False), "here")
            told = refused.value.message
            assert told == "all clients of one network address have at most 4 streams at a time"


def test_the_creators_of_one_address_have_so_many_unfinished_games_together() -> None:
    creators = Creators(Settings(games_per_creator=2, clients_per_peer=2))
    here = [Caller(bytes([number]), False, "here") for number in range(1, 6)]
    assert creators.enter("a", here[0])
    assert creators.enter("b", here[0])
    with pytest.raises(Refusal) as refused:
        creators.enter("c", here[0])
    assert refused.value.name == "LIMIT_REACHED"
    assert refused.value.message == "a creator has at most 2 unfinished games"
    assert creators.enter("c", here[1])
    assert creators.enter("d", here[2])
    with pytest.raises(Refusal) as refused:
        creators.enter("e", here[3])
    told = refused.value.message
    assert told == "all creators of one network address have at most 4 unfinished games"
    assert creators.enter("e", here[3]._replace(peer="elsewhere"))
    assert creators.enter("f", here[3]._replace(operator=True))
    creators.leave("d")
    assert creators.enter("d", here[4])
    for game_id in "abcdef":
        creators.leave(game_id)
        creators.leave(game_id)
    assert len(creators) == 0


def test_a_game_of_before_the_start_counts_for_its_creator_alone() -> None:
    creators = Creators(Settings(games_per_creator=1, clients_per_peer=1))
    creators.found("a", ANN.holder)
    assert not creators.enter("a", BOB._replace(peer="here"))
    with pytest.raises(Refusal):
        creators.enter("b", ANN._replace(peer="here"))
    assert creators.enter("b", BOB._replace(peer="here"))
    with pytest.raises(Refusal):
        creators.enter("c", Caller(b"eve", False, "here"))


def test_behind_a_proxy_the_addresses_of_creators_are_not_looked_at() -> None:
    creators = Creators(Settings(games_per_creator=1, clients_per_peer=0))
    for number in range(100):
        assert creators.enter(str(number), Caller(bytes([number, 1]), False, "here"))


async def test_games_that_are_created_at_the_same_time_all_count(tmp_path: Path) -> None:
    async with desk(tmp_path, games_per_creator=3, clients_per_peer=2) as at:
        wanted = game_service_pb2.CreateGameRequest(config=config(2))
        given_up = asyncio.create_task(at.hall.create(caller("host"), wanted))
        tasks = [at.hall.create(caller("host"), wanted) for _ in range(9)]
        asyncio.get_running_loop().call_soon(given_up.cancel)
        done = await asyncio.gather(given_up, *tasks, return_exceptions=True)
        assert sum(isinstance(one, Refusal) for one in done) == 7
        page = await at.hall.store.list_games(Query(everything=True))
        assert 2 <= len(page.games) <= 3


async def test_a_game_that_could_not_be_created_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(tmp_path, games_per_creator=1) as at:
        wanted = game_service_pb2.CreateGameRequest(config=config(2))

        async def create_game(*_: object, **__: object) -> None:
            raise StoreError("no room")

        with monkeypatch.context() as broken:
            broken.setattr(at.hall.store, "create_game", create_game)
            for _ in range(3):
                with pytest.raises(Refusal) as refused:
                    await at.hall.create(caller("host"), wanted)
                assert refused.value.name == "STORE_UNAVAILABLE"
        await at.hall.create(caller("host"), wanted)


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
    told: list[tuple[str, str]] = []
    limits = Limits(Settings(calls_per_address=2), Clock(), lambda *of: told.append(of))
    for _ in range(2):
        limits.begin("here")
        limits.begin("here" + HEALTH)
    limits.begin("elsewhere")
    with pytest.raises(Refusal) as refused:
        limits.begin("here")
    assert refused.value.name == "LIMIT_REACHED"
    assert refused.value.retry_after_ms
    assert limits.calls("here") == 2
    limits.begin("here", lambda: True)  # an operator
    limits.end("here")
    limits.end("here")
    limits.begin("here")
    for _ in range(10):
        limits.begin(UNIX)  # files have owners
    assert told == [("calls", "here")]
    for number in range(2000):
        Limits(Settings(calls_per_address=0), Clock()).begin(str(number % 2))


def test_streams_and_long_polls_never_take_all_places_of_a_connection() -> None:
    limits = Limits(Settings(calls_per_connection=12), Clock())  # six of them
    streams = [limits.enter(ANN, "here", "here:1") for _ in range(4)]
    waits = [limits.wait(BOB, "here", "here:1") for _ in range(2)]
    assert all(waits)
    assert not limits.wait(ANN, "here", "here:1")
    for who in (ANN, HOST):
        with pytest.raises(Refusal, match="6 streams and long polls") as refused:
            limits.enter(who, "here", "here:1")
        assert refused.value.retry_after_ms
    limits.leave(limits.enter(ANN, "here", "here:2"))
    limits.waited(waits[0])
    assert limits.wait(ANN, "here", "here:1")
    for keys in streams:
        limits.leave(keys)
    # By a Unix socket all have the same name, and each client counts as one connection.
    for _ in range(6):
        assert limits.wait(ANN, UNIX, "unix:")
    assert not limits.wait(ANN, UNIX, "unix:")
    assert limits.wait(BOB, UNIX, "unix:")


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


async def test_joining_and_leaving_again_and_again_is_limited_and_giving_up_a_game_is_not(
    tmp_path: Path,
) -> None:
    """Before the start each is an entry of the log; later a seat can be given up only once."""
    async with desk(tmp_path, creates_per_minute=1, create_burst=2) as at:
        games = GameServicer(at.hall)
        open_game = await at.seated(2)
        running = [await at.running(2) for _ in range(3)]
        player: Any = Context("player 0")
        leave = game_service_pb2.LeaveGameRequest(game_id=open_game.table.game_id, seat=0)
        for _ in range(2):
            await games.LeaveGame(leave, player)
            await open_game.take_seat(0, caller("player 0").holder, "player 0")
        with pytest.raises(AssertionError, match="seats are given up too quickly"):
            await games.LeaveGame(leave, player)
        for session in running:
            give_up = game_service_pb2.LeaveGameRequest(game_id=session.table.game_id, seat=0)
            await games.LeaveGame(give_up, player)
            assert session.table.seats[0].forfeited


async def test_a_creator_has_so_many_unfinished_games_also_after_a_restart(tmp_path: Path) -> None:
    flags = ("--games-per-creator", "2", "--operator-token", OPERATOR)
    with hosted(tmp_path, *flags) as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "bob") as bob:
            game = await ann.create(2)
            await ann.create(2)
            reason, _ = await refused(ann.create(2))
            assert reason == "LIMIT_REACHED"
            await bob.create(2)
            assert server.stop() == 0
    with hosted(tmp_path, *flags) as server:
        async with Client(server.address, "ann") as ann:
            reason, _ = await refused(ann.create(2))
            assert reason == "LIMIT_REACHED"
            abort = game_service_pb2.AbortGameRequest(game_id=game.game_id)
            await ann.games.AbortGame(abort, metadata=ann.metadata)
            await ann.create(2)


async def test_new_secrets_do_not_create_without_end(tmp_path: Path) -> None:
    flags = ("--games-per-creator", "1", "--clients-per-peer", "2")
    with hosted(tmp_path, *flags) as server:
        async with Client(server.address, "ann") as ann:
            game = await ann.create(2)
            ann.metadata = secret("bob")
            await ann.create(2)
            ann.metadata = secret("cat")
            reason, _ = await refused(ann.create(2))
            assert reason == "LIMIT_REACHED"
            abort = game_service_pb2.AbortGameRequest(game_id=game.game_id)
            await ann.games.AbortGame(abort, metadata=secret("ann"))
            await ann.create(2)


async def test_a_stream_too_many_is_refused_and_the_others_play_on(tmp_path: Path) -> None:
    with hosted(tmp_path, "--streams-per-client", "2") as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "bob") as bob:
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


async def test_every_stream_too_many_learns_why(tmp_path: Path) -> None:
    """A refusal must not overtake the first message: the client would see its write fail."""

    async def refused_stream(client: Client) -> str:
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await anext(Stream(client).reports())
        return reason_of(error.value)[0]

    with hosted(tmp_path, "--streams-per-client", "1") as server:
        async with Client(server.address, "ann") as ann:
            idle = Stream(ann)
            assert (await anext(idle.reports())).HasField("welcome")
            for _ in range(10):
                told = await asyncio.gather(*(refused_stream(ann) for _ in range(20)))
                assert set(told) == {"LIMIT_REACHED"}
            silent = ann.play.Play(metadata=ann.metadata)
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await silent.read()
            assert reason_of(error.value)[0] == "LIMIT_REACHED"
            idle.cut()


async def test_attachments_have_their_limit(tmp_path: Path) -> None:
    with hosted(tmp_path, "--attachments-per-stream", "1") as server:
        async with Client(server.address, "ann") as ann:
            games = [await ann.create(2), await ann.create(2)]
            stream = Stream(ann)
            for game in games:
                attach = play_service_pb2.Attach()
                stream.send(play_service_pb2.PlayCommand(game_id=game.game_id, attach=attach))
            async for report in stream.reports():
                if report.HasField("rejection"):
                    break
            assert report.rejection.reason == 28
            assert report.game_id == games[1].game_id
            stream.cut()


async def test_pages_and_messages_have_their_size(tmp_path: Path) -> None:
    flags = ("--page-size", "2", "--message-bytes", "65536")
    with hosted(tmp_path, *flags) as server:
        async with Client(server.address, "ann") as ann:
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
