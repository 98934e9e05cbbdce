"""``python -m bench tournament``: whole tournaments of quick bots, beside catanatron."""

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
WORKERS: Final = 1.8
GROWTH: Final = 1.1
YARDSTICK_GAMES: Final = 12
SECONDS: Final = 10.0  # of the plain server, about
LINGER: Final = 4.0  # seconds that a process plays on while others are still counting
SHORTEST: Final = 200  # decisions of a game, at least
SERVED: Final = 6_000  # answers for which the server alone is measured
SDK_BOT: Final = "random"
SDK_GAMES: Final = 200
SDK_RATE: Final = 10.0  # games a second on two quiet cores


class Rates(NamedTuple):
    """A whole tournament: the start of servers and bots, all games, and the end of processes."""

    games: float
    """A second, from the command to the last process."""
    decisions: float
    processor: dict[str, float]
    """Seconds of processor time for a game, from the start on, by kind of process."""
    memory: list[int]
    """Bytes of all servers and of this process, now and then, if they were looked at."""


class Watch:
    """Notes when games end, and what memory is used then."""

    def __init__(self, every: int, games: int) -> None:
        """`every` so many games memory is looked at, which takes time; 0: never.

        After the last of `games` it is known what all processes used.
        """
        self.ends: list[tuple[float, int]] = []
        self.processor: dict[str, float] = {}
        self._games = games
        self.memory: list[int] = []
        self._every = every

    def began(self, plan: Plan, games: list[Game]) -> None:
        del plan, games

    def played(self, plan: Plan, game: Game) -> None:
        del plan
        if game.outcome != "completed":
            raise click.ClickException(f"a game was not played: {game.outcome}: {game.note}")
        self.ends.append((time.perf_counter(), game.decisions))
        if len(self.ends) == self._games:
            self.processor = _processor()
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
    folder: Path,
    *,
    workers: int,
    at_once: int,
    games: int,
    cores: int = 1,
    looks: int = 0,
    bot: str = BOT,
) -> Rates:
    """Play a tournament and take its rate, start and end included.

    Game ends come in step when all began together, so the time between them says nothing.
    `cores` are those of each worker, 0: any. Memory is looked at so many times. With an `at_once`
    of 0 it finds its number of games side by side itself.
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
                {"name": f"bot{seat}", "bot": bot, "files": [str(processes.FOLDER)]}
                for seat in range(SEATS)
            ],
        }
    )
    watch = Watch(max(games // looks, 1) if looks else 0, known.blocks * SEATS)
    world = schedule.World(str(RULES_VERSION), load_pack().digest)
    own, begun = time.process_time(), time.perf_counter()
    with results.Journal(folder / "results.jsonl") as journal:
        key = runner.open_key(folder, journal)
        executor = LocalExecutor(known, Folders(folder, 1))
        asyncio.run(runner.Tournament(known, world, key, journal, executor, watch).run())
    seconds = time.perf_counter() - begun
    count = len(watch.ends)
    return Rates(
        count / seconds,
        sum(decisions for _, decisions in watch.ends) / seconds,
        {
            kind: (used - (own if kind == "runner" else 0.0)) / count
            for kind, used in watch.processor.items()
        },
        watch.memory,
    )


def _processor() -> dict[str, float]:
    """Processor time of this process and all that it has started, by kind."""
    from endless_winter.tournament import processor_share  # noqa: PLC0415 # only when needed

    own, servers = os.getpid(), set(_servers())
    found = dict.fromkeys(("servers", "bots", "runner"), 0.0)
    for process in processor_share.family(own, processor_share.snapshot()):
        kind = "runner" if process.pid == own else "servers" if process.pid in servers else "bots"
        found[kind] += process.own
    return found


def served(folder: Path, answers: int = SERVED) -> float:
    """Decisions a second of one server with the settings of a tournament's, and bare bots.

    It is what ``python -m bench serve`` measures with 64 games on one stream.
    """
    from endless_winter.tournament import host  # noqa: PLC0415 # only when needed

    folder.mkdir()
    with processes.product(folder, host.SETTINGS) as server:
        found = processes.load(
            "bots",
            address=server.address,
            secret=secrets.token_hex(32),
            games=64,
            streams=1,
            answers=answers,
            server=server.process.pid,
        )
    return float(found["per_second"])


def impossible(rate: float, server: float, workers: int) -> str:
    """Why a rate cannot be true, in a line; empty: it can be."""
    most = server * workers
    if rate <= most:
        return ""
    return (
        f"{rate:,.0f} decisions/s on {workers} servers, but in this run one server reached "
        f"{server:,.0f} without a tournament: the measurement is wrong"
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


@click.command("tournament", short_help="Whole tournaments of quick bots, beside catanatron.")
@games_option("Of each tournament.", least=8)
@games_option("At a time of each worker.", name="--at-once", default=64)
@games_option(
    "Of the tournament in which memory is watched.", name="--long", default=2000, least=20
)
@repeat_option(3, "Tournaments of each kind.")
@only_option(("sdk", "speed", "harness", "workers", "memory"))
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

    Every rate is that of a whole run, start and end included. One that is above what the servers
    reach without a tournament, measured in the same run, is an error.

    sdk: games a second of four 'random' bots of the SDK with the settings that everybody has.
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
            "sdk": run.sdk,
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
    if run.errors:
        raise click.ClickException("; ".join(run.errors))


class Measurements:
    """One run; each figure over its repeats."""

    def __init__(self, folder: Path, games: int, at_once: int, long: int, repeat: int) -> None:
        self.notes: list[str] = []
        self.targets: list[Target] = []
        self.errors: list[str] = []
        self._served = 0.0
        self._folder = folder
        self._games = games
        self._at_once = at_once
        self._long = long
        self._repeat = repeat
        self._runs = 0

    def _tournament(
        self,
        workers: int,
        games: int | None = None,
        cores: int = 1,
        looks: int = 0,
        bot: str = BOT,
    ) -> Rates:
        if not self._served:
            click.echo("bench tournament: one server without a tournament", err=True)
            self._served = max(served(self._folder / f"served-{number}") for number in range(2))
            self.notes.append(f"one server alone: {self._served:,.0f} decisions/s")
        self._runs += 1
        click.echo(f"bench tournament: tournament {self._runs}, {workers} workers", err=True)
        found = tournament(
            self._folder / f"tournament-{self._runs}",
            workers=workers,
            at_once=0 if bot == SDK_BOT else self._at_once * workers,
            games=games or self._games,
            cores=cores,
            looks=looks,
            bot=bot,
        )
        if error := impossible(found.decisions, self._served, workers):
            self.errors.append(error)
        return found

    def _note_rate(self, workers: int, one: Rates) -> None:
        self.notes.append(
            f"{workers} workers: {one.games:.2f} games/s, {one.decisions:,.0f} decisions/s; "
            f"ms of processor time a game: "
            + ", ".join(f"{kind} {1000 * used:.0f}" for kind, used in one.processor.items())
        )

    def sdk(self) -> None:
        """What users see: bots of the SDK, default settings."""
        rates, ratios = [], []
        theirs = yardstick()
        for _ in range(self._repeat):
            ours = self._tournament(2, SDK_GAMES, bot=SDK_BOT)
            self._note_rate(2, ours)
            before, theirs = theirs, yardstick()
            self.notes.append(f"catanatron, 1 core: {theirs:.2f} games/s")
            rates.append(ours.games)
            ratios.append(ours.games / max(before, theirs))
        self._judge("games a second, four of the SDK", rates, SDK_RATE, at_least=True, unit="/s")
        self._judge("the same, of catanatron's games a second", ratios, None, at_least=True)

    def _judge(
        self,
        name: str,
        values: list[float],
        limit: float | None,
        *,
        at_least: bool,
        unit: str = "x",
    ) -> None:
        middle = sorted(values)[len(values) // 2]
        self.targets.append(
            Target(name, middle, min(values), max(values), limit, at_least=at_least, unit=unit)
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
        self._judge("decisions a second, of the plain server's", ratios, None, at_least=True)

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
