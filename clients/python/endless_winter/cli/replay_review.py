"""``ew replay review``: what a seat could expect over a game, and which choices cost most."""

from __future__ import annotations

import json
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

import click

from endless_winter.cli import replay_file
from endless_winter.cli.catalog import content_option, read_pack
from endless_winter.cli.replay_file import Remote, ReplayError
from endless_winter.cli.tls import credentials_of, tls_options
from endless_winter.terminal.seats import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from endless_winter.bots.review import Judged, Moment, Review
    from endless_winter.content import Pack
    from endless_winter.v1 import replay_pb2

SHAPE: Final = 1  # of the JSON; it changes when a field changes its meaning or goes
_BAR: Final = 24  # columns of the longest bar of the curve
_BY: Final = {
    "time": "the time was up, so it was the default",
    "standing": "by a standing answer",
    "forfeit": "the seat was forfeited, so it was the default",
}


@click.command("review")
@click.argument("what", metavar="FILE|GAME_ID")
@click.option("--server", metavar="HOST:PORT", help="A server that has the game.")
@tls_options
@click.option(
    "--store",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="A server's store, on this machine.",
)
@click.option("--seat", type=click.IntRange(0, 3), help="This seat alone; without it, all seats.")
@click.option(
    "--format",
    "as_format",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="What to print; docs/replays.md has the shape of the JSON.",
)
@content_option
def command(
    what: str,
    *,
    server: str | None,
    tls_ca: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    store: Path | None,
    seat: int | None,
    as_format: str,
    content: Path | None,
) -> None:
    """Say what the seats of an ended game could expect, and what cost them most.

    The game is a record in FILE, or with --server or --store one that is there.

    For each figure the final score that the seat could expect then, and for the whole game the
    three choices that cost most, each with what would have been better and why. A seat is
    judged by what it could know when it chose. It takes some seconds a seat.

    \b
    For example:
      ew replay review my-game.ewr
      ew replay review my-game.ewr --seat 0 --format json
      ew replay review my-game --server 127.0.0.1:50051
    """  # noqa: D301 # click's own mark
    if server is not None and store is not None:
        raise click.UsageError("say --server or --store, one of them")
    pack = read_pack(content)
    try:
        if server is not None:
            with Remote(server, credentials=credentials_of(tls_ca, tls_cert, tls_key)) as remote:
                record = remote.export(what)
        elif store is not None:
            record = replay_file.from_store(store, what)
        else:
            record = replay_file.read(Path(what))
    except ReplayError as error:
        raise click.ClickException(printable(str(error))) from error
    try:
        found = reviewed(record, pack, seat)
    except ReplayError as error:
        raise click.ClickException(f"{what}: {printable(str(error))}") from error
    if as_format == "json":
        click.echo(json.dumps(found, indent=1, ensure_ascii=False))
    else:
        for line in lines(found):
            click.echo(printable(line))


def reviewed(record: replay_pb2.ReplayFile, pack: Pack, seat: int | None = None) -> dict[str, Any]:
    """The review of a record as it is written to JSON (docs/replays.md)."""
    from endless_winter.bots.review import review  # noqa: PLC0415 # they take a while to load
    from endless_winter.cli.replay_moments import moments_of  # noqa: PLC0415

    moments = moments_of(record, pack)
    if seat is not None and seat >= len(moments):
        raise ReplayError(f"the game has no seat {seat}, only {len(moments)} of them")
    wanted = [one for one in range(len(moments)) if seat in (None, one) and moments[one]]
    if seat is not None and not wanted:
        raise ReplayError(f"seat {seat} chose nothing in this game")
    seats = []
    for number in wanted:
        with _progress(f"seat {number}") as bar:
            shown = 0

            def done(share: float) -> None:
                nonlocal shown
                if bar is not None and int(100 * share) > shown:
                    bar.update(int(100 * share) - shown)
                    shown = int(100 * share)

            found = review(moments[number], done, pack=pack)
        seats.append(_seat(record, number, found))
    return {"review": SHAPE, "game_id": record.game.game_id, "seats": seats}


