"""Trivial bots: they answer at once, with an option that depends on the decision's number alone."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import TYPE_CHECKING, Any

import grpc

from bench import slim
from bench.counting import Counter
from endless_winter.v1 import (
    config_pb2,
    game_service_pb2,
    game_service_pb2_grpc,
    play_service_pb2,
    view_pb2,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Sequence


p = play_service_pb2
PLAY = "/endless_winter.v1.PlayService/Play"
OPTIONS = [("grpc.max_receive_message_length", 1 << 24)]
# All that a trivial bot needs: the options, and nothing that it would not read.
FEED = p.FeedOptions(
    view_mode=view_pb2.VIEW_MODE_NEVER,
    skip_events=True,
    skip_labels=True,
    skip_moves=True,
    only_when_asked=True,
)
_AT_ONCE = 8  # games that are created side by side
_LOOK = 0.05  # seconds
SHORTEST = 100  # decisions: fewer than any game of two seats has; so many spare games are enough


class Client:
    """One client secret on one connection."""

    def __init__(self, channel: Any, secret: str, seats: int) -> None:
        self.metadata = (("ew-client-secret", secret),)
        self.seats = seats
        self._games: Any = game_service_pb2_grpc.GameServiceStub(channel)
        self._play = channel.stream_stream(PLAY)

    async def new_games(self, count: int) -> list[str]:
        """Games whose seats are all this client's."""
        gate = asyncio.Semaphore(_AT_ONCE)

        async def one() -> str:
            async with gate:
                return await self._new_game()

        return list(await asyncio.gather(*(one() for _ in range(count))))

    async def join(self, game_id: str, seat: int) -> None:
        join = game_service_pb2.JoinGameRequest(game_id=game_id, seat=seat)
        await self._games.JoinGame(join, metadata=self.metadata)

    async def create(self) -> str:
        """A game that nobody has joined yet."""
        seats = [config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)] * self.seats
        request = game_service_pb2.CreateGameRequest(config=config_pb2.GameConfig(seats=seats))
        created = await self._games.CreateGame(request, metadata=self.metadata)
        game_id: str = created.game.game_id
        return game_id

    async def _new_game(self) -> str:
        game_id = await self.create()
        for seat in range(self.seats):
            await self.join(game_id, seat)
        return game_id

    async def look_at(self, game_ids: Iterable[str]) -> None:
        """Ask for each game once, so that the server has it in memory."""
        gate = asyncio.Semaphore(_AT_ONCE)

        async def one(game_id: str) -> None:
            async with gate:
                request = game_service_pb2.GetGameRequest(game_id=game_id)
                await self._games.GetGame(request, metadata=self.metadata)

        await asyncio.gather(*(one(game_id) for game_id in game_ids))

    def stream(self) -> Stream:
        """A new Play stream, not opened yet."""
        return Stream(self, self._play(metadata=self.metadata))


class Stream:
    """A Play stream that reads and writes bytes."""

    def __init__(self, client: Client, call: Any) -> None:
        self._client = client
        self._call = call
        self._writing = asyncio.Lock()  # gRPC breaks a call on which two write at once

    async def hello(self) -> None:
        await self._send([p.PlayCommand(hello=p.Hello(least_revision=1))])

    async def enter(self, game_ids: Iterable[str], seats: Iterable[int], *, ready: bool) -> None:
        """Attach seats of the games; with `ready` they begin."""
        for game_id in game_ids:
            await self.attach(game_id, seats, ready=ready)

    async def attach(self, game_id: str, seats: Iterable[int], *, ready: bool) -> None:
        commands = []
        for seat in seats:
            attach = p.Attach(feed=FEED)
            commands.append(p.PlayCommand(game_id=game_id, seat=seat, attach=attach))
            if ready:
                commands.append(p.PlayCommand(game_id=game_id, seat=seat, ready=p.Ready()))
        await self._send(commands)

    async def _send(self, commands: list[p.PlayCommand]) -> None:
        await self._write(p.PlayRequest(commands=commands).SerializeToString())

    async def answer(self, answers: list[bytes]) -> None:
        await self._write(b"".join(answers))

    async def _write(self, body: bytes) -> None:
        try:
            async with self._writing:
                await self._call.write(body)
        except (asyncio.InvalidStateError, grpc.aio.AioRpcError) as error:
            # gRPC's words for a call that is over; why it is over, the call itself knows.
            raise await self._ended() from error

    async def messages(self) -> AsyncIterator[bytes]:
        while (body := await self._call.read()) is not grpc.aio.EOF:
            yield body
        raise await self._ended()

    async def _ended(self) -> RuntimeError:
        code, details = await self._call.code(), await self._call.details()
        return RuntimeError(f"the server ended the stream: {code.name} {details}")

    def cut(self) -> None:
        self._call.cancel()


