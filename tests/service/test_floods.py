"""One connection, or one address, cannot hurt others: each flood in a small form.

Floods come from 127.0.0.2 by frames of our own (`bench/raw.py`), everybody else from 127.0.0.1.
What is asserted are counts: calls under way, refusals, memory, clocks.
`python -m bench serve --only attack` prints the waits.
"""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from bench import raw
from bench.attack import ATTACKS
from bench.bystanders import Bystanders
from bench.counting import resident
from bench.serve import serve
from endless_winter.cli.process import COMMAND, running
from endless_winter.engine.settings import Settings
from endless_winter.service.limits import lasting_per_connection
from endless_winter.service.server import FEWEST_CONNECTIONS
from endless_winter.v1 import (
    catalog_service_pb2,
    catalog_service_pb2_grpc,
    play_service_pb2,
    replay_service_pb2,
    replay_service_pb2_grpc,
)
from tests.service.hosting import hosted, log_lines
from tests.service.player import Client, Stream, secret
from tests.service.test_limits import left_waiting
from tests.service.test_metrics import metrics_address, scraped
from tests.service.wire import PATIENCE, refused

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from endless_winter.cli.process import Server

p = play_service_pb2
FLOOD = "127.0.0.2"
INFO = raw.headers("/endless_winter.v1.CatalogService/GetServerInfo")
CATALOG = raw.headers("/endless_winter.v1.CatalogService/GetCatalog")
SUBMIT = raw.headers("/endless_winter.v1.PlayService/SubmitMove", secret("flood"))
WAITING = p.ListMySeatsRequest(only_owing=True, wait_ms=60_000)
WAIT = raw.headers("/endless_winter.v1.PlayService/ListMySeats", secret("flood"))
METRICS = ("--metrics", "127.0.0.1:0")
MB = 1_000_000
PATIENT_MS = 5_000  # for a decision: this process is the flood too, and may be slow itself


@asynccontextmanager
async def flooding(server: Server, **how: Any) -> AsyncIterator[raw.Connection]:
    connection = await raw.Connection.open(server.address, FLOOD, **how)
    try:
        yield connection
    finally:
        await connection.close()


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await asyncio.to_thread(holds):  # noqa: ASYNC110 # in another process
            await asyncio.sleep(0.02)


def under_way(folder: Path) -> int:
    return int(scraped(metrics_address(folder))["ew_calls_under_way", ()])


async def test_thousands_of_calls_on_one_connection_make_nobody_late(tmp_path: Path) -> None:
    """Without the limit all are taken: 15 s of waiting, 16 kB each, and clocks that run out."""
    with hosted(tmp_path) as server:
        others = Bystanders(server.address, decision_ms=PATIENT_MS)
        before = resident(server.process.pid)
        async with flooding(server) as flood:
            playing = asyncio.create_task(others.run(PATIENCE, games=1, answers=20))
            begun = await flood.flood(INFO, b"", 60, most=5000, count=5000)
            found = await playing
        assert flood.most == Settings().calls_per_connection
        assert begun == flood.ended.total()
        assert flood.ended["reset"] > begun * 0.8
        assert resident(server.process.pid) - before < 50 * MB
        assert found["answers"] > 0
        assert (found["expired"], found["forfeits"], found["failed"]) == (0, 0, 0)


