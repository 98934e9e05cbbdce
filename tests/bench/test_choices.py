"""``python -m bench choices``: bots are asked at the same decisions, and judged alike."""

from __future__ import annotations

from click.testing import CliRunner

from bench import bench


def test_bots_are_compared_at_the_same_decisions() -> None:
    words = ["choices", "heuristic", "heuristic", "random", "--positions", "8", "--worlds", "1"]
    ran = CliRunner().invoke(bench, words)
    assert ran.exit_code == 0, ran.output
    cells = [line.split("|") for line in ran.output.splitlines()[2:]]
    assert [cell[1].strip() for cell in cells] == ["`heuristic`", "`heuristic`", "`random`"]
    assert [cell[2].strip() for cell in cells] == ["8"] * 3
    assert cells[1][4].strip() == "+0.00 ± 0.00"
    assert int(cells[2][3]) > 0
