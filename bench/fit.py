"""``python -m bench fit``: fit the evaluation of the bots to the final scores of self-play."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path
from random import Random
from typing import Final

import click

from bench.options import games_option, processes_option, seed_option

# How strongly weights are drawn to 1, in positions; few positions then change little.
_PULL: Final = 200.0
_STRAY: Final = 0.1  # of the figures are placed at random, so that there is something to compare

Sample = tuple[int, list[float], float]  # own turns to come, parts, points still to come


@click.command(short_help="Fit the evaluation of `learned` on self-play.")
@games_option("Of two players, and half as many of four.", least=2, default=600)
@seed_option
@processes_option
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where the weights go, for example clients/python/endless_winter/bots/learned.json.",
)
def fit(*, games: int, seed: int, processes: int, out: Path | None) -> None:
    """Play `quick` against itself and fit the final score to the parts of the evaluation.

    For each number of own turns to come: ridge regression, with every weight drawn to 1, which is
    what the evaluation says without fitting. Prints how far it is off before and after.
    """
    from endless_winter.bots.evaluation import PARTS  # noqa: PLC0415 # only when needed
    from endless_winter.bots.prices import STAGES  # noqa: PLC0415

    tasks = [(2, number) for number in range(seed, seed + games)]
    tasks += [(4, number) for number in range(seed, seed + games // 2)]
    samples: list[Sample] = []
    with multiprocessing.Pool(processes) as pool:
        for found in pool.imap_unordered(play, tasks, chunksize=4):
            samples += found
    samples.sort()  # whatever the number of processes
    stages: list[list[float]] = []
    for stage in range(STAGES):
        here = [sample for sample in samples if sample[0] == stage]
        weights = fitted(here, len(PARTS)) if here else [1.0] * len(PARTS) + [0.0]
        stages.append([round(weight, 4) for weight in weights])
        plain = [1.0] * len(PARTS) + [0.0]
        if here:
            click.echo(
                f"{stage:2} turns to come: {len(here):6} positions, off by "
                f"{error(here, plain):5.1f} points, fitted {error(here, weights):5.1f}"
            )
    if out is not None:
        text = json.dumps({"parts": PARTS, "games": games, "seed": seed, "stages": stages})
        out.write_text(text.replace("], [", "],\n  [") + "\n", encoding="utf-8")


def play(task: tuple[int, int]) -> list[Sample]:
    """The parts for every seat at the beginning of every turn, and its points in the end."""
    from endless_winter.bots import quick  # noqa: PLC0415 # in a process of its own
    from endless_winter.bots.ahead import turns_to_come  # noqa: PLC0415
    from endless_winter.bots.evaluation import parts  # noqa: PLC0415
    from endless_winter.bots.self_play import Unseen  # noqa: PLC0415
    from endless_winter.content import load_pack  # noqa: PLC0415
    from endless_winter.rules import Config, Game, agenda  # noqa: PLC0415

    players, seed = task
    rng = Random(seed)
    game = Game.new(Config(load_pack().tables, players), seed.to_bytes(32, "big"))
    position = game.position
    seen: list[tuple[int, int, list[float]]] = []
    last = (0, 0)
    while legal := game.options():
        kind, seat = position.agenda[-1][:2]
        if kind == agenda.TURN and (position.round, position.turn) != last:
            last = (position.round, position.turn)
            for player in position.players:
                turns = turns_to_come(position, player)
                seen.append((player.seat, turns, parts(position, player.seat)))
        if len(legal) == 1:
            game.apply(legal[0])
        elif kind == agenda.TURN and rng.random() < _STRAY:
            game.apply(rng.choice(legal))
        else:
            game.apply(quick.choose(Unseen(game, seat).draw(rng))[0].option)
    assert game.result is not None
    points = [score.total for score in game.result.scores]
    return [(turns, found, float(points[seat])) for seat, turns, found in seen]


def fitted(samples: list[Sample], width: int) -> list[float]:
    """Weights and what is added, by the normal equations of what the weights 1 leave over."""
    size = width + 1
    means = [sum(sample[1][one] for sample in samples) / len(samples) for one in range(width)]
    matrix = [[0.0] * size for _ in range(size)]
    right = [0.0] * size
    for _, found, points in samples:
        row = [value - mean for value, mean in zip(found, means, strict=True)] + [1.0]
        rest = points - sum(found)
        for one in range(size):
            right[one] += row[one] * rest
            for other in range(size):
                matrix[one][other] += row[one] * row[other]
    for one in range(width):
        matrix[one][one] += _PULL * (1.0 + matrix[one][one] / len(samples))
    change = solved(matrix, right)
    added = change[width] - sum(weight * mean for weight, mean in zip(change, means, strict=False))
    return [1.0 + weight for weight in change[:width]] + [added]


def solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Gaussian elimination; the matrix is positive definite because of the pull."""
    size = len(right)
    rows = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    for at in range(size):
        for below in range(at + 1, size):
            factor = rows[below][at] / rows[at][at]
            for column in range(at, size + 1):
                rows[below][column] -= factor * rows[at][column]
    found = [0.0] * size
    for at in range(size - 1, -1, -1):
        rest = sum(rows[at][column] * found[column] for column in range(at + 1, size))
        found[at] = (rows[at][size] - rest) / rows[at][at]
    return found


def error(samples: list[Sample], weights: list[float]) -> float:
    """The root of the mean square of what is left, apart from what is the same for all."""
    rests = [
        points - sum(weight * value for weight, value in zip(weights, found, strict=False))
        for _, found, points in samples
    ]
    mean = sum(rests) / len(rests)
    spread: float = (sum((rest - mean) ** 2 for rest in rests) / len(rests)) ** 0.5
    return spread