async def test_an_address_has_so_many_calls_under_way_of_whatever_kind(tmp_path: Path) -> None:
    with hosted(tmp_path, "--calls-per-address", "5", *METRICS) as server:
        async with Client(server.address, "ann") as ann, flooding(server) as flood:
            polls = [
                asyncio.ensure_future(ann.play.ListMySeats(WAITING, metadata=ann.metadata))
                for _ in range(5)
            ]
            await until(lambda: under_way(tmp_path) == 5)
            catalogs: Any = catalog_service_pb2_grpc.CatalogServiceStub(ann.channel)
            replays: Any = replay_service_pb2_grpc.ReplayServiceStub(ann.channel)
            channel: Any = ann.channel  # its types know only the other kind
            reflected: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
            asked = reflection_pb2.ServerReflectionRequest(list_services="")
            for call in (
                ann.create(2),
                ann.view("game"),
                anext(Stream(ann).reports()),
                catalogs.GetServerInfo(catalog_service_pb2.GetServerInfoRequest()),
                replays.GetFrame(replay_service_pb2.GetFrameRequest(game_id="game")),
                anext(aiter(reflected.ServerReflectionInfo(iter((asked,))))),
            ):
                refusal = await refused(call)
                assert (refusal.status, refusal.reason) == ("RESOURCE_EXHAUSTED", "LIMIT_REACHED")
                assert int(refusal.metadata["retry_after_ms"]) > 0
            # Health is counted apart, also when the same address has too many others under way.
            health: Any = health_pb2_grpc.HealthStub(ann.channel)
            check = health_pb2.HealthCheckRequest()
            assert (await health.Check(check)).status == health_pb2.HealthCheckResponse.SERVING
            watches = [health.Watch(check) for _ in range(5)]
            for watch in watches:
                await watch.read()
            assert (await refused(health.Check(check))).reason == "LIMIT_REACHED"
            # From another address all is well.
            await flood.flood(INFO, b"", 60, most=4, count=20)
            assert flood.ended == {"answered": 20}
            for call in (*polls, *watches):
                call.cancel()
            await until(lambda: under_way(tmp_path) == 0)
            await ann.create(2)
            found = await asyncio.to_thread(scraped, metrics_address(tmp_path))
            assert found["ew_limit_refusals_total", (("kind", "calls"),)] == 7

        def lines() -> list[dict[str, Any]]:
            return [line for line in log_lines(tmp_path) if line["event"] == "a limit refuses"]

        await until(lambda: bool(lines()))
        (line,) = lines()
        assert (line["kind"], line["refused"]) == ("calls", 7)
        assert line["addresses"] == {"127.0.0.1": 6, "127.0.0.1 (health)": 1}


