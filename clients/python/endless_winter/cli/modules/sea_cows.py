"""``--sea-cows``, which swim where there is a river (RAF-13)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from endless_winter.cli.plugin import ModuleOption

if TYPE_CHECKING:
    from endless_winter.cli.kind import Kind


class _SeaCows(ModuleOption):
    def check(self, kind: Kind) -> None:
        if "sea-cows" in kind.parts and "rivers" not in kind.given:
            raise click.UsageError("--sea-cows needs --rivers")


OPTION: Final = _SeaCows("With --rivers: Sea Cows among the Animals.")
