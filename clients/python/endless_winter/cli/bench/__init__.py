"""``ew bench``: measures the engine beside yardsticks that anyone can install."""

from __future__ import annotations

import click

from endless_winter.cli.bench import arena, balance, bots, core, pairing
from endless_winter.cli.bench import serve as network


@click.group()
def bench() -> None:
    """Measure the engine and print the numbers, beside other engines in the same run."""


bench.add_command(core.core)
bench.add_command(network.serve)
bench.add_command(bots.bots)
bench.add_command(balance.balance)
bench.add_command(arena.arena)
bench.add_command(pairing.pairing)
