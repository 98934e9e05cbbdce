"""Games on their way into memory: read from the store, folded a few entries at a time.

Commands whose game is not in memory, or has entries of another writer, wait here and come back into
the inbox; other games go on meanwhile.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from endless_winter.content import ContentError, pack_of
from endless_winter.engine.absent import BROKEN, OTHER_CONTENT, OTHER_RULES, Suspended
from endless_winter.engine.creating import GAME_ID
from endless_winter.engine.loading import Loading, catch_up
from endless_winter.engine.packs import Kit
from endless_winter.engine.refusal import Refusal, no_such_game, store_unavailable
from endless_winter.engine.stored_game import may_know
from endless_winter.engine.table import ENDED
from endless_winter.rules import RULES_VERSION
from endless_winter.service import logs
from endless_winter.service.clock import RETURN_MS
from endless_winter.store.errors import StoreDamaged, StoreError

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from endless_winter.engine.caller import Caller
    from endless_winter.engine.commands import Command
    from endless_winter.engine.engine import Engine
    from endless_winter.engine.game import Game
    from endless_winter.service.clock import Clock
    from endless_winter.service.rounds import Rounds
    from endless_winter.store.protocol import Store
    from endless_winter.store.records import GameRecord, Header, Uptime

RULES = str(RULES_VERSION)
_PAGE = 500
_SLICE = 8  # entries that are folded before others have a turn: a millisecond or so
_AT_ONCE = 4  # games that are loaded side by side
_OLDER = 8  # older packs in the cache; games in memory hold theirs anyway


def thought_ms(asked_unix_ms: int, before: Sequence[tuple[int, int]], start_unix_ms: int) -> int:
    """For how long servers before this one have waited for the answer to a question.

    Each of them was gone once, and the clients had to find the next.
    """
    thought = 0
    later = start_unix_ms
    for since, until in reversed(before):
        ended = min(until, later)  # a calendar that was set back counts nothing twice
        thought += max(ended - max(since, asked_unix_ms) - RETURN_MS, 0)
        later = min(since, later)
        if later <= asked_unix_ms:
            break
    return thought


class Loader:
    """Of one server."""

    def __init__(self, engine: Engine, store: Store, clock: Clock, rounds: Rounds) -> None:
        self._engine = engine
        self._store = store
        self._clock = clock
        self._rounds = rounds
        self._start_unix_ms = clock.unix_ms()
        self.uptimes: list[Uptime] = []
        """When there was a server before this one."""
        self._loads: dict[str, asyncio.Task[Game | None]] = {}
        self._next: dict[str, asyncio.Task[Game | None]] = {}  # each waits for the one before
        self._waiting: dict[str, list[Command]] = {}
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._kits: dict[str, Kit | None] = {}  # the one that was asked for last comes last
        self._reading_pack = asyncio.Lock()
        rounds.absent = self.wait

    # --- games ---

    async def game(self, game_id: str) -> Game | None:
        """A game, from memory or the store; None: there is none. Raises `Suspended`."""
        known = self._engine.games.get(game_id)
        if known is not None or not GAME_ID.match(game_id):
            return known
        return await asyncio.shield(self._task(game_id))

    async def read_on(self, game_id: str) -> Game | None:
        """A game as its log is now, or later: what other nodes have added is read."""
        if not GAME_ID.match(game_id):
            return None
        return await asyncio.shield(self._task(game_id, anew=True))

    def wait(self, commands: list[Command]) -> None:
        """Have the games of commands loaded, or read further; then the commands come back."""
        for command in commands:
            waiting = self._waiting.get(command.game_id)
            if waiting is not None:
                waiting.append(command)
                continue
            self._waiting[command.game_id] = [command]
            task = self._task(command.game_id, anew=True)
            task.add_done_callback(partial(self._come, command.game_id))

    def _task(self, game_id: str, *, anew: bool = False) -> asyncio.Task[Game | None]:
        """The load under way, or a new one; `anew`: one that has not begun to read yet."""
        task = self._loads.get(game_id)
        if task is None:
            return self._begin(self._loads, game_id, self._load(game_id))
        if not anew:
            return task
        return self._next.get(game_id) or self._begin(
            self._next, game_id, self._load_after(game_id, task)
        )

    def _begin(
        self,
        known: dict[str, asyncio.Task[Game | None]],
        game_id: str,
        work: Coroutine[None, None, Game | None],
    ) -> asyncio.Task[Game | None]:
        task = known[game_id] = asyncio.create_task(work)

        def done(_: object) -> None:
            if known.get(game_id) is task:
                del known[game_id]

        task.add_done_callback(done)
        return task

    async def _load_after(self, game_id: str, before: asyncio.Task[Game | None]) -> Game | None:
        await asyncio.wait((before,))
        self._next.pop(game_id, None)  # from now on it may be too late for others
        return await self._task(game_id)

    def _come(self, game_id: str, done: asyncio.Task[Game | None]) -> None:
        """A load has ended: its commands go on, or are refused."""
        commands = self._waiting.pop(game_id, [])
        self._engine.loading.discard(game_id)
        if done.cancelled():
            return
        error = done.exception()
        if error is None and done.result() is not None:
            self._rounds.put_first(commands)
            return
        for command in commands:
            command.deliver(self._why(game_id, command.caller, error))

    def _why(self, game_id: str, caller: Caller, error: BaseException | None) -> Refusal:
        if error is None:
            return no_such_game()
        if isinstance(error, Suspended):  # that it exists is not for everybody to know
            header = self._engine.absent.header(game_id)
            seen = header is not None and may_know(header, caller)
            return error if seen else no_such_game()
        if isinstance(error, Refusal):
            return error
        logs.log.error("a game could not be loaded", game=game_id[:64], exc_info=error)
        return store_unavailable()

    async def _load(self, game_id: str) -> Game | None:
        known = self._engine.games.get(game_id)
        if known is not None:
            return await self._read_on(known)
        async with self._places:
            if not GAME_ID.match(game_id):
                return None
            why = self._engine.absent.why(game_id)
            if why:
                raise Suspended(why)
            record = await asyncio.to_thread(self._store.load, game_id)
            if record is None:
                return None
            return await self._fold(record)

    async def _read_on(self, game: Game) -> Game:
        """Another writer may have added to the log."""
        newer = await asyncio.to_thread(self._store.read, game.game_id, game.table.seq)
        if not newer and game.timeless:
            return game
        record = await asyncio.to_thread(self._store.load, game.game_id)
        if record is None:
            return game
        now = self._clock.now()
        changed = False
        newer = [entry for entry in newer if entry.seq > game.table.seq]  # some were our own
        if newer and newer[0].seq == game.table.seq + 1:
            before = game.table.status
            changed = catch_up(game, record, newer, now) or game.table.status != before
        if self._store.shared:
            game.read_deadline(record.header, now)
        self._engine.published(game, now, changed=changed)
        return game

    async def _fold(self, record: GameRecord) -> Game:
        header = record.header
        if header.damaged:
            raise self.suspend_damaged(header)
        if header.rules_version != RULES:
            raise self.suspend(header, OTHER_RULES)
        kit = await self.kit(header.content_hash)
        if kit is None:
            raise self.suspend(header, OTHER_CONTENT)
        try:
            loading = Loading(record, kit, self._clock.unix_ms())
            after = 0
            # Not what was added since the record was read: it does not name those people.
            while after < header.seq:
                most = min(_PAGE, header.seq - after)
                page = await asyncio.to_thread(self._store.read, header.game_id, after, most)
                if not page:
                    break
                for count, entry in enumerate(page, 1):
                    loading.take(entry)
                    if not count % _SLICE:
                        await asyncio.sleep(0)
                after = page[-1].seq
            thought = thought_ms(loading.asked_unix_ms, self.uptimes, self._start_unix_ms)
            engine, now = self._engine, self._clock.now()
            game = loading.finish(
                engine.settings, engine.lobby.presence, thought, engine.version, now
            )
        except Exception as error:
            if isinstance(error, StoreError) and not isinstance(error, StoreDamaged):
                raise  # the store's trouble, not the game's
            logs.log.exception("a game cannot be continued", game=header.game_id)
            raise self.suspend(header, BROKEN) from error
        known = engine.games.get(game.game_id)
        if known is not None:
            return known
        engine.add(game, now)
        if self._store.shared:
            game.read_deadline(header, now)
            engine.arm(game, now)
        self._rounds.schedule()  # it may have a deadline
        return game

    def suspend(self, header: Header, why: str) -> Suspended:
        """The game is only shown from now on: it is nobody's load, and waits for nobody."""
        engine, game_id = self._engine, header.game_id
        engine.creators.leave(game_id)
        for seat in range(header.seats):
            engine.matchmaking.hold((game_id, seat), b"")
        engine.absent.add(header, why)
        return Suspended(why)

    def suspend_damaged(self, header: Header) -> Suspended:
        """What the store lists of the game is not what was written."""
        why = "its row of the table games is damaged; 'ew store check' says more"
        logs.log.error("a game cannot be continued", game=header.game_id, why=why)
        return self.suspend(header, BROKEN)

    async def forget_removed(self, game_ids: Sequence[str]) -> None:
        """Forget those of ended games that were removed from the store (`ew store prune`)."""
        heads = await asyncio.to_thread(self._store.heads, game_ids)
        for game_id in set(game_ids) - heads.keys():
            if game_id in self._engine.ended:
                self._engine.forget(self._engine.ended[game_id])

    async def find(self, game_id: str) -> Game | None:
        """As `game`; an ended one may have been removed from the store since."""
        game = await (self.read_on(game_id) if self._store.shared else self.game(game_id))
        if game is not None and game.table.status == ENDED:
            with suppress(StoreError):  # what is in memory is shown also while the store is away
                await self.forget_removed([game_id])
            game = await self.game(game_id)  # nearly always the same
        return game

    # --- content packs ---

    async def kit(self, content_hash: str) -> Kit | None:
        """The pack of a game; None: it is not stored, or this version cannot read it."""
        if content_hash == self._engine.kit.pack.digest:
            return self._engine.kit
        async with self._reading_pack:  # one at a time, each once
            if content_hash in self._kits:
                found = self._kits.pop(content_hash)
            else:
                found = await self._read_pack(content_hash)
            self._kits[content_hash] = found
            if len(self._kits) > _OLDER:
                del self._kits[next(iter(self._kits))]
        return found

    async def _read_pack(self, content_hash: str) -> Kit | None:
        data = await asyncio.to_thread(self._store.get_pack, content_hash)
        if data is None:
            return None
        try:
            pack = await asyncio.to_thread(pack_of, data)
        except ContentError as error:
            logs.log.warning("a content pack cannot be read", pack=content_hash, why=str(error))
            return None
        if pack.digest != content_hash:
            logs.log.warning("a content pack is not what its hash says", pack=content_hash)
            return None
        return Kit(pack)
