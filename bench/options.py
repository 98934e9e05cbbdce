"""The options that benchmarks share, so that each means the same everywhere."""

from __future__ import annotations

import click

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
