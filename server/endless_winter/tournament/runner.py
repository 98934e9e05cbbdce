"""Runs a tournament: what is scheduled and not finished is played, until nothing is left."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from endless_winter.tournament import schedule, seeds
from endless_winter.tournament.errors import TournamentError
from endless_winter.tournament.host import HostGone
from endless_winter.tournament.pace import Pace
from endless_winter.tournament.results import FORMAT, Begun, Ended, Header, Reveal
from endless_winter.tournament.seeds import Key
from endless_winter.tournament.worker import Order

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.tournament.executor import Executor, Player
    from endless_winter.tournament.results import Game, Journal, Line, Started
    from endless_winter.tournament.schedule import Block, Match, Plan, World
    from endless_winter.tournament.spec import Spec

MOST_FAULTS: Final = 5  # of one game, or workers lost in a row: then something is wrong here
KEY: Final = "key"
_BEGUN: Final = {
    True: "begun with shared seeds: set paired_seeds = true in the spec to go on with it, or begin "
    "a new one with --new",
    False: "begun with a seed for each game: take paired_seeds = true out of the spec to go on "
    "with it, or begin a new one with --new",
}


class Progress(Protocol):
    """Somebody who looks on."""

    def began(self, plan: Plan, games: list[Game]) -> None: ...
    def played(self, plan: Plan, game: Game) -> None: ...
    def started(self, worker: Started) -> None: ...
    def lost(self, why: str) -> None: ...


def open_key(out: Path, journal: Journal, brought: Key | None = None) -> Key:
    """The key of a tournament: its own, or a fresh one before its first line is written."""
    path = out / KEY
    header = journal.results.header
    if header is None:
        # A key that lies here without results is not used: cards of its seeds may have been seen.
        path.unlink(missing_ok=True)
        seeds.keep(path, brought or Key.fresh())
    elif not path.exists():
        raise TournamentError(f"{path} is gone: without it this tournament cannot go on")
    key = seeds.load(path)
    if header is not None and header.key_commitment != key.commitment:
        raise TournamentError(
            f"{path}: this is not the key that {journal.path.name} was begun with"
        )
    if brought is not None and brought != key:
        raise TournamentError(f"{path}: the tournament was begun with another key")
    return key


class _UnderWay(NamedTuple):
    """A game that is played."""

    player: Player
    order: Order
    beside: int
    """Games of the player when it began, itself included."""


class Tournament:
    """One tournament in one folder."""

    def __init__(
        self,
        spec: Spec,
        world: World,
        key: Key,
        journal: Journal,
        executor: Executor,
        progress: Progress,
    ) -> None:
        self._spec = spec
        self._world = world
        self._key = key
        self._journal = journal
        self._results = journal.results
        self._executor = executor
        self._progress = progress
        self._players: list[Player] = []
        self._coming: set[asyncio.Task[Player]] = set()
        self._why = ""  # the last worker that could not be had
        self._running: dict[asyncio.Task[Game], _UnderWay] = {}
        self._load: dict[Player, int] = {}
        self._pace: dict[Player, Pace] = {}
        self._where: dict[str, tuple[Player, str]] = {}  # who holds the log of a match
        self._losses = 0
        self.plan = schedule.plan(spec, world, self._results.finished)

    @property
    def todo(self) -> list[Match]:
        """What is left of the schedule as far as it is known."""
        return [match for match in self.plan.matches() if match.id not in self._results.finished]

    async def run(self) -> None:
        """Play until every scheduled game is finished."""
        self._check()
        if self._results.header is None:
            self._journal.append([self._header()])
        self._progress.began(self.plan, self.plan.counted(self._results.finished))
        try:
            if self.todo:
                self._coming = {asyncio.create_task(one) for one in await self._executor.start()}
                await self._play()
        finally:
            open_tasks = [*self._running, *self._coming]
            for task in open_tasks:
                task.cancel()
            await asyncio.gather(*open_tasks, return_exceptions=True)
            await self._executor.stop()
            self._where.clear()  # nobody is left to be asked
        await self._reveal()
        if self._results.ended is None:
            self._journal.append([self._ended()])

    def _check(self) -> None:
        header = self._results.header
        if header is not None and (header.rules_version, header.content_hash) != self._world:
            raise TournamentError(
                f"{self._journal.path}: begun with rules {header.rules_version} and content "
                f"{header.content_hash[:12]}, not with those of this version; begin a new one"
            )
        if header is not None and header.paired_seeds != self._spec.paired_seeds:
            raise TournamentError(f"{self._journal.path}: {_BEGUN[header.paired_seeds]}")
        if self._results.ended is not None and self.todo:
            raise TournamentError(
                f"{self._journal.path}: this tournament has ended and its key is public: "
                "more games of it could be foreseen; begin a new one with --out"
            )
        self._check_secret()

    def _check_secret(self) -> None:
        """No game is begun on a seed that is public.

        Where each game has a seed of its own none is used twice. A block whose games had all ended
        has others to play if what decides games was changed in the middle of a tournament.
        """
        public = next((one.block for one in self.todo if one.block in self._results.revealed), "")
        if public:
            raise TournamentError(
                f"{self._journal.path}: the seed of {public} is public, and games on it "
                "could be foreseen: a bot or a setting that decides games was changed in the "
                "middle of the tournament; undo that, or begin a new one with --out"
            )

    def _header(self) -> Header:
        return Header(
            format=FORMAT,
            title=self._spec.title,
            key_commitment=self._key.commitment,
            rules_version=self._world.rules_version,
            content_hash=self._world.content_hash,
            entrants=self._spec.names,
            begun_ms=_now(),
            paired_seeds=self._spec.paired_seeds,
        )

    def _ended(self) -> Ended:
        verdict = self.plan.verdict
        said = ""
        if verdict is not None:
            first, second = self._spec.names[:2]
            word = "is" if verdict.better else "is not" if verdict.not_better else "may be"
            said = f"{first} {word} better than {second} (LLR {verdict.llr:.2f})"
        return Ended(self._key.key.hex(), self._key.salt.hex(), _now(), said)

    # --- playing ---

    async def _play(self) -> None:
        queue = self._queue()
        while queue or self._running:
            self._begin(queue)
            waiting = {*self._running, *self._coming}
            if not waiting:
                raise TournamentError(f"there is no worker left to play on: {self._why}")
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for worker in [one for one in self._coming if one.done()]:
                self._arrived(worker)
            again = False
            for game in [one for one in self._running if one.done()]:
                again |= await self._done(game)
            if again:
                queue = self._queue()

    def _arrived(self, task: asyncio.Task[Player]) -> None:
        """A worker is ready, or could not be had: then the others do with less room."""
        self._coming.discard(task)
        try:
            player = task.result()
        except HostGone as error:
            self._why = str(error)
            self._progress.lost(f"and cannot be replaced: {error}")
            return
        self._players.append(player)
        self._load[player] = 0
        self._pace[player] = Pace(player.at_first, player.capacity, self._spec.clock)
        if player.started is not None and player.started not in self._results.started:
            self._journal.append([player.started])
            self._progress.started(player.started)

    def _queue(self) -> list[Match]:
        """What is left and not under way, the first last; schedules that grow are drawn up anew."""
        if not self.plan.over:
            self.plan = schedule.plan(self._spec, self._world, self._results.finished)
            self._check_secret()
        under_way = {one.order.match.id for one in self._running.values()}
        return [match for match in reversed(self.todo) if match.id not in under_way]

    def _free(self) -> Player | None:
        """The worker with the most room; None: all are busy."""
        room = {one: self._pace[one].room - self._load[one] for one in self._players}
        free = [one for one in self._players if room[one] > 0]
        return max(free, key=room.__getitem__, default=None)

    def _begin(self, queue: list[Match]) -> None:
        """Begin as many games as there is room for."""
        begun: list[_UnderWay] = []
        while queue and (player := self._free()) is not None:
            self._load[player] += 1
            begun.append(_UnderWay(player, self._order(queue.pop()), self._load[player]))
        if begun and not self._spec.paired_seeds:
            # Before a server gets them: if we are killed now, no seed of theirs is used again.
            self._journal.append([Begun(one.order.match.id, one.order.attempt) for one in begun])
        for one in begun:
            self._running[asyncio.create_task(one.player.play(one.order))] = one

    def _order(self, match: Match) -> Order:
        """The next attempt at a game."""
        failed = self._results.attempts.get(match.id, 0)
        if failed >= self._spec.dead.attempts + MOST_FAULTS:
            raise TournamentError(
                f"game {match.id} could not be played in {failed} attempts; "
                "its lines in the results say why"
            )
        attempt = self._results.last.get(match.id, 0) + 1
        game_id = match.game_id(attempt)
        return Order(
            match,
            attempt,
            self._key.seed(match.block if self._spec.paired_seeds else game_id),
            self._key.game_salt(game_id),
            self._results.absences.get(match.id, 0),
        )

    async def _done(self, task: asyncio.Task[Game]) -> bool:
        """A game has ended; whether the queue must be drawn up anew."""
        player, order, beside = self._running.pop(task)
        if player in self._load:
            self._load[player] -= 1
        try:
            game = task.result()
        except HostGone as error:
            self._lost(player, str(error))
            return True
        self._losses = 0
        self._journal.append([game])
        if player in self._load:
            self._pace[player].ended(game, beside, self._load[player])
        if game.outcome == "completed":
            self._where[order.match.id] = player, game.id
        self._progress.played(self.plan, game)
        if not game.finished:
            return True
        await self._reveal(order.match.block)
        return not self.plan.over

    def _lost(self, player: Player, why: str) -> None:
        """Replace a worker; its games come back one by one and are played again."""
        if player not in self._load:
            return
        self._losses += 1
        self._progress.lost(why)
        if self._losses > MOST_FAULTS:
            raise TournamentError(f"workers are lost again and again: {why}")
        del self._load[player], self._pace[player]
        self._players.remove(player)
        self._coming.add(asyncio.create_task(self._executor.replace(player)))

    async def _reveal(self, only: str = "") -> None:
        """Reveal the seeds of blocks of which all games have ended."""
        lines: list[Line] = []
        opened: dict[Player, list[str]] = {}
        for block in self.plan.blocks:
            if only and block.id != only:
                continue
            if not schedule.ended(block, self._results.finished):
                continue
            lines += [one for one in self._reveals(block) if one.of not in self._results.revealed]
            for match in block.matches:
                player, game_id = self._where.pop(match.id, (None, ""))
                if player is not None and player in self._load:
                    opened.setdefault(player, []).append(game_id)
        if lines:
            self._journal.append(lines)
        for player, game_ids in opened.items():
            try:
                await player.release(game_ids)
            except HostGone as error:
                self._lost(player, str(error))

    def _reveals(self, block: Block) -> list[Reveal]:
        if self._spec.paired_seeds:
            return [Reveal(block=block.id, seed=self._key.seed(block.id).hex())]
        games = [self._results.finished[match.id].id for match in block.matches]
        return [Reveal(game=game_id, seed=self._key.seed(game_id).hex()) for game_id in games]


def _now() -> int:
    return int(time.time() * 1000)
