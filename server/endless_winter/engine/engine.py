"""The engine: all games in memory, and rounds of commands over them.

A round has three steps, and only the middle one is not the engine's:

    round(commands, now)          each command is refused, or drafts log entries for its game
    store.commit(round.appends)   one transaction
    committed(round, ...)         drafts become the state; replies and updates go out

A game takes at most one changing command in a round. What comes second waits for the next round, so
nothing is ever decided by entries that are not committed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.engine.absent import Absent, bot_seats, goes_on_alone
from endless_winter.engine.caller import Caller
from endless_winter.engine.clocks import CLOCK, DELAY, MATCH, OFFER, UNSTARTED, Timers
from endless_winter.engine.commands import (
    Asked,
    Change,
    Command,
    NeverStarted,
    Reply,
    TimeOut,
    accepted_seq,
)
from endless_winter.engine.creating import CreateGame
from endless_winter.engine.creators import Creators
from endless_winter.engine.lobby import Lobby
from endless_winter.engine.matchmaking import Matchmaking
from endless_winter.engine.nodes import Nodes
from endless_winter.engine.refusal import (
    Refusal,
    draining,
    fault,
    no_such_game,
    store_unavailable,
)
from endless_winter.engine.stored_game import StoredGameCommand, config_of
from endless_winter.engine.stream import StreamCommand
from endless_winter.engine.subscription import wake
from endless_winter.engine.table import ENDED
from endless_winter.store.errors import (
    Conflict,
    GameExists,
    NoSuchGame,
    Repeated,
    StoreError,
    TooMany,
)
from endless_winter.store.records import STALE_MS, Append, Delivery, Status
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from endless_winter.engine.clocks import Now
    from endless_winter.engine.commands import RequestKey
    from endless_winter.engine.draft import Draft
    from endless_winter.engine.game import Game
    from endless_winter.engine.packs import Kit
    from endless_winter.engine.settings import Settings
    from endless_winter.store.records import FirstAnswer, Header, Pulse

MOST_ATTEMPTS: Final = 8  # of a command that another writer is quicker than
MOST_REMEMBERED: Final = 256  # requests of a game that change nothing; they must not fill the store
MOST_ENDED: Final = 256  # ended games that stay in memory for those who look once more
RETRY_MS: Final = 1000  # after this long a time-out that could not be committed is tried again
RETRY_ABORT_MS: Final = 10_000  # the same for a game that never started
SOON_MS: Final = 20  # a time-out that came too early looks again after this long


class Nobody:
    """Where the engine's own commands come from."""

    __slots__ = ()

    def deliver(self, command: Command, reply: Reply) -> None:
        """Nobody waits for it."""


NOBODY: Final = Nobody()
_ENGINE: Final = Caller(b"", operator=True)


class Item:
    """One command of a round, and what becomes of it."""

    __slots__ = ("append", "command", "draft", "game", "key", "reply")

    def __init__(self, command: Command, game: Game | None, reply: Reply | None = None) -> None:
        self.command = command
        self.game = game
        self.reply = reply
        self.draft: Draft | None = None
        self.append: Append | None = None
        self.key: RequestKey | None = None  # set: its request id is looked up before the reply

    @property
    def scope(self) -> str:
        """The game in which its request id is known; empty: among those that create one."""
        return "" if isinstance(self.command, CreateGame) else self.command.game_id


class Round:
    """What the engine makes of a list of commands."""

    __slots__ = ("absent", "appends", "deferred", "faults", "items", "lookups")

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.appends: list[Append] = []
        """What the store is to commit."""
        self.lookups: list[Item] = []
        """Refused commands with a request id: they may be retries of what was accepted."""
        self.deferred: list[Command] = []
        """Their games have a draft in this round: they come first in the next."""
        self.absent: list[Command] = []
        """Their games have to be loaded."""
        self.faults: list[tuple[Command, Exception]] = []
        """Mistakes of ours, for the log of the server."""


