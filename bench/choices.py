"""``python -m bench choices``: how good the choices of bots are, decision by decision.

A match tells two bots apart after hundreds of games. Here all bots are asked at the same decisions,
and each option that one of them chose is played to the end of the round in the same worlds: a
paired comparison, which needs dozens of decisions. It favours bots that think in such worlds, so it
says which of two searches is better, not who wins.
"""

from __future__ import annotations

import math
import statistics
import time
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from bench.options import seed_option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.rules import Game

Z: Final = 1.96
OFTEN: Final = 0.1  # of the decisions where a figure is placed are asked
SELDOM: Final = 0.02  # and of the others, with two players


class Chosen(NamedTuple):
    """By bot: the points that its choice is worth, and the seconds that it took."""

    worths: list[float]
    seconds: list[float]


@click.command(short_help="How good the choices of bots are, at the same decisions.")
@click.argument("bots", nargs=-1, required=True, metavar="BOT BOT ...")
@click.option("--players", type=click.IntRange(2, 4), default=2, show_default=True)
@click.option("--positions", type=click.IntRange(min=2), default=50, show_default=True)
@click.option(
    "--worlds", type=click.IntRange(min=1), default=24, show_default=True, help="For each decision."
)
@seed_option
def choices(*, bots: tuple[str, ...], players: int, positions: int, worlds: int, seed: int) -> None:
    """Ask each BOT at decisions of games of `quick`, and judge what they choose.

    An option is worth what the seat's points over the best rival's are expected to be at the end of
    the round. Printed are the points over the first BOT's choices, with a 95 % interval.
    """
    found = [
        judge(bots, game, number, worlds)
        for number, game in enumerate(asked(players, positions, seed))
    ]
    click.echo("| bot | decisions | other choices | points over the first bot | a decision |")
    click.echo("| --- | --- | --- | --- | --- |")
    for at, bot in enumerate(bots):
        gains = [one.worths[at] - one.worths[0] for one in found]
        half = Z * statistics.stdev(gains) / math.sqrt(len(gains))
        other = sum(bool(gain) for gain in gains)
        spent = 1000 * statistics.fmean(one.seconds[at] for one in found)
        click.echo(
            f"| `{bot}` | {len(gains)} | {other} "
            f"| {statistics.fmean(gains):+.2f} ± {half:.2f} | {spent:.1f} ms |"
        )


def asked(players: int, positions: int, seed: int) -> Iterator[Game]:
    """Decisions with a choice to make, most of them about figures."""
    from endless_winter.bots import quick  # noqa: PLC0415 # only when needed
    from endless_winter.content import load_pack  # noqa: PLC0415
    from endless_winter.rules import Config, Game, agenda  # noqa: PLC0415

    draw = Random(seed)
    number = 0
    while True:
        game = Game.new(Config(load_pack().tables, players), seed.to_bytes(32, "big"))
        seed += 1
        while legal := game.options():
            figure = game.position.agenda[-1][0] == agenda.TURN
            if len(legal) > 1 and draw.random() < (OFTEN if figure else SELDOM) * 2 / players:
                yield game
                number += 1
                if number == positions:
                    return
            game.apply(quick.choose(game)[0].option)


def judge(bots: tuple[str, ...], game: Game, number: int, worlds: int) -> Chosen:
    """What each bot chooses here, and what that is worth."""
    from endless_winter.bots import monte_carlo, named  # noqa: PLC0415
    from endless_winter.bots.learned import PLAIN  # noqa: PLC0415
    from endless_winter.bots.self_play import Unseen  # noqa: PLC0415

    seat = game.position.agenda[-1][1]
    known = Unseen(game, seat)
    codes: list[int] = []
    seconds: list[float] = []
    for bot in bots:
        thinker = named(bot)()
        start = time.thread_time()
        codes.append(thinker.think(known, Random(number))[0].option)
        seconds.append(time.thread_time() - start)
    worths = dict.fromkeys(codes, 0.0)
    draw = Random(f"judge {number}")
    for _ in range(worlds if len(worths) > 1 else 0):
        world = known.draw(draw)
        for code in worths:
            worths[code] += monte_carlo.roll_out(world, code, seat, PLAIN, looks=True) / worlds
    return Chosen([worths[code] for code in codes], seconds)
