"""The open table agrees with what everybody sees of it, and leaves nothing out."""

from __future__ import annotations

import random

import pytest

from endless_winter.content import load_pack
from endless_winter.rules import Game
from endless_winter.views import Scribe, Words, omniscient_view, private_view, public_view
from tests.rules.scene import FROZEN
from tests.rules.walk import ALL, EXTRAS, RIVERS, SOLO, config_of, seed_of

WORDS = Words(load_pack(FROZEN))


SPREAD = [3 * number + number % 3 for number in range(12)]  # over players and variants


@pytest.mark.parametrize("number", [*SPREAD, *SOLO[:3], *EXTRAS[:2], *RIVERS[:2], *ALL[:2]])
def test_the_open_table_holds_what_the_closed_one_counts(number: int) -> None:
    choices = random.Random(number)
    config = config_of(number)
    game = Game.new(config, seed_of(number))
    scribe = Scribe(WORDS, config)
    step = 0
    while game.options():
        if step % 25 == 0:
            check(game, scribe, step)
        game.apply(choices.choice(game.options()))
        step += 1
    check(game, scribe, step)


def check(game: Game, scribe: Scribe, decision_id: int) -> None:
    position = game.position
    view = omniscient_view(scribe, game, decision_id)
    public = public_view(WORDS, position)
    assert view.public_view == public
    for seat, player in enumerate(public.players):
        own = private_view(WORDS, position, seat)
        assert view.private_views[seat] == own
        deck = view.decks[seat]
        assert deck.seat == seat
        counts = {card.card_id: card.count for card in own.deck}
        assert {name: list(deck.card_ids).count(name) for name in deck.card_ids} == counts
        assert len(deck.card_ids) == player.deck_count
    assert len(view.animal_deck) == len(position.animals)
    assert len(view.culture_deck_era_one) == len(position.culture[0])
    assert len(view.culture_deck_era_two) == len(position.culture[1])
    shown = {one.hex: one.glacier_token for one in public.terrain.hexes}
    faces = {token.hex: token.token_id for token in view.glacier_tokens}
    assert set(faces) == {one.hex for one in public.terrain.hexes if one.HasField("glacier_token")}
    for hex_, token_id in faces.items():
        assert shown[hex_].token_id in ("", token_id)
    assert len(view.rest_token_stack) == public.rest_tokens.stack_count
    seen = list(public.rest_tokens.seen_at_bottom)
    if seen:
        assert sorted(view.rest_token_stack[-len(seen) :]) == sorted(seen)
    assert view.HasField("decision") == bool(game.options())
    if game.options():
        assert view.decision.decision_id == decision_id
        assert len(view.decision.options) == len(game.options())
