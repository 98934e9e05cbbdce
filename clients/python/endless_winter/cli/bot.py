"""``ew bot``: bots as processes of their own."""

from __future__ import annotations

import os
import shutil
import signal
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from endless_winter.cli.tls import credentials_of, tls_options

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.sdk.bot import Bot

# The exit status of a bot that played on, but by defaults where it raised or chose wrongly.
STUMBLED = 3
USUAL_CAPACITY = 8  # seats; with one a game that nobody comes to would keep the next one waiting
GRACE = 2  # seconds that a bot has to come to an end after SIGTERM
# Plays the Nomad's seat of solo games alone, so it is not among the bots for any game.
NOMAD = "nomad"
_LATER = {
    "new": "endless_winter.cli.bot_new",
    "check": "endless_winter.cli.bot_check",
    "nomad": "endless_winter.cli.bot_nomad",
}


class _Group(click.Group):
    """Finds ``ew bot new``, ``check`` and ``nomad`` when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        found = super().list_commands(ctx)
        return [*found, *[name for name, module in _LATER.items() if find_spec(module) is not None]]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _LATER and find_spec(_LATER[cmd_name]) is not None:
            command = getattr(import_module(_LATER[cmd_name]), cmd_name)
            assert isinstance(command, click.Command)
            return command
        return super().get_command(ctx, cmd_name)


def built_in() -> dict[str, type[Bot]]:
    """The bots that come along, by name."""
    if find_spec("endless_winter.bots") is None:
        return {}
    found: dict[str, type[Bot]] = getattr(import_module("endless_winter.bots"), "BOTS", {})
    return found


def make_of(spec: str) -> Callable[[], Bot]:
    """What makes the bot of a name or file; `BotFailed` says in a line why there is none."""
    from endless_winter.sdk.loading import is_file, load  # noqa: PLC0415 # only when needed

    if is_file(spec):
        return load(spec, {})
    if spec == NOMAD:
        from endless_winter.bots import Nomad  # noqa: PLC0415

        return Nomad
    return load(spec, built_in())


def findable(spec: str) -> None:
    """Whether there is such a bot; whether it can be loaded is for its own process to say."""
    from endless_winter.sdk.errors import BotFailed  # noqa: PLC0415 # only when needed
    from endless_winter.sdk.loading import (  # noqa: PLC0415
        command_of,
        is_command,
        is_file,
        load,
        name_of,
    )

    try:
        name_of(spec)
    except BotFailed as error:
        raise click.UsageError(str(error)) from error
    if is_command(spec):
        program = command_of(spec)[0]
        if shutil.which(program) is None:
            file = Path(program)
            why = (
                "it is not executable (chmod +x)" if file.is_file() else "there is no such program"
            )
            raise click.UsageError(f"cannot start {program!r}: {why}")
        return
    if is_file(spec):
        if not Path(spec.rpartition(".py")[0] + ".py").is_file():
            raise click.UsageError(f"there is no file {spec}")
    else:
        try:
            load(spec, built_in())
        except BotFailed as error:
            raise click.UsageError(str(error)) from error


@click.group(cls=_Group)
def bot() -> None:
    """Write a bot, run one, check one, or play the Nomad."""


@bot.command()
@click.argument("spec", metavar="NAME_OR_FILE")
@click.option(
    "--server",
    metavar="HOST:PORT[,...]",
    help="The server, or several nodes.  [EW_SERVER, or 127.0.0.1:50051]",
)
@click.option("--name", help="The name to be asked for by.  [EW_BOT_NAME, or of the file]")
@click.option(
    "--capacity",
    type=click.IntRange(1, 100_000),
    help="Seats to play at the same time.  [EW_BOT_CAPACITY, or 8]",
)
@click.option("--explain", is_flag=True, help="Say each choice and why it was made.")
@click.option(
    "--explain-to",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write why each choice was made, a line of JSON each.  [EW_EXPLAIN_TO]",
)
@click.option("--quiet", is_flag=True, help="Say nothing unless there is trouble.")
@click.option(
    "--patience",
    type=click.FloatRange(min=0),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to go on without a server.",
)
@click.option("--tally", type=click.Path(path_type=Path), hidden=True)
@tls_options
def run(
    spec: str,
    *,
    server: str | None,
    name: str | None,
    capacity: int | None,
    explain: bool,
    explain_to: Path | None,
    quiet: bool,
    patience: float,
    tally: Path | None,
    tls_ca: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
) -> int:
    """Attach a bot to a server and play the seats it is offered, until Ctrl-C.

    NAME_OR_FILE is a bot that comes along (random, greedy, quick, heuristic, learned,
    search), a Python file, or FILE:NAME for one of several in it.

    EW_CLIENT_SECRET is whose seats they are: with the same secret a bot that is started again
    goes on with its games. EW_BOT_TOKEN is the right to a reserved name.

    Ends with status 0 when it is asked to leave, with 1 when the server is gone or refuses, and
    with 3 when the bot raised or chose something illegal on the way.
    """
    from endless_winter.sdk.connection import DEFAULT_ADDRESS, Endpoint  # noqa: PLC0415
    from endless_winter.sdk.errors import BadAddress, BotFailed, SdkError  # noqa: PLC0415
    from endless_winter.sdk.loading import name_of  # noqa: PLC0415
    from endless_winter.sdk.runner import Runner  # noqa: PLC0415

    environment = os.environ
    try:
        make = make_of(spec)
        endpoint = Endpoint.of(
            server or environment.get("EW_SERVER") or DEFAULT_ADDRESS,
            environment.get("EW_CLIENT_SECRET", ""),
            credentials=credentials_of(tls_ca, tls_cert, tls_key),
        )
        seats = capacity or _capacity(environment.get("EW_BOT_CAPACITY", ""))
    except (BadAddress, BotFailed) as error:
        raise click.UsageError(str(error)) from error
    runner = Runner(
        make,
        endpoint,
        name=name or environment.get("EW_BOT_NAME") or name_of(spec),
        capacity=seats,
        token=environment.get("EW_BOT_TOKEN", ""),
        explain=explain,
        keep=_kept(explain_to or environment.get("EW_EXPLAIN_TO")),
        patience=patience,
        quiet=quiet,
    )

    def leave(*_: object) -> None:
        """The bot may still read what it was sent; if it is busy, it has the grace time."""
        signal.signal(signal.SIGALRM, _leave)
        signal.alarm(GRACE)
        runner.stop()

    signal.signal(signal.SIGTERM, leave)
    try:
        try:
            runner.run()
        finally:
            signal.alarm(0)  # what follows takes no time, and the alarm must not break it off
    except SdkError as error:
        raise click.ClickException(str(error)) from error
    except (KeyboardInterrupt, _Leave):
        pass
    done = runner.tally
    if tally is not None:  # for `ew match`
        with suppress(OSError):  # it may be gone, and its folder with it
            tally.write_text(f"{done.failures}\n", encoding="ascii")
    if not quiet:
        played = f"{done.games} games, {done.choices} choices"
        click.echo(f"{played}, {done.failures} failed, {done.late} late", err=True)
    return STUMBLED if done.failures else 0


def _kept(path: Path | str | None) -> Callable[[str], None] | None:
    """Appends lines to a file; a bot that is started again goes on with it."""
    if not path:
        return None
    try:
        file = Path(path).open("a", encoding="utf-8", buffering=1)  # noqa: SIM115 # until the end
    except OSError as error:
        raise click.UsageError(f"--explain-to {path}: {error.strerror}") from error

    def keep(line: str) -> None:
        with suppress(OSError):  # a full disk must not end the game
            file.write(f"{line}\n")

    return keep


class _Leave(BaseException):
    """After SIGTERM: not an Exception, so that no bot's code catches it by accident."""


def _leave(*_: object) -> NoReturn:
    raise _Leave


def _capacity(text: str) -> int:
    if not text:
        return USUAL_CAPACITY
    if not text.isdecimal() or not 1 <= int(text) <= 100_000:
        raise click.UsageError(f"EW_BOT_CAPACITY is a number of seats from 1, not {text!r}")
    return int(text)
