"""The checker's own calls outlive the server they were made to."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING

import grpc
import pytest

from endless_winter.cli.process import COMMAND, running
from endless_winter.conformance.opponent import Opponent
from endless_winter.conformance.proxy import PLAY, Proxy

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKEN = "the-operator-token-of-the-tests"


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a server that is reached and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"127.0.0.1:{listening.getsockname()[1]}"


async def under_way(task: asyncio.Task[object]) -> None:
    """Until the call waits for the silent server: nothing else is left to do before."""
    for _ in range(10):
        await asyncio.sleep(0)
    assert not task.done()


async def test_a_move_under_way_is_made_again_at_the_new_server(silent: str) -> None:
    flags = ("--operator-token", TOKEN, "--synchronous", "off", "--log-level", "error")
    with running((*COMMAND, *flags)) as server:
        opponent = Opponent(TOKEN)
        await opponent.connect(silent)
        task = asyncio.create_task(opponent.ready("no-such-game", 0))
        await under_way(task)
        await opponent.connect(server.address)
        assert await asyncio.wait_for(task, 60) is None  # refused: there is no such game
        await opponent.close()


async def test_a_task_that_is_ended_calls_nobody_again(silent: str) -> None:
    opponent = Opponent(TOKEN)
    await opponent.connect(silent)
    task = asyncio.create_task(opponent.ready("no-such-game", 0))
    await under_way(task)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 60)
    await opponent.close()


async def test_a_stream_to_a_server_that_was_replaced_ends(silent: str) -> None:
    proxy = Proxy()
    await proxy.open()
    await proxy.connect(silent)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{proxy.port}") as channel:
        reached = asyncio.Event()
        proxy.stirred = reached.set
        call: grpc.aio.StreamStreamCall[bytes, bytes] = channel.stream_stream(PLAY)()
        await call.write(b"")
        await asyncio.wait_for(reached.wait(), 60)
        assert proxy.line is not None
        await proxy.connect(silent)
        assert await asyncio.wait_for(call.code(), 60) is grpc.StatusCode.UNAVAILABLE
    await proxy.close()
