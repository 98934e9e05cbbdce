"""The table at the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table as RichTable
from rich.text import Text

from endless_winter.tournament.report.summary import places, rating

if TYPE_CHECKING:
    from endless_winter.tournament.statistics.table import Table


def standings(found: Table, players: int) -> RichTable:
    """Who is how good, and how sure that is."""
    shown = RichTable(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    shown.add_column("")
    shown.add_column("entrant", overflow="fold")
    for heading in ("rating", "± 95 %", "games", "wins", "win %", "places", "score", "ms/choice"):
        shown.add_column(heading, justify="right", no_wrap=True)
    for one in found.standings:
        shown.add_row(
            str(one.rank),
            Text(one.entrant),
            rating(one),
            f"{one.rating.margin:.0f}" if one.rated else "",
            str(one.games),
            f"{one.wins:g}",
            f"{100 * one.win_rate:.1f}",
            places(one, players),
            f"{one.mean_score:.1f}",
            f"{one.mean_ms:.1f}",
        )
    return shown


def head_to_head(found: Table) -> RichTable:
    """In which share of their games the row came before the column."""
    shown = RichTable(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    names = [one.entrant for one in found.standings]
    shown.add_column("ahead of", overflow="fold")
    for name in names:
        shown.add_column(Text(name), justify="right", no_wrap=True)
    for row in names:
        cells = []
        for column in names:
            meeting = found.meetings.get((row, column))
            cells.append("" if meeting is None else f"{100 * meeting.share:.0f} %")
        shown.add_row(Text(row), *cells)
    return shown
