"""A stream that is refused at once leaves nothing behind on the server's standard error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import grpc
import pytest

from endless_winter.v1 import arena_service_pb2, arena_service_pb2_grpc, play_service_pb2_grpc
from tests.service.hosting import LOG, hosted, reason_of

if TYPE_CHECKING:
    from pathlib import Path


async def test_nobody_and_a_stream_too_many_are_refused_without_a_sound(tmp_path: Path) -> None:
    with hosted(tmp_path, "--streams-per-client", "1", "--clients-per-peer", "1") as server:
        async with grpc.aio.insecure_channel(server.address) as channel:
            arena: Any = arena_service_pb2_grpc.ArenaServiceStub(channel)
            play: Any = play_service_pb2_grpc.PlayServiceStub(channel)
            ann = (("ew-client-secret", "ab" * 32),)
            for method in (arena.AttachBot, play.Play):
                with pytest.raises(grpc.aio.AioRpcError) as refused:
                    await method().read()
                assert reason_of(refused.value)[0] == "SECRET_MISSING"
            bot = arena.AttachBot(metadata=ann)
            hello = arena_service_pb2.BotHello(name="robot", capacity=1, contract_revision=1)
            await bot.write(arena_service_pb2.AttachBotRequest(hello=hello))
            assert (await bot.read()).HasField("welcome")
            for method in (arena.AttachBot, play.Play):
                with pytest.raises(grpc.aio.AioRpcError) as refused:
                    await method(metadata=ann).read()
                assert reason_of(refused.value)[0] == "LIMIT_REACHED"
            bot.cancel()
        assert server.stop() == 0
    assert "never awaited" not in (tmp_path / LOG).read_text()
