"""The engines that ours is measured against: catanatron (a board game) and python-chess.

Both are well-known, pure Python, and played exactly as ours is: list the options, take one by a
seeded ``random()``, apply it, through the engine's own public calls and without observers.
"""

from __future__ import annotations

import random
from importlib import import_module, metadata
from time import process_time
from typing import TYPE_CHECKING, Any

import click

from bench.measure import Played

if TYPE_CHECKING:
    from types import ModuleType

    from bench.measure import Copyable

NO_LIMIT = 1_000_000
CHESS_PLIES = 400
"""Random chess seldom ends by itself soon; a game is cut here."""


def load(module: str) -> ModuleType:
    """Import a yardstick; where it is missing, say in one line how to get it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise click.ClickException(
            f"the yardsticks need the Python module '{error.name}', which is not installed: "
            "run 'make bench'"
        ) from error


class Catanatron:
    """catanatron, 2 to 4 players.

    Driven by ``Game.execute`` with its own check of the action, and stopped as ``Game.play`` does
    it: a winner or ``TURNS_LIMIT``. That is the speed of ``play_tick`` with its ``RandomPlayer`` or
    slightly better; the two copies that ``Game.play`` makes for observers are left out.
    """

    name = "catanatron"

    def __init__(self, players: int) -> None:
        self._package: Any = load("catanatron")
        self._turns: int = load("catanatron.game").TURNS_LIMIT
        self._colors: list[Any] = list(self._package.Color)[:players]
        self.version = metadata.version("catanatron")

    def play(self, seed: int) -> Played:
        """Play a whole game."""
        start = process_time()
        game = self._new(seed)
        created = process_time()
        decisions, choices = self._run(game, seed, NO_LIMIT)
        return Played(created - start, process_time() - created, decisions, choices)

    def position(self, seed: int, decisions: int) -> Copyable:
        """The game of that seed after so many decisions."""
        game = self._new(seed)
        self._run(game, seed, decisions)
        position: Copyable = game
        return position

    def _new(self, seed: int) -> Any:
        players = [self._package.RandomPlayer(color) for color in self._colors]
        # It seeds the global generator for its dice, and takes seed 0 for "any seed".
        return self._package.Game(players, seed=seed + 1)

    def _run(self, game: Any, seed: int, limit: int) -> tuple[int, int]:
        draw = random.Random(seed).random
        state = game.state
        turns = self._turns
        decisions = choices = 0
        while decisions < limit and game.winning_color() is None and state.num_turns < turns:
            options = state.playable_actions
            count = len(options)
            if count > 1:
                choices += 1
            game.execute(options[int(draw() * count)])
            decisions += 1
        return decisions, choices


class PythonChess:
    """python-chess: legal moves listed, one pushed."""

    name = "python-chess"

    def __init__(self) -> None:
        self._chess: Any = load("chess")
        self.version = metadata.version("chess")

    def play(self, seed: int) -> Played:
        """Play a game until there is no move or it is cut."""
        start = process_time()
        board = self._chess.Board()
        created = process_time()
        decisions, choices = self._run(board, seed, CHESS_PLIES)
        return Played(created - start, process_time() - created, decisions, choices)

    def position(self, seed: int, decisions: int) -> Copyable:
        """The game of that seed after so many moves, without the moves that led to it."""
        board = self._chess.Board()
        self._run(board, seed, decisions)
        # Its copy() also copies each move played so far; ours keeps no history either.
        board.clear_stack()
        position: Copyable = board
        return position

    def _run(self, board: Any, seed: int, limit: int) -> tuple[int, int]:
        draw = random.Random(seed).random
        decisions = choices = 0
        while decisions < limit:
            options = list(board.legal_moves)
            count = len(options)
            if not count:
                break
            if count > 1:
                choices += 1
            board.push(options[int(draw() * count)])
            decisions += 1
        return decisions, choices
