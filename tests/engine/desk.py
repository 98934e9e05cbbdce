"""An engine, a store and a clock that the test turns: rounds without an event loop.

`Desk` is the shell of a test. It does what service/rounds.py and service/loader.py do, one step
after the other: commands go into an inbox, rounds run until it is empty, games that are not in
memory are loaded. Time stands still until the test moves it.
"""

from __future__ import annotations

import hashlib
import itertools
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.content import load_pack
from endless_winter.engine.caller import Caller
from endless_winter.engine.clocks import Now
from endless_winter.engine.commands import (
    AbortGame,
    Answer,
    Asked,
    Command,
    CreateInvitation,
    HandSeatToBot,
    JoinGame,
    LeaveGame,
    Ready,
    RebindSeat,
    Reply,
    RevokeSeat,
    SetStandingAnswers,
    Undo,
)
from endless_winter.engine.creating import CreateGame
from endless_winter.engine.engine import Engine
from endless_winter.engine.loading import Loading, catch_up
from endless_winter.engine.matchmaking import Bot
from endless_winter.engine.packs import Kit
from endless_winter.engine.refusal import Refusal, no_such_game, store_unavailable
from endless_winter.engine.replay.record import record_of
from endless_winter.engine.settings import Settings
from endless_winter.engine.stream import CONTRACT_REVISION, PlayStream
from endless_winter.engine.table import RUNNING
from endless_winter.service.identity import holder_of
from endless_winter.store.errors import StoreError
from endless_winter.store.memory import MemoryStore
from endless_winter.store.records import UNFINISHED, Query
from endless_winter.v1 import arena_service_pb2 as a
from endless_winter.v1 import config_pb2, decision_pb2, replay_pb2, server_info_pb2
from endless_winter.v1 import game_service_pb2 as g
from endless_winter.v1 import operator_service_pb2 as o
from endless_winter.v1 import play_service_pb2 as p

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

    from endless_winter.content import Pack
    from endless_winter.engine.game import Game
    from endless_winter.store.protocol import Store
    from endless_winter.store.records import LogEntry

PACK = load_pack()
START_UNIX_MS = 1_000_000
UNFINISHED_GAMES = Query(everything=True, statuses=UNFINISHED)


def client(name: str) -> bytes:
    """What a server keeps of the secret of a client of that name (`tests.service.player`)."""
    return holder_of(hashlib.sha256(name.encode()).hexdigest())


def caller(name: str, *, operator: bool = False) -> Caller:
    return Caller(client(name), operator=operator)


OPERATOR = caller("operator", operator=True)


def no_room(appends: object) -> None:
    """A hook of `MemoryStore`: nothing can be committed."""
    del appends
    raise StoreError("no room")


def config(seats: int | list[config_pb2.SeatConfig] = 2, **more: Any) -> config_pb2.GameConfig:
    """A configuration: of so many open seats, of seats of these `kinds`, or of these seats."""
    if isinstance(seats, int):
        kinds = more.pop("kinds", [config_pb2.SEAT_KIND_OPEN] * seats)
        seats = [config_pb2.SeatConfig(kind=kind) for kind in kinds]
    return config_pb2.GameConfig(seats=seats, **more)


@contextmanager
def refused(reason: str) -> Iterator[pytest.ExceptionInfo[Refusal]]:
    """What happens in here is refused, for this reason of the contract."""
    with pytest.raises(Refusal) as found:
        yield found
    assert found.value.name == reason


class Replies:
    """Keeps the replies to commands."""

    def __init__(self) -> None:
        self.found: list[tuple[Command, Reply]] = []

    def deliver(self, command: Command, reply: Reply) -> None:
        self.found.append((command, reply))


