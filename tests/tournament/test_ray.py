"""Workers on a real Ray cluster of two nodes, one of which is killed in the middle.

Needs the extra 'ray', which the test environment does not have; `make soak` makes one that has it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.content import load_pack
from endless_winter.rules import RULES_VERSION
from endless_winter.tournament import schedule
from endless_winter.tournament.results import Journal
from endless_winter.tournament.runner import Tournament, open_key
from endless_winter.tournament.spec import read
from endless_winter.tournament.worker import Folders
from tests.tournament.running import ENTRANTS, outcome, run, written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from endless_winter.tournament.results import Game, Started
    from endless_winter.tournament.schedule import Plan

ray = pytest.importorskip("ray", reason="'make soak' runs this in .venv-ray, where Ray is")
pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]

TWO = {"plain": str(ENTRANTS / "plain.py"), "last": str(ENTRANTS / "last.py")}


@pytest.fixture
def cluster() -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    yield made
    ray.shutdown()
    made.shutdown()


class Killer:
    """Takes a node away when some games are done."""

    def __init__(self, cluster: Any, node: Any, after: int) -> None:
        self.losses: list[str] = []
        self._cluster = cluster
        self._node = node
        self._left = after

    def began(self, plan: Plan, games: list[Game]) -> None: ...

    def started(self, worker: Started) -> None:
        del worker

    def played(self, plan: Plan, game: Game) -> None:
        del plan, game
        self._left -= 1
        if not self._left:
            self._cluster.remove_node(self._node, allow_graceful=False)
            self._cluster.add_node(num_cpus=1)

    def lost(self, why: str) -> None:
        self.losses.append(why)


@pytest.mark.filterwarnings("ignore")
def test_losing_a_machine_loses_no_game(tmp_path: Path, cluster: Any) -> None:
    from endless_winter.tournament.ray_executor import RayExecutor

    node = cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False)
    # On shared seeds, so that what is played again elsewhere can be compared.
    settings = {"format": "round_robin", "blocks": 12, "at_once": 4, "paired_seeds": True}
    path = written(tmp_path / "cup.toml", TWO, **settings)
    spec = read(path)
    out = tmp_path / "out"
    out.mkdir()
    killer = Killer(cluster, node, after=5)
    with Journal(out / "results.jsonl") as journal:
        key = open_key(out, journal)
        executor = RayExecutor(spec, Folders(out, 1))
        world = schedule.World(str(RULES_VERSION), load_pack().digest)
        asyncio.run(Tournament(spec, world, key, journal, executor, killer).run())
    assert len(killer.losses) == 1
    assert len(outcome(out)) == 24
    assert len(list((out / "replays").glob("*.ewr"))) >= 12
    done = run(path, tmp_path / "alone", "--quiet", "--key", str(out / "key"))
    assert done.returncode == 0, done.stderr
    assert outcome(out) == outcome(tmp_path / "alone")
