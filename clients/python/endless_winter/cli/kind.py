"""Which game is played: modules and drafts, by the same options everywhere."""

from __future__ import annotations

from functools import wraps
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from endless_winter.cli.plugin import SWITCHES, module_options
from endless_winter.v1 import config_pb2

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SWITCHES = {name.replace("_", "-"): name for name in SWITCHES}
_DRAFTS = ("setup-draft", "chief-draft")
_OPTIONS = module_options()


class Kind(NamedTuple):
    """What the options say."""

    parts: tuple[str, ...] = ()  # switches and drafts
    given: Mapping[str, Any] = MappingProxyType({})  # to the options of other modules

    def apply_to(self, config: config_pb2.GameConfig) -> None:
        """Write it into a configuration."""
        for part in self.parts:
            if part in _SWITCHES:
                setattr(config.modules, _SWITCHES[part], True)
        if "setup-draft" in self.parts:
            config.setup_variant = config_pb2.SETUP_VARIANT_SETUP_DRAFT
        if "chief-draft" in self.parts:
            config.setup_variant = config_pb2.SETUP_VARIANT_CHIEF_AND_SETUP_DRAFT
        for name, value in self.given.items():
            _OPTIONS[name].apply_to(value, config)


def kind_options(function: Callable[..., int]) -> Callable[..., int]:
    """``--with`` and the options of modules; the command gets them as one `kind`."""

    @wraps(function)
    def command(**given: Any) -> int:  # whatever options the command has
        parts = given.pop("parts")
        own = {name: given.pop(name) for name in _OPTIONS}
        parts += tuple(part for part, name in _SWITCHES.items() if own.pop(name, False))
        kind = Kind(
            tuple(dict.fromkeys(parts)),
            {name: value for name, value in own.items() if value is not None},
        )
        _check(kind)
        return function(kind=kind, **given)

    made: Callable[..., int] = command
    for name, option in reversed(_OPTIONS.items()):
        made = option.declare(f"--{name.replace('_', '-')}")(made)
    return click.option(
        "--with",
        "parts",
        multiple=True,
        type=click.Choice((*_SWITCHES, *_DRAFTS)),
        help="Play with a module or a draft; several times for several.",
    )(made)


def _check(kind: Kind) -> None:
    if set(_DRAFTS) <= set(kind.parts):
        raise click.UsageError("chief-draft brings the Setup draft along: give only one of them")
    for option in _OPTIONS.values():
        option.check(kind)
