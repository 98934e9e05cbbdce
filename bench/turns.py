"""The same games on several servers in turns, so short that a slow second hits all of them.

One process loads them all. The stream in turn is played as by ``playing.bots``; then its answers
under way are waited for, and the others of its questions stay open until the next turn.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

import grpc

from bench import slim
from bench.counting import cpu_seconds
from bench.playing import OPTIONS, SHORTEST, Client, Seating

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.playing import Stream

SEATS = (0, 1)
WARM = 2  # turns of each before those that count


class Player:
    """One stream with its games."""

    def __init__(self, side: Side, stream: Stream, games: list[str], seating: Seating) -> None:
        self._side = side
        self._stream = stream
        self._games = games
        self._seating = seating
        self._held: list[slim.Asked] = []  # questions that are open

    async def play(self) -> None:
        """Until it is cancelled."""
        side = self._side
        await self._stream.hello()
        entering = asyncio.create_task(self._stream.enter(self._games, SEATS, ready=True))
        async for body in self._stream.messages():
            received = slim.read(body)
            for one in received.asked:
                side.follows(one.key[0])
            for over in received.over:
                following = self._seating.successor(over)
                if following is not None:
                    side.begins(following.encode())
                    side.follows(over)
                    await self._stream.enter([following], SEATS, ready=True)
            self._held += received.asked
            if side.playing:
                await self.go_on()
        await entering

    async def go_on(self) -> None:
        """Answer what is open."""
        held, self._held = self._held, []
        if held:
            for one in held:
                self._side.begins(one.key[0])
            await self._stream.answer([one.answer for one in held])


class Side:
    """One server: what is under way there, and what its turns gave."""

    def __init__(self, server: int) -> None:
        self.playing = False
        self.seconds: list[float] = []
        self.answers: list[int] = []
        self.cpu = 0.0
        self._server = server
        self._under_way: set[bytes] = set()
        self._counted = 0
        self._wanted = 0
        self._quiet = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._players: list[Player] = []

    async def enter(self, client: Client, games: int, streams: int, answers: int) -> None:
        """Begin so many games, and stop at the first question of each."""
        ids = await client.new_games(games + answers // SHORTEST + 1)
        seating = Seating(SEATS, ids[games:])
        share = games // streams
        for game_id in ids[:games]:
            self.begins(game_id.encode())
        for at in range(0, games, share):
            player = Player(self, client.stream(), ids[at : at + share], seating)
            self._players.append(player)
            self._tasks.append(asyncio.create_task(player.play()))
        await self._until_quiet()

    def begins(self, game_id: bytes) -> None:
        """The server owes something about a game."""
        self._under_way.add(game_id)
        self._quiet.clear()

    def follows(self, game_id: bytes) -> None:
        """And there it is."""
        if game_id in self._under_way:
            self._under_way.discard(game_id)
            self._counted += 1
            if self._counted >= self._wanted:
                self.playing = False
            if not (self._under_way or self.playing):
                self._quiet.set()

    async def turn(self, answers: int, *, counts: bool) -> None:
        """Have so many answers followed by what follows, and those that are under way then."""
        self._counted, self._wanted = 0, answers
        self.playing = True
        cpu, start = cpu_seconds(self._server), time.perf_counter()
        for player in self._players:
            await player.go_on()
        await self._until_quiet()
        if counts:
            self.seconds.append(time.perf_counter() - start)
            self.answers.append(self._counted)
            self.cpu += cpu_seconds(self._server) - cpu

    async def _until_quiet(self) -> None:
        quiet = asyncio.create_task(self._quiet.wait())
        done, _ = await asyncio.wait((quiet, *self._tasks), return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()  # a stream that ended says why

    async def leave(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def figures(self) -> dict[str, Any]:
        return {
            "rates": [count / took for count, took in zip(self.answers, self.seconds, strict=True)],
            "per_second": sum(self.answers) / sum(self.seconds),
            "server_us": self.cpu / sum(self.answers) * 1e6,
        }


async def in_turns(
    *,
    addresses: Sequence[str],
    servers: Sequence[int],
    secret: str,
    games: int,
    streams: int,
    answers: int,
    turns: int,
) -> dict[str, Any]:
    """So many turns of so many answers for each server, after some to warm up."""
    async with AsyncExitStack() as stack:
        sides: list[Side] = []
        for address, server in zip(addresses, servers, strict=True):
            channel = grpc.aio.insecure_channel(address, options=OPTIONS)
            await stack.enter_async_context(channel)
            sides.append(Side(server))
            stack.push_async_callback(sides[-1].leave)
            # Each turn goes a little further than it should: what is under way comes to its end.
            most = (answers + games) * (turns + WARM)
            await sides[-1].enter(Client(channel, secret, len(SEATS)), games, streams, most)
        for number in range(turns + WARM):
            first = number % len(sides)
            for side in sides[first:] + sides[:first]:  # nobody always follows the same one
                await side.turn(answers, counts=number >= WARM)
        return {"sides": [side.figures() for side in sides]}
