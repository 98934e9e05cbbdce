"""Where a module plugs into the [game] table of a spec.

Every switch of the contract's `ModuleConfig` is a key of its name. What else a module has there is
in `tournament/modules/`, a file under the name that it has in `rules.modules.REGISTRY`, with an
object `GAME`. Without such a file it is a switch that goes with any game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from endless_winter.content.plugin import module_files
from endless_winter.v1 import config_pb2

if TYPE_CHECKING:
    from collections.abc import Mapping

SWITCHES: Final = tuple(field.name for field in config_pb2.ModuleConfig.DESCRIPTOR.fields)


class GameModule:
    """The named points. Each method of this class is "a switch says it all"."""

    # What its key takes, and what it is where the file has none.
    takes: type = bool
    default: object = False

    def mistake(self, game: Mapping[str, Any]) -> str:
        """What is wrong with what the table says of the module; empty: nothing."""
        del game
        return ""

    def fill_config(self, game: Mapping[str, Any], config: config_pb2.GameConfig) -> None:
        """Write into a configuration what is no switch."""


_MODULES: Final[dict[str, GameModule]] = {
    name: file.GAME for name, file in module_files("endless_winter.tournament.modules").items()
}


def keys() -> list[tuple[str, type, object]]:
    """The keys of all modules, with what they take and their defaults."""
    own = [(name, one.takes, one.default) for name, one in _MODULES.items() if name not in SWITCHES]
    return [*((name, bool, False) for name in SWITCHES), *own]


def mistakes(game: Mapping[str, Any]) -> list[str]:
    found = [module.mistake(game) for module in _MODULES.values()]
    return [mistake for mistake in found if mistake]


def fill_config(game: Mapping[str, Any], config: config_pb2.GameConfig) -> None:
    """Write the modules of the table into a configuration."""
    switches = {name: game[name] for name in SWITCHES}
    config.modules.CopyFrom(config_pb2.ModuleConfig(**switches))
    for module in _MODULES.values():
        module.fill_config(game, config)
