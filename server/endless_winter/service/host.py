"""One server's games: the engine, its rounds, its store, and what goes on at start and end."""

from __future__ import annotations

import asyncio
import secrets
from base64 import urlsafe_b64encode
from contextlib import suppress
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING

from endless_winter.engine.absent import BROKEN, OTHER_CONTENT, OTHER_RULES, Suspended
from endless_winter.engine.commands import MOST_PLAN_TEXTS, Asked
from endless_winter.engine.creating import GAME_ID, CreateGame
from endless_winter.engine.engine import Engine
from endless_winter.engine.packs import Kit
from endless_winter.engine.refusal import no_such_game
from endless_winter.engine.stored_game import StoredGame, ended_info, may_know
from endless_winter.engine.stream import CONTRACT_REVISION
from endless_winter.engine.table import ENDED
from endless_winter.rules.chance import SALT_BYTES, SEED_BYTES
from endless_winter.service import logs
from endless_winter.service.limits import Limits, lasting_per_connection
from endless_winter.service.loader import RULES, Loader
from endless_winter.service.meters import Meters, RefusalLog
from endless_winter.service.neighbours import Neighbours
from endless_winter.service.rounds import Call, Rounds
from endless_winter.store.errors import StoreDamaged
from endless_winter.store.records import UNFINISHED, Query, Status
from endless_winter.v1 import server_info_pb2

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.content import Pack
    from endless_winter.engine.caller import Caller
    from endless_winter.engine.commands import Command
    from endless_winter.engine.game import Game
    from endless_winter.engine.settings import Settings
    from endless_winter.engine.stream import PlayStream
    from endless_winter.service.clock import Clock
    from endless_winter.store.protocol import Store
    from endless_winter.store.records import GameRecord, Header, LogEntry
    from endless_winter.v1 import game_pb2, game_service_pb2

GOODBYE_MS = 1000  # a stream is cut so long after it was sent a goodbye
_ID_BYTES = 9  # a multiple of three: in base 64 nothing is filled up
_GAME_ID_BYTES = 12
_ALL = 1 << 62


@cache
def server_version() -> str:
    """Of the package that is installed; it is read from a file, and every stream asks for it."""
    return metadata.version("endless-winter")


def new_id(chance: Callable[[int], bytes]) -> str:
    """A random id."""
    return urlsafe_b64encode(chance(_ID_BYTES)).decode()


def new_game_id(chance: Callable[[int], bytes]) -> str:
    """Nobody can guess it. People type it as an argument, where a first '-' makes an option."""
    while (game_id := urlsafe_b64encode(chance(_GAME_ID_BYTES)).decode()).startswith("-"):
        pass
    return game_id


