"""On the river `heuristic` uses Rafts and Fish where they are worth most, and is better for it."""

from __future__ import annotations

from random import Random

import pytest

from endless_winter.bots import search
from endless_winter.bots.self_play import unseen
from endless_winter.bots.weights import WEIGHTS
from endless_winter.rules import Config, Game
from endless_winter.rules.rivers.agreed import RiversRules
from tests.rules.river_scene import RiverScene, river
from tests.rules.scene import TABLES


def best(table: RiverScene) -> str:
    return table.game.text(search.choose(table.game)[0].option)


def one_step_left(
    round_: int, own_camps: list[int], others_camps: list[int], others_raft: int
) -> RiverScene:
    """A single Labor in Migrate, the own Raft at home."""
    table = river(round_=round_).rafts(0, others_raft)
    table = table.player(0, camps=own_camps, hand=["brave"]).player(1, camps=others_camps)
    return table.turn(0).do("place tribe migrate", "play brave")


def test_it_takes_its_raft_to_the_delta_when_its_camps_line_the_river(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """5 points: the Raft itself, and 4 Camps on River hexes."""
    table = one_step_left(4, [15, 5, 9, 9, 19], [1], others_raft=2)
    assert best(table) == "sail 0>6"
    monkeypatch.setattr(WEIGHTS, "rafts", 0.0)
    assert not best(table).startswith("sail")


@pytest.mark.parametrize(("place", "hex_"), [(2, 5), (4, 2)])
def test_where_the_delta_brings_little_its_raft_goes_for_the_one_fish_that_it_can_win(
    place: int, hex_: int
) -> None:
    """At the Delta the other Raft is as close, and its Camps are too many on all other hexes."""
    held = [one for one in (15, 5, 0, 2, 9) if one != hex_]
    table = one_step_left(1, [], held * 2, others_raft=6)
    assert best(table) == f"sail 0>{place}"


def test_a_fish_is_drawn_not_left() -> None:
    table = river(round_=4).player(0, camps=[7]).gain(0, "fish")
    assert "leave" in table.texts
    assert best(table) == "fish 1"


def margin(seed: int, blind: int) -> int:
    """By how much it beats itself without an eye for Rafts, which sits in seat `blind`."""
    game = Game.new(Config(TABLES, 2, modules=(RiversRules(3),)), seed.to_bytes(32, "big"))
    rng = Random(seed)
    while game.options():
        seat = game.position.agenda[-1][1]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(WEIGHTS, "rafts", 0.0 if seat == blind else 1.0)
            game.apply(search.choose(unseen(game, seat, rng))[0].option)
    assert game.result is not None
    scores = [score.total for score in game.result.scores]
    return scores[1 - blind] - scores[blind]


def test_it_beats_itself_without_an_eye_for_rafts() -> None:
    """By 62 points in these four games when this was written; 217 in those of seeds 0 to 7."""
    assert sum(margin(seed, blind) for seed in (0, 3) for blind in (0, 1)) > 20
