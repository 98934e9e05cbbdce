"""End to end with real processes: a server and four clients, of which one dies and comes back."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Self

from endless_winter.v1 import result_pb2
from tests.service.player import Client, play_stream
from tests.service.wire import served

if TYPE_CHECKING:
    from types import TracebackType


ROOT = Path(__file__).parents[2]
NAMES = ("ann", "bob", "cat", "dan")


class Seat:
    """A client process and the lines it has said so far."""

    def __init__(
        self, address: str, game_id: str, seat: int, way: str, *, after: int = 0, most: int = -1
    ) -> None:
        words = [address, NAMES[seat], game_id, way, str(seat), str(after), str(most)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.service.seat_process", *words],
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        self.said: list[list[str]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def kill(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()

    def line(self) -> list[str]:
        assert self._process.stdout is not None
        words = self._process.stdout.readline().split()
        assert words, f"the client ended with {self._process.wait()}"
        self.said.append(words)
        return words

    def answers(self, count: int) -> int:
        """Wait for so many answers; the number of the last."""
        while True:
            words = self.line()
            if words[0] == "answered":
                count -= 1
                if not count:
                    return int(words[2])

    def result(self) -> result_pb2.GameResult:
        while True:
            words = self.line()
            if words[0] == "result":
                assert self._process.wait(120) == 0
                return result_pb2.GameResult.FromString(bytes.fromhex(words[1]))


async def seated(address: str) -> str:
    """A game of four, everyone in their seat."""
    async with Client(address, "ann") as ann:
        game_id = (await ann.create(4, seed=b"4" * 32)).game_id
    for seat, name in enumerate(NAMES):
        async with Client(address, name) as client:
            await client.join(game_id, seat)
    return game_id


async def plainly(address: str, game_id: str) -> result_pb2.GameResult:
    """The same game without any trouble, in this process."""
    clients = [Client(address, name) for name in NAMES]
    ends = await asyncio.gather(
        *[play_stream(client, [(game_id, seat)], 7) for seat, client in enumerate(clients)]
    )
    for client in clients:
        await client.channel.close()
    return ends[0][(game_id, 0)].result


async def test_four_processes_finish_a_game_though_one_is_killed_and_one_has_no_stream() -> None:
    with served() as server:
        expected = await plainly(server.address, await seated(server.address))
        game_id = await seated(server.address)
        at = (server.address, game_id)
        with (
            Seat(*at, 0, "stream") as ann,
            Seat(*at, 1, "calls") as bob,
            Seat(*at, 2, "stream") as cat,
            Seat(*at, 3, "stream", most=12) as victim,
        ):
            # It stops by itself: else how far the game is when it dies would depend on the machine.
            last = victim.answers(12)
            victim.kill()
            with Seat(*at, 3, "stream", after=last) as again:
                results = [one.result() for one in (ann, bob, cat, again)]
                assert again.said[0] == ["resumed", str(last)]
            assert sum(words[0] == "answered" for words in bob.said) > 20
    assert results == [expected] * 4
    assert sorted(seat.place for seat in expected.seats) == [1, 2, 3, 4]
