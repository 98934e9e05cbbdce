"""What a stream says is said together: news waits a moment for the other answers under way."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from endless_winter.service import play_stream
from endless_winter.service.identity import Caller
from endless_winter.service.play_stream import PlayStream
from endless_winter.v1 import play_service_pb2 as p

if TYPE_CHECKING:
    import pytest

HALL: Any = SimpleNamespace(settings=SimpleNamespace(message_bytes=1 << 20))


class Game:
    """A feed that has something to say whenever it is asked."""

    cut = None
    done = False
    address = b""

    def update(self) -> bytes:
        return b""


class Written:
    """A stream, and the number of reports in each message that it sends."""

    def __init__(self) -> None:
        self.stream = PlayStream(HALL, Caller(bytes(32), operator=False))
        self.messages: list[int] = []
        self.games: list[Any] = [Game() for _ in range(3)]

    async def send(self, body: bytes) -> None:
        self.messages.append(len(p.PlayResponse.FromString(body).reports))

    async def turns(self) -> None:
        """More turns of the loop than anything takes that does not wait."""
        for _ in range(50):
            await asyncio.sleep(0)


async def test_news_waits_for_the_other_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_stream, "TOGETHER", 3_600)
    written = Written()
    writing = asyncio.create_task(written.stream.write(written.send))
    written.stream._under_way = 3
    for number, game in enumerate(written.games):
        written.stream.landed()
        written.stream._woken(game)
        await written.turns()
        assert written.messages == ([3] if number == 2 else []), "all three in one message"
    writing.cancel()


async def test_a_stream_of_one_game_never_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_stream, "TOGETHER", 3_600)
    written = Written()
    writing = asyncio.create_task(written.stream.write(written.send))
    for _ in range(3):
        written.stream._under_way = 1
        written.stream.landed()
        written.stream._woken(written.games[0])
        await written.turns()
    assert written.messages == [1, 1, 1]
    assert written.stream._together is None, "not even a timer was set"
    writing.cancel()


async def test_news_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_stream, "TOGETHER", 0.001)
    written = Written()
    told = asyncio.Event()

    async def send(body: bytes) -> None:
        await written.send(body)
        told.set()

    writing = asyncio.create_task(written.stream.write(send))
    written.stream._under_way = 2
    written.stream.landed()
    written.stream._woken(written.games[0])
    await asyncio.wait_for(told.wait(), 60)
    assert written.messages == [1], "the other answer hangs"
    writing.cancel()


async def test_what_comes_while_a_message_is_sent_waits_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(play_stream, "TOGETHER", 3_600)
    written = Written()

    async def send(body: bytes) -> None:
        await written.send(body)
        if len(written.messages) == 1:
            written.stream._under_way = 2
            written.stream.landed()
            written.stream._woken(written.games[1])

    writing = asyncio.create_task(written.stream.write(send))
    written.stream._woken(written.games[0])
    await written.turns()
    assert written.messages == [1]
    written.stream.landed()
    written.stream._woken(written.games[2])
    await written.turns()
    assert written.messages == [1, 2]
    writing.cancel()
