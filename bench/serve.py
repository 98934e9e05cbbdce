"""``python -m bench serve``: the server as a process, beside a bare gRPC echo in the same run."""

from __future__ import annotations

import os
import platform
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bench import attack, many, ours, report, speed
from bench.options import (
    Output,
    json_option,
    needs_proc,
    only_option,
    quick_option,
    repeat_option,
    write_json,
)
from bench.protocol import QUICK, Run, Sizes

if TYPE_CHECKING:
    from collections.abc import Callable

PROMPT_SHARE = 0.3


def prompt(run: Run) -> None:
    """A prompt with its view, as the server builds it and from scratch."""
    from bench.prompts import measure, recorded  # noqa: PLC0415
    from endless_winter.content import load_pack  # noqa: PLC0415 # only when needed
    from endless_winter.rules import Config  # noqa: PLC0415

    run.progress("building prompts")
    pack = load_pack()
    config = Config(tables=pack.tables, players=4)
    games = [
        recorded(config, seed.to_bytes(32, "big"), lambda game: game.options()[-1])
        for seed in range(run.sizes.prompts)
    ]
    costs = [measure(pack, games, repeat=1) for _ in range(run.repeat)]
    quick = min(cost.spliced for cost in costs)
    slow = min(cost.from_scratch for cost in costs)
    run.note(
        "a prompt with its view",
        f"{quick:,.0f} us, from scratch {slow:,.0f} us, {costs[0].size:,.0f} bytes with labels",
    )
    ratios = [cost.ratio for cost in costs]
    run.judge("a prompt, of building it anew", ratios, PROMPT_SHARE, unit="x", value=quick / slow)


MEASUREMENTS: dict[str, Callable[[Run], None]] = {
    "throughput": speed.throughput,
    "latency": speed.latency,
    "store": speed.store,
    "pace": speed.pace,
    "prompt": prompt,
    "start": many.start,
    "memory": many.memory,
    "cost": many.cost,
    "flat": many.flat,
    "attack": attack.attacks,
}


@click.command(short_help="The server over the network, beside a bare gRPC echo.")
@only_option(MEASUREMENTS)
@repeat_option(5, "Rounds of what is compared with something else.")
@click.option(
    "--store",
    default="",
    envvar="EW_BENCH_STORE",
    show_envvar=True,
    metavar="URL",
    help="Compare a database with a file: what a decision costs the server on each.",
)
@quick_option
@json_option
def serve(*, only: tuple[str, ...], repeat: int, store: str, quick: bool, output: Output) -> None:
    """Measure a real server process under load from another process.

    Targets are ratios to a bare gRPC echo that is measured in the same run, so that they mean the
    same on any machine. All of it takes a quarter of an hour and 1 GB of disk in the temporary
    folder; Linux only, since memory and processor time are read from /proc.
    """
    needs_proc()
    click.echo(headline())
    with tempfile.TemporaryDirectory(prefix="ew-bench-") as folder:
        run = Run(Path(folder), repeat, QUICK if quick else Sizes(), _progress, store)
        for name, measure in MEASUREMENTS.items():
            if not only or name in only:
                measure(run)
    width = max((len(name) for name, _ in run.figures), default=0)
    for line in ["", *(f"{name:<{width}}  {text}" for name, text in run.figures), ""]:
        click.echo(line)
    for line in report.target_lines(run.targets):
        click.echo(line)
    write_json(
        output,
        {
            "python": platform.python_version(),
            "machine": platform.platform(),
            "cores": os.cpu_count(),
            "compiled": ours.compiled(),
            "repeat": repeat,
            "quick": quick,
            "figures": dict(run.figures),
            "targets": report.targets_as_json(run.targets),
            "runs": run.raw,
        },
    )


def headline() -> str:
    """What was measured, and on what."""
    core = "compiled" if ours.compiled() else "pure Python"
    return (
        f"bench serve: rules core {core}, Python {platform.python_version()}, "
        f"{os.cpu_count()} cores"
    )


def _progress(text: str) -> None:
    click.echo(f"bench serve: {text}", err=True)
