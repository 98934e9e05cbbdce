"""A drain on SIGTERM: everybody gets a goodbye, nothing that was accepted is lost."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from endless_winter.engine.caller import Caller
from endless_winter.engine.settings import Settings
from endless_winter.service.clock import Clock
from endless_winter.service.host import Host
from endless_winter.service.rpc.play import PlayServicer
from endless_winter.store.memory import MemoryStore
from endless_winter.v1 import decision_pb2, play_service_pb2
from tests.engine.desk import PACK
from tests.service.hosting import hosted, reason_of
from tests.service.player import Client, Stream, pick, play_stream
from tests.service.wire import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from endless_winter.cli.process import Server
    from endless_winter.v1 import result_pb2

p = play_service_pb2
GRACE = ("--grace", "600")  # a drain that took this long would be noticed


async def ended(server: Server) -> int:
    return await asyncio.to_thread(server.process.wait, 120)


async def until_the_end(stream: Stream) -> AsyncIterator[p.PlayReport]:
    """All reports. A client that is slow may still write when the server has ended the stream;
    gRPC reports that in words of its own, after everything that was sent to it.
    """
    try:
        async for report in stream.reports():
            yield report
    except grpc.aio.AioRpcError as error:
        assert "SendMessageOperation" in (error.debug_error_string() or ""), error  # noqa: PT017 # most streams end without


async def until_goodbye(
    client: Client, game_id: str, seat: int, started: asyncio.Event, most: int
) -> tuple[p.Goodbye, list[p.Accepted]]:
    """Play until the server says Goodbye; what was accepted. `started` is set after some moves."""
    stream = Stream(client)
    for command in (p.PlayCommand(attach=p.Attach()), p.PlayCommand(ready=p.Ready())):
        command.game_id = game_id
        command.seat = seat
        stream.send(command)
    accepted: list[p.Accepted] = []
    goodbye = None
    async for report in until_the_end(stream):  # the server ends it, after all that is under way
        if report.HasField("accepted") and report.accepted.decision_id:
            accepted.append(report.accepted)
        elif report.HasField("goodbye"):
            goodbye = report.goodbye
            stream.close()
        elif report.HasField("rejection"):
            assert report.rejection.reason == 36  # DRAINING
            assert report.rejection.retry_after_ms > 0
        elif goodbye is None and report.update.HasField("prompt"):
            decision = report.update.prompt.decision
            answer = decision_pb2.Answer(
                decision_id=decision.decision_id, option_id=pick(decision, 5)
            )
            stream.send(
                p.PlayCommand(
                    request_id=f"d{decision.decision_id}",
                    game_id=game_id,
                    seat=seat,
                    answer=answer,
                )
            )
        if len(accepted) >= most:
            started.set()
    assert goodbye is not None
    return goodbye, accepted


async def finished(server: Server, game_id: str, one: int, two: int) -> result_pb2.GameResult:
    async with Client(server.address, "ann") as ann, Client(server.address, "bob") as bob:
        last, _ = await asyncio.gather(
            play_on(ann, game_id, one),
            play_on(bob, game_id, two),
        )
    return last


async def play_on(client: Client, game_id: str, seat: int) -> result_pb2.GameResult:
    while True:
        update = await client.view(game_id, seat, wait_ms=30_000, wait_for_prompt=True)
        if update.HasField("result"):
            return update.result
        decision = update.prompt.decision
        await client.submit(
            game_id, seat, decision_id=decision.decision_id, option_id=pick(decision, 5)
        )


@pytest.mark.parametrize("most", [3, 20])
async def test_what_was_accepted_before_a_drain_is_there_after_it(
    tmp_path: Path, most: int
) -> None:
    started = asyncio.Event()
    with hosted(tmp_path, *GRACE) as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "bob") as bob:
            game = await ann.create(2)
            one, two = await ann.join(game.game_id), await bob.join(game.game_id)
            playing = asyncio.gather(
                until_goodbye(ann, game.game_id, one, started, most),
                until_goodbye(bob, game.game_id, two, started, most),
            )
            begun = asyncio.create_task(started.wait())
            await asyncio.wait((begun, playing), return_when=asyncio.FIRST_COMPLETED)
            begun.cancel()
            if not playing.done():  # else it went wrong, and says so below
                server.process.terminate()
            played = await playing
            assert await ended(server) == 0
    assert all(goodbye.reconnect_after_ms > 0 for goodbye, _ in played)
    last = max(accepted[-1].seq for _, accepted in played if accepted)
    with hosted(tmp_path) as server:
        async with Client(server.address, "ann") as ann:
            assert (await ann.view(game.game_id, one)).seq >= last
            for seat, client_name in ((one, "ann"), (two, "bob")):
                async with Client(server.address, client_name) as again:
                    for first in played[seat != one][1][-3:]:
                        # The same request is answered as it was, over the restart.
                        repeated = await again.submit(
                            game.game_id,
                            seat,
                            f"d{first.decision_id}",
                            decision_id=first.decision_id,
                            option_id=first.option_id,
                        )
                        assert repeated == first
        result = await finished(server, game.game_id, one, two)
        async with Client(server.address, "ann") as ann, Client(server.address, "bob") as bob:
            plain = await ann.create(2)
            assert await ann.join(plain.game_id) == one
            assert await bob.join(plain.game_id) == two
            streamed, _ = await asyncio.gather(
                play_stream(ann, [(plain.game_id, one)], 5),
                play_stream(bob, [(plain.game_id, two)], 5),
            )
    assert result == streamed[(plain.game_id, one)].result


async def test_watchers_and_long_polls_do_not_hold_a_drain(tmp_path: Path) -> None:
    with hosted(tmp_path, *GRACE) as server:
        async with Client(server.address, "ann") as ann:
            game = await ann.create(2)
            seat = await ann.join(game.game_id)
            watch = ann.play.Watch(p.WatchRequest(game_id=game.game_id), metadata=ann.metadata)
            updates = aiter(watch)
            assert (await anext(updates)).HasField("welcome")
            poll = asyncio.create_task(
                ann.view(game.game_id, seat, wait_ms=60_000, wait_for_prompt=True)
            )
            owed = asyncio.ensure_future(
                ann.play.ListMySeats(
                    p.ListMySeatsRequest(only_owing=True, wait_ms=60_000), metadata=ann.metadata
                )
            )
            idle = Stream(ann)
            reports = idle.reports()
            assert (await anext(reports)).HasField("welcome")
            server.process.terminate()
            assert (await anext(reports)).HasField("goodbye")
            with pytest.raises(StopAsyncIteration):  # the server itself ends it
                await anext(reports)
            assert not (await poll).HasField("prompt")
            assert not (await owed).seats
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await anext(updates)
            assert reason_of(error.value)[0] == "DRAINING"
            assert await ended(server) == 0


class Unheard:
    """What a Play stream asks of gRPC; nothing comes in, and what goes out is kept."""

    def __init__(self) -> None:
        self.reports: list[p.PlayReport] = []

    async def read(self) -> None:
        await asyncio.Event().wait()

    async def write(self, body: bytes) -> None:
        self.reports += p.PlayResponse.FromString(body).reports


@pytest.mark.parametrize("service", ["", "endless_winter.v1.PlayService"])
async def test_who_watches_the_health_does_not_hold_a_drain(tmp_path: Path, service: str) -> None:
    """To gRPC such a stream is like any other, and nobody ends it."""
    watch = health_pb2.HealthCheckRequest(service=service)
    with hosted(tmp_path, *GRACE) as server:
        async with grpc.aio.insecure_channel(server.address) as channel:
            health: Any = health_pb2_grpc.HealthStub(channel)
            call = health.Watch(watch)
            assert (await call.read()).status == health_pb2.HealthCheckResponse.SERVING
            server.process.terminate()
            assert (await call.read()).status == health_pb2.HealthCheckResponse.NOT_SERVING
            assert await ended(server) == 0


async def test_a_stream_that_was_let_in_just_before_a_drain_gets_goodbye_and_ends() -> None:
    """Its call was accepted, and its turn in the event loop comes after Goodbye to all others."""
    host = Host(MemoryStore(), PACK, clock=Clock(), settings=Settings())
    host.drain(10)
    line: Any = Unheard()
    await asyncio.wait_for(PlayServicer(host).Play(Caller(b"ann"), line), PATIENCE)
    assert [report.WhichOneof("report") for report in line.reports] == ["goodbye"]
    assert not host.streams
    await host.close()


async def test_no_clock_runs_out_while_the_server_is_away(tmp_path: Path) -> None:
    from endless_winter.v1 import clock_pb2

    control = clock_pb2.TimeControl(decision_limit_ms=600_000)
    with hosted(tmp_path) as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "bob") as bob:
            game = await ann.create(2, time_control=control)
            one, two = await ann.join(game.game_id), await bob.join(game.game_id)
            await ann.ready(game.game_id, one)
            await bob.ready(game.game_id, two)
            before = await ann.view(game.game_id, one)
        assert server.stop() == 0
    with hosted(tmp_path) as server:
        async with Client(server.address, "ann") as ann:
            after = await ann.view(game.game_id, one)
    assert after.clock.deadline_unix_ms > before.clock.deadline_unix_ms
    assert after.seq == before.seq