class Host:
    """What the services of one server work with."""

    def __init__(
        self,
        store: Store,
        pack: Pack,
        *,
        clock: Clock,
        settings: Settings,
        chance: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        """`chance` gives so many random bytes: for ids, seeds and keys."""
        self.store = store
        self.pack = pack
        self.clock = clock
        self.settings = settings
        self.chance = chance
        self.meters = Meters()
        self.limits = Limits(settings, lambda: clock.now().ms, RefusalLog(self.meters).note)
        self.engine = Engine(
            settings, Kit(pack), server_version(), self.new_id, shared=store.shared
        )
        self.rounds = Rounds(self.engine, store, clock, self.meters)
        self.loader = Loader(self.engine, store, clock, self.rounds)
        nodes = self.engine.nodes
        self.neighbours = Neighbours(self, nodes) if nodes is not None else None
        self.streams: dict[PlayStream, None] = {}  # in their order
        self._goodbye_ms = GOODBYE_MS
        self._waking: asyncio.Task[None] | None = None

    @property
    def draining(self) -> bool:
        return self.engine.draining

    def server_info(self) -> server_info_pb2.ServerInfo:
        """Versions and limits, as the first message of every stream names them."""
        limits = self.settings
        return server_info_pb2.ServerInfo(
            contract="endless_winter.v1",
            contract_revision=CONTRACT_REVISION,
            rules_version=RULES,
            content_hash=self.pack.digest,
            server_version=server_version(),
            server_time_unix_ms=self.clock.unix_ms(),
            limits=server_info_pb2.ServerLimits(
                message_bytes=limits.message_bytes,
                attachments_per_stream=limits.attachments_per_stream,
                streams_per_client=limits.streams_per_client,
                games_per_creator=limits.games_per_creator,
                page_size=limits.page_size,
                wait_ms=limits.wait_ms,
                wrong_answers_to_forfeit=limits.wrong_answers_to_forfeit,
                timeouts_to_forfeit=limits.timeouts_to_forfeit,
                calls_per_connection=limits.calls_per_connection,
                lasting_calls_per_connection=lasting_per_connection(limits),
                waits_per_client=limits.waits_per_client,
                request_bytes=limits.request_bytes,
                commands_per_message=limits.commands_per_message,
                plan_texts=MOST_PLAN_TEXTS,
            ),
        )

    def new_id(self) -> str:
        """A random id of a player or an offer."""
        return new_id(self.chance)

    def asked(self, caller: Caller) -> Asked:
        """A unary call that was read just now."""
        return Asked(caller, Call(), self.clock.now_unary())

    # --- finding ---

    async def find(self, game_id: str, caller: Caller, invitation: str = "") -> Game:
        """A game that the caller may know of; an unknown one and a hidden one look the same."""
        try:
            game = await self.loader.find(game_id)
        except Suspended:  # that it exists is not for everybody to know
            await self.record(game_id, caller)
            raise
        if game is None or not (game.may_see(caller) or game.invites(invitation)):
            raise no_such_game()
        game.note_client_seen(caller.client, self.clock.now())
        return game

    async def record(self, game_id: str, caller: Caller) -> GameRecord:
        """All but the log that the store has of a game that the caller may know of."""
        record = None
        if GAME_ID.match(game_id):
            record = await asyncio.to_thread(self.store.load, game_id)
        if record is None or not may_know(record.header, caller):
            raise no_such_game()
        return record

    async def stored_game(self, game_id: str, caller: Caller) -> StoredGame:
        """All that the store has of it."""
        record = await self.record(game_id, caller)
        entries: list[LogEntry] = []
        with suppress(StoreDamaged):  # what else there is can be shown
            entries = await asyncio.to_thread(self.store.read, game_id, 0, _ALL)
        return StoredGame(record, entries)

    async def describe(
        self, game_id: str, caller: Caller, header: Header | None = None
    ) -> game_pb2.GameInfo:
        """What the caller may know of a game; `header` is what the store has just said of it.

        An ended game that is not in memory is shown from what the store lists: it is not folded,
        nor is one that this server cannot continue.
        """
        game = self.engine.games.get(game_id)
        if game is not None and header is not None and game.may_see(caller):
            return game.info_for(caller, self.clock.now())
        if game is None:
            if header is None or not may_know(header, caller):
                header = (await self.record(game_id, caller)).header
            if header.status == Status.ENDED:
                info = ended_info(header)
                return info or (await self.stored_game(game_id, caller)).info()
        try:
            found = await self.find(game_id, caller)
        except Suspended:
            stored = await self.stored_game(game_id, caller)
            return stored.info_for(caller, self.clock.unix_ms())
        return found.info_for(caller, self.clock.now())

    async def create(self, caller: Caller, request: game_service_pb2.CreateGameRequest) -> Game:
        """A new game, or the one that the same request made before."""
        command = CreateGame(
            request,
            self.asked(caller),
            new_game_id(self.chance),
            self.new_id(),
            self.chance(SEED_BYTES),
            self.chance(SALT_BYTES),
        )
        game_id = (await self.rounds.call(command)).decode()
        return await self.find(game_id, caller)

    async def first_answer(self, command: Command, game: Game | None = None) -> bytes | None:
        """Idempotency without a round: what the same request of a game was answered before."""
        key = command.key(game)
        if key is None:
            return None
        found = await asyncio.to_thread(
            self.store.find_request, key.caller, key.request_id, command.game_id
        )
        return None if found is None else key.first(found)

    async def load_seats(self, client: bytes) -> None:
        """Load the games in which a client holds a seat: only they know what it owes."""
        if self.store.shared:
            await self._read_seats(client)
            return
        for game_id in self.engine.absent.loadable(client):
            with suppress(Suspended):
                await self.loader.game(game_id)

    async def _read_seats(self, client: bytes) -> None:
        """As the store has them now: other nodes may have gone on, or given it seats."""
        query = Query(client=client, mine=True, statuses=UNFINISHED)
        page = await asyncio.to_thread(self.store.list_games, query, limit=_ALL)
        held = {game_id: 0 for game_id, _ in self.engine.lobby.seats.get(client, {})}
        heads = held | {header.game_id: header.seq for header in page.games}
        for game_id, head in heads.items():
            game = self.engine.games.get(game_id)
            if game is None or game.table.seq < head or (not head and game.table.status != ENDED):
                with suppress(Suspended):
                    await self.loader.read_on(game_id)

    # --- start and end ---

    async def start(self) -> int:
        """Take stock of unfinished games; how many go on by themselves, and are being loaded.

        They are loaded one by one while others play: a clock that stood still with the server
        starts again when its game is there.
        """
        if self.neighbours is not None:
            await self.neighbours.start()
            return 0  # each node has the games in memory that somebody asks it for
        self.loader.uptimes = await asyncio.to_thread(self.store.uptimes)
        self.rounds.start_heartbeats()
        alone = []
        readable: dict[str, bool] = {}
        query = Query(everything=True, statuses=UNFINISHED)
        unfinished = await asyncio.to_thread(self.store.list_games, query, limit=_ALL)
        for header in unfinished.games:
            if header.game_id in self.engine.games:
                continue
            if header.damaged:
                self.loader.suspend_damaged(header)
                continue
            if header.rules_version != RULES:
                self.loader.suspend(header, OTHER_RULES)
                continue
            content = header.content_hash
            if content not in readable:
                readable[content] = await self.loader.kit(content) is not None
            if not readable[content]:
                self.loader.suspend(header, OTHER_CONTENT)
                continue
            try:
                if self.engine.take_stock(header, self.clock.now()):
                    alone.append(header.game_id)
            except Exception:  # noqa: BLE001 # anything can be wrong with this one
                logs.log.exception("a game cannot be continued", game=header.game_id)
                self.loader.suspend(header, BROKEN)
        suspended = self.engine.absent.statuses().count(Status.SUSPENDED)
        if suspended:
            logs.log.warning(
                "unfinished games cannot be continued by this version; they are shown as suspended",
                games=suspended,
            )
        if alone:
            self._waking = asyncio.create_task(self._wake(alone))
        return len(alone)

    async def _wake(self, game_ids: list[str]) -> None:
        for game_id in game_ids:
            try:
                await self.loader.game(game_id)
            except Suspended:
                continue  # that is known, and logged
            except Exception:  # noqa: BLE001 # the others are to be loaded
                logs.log.exception("a game could not be loaded", game=game_id)

    async def woken(self) -> None:
        """Return when the games that go on by themselves are loaded."""
        if self._waking is not None:
            await self._waking

    def enter(self, stream: PlayStream) -> None:
        """A stream opens. One whose call was accepted just before a drain gets its goodbye too."""
        self.streams[stream] = None
        if self.draining:
            self._goodbye(stream)

    def _goodbye(self, stream: PlayStream) -> None:
        stream.goodbye(self.clock.unix_ms() + self._goodbye_ms)
        asyncio.get_running_loop().call_later(self._goodbye_ms / 1000, stream.end)

    def drain(self, grace_ms: int) -> None:
        """Graceful shutdown: refuse what is new, send goodbyes, finish a commit in flight."""
        self._goodbye_ms = min(grace_ms, GOODBYE_MS)
        if self._waking is not None:
            self._waking.cancel()
        self.engine.drain()
        self.rounds.stop_heartbeats()
        for stream in tuple(self.streams):
            self._goodbye(stream)

    async def close(self) -> None:
        """Finish what is in flight."""
        if self._waking is not None:
            self._waking.cancel()
        if self.neighbours is not None:
            await self.neighbours.stop()
        await self.rounds.stop()