class Engine:
    """All games in memory."""

    def __init__(
        self,
        settings: Settings,
        kit: Kit,
        version: str,
        new_id: Callable[[], str],
        *,
        shared: bool = False,
    ) -> None:
        """`kit` is for new games, `version` the server's own, `new_id` draws a random id.

        `shared`: other nodes serve the same store.
        """
        self.nodes = Nodes(new_id()) if shared else None
        self.settings = settings
        self.kit = kit
        self.version = version
        self.new_id = new_id
        self.games: dict[str, Game] = {}
        self.loading: set[str] = set()
        """Games that commands wait for; the loader takes out what it has loaded."""
        self.timers = Timers()
        self.lobby = Lobby()
        self.creators = Creators(settings)
        self.absent = Absent()
        self.matchmaking = Matchmaking(self)
        self.inbox: list[Command] = []
        """Commands of the engine's own, for the next round."""
        self.draining = False
        self._now_ms = 0  # of the round under way
        self.ended: dict[str, Game] = {}
        """Ended games in memory, oldest first."""
        self.choices = 0
        """Choices that were committed."""

    # --- a round ---

    def round(self, commands: Sequence[Command], now: Now) -> Round:
        """Apply commands one after the other."""
        found = Round()
        for command in commands:
            self._take(found, command, now)
        return found

    def _take(self, found: Round, command: Command, now: Now) -> None:
        game = self.games.get(command.game_id)
        if isinstance(command, (CreateGame, StoredGameCommand)):
            if any(item.command.game_id == command.game_id for item in found.items):
                found.deferred.append(command)
            else:
                self._apply(found, command, None, now)
        elif command.game_id in self.loading:
            found.absent.append(command)
        elif game is not None and game.drafted:
            found.deferred.append(command)
        elif isinstance(command, StreamCommand) and (game is not None or not command.loads):
            if self._is_confirmed(command):
                self._read(found, command, now)
            else:
                self._confirm(found, command)
        elif game is not None:
            self._apply(found, command, game, now)
        else:
            self._load(found, command)

    def can_read(self, command: StreamCommand) -> bool:
        """Whether it can be answered from memory at once."""
        if not command.game_id:
            return True
        return command.game_id in self.games and self._is_confirmed(command)

    def _is_confirmed(self, command: StreamCommand) -> bool:
        return self.nodes is None or command.confirmed or not command.loads

    def _confirm(self, found: Round, command: Command) -> None:
        """Another node may have gone on with the game: it is read before the reply."""
        command.confirmed = True
        self.loading.add(command.game_id)
        found.absent.append(command)

    def _load(self, found: Round, command: Command) -> None:
        try:
            command.check_absent()
        except Refusal as refusal:
            found.items.append(Item(command, None, refusal))
            return
        self.loading.add(command.game_id)
        found.absent.append(command)

    def _read(self, found: Round, command: StreamCommand, now: Now) -> None:
        try:
            self.read(command, now)
        except Exception as error:  # noqa: BLE001 # one command's fault concerns no other
            found.faults.append((command, error))

    def read(self, command: StreamCommand, now: Now) -> None:
        """Answer a command that changes nothing from the committed state."""
        game = self.games.get(command.game_id)
        try:
            reply = command.read(game, now)
        except Exception:
            command.deliver(fault())
            raise
        command.deliver(reply)
        if game is not None:
            self.arm(game, now)

    def _apply(self, found: Round, command: Command, game: Game | None, now: Now) -> None:
        item = Item(command, game)
        found.items.append(item)
        try:
            self._draft(item, now)
            if item.append is not None:
                found.appends.append(item.append)
        except Refusal as refusal:
            if self.nodes is not None and game is not None and not command.confirmed:
                found.items.pop()
                self._confirm(found, command)
                return
            item.reply = refusal
            item.key = command.key(game)
            if item.key is not None:
                found.lookups.append(item)
        except Exception as error:  # noqa: BLE001 # one command's fault concerns no other
            item.reply = fault()
            found.faults.append((command, error))

    def _draft(self, item: Item, now: Now) -> None:
        """What the store is to commit for a command, and the reply."""
        if self.draining:
            raise draining()
        command, game = item.command, item.game
        if isinstance(command, CreateGame):
            made = command.create(self.kit, self.settings, self.lobby.presence, now)
            if self.nodes is None:
                command.counted = self.creators.enter(command.game_id, command.caller)
            else:
                game, draft, append = made
                game.nodes = self.nodes
                append.deadline = game.deadline(draft.table, now, asked_anew=True)
                if not command.caller.operator:
                    command.limit(append, self.settings.games_per_creator)
            item.game, item.draft, item.append = made
            item.reply = command.game_id.encode()
        elif isinstance(command, StoredGameCommand):
            item.append = command.append(now)
            item.reply = accepted_seq(item.append.entries[-1].seq)
        elif isinstance(command, Change) and game is not None:
            draft = game.draft(now)
            before = len(draft.entries)
            reply = item.reply = command.apply(game, draft)
            key = command.key(game) if isinstance(reply, bytes) else None
            request = key.answered(reply) if key is not None and isinstance(reply, bytes) else None
            if len(draft.entries) > before:
                item.draft = draft
                item.append = game.append(draft, request)
                if self.nodes is not None and isinstance(command, (TimeOut, NeverStarted)):
                    item.append.overdue = True
                game.drafted = True
            elif request is not None and game.remembered < MOST_REMEMBERED:
                # It changed nothing; a retry gets the same answer all the same.
                game.remembered += 1
                item.append = Append(game.game_id, game.table.seq, (), request, previous=game.chain)
                game.drafted = True

    # --- after the commit ---

    def committed(
        self,
        found: Round,
        outcomes: Sequence[StoreError | None],
        firsts: Sequence[FirstAnswer | None],
        now: Now,
    ) -> list[Command]:
        """Publish what the store has committed, and deliver the replies.

        `outcomes` are of `round.appends`, `firsts` of `round.lookups`, each in their order. Returns
        commands whose games have entries of another writer: they are applied again once those are
        read.
        """
        self._now_ms = now.ms
        behind: list[Command] = []
        appended, looked_up = iter(outcomes), iter(firsts)
        for item in found.items:
            outcome = next(appended) if item.append is not None else None
            if outcome is not None:
                if not self._refused(item, outcome, behind):
                    continue
            elif item.append is not None:
                self._publish(item, now)
            elif item.key is not None:
                first = next(looked_up)
                if first is not None:
                    item.reply = _first_reply(item.key, first)
            assert item.reply is not None
            item.command.deliver(item.reply)
            if item.game is not None and (item.append is None or outcome is not None):
                self.arm(item.game, now, SOON_MS if outcome is None else RETRY_MS)
        if self.matchmaking.due:
            self.matchmaking.match(now)
        return behind

    def _publish(self, item: Item, now: Now) -> None:
        game, draft = item.game, item.draft
        if game is None:
            self.absent.remove(item.command.game_id)
            return
        game.drafted = False
        if draft is None:
            return
        if isinstance(item.command, CreateGame):
            self.ended.pop(game.game_id, None)
            self.add(game, now)
        assert item.append is not None
        before = game.table.status
        # Else it was read from the log before we heard of the commit.
        ours = game.table.seq == item.append.expected_seq
        changed = game.committed(draft, now) if ours else True
        if self.nodes is not None:
            self.nodes.tell(game)
        self.published(game, now, changed=changed or game.table.status != before)

    def _refused(self, item: Item, outcome: StoreError, behind: list[Command]) -> bool:
        """The store did not take an append; False: the command is applied again later."""
        command, game = item.command, item.game
        if game is not None:
            game.drafted = False
        if isinstance(command, CreateGame) and command.counted:
            self.creators.leave(command.game_id)
        if isinstance(outcome, Repeated):
            key = command.key(game)
            assert key is not None
            if game is not None and isinstance(command, Change) and command.anew(game):
                command.request_id = ""
                self.inbox.append(command)
                return False
            item.reply = _first_reply(key, outcome.first)
        elif isinstance(outcome, TooMany):
            item.reply = self.creators.full()
        elif isinstance(outcome, GameExists):
            item.reply = Refusal(
                reasons.REJECTION_REASON_ALREADY_EXISTS, "a game of that id exists"
            )
        elif isinstance(outcome, NoSuchGame):  # it was removed from the store
            if game is not None:
                self.forget(game)
            item.reply = no_such_game()
        elif (
            isinstance(outcome, Conflict) and game is not None and command.attempts < MOST_ATTEMPTS
        ):
            command.attempts += 1
            behind.append(command)
            return False
        elif isinstance(outcome, Conflict):
            item.reply = Refusal(
                reasons.REJECTION_REASON_CONFLICT,
                "another writer was first",
                seq=game.table.seq if game is not None else 0,
            )
        else:
            item.reply = store_unavailable()
            if isinstance(command, NeverStarted):
                self.timers.push(self._now_ms + RETRY_ABORT_MS, UNSTARTED, command.game_id)
        return True

    # --- games ---

    def add(self, game: Game, now: Now) -> None:
        """A game is in memory from now on."""
        self.games[game.game_id] = game
        if self.nodes is not None:
            game.nodes = self.nodes
            game.restarted = ""  # nodes come and go, and the game goes on
        self.absent.remove(game.game_id)
        if game.table.is_open():
            self.watch_unstarted(game.game_id, game.table.created_ms or now.unix_ms, now)
        self.published(game, now, changed=True)

    def take_stock(self, header: Header, now: Now) -> bool:
        """Note an unfinished game that only the store knows; whether it goes on by itself."""
        config = config_of(header)
        self.creators.found(header.game_id, header.creator_client)
        self.absent.add(header)
        for seat, client in bot_seats(header, config).items():
            self.matchmaking.hold((header.game_id, seat), client)
        if header.status != Status.RUNNING:
            self.watch_unstarted(header.game_id, header.created_ms, now)
        return goes_on_alone(header, config, self.settings)

    def published(self, game: Game, now: Now, *, changed: bool) -> None:
        """A game is as it is now; `changed`: also who holds its seats, or its status."""
        if changed:
            self.lobby.note(game)
            self.matchmaking.note(game)
            if game.table.status == ENDED:
                self.creators.leave(game.game_id)
                self._cache_ended(game)
        self.lobby.wake_owing(game)
        self.arm(game, now)

    def _cache_ended(self, game: Game) -> None:
        self.ended[game.game_id] = game
        if len(self.ended) > MOST_ENDED:
            for old in list(self.ended.values())[: len(self.ended) - MOST_ENDED]:
                if not old.is_watched():
                    self.forget(old)

    def forget(self, game: Game) -> None:
        """Take a game out of memory; the store has it, or it is gone there too."""
        if self.games.get(game.game_id) is game:
            del self.games[game.game_id]
            self.ended.pop(game.game_id, None)
            self.lobby.forget(game.game_id)

    # --- time ---

    def arm(self, game: Game, now: Now, least_ms: int = 0) -> None:
        """See to it that the game's deadline is noticed.

        A timer that rings too early is left alone: nearly every question is answered long before,
        and looking again when it rings costs less than a timer for each.
        """
        if game.nodes is not None:
            game.attend(now)
        delayed = game.delayed
        if delayed is not None and not delayed.armed:
            seen_ms = delayed.due_ms(now)
            if seen_ms is not None:
                delayed.armed = True
                self.timers.push(seen_ms, DELAY, game.game_id)
        due = game.due_ms(now)
        if due is None:
            game.armed_ms = None
            return
        due = max(due, now.ms + least_ms)
        if game.armed_ms is None or due < game.armed_ms:
            game.armed_ms = due
            self.timers.push(due, CLOCK, game.game_id)

    def hear(self, pulse: Pulse, now: Now) -> bool:
        """A heartbeat was answered; False: this node counts as dead, and has another name now."""
        nodes = self.nodes
        assert nodes is not None
        nodes.hear(pulse, now)
        alive = pulse.nodes.get(nodes.name, 0) < STALE_MS
        if not alive:
            before, nodes.name = nodes.name, self.new_id()
        for game in self.games.values():
            if game.timeless or game.table.deciding_seat < 0:
                continue
            if not alive and game.node == before:
                game.node = nodes.name
                nodes.deliveries[game.game_id] = game
            elif game.stopped_ms is None and game.node != nodes.name:
                game.miss(now)
                self.arm(game, now)
        return alive

    def take_deliveries(self, now: Now) -> list[Delivery]:
        """What the store is to note of deadlines, once."""
        if self.nodes is None or not self.nodes.deliveries:
            return []
        games, self.nodes.deliveries = self.nodes.deliveries, {}
        return [
            Delivery(game_id, game.table.seq, game.deadline(game.table, now, asked_anew=False))
            for game_id, game in games.items()
            if not game.drafted  # its append says so
        ]

    def left(self, game_ids: Iterable[str], now: Now) -> None:
        """Some are no longer followed by a client: a seat that is away may have a deadline."""
        for game_id in game_ids:
            game = self.games.get(game_id)
            if game is not None:
                self.arm(game, now)

    def watch_unstarted(self, game_id: str, created_unix_ms: int, now: Now) -> None:
        """A game that has not started in time is aborted."""
        limit = self.settings.start_limit_ms
        if limit:
            left = max(created_unix_ms + limit - now.unix_ms, 0)
            self.timers.push(now.ms + left, UNSTARTED, game_id)

    def due(self, now: Now) -> list[Command]:
        """The commands of deadlines that have passed, and others of the engine's own."""
        for due_ms, kind, key in self.timers.pop_due(now.ms):
            if kind == OFFER:
                self.matchmaking.expire(key)
            elif kind == MATCH:
                self.matchmaking.look_again(key)
            elif kind == UNSTARTED:
                self._abort_unstarted(key, now)
            else:
                game = self.games.get(key)
                if game is None or self.draining:
                    continue
                if kind == DELAY and game.delayed is not None:
                    game.delayed.advance(now)
                    self.arm(game, now)
                elif game.armed_ms == due_ms:
                    game.armed_ms = None
                    self._ring(game, now)
        found, self.inbox = self.inbox, []
        return found

    def _ring(self, game: Game, now: Now) -> None:
        due = game.due_ms(now)
        if due is None or due > now.ms:
            self.arm(game, now)
            return
        asked = Asked(_ENGINE, NOBODY, now)
        self.inbox.append(TimeOut(game.game_id, asked, game.table.seq))

    def _abort_unstarted(self, game_id: str, now: Now) -> None:
        game = self.games.get(game_id)
        known = game.table.is_open() if game is not None else self.absent.is_open(game_id)
        if known and not self.draining:
            self.inbox.append(NeverStarted(game_id, Asked(_ENGINE, NOBODY, now)))

    def rest_until_ms(self, rest_ms: int, bot_name: str) -> int:
        """When a seat that could not be bound is offered again; a timer sees to it."""
        until_ms = self._now_ms + rest_ms
        self.timers.push(until_ms, MATCH, bot_name)
        return until_ms

    def drain(self) -> None:
        """Accept nothing more; what is being committed is finished."""
        self.draining = True
        self.matchmaking.drain()
        self.lobby.wake_all()
        for game in list(self.games.values()):
            wake(game)
            if game.delayed is not None:
                wake(game.delayed)


def _first_reply(key: RequestKey, first: FirstAnswer) -> Reply:
    try:
        return key.first(first)
    except Refusal as refusal:
        return refusal
