"""The options of all benchmarks, so that each is called and means the same everywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Function = TypeVar("Function", bound="Callable[..., Any]")
Output: TypeAlias = IO[str] | None

json_option = click.option(
    "--json",
    "output",
    type=click.File("w", encoding="utf-8", lazy=False),
    help="Write the figures to this file too; - is standard output.",
)
processes_option = click.option(
    "--processes", default=1, show_default=True, type=click.IntRange(min=1), help="At a time."
)
seed_option = click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Of the first game."
)
seconds_option = click.option(
    "--seconds",
    default=3.0,
    show_default=True,
    type=click.FloatRange(min=0, min_open=True),
    help="CPU time of each engine in one pass.",
)
quick_option = click.option(
    "--quick", is_flag=True, help="Tiny numbers: shows that it works, not how fast."
)


def games_option(
    text: str, *, least: int = 1, name: str = "--games", default: int = 200
) -> Callable[[Function], Function]:
    """How many games, or seeds, are played."""
    return click.option(
        name, default=default, show_default=True, type=click.IntRange(min=least), help=text
    )


def repeat_option(default: int, text: str) -> Callable[[Function], Function]:
    return click.option(
        "--repeat", default=default, show_default=True, type=click.IntRange(min=1), help=text
    )


def only_option(parts: Iterable[str]) -> Callable[[Function], Function]:
    return click.option(
        "--only",
        multiple=True,
        type=click.Choice(tuple(parts)),
        help="Only this measurement; may be given several times.",
    )


def write_json(output: Output, figures: dict[str, Any]) -> None:
    """What --json asks for."""
    if output is not None:
        json.dump(figures, output, indent=2)
        output.write("\n")


def needs_proc() -> None:
    if not Path("/proc/self/statm").exists():
        raise click.ClickException("this benchmark reads /proc and runs on Linux only")
