"""The game for learning: a PettingZoo AEC environment with fixed observations and actions.

    from endless_winter.pettingzoo import env
    game = env(players=2)

docs/search.md explains observations, actions, masks and rewards.
"""

try:
    import gymnasium  # noqa: F401 - comes with pettingzoo
    import numpy as np  # noqa: F401 - comes with pettingzoo

    import pettingzoo  # noqa: F401
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"endless_winter.pettingzoo needs {missing.name}: pip install 'endless-winter[pettingzoo]'",
        name=missing.name,
    ) from None

from endless_winter.pettingzoo.actions import ActionTable, table_of
from endless_winter.pettingzoo.environment import EndlessWinterEnv, env, raw_env
from endless_winter.pettingzoo.observations import Observer

__all__ = ["ActionTable", "EndlessWinterEnv", "Observer", "env", "raw_env", "table_of"]
