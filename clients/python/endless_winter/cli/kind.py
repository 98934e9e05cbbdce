"""Which game is played: modules, drafts and Rivers & Rafts, by the same options everywhere."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from endless_winter.content.modules.rivers import LANDMARKS as NAMES
from endless_winter.rules.rivers.agreed import MAX_LANDMARKS

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.v1 import config_pb2

_MODULES = ("glacier-tokens", "rest-tokens", "warriors", "sea-cows", "mammoth")
_DRAFTS = ("setup-draft", "chief-draft")
_DECIDED = "decided"
_FLAGS = {
    "--warriors": "Warriors instead of Pathfinders.",
    "--sea-cows": "With --rivers: Sea Cows among the Animals.",
    "--mammoth": "The Mammoth miniature.",
}


class Kind(NamedTuple):
    """What the options say."""

    parts: tuple[str, ...] = ()  # modules and drafts
    landmarks: str | None = None  # of Rivers & Rafts; None: without

    def apply_to(self, config: config_pb2.GameConfig) -> None:
        """Write it into a configuration."""
        from endless_winter.v1 import config_pb2  # noqa: PLC0415 # only when needed

        for part in self.parts:
            if part in _MODULES:
                setattr(config.modules, part.replace("-", "_"), True)
        if "setup-draft" in self.parts:
            config.setup_variant = config_pb2.SETUP_VARIANT_SETUP_DRAFT
        if "chief-draft" in self.parts:
            config.setup_variant = config_pb2.SETUP_VARIANT_CHIEF_AND_SETUP_DRAFT
        if self.landmarks is None:
            return
        config.rivers.SetInParent()
        if self.landmarks == _DECIDED:
            config.rivers.landmark_mode = config_pb2.LANDMARK_CHOICE_MODE_DECIDED
        elif self.landmarks.isdecimal():
            config.rivers.landmark_count = int(self.landmarks)
        else:
            config.rivers.landmark_mode = config_pb2.LANDMARK_CHOICE_MODE_NAMED
            config.rivers.landmark_ids.extend(self.landmarks.split(","))


def kind_options(function: Callable[..., int]) -> Callable[..., int]:
    """``--with``, ``--rivers`` and its companions; the command gets them as one `kind`."""

    @wraps(function)
    def command(**given: Any) -> int:  # whatever options the command has
        parts = given.pop("parts")
        parts += tuple(name for name in _MODULES if given.pop(name.replace("-", "_"), False))
        kind = Kind(tuple(dict.fromkeys(parts)), given.pop("rivers"))
        _check(kind)
        return function(kind=kind, **given)

    for name, text in reversed(_FLAGS.items()):
        command = click.option(name, is_flag=True, help=text)(command)
    command = click.option(
        "--rivers",
        is_flag=False,
        flag_value=str(MAX_LANDMARKS),
        metavar="[LANDMARKS]",
        help="Play with Rivers & Rafts: 1 to 3 Landmarks at random, 'decided' for choosing 3 in "
        "the game, or their names (tree,arch).  [without a value: 3]",
    )(command)
    return click.option(
        "--with",
        "parts",
        multiple=True,
        type=click.Choice((*_MODULES, *_DRAFTS)),
        help="Play with a module or a draft; several times for several.",
    )(command)


def _check(kind: Kind) -> None:
    if set(_DRAFTS) <= set(kind.parts):
        raise click.UsageError("chief-draft brings the Setup draft along: give only one of them")
    if kind.landmarks is None:
        if "sea-cows" in kind.parts:
            raise click.UsageError("--sea-cows needs --rivers")
        return
    if kind.landmarks == _DECIDED:
        return
    if kind.landmarks.isdecimal():
        if not 1 <= int(kind.landmarks) <= MAX_LANDMARKS:
            raise click.UsageError(f"--rivers: 1 to {MAX_LANDMARKS} Landmarks")
        return
    names = kind.landmarks.split(",")
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise click.UsageError(
            f"--rivers takes 1 to {MAX_LANDMARKS}, '{_DECIDED}' or names out of "
            f"{', '.join(NAMES)}, not {unknown[0]!r}; alone it stands last, or before an option"
        )
    if len(names) > MAX_LANDMARKS or len(set(names)) < len(names):
        raise click.UsageError(f"--rivers: at most {MAX_LANDMARKS} Landmarks, all different")
