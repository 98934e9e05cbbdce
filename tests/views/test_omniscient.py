"""The open table of a replay: complete, and nowhere near what a running game sends."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from endless_winter import views
from endless_winter.views import Scribe, omniscient_view, public_view
from tests.rules.walk import config_of, walk
from tests.views.redaction import WORDS

FOLDER = Path(views.__file__).parent
# Whatever builds what a running game sends.
RUNNING = sorted(
    path.name for path in FOLDER.glob("*.py") if path.name not in ("__init__.py", "omniscient.py")
)


def test_the_open_table_shows_decks_in_their_order_and_every_token() -> None:
    scribe = Scribe(WORDS, config_of(29))
    for step, game in enumerate(walk(29)):
        if step % 25 and game.decision is not None:
            continue
        position = game.position
        view = omniscient_view(scribe, game, 3)
        assert view.public_view == public_view(WORDS, position)
        for player, deck in zip(position.players, view.decks, strict=True):
            assert list(deck.card_ids) == [WORDS.cards[card] for card in player.deck]
        assert len(view.private_views) == len(position.players)
        assert list(view.animal_deck) == [WORDS.animals[animal] for animal in position.animals]
        known = [one for one in view.public_view.terrain.hexes if one.HasField("glacier_token")]
        assert [token.hex for token in view.glacier_tokens] == [one.hex for one in known]
        for one, token in zip(known, view.glacier_tokens, strict=True):
            assert one.glacier_token.token_id in ("", token.token_id)
        assert len(view.rest_token_stack) == view.public_view.rest_tokens.stack_count
        assert view.HasField("decision") == (game.decision is not None)


@pytest.mark.parametrize("name", RUNNING)
def test_nothing_that_a_running_game_sends_is_built_with_the_open_table(name: str) -> None:
    tree = ast.parse((FOLDER / name).read_text(encoding="utf-8"))
    imported = [
        f"{node.module}.{one.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for one in node.names
    ]
    assert not [module for module in imported if "omniscient" in module or "replay_pb2" in module]


def test_no_view_reads_the_seed() -> None:
    for path in FOLDER.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        assert "seed" not in attributes, path.name
