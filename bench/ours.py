"""Our own rules core as a subject of the benchmark."""

from __future__ import annotations

import random
from time import process_time
from typing import TYPE_CHECKING

from bench.measure import Played
from endless_winter.rules import Config, Game
from endless_winter.rules import game as game_module
from endless_winter.rules.config import NomadRules

if TYPE_CHECKING:
    from endless_winter.rules.tables import Tables

NO_LIMIT = 1_000_000


def compiled() -> bool:
    """Whether the rules run compiled, not as Python source."""
    file = game_module.__file__
    return file is not None and not file.endswith(".py")


class EndlessWinter:
    """The rules core, base game or solo, played by random choice."""

    name = "endless winter"

    def __init__(self, players: int, tables: Tables, *, solo: bool = False) -> None:
        self.version = "compiled" if compiled() else "pure Python"
        nomad = NomadRules() if solo else None
        self.config = Config(tables=tables, players=players, nomad=nomad)

    def play(self, seed: int) -> Played:
        """Play a whole game."""
        start = process_time()
        game = self._new(seed)
        created = process_time()
        decisions, choices = self._run(game, seed, NO_LIMIT)
        return Played(created - start, process_time() - created, decisions, choices)

    def position(self, seed: int, decisions: int) -> Game:
        """The game of that seed after so many decisions."""
        game = self._new(seed)
        self._run(game, seed, decisions)
        return game

    def _new(self, seed: int) -> Game:
        return Game.new(self.config, seed.to_bytes(32, "big"))

    def _run(self, game: Game, seed: int, limit: int) -> tuple[int, int]:
        draw = random.Random(seed).random
        decisions = choices = 0
        while decisions < limit:
            options = game.options()
            count = len(options)
            if not count:
                break
            if count > 1:
                choices += 1
            game.apply(options[int(draw() * count)])
            decisions += 1
        return decisions, choices
