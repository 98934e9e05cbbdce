"""Where a bot is examined: a real server, the proxy, the relay, and the bot itself."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

from endless_winter.conformance.opponent import Opponent
from endless_winter.conformance.proxy import Line, Proxy
from endless_winter.conformance.relay import Relay
from endless_winter.conformance.watch import Chair, Sent, Watch
from endless_winter.v1 import arena_service_pb2 as a

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.conformance.process import BotProcess
    from endless_winter.v1 import play_service_pb2 as p

CAPACITY = 8
_LOOK_S = 0.1  # how often time itself is looked at
_BEAT_S = 0.05  # how often the checker sees whether it came late itself
_LAST_WORDS_S = 2.0  # until what a bot said before it ended is read


class Wrong(Exception):
    """The bot did something wrong; the message says what."""


class NotAsked(Exception):
    """The situation does not apply to this bot; the message says why."""


class Held(NamedTuple):
    """An answer that was taken off the line."""

    line: Line
    command: p.PlayCommand
    answers: int  # answers to this decision so far, this one included

    @property
    def decision(self) -> int:
        return self.command.answer.decision_id


class Host(Protocol):
    """A server process that can be started again on the same games."""

    operator_token: str

    def start(self) -> str:
        """Start it; the address at which it listens."""

    def kill(self) -> None:
        """End it as a crash would."""

    def stop(self) -> None:
        """Drain it, and wait until it is gone."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the checker expects; all in seconds."""

    limit: float = 5.0  # for one choice
    start: float = 30.0  # until the bot has attached
    patience: float = 20.0  # until it is back after a cut
    leave: float = 10.0  # from SIGTERM to the end
    quiet: float = 0.4  # how long silence is listened to


class Clock:
    """Time in which the checker itself was running.

    On a busy machine an answer may lie here unread. What the checker could not do in time is not
    the bot's fault, so that time does not count.
    """

    def __init__(self) -> None:
        self._stalled = 0.0
        self._task: asyncio.Task[None] | None = None

    def now(self) -> float:
        return time.monotonic() - self._stalled

    def start(self) -> None:
        self._task = asyncio.create_task(self._beat())

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _beat(self) -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(_BEAT_S)
            self._stalled += max(0.0, time.monotonic() - before - 2 * _BEAT_S)


class Game:
    """A game of the bot against the checker."""

    def __init__(self, harness: Harness, game_id: str, seat: int) -> None:
        self._harness = harness
        self.game_id = game_id
        self.seat = seat

    @property
    def chair(self) -> Chair:
        return self._harness.watch.chair(self.game_id, self.seat)

    async def taken(self) -> None:
        """Wait until the bot has attached the seat and said Ready."""
        limit = self._harness.settings.patience
        await self._harness.until(
            lambda: bool(self.chair.attaches), limit, "did not attach the seat that it accepted"
        )
        await self._harness.until(lambda: self.chair.ready, limit, "did not say Ready")

    async def goes_on(self, more: int = 2) -> None:
        """Wait for so many further answers that are accepted."""
        chair = self.chair
        wanted = len(chair.accepted) + more
        for now in range(len(chair.accepted), wanted):
            await self._harness.until(
                self._accepted(now),
                self._harness.settings.patience,
                "did not go on with the game",
            )

    async def finished(self) -> None:
        """Wait for the result; whenever the bot is asked, it has its time and no more."""
        limit = self._harness.settings.limit
        chair = self.chair
        while not chair.ended:
            await self._harness.until(
                self._moved(chair.seq, len(chair.answers)),
                max(limit, self._harness.settings.patience) + 1,
                "got no further: the game stands still",
            )
            if (decision := chair.overdue(limit, self._harness.clock.now())) is not None:
                self._harness.watch.note("in-time", f"no answer within {limit:g} s")
                raise Wrong(f"it did not answer decision {decision} within {limit:g} s")

    def over(self) -> None:
        """The game is over for the bot: look at what it has still sent."""
        if self.chair.since_end:
            self._harness.watch.note(
                "stops", "it went on sending commands for a game that was over for it"
            )

    def _accepted(self, count: int) -> Callable[[], bool]:
        chair = self.chair
        return lambda: len(chair.accepted) > count or chair.ended

    def _moved(self, seq: int, answers: int) -> Callable[[], bool]:
        """Whether something has happened since, or should have."""
        chair = self.chair
        limit = self._harness.settings.limit
        return lambda: (
            chair.ended
            or (chair.seq, len(chair.answers)) != (seq, answers)
            or chair.overdue(limit, self._harness.clock.now()) is not None
        )


