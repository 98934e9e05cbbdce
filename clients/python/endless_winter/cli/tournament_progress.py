"""What is shown while a tournament runs."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from endless_winter.tournament.report.text import standings
from endless_winter.tournament.statistics.table import table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.tournament.results import Game, Results, Started
    from endless_winter.tournament.schedule import Plan
    from endless_winter.tournament.spec import Spec
    from endless_winter.tournament.statistics.table import Table as RatedTable

WINDOW: Final = 60.0  # seconds over which the rate is taken
REFRESH: Final = 2.0
LINES_EVERY: Final = 10.0
RESAMPLES: Final = 100  # enough for a first impression


class Pace:
    """Games per minute, and what is left."""

    def __init__(self) -> None:
        self.done = 0
        self.total = 0
        self._begun = time.monotonic()
        self._ends: list[float] = []

    def tick(self) -> None:
        now = time.monotonic()
        self._ends = [*(end for end in self._ends if end > now - WINDOW), now]

    @property
    def per_minute(self) -> float:
        spent = min(time.monotonic() - self._begun, WINDOW)
        return 60 * len(self._ends) / spent if spent > 1 else 0.0

    def __str__(self) -> str:
        rate = self.per_minute
        left = (self.total - self.done) / rate if rate else 0.0
        text = f"{self.done} of {self.total} games"
        if rate:
            minutes, seconds = divmod(round(left * 60), 60)
            text += f", {rate:.0f} a minute, {minutes}:{seconds:02} left"
        return text


class Lines:
    """Progress for logs and pipes: a line now and then."""

    def __init__(self, spec: Spec, results: Results, *, quiet: bool) -> None:
        self._spec = spec
        self._results = results
        self._quiet = quiet
        self._said = 0.0
        self._noted: set[str] = set()  # what the games of a bot that is not there say again
        self.pace = Pace()

    def began(self, plan: Plan, games: list[Game]) -> None:
        self.pace.done = len(games)
        self.pace.total = plan.total
        if not self._quiet and len(games) < plan.total:
            names = ", ".join(self._spec.names)
            going_on = f", {len(games)} of them done" if games else ""
            click.echo(f"{self._spec.title}: {names}; {plan.total} games{going_on}")
            if self._spec.paired_seeds:
                click.echo("paired_seeds: rotations share seeds, which is for your own bots alone")

    def played(self, plan: Plan, game: Game) -> None:
        self.pace.total = plan.total
        if game.finished:
            self.pace.tick()
        if self._quiet:
            return
        if game.note and game.note not in self._noted:
            self._noted.add(game.note)
            click.echo(f"game {game.id}: {game.outcome}: {game.note}")
        now = time.monotonic()
        if now - self._said >= LINES_EVERY:
            self._said = now
            found = self._table(plan)
            leaders = ", ".join(
                f"{one.entrant} {one.rating.value:+.0f} ±{one.rating.margin:.0f}"
                for one in found.standings[:4]
            )
            click.echo(f"{self.pace}; {leaders}")

    def started(self, worker: Started) -> None:
        for name, why in worker.failed.items():
            click.echo(f"{name} cannot play: it {why}", err=True)

    def lost(self, why: str) -> None:
        click.echo(f"a worker was lost and is replaced: {why}", err=True)

    def _table(self, plan: Plan) -> RatedTable:
        """The table of the games that the report will count, and how many they are."""
        games = plan.counted(self._results.finished)
        self.pace.done = len(games)
        return table(self._spec.everyone, games, resamples=RESAMPLES)


class Board(Lines):
    """Progress for people: the table, renewed in place."""

    def __init__(self, spec: Spec, results: Results, live: Live) -> None:
        super().__init__(spec, results, quiet=True)
        self._live = live
        self._next = 0.0
        self._notes: list[str] = []

    def began(self, plan: Plan, games: list[Game]) -> None:
        super().began(plan, games)
        done = f"{len(games)} of {plan.total} games are done; " if games else ""
        text = f"{self._spec.title}: {done}starting servers and bots"
        self._live.update(Text(text), refresh=True)

    def played(self, plan: Plan, game: Game) -> None:
        super().played(plan, game)
        if game.note and game.note not in self._noted:
            self._noted.add(game.note)
            self._notes = [*self._notes[-2:], f"{game.outcome}: {game.note}"]
        before = time.monotonic()
        if before < self._next:
            return
        found = self._table(plan)
        bar = Table.grid(padding=(0, 2))
        total = max(self.pace.total, 1)
        bar.add_row(
            ProgressBar(total=total, completed=self.pace.done, width=40), Text(str(self.pace))
        )
        self._live.update(
            Group(
                Text(self._spec.title, style="bold"),
                bar,
                Text(),
                standings(found, self._spec.seats),
                *(Text(note, style="yellow") for note in self._notes),
            ),
            refresh=True,
        )
        # A large table takes time to rate: never more than a small part of the whole.
        now = time.monotonic()
        self._next = now + max(REFRESH, 20 * (now - before))

    def started(self, worker: Started) -> None:
        failed = [f"{name} cannot play: it {why}" for name, why in worker.failed.items()]
        self._notes = [*self._notes, *failed][-3:]

    def lost(self, why: str) -> None:
        self._notes = [*self._notes[-2:], f"a worker was lost and is replaced: {why}"]


@contextmanager
def progress_of(spec: Spec, results: Results, *, quiet: bool) -> Iterator[Lines]:
    console = Console()
    if quiet or not console.is_terminal:
        yield Lines(spec, results, quiet=quiet)
        return
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield Board(spec, results, live)
