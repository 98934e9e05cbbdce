"""CSV for spreadsheets, Markdown for pages."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from endless_winter.tournament.report import conduct
from endless_winter.tournament.report.summary import (
    COLUMNS,
    interval,
    places,
    rating,
    remarks,
    undecided,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from endless_winter.tournament.report.summary import Summary
    from endless_winter.tournament.statistics.table import Standing


def standings_csv(summary: Summary) -> str:
    heads = [
        "rank", "entrant", "rating", "low", "high", "games", "unrated", "wins", "share",
        "mean_place", "mean_score", "timeouts", "wrong_answers", "decisions", "mean_ms",
        "longest_ms", *COLUMNS, "processor_asked_ms", "processor_unasked_ms",
    ]  # fmt: skip
    used = conduct.processor(summary)
    rows = [
        [
            one.rank, one.entrant, *_ratings(one), one.games, one.unrated, f"{one.wins:g}",
            f"{one.share:.4f}", f"{one.mean_place:.4f}", f"{one.mean_score:.3f}", one.timeouts,
            one.wrong_answers, one.decisions, f"{one.mean_ms:.2f}", one.longest_ms,
            *(one.columns.get(column, 0) for column in COLUMNS), *_processor(used.get(one.entrant)),
        ]
        for one in summary.table.standings
    ]  # fmt: skip
    return _csv(heads, rows)


def _ratings(standing: Standing) -> list[str]:
    found = standing.rating
    return [f"{one:.1f}" if standing.rated else "" for one in (found.value, found.low, found.high)]


def _processor(used: conduct.Processor | None) -> list[str]:
    if used is None:
        return ["", ""]
    return [f"{1000 * used.asked:.0f}", f"{1000 * used.unasked:.0f}"]


def games_csv(summary: Summary) -> str:
    """One row for each seat of each game."""
    heads = [
        "game", "block", "rotation", "attempt", "outcome", "seat", "entrant", "place", "score",
        "reason", "timeouts", "wrong_answers", "decisions", "charged_ms", "longest_ms",
    ]  # fmt: skip
    rows = [
        [
            game.id, game.block, game.rotation, game.attempt, game.outcome, number, seat.entrant,
            seat.place, seat.score, seat.reason, seat.timeouts, seat.wrong_answers, seat.decisions,
            seat.charged_ms, seat.longest_ms,
        ]
        for game in [*summary.games, *summary.voids]
        for number, seat in enumerate(game.seats)
    ]  # fmt: skip
    return _csv(heads, rows)


def _csv(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)
    return text.getvalue()


def markdown(summary: Summary) -> str:
    found = summary.table
    size = summary.spec.seats
    parts = [f"# {summary.spec.title}", "", f"{summary.heading[0].upper()}{summary.heading[1:]}."]
    if summary.verdict:
        parts += ["", f"**{summary.verdict}**"]
    parts += [
        "",
        "| | entrant | rating | 95 % | games | wins | places | mean points | ms/choice |",
        "|--:|---|--:|:-:|--:|--:|:-:|--:|--:|",
        *(
            f"| {one.rank} | {one.entrant} | {rating(one)} | {interval(one)} | {one.games} | "
            f"{one.wins:g} | {places(one, size)} | {one.mean_score:.1f} | {one.mean_ms:.1f} |"
            for one in found.standings
        ),
    ]
    if lines := undecided(summary):
        parts += ["", *(f"- {line}." for line in lines)]
    names = [one.entrant for one in found.standings]
    parts += ["", f"| ahead of | {' | '.join(names)} |", f"|---|{'--:|' * len(names)}"]
    for row in names:
        cells = []
        for column in names:
            meeting = found.meetings.get((row, column))
            cells.append("" if meeting is None else f"{100 * meeting.share:.0f} %")
        parts.append(f"| {row} | {' | '.join(cells)} |")
    if found.seats:
        parts += ["", "| seat | wins | mean points |", "|--:|--:|--:|"]
        parts += [
            f"| {one.seat + 1} | {100 * one.win_rate:.1f} ± {100 * one.win_margin:.1f} % | "
            f"{one.mean_score:.1f} ± {one.score_margin:.1f} |"
            for one in found.seats
        ]
    used = conduct.processor(summary)
    if used:
        parts += [
            "",
            "| processor time | while asked | a decision | while not asked | a decision |",
            "|---|--:|--:|--:|--:|",
            *(
                f"| {name} | {one.asked:.1f} s | {one.asked_ms:.1f} ms | {one.unasked:.1f} s | "
                f"{one.unasked_ms:.1f} ms |"
                for name, one in used.items()
            ),
        ]
    parts += ["", *(f"{line[0].upper()}{line[1:]}." for line in conduct.isolation_lines(summary))]
    said = [*conduct.failures(summary), *conduct.burners(summary), *remarks(summary)]
    if said:
        parts += ["", *(f"- {line}" for line in said)]
    parts += ["", "| entrant | bot | version | files | options |", "|---|---|---|---|---|"]
    parts += [
        f"| {one.name} | `{one.bot}` | {one.version} | {one.files} | {one.options} |"
        for one in conduct.field(summary)
    ]
    parts += ["", *(f"Played on: {one}." for one in conduct.machines(summary))]
    return "\n".join([*parts, ""])
