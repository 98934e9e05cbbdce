"""The pure rules core: a position is a value, every legal option is listed, nothing else is.

It knows nothing of networks, clocks, files or asyncio, and draws no randomness but from the
seed that a game is made with.
"""

from endless_winter.rules.config import Config
from endless_winter.rules.errors import (
    BadConfig,
    BadPosition,
    BadText,
    GameOver,
    IllegalOption,
    RulesError,
    WrongSeat,
)
from endless_winter.rules.game import RULES_VERSION, Decision, Game
from endless_winter.rules.scoring import Result, Score

__all__ = [
    "RULES_VERSION",
    "BadConfig",
    "BadPosition",
    "BadText",
    "Config",
    "Decision",
    "Game",
    "GameOver",
    "IllegalOption",
    "Result",
    "RulesError",
    "Score",
    "WrongSeat",
]
