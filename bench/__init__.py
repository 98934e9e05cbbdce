"""``python -m bench``: measures the engine beside yardsticks that anyone can install."""

from __future__ import annotations

import click

from bench import balance, bots, choices, core, fit, pairing, sampling, tournament
from bench import serve as network


@click.group()
def bench() -> None:
    """Measure the engine and print the numbers, beside other engines in the same run.

    Run it in the folder of the project, after 'make bench' has installed the yardsticks. Figures
    that are comparable on any machine are ratios, and stand beside their targets.

    \b
      python -m bench core              the rules, beside catanatron and python-chess
      python -m bench serve --quick     the server; without --quick it takes a quarter of an hour
      python -m bench bots              how strong and how quick the bots that come along are
      python -m bench COMMAND --help    what a benchmark measures and takes

    A bot of your own: 'ew match my_bot.py heuristic' says how strong it is.
    """  # noqa: D301 # click's own mark, a real backspace: keep the next lines as they are


bench.add_command(core.core)
bench.add_command(network.serve)
bench.add_command(bots.bots)
bench.add_command(choices.choices)
bench.add_command(balance.balance)
bench.add_command(fit.fit)
bench.add_command(tournament.command)
bench.add_command(pairing.pairing)
bench.add_command(sampling.sampling)
