"""What a stream says is said together: news waits a moment for answers that are about to come."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

from endless_winter.service import play_stream
from endless_winter.service.identity import Caller
from endless_winter.service.play_stream import PlayStream
from endless_winter.service.rounds import Rounds
from endless_winter.store import StoreClosed
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.v1 import rejection_pb2 as reasons

LONG = 3_600.0


class Game:
    """A feed that has something to say whenever it is asked."""

    cut = None
    done = False
    under_way = 0
    address = b""

    def __init__(self) -> None:
        self.asks = True

    def update(self) -> bytes:
        return b""

    def owes(self) -> bool:
        return self.asks


class Written:
    """A stream, and the number of reports in each message that it sends."""

    def __init__(self, games: int = 4) -> None:
        settings = SimpleNamespace(message_bytes=1 << 20)
        hall: Any = SimpleNamespace(settings=settings, rounds=Rounds(lambda: None, lambda: None))
        self.stream = PlayStream(hall, Caller(bytes(32), operator=False))
        self.stream._flowing = True
        self.messages: list[int] = []
        self.games: list[Any] = [Game() for _ in range(games)]

    async def send(self, body: bytes) -> None:
        self.messages.append(len(p.PlayResponse.FromString(body).reports))

    def open(self) -> asyncio.Task[None]:
        return asyncio.create_task(self.stream.write(self.send))

    def news(self, *numbers: int) -> None:
        for number in numbers:
            self.stream._woken(self.games[number])

    def answer(self, *numbers: int) -> None:
        """The client has answered these, and what follows from it is committed."""
        for number in numbers:
            self.stream._expected.pop(self.games[number])
        self.news(*numbers)

    async def turns(self) -> None:
        """More turns of the loop than anything takes that does not wait."""
        for _ in range(50):
            await asyncio.sleep(0)


@pytest.fixture(autouse=True)
def waits_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_stream, "TOGETHER", LONG)
    monkeypatch.setattr(play_stream, "RECENT", LONG)


async def test_few_wait_for_the_many_that_were_asked_with_them() -> None:
    written = Written()
    writing = written.open()
    written.news(0, 1, 2, 3)
    await written.turns()
    assert written.messages == [4]
    written.answer(0)
    await written.turns()
    assert written.messages == [4], "three others were asked a moment ago"
    written.answer(1)
    await written.turns()
    assert written.messages == [4, 2], "half of them are enough"
    written.answer(2, 3)
    await written.turns()
    assert written.messages == [4, 2, 2], "two halves take turns"
    writing.cancel()


async def test_answers_on_their_way_into_the_log_are_waited_for_too() -> None:
    written = Written()
    writing = written.open()
    written.games[0].asks = written.games[1].asks = False
    written.stream._under_way = 3
    written.stream.landed(written.games[0])
    written.news(0)
    await written.turns()
    assert written.messages == []
    written.stream.landed(written.games[1])
    written.news(1)
    await written.turns()
    assert written.messages == [2]
    writing.cancel()


async def test_a_stream_of_one_game_never_waits() -> None:
    written = Written(1)
    writing = written.open()
    written.news(0)
    await written.turns()
    for count in range(2, 5):
        written.answer(0)
        await written.turns()
        assert written.messages == [1] * count
    assert written.stream._together is None, "not even a timer was set"
    writing.cancel()


async def test_who_thinks_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    written = Written()
    writing = written.open()
    written.news(0, 1, 2, 3)
    await written.turns()
    monkeypatch.setattr(play_stream, "RECENT", 0.0)
    written.answer(0)
    await written.turns()
    assert written.messages == [4, 1]
    assert written.stream._together is None
    assert list(written.stream._expected) == [written.games[0]], "and not asked for again"
    writing.cancel()


async def test_who_says_something_now_and_then_is_told_at_once() -> None:
    written = Written()
    writing = written.open()
    written.news(0, 1, 2, 3)
    await written.turns()
    written.stream._flowing = False
    written.answer(0)
    await written.turns()
    assert written.messages == [4, 1]
    assert written.stream._together is None
    writing.cancel()


async def test_who_answers_as_soon_as_can_be_is_told_together() -> None:
    """Also where its messages do not follow each other at once, because the machine is slow."""
    written = Written()
    writing = written.open()
    written.news(0, 1, 2, 3)
    await written.turns()
    written.stream._flowing = False
    written.stream._turnaround = play_stream.PROMPT / 2
    written.answer(0)
    await written.turns()
    assert written.messages == [4], "the three others come soon"
    written.answer(1, 2, 3)
    await written.turns()
    assert written.messages == [4, 4]
    assert written.stream._together is None, "nor is the next message hurried"
    writing.cancel()


async def test_how_soon_answers_come_is_measured_once_for_a_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = Written()
    stream = written.stream
    now = [1000.0]
    monkeypatch.setattr(play_stream, "monotonic", lambda: now[0])
    session: Any = SimpleNamespace(answer_soon=lambda *_: True)
    monkeypatch.setattr(play_stream, "Session", SimpleNamespace)
    hall: Any = stream._hall
    hall.time = SimpleNamespace(now_ms=lambda: 0)

    def asked(after: float) -> None:
        """All games are asked; after so many seconds the answers come in one message."""
        for number, game in enumerate(written.games):
            game.session = session
            stream._feeds["g", number] = game
            stream._expected[game] = now[0]
        now[0] += after
        stream._received = now[0]
        stream._measured = False
        for number in range(len(written.games)):
            order: Any = SimpleNamespace(game_id="g", seat=number, request_id="", command=None)
            assert stream._take_answer(order, 0)

    asked(0.003)
    assert stream._turnaround > play_stream.PROMPT, "one quick answer does not make a prompt client"
    for _ in range(40):
        asked(0.003)
    assert stream._turnaround == pytest.approx(0.003)
    asked(0.05)
    assert stream._turnaround == pytest.approx(0.05)
    asked(0.001)
    assert stream._turnaround == pytest.approx(0.05 * play_stream.SLOWLY)


async def test_messages_that_follow_each_other_at_once_flow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = Written()
    now = [1000.0, 1000.0003, 1000.0006, 1000.0016, 1000.0018]
    moments = iter(now)
    monkeypatch.setattr(play_stream, "monotonic", lambda: next(moments))
    hall: Any = written.stream._hall
    hall.time = SimpleNamespace(now_ms=lambda: 0)
    flowing: list[bool] = []

    async def receive() -> Any:
        if written.stream._received:
            flowing.append(written.stream._flowing)
        return p.PlayRequest() if len(flowing) < len(now) else grpc.aio.EOF

    await written.stream.read(receive)
    assert flowing == [False, True, True, False, True]


async def test_news_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_stream, "TOGETHER", 0.001)
    written = Written()
    told = asyncio.Event()

    async def send(body: bytes) -> None:
        await written.send(body)
        if len(written.messages) == 2:
            told.set()

    writing = asyncio.create_task(written.stream.write(send))
    written.news(0, 1, 2, 3)
    await written.turns()
    written.answer(0)
    await asyncio.wait_for(told.wait(), 60)
    assert written.messages == [4, 1], "the others never answer"
    writing.cancel()


async def test_what_is_no_news_of_a_game_does_not_wait_and_takes_news_along() -> None:
    written = Written()
    writing = written.open()
    written.news(0, 1, 2, 3)
    await written.turns()
    written.answer(0)
    await written.turns()
    written.stream._report(p.PlayCommand(), ("", None), play_stream._REPORT_PONG, b"")
    await written.turns()
    assert written.messages == [4, 2]
    writing.cancel()


async def test_a_game_that_begins_stays_in_step_with_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What came of Attach and Ready goes out with news, and has none go out before its time."""
    written = Written()
    stream, begins = written.stream, written.games[3]
    begins.snapshot, begins.seq, begins.asks = True, 0, False
    table = SimpleNamespace(
        rules_version="1", rules=SimpleNamespace(tables=SimpleNamespace(digest="content"))
    )
    session: Any = SimpleNamespace(
        table=table,
        seat_of=lambda *_: 0,
        seen_by=lambda _: SimpleNamespace(attach=lambda _: None),
        standing_answers=lambda _: [],
    )

    async def find(*_: object) -> Any:
        return session

    async def act(*_: object) -> bytes:
        return b""

    hall: Any = stream._hall
    hall.find = find
    hall.settings.attachments_per_stream = 4
    monkeypatch.setattr(play_stream, "Feed", lambda *_, **__: begins)
    monkeypatch.setattr(play_stream, "act", act)
    writing = written.open()
    written.news(0, 1, 2)
    await written.turns()
    assert written.messages == [3]
    command = p.PlayCommand(game_id="begins", seat=0)
    await stream._attach(command, ("begins", 0))
    await written.turns()
    assert written.messages == [3], "three others were asked a moment ago"
    await stream._act(session, 0, command, "ready", 0)
    await written.turns()
    assert written.messages == [3], "and are waited for still"
    written.answer(0, 1, 2)
    await written.turns()
    assert written.messages == [3, 6], "all four games, Attached and Accepted"
    await stream._act(session, 0, command, "ready", 0)
    await written.turns()
    assert written.messages == [3, 6, 1], "where there is no news, it does not wait"
    writing.cancel()


