"""Random play: the walks that tests of what always holds are made on.

A walk is a game of one of the agreed kinds, with a seed of its own, in which every choice is
drawn by a seeded `random.Random`. Walk number n is always the same game, so that a failure can
be repeated from its number; the first 36 numbers meet every player count with every variant,
every set of modules and every layout.
"""

from __future__ import annotations

import json
import random
from hashlib import blake2b
from typing import TYPE_CHECKING

from endless_winter.rules import Config, Game
from endless_winter.rules.position import write
from tests.rules.scene import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.rules import Decision

GLACIER_TOKENS = "glacier_tokens"
REST_TOKENS = "rest_tokens"
MODULES = ((), (GLACIER_TOKENS,), (REST_TOKENS,), (GLACIER_TOKENS, REST_TOKENS))
LAYOUTS = tuple(layout.name for layout in TABLES.layouts)
PLAYERS = (2, 3, 4)

SMALL = range(60)  # of every run
# More than any game can need; a walk that goes on is reported instead of running for ever.
TOO_LONG = 5000


def config_of(number: int) -> Config:
    """The kind of game that a walk plays."""
    variant = number // 3 % 3
    return Config(
        TABLES,
        players=PLAYERS[number % 3],
        setup_draft=variant == 1,
        chief_draft=variant == 2,
        modules=MODULES[number // 9 % 4],
        layout=LAYOUTS[(number + number // 3 + number // 9 + number // 36) % 3],
    )


def seed_of(number: int) -> bytes:
    return blake2b(f"walk {number}".encode(), digest_size=32).digest()


def name_of(number: int) -> str:
    """What to say about a walk when something is wrong with it."""
    config = config_of(number)
    kind = "chief draft" if config.chief_draft else "setup draft" if config.setup_draft else "dealt"
    return (
        f"walk {number} ({config.players} players, {kind}, layout {config.layout}, "
        f"modules {', '.join(config.modules) or 'none'})"
    )


def begin(number: int, *, listen: bool = False) -> Game:
    return Game.new(config_of(number), seed_of(number), listen)


def random_of(number: int) -> random.Random:
    return random.Random(f"choices {number}")


def pending(game: Game) -> Decision:
    decision = game.decision
    assert decision is not None
    return decision


def walk(number: int) -> Iterator[Game]:
    """The game before each of its decisions, and once more when it is over.

    It is one game that goes on: whoever wants to keep a position takes a copy.
    """
    game = begin(number)
    choices = random_of(number)
    for _ in range(TOO_LONG):
        yield game
        if game.decision is None:
            return
        game.apply(choices.choice(game.options()))
    raise AssertionError(f"{name_of(number)} does not end")


def text_of(game: Game) -> str:
    """A position as one line of canonical JSON, for comparing."""
    return json.dumps(write(game.position), sort_keys=True)
