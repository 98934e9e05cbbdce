"""What comes all at once is done a few at a time, in the order in which it came."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import grpc

from endless_winter.service.identity import Caller
from endless_winter.service.play_stream import AT_ONCE, PlayStream
from endless_winter.service.rounds import Rounds
from endless_winter.service.turns import Turns
from endless_winter.v1 import decision_pb2
from endless_winter.v1 import play_service_pb2 as p

PLACES = 2


class Crowd:
    """Some who want a place, and in which turn of the loop each had it."""

    def __init__(self, turns: Turns) -> None:
        self.turn = 0
        self.had: list[tuple[int, int]] = []
        self._turns = turns

    async def _want(self, number: int) -> None:
        if not self._turns.take():
            await self._turns.wait()
        self.had.append((self.turn, number))

    def come(self, *numbers: int) -> list[asyncio.Task[None]]:
        return [asyncio.create_task(self._want(number)) for number in numbers]

    async def pass_turns(self, count: int = 20) -> None:
        for _ in range(count):
            await asyncio.sleep(0)
            self.turn += 1


async def test_each_turn_has_so_many_places_and_who_came_first_is_first() -> None:
    crowd = Crowd(Turns(PLACES))
    tasks = crowd.come(*range(7))
    await crowd.pass_turns()
    assert all(task.done() for task in tasks)
    assert [number for _, number in crowd.had] == list(range(7))
    turns = [turn for turn, _ in crowd.had]
    assert max(turns.count(turn) for turn in turns) == PLACES


async def test_while_there_is_room_nobody_waits() -> None:
    turns = Turns(PLACES)
    for _ in range(3):
        assert turns.take()
        assert turns.take()
        assert not turns.take()
        await asyncio.sleep(0)


async def test_who_is_gone_keeps_nobody_waiting() -> None:
    crowd = Crowd(Turns(1))
    tasks = crowd.come(*range(5))
    await asyncio.sleep(0)
    for task in tasks[1:4]:
        task.cancel()
    await crowd.pass_turns(4)
    assert [number for _, number in crowd.had] == [0, 4]


class Streams:
    """Play streams that are read, and how many reports they have in each turn of the loop."""

    def __init__(self, places: int) -> None:
        self.hall: Any = SimpleNamespace(
            settings=SimpleNamespace(message_bytes=1 << 20),
            rounds=Rounds(lambda: None, lambda: None),
            time=SimpleNamespace(now_ms=lambda: 0, unix_ms=lambda: 0),
            command_turns=Turns(places),
        )
        self.streams: list[PlayStream] = []

    def open(self, *commands: p.PlayCommand) -> asyncio.Task[None]:
        """One that sends a message of these."""
        stream = PlayStream(self.hall, Caller(bytes(32), operator=False))
        stream._welcomed = True
        self.streams.append(stream)
        messages: list[Any] = [p.PlayRequest(commands=commands), grpc.aio.EOF]

        async def receive() -> Any:
            return messages.pop(0)

        return asyncio.create_task(stream.read(receive))

    @property
    def reports(self) -> int:
        return sum(len(stream._reports) for stream in self.streams)


async def test_streams_of_pings_share_the_turns_of_the_loop() -> None:
    streams = Streams(PLACES)
    ping = p.PlayCommand(ping=p.Ping(nonce=1))
    reading = [streams.open(*[ping] * 100) for _ in range(20)]
    most = 0
    while not all(task.done() for task in reading):
        before = streams.reports
        await asyncio.sleep(0)
        most = max(most, streams.reports - before)
    assert streams.reports == 2_000
    assert most <= PLACES * AT_ONCE


async def test_answers_wait_for_no_pings() -> None:
    """They are refused here, since nothing is attached: at once, while there is no place at all."""
    streams = Streams(0)
    pinging = streams.open(p.PlayCommand(ping=p.Ping(nonce=1)))
    answer = p.PlayCommand(
        game_id="g", seat=0, answer=decision_pb2.Answer(decision_id=1, take_default=True)
    )
    answering = streams.open(answer)
    await asyncio.wait_for(answering, 5)
    assert not pinging.done()
    assert streams.reports == 1
    pinging.cancel()
