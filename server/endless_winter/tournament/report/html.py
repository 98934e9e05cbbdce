"""One HTML page that holds everything it shows."""

from __future__ import annotations

import time
from html import escape
from importlib import resources
from typing import TYPE_CHECKING, Final

from endless_winter.tournament.report import conduct, svg
from endless_winter.tournament.report.summary import (
    COLUMNS,
    ENDS,
    interval,
    places,
    rating,
    remarks,
    source_names,
    undecided,
)
from endless_winter.views.categories import category_label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from endless_winter.tournament.report.summary import Summary
    from endless_winter.tournament.results import Game
    from endless_winter.tournament.statistics.table import Standing

OPEN_GAMES: Final = 24  # a longer list is folded
_PAIRED: Final = (
    " Whoever plays a seed twice can know what was hidden: this table is fair only among bots that "
    "keep no notes."
)
NARROW: Final = 4  # entrants whose meetings fit into half the page


def page(summary: Summary, replay: Callable[[Game], str]) -> str:
    """The report. `replay` is where a game's replay is, from here; empty: there is none."""
    inks = {name: svg.colour(number) for number, name in enumerate(summary.spec.everyone)}
    order = summary.table.standings
    many = len(order) > NARROW
    parts = [
        _head(summary),
        _card("Standings", _standings(summary, inks), wide=True),
        _undecided(summary),
        _card("Ratings", svg.ratings(order, inks), "95 % intervals from resampling the sets"),
        _card(
            "Head to head",
            _head_to_head(summary),
            "how often the row came before the column",
            wide=many,
        ),
        _card("Points", svg.scores(order, inks), "all games; the dashed line is the mean"),
        _card("Choices", _choices(order), "where figures were placed"),
        _card("Seats", svg.seats(summary.table.seats), "wins by seat; the dashed line is even"),
        _card("Length", svg.lengths(summary.table.lengths), "decisions in a game"),
        _card("Where points come from", _sources(order), "mean of a game", wide=True),
        _card("Time and manners", _manners(order), "of the bots' own answers", wide=True),
        _processor(summary),
        _remarks(summary),
        _card("Games", _games(summary, replay), _how_to_replay(), wide=True),
        # With many entrants it fills the place that head to head has left.
        _card("Fairness", _fairness(summary), wide=not many),
        _card("Bots", _bots(summary), _machines(summary), wide=True),
    ]
    title = escape(summary.spec.title)
    style = (resources.files(__package__) / "page.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{style}</style></head>\n<body>"
        f"{parts[0]}<main>{''.join(parts[1:])}</main></body></html>\n"
    )


def _card(title: str, body: str, note: str = "", *, wide: bool = False) -> str:
    if not body:
        return ""  # there is nothing to show yet
    shown = f'<p class="note">{note}</p>' if note else ""
    kind = "card wide" if wide else "card"
    inner = f'<h2>{title}</h2>{shown}<div class="scroll">{body}</div>'
    return f'\n<section class="{kind}">{inner}</section>'


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]], kind: str = "") -> str:
    head = "".join(f"<th>{one}</th>" for one in heads)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<table class="{kind}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _name(name: str, ink: str) -> str:
    return f'<span class="chip" style="background:{ink}"></span>{escape(name)}'


def _head(summary: Summary) -> str:
    header = summary.results.header
    when = ""
    if header is not None:
        day = time.strftime("%Y-%m-%d", time.gmtime(header.begun_ms / 1000))
        when = f" · {day} · rules {escape(header.rules_version)}"
    verdict = f'<p class="verdict">{escape(summary.verdict)}</p>' if summary.verdict else ""
    running = "" if summary.results.ended else '<p class="verdict">Not finished yet.</p>'
    warned = "".join(f'<p class="verdict">{escape(one)}</p>' for one in conduct.warnings(summary))
    return (
        f"<header><h1>{escape(summary.spec.title)}</h1>"
        f"<p>{escape(summary.heading)}{when}</p>{verdict}{running}{warned}</header>"
    )


def _standings(summary: Summary, inks: dict[str, str]) -> str:
    size = summary.spec.seats
    heads = ("", "entrant", "rating", "95 %", "games", "wins", "win %", "places", "mean place",
             "mean points")  # fmt: skip
    rows = [
        (
            str(one.rank),
            _name(one.entrant, inks[one.entrant]),
            f"<b>{rating(one)}</b>",
            interval(one),
            str(one.games),
            f"{one.wins:g}",
            f"{100 * one.win_rate:.1f}",
            places(one, size),
            f"{one.mean_place:.2f}",
            f"{one.mean_score:.1f}",
        )
        for one in summary.table.standings
    ]
    return _table(heads, rows, "second-left")


def _undecided(summary: Summary) -> str:
    """Nothing when all neighbours are told apart."""
    lines = "".join(f"<li>{escape(line)}</li>" for line in undecided(summary))
    note = "how many games would show such a difference four times of five"
    return _card("Not told apart yet", f"<ul>{lines}</ul>" if lines else "", note, wide=True)


def _head_to_head(summary: Summary) -> str:
    names = [one.entrant for one in summary.table.standings]
    rows = []
    for row in names:
        cells = [escape(row)]
        for column in names:
            meeting = summary.table.meetings.get((row, column))
            if meeting is None:
                cells.append('<span class="none">·</span>')
                continue
            share = 100 * meeting.share
            shown = f"{meeting.ahead:g} of {meeting.games} games"
            ink = f"color-mix(in srgb, var(--good) {share:.0f}%, var(--bad))"
            cells.append(
                f'<span class="heat" style="--ink:{ink}" title="{shown}">{share:.0f} %</span>'
            )
        rows.append(cells)
    return _table(("", *map(escape, names)), rows)


