"""`python -m bench balance` and `bots`: the arithmetic, and a run of each in small."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from bench import balance, bots
from bench.shares import mean, share
from endless_winter.bots.self_play import Played

if TYPE_CHECKING:
    from pathlib import Path


def test_a_share_has_wilsons_interval() -> None:
    figure = share(5, 10)
    assert (figure.value, figure.number) == (0.5, 10)
    assert figure.low == pytest.approx(0.2366, abs=1e-4)
    assert figure.high == pytest.approx(0.7634, abs=1e-4)


def test_a_share_of_nothing_or_all_stays_between_0_and_1() -> None:
    assert share(0, 20).low == 0
    assert share(20, 20).high == 1
    assert share(20, 20).low == pytest.approx(0.8389, abs=1e-4)
    assert math.isnan(share(0, 0).value)


def test_a_mean_has_the_normal_interval() -> None:
    figure = mean([1.0, 2.0, 3.0, 4.0])
    assert figure.value == 2.5
    assert figure.high - figure.value == pytest.approx(1.96 * math.sqrt(5 / 3) / 2, abs=1e-3)
    assert mean([7.0]).high == math.inf


def played(winner: int, points: int = 100, *, chiefs: tuple[str, str] = ("a", "b")) -> Played:
    """A 2-player game in which seat 1 began."""
    scores = [{"terrain": 7, "total": points + (seat == winner)} for seat in (0, 1)]
    return Played(
        players=2,
        seed=0,
        winner=winner,
        places=[1, 0],
        chiefs=list(chiefs),
        setups=["x", "y"],
        scores=scores,
        figures=[[6, 3, 2, 1, 0], [0, 3, 4, 2, 3]],
        decisions=400,
        tie_broken=False,
    )


def lines(games: list[Played]) -> dict[str, balance.Line]:
    return {line.what: line for part in balance.tabulate(games).values() for line in part}


def test_wins_are_counted_by_place_seat_and_card() -> None:
    found = lines([played(0), played(1), played(1), played(1)])
    assert found["win rate, 1st in first order"].figure.value == 0.75
    assert found["win rate, seat 0"].figure.value == 0.25
    assert found["win rate, b"].figure.value == 0.75
    assert found["win rate, x"].figure.value == 0.25
    assert found["win rate, 1st in first order"].met is False
    assert found["win rate, 2nd in first order"].met is True


def test_a_card_that_both_have_counts_for_both() -> None:
    found = lines([played(0, chiefs=("a", "a"))])
    assert (found["win rate, a"].figure.value, found["win rate, a"].figure.number) == (0.5, 2)


def test_figures_are_shares_of_all_figures() -> None:
    found = lines([played(0)])
    assert found["figures on initiate"].figure.value == 6 / 24
    assert found["figures on rest"].figure.value == 3 / 24
    assert found["figures on hunt"].met is False
    assert found["figures on develop"].met is True
    assert found["figures on rest"].met is None


@pytest.mark.parametrize(("points", "met"), [(60, False), (100, True), (140, False)])
def test_the_winners_points_have_a_range(points: int, met: bool) -> None:
    assert lines([played(0, points)])["winner's points"].met is met


def test_balance_prints_the_table_and_writes_it(tmp_path: Path) -> None:
    file = tmp_path / "balance.json"
    arguments = ["--games", "1", "--players", "2", "--seed", "3", "--json", str(file)]
    done = CliRunner().invoke(balance.balance, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    assert "winner's points" in done.output
    assert "figures on migrate" in done.output
    written = json.loads(file.read_text(encoding="utf-8"))
    assert written["seed"] == 3
    assert list(written["players"]) == ["2"]
    assert sum(line["value"] for line in written["players"]["2"]["columns"]) == pytest.approx(1)


@pytest.mark.parametrize("players", ["5", "two", "", "2,9"])
def test_other_player_counts_are_refused_in_a_line(players: str) -> None:
    done = CliRunner().invoke(balance.balance, ["--players", players])
    assert done.exit_code == 2
    assert "write player counts from 2 to 4, for example 2,3,4" in done.output


def test_bots_meet_in_both_seatings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "PAIRS", (("greedy", "random", 0.5),))
    seen: list[tuple[str, ...]] = []

    def fake(
        _: object, names: tuple[str, ...], seed: int, timings: dict[str, bots.Timing]
    ) -> tuple[list[int], int]:
        seen.append((*names, str(seed)))
        for name in (*names, "heuristic"):
            timing = timings.setdefault(name, bots.Timing())
            timing.seconds.append(0.002)
            timing.decisions += 2
        scores = [30 if name in ("greedy", "heuristic") else 10 for name in names]
        winner = names.index("heuristic") if "heuristic" in names else names.index("greedy")
        return scores, winner

    monkeypatch.setattr(bots, "play", fake)
    monkeypatch.setattr(bots, "COUNTED", ("random", "quick"))
    monkeypatch.setattr(bots, "COUNTED_GAMES", 1)
    done = CliRunner().invoke(bots.bots, ["--games", "4"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert seen[:4] == [
        ("greedy", "random", "0"),
        ("random", "greedy", "0"),
        ("greedy", "random", "1"),
        ("random", "greedy", "1"),
    ]
    assert "greedy beats random" in done.output
    assert "100.0 %" in done.output
    assert "1.00 ms a decision, 2.0 decisions an answer" in done.output
    random, quick = re.findall(r"four \w+: (\d+) decisions a game, (\d+) answers", done.output)
    assert random[0] == random[1]
    assert int(quick[0]) > 2 * int(quick[1])
    assert re.search(r"\n    turn +\d+\.0 a game, +\d+\.\d options, 0\.0 with one", done.output)


def test_bots_play_a_real_game() -> None:
    from endless_winter.content import load_pack

    timings: dict[str, bots.Timing] = {}
    scores, winner = bots.play(load_pack(), ("greedy", "random"), 1, timings)
    assert scores[winner] == max(scores)
    assert set(timings) == {"greedy", "random"}
