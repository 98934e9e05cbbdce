"""``ew bench``: measures the engine beside yardsticks that anyone can install."""

from __future__ import annotations

import click

from endless_winter.cli.bench import core
from endless_winter.cli.bench import serve as network


@click.group()
def bench() -> None:
    """Measure the engine and print the numbers, beside other engines in the same run."""


bench.add_command(core.core)
bench.add_command(network.serve)