def _choices(order: list[Standing]) -> str:
    plot = svg.columns(order)
    return plot + _legend() if plot else ""


def _legend() -> str:
    chips = "".join(f"<li>{_name(one, svg.COLUMN_COLOURS[one])}</li>" for one in COLUMNS)
    return f'<ul class="legend">{chips}</ul>'


def _sources(order: list[Standing]) -> str:
    rows = [
        (
            escape(category_label(category)),
            *(f"{one.sources.get(category, 0) / max(len(one.scores), 1):.1f}" for one in order),
        )
        for category in source_names(order)
    ]
    return _table(("", *(escape(one.entrant) for one in order)), rows) if rows else ""


def _manners(order: list[Standing]) -> str:
    heads = ("", "answers", "mean ms", "longest ms", "late", "refused", "not played to the end")
    rows = [
        (
            escape(one.entrant),
            f"{one.decisions:,}",
            f"{one.mean_ms:.1f}",
            f"{one.longest_ms:,}",
            str(one.timeouts),
            str(one.wrong_answers),
            escape(", ".join(f"{ENDS.get(why, why)} {n}x" for why, n in sorted(one.ends.items())))
            or '<span class="none">never</span>',
        )
        for one in order
    ]
    return _table(heads, rows, "last-left")


def _processor(summary: Summary) -> str:
    used = conduct.processor(summary)
    if not used:
        return ""
    heads = ("", "while asked", "a decision", "while not asked", "a decision", "share lowered")
    rows = [
        (
            escape(name),
            f"{one.asked:.1f} s",
            f"{one.asked_ms:.1f} ms",
            f"{one.unasked:.1f} s",
            f"{one.unasked_ms:.1f} ms",
            f"<b>{one.lowered}x</b>" if one.lowered else '<span class="none">never</span>',
        )
        for name, one in used.items()
    ]
    note = "of the processes that were started for the tournament"
    return _card("Processor time", _table(heads, rows), note, wide=True)


def _remarks(summary: Summary) -> str:
    said = [*conduct.failures(summary), *conduct.burners(summary), *remarks(summary)]
    if not said:
        return ""
    body = "".join(f"<li>{escape(line)}</li>" for line in said)
    return _card("What happened", f'<ul class="remarks">{body}</ul>', wide=True)


def _how_to_replay() -> str:
    return (
        "each game leads to its replay; its record lies beside it "
        "(<code>replays/GAME.ewr</code>), and <code>ew replay verify</code> checks it"
    )


def _games(summary: Summary, replay: Callable[[Game], str]) -> str:
    rows = []
    for game in [*summary.games, *summary.voids]:
        seats = " ".join(
            f'<span class="seat{" first" if seat.place == 1 else ""}">{escape(seat.entrant)} '
            f"{seat.score}{_end(seat.reason)}</span>"
            for seat in game.seats
        )
        link = replay(game)
        shown = (
            f'<a href="{escape(link)}"><code>{escape(game.id)}</code></a>'
            if link
            else f"<code>{escape(game.id)}</code>"
        )
        outcome = "" if game.outcome == "completed" else escape(game.outcome)
        rows.append(
            (shown, seats, outcome, str(game.decisions), escape(game.block), str(game.rotation + 1))
        )
    table = _table(("game", "seats", "", "decisions", "set", "rotation"), rows, "games")
    shut = "" if len(rows) > OPEN_GAMES else " open"
    return f"<details{shut}><summary>{len(rows)} games</summary>{table}</details>"


def _end(reason: str) -> str:
    return "" if reason == "normal" else f" <em>({escape(ENDS.get(reason, reason))})</em>"


def _bots(summary: Summary) -> str:
    heads = ("", "bot", "version", "files", "options")
    rows = [
        (
            escape(one.name),
            f"<code>{escape(one.bot)}</code>",
            escape(one.version) or '<span class="none">not known</span>',
            f"<code>{escape(one.files)}</code>" if one.files else '<span class="none">·</span>',
            f"<code>{escape(one.options)}</code>" if one.options else '<span class="none">·</span>',
        )
        for one in conduct.field(summary)
    ]
    return _table(heads, rows, "games")


def _machines(summary: Summary) -> str:
    return escape("; ".join(conduct.machines(summary)))


def _fairness(summary: Summary) -> str:
    header, ended = summary.results.header, summary.results.ended
    commitment = escape(header.key_commitment) if header is not None else ""
    paired = summary.spec.paired_seeds
    lines = (
        f"<p>Seeds: {escape(summary.seeds)}.{_PAIRED if paired else ''}</p>"
        "<p>All seeds come from one secret key, to which the tournament committed before its first "
        f"game: <code>{commitment}</code></p>"
    )
    for line in conduct.isolation_lines(summary):
        lines += f"<p>{escape(line[0].upper() + line[1:])}.</p>"
    if ended is None:
        return lines
    what = "set" if paired else "game"
    return (
        f"{lines}<p>The key: <code>{escape(ended.key)}</code>, salt "
        f"<code>{escape(ended.salt)}</code>. "
        f'The seed of a {what} is HMAC-SHA256(key, "seed:" + {what}).</p>'
    )
