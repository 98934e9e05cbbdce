"""``python -m bench core``: the rules core by random play, beside catanatron and python-chess."""

from __future__ import annotations

import platform
import sys
from typing import TYPE_CHECKING

import click

from bench import measure, memory, report
from bench.options import (
    Output,
    json_option,
    repeat_option,
    seconds_option,
    seed_option,
    write_json,
)
from bench.yardsticks import Catanatron, PythonChess
from endless_winter.cli.catalog import content_option, read_pack

if TYPE_CHECKING:
    from pathlib import Path


@click.command(short_help="Random play on the rules core, catanatron and python-chess.")
@seconds_option
@click.option("--players", default=4, show_default=True, type=click.IntRange(2, 4))
@click.option("--solo", is_flag=True, help="Against the Nomad; --players then counts for others.")
@repeat_option(5, "Passes over the same games; the fastest of each game counts.")
@seed_option
@json_option
@content_option
def core(
    *,
    seconds: float,
    players: int,
    solo: bool,
    repeat: int,
    seed: int,
    output: Output,
    content: Path | None,
) -> None:
    """Play random games on the rules core and on two well-known engines, in turns.

    The targets are ratios, so that they mean the same on any machine; which of them apply depends
    on whether the rules core is compiled (EW_MYPYC=1 at build time). Takes about SECONDS x REPEAT
    x 3.
    """
    yardsticks = (Catanatron(players), PythonChess())
    from bench import ours  # noqa: PLC0415 # 'make bench' is the first thing to say

    tables = read_pack(content).tables
    engine = ours.EndlessWinter(2 if solo else players, tables, solo=solo)
    subjects: list[measure.Subject] = [engine, *yardsticks]
    try:
        scores = measure.race(
            subjects, seconds=seconds, repeat=repeat, seed=seed, progress=_progress
        )
    except measure.NotRepeatable as error:
        raise click.ClickException(str(error)) from error
    positions = [
        measure.middles(s, seed, score.passes[0]) for s, score in zip(subjects, scores, strict=True)
    ]
    engines = [
        report.figures(s.name, s.version, score, memory.copy_size(places))
        for s, score, places in zip(subjects, scores, positions, strict=True)
    ]
    weight = max(memory.deep_size(game, shared=[engine.config]) for game in positions[0])
    targets = report.targets(*scores, position_bytes=weight, compiled=ours.compiled())
    click.echo(
        f"bench core: {'solo' if solo else f'{players} players'}, "
        f"{', '.join(str(score.games) for score in scores)} games of the engines, "
        f"best of {repeat} passes, CPU time, Python {platform.python_version()}"
    )
    for line in ["", *report.figure_lines(engines), "", *report.target_lines(targets)]:
        click.echo(line)
    write_json(
        output,
        {
            "python": platform.python_version(),
            "machine": platform.platform(),
            "compiled": ours.compiled(),
            "players": players,
            "solo": solo,
            "seconds": seconds,
            "repeat": repeat,
            "seed": seed,
            **report.as_json(engines, targets),
        },
    )


def _progress(text: str) -> None:
    """A minute of silence looks like a hang; scripts and logs are spared the lines."""
    if sys.stderr.isatty():
        click.echo(f"bench core: {text}", err=True)
