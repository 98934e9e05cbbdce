"""``python -m bench balance``: how fair and rich the content is, by self-play of `heuristic`."""

from __future__ import annotations

import multiprocessing
import statistics
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import click

from bench.options import (
    Output,
    games_option,
    json_option,
    processes_option,
    seed_option,
    write_json,
)
from bench.shares import Estimate, mean, share
from endless_winter.cli.catalog import content_option, read_pack
from endless_winter.views.categories import category_label, in_order

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from endless_winter.bots.self_play import Played
    from endless_winter.rules.tables import Tables

COLUMNS: Final = ("initiate", "develop", "migrate", "hunt", "rest")
_ORDINALS: Final = ("1st", "2nd", "3rd", "4th")

# The targets: winners' mean points, points of win rate above the share, shares of figures.
WINNER_POINTS: Final = (80.0, 130.0)
SEAT_ABOVE: Final = 0.05
CARD_ABOVE: Final = 0.10
COLUMN_SHARE: Final = (0.15, 0.40)


class Line:
    """One line of the table: what, the estimate, and whether it meets its target."""

    def __init__(self, what: str, figure: Estimate, text: str, *, met: bool | None = None) -> None:
        self.what = what
        self.figure = figure
        self.text = text
        self.met = met

    def __str__(self) -> str:
        verdict = {None: "", True: "  met", False: "  MISSED"}[self.met]
        return f"  {self.what:30}{self.text}{verdict}"


class _Players(click.ParamType[tuple[int, ...]]):
    name = "players"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        try:
            found = tuple(sorted({int(part) for part in str(value).split(",")}))
        except ValueError:
            found = ()
        if not found or not set(found) <= {2, 3, 4}:
            self.fail(f"{value!r}: write player counts from 2 to 4, for example 2,3,4", param, ctx)
        return found


@click.command(short_help="Self-play: points, seats, Chiefs, Setup cards, columns.")
@games_option("Per player count.")
@click.option("--players", default="2,3,4", show_default=True, type=_Players())
@processes_option
@seed_option
@json_option
@content_option
def balance(
    *,
    games: int,
    players: tuple[int, ...],
    processes: int,
    seed: int,
    output: Output,
    content: Path | None,
) -> None:
    """Let `heuristic` play itself and print who wins, with what, and where figures go.

    Every share stands with its 95 % interval. Chief sides are drawn at random, so that each is
    measured. The same seed gives the same games, whatever the number of processes.
    """
    pack = read_pack(content)
    click.echo(
        f"bench balance: {games} games of each player count, seeds {seed} to "
        f"{seed + games - 1}, "
        f"pack {pack.name} {pack.digest[:12]}"
    )
    figures: dict[str, Any] = {"games": games, "seed": seed, "content": pack.digest, "players": {}}
    for number in players:
        start = time.perf_counter()
        played = []
        for one in _all_games(content, number, range(seed, seed + games), processes):
            played.append(one)
            _progress(number, len(played), games, start)
        table = tabulate(played)
        click.echo(f"\n{number} players ({time.perf_counter() - start:.0f} s)")
        for lines in table.values():
            for line in lines:
                click.echo(str(line))
        figures["players"][str(number)] = {
            section: [
                {"what": line.what, **line.figure._asdict(), "met": line.met} for line in lines
            ]
            for section, lines in table.items()
        }
    write_json(output, figures)


def tabulate(played: list[Played]) -> dict[str, list[Line]]:
    """The table of one player count."""
    players = played[0].players
    fair = 1 / players
    return {
        "points": _points(played),
        "places": [
            _above(
                f"win rate, {_ORDINALS[place]} in first order",
                share(sum(game.places[game.winner] == place for game in played), len(played)),
                fair,
                SEAT_ABOVE,
            )
            for place in range(players)
        ],
        "seats": [
            _above(
                f"win rate, seat {seat}",
                share(sum(game.winner == seat for game in played), len(played)),
                fair,
                SEAT_ABOVE,
            )
            for seat in range(players)
        ],
        "chiefs": _by_card(played, "chiefs", fair),
        "setups": _by_card(played, "setups", fair),
        "columns": _columns(played),
    }


def _points(played: list[Played]) -> list[Line]:
    winners = [game.scores[game.winner] for game in played]
    totals = mean([score["total"] for score in winners])
    met = WINNER_POINTS[0] <= totals.value <= WINNER_POINTS[1]
    spread = ""
    if len(played) > 1:
        points = [score["total"] for score in winners]
        tenths = statistics.quantiles(points, n=10, method="inclusive")
        spread = f", 8 in 10 games {tenths[0]:.0f} to {tenths[-1]:.0f}"
    lines = [Line("winner's points", totals, _plain(totals) + spread, met=met)]
    everybody = mean([score["total"] for game in played for score in game.scores])
    lines.append(Line("everybody's points", everybody, _plain(everybody)))
    for part in in_order({part for score in winners for part in score} - {"total"}):
        figure = mean([score.get(part, 0) for score in winners])
        lines.append(Line(f"  winner's by {category_label(part)}", figure, _plain(figure)))
    length = mean([game.decisions for game in played])
    lines.append(Line("decisions in a game", length, _plain(length)))
    return lines


def _plain(figure: Estimate) -> str:
    return f"{figure.value:5.1f}   ({figure.low:5.1f} - {figure.high:5.1f})"


def _above(what: str, figure: Estimate, fair: float, most: float) -> Line:
    above = 100 * (figure.value - fair)
    text = f"{figure.percent()} {above:+5.1f} of its share"
    return Line(what, figure, text, met=figure.value <= fair + most)


def _by_card(played: list[Played], field: str, fair: float) -> list[Line]:
    wins: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for game in played:
        names: list[str] = getattr(game, field)
        seen.update(names)
        wins[names[game.winner]] += 1
    return [
        _above(f"win rate, {name}", share(wins[name], seen[name]), fair, CARD_ABOVE)
        for name in sorted(seen)
    ]


def _columns(played: list[Played]) -> list[Line]:
    """Shares of all figures placed, those on the Rest space included."""
    lines = []
    for number, column in enumerate(COLUMNS):
        shares = []
        for game in played:
            placed = sum(sum(row) for row in game.figures)
            shares.append(sum(row[number] for row in game.figures) / placed)
        figure = mean(shares)
        low, high = COLUMN_SHARE
        met = None if column == "rest" else low <= figure.value <= high
        lines.append(Line(f"figures on {column}", figure, figure.percent(), met=met))
    return lines


# --- playing, here or in processes ---

_tables: list[Tables] = []  # of a worker process


def _prepare(content: Path | None) -> None:
    _tables[:] = [read_pack(content).tables]


def _play(job: tuple[int, int]) -> Played:
    from endless_winter.bots.self_play import play  # noqa: PLC0415 # only when needed

    return play(_tables[0], *job)


def _all_games(
    content: Path | None, players: int, seeds: range, processes: int
) -> Iterator[Played]:
    """In the order of the seeds."""
    jobs = [(players, seed) for seed in seeds]
    if processes == 1:
        _prepare(content)
        yield from map(_play, jobs)
        return
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes, _prepare, (content,)) as pool:
        yield from pool.imap(_play, jobs, chunksize=4)


def _progress(players: int, done: int, games: int, start: float) -> None:
    if sys.stderr.isatty() and (done % 10 == 0 or done == games):
        left = (time.perf_counter() - start) / done * (games - done)
        end = "\n" if done == games else ""
        text = f"\rbench balance: {players} players, {done} of {games} games, {left:.0f} s left "
        click.echo(text + end, err=True, nl=False)
