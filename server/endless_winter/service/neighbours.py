"""The other nodes on the same store: heartbeats, wake-ups, and a slow look at what those missed.

Wake-ups save time and nothing else: each may be lost, late or double. What they say is looked up in
the store.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from endless_winter.engine.refusal import Refusal
from endless_winter.engine.stored_game import config_of
from endless_winter.engine.table import ENDED
from endless_winter.service import logs
from endless_winter.store.errors import StoreError
from endless_winter.store.records import UNFINISHED, Query, Status, Wake

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable

    from endless_winter.engine.nodes import Nodes
    from endless_winter.service.host import Host

BEAT_SECONDS: Final = 1.0
LOOK_SECONDS: Final = 2.0
_MANY: Final = 1000  # games of one look; the next one finds the others
_WANTED: Final = Query(everything=True, statuses=frozenset((Status.OPEN, Status.STARTING)))


class Neighbours:
    """Of one node."""

    def __init__(self, host: Host, nodes: Nodes) -> None:
        self._host = host
        self._nodes = nodes
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._telling = False

    async def start(self) -> None:
        """Be one of the nodes from now on."""
        self._loop = asyncio.get_running_loop()
        await self._beat()
        await asyncio.to_thread(self._host.store.listen, self._heard)
        self._host.rounds.after = self.tell
        self._spawn(self._beats())
        self._spawn(self._looks())

    async def stop(self) -> None:
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- heartbeats ---

    async def _beats(self) -> None:
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            try:
                await self._beat()
            except StoreError as error:
                logs.log.debug("a heartbeat failed", why=str(error))
            self.tell()

    async def _beat(self) -> None:
        """One heartbeat; a node that was silent for too long goes on under another name."""
        host, clock = self._host, self._host.clock
        while True:
            before = clock.unix_ms()
            pulse = await asyncio.to_thread(
                host.store.beat, self._nodes.name, host.engine.version, draining=host.draining
            )
            clock.set_calendar(pulse.time_ms, before)
            if host.engine.hear(pulse, clock.now()):
                return
            logs.log.warning("this node was silent for too long, and begins anew")

    # --- what is told ---

    def tell(self) -> None:
        """After a round: have the others know of it, and the store of what was delivered."""
        if not self._telling and self._has_news():
            self._telling = True
            self._spawn(self._tell())

    def _has_news(self) -> bool:
        return bool(self._nodes.deliveries) or self._nodes.has_news()

    async def _tell(self) -> None:
        host = self._host
        try:
            while self._has_news():
                wake = self._nodes.take_wake()
                deliveries = host.engine.take_deliveries(host.clock.now())
                if deliveries:
                    await asyncio.to_thread(host.store.deliver, deliveries)
                if wake is not None:
                    await asyncio.to_thread(host.store.notify, wake)
        except StoreError as error:  # the others look for themselves
            logs.log.debug("the other nodes could not be told", why=str(error))
        finally:
            self._telling = False

    # --- what is heard ---

    def _heard(self, wake: Wake) -> None:
        """By any thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._hear, wake)

    def _hear(self, wake: Wake) -> None:
        engine = self._host.engine
        if engine.draining:
            return
        wanted: dict[str, None] = {}
        for game_id, head in wake.heads.items():
            game = engine.games.get(game_id)
            if game is not None and game.table.seq < head:
                wanted[game_id] = None
        for game_id, clients in wake.clients.items():
            if any(engine.lobby.waits(client) for client in clients):
                wanted[game_id] = None
        for game_id, name in wake.bots.items():
            if name in engine.matchmaking.bots:
                wanted[game_id] = None
        self._read(wanted)
        if not wake.heads:
            self._spawn(self._look())

    def _read(self, game_ids: Iterable[str]) -> None:
        """Have games loaded, or read on."""
        for game_id in game_ids:
            if not self._host.engine.absent.why(game_id):
                self._spawn(self._read_one(game_id))

    async def _read_one(self, game_id: str) -> None:
        try:
            await self._host.loader.read_on(game_id)
        except (Refusal, StoreError) as error:
            logs.log.debug("a game could not be read on", game=game_id, why=str(error))
        except Exception:  # noqa: BLE001 # it concerns this game alone
            logs.log.exception("a game could not be read on", game=game_id)

    # --- what wake-ups missed ---

    async def _looks(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if not self._host.draining:
                await self._look()

    async def _look(self) -> None:
        try:
            await self._look_once()
        except StoreError as error:
            logs.log.debug("the store could not be asked for news", why=str(error))

    async def _look_once(self) -> None:
        host, engine = self._host, self._host.engine
        loaded = [one.game_id for one in engine.games.values() if one.table.status != ENDED]
        heads = await asyncio.to_thread(host.store.heads, loaded) if loaded else {}
        wanted: dict[str, None] = {}
        for game_id in loaded:
            game, head = engine.games.get(game_id), heads.get(game_id)
            if game is not None and head is not None and head.seq > game.table.seq:
                wanted[game_id] = None
        for game_id in await asyncio.to_thread(host.store.overdue):
            wanted[game_id] = None
        for client in engine.lobby.waiting():
            query = Query(client=client, mine=True, statuses=UNFINISHED)
            page = await asyncio.to_thread(host.store.list_games, query, limit=_MANY)
            for header in page.games:
                if header.game_id not in engine.games:
                    wanted[header.game_id] = None
        if engine.matchmaking.bots:
            page = await asyncio.to_thread(host.store.list_games, _WANTED, limit=_MANY)
            for header in page.games:
                if header.game_id in engine.games:
                    continue
                for number, seat in enumerate(config_of(header).seats):
                    if seat.bot_name in engine.matchmaking.bots and number not in header.players:
                        wanted[header.game_id] = None
        self._read(wanted)
