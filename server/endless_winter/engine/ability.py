"""What a bot must have said that it can play (`BotAbility`), for a game to be one for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.rules.config import NOMAD
from endless_winter.rules.modules import REGISTRY
from endless_winter.v1 import arena_pb2, config_pb2

if TYPE_CHECKING:
    from collections.abc import Iterator

_MODULES = "modules"
_SOLO = "solo"


def field_for(module: str) -> str:
    """The field that stands for a module with a message of its own in the configuration.

    One that was not thought of when the contract was made counts among the modules.
    """
    if module == NOMAD:
        return _SOLO  # `nomad` is for those who play its seat
    return module if module in arena_pb2.BotAbility.DESCRIPTOR.fields_by_name else _MODULES


def lacking(ability: arena_pb2.BotAbility, config: config_pb2.GameConfig) -> Iterator[str]:
    """The fields that would have to be set for a game with these modules."""
    if config.modules != config_pb2.ModuleConfig() and not ability.modules:
        yield _MODULES
    for field, _ in config.ListFields():
        if field.name in REGISTRY and not getattr(ability, field_for(field.name)):
            yield field_for(field.name)