async def test_a_client_with_one_connection_can_always_answer_on_it(tmp_path: Path) -> None:
    """Streams and long polls that fill it would make an answer wait for their end."""
    most = lasting_per_connection(Settings())
    with hosted(tmp_path) as server:
        async with Client(server.address, "ann") as ann:
            game = await ann.create(2)
            seats = [await ann.join(game.game_id, seat) for seat in range(2)]
            streams = [Stream(ann) for _ in range(most // 2)]
            for stream in streams:
                assert (await anext(stream.reports())).HasField("welcome")
            async with asyncio.timeout(PATIENCE):
                polls: list[asyncio.Future[Any]] = []
                for _ in range(most):
                    wait = ann.play.ListMySeats(WAITING, metadata=secret("idle"))
                    polls.append(asyncio.ensure_future(wait))
                    await ann.view(game.game_id)
                polls = list(await left_waiting(set(polls), most - len(streams)))
                refusal = await refused(anext(Stream(ann).reports()))
                assert refusal.reason == "LIMIT_REACHED"
                for seat in seats:
                    await ann.ready(game.game_id, seat)
                views = [await ann.view(game.game_id, seat) for seat in seats]
                (asked,) = [view for view in views if view.HasField("prompt")]
                decision = asked.prompt.decision
                await ann.submit(
                    game.game_id, decision.seat, decision_id=decision.decision_id, option_id=0
                )
            for stream in streams:
                stream.cut()
            for poll in polls:
                poll.cancel()


async def test_calls_that_are_reset_at_once_leave_nothing_behind(tmp_path: Path) -> None:
    with hosted(tmp_path, *METRICS) as server:
        async with Client(server.address, "ann") as ann, flooding(server) as flood:
            before = resident(server.process.pid)
            for _ in range(100):
                for _ in range(50):
                    flood.cancel(flood.call(INFO))
                await flood.room(1)
            await ann.create(2)
            await until(lambda: under_way(tmp_path) == 0)
            assert resident(server.process.pid) - before < 50 * MB


async def test_answers_that_nobody_takes_count_as_calls_under_way(tmp_path: Path) -> None:
    """Each keeps a whole answer in memory, for as long as the connection lasts."""
    with hosted(tmp_path, "--calls-per-address", "50", *METRICS) as server:
        async with (
            Client(server.address, "ann") as ann,
            flooding(server, window=1) as flood,
            flooding(server) as other,
        ):
            for _ in range(50):
                flood.call(CATALOG)
            await until(lambda: under_way(tmp_path) == 50)
            await other.flood(INFO, b"", 60, most=4, count=20)
            assert other.ended == {"refused": 20}
            assert (await ann.create(2)).game_id
        await until(lambda: under_way(tmp_path) == 0)


async def test_connections_that_say_nothing_are_closed_and_leave_descriptors(
    tmp_path: Path,
) -> None:
    few = ("sh", "-c", 'ulimit -n 320; exec "$@"', "sh", *COMMAND, "--handshake-ms", "1000")
    with running(few, folder=tmp_path) as server:
        host, port = server.address.split(":")
        async with Client(server.address, "ann") as ann:
            game = await ann.create(2)
            silent = [socket.create_connection((host, int(port)), 60) for _ in range(400)]
            for one in silent:
                one.setblocking(False)

            def closed() -> int:
                return sum(is_closed(one) for one in silent)

            without_room = 400 - FEWEST_CONNECTIONS
            await until(lambda: closed() >= without_room)
            await ann.join(game.game_id)  # who was there goes on, and what is said is committed
            await until(lambda: closed() == 400)
            await flood_once(server)  # and there is room again
            for one in silent:
                one.close()


def is_closed(one: socket.socket) -> bool:
    try:
        while one.recv(4096):
            pass
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


async def flood_once(server: Server) -> None:
    async with flooding(server) as other:
        await other.flood(INFO, b"", 60, most=1, count=1)
        assert other.ended == {"answered": 1}


async def test_a_connection_without_calls_is_closed_and_one_that_waits_is_not(
    tmp_path: Path,
) -> None:
    with hosted(tmp_path, "--idle-ms", "500") as server:
        async with (
            Client(server.address, "ann") as ann,
            flooding(server) as idle,
            flooding(server) as waiting,
        ):
            await idle.flood(INFO, b"", 60, most=1, count=1)
            waiting.call(WAIT, WAITING.SerializeToString())
            await ann.create(2)
            await until(lambda: not idle.alive)
            assert waiting.alive
            assert not waiting.ended
            await ann.create(2)  # gRPC connects again by itself


async def test_replays_that_are_asked_for_without_end_are_refused(tmp_path: Path) -> None:
    frames = raw.headers("/endless_winter.v1.ReplayService/GetFrame")
    with hosted(tmp_path, "--list-burst", "10", "--lists-per-minute", "1", *METRICS) as server:
        async with flooding(server) as flood:
            await flood.flood(frames, b"\x0a\x01x", 60, most=100, count=300)
        found = await asyncio.to_thread(scraped, metrics_address(tmp_path))
        assert (
            found["ew_limit_refusals_total", (("kind", "replays"),)] >= 290 - flood.ended["reset"]
        )


@pytest.mark.soak
def test_no_attack_makes_a_clock_run_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every attack in its full size; prints the worst waits of others with and without it."""
    file = tmp_path / "figures.json"
    done = CliRunner().invoke(serve, ["--only", "attack", "--json", str(file)])
    with capsys.disabled():
        print(f"\n{done.stdout}")
    assert done.exit_code == 0, done.output
    found = json.loads(file.read_text())
    assert set(found["runs"]["attack"]) == set(ATTACKS)
    missed = [target["name"] for target in found["targets"] if target["met"] is False]
    # Waits are the machine's too, and only printed; memory and clocks are counts.
    assert not [name for name in missed if "wait" not in name]


async def test_players_are_not_charged_for_the_queue_that_a_flood_makes(tmp_path: Path) -> None:
    """Half a thousand answers of strangers are before each of theirs."""
    with hosted(tmp_path) as server:
        async with (
            flooding(server) as one,
            flooding(server) as two,
            flooding(server) as three,
            flooding(server) as four,
        ):
            others = Bystanders(server.address, decision_ms=PATIENT_MS)
            floods = [
                asyncio.create_task(flood.flood(SUBMIT, b"", 60, most=120))
                for flood in (one, two, three, four)
            ]
            found = await others.run(PATIENCE, games=1, answers=10)
            for flood in floods:
                flood.cancel()
            await asyncio.gather(*floods, return_exceptions=True)
        assert found["answers"] >= 10
        assert (found["expired"], found["forfeits"], found["failed"]) == (0, 0, 0)
        assert found["charged_mean_ms"] < found["submit_mean_ms"] / 2
