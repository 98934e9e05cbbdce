"""Fixed counts of legal sequences: one option too many or too few anywhere is noticed.

If the change is meant: `python -m tests.rules.perft --write`.
"""

from __future__ import annotations

import pytest

from tests.rules.perft import PLACES, SCENES, WALKS, checksum, committed, counts, perft, positions
from tests.rules.scene import scene

HELP = "if this is meant: python -m tests.rules.perft --write"
NAMES = [*SCENES, *(f"walk_{number}_step_{step}" for number, step in PLACES)]


@pytest.mark.parametrize("name", NAMES)
def test_the_sequences_from_a_position_are_as_many_as_before(name: str) -> None:
    assert counts(positions()[name]) == committed()["perft"][name], HELP


def test_walks_meet_the_same_options_as_before() -> None:
    found = {str(number): checksum(number) for number in WALKS}
    assert found == committed()["walks"], HELP


def test_every_count_is_checked() -> None:
    assert list(committed()["perft"]) == NAMES
    assert list(committed()["walks"]) == [str(number) for number in WALKS]


def test_a_count_can_be_done_by_hand() -> None:
    """Seat 0 has nothing, so 5 places for either figure; hunting brings an Animal, or not."""
    game = scene(2).turn(0).game
    assert perft(game, 0) == 1
    assert perft(game, 1) == 10
    by_hand = 0
    for first in game.options():
        copy = game.copy()
        copy.apply(first)
        by_hand += len(copy.options())
    assert perft(game, 2) == by_hand
