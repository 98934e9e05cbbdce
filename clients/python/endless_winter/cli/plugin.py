"""Where a module plugs into the options of ``ew play`` and ``ew match``.

Every switch of the contract's `ModuleConfig` is a value of ``--with``. An option of its own is in
`cli/modules/`, a file under the name that the module has in `rules.modules.REGISTRY`, with an
object `OPTION`. Without such a file ``--with`` is all there is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from endless_winter.content.plugin import module_files
from endless_winter.v1 import config_pb2

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.cli.kind import Kind

SWITCHES: Final = tuple(field.name for field in config_pb2.ModuleConfig.DESCRIPTOR.fields)


class ModuleOption:
    """The named points; as they stand they are a flag that is short for ``--with``."""

    def __init__(self, text: str) -> None:
        self.text = text

    def declare(self, flag: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
        """The option, called as the module."""
        return click.option(flag, is_flag=True, help=self.text)

    def check(self, kind: Kind) -> None:
        """Raise `click.UsageError` if the module cannot be played so."""

    def apply_to(self, value: Any, config: config_pb2.GameConfig) -> None:
        """Write into a configuration what is no switch: `value` is what the option was given."""


def module_options() -> dict[str, ModuleOption]:
    """By name; those that take more than yes or no come first."""
    files = module_files("endless_winter.cli.modules")
    own = [name for name in files if name not in SWITCHES]
    return {name: files[name].OPTION for name in (*own, *SWITCHES) if name in files}
