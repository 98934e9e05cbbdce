"""``ew ladder``: seats, intervals, the sequential test, and a file that it goes on with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from endless_winter.cli.ladder import Game, Line, decided, interval, ladder, play, row
from endless_winter.sdk import SWITCHES

if TYPE_CHECKING:
    from pathlib import Path


def game(number: int, *, won: bool) -> Game:
    own, best = (100, 90) if won else (80, 100)
    return Game("search 2", number, won, own, best, float(best), 200, 2.0)


def test_a_ladder_prints_a_line_and_does_not_play_a_game_twice(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    words = ["random", "--players", "2", "--games", "2", "--processes", "1", "--out", str(out)]
    first = CliRunner().invoke(ladder, words)
    assert first.exit_code == 0, first.output
    assert "| `random` | 2 | 2 | 0.0 % (0.0 - 65.8) |" in first.output
    played = out.read_text().splitlines()
    assert [json.loads(line)[2] for line in played] == [0, 1]
    out.write_text("\n".join([*played, '[0, "random 2", 7']) + "\n")  # a line that broke off
    again = CliRunner().invoke(ladder, words)
    assert again.output == first.output
    assert len(out.read_text().splitlines()) == 3


def test_the_bot_sits_in_every_seat_of_a_seed() -> None:
    line = Line("quick", 2, 2)
    played = [play(line, number, 3) for number in range(2)]
    assert all(one.decisions > 50 for one in played)
    again = play(line, 1, 3)
    assert again._replace(seconds=0.0, longest=0.0) == played[1]._replace(seconds=0.0, longest=0.0)


def test_the_nomad_is_met_in_each_variant_and_with_all_of_them(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    words = ["random", "--solo", "--games", "2", "--processes", "1", "--out", str(out)]
    ran = CliRunner().invoke(ladder, words)
    assert ran.exit_code == 0, ran.output
    lines = ran.output.splitlines()[2:]
    assert [line.split("|")[2].strip() for line in lines] == [
        f"solo, {variant}" for variant in ("normal", *SWITCHES, "every switch")
    ]
    refused = CliRunner().invoke(ladder, [*words, "--players", "2"])
    assert refused.exit_code == 2


def test_a_bot_that_is_none_costs_one_line(tmp_path: Path) -> None:
    ran = CliRunner().invoke(ladder, ["quikc", "--out", str(tmp_path / "games")])
    assert ran.exit_code == 2
    assert "no bot 'quikc', did you mean 'quick'?" in ran.stderr.splitlines()[-1]
    assert not (tmp_path / "games").exists()


@pytest.mark.parametrize(("wins", "of", "sure"), [(40, 40, True), (4, 40, True), (28, 40, False)])
def test_a_line_ends_when_its_target_is_met_or_missed_for_sure(
    wins: int, of: int, *, sure: bool
) -> None:
    games = [game(number, won=number < wins) for number in range(of)]
    assert decided(Line("search", 2, 400, 0.70), games) == sure
    assert not decided(Line("search", 2, 400), games), "without a target all games are played"


def test_a_row_says_whether_its_target_is_met() -> None:
    games = [game(number, won=number % 4 > 0) for number in range(100)]
    said = row(Line("search", 2, 400, 0.70), games)
    assert "| 75.0 % (65.7 - 82.5) |" in said
    assert "| 10.000 ms |" in said
    assert "above 70 %: met" in said
    assert "above 80 %: MISSED" in row(Line("search", 2, 400, 0.80), games)


def test_intervals_are_wilsons() -> None:
    assert interval(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert interval(50, 100) == pytest.approx((0.4038, 0.5962), abs=1e-4)
