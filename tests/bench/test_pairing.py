"""``python -m bench pairing``: the arithmetic, and the games that it counts."""

from __future__ import annotations

import json
import math
import random
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from bench.pairing import pairing, worth

if TYPE_CHECKING:
    from pathlib import Path


def seeds(shared: float, count: int = 600) -> list[tuple[float, float]]:
    """Differences in two rotations: luck of the seats, of which a part comes with the seed."""
    draw = random.Random(5)

    def luck(seed: float) -> float:
        return 10 * (math.sqrt(shared) * seed + math.sqrt(1 - shared) * draw.gauss(0, 1))

    found = []
    for _ in range(count):
        seats = draw.gauss(0, 1), draw.gauss(0, 1)
        found.append((3 + luck(seats[0]) - luck(seats[1]), 3 + luck(seats[1]) - luck(seats[0])))
    return found


@pytest.mark.parametrize("shared", [0.0, 0.5, 0.8])
def test_what_pairing_is_worth_is_what_seats_share(shared: float) -> None:
    found = worth(seeds(shared), resamples=200)
    assert found.mean == pytest.approx(3, abs=3 * found.margin)
    assert found.alone == pytest.approx(200, rel=0.15)
    assert found.paired == pytest.approx(200 * (1 - shared), rel=0.15)
    assert found.low <= 1 / (1 - shared) <= found.high


def test_a_seat_that_is_better_is_no_luck() -> None:
    # Each rotation is compared with itself: that one seat is worth ten points more is no spread.
    draw = random.Random(2)
    games = [(10 + draw.gauss(0, 1), draw.gauss(0, 1) - 10) for _ in range(400)]
    assert worth(games, resamples=100).alone == pytest.approx(1, rel=0.2)


def test_games_that_all_end_alike_say_nothing() -> None:
    found = worth([(1.0, 1.0)] * 9)
    assert (found.alone, found.paired) == (0, 0)
    assert math.isnan(found.times)


def test_the_command_plays_every_seat_rotation_and_writes_its_figures(tmp_path: Path) -> None:
    file = tmp_path / "pairing.json"
    words = ["--seeds", "8", "--table", "random,random", "--json", str(file)]
    ran = CliRunner().invoke(pairing, words, catch_exceptions=False)
    assert ran.exit_code == 0
    assert "unpaired needs" in ran.output
    points, ahead = json.loads(file.read_text())["figures"]
    assert points["figure"] == "points"
    assert points["alone"] > 0
    assert 0 <= ahead["mean"] <= 1


def test_a_table_that_is_none_costs_one_line() -> None:
    ran = CliRunner().invoke(pairing, ["--table", "random,nobody"])
    assert ran.exit_code == 2
    assert (
        "write 2 to 4 of greedy, heuristic, learned, quick, random, search"
        in ran.stderr.splitlines()[-1]
    )
