"""What a position is worth: exact at the end, and better with more of what scores."""

from __future__ import annotations

from random import Random

import pytest

from endless_winter.bots.evaluation import evaluate
from endless_winter.bots.prices import Prices
from endless_winter.bots.search import choose
from endless_winter.bots.self_play import play, unseen
from endless_winter.content import load
from endless_winter.rules import Config, Game, agenda
from endless_winter.rules.icons import FOOD
from endless_winter.rules.zones import with_piece

TABLES = load()


def played(seed: int, decisions: int, players: int = 2) -> Game:
    """A game after so many random choices."""
    rng = Random(seed)
    game = Game.new(Config(TABLES, players), seed.to_bytes(32, "big"))
    for _ in range(decisions):
        if not game.options():
            break
        game.apply(rng.choice(game.options()))
    return game


def test_at_the_end_it_is_the_final_score() -> None:
    game = played(1, 10_000)
    assert game.result is not None
    for score in game.result.scores:
        assert evaluate(game.position, score.seat) == score.total


def test_points_count_one_to_one() -> None:
    position = played(2, 60).position
    before = evaluate(position, 0)
    position.players[0].score += 3
    assert evaluate(position, 0) == pytest.approx(before + 3)


@pytest.mark.parametrize("animal", range(7))
def test_an_animal_more_is_never_worse(animal: int) -> None:
    position = played(3, 60).position
    before = evaluate(position, 0)
    position.players[0].animals = with_piece(position.players[0].animals, animal)
    assert evaluate(position, 0) >= before


@pytest.mark.parametrize("field", ["food", "tools", "honor", "offering"])
def test_more_of_a_good_thing_is_better(field: str) -> None:
    position = played(4, 40).position
    player = position.players[0]
    if field == "honor" and 0 not in position.honor_queue:
        position.honor_queue += b"\0"
    setattr(player, field, 1)
    before = evaluate(position, 0)
    setattr(player, field, 2)
    assert evaluate(position, 0) > before


def test_secrets_do_not_count() -> None:
    """Neither the order of the own deck nor what the others hold."""
    for seed in range(6):
        game = played(seed, 30 + 25 * seed, players=3)
        for seat in range(3):
            other = unseen(game, seat, Random(9))
            assert evaluate(other.position, seat) == evaluate(game.position, seat)


def test_a_module_whose_secrets_are_not_known_is_not_played_with_open_eyes() -> None:
    """Else the bot would see what nobody sees, and be measured with that."""
    for modules in (("mammoth",), ("warriors",), ("rest_tokens",)):
        game = Game.new(Config(TABLES, 2, modules=modules), bytes(32))
        while game.decision is not None and game.decision.kind_name != "turn":
            game.apply(game.decision.default)
        if modules == ("rest_tokens",):
            with pytest.raises(ValueError, match="what is hidden of rest_tokens"):
                unseen(game, 0, Random(1))
        else:
            assert unseen(game, 0, Random(1)).options() == game.options()


def test_a_shuffled_copy_keeps_every_card_and_leaves_the_game_alone() -> None:
    game = played(5, 90)
    before = [player.hand for player in game.position.players]
    other = unseen(game, 0, Random(1))
    assert [player.hand for player in game.position.players] == before
    for mine, theirs in zip(game.position.players, other.position.players, strict=True):
        assert sorted(mine.hand + mine.deck + mine.pile + mine.buried) == sorted(
            theirs.hand + theirs.deck + theirs.pile + theirs.buried
        )
    assert other.position.players[0].hand == game.position.players[0].hand
    assert other.options() == game.options() or game.position.agenda[-1][1] != 0


def test_the_search_offers_legal_options_best_first() -> None:
    game = played(6, 30)
    while game.options() and game.position.agenda[-1][0] != agenda.ACT:
        game.apply(game.options()[0])
    found = choose(game)
    assert {choice.option for choice in found} <= set(game.options())
    assert [choice.worth for choice in found] == sorted(
        (choice.worth for choice in found), reverse=True
    )


def test_self_play_repeats_and_reports_the_game() -> None:
    game = play(TABLES, 2, 11)
    assert game == play(TABLES, 2, 11)
    assert [sum(row) for row in game.figures] == [12, 12]
    assert game.scores[game.winner]["total"] == max(score["total"] for score in game.scores)
    assert sorted(game.places) == [0, 1]


def test_icons_of_modules_that_are_not_known_here_are_worth_nothing() -> None:
    prices = Prices(TABLES, 3)
    assert prices.pool(bytes((199, 2))) == 0 < prices.pool(bytes((FOOD, 2)))