class Desk:
    """One server without a network."""

    def __init__(self, store: Store | None = None, pack: Pack = PACK, **settings: Any) -> None:
        self.store: Store = MemoryStore() if store is None else store
        self.pack = pack
        self.settings = Settings(**settings)
        self.ms = 0
        self.unix_ms = START_UNIX_MS
        self.queued_ms = 0
        self._ids = itertools.count(1)
        self.engine = self._engine()
        self.inbox: list[Command] = []
        self.streams: list[Stream] = []

    def _engine(self) -> Engine:
        return Engine(self.settings, Kit(self.pack), "test", lambda: f"id-{next(self._ids)}")

    @property
    def now(self) -> Now:
        return Now(self.ms, self.unix_ms, self.queued_ms)

    # --- rounds ---

    def put(self, *commands: Command) -> None:
        """Put commands into the inbox; `run` takes them."""
        self.inbox += commands

    def run(self) -> None:
        """Rounds until there is nothing to do."""
        for stream in self.streams:
            while stream.play.queue:
                self.inbox.append(stream.play.queue.popleft())
                stream.play.in_flight += 1
        while True:
            commands = [*self.inbox, *self.engine.due(self.now)]
            self.inbox = []
            if not commands and not self.engine.matchmaking.due:
                return
            self.round(commands)

    def round(self, commands: list[Command]) -> None:
        """One round."""
        found = self.engine.round(commands, self.now)
        if found.faults:
            raise found.faults[0][1]
        self.inbox += found.deferred
        try:
            outcomes = self.store.commit(found.appends) if found.appends else []
            firsts = [
                self.store.find_request(item.key.caller, item.key.request_id, item.scope)
                for item in found.lookups
                if item.key is not None
            ]
        except StoreError:  # what became of it is not known
            self._recover()
            outcomes = self.store.resolve(found.appends)
            firsts = [None for _ in found.lookups]
            for item in found.lookups:
                item.reply = store_unavailable()
        behind = self.engine.committed(found, outcomes, firsts, self.now)
        self.engine.loading.clear()  # all are loaded at once
        for command in (*found.absent, *behind):
            try:
                game = self.load(command.game_id)
            except Refusal as refusal:
                command.deliver(refusal)
                continue
            if game is None:
                command.deliver(no_such_game())
            else:
                self.inbox.append(command)

    def _recover(self) -> None:
        """Until the store is back; meanwhile the running clock stands still."""
        while True:
            try:
                self.store.recover()
            except StoreError:
                continue
            return

    def load(self, game_id: str, thought_ms: int = 0) -> Game | None:
        """A game, from memory or the store; what another writer has added is read.

        `thought_ms`: its question was pending for so long while there was a server.
        """
        record = self.store.load(game_id)
        if record is None:
            return None
        known = self.engine.games.get(game_id)
        if known is not None:
            newer = self.store.read(game_id, known.table.seq)
            changed = catch_up(known, record, newer, self.now)
            self.engine.published(known, self.now, changed=changed)
            return known
        loading = Loading(record, self.engine.kit, self.unix_ms)
        for entry in self.entries(game_id):
            loading.take(entry)
        presence = self.engine.lobby.presence
        game = loading.finish(self.settings, presence, thought_ms, "test", self.now)
        self.engine.add(game, self.now)
        return game

    def restart(self) -> None:
        """A new engine on the same store, with nothing in memory but what goes on by itself."""
        self.engine = self._engine()
        self.inbox = []
        self.streams = []
        for header in self.store.list_games(UNFINISHED_GAMES, limit=1 << 62).games:
            if self.engine.take_stock(header, self.now):
                self.load(header.game_id)

    def find_id(self, game_id: str) -> Game:
        found = self.engine.games.get(game_id) or self.load(game_id)
        assert found is not None
        return found

    def find(self, game: Game) -> Game:
        """The same game after a restart."""
        return self.find_id(game.game_id)

    @contextmanager
    def full_disk(self) -> Iterator[None]:
        """In here nothing can be committed."""
        assert isinstance(self.store, MemoryStore)
        self.store.before = no_room
        yield
        self.store.before = None

    # --- logs ---

    def entries(self, game_id: str) -> list[LogEntry]:
        found: list[LogEntry] = []
        while page := self.store.read(game_id, len(found)):
            found += page
        return found

    def log(self, game: Game) -> list[replay_pb2.LogEntry]:
        """The log of a game, as messages."""
        return [replay_pb2.LogEntry.FromString(one.payload) for one in self.entries(game.game_id)]

    def record(self, game: Game) -> replay_pb2.ReplayFile:
        """What an export of a game gives."""
        record = self.store.load(game.game_id)
        assert record is not None
        return record_of(record, self.entries(game.game_id), CONTRACT_REVISION)

    def advance(self, by_ms: int, *, stalled: bool = False) -> None:
        """Let time pass, with every deadline on the way.

        `stalled`: the running clock stands still, as while the store is away.
        """
        if stalled:
            self.unix_ms += by_ms
            return
        until = self.ms + by_ms
        self.run()
        while (due := self.engine.timers.next_ms()) is not None and due <= until:
            step = max(due - self.ms, 0)
            self.ms += step
            self.unix_ms += step
            self.run()
        self.unix_ms += until - self.ms
        self.ms = until
        self.run()

    # --- commands ---

    def do(self, command: Command) -> bytes:
        """The reply to a command whose origin is `Replies`; a refusal is raised."""
        origin = command.asked.origin
        assert isinstance(origin, Replies)
        self.put(command)
        self.run()
        for answered, reply in reversed(origin.found):
            if answered is command:
                if isinstance(reply, Refusal):
                    raise reply
                return reply
        raise AssertionError("there is no reply")

    def asked(self, name: str, *, operator: bool = False) -> Asked:
        """Somebody asks now, as by a unary call."""
        return Asked(caller(name, operator=operator), Replies(), self.now)

    def create(
        self,
        seats: int | list[config_pb2.SeatConfig] = 2,
        *,
        name: str = "host",
        request_id: str = "",
        game_id: str = "",
        seed: bytes = bytes(32),
        operator: bool = False,
        **more: Any,
    ) -> Game:
        request = g.CreateGameRequest(
            config=config(seats, **more), request_id=request_id, game_id=game_id, seed=seed
        )
        number = next(self._ids)
        command = CreateGame(
            request,
            self.asked(name, operator=operator),
            f"game-{number}",
            f"player-{number}",
            bytes(32),
            bytes(32),
        )
        created = self.do(command).decode()
        return self.find_id(created)

    def join_of(self, game: Game, seat: int | None, name: str, **more: Any) -> JoinGame:
        """The command by which somebody takes a seat."""
        request = g.JoinGameRequest(game_id=game.game_id, seat=seat, display_name=name, **more)
        return JoinGame(request, self.asked(name), f"player-{next(self._ids)}")

    def join(self, game: Game, seat: int | None, name: str, **more: Any) -> int:
        command = self.join_of(game, seat, name, **more)
        return g.JoinGameResponse.FromString(self.do(command)).seat

    def leave(self, game: Game, seat: int, name: str, request_id: str = "") -> None:
        request = g.LeaveGameRequest(game_id=game.game_id, seat=seat, request_id=request_id)
        self.do(LeaveGame(request, self.asked(name)))

    def seated(self, seats: int = 2, **more: Any) -> Game:
        """A game whose seats are taken ("player 0", ...) and that waits for Ready."""
        game = self.create(seats, **more)
        for seat in range(seats):
            self.join(game, seat, f"player {seat}")
        return game

    def running(self, seats: int = 2, **more: Any) -> Game:
        game = self.seated(seats, **more)
        for seat in range(seats):
            self.ready(game, seat)
        return game

    def _common(
        self, game: Game, seat: int, name: str, request_id: str
    ) -> tuple[str, int, Asked, str]:
        return game.game_id, seat, self.asked(name or f"player {seat}"), request_id

    def ready_of(self, game: Game, seat: int, request_id: str = "", name: str = "") -> Ready:
        return Ready(*self._common(game, seat, name, request_id))

    def ready(self, game: Game, seat: int, request_id: str = "", name: str = "") -> p.Accepted:
        return p.Accepted.FromString(self.do(self.ready_of(game, seat, request_id, name)))

    def answer_of(
        self, game: Game, request_id: str = "", *, seat: int = -1, name: str = "", **choice: Any
    ) -> Answer:
        """The command by which a seat answers; by default the asked one takes the default."""
        table = game.table
        seat = table.deciding_seat if seat < 0 else seat
        wanted = choice or {"take_default": True}
        wanted.setdefault("decision_id", table.decision_id)
        message = decision_pb2.Answer(**wanted)
        return Answer(*self._common(game, seat, name, request_id), message)

    def answer(self, game: Game, request_id: str = "", **choice: Any) -> p.Accepted:
        return p.Accepted.FromString(self.do(self.answer_of(game, request_id, **choice)))

    def undo(
        self, game: Game, seat: int, decision_id: int | None = None, request_id: str = ""
    ) -> p.Accepted:
        decision_id = game.table.decision_id if decision_id is None else decision_id
        command = Undo(*self._common(game, seat, "", request_id), p.Undo(decision_id=decision_id))
        return p.Accepted.FromString(self.do(command))

    def standing_of(
        self, game: Game, seat: int, *kinds: Any, request_id: str = ""
    ) -> SetStandingAnswers:
        """The command by which a seat sets its standing answers."""
        standing = p.SetStandingAnswers(
            answers=[decision_pb2.StandingAnswer(kind=kind) for kind in kinds]
        )
        return SetStandingAnswers(*self._common(game, seat, "", request_id), standing)

    def set_standing(self, game: Game, seat: int, *kinds: Any, request_id: str = "") -> p.Accepted:
        command = self.standing_of(game, seat, *kinds, request_id=request_id)
        return p.Accepted.FromString(self.do(command))

    def play(
        self,
        game: Game,
        choices: random.Random | None = None,
        until: Callable[[Game], bool] = lambda _: False,
    ) -> None:
        """Have all seats answer, at random or by defaults, until something holds, or to the end."""
        while game.table.status == RUNNING and not until(game):
            if choices is None:
                self.answer(game)
            else:
                self.choose(game, choices)

    def choose(self, game: Game, choices: random.Random) -> p.Accepted:
        """The asked seat answers at random."""
        position = game.table.game
        assert position is not None
        return self.answer(game, option_id=choices.randrange(len(position.options())))

    # --- the table around a game ---

    def abort_of(
        self,
        game: Game,
        name: str = "host",
        *,
        operator: bool = False,
        note: str = "",
        request_id: str = "",
    ) -> AbortGame:
        request = g.AbortGameRequest(game_id=game.game_id, request_id=request_id, note=note)
        return AbortGame(request, self.asked(name, operator=operator))

    def abort(self, game: Game, name: str = "host", **more: Any) -> None:
        self.do(self.abort_of(game, name, **more))

    def invite(
        self,
        game: Game,
        seat: int,
        name: str = "host",
        *,
        operator: bool = False,
        request_id: str = "",
    ) -> str:
        """The word of a new invitation."""
        request = g.CreateInvitationRequest(game_id=game.game_id, seat=seat, request_id=request_id)
        command = CreateInvitation(request, self.asked(name, operator=operator))
        return game.invitations.word(self.do(command))

    def revoke(self, game: Game, seat: int, *, forfeit: bool = False, request_id: str = "") -> None:
        request = o.RevokeSeatRequest(
            game_id=game.game_id, seat=seat, forfeit=forfeit, request_id=request_id
        )
        self.do(RevokeSeat(request, self.asked("operator", operator=True)))

    def rebind(self, game: Game, seat: int, request_id: str = "") -> str:
        """The word that takes the seat from now on."""
        request = o.RebindSeatRequest(game_id=game.game_id, seat=seat, request_id=request_id)
        key = next(self._ids).to_bytes(16, "big")
        command = RebindSeat(request, self.asked("operator", operator=True), key)
        return game.invitations.word(self.do(command))

    def take_over(self, game: Game, seat: int, name: str) -> None:
        """An operator rebinds a seat, and somebody else takes it."""
        self.join(game, seat, name, invitation=self.rebind(game, seat))

    def hand(self, game: Game, seat: int, bot_name: str) -> Replies:
        """An operator gives a seat to a bot; the reply comes when one has taken it."""
        request = o.HandSeatToBotRequest(game_id=game.game_id, seat=seat, bot_name=bot_name)
        replies = Replies()
        command = HandSeatToBot(request, Asked(OPERATOR, replies, self.now))
        self.engine.matchmaking.hand(game, command)
        self.run()
        return replies

    def bot(self, name: str = "mine", who: str = "bot", **hello: Any) -> Bot:
        """A bot attaches."""
        hello = {"capacity": 5, **hello}
        bot = Bot(a.BotHello(name=name, **hello), client(who), lambda: None)
        self.engine.matchmaking.attach(bot)
        self.run()
        return bot

    def reply(self, bot: Bot, offer_id: str, *, accept: bool = True) -> None:
        """A bot takes an offer, or declines it."""
        reply = a.OfferReply(offer_id=offer_id, accept=accept)
        self.engine.matchmaking.reply(bot, reply, self.now)
        self.run()

    def stream(self, name: str, *, hello: bool = True) -> Stream:
        """A Play stream of a client."""
        stream = Stream(self, name)
        self.streams.append(stream)
        if hello:
            stream.send(p.PlayCommand(hello=p.Hello()))
        return stream


