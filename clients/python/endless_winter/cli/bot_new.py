"""``ew bot new``: a bot to start from."""

from __future__ import annotations

import re
import sys
from importlib import resources
from pathlib import Path

import click

from endless_winter.cli.bot import NOMAD, built_in

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,31}")
_TEMPLATE = "my_bot"


@click.command()
@click.argument("name")
def new(name: str) -> None:
    """Write a bot to start from, in Python: the file NAME.py.

    It is a whole bot that plays any game and beats 'random'; its first lines say how to play it,
    check it and enter it in a tournament. A file that is there already is left alone.

    For other languages there is no file to write: docs/write-a-bot.md walks through the protocol
    with the bot of clients/node.

    \b
    For example:
      ew bot new frost                  writes frost.py
      ew match frost.py random          and plays it
    """  # noqa: D301 # click's own mark
    file = Path(name if name.endswith(".py") else f"{name}.py")
    _check(file)
    template = resources.files("endless_winter.cli").joinpath("bot_template.py")
    text = template.read_text(encoding="utf-8").replace(_TEMPLATE, file.stem)
    try:
        with file.open("x", encoding="utf-8") as new_file:
            new_file.write(text)
    except FileExistsError as error:
        raise click.UsageError(f"{file} is there already: choose another name") from error
    except OSError as error:
        raise click.ClickException(f"cannot write {file}: {error.strerror}") from error
    click.echo(f"wrote {file}; next:")
    click.echo(f"  ew match {file} random --games 20     it against chance")
    click.echo(f"  ew match {file} heuristic             it against a good one")
    click.echo(f'  ew bot check "ew bot run {file}"      what it does wrong, if anything')


def _check(file: Path) -> None:
    """A name under which the bot can be found, and that hides nothing else."""
    name = file.stem
    if not _NAME.fullmatch(name):
        raise click.UsageError(
            f"{name!r} is no name for a bot: a letter, then letters, digits and _, at most 32"
        )
    if name in built_in() or name == NOMAD:
        raise click.UsageError(f"a bot that comes along is called {name!r}: choose another name")
    if name in sys.stdlib_module_names:
        raise click.UsageError(
            f"{name}.py would hide Python's own module {name!r}: choose another name"
        )
