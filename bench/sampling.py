"""What it costs to sample worlds that agree with a view."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, NamedTuple

import click

from bench.prompts import recorded
from endless_winter.cli.catalog import content_option, read_pack
from endless_winter.rules import Config
from endless_winter.v1 import view_private_pb2, view_public_pb2
from endless_winter.views.players import private_bytes
from endless_winter.views.public import PublicEncoder
from endless_winter.views.sampling import Sampler
from endless_winter.views.words import Words

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.content import Pack
    from endless_winter.rules import Game


class Cost(NamedTuple):
    """Microseconds of processor time."""

    views: int
    read: float
    first_draw: float
    next_draw: float


def measure(pack: Pack, games: list[list[Game]], repeat: int = 5) -> Cost:
    """Each view of the chooser read and drawn from, game by game; the best of several runs."""
    words = Words(pack)
    seen = [
        [
            (
                view_public_pb2.PublicView.FromString(PublicEncoder(words).encode(one.position)),
                view_private_pb2.PrivateView.FromString(
                    private_bytes(words, one.position, one.position.agenda[-1][1])
                ),
            )
            for one in game
        ]
        for game in games
    ]
    best = [float("inf")] * 3
    for _ in range(repeat):
        spent = [0.0] * 3
        rng = random.Random(1)
        for game, views in zip(games, seen, strict=True):
            sampler = Sampler(pack, game[0].position.config)
            times = [time.process_time()]
            known = [sampler.read(public, private) for public, private in views]
            times.append(time.process_time())
            for _ in range(2):
                for one in known:
                    one.draw(rng)
                times.append(time.process_time())
            for at in range(3):
                spent[at] += times[at + 1] - times[at]
        best = [min(one, other) for one, other in zip(best, spent, strict=True)]
    number = sum(len(game) for game in games)
    return Cost(number, *[one / number * 1e6 for one in best])


def _random_game(pack: Pack, players: int, number: int) -> list[Game]:
    choices = random.Random(f"{players} {number}")
    return recorded(
        Config(pack.tables, players),
        choices.randbytes(32),
        lambda game: choices.choice(game.options()),
    )


@click.command(short_help="Sampling worlds that agree with a view.")
@content_option
def sampling(*, content: Path | None) -> None:
    """Read views of random games and draw worlds from them, for 2, 3 and 4 players."""
    pack = read_pack(content)
    for players in (2, 3, 4):
        games = [_random_game(pack, players, number) for number in range(3)]
        cost = measure(pack, games)
        click.echo(
            f"{players} players, {cost.views} views: read {cost.read:.0f} us, "
            f"first draw {cost.first_draw:.0f} us, each further one {cost.next_draw:.0f} us"
        )
