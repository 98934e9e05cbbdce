"""``python -m bench tournament``: tournaments of bots that take no time, beside catanatron."""

from __future__ import annotations

import asyncio
import os
import platform
import secrets
import shlex
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from bench import ours, playing, processes, report
from bench.counting import resident
from bench.options import (
    Output,
    games_option,
    json_option,
    needs_proc,
    only_option,
    repeat_option,
    write_json,
)
from bench.report import Target

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.tournament.results import Game, Started
    from endless_winter.tournament.schedule import Plan

SEATS: Final = 4
BOT: Final = f"cmd: {shlex.join((*processes.MODULE, 'bench.trivial'))}"
HARNESS: Final = 0.9
WORKERS: Final = 1.8
GROWTH: Final = 1.1
YARDSTICK_GAMES: Final = 12
SECONDS: Final = 10.0  # of the plain server, about
LINGER: Final = 4.0  # seconds that a process plays on while others are still counting
SHORTEST: Final = 200  # decisions of a game, at least


class Rates(NamedTuple):
    """A tournament, between its start and its end, while all places were taken."""

    games: float
    decisions: float
    memory: list[int]
    """Bytes of all servers and of this process, now and then, if they were looked at."""


class Watch:
    """Notes when games end, and what memory is used then."""

    def __init__(self, every: int) -> None:
        """`every` so many games memory is looked at, which takes time; 0: never."""
        self.ends: list[tuple[float, int]] = []
        self.memory: list[int] = []
        self._every = every

    def began(self, plan: Plan, games: list[Game]) -> None:
        del plan, games

    def played(self, plan: Plan, game: Game) -> None:
        del plan
        if game.outcome != "completed":
            raise click.ClickException(f"a game was not played: {game.outcome}: {game.note}")
        self.ends.append((time.perf_counter(), game.decisions))
        if self._every and len(self.ends) % self._every == 0:
            self.memory.append(resident(os.getpid()) + sum(map(resident, _servers())))

    def started(self, worker: Started) -> None: ...
    def lost(self, why: str) -> None:
        raise click.ClickException(f"a worker was lost: {why}")


def _servers() -> list[int]:
    """The servers that we have started."""
    own = str(os.getpid())
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if parent == own and b"serve" in words:
                found.append(int(entry.name))
    return found


