"""``ew tournament``: run a tournament, or go on with one."""

from __future__ import annotations

import asyncio
import signal
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.tournament.executor import Executor
    from endless_winter.tournament.report.summary import Summary
    from endless_winter.tournament.runner import Tournament
    from endless_winter.tournament.seeds import Key
    from endless_winter.tournament.spec import Spec
    from endless_winter.tournament.worker import Folders

FILE = click.Path(path_type=Path, dir_okay=False)
COUNT = click.IntRange(min=1)


@click.command()
@click.argument("spec", type=FILE, required=False)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of the tournament.  [default: runs/ and the name of the spec]",
)
@click.option("--blocks", type=COUNT, help="Sets of games, instead of those of the spec.")
@click.option("--workers", type=COUNT, help="Servers side by side, instead of those of the spec.")
@click.option("--at-once", type=COUNT, help="Games side by side, instead of those of the spec.")
@click.option(
    "--executor",
    type=click.Choice(("local", "ray")),
    default="local",
    show_default=True,
    help="Where games are played: processes here, or a Ray cluster.",
)
@click.option("--ray-address", help="The Ray cluster to join.  [default: one of our own, here]")
@click.option(
    "--listen",
    default="127.0.0.1:0",
    show_default=True,
    metavar="HOST:PORT",
    help="Where bots that attach by themselves find the server.",
)
@click.option(
    "--key",
    type=FILE,
    help="A key file of an earlier tournament: the same seeds again. Needs paired_seeds = true.",
)
@click.option(
    "--new",
    is_flag=True,
    help="Begin another one beside what was played before: in runs/NAME-2, runs/NAME-3, ...",
)
@click.option(
    "--explain",
    is_flag=True,
    help="Keep in the games' records why bots chose; costs them a little time.",
)
@click.option("--quiet", is_flag=True, help="No progress, only the end.")
def tournament(
    spec: Path | None,
    *,
    out: Path | None,
    blocks: int | None,
    workers: int | None,
    at_once: int | None,
    executor: str,
    ray_address: str | None,
    listen: str,
    key: Path | None,
    new: bool,
    explain: bool,
    quiet: bool,
) -> None:
    """Run the tournament of the TOML file SPEC, or go on with it.

    Without SPEC, a small round robin of the bots that come along. Everything is stored in one
    folder: results.jsonl is the truth, the reports are made from it, and the same command goes
    on where it was stopped, however that happened. docs/tournaments.md has the rest.
    """
    from endless_winter.tournament import spec as specs  # noqa: PLC0415 # only when needed
    from endless_winter.tournament.errors import TournamentError  # noqa: PLC0415

    try:
        with resources.as_file(
            resources.files("endless_winter.tournament") / "small.toml"
        ) as small:
            found = specs.read(spec or small)
        found = _changed(
            found, blocks=blocks, workers=workers, at_once=at_once, explain=explain or None
        )
        _findable(found)
        _explainable(found, executor)
        folder = (out or Path("runs") / (spec.stem if spec else "small")).resolve()
        if new:
            folder = _unused(folder)
            click.echo(f"a new tournament in {folder}")
        brought = _brought(key, found)

        def make(folders: Folders) -> Executor:
            if executor == "ray":
                return _ray(found, folders, ray_address)
            from endless_winter.tournament.executor import LocalExecutor  # noqa: PLC0415

            return LocalExecutor(found, folders, listen=listen)

        _run(found, folder, brought, make, quiet=quiet, here=executor == "local")
    except TournamentError as error:
        raise click.ClickException(str(error)) from error


def _unused(folder: Path) -> Path:
    """The folder itself, or the first of that name with a number, in which nothing was played."""
    number = 1
    found = folder
    while found.exists():
        number += 1
        found = folder.with_name(f"{folder.name}-{number}")
    return found


def _brought(file: Path | None, spec: Spec) -> Key | None:
    """The key of another tournament, if one is given."""
    from endless_winter.tournament import seeds  # noqa: PLC0415 # only when needed
    from endless_winter.tournament.errors import TournamentError  # noqa: PLC0415

    if file is None:
        return None
    if not spec.paired_seeds:
        raise TournamentError(
            "--key brings seeds of which cards may have been seen: it needs paired_seeds = true "
            "in the spec, for a field of your own bots"
        )
    return seeds.load(file)


