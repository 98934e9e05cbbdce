"""How much is saved by not building again what has not changed.

For `python -m bench serve`: the same prompts with their views, once as the server builds them and
once with every part encoded anew.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from endless_winter.rules import Game
from endless_winter.v1 import game_pb2
from endless_winter.views.decision import Scribe
from endless_winter.views.players import private_bytes
from endless_winter.views.public import PublicEncoder
from endless_winter.views.wire import prompt_bytes, update_bytes
from endless_winter.views.words import Words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from endless_winter.content import Pack
    from endless_winter.rules import Config

_SENT = 1_800_000_000_000


class Cost(NamedTuple):
    """Microseconds of processor time per prompt with its view."""

    prompts: int
    size: float  # of a prompt with its view, on average
    spliced: float
    from_scratch: float

    @property
    def ratio(self) -> float:
        return self.spliced / self.from_scratch


def recorded(
    config: Config, seed: bytes, choose: Callable[[Game], int], most: int = 100_000
) -> list[Game]:
    """The positions of a game before each of its decisions."""
    game = Game.new(config, seed)
    found: list[Game] = []
    while game.decision is not None and len(found) < most:
        found.append(game.copy())
        game.apply(choose(game))
    return found


def spliced(words: Words, scribe: Scribe, encoder: PublicEncoder, game: Game, number: int) -> bytes:
    """The update that prompts the chooser, as the server builds it."""
    position = game.position
    prompt = prompt_bytes(scribe.decision_bytes(game, number), sent_unix_ms=_SENT)
    return update_bytes(
        seq=number,
        status=game_pb2.GAME_STATUS_RUNNING,
        public_view=encoder.encode(position),
        private_view=private_bytes(words, position, position.agenda[-1][1]),
        prompt=prompt,
    )


def from_scratch(words: Words, game: Game, number: int) -> bytes:
    """The same message, every part encoded anew."""
    words.forget()
    scribe = Scribe(words, game.position.config)
    return spliced(words, scribe, PublicEncoder(words), game, number)


def measure(pack: Pack, games: Sequence[Sequence[Game]], repeat: int = 3) -> Cost:
    """The cost of the prompts of recorded games; the best of several runs.

    Each run encodes every game anew; what is shared by all games of a pack is warm, as it is in
    a server.
    """
    words, cold = Words(pack), Words(pack)
    scribes = [Scribe(words, game[0].position.config) for game in games]
    total = 0
    for game, scribe in zip(games, scribes, strict=True):
        encoder = PublicEncoder(words)
        for number, one in enumerate(game):
            total += len(spliced(words, scribe, encoder, one, number))
    prompts = sum(len(game) for game in games)
    quick = slow = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        for game, scribe in zip(games, scribes, strict=True):
            encoder = PublicEncoder(words)
            for number, one in enumerate(game):
                spliced(words, scribe, encoder, one, number)
        between = time.process_time()
        for game in games:
            for number, one in enumerate(game):
                from_scratch(cold, one, number)
        quick = min(quick, between - start)
        slow = min(slow, time.process_time() - between)
    return Cost(prompts, total / prompts, quick / prompts * 1e6, slow / prompts * 1e6)
