"""``python -m bench bots``: the bots that come along against each other, at local tables."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, Final

import click

from bench.options import Output, games_option, json_option, seed_option, write_json
from bench.shares import Estimate, mean, share
from endless_winter.cli.catalog import content_option, read_pack

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.content import Pack

# Who meets whom in 2-player games, and the share of games that the first should win.
PAIRS: Final = (
    ("heuristic", "random", 0.99),
    ("heuristic", "greedy", 0.80),
    ("greedy", "random", None),
)
MOST_MS: Final = 5.0
# Whose decisions are counted, with four players.
COUNTED: Final = ("random", "quick", "heuristic")
COUNTED_GAMES: Final = 4


class Timing:
    """CPU time of the answers of one bot; one with a plan answers several decisions."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.decisions = 0

    @property
    def mean_ms(self) -> float:
        return 1000 * sum(self.seconds) / self.decisions

    @property
    def p99_ms(self) -> float:
        return 1000 * sorted(self.seconds)[int(0.99 * len(self.seconds))]

    def __str__(self) -> str:
        return (
            f"{self.mean_ms:.2f} ms a decision, {self.decisions / len(self.seconds):.1f} decisions "
            f"an answer, p99 {self.p99_ms:.1f} ms an answer"
        )


class Asked:
    """The decisions of one kind in some games."""

    def __init__(self) -> None:
        self.decisions = 0
        self.options = 0
        self.only = 0  # decisions with one option

    def add(self, options: int) -> None:
        self.decisions += 1
        self.options += options
        self.only += options == 1


@click.command(short_help="The bots that come along: who beats whom, and how fast.")
@games_option("Of each pair; every seed is played in both seatings.", least=2)
@seed_option
@json_option
@content_option
def bots(*, games: int, seed: int, output: Output, content: Path | None) -> None:
    """Pairs of bots in 2-player games, and `heuristic` alone among four.

    At local tables: the same views and decisions as over the network. Times are CPU time of the
    choice alone, sampling a world included.
    """
    pack = read_pack(content)
    click.echo(f"bench bots: {games} games of each pair, pack {pack.name} {pack.digest[:12]}")
    figures: dict[str, Any] = {"games": games, "seed": seed, "content": pack.digest, "pairs": []}
    timings: dict[str, Timing] = {}
    for first, second, target in PAIRS:
        won, margin = meet(pack, (first, second), games, seed, timings)
        verdict = ""
        if target is not None:
            verdict = f"  target {100 * target:.0f} %  {'met' if won.value >= target else 'MISSED'}"
        click.echo(
            f"  {first} beats {second:10}{won.percent()}, by {margin.value:.1f} points"
            f" ({margin.low:.1f} - {margin.high:.1f}){verdict}"
        )
        figures["pairs"].append(
            {"first": first, "second": second, "won": won._asdict(), "margin": margin._asdict()}
        )
    four = max(games // 10, 4)
    among: dict[str, Timing] = {}
    won, margin = meet(pack, ("heuristic", "greedy", "greedy", "greedy"), four, seed, among)
    click.echo(f"  heuristic among three greedy {won.percent()} of {four} games with 4 players")
    figures["four"] = won._asdict()
    figures["timings"] = {}
    for name, timing in sorted(timings.items()):
        verdict = ""
        if name == "heuristic":
            met = "met" if timing.mean_ms < MOST_MS else "MISSED"
            verdict = f"  target {MOST_MS:.0f} ms  {met}"
        click.echo(f"  {name:12}{timing}{verdict}")
        figures["timings"][name] = {"mean_ms": timing.mean_ms, "p99_ms": timing.p99_ms}
    click.echo(f"  heuristic with 4 players: {among['heuristic']}")
    figures["decisions"] = {}
    for name in COUNTED:
        _progress(f"decisions of {name}")
        found, answers = count(pack, name, seed)
        for line in decision_lines(name, found, answers):
            click.echo(line)
        figures["decisions"][name] = {
            "answers": answers / COUNTED_GAMES,
            "kinds": {kind: asked.decisions / COUNTED_GAMES for kind, asked in found.items()},
        }
    write_json(output, figures)


def count(pack: Pack, name: str, seed: int) -> tuple[dict[str, Asked], int]:
    """The decisions of games with four bots of a name, by kind; and how many answers they took."""
    from endless_winter.bots import BOTS  # noqa: PLC0415 # only when needed
    from endless_winter.sdk import LocalTable, Plan  # noqa: PLC0415

    found: dict[str, Asked] = {}
    answers = 0
    for number in range(COUNTED_GAMES):
        table = LocalTable(players=4, seed=seed + number, pack=pack)
        bots = [BOTS[name]() for _ in range(4)]
        while not table.over:
            steps = table.copy()
            choice = bots[table.seat].choose(table.decision, table.view(table.seat))
            table.play(choice)
            answers += 1
            taken = [choice.first, *choice.then] if isinstance(choice, Plan) else [choice]
            for step in taken[: table.decisions - steps.decisions]:
                asked = found.setdefault(steps.decision.kind_name, Asked())
                asked.add(len(steps.decision.options))
                steps.play(step)
    return found, answers


def decision_lines(name: str, found: dict[str, Asked], answers: int) -> list[str]:
    """Decisions a game, by kind, the most frequent first."""
    total = sum(asked.decisions for asked in found.values())
    games = COUNTED_GAMES
    lines = [f"  four {name}: {total / games:.0f} decisions a game, {answers / games:.0f} answers"]
    for kind, asked in sorted(found.items(), key=lambda one: -one[1].decisions):
        lines.append(
            f"    {kind:20}{asked.decisions / COUNTED_GAMES:7.1f} a game, "
            f"{asked.options / asked.decisions:5.1f} options, "
            f"{asked.only / COUNTED_GAMES:.1f} with one only"
        )
    return lines


def meet(
    pack: Pack, names: tuple[str, ...], games: int, seed: int, timings: dict[str, Timing]
) -> tuple[Estimate, Estimate]:
    """How often the first of the names wins, and by how many points; all seatings of each seed."""
    wins = 0
    margins = []
    for number in range(games):
        turned = number % len(names)
        seated = names[-turned:] + names[:-turned] if turned else names
        scores, winner = play(pack, seated, seed + number // len(names), timings)
        wins += winner == turned
        others = [score for seat, score in enumerate(scores) if seat != turned]
        margins.append(float(scores[turned] - max(others)))
        _progress(f"{names[0]} and {names[1]}, {number + 1} of {games} games")
    return share(wins, games), mean(margins)


def play(
    pack: Pack, names: tuple[str, ...], seed: int, timings: dict[str, Timing]
) -> tuple[list[int], int]:
    """One game at a local table: points by seat, and who won."""
    from endless_winter.bots import BOTS  # noqa: PLC0415 # only when needed
    from endless_winter.sdk import LocalTable  # noqa: PLC0415

    table = LocalTable(players=len(names), seed=seed, pack=pack)
    bots = [BOTS[name]() for name in names]
    while not table.over:
        seat = table.seat
        decision, view = table.decision, table.view(seat)
        timing = timings.setdefault(names[seat], Timing())
        before = table.decisions
        start = time.thread_time()
        choice = bots[seat].choose(decision, view)
        timing.seconds.append(time.thread_time() - start)
        table.play(choice)
        timing.decisions += table.decisions - before
    result = table.result
    # A game played to its end has a winner (FIN-05).
    assert result is not None
    assert result.winner is not None
    return result.scores, result.winner


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"\rbench bots: {text}   ", err=True, nl=False)
