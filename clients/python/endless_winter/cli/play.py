"""``ew play``: a person plays, on a server of one's own or on another's."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from endless_winter.cli.kind import Kind, kind_options
from endless_winter.cli.seating import Wish, table_for
from endless_winter.cli.tls import credentials_of, tls_options
from endless_winter.rules.config import NOMAD_SWITCHES

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.terminal.table import Table


DEFAULT_BOT = "heuristic"
LEVELS = 8


@click.command()
@click.option(
    "--against",
    multiple=True,
    metavar="BOT",
    help="A bot to play against; several times for 3 or 4 players. A name (random, greedy, quick, "
    'heuristic, learned, search), a Python file, or "cmd: ...".  [default: heuristic]',
)
@click.option(
    "--level",
    type=click.IntRange(1, LEVELS),
    help="How strong the bots of your own table are: 1 for beginners, 5 is heuristic.",
)
@click.option("--solo", is_flag=True, help="Play alone against the Nomad.")
@click.option(
    "--hard",
    multiple=True,
    type=click.Choice([switch.replace("_", "-") for switch in NOMAD_SWITCHES]),
    help="With --solo: a harder Nomad; several times for several (docs/nomad.md).",
)
@click.option("--server", metavar="HOST:PORT", help="A running server, instead of one's own.")
@click.option("--join", metavar="GAME", help="With --server: take a seat in this game.")
@click.option("--create", is_flag=True, help="With --server: create a game.")
@click.option("--resume", is_flag=True, help="Go on with the last game.")
@click.option("--seat", type=click.IntRange(0, 3), help="With --join: this seat.")
@click.option(
    "--players",
    type=click.IntRange(2, 4),
    help="Seats in all. With --create those without a bot are open for people; otherwise "
    "the bot heuristic takes them.",
)
@click.option("--name", default="", help="The name that others see.  [default: your login name]")
@kind_options
@click.option(
    "--clock",
    "minutes",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="MINUTES",
    help="Thinking time for each player; 0: no clock.",
)
@click.option("--no-undo", is_flag=True, help="Play without taking back.")
@click.option("--no-confirm", is_flag=True, help="Do not ask before what cannot be taken back.")
@click.option(
    "--plain",
    is_flag=True,
    help="Questions and answers as lines: for pipes, screen readers and scripts.",
)
@tls_options
def play(
    *,
    against: tuple[str, ...],
    level: int | None,
    solo: bool,
    hard: tuple[str, ...],
    server: str | None,
    join: str | None,
    create: bool,
    resume: bool,
    seat: int | None,
    players: int | None,
    name: str,
    kind: Kind,
    minutes: float,
    no_undo: bool,
    no_confirm: bool,
    plain: bool,
    tls_ca: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
) -> int:
    """Play a game at this terminal.

    Without options, a server and a bot are started for you, and the game is stored in your data
    folder: 'ew play --resume' goes on with it. Press ? in the game for help.

    \b
    For example:
      ew play                                       against the bot heuristic
      ew play --level 3                             against a weaker one
      ew play --against random --against greedy     three at the table
      ew play --solo                                alone against the Nomad
      ew play --rivers                              with Rivers & Rafts
      ew play --server HOST:PORT --create           a game on a server, open for others
      ew play --server HOST:PORT --join GAME        take a seat in it
      ew play --resume                              go on with the last game

    Ends with status 0 when the game is over or left, with 1 when it cannot go on, with 2 for a
    wrong command line, and with 3 when the input of --plain ends before the game.
    """  # noqa: D301 # click's own mark
    from endless_winter.sdk.errors import BadAddress, SdkError  # noqa: PLC0415 # only when needed

    if server is None and (join or create):
        server = os.environ.get("EW_SERVER") or None
    _check(server, join, create=create, resume=resume, against=against)
    if hard and not solo:
        raise click.UsageError("--hard needs --solo")
    if solo and (against or join or resume or players):
        raise click.UsageError("--solo is for new games, without --against and --players")
    if level is not None and (against or solo or resume or server):
        raise click.UsageError(
            "--level is for new games on a server of your own, without --against"
        )
    if server is None and not solo and not resume:  # nobody else can come to one's own server
        against += (bot_of(level),) * ((players or max(len(against) + 1, 2)) - 1 - len(against))
    wish = Wish(
        against=against,
        join=join,
        create=create,
        resume=resume,
        players=players or max(len(against) + 1, 2),
        seat=seat,
        name=(name or login())[:40],
        kind=kind,
        minutes=minutes,
        undo=not no_undo,
        nomad=hard if solo else None,
    )
    if wish.players < len(wish.against) + 1 or len(wish.against) > 3:
        raise click.UsageError(f"{len(wish.against)} bots and you are more than the seats")
    plain = plain or no_screen()
    leave_in_order()
    try:
        while True:
            with ExitStack() as stack:
                table = table_for(stack, wish, server, credentials_of(tls_ca, tls_cert, tls_key))
                status = show(
                    table, plain=plain, confirm=not no_confirm, rematch=not (join or resume)
                )
            if status != AGAIN:
                return status
    except BadAddress as error:
        raise click.UsageError(str(error)) from error
    except SdkError as error:
        raise click.ClickException(str(error)) from error


def bot_of(level: int | None) -> str:
    """The bot that plays at a level."""
    if level is None:
        return DEFAULT_BOT
    from endless_winter.bots import LEVELS  # noqa: PLC0415 # only when needed

    return LEVELS[level - 1]


def _check(
    server: str | None, join: str | None, *, create: bool, resume: bool, against: tuple[str, ...]
) -> None:
    asked = [
        name
        for name, given in (("--join", join), ("--create", create), ("--resume", resume))
        if given
    ]
    if len(asked) > 1:
        raise click.UsageError(f"{' and '.join(asked)} do not go together")
    if server is None and (join or create):
        raise click.UsageError(f"{asked[0]} needs --server HOST:PORT, or EW_SERVER")
    if server is not None and not asked:
        raise click.UsageError("with --server say --create, --join GAME or --resume")
    if against and (join or resume):
        raise click.UsageError(f"--against is for new games, not for {asked[0]}")


def no_screen() -> bool:
    """Whether there is nothing to draw on, or nobody to look at it."""
    seen = sys.stdin.isatty() and sys.stdout.isatty()
    return not seen or os.environ.get("TERM", "") in ("", "dumb")


def leave_in_order() -> None:
    """Let a closed window or a SIGTERM end what we started too."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda got, _: sys.exit(128 + got))


def login() -> str:
    """The name that others see, where none was given."""
    return os.environ.get("USER") or os.environ.get("LOGNAME") or "player"


AGAIN = -1  # instead of an exit status: the same game once more


def show(table: Table, *, plain: bool, confirm: bool, rematch: bool = False) -> int:
    """The game on the screen or in lines; the exit status, or `AGAIN`."""
    if plain:
        from endless_winter.terminal.plain import Plain  # noqa: PLC0415 # only when needed

        ask = confirm and sys.stdin.isatty()  # a script has said what it wants
        return asyncio.run(Plain(table, sys.stdin, click.echo, confirm=ask).run())
    from endless_winter.terminal.app import TableApp  # noqa: PLC0415 # takes a quarter of a second

    app = TableApp(table, confirm=confirm, rematch=rematch)
    app.run()
    if app.farewell:
        click.echo(app.farewell)
    if app.over:
        from endless_winter.terminal.advice import review_lines  # noqa: PLC0415 # as above

        for line in review_lines(table.review()):
            click.echo(line)
    if app.again:
        return AGAIN
    return app.return_code or 0
