"""Workers on a Ray cluster: many machines, and losing one loses no game.

Ray starts the workers, reports when one is gone, and finds room for the next; what it tells apart
from us is nothing but a lost player, whose games the runner gives to others. Stores stay on the
machines: replays and logs are fetched while a worker is there.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from endless_winter.tournament.errors import TournamentError, one_line
from endless_winter.tournament.executor import capacity, split
from endless_winter.tournament.host import HostGone
from endless_winter.tournament.worker import Folders, Worker

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import ray  # after the setting, which it reads when it is imported

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from endless_winter.tournament.executor import Player
    from endless_winter.tournament.results import Game, Started
    from endless_winter.tournament.spec import Spec
    from endless_winter.tournament.worker import Order

START_SECONDS: Final = 180.0
LONGEST_LOG: Final = 1 << 20


class Desk:
    """What runs on another machine: a worker in a folder that is gone afterwards."""

    def __init__(self, spec: Spec, number: int, at_first: int) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="ew-worker-"))
        self._spec = spec
        self._folders = Folders(self._folder, 1)
        most = capacity(spec, at_first)
        self._worker = Worker(spec, self._folders, number, at_first=at_first, capacity=most)

    async def start(self) -> tuple[Started | None, int]:
        """What is known of its machine, and how many games it plays at a time, at most."""
        await self._worker.start()
        return self._worker.started, self._worker.capacity

    async def play(self, order: Order) -> Game:
        game = await self._worker.play(order)
        return msgspec.structs.replace(game, store="")  # it is not where the results are

    async def release(self, game_ids: Sequence[str]) -> dict[str, bytes]:
        """Open the seals; the replays, as files."""
        await self._worker.release(game_ids)
        return {game_id: await self._worker.export(game_id) for game_id in game_ids}

    async def stop(self) -> dict[str, bytes]:
        """End all processes; what each entrant said."""
        await self._worker.stop()
        logs = {name: self._folders.log(name) for name in self._spec.names}
        said = {name: log.read_bytes()[-LONGEST_LOG:] for name, log in logs.items() if log.exists()}
        shutil.rmtree(self._folder, ignore_errors=True)
        return said


class RayPlayer:
    """A desk on the cluster, from here."""

    def __init__(self, actor: Any, at_first: int, out: Path) -> None:
        self.actor = actor
        self.at_first = at_first
        self.capacity = at_first
        self.started: Started | None = None
        self._out = out

    async def _ask(self, reference: Any) -> Any:
        try:
            return await reference
        except ray.exceptions.RayTaskError as error:
            cause = one_line(error.cause)  # what our own code raised there
            if isinstance(error.cause, TournamentError):
                raise TournamentError(cause) from error
            raise HostGone(cause) from error
        except ray.exceptions.RayError as error:
            raise HostGone(f"a worker of the cluster is gone ({type(error).__name__})") from error

    async def start(self) -> None:
        try:
            self.started, self.capacity = await asyncio.wait_for(
                self._ask(self.actor.start.remote()), START_SECONDS
            )
        except TimeoutError as error:
            raise HostGone("the cluster has no room for a worker") from error

    async def play(self, order: Order) -> Game:
        game: Game = await self._ask(self.actor.play.remote(order))
        return game

    async def release(self, game_ids: Sequence[str]) -> None:
        found: dict[str, bytes] = await self._ask(self.actor.release.remote(list(game_ids)))
        folder = self._out / "replays"
        folder.mkdir(exist_ok=True)
        for game_id, replay in found.items():
            fresh = folder / f"{game_id}.new"
            fresh.write_bytes(replay)
            fresh.rename(folder / f"{game_id}.ewr")

    async def stop(self) -> None:
        said: dict[str, bytes] = await self._ask(self.actor.stop.remote())
        for name, log in said.items():
            path = Folders(self._out, 1).log(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                file.write(log)


class RayExecutor:
    """Workers wherever the cluster has a free core."""

    def __init__(self, spec: Spec, folders: Folders, *, address: str | None = None) -> None:
        if spec.attached:
            raise TournamentError("entrants that attach by themselves need --executor local")
        self._spec = spec
        self._out = folders.out
        self._address = address
        self._players: dict[Player, RayPlayer] = {}
        self._started = 0
        self._joined = False

    async def start(self) -> list[Coroutine[Any, Any, Player]]:
        if not ray.is_initialized():
            try:
                ray.init(address=self._address, log_to_driver=False, include_dashboard=False)
            except (ConnectionError, RuntimeError, ValueError) as error:
                raise TournamentError(f"no Ray cluster: {one_line(error)}") from error
            self._joined = True
        cores = int(ray.cluster_resources().get("CPU", 1))
        return [self._begin(size) for size in split(self._spec, max(cores, 1))]

    async def _begin(self, at_first: int) -> Player:
        number = self._started
        self._started += 1
        # Not restarted by Ray: a new one would not know its games.
        desk = ray.remote(Desk).options(
            num_cpus=self._cores(),
            max_concurrency=capacity(self._spec, at_first) + 2,
            scheduling_strategy="SPREAD",
        )
        player = RayPlayer(desk.remote(self._spec, number, at_first), at_first, self._out)
        self._players[player] = player
        await player.start()
        return player

    def _cores(self) -> int:
        """Those of a worker; no more than the largest machine has, or it would wait for ever."""
        largest = max(int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"])
        return min(max(self._spec.limits.cores, 1), max(largest, 1))

    async def replace(self, lost: Player) -> Player:
        gone = self._players.pop(lost)
        ray.kill(gone.actor)
        return await self._begin(lost.at_first)

    async def stop(self) -> None:
        players = list(self._players.values())
        self._players.clear()
        await asyncio.gather(*(player.stop() for player in players), return_exceptions=True)
        for player in players:
            ray.kill(player.actor)
        if self._joined:
            ray.shutdown()
