"""``python -m bench pairing``: what sharing seeds over seat rotations is worth (`paired_seeds`)."""

from __future__ import annotations

import math
import multiprocessing
import random
import sys
import time
from functools import partial
from statistics import fmean, variance
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from bench.options import (
    Output,
    games_option,
    json_option,
    processes_option,
    seed_option,
    write_json,
)
from bench.shares import mean
from endless_winter.cli.catalog import content_option, read_pack

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from endless_winter.content import Pack

# The first two are compared; others may sit at the table.
TABLES: Final = (
    ("heuristic", "greedy"),
    ("heuristic", "heuristic"),
    ("greedy", "random"),
    ("heuristic", "greedy", "greedy", "random"),
    ("heuristic", "heuristic", "greedy", "greedy"),
)
RESAMPLES: Final = 1000

Rotations = tuple[float, ...]
"""A figure of the games on one seed, one game for each rotation of the seats."""


class Worth(NamedTuple):
    """What pairing does to one figure."""

    mean: float
    margin: float
    """Half of the 95 % interval of the mean, over seeds."""
    alone: float
    """Variance per game, each game on a seed of its own."""
    paired: float
    """The same with one seed for all rotations."""
    low: float
    high: float
    """The 95 % interval of how many times the games are needed without pairing."""

    @property
    def times(self) -> float:
        """How many times the games are needed without pairing, for the same interval."""
        return self.alone / self.paired if self.paired else math.nan


def worth(seeds: Sequence[Rotations], resamples: int = RESAMPLES) -> Worth:
    """What pairing does, from games that were played in pairs.

    A game by itself is the same in both modes, so the spread of each rotation over the seeds is
    that of games on seeds of their own; what their mean on a seed varies less is by pairing.
    """
    found = mean([fmean(one) for one in seeds])
    draw = random.Random(1)
    drawn = sorted(
        alone / paired
        for alone, paired in (
            _variances(draw.choices(seeds, k=len(seeds))) for _ in range(resamples)
        )
        if paired
    )
    if not drawn:  # all games ended alike: there is nothing that pairing could do
        return Worth(found.value, 0.0, 0.0, 0.0, math.nan, math.nan)
    low, high = (drawn[int(share * (len(drawn) - 1))] for share in (0.025, 0.975))
    return Worth(found.value, found.value - found.low, *_variances(seeds), low, high)


def _variances(seeds: Sequence[Rotations]) -> tuple[float, float]:
    """Per game: on seeds of their own, and paired."""
    rotations = len(seeds[0])
    alone = fmean(variance(one[turn] for one in seeds) for turn in range(rotations))
    return alone, rotations * variance(fmean(one) for one in seeds)


class Played(NamedTuple):
    """The games of one seed: how the first did beside the second, by rotation."""

    points: Rotations
    ahead: Rotations


@click.command(short_help="What sharing seeds over seat rotations is worth.")
@games_option("Of each table.", name="--seeds", least=8)
@processes_option
@seed_option
@click.option(
    "--table",
    "tables",
    multiple=True,
    metavar="BOT,BOT[,BOT[,BOT]]",
    help="Who sits there, instead of the usual; several times for several.",
)
@json_option
@content_option
def pairing(
    *,
    seeds: int,
    processes: int,
    seed: int,
    tables: tuple[str, ...],
    output: Output,
    content: Path | None,
) -> None:
    """Play each seed in every seat rotation, at local tables, and compare two variances per game.

    One is that of games on seeds of their own, the default of a tournament; the other that of games
    whose seed is shared by the rotations (`paired_seeds = true`). Their ratio is how many times the
    games are needed without pairing, for an interval of the same width.
    """
    chosen = [_names(one) for one in tables] or list(TABLES)
    click.echo(
        f"bench pairing: {seeds} seeds from {seed} of each table, every seat rotation; "
        "the first bot beside the second"
    )
    figures = []
    for names in chosen:
        start = time.perf_counter()
        played = []
        for one in _all(content, names, range(seed, seed + seeds), processes):
            played.append(one)
            _progress(names, len(played), seeds)
        click.echo(f"\n{', '.join(names)} ({time.perf_counter() - start:.0f} s)")
        for what, unit in (("points", "points"), ("ahead", "of games ahead")):
            found = worth([getattr(one, what) for one in played])
            click.echo(f"  {found.mean:+8.3f} ±{found.margin:6.3f} {unit:15}{_pairing_text(found)}")
            row: dict[str, Any] = {"table": names, "figure": what, **found._asdict()}
            figures.append({**row, "times": found.times})
    write_json(output, {"seeds": seeds, "seed": seed, "figures": figures})


def _pairing_text(found: Worth) -> str:
    if not found.paired:
        return "all games ended alike"
    return (
        f"variance of a game {found.alone:9.3f}, paired {found.paired:9.3f}: "
        f"unpaired needs {found.times:.2f}x the games ({found.low:.2f} - {found.high:.2f})"
    )


def _names(text: str) -> tuple[str, ...]:
    from endless_winter.bots import BOTS  # noqa: PLC0415 # only when needed

    names = tuple(text.split(","))
    if not 2 <= len(names) <= 4 or not set(names) <= BOTS.keys():
        known = ", ".join(sorted(BOTS))
        raise click.UsageError(f"--table {text}: write 2 to 4 of {known}, with commas between")
    return names


def play(pack: Pack, names: Sequence[str], seed: int) -> Played:
    """The games of one seed."""
    points, ahead = [], []
    for turn in range(len(names)):
        order = [(turn + seat) % len(names) for seat in range(len(names))]
        scores, places = _game(pack, [names[who] for who in order], seed, turn)
        first, second = order.index(0), order.index(1)
        points.append(float(scores[first] - scores[second]))
        gap = places[second] - places[first]
        ahead.append(0.5 if not gap else float(gap > 0))
    return Played(tuple(points), tuple(ahead))


def _game(pack: Pack, seated: Sequence[str], seed: int, turn: int) -> tuple[list[int], list[int]]:
    from endless_winter.bots import BOTS  # noqa: PLC0415 # only when needed
    from endless_winter.sdk import LocalTable  # noqa: PLC0415

    # As in a tournament each game has an id of its own, which the bots' own chance comes from.
    table = LocalTable(len(seated), seed=seed, pack=pack, game_id=f"pairing-{seed}-{turn}")
    bots = [BOTS[name](seat) for seat, name in enumerate(seated)]
    while not table.over:
        seat = table.seat
        table.play(bots[seat].choose(table.decision, table.view(seat)))
    result = table.result
    assert result is not None
    return result.scores, [seat.place for seat in result.raw.seats]


_packs: list[Pack] = []  # of a process


def _prepare(content: Path | None) -> None:
    _packs[:] = [read_pack(content)]


def _play(names: Sequence[str], seed: int) -> Played:
    return play(_packs[0], names, seed)


def _all(
    content: Path | None, names: Sequence[str], seeds: range, processes: int
) -> Iterator[Played]:
    """In the order of the seeds."""
    job = partial(_play, names)
    if processes == 1:
        _prepare(content)
        yield from map(job, seeds)
        return
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes, _prepare, (content,)) as pool:
        yield from pool.imap(job, seeds, chunksize=4)


def _progress(names: Sequence[str], done: int, seeds: int) -> None:
    if sys.stderr.isatty():
        end = "\n" if done == seeds else ""
        text = f"\rbench pairing: {', '.join(names)}, {done} of {seeds} seeds "
        click.echo(text + end, err=True, nl=False)