async def test_what_comes_while_a_message_is_sent_follows_it() -> None:
    written = Written()
    sent = asyncio.Event()

    async def send(body: bytes) -> None:
        await written.send(body)
        await sent.wait()

    writing = asyncio.create_task(written.stream.write(send))
    for game in written.games:
        game.asks = False
    written.news(0)
    await written.turns()
    written.news(1)
    written.news(2)
    await written.turns()
    assert written.messages == [1], "one message at a time"
    sent.set()
    await written.turns()
    assert written.messages == [1, 2]
    writing.cancel()


async def test_a_stream_whose_message_cannot_be_sent_ends_with_the_reason() -> None:
    written = Written()

    async def send(_: bytes) -> None:
        await asyncio.sleep(0)
        raise OSError("gone")

    writing = asyncio.create_task(written.stream.write(send))
    written.news(0)
    with pytest.raises(OSError, match="gone"):
        await asyncio.wait_for(writing, 60)


async def test_a_stream_that_cannot_say_anything_does_not_hold_up_the_others() -> None:
    written = Written()
    other = Written()
    other.stream._hall.rounds = written.stream._hall.rounds  # one server, one round
    tasks = [written.open(), other.open()]
    await written.turns()

    def broken() -> bytes:
        raise ValueError("no words")

    written.games[0].update = broken
    written.news(0)
    other.news(0)
    await written.turns()
    assert other.messages == [1]
    with pytest.raises(ValueError, match="no words"):
        await asyncio.wait_for(tasks[0], 60)
    tasks[1].cancel()


async def test_a_cancelled_send_ends_the_stream() -> None:
    written = Written()

    async def send(_: bytes) -> None:
        raise asyncio.CancelledError

    writing = asyncio.create_task(written.stream.write(send))
    written.news(0)
    await asyncio.wait((writing,), timeout=60)
    assert writing.cancelled()


async def test_what_comes_with_the_very_end_of_a_drain_is_told_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The store is closed then; that is no failure, and no traceback in the log."""
    stream = Written().stream
    command = p.PlayCommand(request_id="late", game_id="one", seat=0)
    stream._failed(command, ("one", 0), "answer", StoreClosed("the store is closed"))
    (report,) = p.PlayResponse.FromString(b"".join(stream._reports)).reports
    assert report.rejection.reason == reasons.REJECTION_REASON_DRAINING
    assert not caplog.records
