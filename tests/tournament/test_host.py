"""The operator's connection: a server that is crowded is not gone, and entrants do not share it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from endless_winter.sdk.connection import new_secret
from endless_winter.tournament import host as hosts
from endless_winter.tournament.errors import TournamentError
from endless_winter.tournament.host import Host, HostGone
from endless_winter.v1 import arena_service_pb2 as a
from endless_winter.v1 import arena_service_pb2_grpc

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

TOKENS = {"evil": "1" * 64, "good": "2" * 64}


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[Host]:
    found = Host(tmp_path / "worker", tokens=TOKENS)
    await found.start()
    try:
        yield found
    finally:
        await found.stop()


def failure(code: grpc.StatusCode) -> grpc.aio.AioRpcError:
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(), "no")


async def test_a_crowded_server_that_lives_is_asked_again(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosts, "PAUSE", 0.0)
    left = [failure(grpc.StatusCode.CANCELLED), failure(grpc.StatusCode.UNAVAILABLE)]

    async def crowded(*_: object, **__: object) -> str:
        if left:
            raise left.pop()
        return "answer"

    assert await host._ask(crowded, a.ListBotsRequest()) == "answer"

    async def refuses(*_: object, **__: object) -> str:
        raise failure(grpc.StatusCode.INVALID_ARGUMENT)

    with pytest.raises(TournamentError, match="the server refuses: no"):
        await host._ask(refuses, a.ListBotsRequest())
    assert host._process is not None
    host._process.kill()
    await host._process.wait()
    with pytest.raises(HostGone, match=r"the server does not answer \(UNAVAILABLE\)"):
        await host.bots()


async def test_an_entrant_that_fills_its_connections_keeps_nobody_out(host: Host) -> None:
    most = hosts.CONNECTIONS + len(TOKENS) * hosts.CONNECTIONS_EACH
    crowd = [socket.socket(socket.AF_UNIX) for _ in range(4 * most)]
    try:
        for one in crowd:
            one.connect(str(host.socket("evil")))
            with contextlib.suppress(OSError):  # it has more than it may
                one.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + b"\x04" + bytes(5))
        assert await attach(host, "good", TOKENS["good"]) == "welcome"
        assert await attach(host, "evil", TOKENS["evil"]) == "UNAVAILABLE"  # its own are used up
    finally:
        for one in crowd:
            one.close()


async def test_nobody_attaches_under_a_name_that_is_no_entrants(host: Host) -> None:
    assert await attach(host, "stranger", "") == "PERMISSION_DENIED"
    assert await attach(host, "good", TOKENS["evil"]) == "PERMISSION_DENIED"
    assert await host.bots() == {}


async def attach(host: Host, name: str, token: str) -> str:
    """Attach a bot through the socket of an entrant; the kind of the answer, or its status."""
    hello = a.BotHello(name=name, capacity=1, token=token, version="1")
    where = host.socket(name if name in TOKENS else "good")
    channel = grpc.aio.insecure_channel(f"unix:{where}")
    try:
        stream: Any = arena_service_pb2_grpc.ArenaServiceStub(channel).AttachBot(
            metadata=(("ew-client-secret", new_secret()),)
        )
        await stream.write(a.AttachBotRequest(hello=hello))
        answer = await asyncio.wait_for(stream.read(), 30)
        if name in TOKENS:
            assert name in await host.bots()
        return str(answer.WhichOneof("message"))
    except grpc.aio.AioRpcError as error:
        return error.code().name
    finally:
        await channel.close()
