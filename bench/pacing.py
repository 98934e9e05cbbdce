"""An open loop: answers are due at fixed times, however late the server is.

If bots waited for a slow server before they send more, its worst times would be measured
least. So each wait counts from the time at which the answer was due.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import grpc

from bench import slim
from bench.counting import Counter
from bench.playing import OPTIONS, Client, Stream

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

T = TypeVar("T")


class Pace(Generic[T]):
    """Hands out what is ready, one piece for each due time."""

    def __init__(self, per_second: int, now: Callable[[], float] = time.perf_counter) -> None:
        self._step = 1 / per_second
        self._now = now
        self._ready: deque[T] = deque()

    def ready(self, piece: T) -> None:
        """It can be sent when its time comes; first come, first served."""
        self._ready.append(piece)

    def __len__(self) -> int:
        return len(self._ready)

    async def run(
        self,
        send: Callable[[float, T], Awaitable[None]],
        over: Callable[[], bool],
        others: Sequence[asyncio.Task[None]],
    ) -> None:
        """Send until it is over; what goes wrong in the other tasks is raised here."""
        due = self._now()
        while not over():
            for task in others:
                if task.done() and (error := task.exception()) is not None:
                    raise error
            now = self._now()
            # Where nothing is ready the time stays due, and its wait goes on.
            while due <= now and self._ready:
                await send(due, self._ready.popleft())
                due += self._step
            await asyncio.sleep(max(due - self._now(), 0.0005))
        for task in others:
            task.cancel()
        for task in others:
            with suppress(asyncio.CancelledError):
                await task


async def paced(
    *,
    address: str,
    secret: str,
    games: int,
    streams: int,
    answers: int,
    per_second: int,
    seats: int = 2,
    server: int = 0,
) -> dict[str, Any]:
    """Games on several streams that together get so many answers a second."""
    async with grpc.aio.insecure_channel(address, options=OPTIONS) as channel:
        client = Client(channel, secret, seats)
        warm = answers // 10
        ids = await client.new_games(games)
        counter = Counter(answers, warm=warm, server=server)
        pace: Pace[tuple[Stream, slim.Asked]] = Pace(per_second)
        due_at: dict[bytes, float] = {}
        opened = [client.stream() for _ in range(streams)]

        async def read(stream: Stream) -> None:
            async for body in stream.messages():
                now = time.perf_counter()
                counter.weigh(len(body))
                received = slim.read(body)
                for one in received.asked:
                    due = due_at.pop(one.key[0], None)
                    if due is not None:
                        counter.count(now - due)
                    pace.ready((stream, one))
                for over in received.over:  # with so many games few come that far
                    due_at.pop(over, None)

        async def send(due: float, piece: tuple[Stream, slim.Asked]) -> None:
            stream, asked = piece
            due_at[asked.key[0]] = due
            await stream.answer([asked.answer])

        readers = []
        for number, stream in enumerate(opened):
            await stream.hello()
            readers.append(asyncio.create_task(read(stream)))
            await stream.enter(ids[number::streams], range(seats), ready=True)
        while len(pace) < games:  # until every game has asked
            for reader in readers:
                if reader.done():
                    await reader
            await asyncio.sleep(0.01)
        await pace.run(send, lambda: counter.over, readers)
        for stream in opened:
            stream.cut()
        return counter.figures()