class Seating:
    """Which games are played; one that ends gives its place to a spare one."""

    def __init__(self, seats: Sequence[int], spare: list[str]) -> None:
        self.seats = seats  # those of each game that are ours
        self._spare = spare
        self._results: dict[bytes, int] = {}

    def successor(self, over: bytes) -> str | None:
        """The game that follows when the last seat of one has its result."""
        count = self._results[over] = self._results.get(over, 0) + 1
        if count < len(self.seats):
            return None
        del self._results[over]
        if not self._spare:
            raise RuntimeError("there are not enough spare games")
        return self._spare.pop()


async def play(
    stream: Stream,
    games: list[str],
    seating: Seating,
    counter: Counter,
    *,
    new: bool,
    most: int,
    stay: bool = False,
) -> None:
    """Play games on one stream, at most so many answers under way; 0: each as soon as asked.

    With `stay` it goes on when all is counted, since others have not: until it is cancelled.
    """
    sent: dict[bytes, float] = {}
    waiting: deque[slim.Asked] = deque()
    begun = not most
    await stream.hello()
    entering = asyncio.create_task(stream.enter(games, seating.seats, ready=new))
    async for body in stream.messages():
        now = time.perf_counter()
        counter.weigh(len(body))
        received = slim.read(body)
        for one in received.asked:
            since = sent.pop(one.key[0], None)
            if since is not None:
                counter.count(now - since)
            waiting.append(one)
        if counter.over and not stay:
            break
        for over in received.over:
            sent.pop(over, None)
            follows = seating.successor(over)
            if follows is not None:
                await stream.enter([follows], seating.seats, ready=True)
        begun = begun or len(waiting) >= len(games)  # all are there, and one seat of each is asked
        answers = []
        now = time.perf_counter()  # a wait is the server's: reading the questions is not part of it
        while begun and waiting and (not most or len(sent) < most):
            one = waiting.popleft()
            sent[one.key[0]] = now
            answers.append(one.answer)
        if answers:
            await stream.answer(answers)
    entering.cancel()
    stream.cut()


async def bots(
    *,
    address: str,
    secret: str,
    games: int | list[str],
    streams: int,
    answers: int,
    seats: int = 2,
    most: int = 0,
    server: int = 0,
    samples: int = 0,
    warm: int | None = None,
) -> dict[str, Any]:
    """Play so many decisions, after some to warm up: a tenth of that, unless given.

    `games` are so many new ones, and then one that ends gives its place to another; or the ids of
    games that wait, which must be long enough.
    """
    warm = answers // 10 if warm is None else warm
    async with grpc.aio.insecure_channel(address, options=OPTIONS) as channel:
        client = Client(channel, secret, seats)
        spare: list[str] = []
        new = isinstance(games, int)
        if isinstance(games, int):
            places = games
            ids = await client.new_games(places + (answers + warm) // SHORTEST + 1)
            games, spare = ids[:places], ids[places:]
        counter = Counter(answers, warm=warm, server=server, samples=samples)
        seating = Seating(range(seats), spare)
        share = max(len(games) // streams, 1)
        groups = [games[at : at + share] for at in range(0, len(games), share)]
        await asyncio.gather(
            *(
                play(client.stream(), group, seating, counter, new=new, most=most)
                for group in groups
            )
        )
        return counter.figures()


async def shared_games(*, address: str, keys: Sequence[str], count: int) -> list[str]:
    """Games in which each of the clients has one seat, in the order of their secrets."""
    async with grpc.aio.insecure_channel(address, options=OPTIONS) as channel:
        clients = [Client(channel, key, len(keys)) for key in keys]
        gate = asyncio.Semaphore(_AT_ONCE)

        async def one(number: int) -> str:
            async with gate:
                game_id = await clients[number % len(clients)].create()
                for seat, client in enumerate(clients):
                    await client.join(game_id, seat)
                return game_id

        return list(await asyncio.gather(*(one(number) for number in range(count))))


async def one_seat(
    *,
    address: str,
    secret: str,
    games: list[str],
    seat: int,
    places: int,
    answers: int,
    linger: float,
) -> dict[str, Any]:
    """Play one seat of games that other processes play with, so many at a time, on one stream.

    It stays for some seconds when it has counted enough, so that the others come to their end.
    """
    async with grpc.aio.insecure_channel(address, options=OPTIONS) as channel:
        counter = Counter(answers, warm=answers // 10)
        # Every process sees the same games end, so they go on to the same ones.
        seating = Seating((seat,), games[: places - 1 : -1])
        stream = Client(channel, secret, 1).stream()
        playing = asyncio.create_task(
            play(stream, games[:places], seating, counter, new=True, most=0, stay=True)
        )
        while not (counter.over or playing.done()):
            await asyncio.wait((playing,), timeout=_LOOK)
        if not playing.done():
            await asyncio.wait((playing,), timeout=linger)
            playing.cancel()
        await asyncio.gather(playing, return_exceptions=counter.over)
        return counter.figures()