def tournament(
    folder: Path, *, workers: int, at_once: int, games: int, cores: int = 1, looks: int = 0
) -> Rates:
    """Play a tournament and take its rate, without the first and the last games.

    `cores` are those of each worker, 0: any. Memory is looked at so many times.
    """
    from endless_winter.content import load_pack  # noqa: PLC0415
    from endless_winter.rules import RULES_VERSION  # noqa: PLC0415
    from endless_winter.service import garbage  # noqa: PLC0415
    from endless_winter.tournament import results, runner, schedule, spec  # noqa: PLC0415 # only when needed
    from endless_winter.tournament.executor import LocalExecutor  # noqa: PLC0415
    from endless_winter.tournament.worker import Folders  # noqa: PLC0415

    garbage.tune_gc()  # as `ew tournament` does
    (folder / "private").mkdir(parents=True)
    known = spec.parse(
        {
            "format": "round_robin",
            "players": SEATS,
            "blocks": -(-games // SEATS),
            "workers": workers,
            "at_once": at_once,
            "dead": {"start": 120.0},
            "limits": {"cores": cores},
            "clock": {"decision": 60.0},
            "entrant": [
                {"name": f"bot{seat}", "bot": BOT, "files": [str(processes.FOLDER)]}
                for seat in range(SEATS)
            ],
        }
    )
    watch = Watch(max(games // looks, 1) if looks else 0)
    world = schedule.World(str(RULES_VERSION), load_pack().digest)
    with results.Journal(folder / "results.jsonl") as journal:
        key = runner.open_key(folder, journal)
        executor = LocalExecutor(known, Folders(folder, 1))
        asyncio.run(runner.Tournament(known, world, key, journal, executor, watch).run())
    # All start together and end at about the same time: only from the second round on are they
    # spread out as in a long tournament.
    first, last = min(at_once, len(watch.ends) // 3), len(watch.ends) - 1 - at_once // 2
    last = max(last, first + 1)
    seconds = watch.ends[last][0] - watch.ends[first][0]
    counted = watch.ends[first + 1 : last + 1]
    return Rates(
        len(counted) / seconds, sum(decisions for _, decisions in counted) / seconds, watch.memory
    )


def grown(memory: list[int]) -> float:
    """How many times its early size memory has late. Early: when everything has been used once."""
    part = max(len(memory) // 4, 1)
    return max(memory[-part:]) / max(memory[part : 2 * part] or memory[:1])


def plain(folder: Path, *, places: int, per_second: float) -> float:
    """Decisions a second of one server, as ``python -m bench serve`` counts them.

    As in a tournament there are as many processes as seats, each with one stream on which it plays
    one seat of every game, none of them pushes others off a core, and the server has the settings
    of a tournament's: one that waits for the disk at every choice would be no match for it.
    """
    folder.mkdir()
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))  # those that we start have it too
    try:
        return _plain(folder, places=places, per_second=per_second)
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def _plain(folder: Path, *, places: int, per_second: float) -> float:
    from endless_winter.tournament import host  # noqa: PLC0415 # only when needed

    keys = [secrets.token_hex(32) for _ in range(SEATS)]
    answers = round(per_second * SECONDS)
    count = places + round(per_second * (SECONDS * 1.1 + LINGER) * 2) // SHORTEST
    with processes.product(folder, host.SETTINGS) as server, ThreadPoolExecutor(SEATS) as pool:
        games = asyncio.run(playing.shared_games(address=server.address, keys=keys, count=count))

        def one(seat: int) -> float:
            found = processes.load(
                "one_seat",
                address=server.address,
                secret=keys[seat],
                games=games,
                seat=seat,
                places=places,
                answers=answers // SEATS,
                linger=LINGER,
            )
            return float(found["per_second"])

        return sum(pool.map(one, range(SEATS)))


def yardstick() -> float:
    """Games a second of catanatron in this process, on one core."""
    from bench.yardsticks import Catanatron  # noqa: PLC0415 # of the bench set

    engine = Catanatron(SEATS)
    played = [engine.play(seed) for seed in range(YARDSTICK_GAMES)]
    return len(played) / sum(one.creating + one.playing for one in played)


@click.command("tournament", short_help="Tournaments of bots that take no time, beside catanatron.")
@games_option("Of each tournament.", least=8)
@games_option("At a time of each worker.", name="--at-once", default=64)
@games_option(
    "Of the tournament in which memory is watched.", name="--long", default=2000, least=20
)
@repeat_option(3, "Tournaments of each kind.")
@only_option(("speed", "harness", "workers", "memory"))
@json_option
def command(
    *,
    games: int,
    at_once: int,
    long: int,
    repeat: int,
    only: tuple[str, ...],
    output: Output,
) -> None:
    """Measure tournaments over the network: servers and bots as processes, 4 seats in a game.

    speed: games a second on 2 workers, beside catanatron's random games on one core.
    harness: decisions a second on 1 worker, beside 'python -m bench serve' with as many
    processes and the settings of a tournament's server.
    workers: 2 workers beside 1. memory: of all servers and the runner, early and late.
    """
    needs_proc()
    core = "compiled" if ours.compiled() else "pure Python"
    click.echo(
        f"bench tournament: {SEATS} seats, {at_once} games at once on a worker, rules core {core}, "
        f"Python {platform.python_version()}, {os.cpu_count()} cores"
    )
    with tempfile.TemporaryDirectory(prefix="ew-bench-") as folder:
        run = Measurements(Path(folder), games, at_once, long, repeat)
        parts: dict[str, Callable[[], None]] = {
            "speed": run.speed,
            "harness": run.harness,
            "workers": run.workers,
            "memory": run.memory,
        }
        for name, measure in parts.items():
            if not only or name in only:
                measure()
    for line in ["", *run.notes, "", *report.target_lines(run.targets)]:
        click.echo(line)
    write_json(output, {"notes": run.notes, "targets": report.targets_as_json(run.targets)})


class Measurements:
    """One run; each figure over its repeats."""

    def __init__(self, folder: Path, games: int, at_once: int, long: int, repeat: int) -> None:
        self.notes: list[str] = []
        self.targets: list[Target] = []
        self._folder = folder
        self._games = games
        self._at_once = at_once
        self._long = long
        self._repeat = repeat
        self._runs = 0

    def _tournament(
        self, workers: int, games: int | None = None, cores: int = 1, looks: int = 0
    ) -> Rates:
        self._runs += 1
        click.echo(f"bench tournament: tournament {self._runs}, {workers} workers", err=True)
        return tournament(
            self._folder / f"tournament-{self._runs}",
            workers=workers,
            at_once=self._at_once * workers,
            games=games or self._games,
            cores=cores,
            looks=looks,
        )

    def _note_rate(self, workers: int, one: Rates) -> None:
        self.notes.append(
            f"{workers} workers: {one.games:.2f} games/s, {one.decisions:,.0f} decisions/s"
        )

    def _judge(self, name: str, values: list[float], limit: float, *, at_least: bool) -> None:
        middle = sorted(values)[len(values) // 2]
        self.targets.append(
            Target(name, middle, min(values), max(values), limit, at_least=at_least, unit="x")
        )

    def speed(self) -> None:
        ratios = []
        theirs = yardstick()
        for _ in range(self._repeat):
            ours = self._tournament(2)
            self._note_rate(2, ours)
            before, theirs = theirs, yardstick()
            self.notes.append(f"catanatron, 1 core: {theirs:.2f} games/s")
            ratios.append(ours.games / max(before, theirs))
        self._judge("games a second, of catanatron's", ratios, 1.0, at_least=True)

    def harness(self) -> None:
        """Both may use any core, since a plain server is not bound to one either."""
        ratios = []
        for number in range(self._repeat):
            one = self._tournament(1, cores=0)
            self.notes.append(f"1 worker on any core: {one.decisions:,.0f} decisions/s")
            click.echo("bench tournament: the same without a tournament", err=True)
            folder = self._folder / f"plain-{number}"
            bare = plain(folder, places=self._at_once, per_second=one.decisions)
            ratios.append(one.decisions / bare)
            self.notes.append(f"without a tournament: {bare:,.0f} decisions/s")
        self._judge("decisions a second, of the plain server's", ratios, HARNESS, at_least=True)

    def workers(self) -> None:
        """In turns: a machine that is quicker for a while is so for both."""
        ratios = []
        one = self._tournament(1)
        for _ in range(self._repeat):
            two = self._tournament(2)
            before, one = one, self._tournament(1)
            self._note_rate(2, two)
            self._note_rate(1, one)
            ratios.append(2 * two.decisions / (before.decisions + one.decisions))
        self._judge("2 workers, of 1", ratios, WORKERS, at_least=True)

    def memory(self) -> None:
        found = self._tournament(2, self._long, looks=10).memory
        self.notes.append(
            f"memory over {self._long:,} games: "
            + ", ".join(f"{one / 1e6:.0f}" for one in found)
            + " MB"
        )
        self._judge("memory late, of early", [grown(found)], GROWTH, at_least=False)
