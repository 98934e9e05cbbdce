"""A bot that was written from the document alone comes to every game of a tournament."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.tournament.running import ENTRANTS, finished, run, written

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.timeout(900)
BOOK = f"cmd: {sys.executable} {ENTRANTS / 'by_the_book.py'}"


def plays_all(tmp_path: Path, blocks: int, *more: str) -> None:
    """Two games for each block; without `more` nothing is set but who plays."""
    entrants = {"book": BOOK, "again": BOOK}
    spec = written(tmp_path / "cup.toml", entrants, format="round_robin", blocks=blocks)
    out = tmp_path / "out"
    done = run(spec, out, *more)
    assert done.returncode == 0, done.stderr
    games = finished(out).finished.values()
    assert len(games) == 2 * blocks
    for game in games:
        assert game.outcome == "completed"
        assert game.attempt == 1
        assert [seat.reason for seat in game.seats] == ["normal", "normal"]
        assert [seat.timeouts for seat in game.seats] == [0, 0]
    for log in (out / "logs").glob("*.log"):
        assert "lost:" not in log.read_text()


def test_a_bot_by_the_book_comes_to_every_game(tmp_path: Path) -> None:
    plays_all(tmp_path, 1, "--workers", "1")


@pytest.mark.soak
def test_a_bot_by_the_book_comes_to_twenty_games(tmp_path: Path) -> None:
    plays_all(tmp_path, 10)
