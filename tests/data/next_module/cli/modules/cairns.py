"""``--cairns``: how many a seat can raise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from endless_winter.cli.plugin import ModuleOption

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.cli.kind import Kind
    from endless_winter.v1 import config_pb2


class _Cairns(ModuleOption):
    def declare(self, flag: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
        return click.option(flag, type=int, help=self.text)

    def check(self, kind: Kind) -> None:
        if kind.given.get("cairns", 1) < 1:
            raise click.UsageError("--cairns: at least 1")

    def apply_to(self, value: int, config: config_pb2.GameConfig) -> None:
        config.cairns.most = value


OPTION: Final = _Cairns("How many Cairns a seat can raise.")
