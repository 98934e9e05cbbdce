"""A tiny form of ``ew bench arena``: it measures, and every game is played."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from endless_winter.cli.bench.arena import GROWTH, grown, tournament

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_tournament_of_trivial_bots_has_a_rate(tmp_path: Path) -> None:
    found = tournament(tmp_path / "x", workers=1, at_once=4, games=8, looks=8)
    assert found.games > 0
    assert found.decisions > 100 * found.games
    assert len(found.memory) == 8
    assert min(found.memory) > 20e6


def test_memory_that_grows_with_the_games_is_told_from_memory_that_fills_up() -> None:
    fills = [50, 90, 99, 100, 101, 100, 102, 101, 100, 101]
    leaks = [50 + 5 * number for number in range(10)]
    assert grown(fills) < GROWTH < grown(leaks)
    assert grown([70]) == 1
