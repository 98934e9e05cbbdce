"""A stream that is refused at once leaves nothing behind on the server's standard error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import grpc
import pytest

from endless_winter.v1 import (
    arena_service_pb2,
    arena_service_pb2_grpc,
    play_service_pb2,
    play_service_pb2_grpc,
)
from tests.service.hosting import LOG, hosted, reason_of

if TYPE_CHECKING:
    from pathlib import Path


async def test_nobody_and_a_stream_too_many_are_refused_without_a_sound(tmp_path: Path) -> None:
    with hosted(tmp_path, "--streams-per-client", "1", "--clients-per-peer", "1") as server:
        async with grpc.aio.insecure_channel(server.address) as channel:
            arena: Any = arena_service_pb2_grpc.ArenaServiceStub(channel)
            play: Any = play_service_pb2_grpc.PlayServiceStub(channel)
            ann = (("ew-client-secret", "ab" * 32),)
            hello = arena_service_pb2.BotHello(name="robot", capacity=1, least_revision=1)
            first = arena_service_pb2.AttachBotRequest(hello=hello)

            async def refused(metadata: tuple[tuple[str, str], ...]) -> set[str]:
                found = set()
                for method, message in (
                    (arena.AttachBot, first),
                    (play.Play, play_service_pb2.PlayRequest()),
                ):
                    call = method(metadata=metadata)
                    await call.write(message)
                    with pytest.raises(grpc.aio.AioRpcError) as error:
                        await call.read()
                    found.add(reason_of(error.value)[0])
                return found

            assert await refused(()) == {"SECRET_MISSING"}
            bot = arena.AttachBot(metadata=ann)
            await bot.write(first)
            assert (await bot.read()).HasField("welcome")
            assert await refused(ann) == {"LIMIT_REACHED"}
            bot.cancel()
        assert server.stop() == 0
    assert "never awaited" not in (tmp_path / LOG).read_text()
