"""The reasons of the bots: in a player's words, from the own view, with the points expected."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from endless_winter.bots import BOTS, named
from endless_winter.bots.evaluation import PARTS
from endless_winter.bots.reasons import Reason, reasons
from endless_winter.bots.weights import Weights
from endless_winter.sdk import LocalTable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.sdk import Decision, View

TRADE = re.compile(r"^([\w ,]+) buys? ([\w ,]+)|^it brings [\w ,]+")
# Words of the program, and none of the game.
PROGRAM = {*Weights.__slots__, *PARTS} - {"animals", "cards", "honor", "terrain", "order", "tip"}
PROGRAM -= {"village", "deck", "chief", "offering", "stones", "score", "hold"}


def asked(seed: int, every: int, most: int = 160) -> Iterator[tuple[Decision, View]]:
    """Decisions of a game of two with a choice to make."""
    table = LocalTable(seed=seed)
    player = named("quick")()
    number = 0
    while not table.over and number < most:
        number += 1
        decision, view = table.decision, table.view(table.seat)
        if len(decision.options) > 1 and number % every == 0:
            yield decision, view
        table.play(player.choose(decision, view))


def test_reasons_are_sentences_of_a_player() -> None:
    said = [one.text for decision, view in asked(5, 3) for one in reasons(decision, view)]
    assert len(said) > 50
    for text in said:
        assert text
        assert "\n" not in text
        assert not text.endswith(".")
        assert not PROGRAM & set(re.findall(r"\w+", text)), text
        assert "_" not in text


def test_a_figure_has_what_its_turn_pays_and_brings_as_its_reason() -> None:
    places: list[Reason] = []
    for decision, view in asked(5, 1):
        if decision.kind_name == "turn":
            places += [
                one for one in reasons(decision, view)[:1] if one.option.text.startswith("place")
            ]
    assert len(places) > 10
    assert sum(bool(TRADE.match(one.text)) for one in places) > 0.8 * len(places)
    hunts = [one.text for one in places if one.option.text.endswith("hunt")]
    assert any("Animal" in text for text in hunts)


def test_the_best_comes_first_and_what_was_taken_is_weighed_too() -> None:
    for decision, view in asked(6, 7):
        worst = decision.options[-1]
        found = reasons(decision, view, [worst])
        points = [one.points for one in found]
        assert points == sorted(points, reverse=True)
        assert [one.option for one in found].count(worst) == 1
        assert all(one.points > 0 for one in found)


def test_the_same_decision_has_the_same_reasons() -> None:
    for decision, view in asked(7, 17):
        assert reasons(decision, view) == reasons(decision, view)


@pytest.mark.parametrize("name", ["greedy", "quick", "heuristic", "learned", "search"])
def test_bots_say_the_reason_first_and_then_what_they_expect(name: str) -> None:
    spec = f"{name}:worlds=1" if "worlds" in BOTS[name].SETTINGS else name
    said = []
    for decision, view in asked(5, 11, 100):
        bot = named(spec)()
        bot.choose(decision, view)
        said.append(bot.explain())
    assert all(said)
    assert len(set(said)) > 2
    if name != "quick":  # it looks at several options only where it places a figure
        assert any(re.search(r"; I expect \d+\.\d points, else ", one) for one in said)
