"""``ew operator``: what the host of a server can do with seats, seals and games."""

from __future__ import annotations

import os
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from endless_winter.cli.tls import FILE, credentials_of, tls_options

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from endless_winter.sdk.operators import Operator

DEFAULT = "127.0.0.1:50051"
VARIABLE = "EW_OPERATOR_TOKEN"


@click.group()
def operator() -> None:
    """Do what the host of a server can do with seats, seals and games.

    You need an operator's token: put it into EW_OPERATOR_TOKEN, or name the server's own
    file of tokens by --token-file. A flag for it there is none, since others on the machine could
    read it. Each deed is an entry in the game's log.

    \b
    For example:
      export EW_OPERATOR_TOKEN=...
      ew operator revoke GAME 1 --note "asked to leave"
      ew operator rebind GAME 1 > invitation
      ew operator hand GAME 1 heuristic
      ew operator release GAME OTHER_GAME
      ew operator abort GAME --note "the power failed"
    """  # noqa: D301 # click's own mark


def _reaching(function: Callable[..., None]) -> Callable[..., None]:
    """The options that say where and as whom; the function gets the server instead."""

    @wraps(function)
    def reached(
        *,
        server: str,
        token_file: Path | None,
        tls_ca: Path | None,
        tls_cert: Path | None,
        tls_key: Path | None,
        **more: Any,
    ) -> None:
        from endless_winter.sdk.errors import BadAddress, SdkError  # noqa: PLC0415 # when needed
        from endless_winter.sdk.operators import Operator  # noqa: PLC0415

        token = token_of(token_file)
        if not token:
            raise click.UsageError(
                f"put an operator's token into {VARIABLE}, or name a --token-file"
            )
        credentials = credentials_of(tls_ca, tls_cert, tls_key)
        try:
            with Operator(server, token, credentials=credentials, patience=0.0) as host:
                function(host, **more)
        except BadAddress as error:
            raise click.UsageError(str(error)) from error
        except SdkError as error:
            raise click.ClickException(str(error)) from error

    where = click.option(
        "--server", metavar="HOST:PORT", default=DEFAULT, show_default=True, help="The server."
    )
    return where(token_option(tls_options(reached)))


def token_option(function: click.decorators.FC) -> click.decorators.FC:
    """``--token-file``, for every command that an operator may give."""
    return click.option(
        "--token-file",
        type=FILE,
        metavar="FILE",
        envvar="EW_OPERATOR_TOKEN_FILE",
        show_envvar=True,
        help="Take the first token of this file, one a line as for 'ew serve'; it counts before "
        f"{VARIABLE}.",
    )(function)


def token_of(file: Path | None) -> str:
    """The first of those that are given in the ways in which a server takes them; empty: none."""
    words = os.environ.get(VARIABLE, "").split(",")
    if file is not None:
        try:
            words = [line for line in file.read_text().splitlines() if line.strip()[:1] != "#"]
        except (OSError, ValueError) as error:
            raise click.ClickException(f"cannot read {file}: {_why(error)}") from error
    for word in words:
        if word.strip():
            return word.strip()
    if file is not None:
        raise click.ClickException(f"{file}: there is no token in it")
    return ""


def _why(error: OSError | ValueError) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else "it is no text"


_game = click.argument("game")
_seat = click.argument("seat", type=click.IntRange(0, 3))
_note = click.option("--note", default="", metavar="TEXT", help="Why, for the game's log.")


@operator.command()
@_game
@_seat
@click.option("--forfeit", is_flag=True, help="Play it by defaults from now on, ranked last.")
@_note
@_reaching
def revoke(host: Operator, *, game: str, seat: int, forfeit: bool, note: str) -> None:
    """Take SEAT of GAME from its holder, whose streams are cut off it at once.

    The game waits for a successor under its clock, unless the seat is forfeited.
    """
    from endless_winter.v1 import game_pb2  # noqa: PLC0415 # only when needed

    info = host.revoke(game, seat, forfeit=forfeit, note=note)
    forfeited = forfeit and info.status in (
        game_pb2.GAME_STATUS_RUNNING,
        game_pb2.GAME_STATUS_ENDED,
    )
    now = "is forfeited" if forfeited else "is taken from its holder"
    click.echo(f"{game}: seat {seat} {now}")


@operator.command()
@_game
@_seat
@_note
@_reaching
def rebind(host: Operator, *, game: str, seat: int, note: str) -> None:
    """Take SEAT of GAME from its holder and print an invitation for the next.

    The invitation stands alone on the standard output. It can be used once, also in the middle
    of a game; earlier ones are worth nothing from now on.
    """
    click.echo(host.rebind(game, seat, note=note))
    click.echo(
        f"{game}: seat {seat} waits for the holder of this invitation; with it in EW_INVITATION: "
        f"ew play --server {host.address} --join {game} --seat {seat}",
        err=True,
    )


@operator.command()
@_game
@_seat
@click.argument("bot")
@click.option("--options", default="", metavar="TEXT", help="Options for the bot.")
@_reaching
def hand(host: Operator, *, game: str, seat: int, bot: str, options: str) -> None:
    """Give SEAT of GAME to an attached bot of the name BOT.

    The bots of that name are asked one after another; if none takes it, the seat stays where it is.
    """
    host.hand(game, seat, bot, options=options)
    click.echo(f"{game}: seat {seat} is played by {bot}")


@operator.command()
@click.argument("games", nargs=-1, required=True, metavar="GAME...")
@_reaching
def release(host: Operator, *, games: tuple[str, ...]) -> None:
    """Open the seal of each GAME that was created to hold its seed back; all must have ended."""
    for info in host.release(games):
        click.echo(f"{info.game_id}: the seal is open")


@operator.command()
@_game
@_note
@_reaching
def abort(host: Operator, *, game: str, note: str) -> None:
    """End GAME without places, also one that runs."""
    host.abort(game, note)
    click.echo(f"{game}: aborted")
