"""The tutorial's bots: they are shown as they run, and each is as strong as the page says.

The page tells of 100 games a line; these are a few of them at the local table, with seeds.
"""

from __future__ import annotations

import random
import re

import pytest

from endless_winter.bots import BOTS
from endless_winter.sdk import play_local
from endless_winter.sdk.loading import load
from tests.foundations.tree import ROOT
from tests.sdk.test_readme import BOT

FOLDER = ROOT / "docs" / "tutorial"
PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
STAGES = ("words.py", "one_step.py", "worlds.py", "whole_turn.py")


def test_each_file_is_shown_whole_and_in_order() -> None:
    assert sorted(path.name for path in FOLDER.glob("*.py")) == sorted(STAGES)
    places = [
        PAGE.index(f"```python\n{(FOLDER / name).read_text(encoding='utf-8')}```\n")
        for name in STAGES
    ]
    assert places == sorted(places)
    assert re.findall(r"^\| `(\w+\.py)` \|", PAGE, re.MULTILINE) == list(STAGES)


def test_it_begins_with_the_bot_of_the_readme() -> None:
    assert (FOLDER / "words.py").read_text(encoding="utf-8") == BOT


@pytest.mark.parametrize(
    ("ours", "theirs", "seeds", "least"),
    [
        ("words.py", "random", 5, 10),
        ("one_step.py", "words.py", 10, 18),
        ("one_step.py", "greedy", 3, 4),
        ("worlds.py", "one_step.py", 3, 4),
        ("whole_turn.py", "worlds.py", 1, 2),
        ("whole_turn.py", "greedy", 2, 4),
    ],
)
def test_a_stage_is_as_strong_as_the_page_says(
    ours: str, theirs: str, seeds: int, least: int
) -> None:
    """Every seed in both seats; `least` games have to be won."""
    makers = [load(str(FOLDER / one) if one in STAGES else one, BOTS) for one in (ours, theirs)]
    random.seed(0)  # of the first bot's choices, where it likes nothing
    won = 0
    for seed in range(7000, 7000 + seeds):
        for seat in (0, 1):
            seats = [make() for make in makers]
            won += play_local(seats if seat == 0 else seats[::-1], seed=seed).winner == seat
    assert won >= least
