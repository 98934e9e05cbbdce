"""``ew`` itself: finds sub-commands when they are called, and reports errors in one line."""

from __future__ import annotations

import os
import sys
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import NamedTuple, NoReturn

import click

# Before anything imports grpc: its own log lines would stand beside ours.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")


class Lazy(NamedTuple):
    """A sub-command that is imported only when it is used."""

    module: str
    help: str


COMMANDS = {
    "play": Lazy("endless_winter.cli.play", "Play a game at this terminal."),
    "watch": Lazy("endless_winter.cli.watch", "Watch a game, or step through one that is over."),
    "match": Lazy("endless_winter.cli.match", "Play bots against each other and say who won."),
    "ladder": Lazy("endless_winter.cli.ladder", "Measure how strong the bots are."),
    "bot": Lazy("endless_winter.cli.bot", "Write a bot, run one, or check one."),
    "serve": Lazy("endless_winter.cli.serve", "Run a server."),
    "game": Lazy("endless_winter.cli.game", "Create, find and join games on a server."),
    "health": Lazy("endless_winter.cli.health", "Ask a server whether it is ready."),
    "operator": Lazy(
        "endless_winter.cli.operator", "Take or give seats and open seals, as a server's host."
    ),
    "tournament": Lazy(
        "endless_winter.cli.tournament", "Run a tournament of bots, or go on with it."
    ),
    "catalog": Lazy("endless_winter.cli.catalog", "Show or check a content pack."),
    "contract": Lazy("endless_winter.cli.contract", "Find the proto files, for other languages."),
    "store": Lazy("endless_winter.cli.store", "Back up, prune or check a server's games."),
    "replay": Lazy("endless_winter.cli.replay", "Show, check or export a played game."),
}


class LazyGroup(click.Group):
    """Lists the commands without importing them, so that help is quick and always works."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which a newcomer needs them."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module; a missing optional package is named in one line."""
        lazy = COMMANDS.get(cmd_name)
        if lazy is None:
            if cmd_name.startswith("-"):
                return None  # click itself knows better what to say about an option
            raise click.NoSuchCommand(cmd_name, possibilities=COMMANDS, ctx=ctx)
        try:
            command = getattr(import_module(lazy.module), cmd_name)
        except ModuleNotFoundError as error:
            raise click.ClickException(
                f"'{cmd_name}' needs the Python module '{error.name}', which is not installed"
            ) from error
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands from the table above."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, lazy.help) for name, lazy in COMMANDS.items()])


def version_text() -> str:
    """The version, and whether the rules core is compiled (``EW_MYPYC=1`` at build time)."""
    spec = find_spec("endless_winter.rules")
    compiled = spec is not None and spec.origin is not None and not spec.origin.endswith(".py")
    core = "compiled" if compiled else "pure Python"
    return f"ew {metadata.version('endless-winter')} (rules core: {core})"


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:  # noqa: FBT001 # click's callback
    del param
    if value:
        click.echo(version_text())
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Show the version and how the rules core runs.",
)
def ew() -> None:
    """Endless Winter as a hosted engine (unofficial).

    A server runs the rules; people and bots connect to it over the network.

    \b
    Start here:
      ew play                           play at this terminal, against a bot
      ew match my_bot.py heuristic      bots against each other, and who won
      ew tournament                     a small tournament of the bots that come along
      ew serve                          run a server on this machine
      ew health 127.0.0.1:50051         is it ready?
      ew game create                    a game there, for you and others
      ew catalog culture                the cards, and how sure we are of them
      ew COMMAND --help                 what a command does and takes
    """  # noqa: D301 # click's own mark, a real backspace: keep the next lines as they are


def main() -> NoReturn:
    """Run ``ew``. A mistake of the user's costs one line and status 2, a failure status 1."""
    try:
        status = ew.main(prog_name="ew", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)  # no command at all: the help is the answer
        sys.exit(error.exit_code)
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "ew"
        message = error.format_message()
        stop = "" if message.endswith((".", "?", "?)")) else "."
        click.echo(f"{path}: {message}{stop} See '{path} --help'.", err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        click.echo(f"ew: {error.format_message()}", err=True)
        sys.exit(error.exit_code)
    except click.Abort:
        click.echo("ew: interrupted", err=True)
        sys.exit(130)
    sys.exit(status if isinstance(status, int) else 0)
