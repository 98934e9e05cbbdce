"""How much memory long messages take, and clients that do not read what they are sent.

All of it comes by one connection, with default settings, from a client of gRPC that keeps to its
rules. Asserted are refusals, the server's peak of memory, and how much it takes in.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc

from endless_winter.engine.settings import Settings
from endless_winter.v1 import catalog_service_pb2, catalog_service_pb2_grpc, decision_pb2
from endless_winter.v1 import play_service_pb2 as p
from tests.service.hostile import methods
from tests.service.hosting import hosted
from tests.service.player import secret
from tests.service.wire import PATIENCE, parts_of, refused

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from google.protobuf.descriptor import MethodDescriptor

    from endless_winter.cli.process import Server

MB = 1_000_000
PLAY = "/endless_winter.v1.PlayService/Play"
HELLO = p.PlayRequest(commands=[p.PlayCommand(hello=p.Hello())]).SerializeToString()
PING = p.PlayCommand(game_id="g" * 200, ping=p.Ping(nonce=1))  # its answer is as long
ANSWER = p.PlayCommand(request_id="x", game_id="a", seat=0, answer=decision_pb2.Answer(option_id=1))
NOTHING = decision_pb2.StandingAnswer()  # two bytes, and eighty as a message
NESTED = p.PlayCommand(seat=0, set_standing_answers=p.SetStandingAnswers(answers=[NOTHING] * 8000))
LONG = frozenset(("Play", "CreateGame", "HandSeatToBot", "ReleaseReveal"))


def peak(server: Server) -> int:
    """The most memory that the server ever had, in bytes."""
    lines = Path(f"/proc/{server.process.pid}/status").read_text().splitlines()
    (found,) = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
    return int(found) * 1024


@asynccontextmanager
async def connection(server: Server) -> AsyncIterator[Any]:
    # Nothing is taken in beforehand of what is not read yet.
    options = (("grpc.http2.bdp_probe", 0),)
    async with asyncio.timeout(PATIENCE):
        async with grpc.aio.insecure_channel(server.address, options=options) as channel:
            yield channel


async def welcomed(channel: Any, number: int) -> Any:
    call = channel.stream_stream(PLAY)(metadata=secret(f"client {number}"))
    await call.write(HELLO)
    assert p.PlayResponse.FromString(await call.read()).reports[0].HasField("welcome")
    return call


async def test_a_message_of_half_a_million_commands_is_refused_and_takes_no_memory(
    tmp_path: Path,
) -> None:
    with hosted(tmp_path) as server:
        async with connection(server) as channel:
            calls = [await welcomed(channel, number) for number in range(8)]
            before = peak(server)
            for call in calls:
                await call.write(b"\x0a\x00" * 500_000)
            for call in calls:
                assert (await refused(call.read())).reason == "TOO_LARGE"
            assert peak(server) - before < 40 * MB


async def test_commands_that_wait_for_a_client_which_does_not_read_take_little_memory(
    tmp_path: Path,
) -> None:
    """Parsed, the end of each message takes twenty megabytes while its beginning waits."""
    pings, nested = 2200, 34
    body = p.PlayRequest(commands=[PING] * pings + [NESTED] * nested).SerializeToString()
    with hosted(tmp_path) as server:
        async with connection(server) as channel:
            calls = [await welcomed(channel, number) for number in range(12)]
            before = peak(server)
            for call in calls:
                await call.write(body)
            for call in calls:
                left = pings + nested
                while left:
                    left -= len(p.PlayResponse.FromString(await call.read()).reports)
            assert peak(server) - before < 60 * MB


async def test_a_stream_that_is_full_leaves_what_comes_with_its_client(tmp_path: Path) -> None:
    """Commands of games that are not attached, sent without end; others on the connection go on."""
    body = p.PlayRequest(commands=[ANSWER] * 1000).SerializeToString()
    written = 0

    async def write(call: Any) -> None:
        nonlocal written
        while True:
            await call.write(body)
            written += len(body)

    with hosted(tmp_path) as server:
        async with connection(server) as channel:
            calls = [await welcomed(channel, number) for number in range(16)]
            before = peak(server)
            writing = [asyncio.create_task(write(call)) for call in calls]
            catalogs: Any = catalog_service_pb2_grpc.CatalogServiceStub(channel)
            for _ in range(300):
                await catalogs.GetServerInfo(catalog_service_pb2.GetServerInfoRequest())
            for task in writing:
                task.cancel()
            await asyncio.gather(*writing, return_exceptions=True)
            assert written < len(calls) * 512 * 1024
            assert peak(server) - before < 60 * MB


async def test_only_methods_that_need_it_take_long_requests(tmp_path: Path) -> None:
    """Others may wait for a minute, and keep what they were asked with."""
    most = Settings.request_bytes
    with hosted(tmp_path) as server:
        async with connection(server) as channel:
            for method in methods():
                if not method.client_streaming:
                    taken = await reason(channel, method, most)
                    assert taken != "TOO_LARGE", method.name
                    more = await reason(channel, method, most + 1)
                    assert (more == "TOO_LARGE") == (method.name not in LONG), method.name
            bot = channel.stream_stream("/endless_winter.v1.ArenaService/AttachBot")
            call = bot(metadata=secret("bot"))
            await call.write(padding(most + 1))
            assert (await refused(call.read())).reason == "TOO_LARGE"
            call = await welcomed(channel, 0)
            command = p.PlayCommand(game_id="x" * most)
            await call.write(p.PlayRequest(commands=[command]).SerializeToString())
            assert (await refused(call.read())).reason == "TOO_LARGE"
            catalogs: Any = catalog_service_pb2_grpc.CatalogServiceStub(channel)
            response = await catalogs.GetServerInfo(catalog_service_pb2.GetServerInfoRequest())
            assert response.server.limits.request_bytes == most
            assert response.server.limits.commands_per_message == 10_000


def padding(size: int) -> bytes:
    """So many bytes of a field that no message knows."""
    length = size - 5
    return (
        b"\xfa\x7f"
        + bytes((length & 127 | 128, length >> 7 & 127 | 128, length >> 14))
        + bytes(length)
    )


async def reason(channel: Any, method: MethodDescriptor, size: int) -> str:
    path = f"/{method.containing_service.full_name}/{method.name}"
    kind = channel.unary_stream if method.server_streaming else channel.unary_unary
    call = kind(path)(padding(size), metadata=secret("ann"))
    try:
        await (call.read() if method.server_streaming else call)
    except grpc.aio.AioRpcError as error:
        return parts_of(error).reason
    return ""