class Stream:
    """A Play stream: what is sent is done at once, and what came back can be read."""

    def __init__(self, desk: Desk, name: str) -> None:
        self._desk = desk
        self.play = PlayStream(
            caller(name), desk.settings, server_info_pb2.ServerInfo, lambda: None
        )

    def put(self, *commands: p.PlayCommand) -> None:
        """One message, which is read and waits for the next round."""
        raw = p.PlayRequest(commands=commands).SerializeToString()
        self.play.queue.extend(self.play.parse(raw, self._desk.now))

    def send(self, *commands: p.PlayCommand) -> None:
        """One message."""
        self.put(*commands)
        self._desk.run()

    def attach(self, game: Game, seat: int | None = None, **feed: Any) -> None:
        attach = p.Attach(feed=p.FeedOptions(**feed))
        self.send(p.PlayCommand(game_id=game.game_id, seat=seat, attach=attach))

    def messages(self) -> list[bytes]:
        """The messages that were sent to the client since it was last asked for."""
        found: list[bytes] = []
        while raw := self.play.compose(self._desk.now):
            found.append(raw)
        return found

    def received(self) -> list[p.PlayReport]:
        """The reports of those messages."""
        return [one for raw in self.messages() for one in p.PlayResponse.FromString(raw).reports]

    def close(self) -> None:
        self._desk.streams.remove(self)
        self._desk.engine.left(self.play.close(self._desk.now), self._desk.now)
        self._desk.run()
