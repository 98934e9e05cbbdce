"""``python -m bench fit``: it finds what is in the data, and the same on every run."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from bench.fit import error, fit, fitted, solved
from endless_winter.bots.evaluation import PARTS, evaluate, parts
from endless_winter.bots.learned import Fitted
from endless_winter.content import load_pack
from endless_winter.rules import Config, Game

if TYPE_CHECKING:
    from pathlib import Path


def test_equations_are_solved() -> None:
    assert solved([[2.0, 1.0], [1.0, 3.0]], [4.0, 7.0]) == pytest.approx([1.0, 2.0])


def test_a_part_that_is_worth_double_gets_a_weight_of_two() -> None:
    rng = Random(1)
    samples = []
    for _ in range(4000):
        found = [rng.gauss(10, 5), rng.gauss(3, 4)]
        samples.append((5, found, 7.0 + found[0] + 2.0 * found[1] + rng.gauss(0, 1)))
    weights = fitted(samples, 2)
    assert weights == pytest.approx([1.0, 2.0, 7.0], abs=0.3)
    assert error(samples, weights) < error(samples, [1.0, 1.0, 0.0])


def test_a_fit_repeats_and_can_be_played_with(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("one.json", "two.json")]
    for file in files:
        ran = CliRunner().invoke(fit, ["--games", "2", "--out", str(file)])
        assert ran.exit_code == 0, ran.output
        assert "12 turns to come" in ran.output
    assert files[0].read_text() == files[1].read_text()
    found = json.loads(files[0].read_text())
    assert found["parts"] == list(PARTS)
    game = Game.new(Config(load_pack().tables, 2), bytes(32))
    assert isinstance(Fitted(found["stages"]).worth(game.position, 0), float)


def test_with_every_weight_at_one_it_is_the_plain_evaluation() -> None:
    game = Game.new(Config(load_pack().tables, 2), bytes(32))
    for _ in range(60):
        game.apply(game.default)
    plain = Fitted([[1.0] * len(PARTS) + [0.0]])
    for seat in range(2):
        assert sum(parts(game.position, seat)) == pytest.approx(evaluate(game.position, seat))
        assert plain.worth(game.position, seat) == pytest.approx(evaluate(game.position, seat))