def _ray(spec: Spec, folders: Folders, address: str | None) -> Executor:
    from endless_winter.tournament.errors import TournamentError  # noqa: PLC0415 # only when needed

    try:
        from endless_winter.tournament.ray_executor import RayExecutor  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise TournamentError(
            f"--executor ray needs the Python module '{error.name}': install endless-winter[ray]"
        ) from error
    return RayExecutor(spec, folders, address=address)


def _changed(spec: Spec, **given: int | None) -> Spec:
    import msgspec  # noqa: PLC0415 # only when needed

    changed = {name: value for name, value in given.items() if value is not None}
    return msgspec.structs.replace(spec, **changed)


def _findable(spec: Spec) -> None:
    """Whether the bots by name are there; whether others run, their processes will say."""
    from endless_winter.cli.bot import built_in  # noqa: PLC0415
    from endless_winter.sdk.errors import BotFailed  # noqa: PLC0415
    from endless_winter.sdk.loading import load  # noqa: PLC0415
    from endless_winter.tournament.entrants import ATTACH, COMMAND, command_of  # noqa: PLC0415
    from endless_winter.tournament.errors import TournamentError  # noqa: PLC0415 # only when needed

    known = built_in()
    for entrant in spec.entrant:
        command_of(entrant)
        if entrant.fingerprint or entrant.bot == ATTACH or entrant.bot.startswith(COMMAND):
            continue
        try:
            load(entrant.bot, known)
        except BotFailed as error:
            raise TournamentError(
                f'entrant {entrant.name}: {error}, or "attach" for one that you start yourself'
            ) from error


def _explainable(spec: Spec, executor: str) -> None:
    from endless_winter.tournament.errors import TournamentError  # noqa: PLC0415 # only when needed

    if spec.explain and executor == "ray":
        raise TournamentError(
            "--explain keeps what bots write on this machine: it does not work with --executor ray"
        )


def _run(
    spec: Spec,
    out: Path,
    brought: Key | None,
    make: Callable[[Folders], Executor],
    *,
    quiet: bool,
    here: bool,
) -> None:
    """`here`: bots run on this machine, so that what they can do here is known beforehand."""
    from endless_winter.cli.tournament_progress import progress_of  # noqa: PLC0415
    from endless_winter.cli.tournament_report import show, write  # noqa: PLC0415
    from endless_winter.content import load_pack  # noqa: PLC0415
    from endless_winter.rules import RULES_VERSION  # noqa: PLC0415
    from endless_winter.service import garbage  # noqa: PLC0415
    from endless_winter.tournament import (  # noqa: PLC0415 # only when needed
        isolation,
        results,
        runner,
        schedule,
    )
    from endless_winter.tournament.report.summary import summarize  # noqa: PLC0415
    from endless_winter.tournament.worker import Folders  # noqa: PLC0415

    garbage.tune_gc()  # thousands of results stay in memory: none is garbage
    world = schedule.World(str(RULES_VERSION), load_pack().digest)
    try:
        private = out / "private"
        private.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise click.ClickException(f"{out}: cannot be made: {error.strerror}") from error
    if here:
        for line in isolation.warnings(spec, out):
            click.echo(f"ew tournament: warning: {line}", err=True)
    with results.Journal(out / "results.jsonl") as journal:
        key = runner.open_key(out, journal, brought)
        number = 1 + sum(1 for _ in private.glob("run-*"))
        for entrant in spec.attached:
            file = Folders(out, number).worker(0) / f"{entrant.name}.env"
            click.echo(f"{entrant.name} is started by somebody else, with the variables in {file}")
        with progress_of(spec, journal.results, quiet=quiet) as progress:
            game = runner.Tournament(
                spec, world, key, journal, make(Folders(out, number)), progress
            )
            try:
                asyncio.run(_until_stopped(game))
            except (KeyboardInterrupt, asyncio.CancelledError):
                stopped = True
            else:
                stopped = False
        summary: Summary = summarize(spec, game.plan, journal.results)
    write(summary, out)
    show(summary, out)
    if stopped:
        raise click.ClickException(
            f"interrupted after {summary.table.games} games; the same command goes on with it"
        )


async def _until_stopped(tournament: Tournament) -> None:
    """Run; SIGTERM ends it like Ctrl-C, and a second word ends it without waiting for bots."""
    from endless_winter.tournament import processes  # noqa: PLC0415 # only when needed

    task = asyncio.current_task()
    assert task is not None

    def stop() -> None:
        if task.cancelling():
            processes.kill_all()
        else:
            task.cancel()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    await tournament.run()