class Harness:
    """Everything together; use it as a context manager."""

    def __init__(self, bot: BotProcess, host: Host, settings: Settings) -> None:
        self.bot = bot
        self.host = host
        self.settings = settings
        self.name = f"checked-{secrets.token_hex(4)}"  # several checks may share a server
        self.token = "the-token-of-the-checker"  # noqa: S105 # a word that the bot hands back
        self.secret = secrets.token_hex(32)
        self.clock = Clock()
        self.watch = Watch(settings.limit, self.clock.now)
        self.proxy = Proxy()
        self.relay = Relay()
        self.opponent = Opponent(host.operator_token)
        self._stir = asyncio.Event()
        self._games: list[Game] = []
        self._count = 0
        self.expected_end = False  # the checker itself ends the bot
        self.proxy.received = self._received
        self.proxy.sent = self._sent
        self.proxy.bound = self.watch.bound
        self.proxy.stirred = self._stirred
        bot.ended = self._stirred

    async def __aenter__(self) -> Self:
        self.clock.start()
        await self.proxy.open()
        await self.relay.open(self.proxy.port)
        await self.start_server()
        return self

    async def __aexit__(self, *args: object) -> None:
        await self.bot.kill()
        await self.opponent.close()
        await self.relay.close()
        await self.proxy.close()
        self.host.kill()
        self.clock.stop()

    def _stirred(self) -> None:
        self._stir.set()

    def _received(self, line: Line, command: p.PlayCommand) -> None:
        self.watch.command(line.number, command)

    def _sent(self, line: Line, report: p.PlayReport) -> None:
        self.watch.report(line.number, report)

    # --- server and bot ---

    async def start_server(self) -> None:
        address = await asyncio.to_thread(self.host.start)
        await self.proxy.connect(address)
        await self.opponent.connect(address)

    async def start_bot(self) -> None:
        """Start the bot and wait until it has attached to the arena."""
        self.watch.restarted()
        self.expected_end = False
        seen = len(self.proxy.hellos)
        await self.bot.start(
            {
                "EW_SERVER": self.relay.address,
                "EW_CLIENT_SECRET": self.secret,
                "EW_BOT_NAME": self.name,
                "EW_BOT_TOKEN": self.token,
                "EW_BOT_CAPACITY": str(CAPACITY),
            }
        )
        await self.until(
            lambda: len(self.proxy.hellos) > seen,
            self.settings.start,
            "did not attach to the arena (ArenaService.AttachBot with BotHello)",
        )

    async def check_alive(self) -> None:
        if not self.bot.running and not self.expected_end:
            await self.bot.wait(_LAST_WORDS_S)
            raise Wrong(
                f"its process ended by itself (status {self.bot.status}); "
                f"its last words: {self.bot.last_words()}"
            )

    async def until(self, reached: Callable[[], bool], seconds: float, failing: str) -> None:
        """Wait for something; a bot that ends, floods or does nothing is reported as such."""
        deadline = self.clock.now() + seconds
        while not reached():
            await self.check_alive()
            if self.watch.flooding:
                raise Wrong("it floods the server with commands that nothing asked for")
            left = deadline - self.clock.now()
            if left <= 0:
                raise Wrong(f"it {failing} within {seconds:g} s")
            self._stir.clear()
            try:
                await asyncio.wait_for(self._stir.wait(), min(left, _LOOK_S))
            except TimeoutError:
                continue

    async def listen(self, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Let time pass, to see what the bot does unasked; no longer than until it has done it."""
        deadline = self.clock.now() + seconds
        while not until() and (left := deadline - self.clock.now()) > 0:
            self._stir.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stir.wait(), min(left, _LOOK_S))

    # --- games ---

    async def game(
        self, *, clock: float | None = None, game_id: str = "", closed: bool = False
    ) -> Game:
        """A new game that asks for the bot; without an id the server makes one.

        `closed`: as a tournament creates it, so that nobody else can know of it.
        """
        self._count += 1
        seed = hashlib.sha256(f"conformance {self._count}".encode()).digest()
        clock_ms = int(1000 * (clock if clock is not None else self.settings.limit * 4))
        seat = self._count % 2
        game_id = await self.opponent.create(
            self.name, seed, clock_ms, seat, game_id=game_id, closed=closed
        )
        game = Game(self, game_id, seat)
        self._games.append(game)
        return game

    async def playing(self, *, clock: float | None = None, answers: int = 1) -> Game:
        """A new game in which the bot has given some answers."""
        game = await self.game(clock=clock)
        await game.taken()
        if answers:
            await game.goes_on(answers)
        return game

    async def clear(self) -> None:
        """End what is still running, so that one situation does not disturb the next."""
        self.proxy.command_rules.clear()
        self.proxy.report_rules.clear()
        self.proxy.arena_rules.clear()
        self.relay.unshut()
        for game in self._games:
            if not game.chair.ended:
                await self.opponent.abort(game.game_id)
        self._games.clear()

    # --- interference ---

    async def held_answer(self, game: Game) -> Held:
        """Take the bot's next answer off the line: the server does not get it."""
        found: list[Held] = []

        def hold(line: Line, command: p.PlayCommand) -> list[p.PlayCommand] | None:
            if found or command.game_id != game.game_id or not command.HasField("answer"):
                return None
            sent = game.chair.answers[command.answer.decision_id]
            found.append(Held(line, command, len(sent)))
            return []

        self.proxy.command_rules.append(hold)
        await self.until(lambda: bool(found), self.settings.patience, "did not answer")
        self.proxy.command_rules.remove(hold)
        return found[0]

    def hold_reply(self) -> list[tuple[Line, a.AttachBotRequest]]:
        """Take the bot's next OfferReply off the line when it comes: what is returned gets it."""
        found: list[tuple[Line, a.AttachBotRequest]] = []

        def hold(line: Line, message: a.AttachBotRequest | a.AttachBotResponse) -> bool:
            if found or not isinstance(message, a.AttachBotRequest):
                return False
            if message.HasField("offer_reply"):
                found.append((line, message))
            return bool(found)

        self.proxy.arena_rules.append(hold)
        return found

    async def answers_again(self, game: Game, held: Held, failing: str) -> Sent:
        """Wait until the bot has sent another answer to the decision whose answer was held."""
        chair = game.chair
        sent = chair.answers[held.decision]
        await self.until(lambda: len(sent) > held.answers, self.settings.patience, failing)
        return sent[held.answers]

    async def back(self, game: Game, line: Line) -> None:
        """Wait until the bot has attached the game on a newer stream."""
        chair = game.chair
        await self.until(
            lambda: any(number > line.number for number, _ in chair.attaches),
            self.settings.patience,
            "did not come back and attach its game",
        )