def _progress(label: str) -> AbstractContextManager[Any]:
    """A bar where somebody looks; standard output is for the review."""
    if not sys.stderr.isatty():
        return nullcontext()
    return click.progressbar(length=100, label=f"judging {label}", file=sys.stderr)


def _seat(record: replay_pb2.ReplayFile, number: int, found: Review) -> dict[str, Any]:
    game = record.game
    score = next((one.score for one in game.result.seats if one.seat == number), None)
    return {
        "seat": number,
        "name": game.seats[number].display_name if number < len(game.seats) else "",
        "score": score,
        "curve": [
            {
                **_when(step.moment),
                "text": step.moment.chosen.text,
                "label": step.moment.chosen.label,
                "expected": round(step.points, 1),
            }
            for step in found.curve
        ],
        "worst": [
            {
                **_when(one.moment),
                "kind": one.moment.decision.kind_name,
                "prompt": one.moment.decision.prompt,
                "by": one.moment.by,
                "chosen": _judged(one.chosen),
                "better": _judged(one.better),
                "cost": round(one.cost, 1),
            }
            for one in found.worst
        ],
    }


def _when(moment: Moment) -> dict[str, Any]:
    view = moment.view
    return {
        "seq": moment.seq,
        "round": view.round,
        "phase": view.phase,
        "turn": view.turn.number if view.phase == "action" else 0,
    }


def _judged(one: Judged) -> dict[str, Any]:
    return {
        "text": one.option.text,
        "label": one.option.label,
        "expected": round(one.points, 1),
        "why": one.why,
    }


# --- as text ---


def lines(found: dict[str, Any]) -> Iterator[str]:
    """The review for people."""
    yield f"Review of game {found['game_id']}: each seat by what it could know when it chose"
    for seat in found["seats"]:
        yield ""
        who = seat["name"] or "somebody"
        ended = "" if seat["score"] is None else f": {seat['score']} points in the end"
        yield f"=== {who} (seat {seat['seat']}){ended} ==="
        yield from _curve(seat)
        yield ""
        yield from _worst(seat["worst"])


def _curve(seat: dict[str, Any]) -> Iterator[str]:
    steps: Sequence[dict[str, Any]] = seat["curve"]
    if not steps:
        yield "No figure was placed."
        return
    most = max([step["expected"] for step in steps] + [seat["score"] or 0, 1])
    yield "Final score to expect after each figure:"
    for step in steps:
        what = step["label"].removeprefix("Place ").removeprefix("a ").removeprefix("the ")
        yield _row(f"round {step['round']}, turn {step['turn']}", what, step["expected"], most)
    if seat["score"] is not None:
        yield _row("the end", "", seat["score"], most)


def _row(when: str, what: str, points: float, most: float) -> str:
    bar = "#" * max(round(_BAR * points / most), 0)
    return f"  {when:<16} {what[:28]:<28} {points:>4.0f}  {bar}".rstrip()


def _worst(worst: Sequence[dict[str, Any]]) -> Iterator[str]:
    if not worst:
        yield "No choice cost a point or more."
        return
    yield "What cost most:" if len(worst) > 1 else "The one choice that cost points:"
    for number, one in enumerate(worst, 1):
        when = f"round {one['round']}, " if one["round"] else ""
        when += f"turn {one['turn']}" if one["turn"] else f"{one['phase']} phase"
        points = round(one["cost"])
        yield (
            f"  {number}. about {points} point{'' if points == 1 else 's'}: {when}, "
            f"entry {one['seq']}: {one['prompt']}"
        )
        by = f" ({_BY[one['by']]})" if one["by"] in _BY else ""
        yield f"     chosen: {one['chosen']['label']}{by}; then {one['chosen']['expected']:.0f}"
        yield f"     better: {one['better']['label']}; then {one['better']['expected']:.0f}"
        yield from wrap(
            f"since {one['better']['why']}", 98, initial_indent=" " * 7, subsequent_indent=" " * 7
        )
