"""``--rivers``: Rivers & Rafts, and how its Landmarks are found (RAF-02, RAF-04)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from endless_winter.cli.plugin import ModuleOption
from endless_winter.content.modules.rivers import LANDMARKS as NAMES
from endless_winter.rules.rivers.agreed import MAX_LANDMARKS
from endless_winter.v1 import config_pb2

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.cli.kind import Kind

_DECIDED: Final = "decided"


class _Rivers(ModuleOption):
    def declare(self, flag: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
        return click.option(
            flag,
            is_flag=False,
            flag_value=str(MAX_LANDMARKS),
            metavar="[LANDMARKS]",
            help=self.text,
        )

    def check(self, kind: Kind) -> None:
        landmarks = kind.given.get("rivers", _DECIDED)
        if landmarks == _DECIDED:
            return
        if landmarks.isdecimal():
            if not 1 <= int(landmarks) <= MAX_LANDMARKS:
                raise click.UsageError(f"--rivers: 1 to {MAX_LANDMARKS} Landmarks")
            return
        names = landmarks.split(",")
        unknown = [name for name in names if name not in NAMES]
        if unknown:
            raise click.UsageError(
                f"--rivers takes 1 to {MAX_LANDMARKS}, '{_DECIDED}' or names out of "
                f"{', '.join(NAMES)}, not {unknown[0]!r}; alone it stands last, or before an option"
            )
        if len(names) > MAX_LANDMARKS or len(set(names)) < len(names):
            raise click.UsageError(f"--rivers: at most {MAX_LANDMARKS} Landmarks, all different")

    def apply_to(self, value: str, config: config_pb2.GameConfig) -> None:
        config.rivers.SetInParent()
        if value == _DECIDED:
            config.rivers.landmark_mode = config_pb2.LANDMARK_CHOICE_MODE_DECIDED
        elif value.isdecimal():
            config.rivers.landmark_count = int(value)
        else:
            config.rivers.landmark_mode = config_pb2.LANDMARK_CHOICE_MODE_NAMED
            config.rivers.landmark_ids.extend(value.split(","))


OPTION: Final = _Rivers(
    "Play with Rivers & Rafts: 1 to 3 Landmarks at random, 'decided' for choosing 3 in the game, "
    "or their names (tree,arch).  [without a value: 3]"
)
