"""``ew bot check``: what a bot, in any language, does wrong."""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Self

import click
import grpc

from endless_winter.cli.bot import built_in
from endless_winter.cli.process import COMMAND, Server, ServerFailed, running
from endless_winter.conformance import (
    CHECKS,
    NAMES,
    BotProcess,
    CannotStart,
    Outcome,
    Settings,
    run_checks,
)
from endless_winter.sdk.loading import is_file

if TYPE_CHECKING:
    from types import TracebackType

_WIDTH = 20  # of the longest name of a check
_DEFAULT = Settings()
_GRACE_S = 2  # how long the server that is drained waits for streams


class LocalHost:
    """A server process on this machine; its games outlive it as long as we do."""

    def __init__(self) -> None:
        self.operator_token = secrets.token_hex(24)  # it is an argument of a command
        self._all = ExitStack()
        self._folder: Path | None = None
        self._one = ExitStack()
        self._server: Server | None = None

    def __enter__(self) -> Self:
        self._folder = Path(self._all.enter_context(TemporaryDirectory(prefix="ew-bot-check-")))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._one.close()
        self._all.close()

    def start(self) -> str:
        """Start the server on the games that are there; its log goes to a file beside them."""
        flags = ("--grace", str(_GRACE_S), "--synchronous", "off")
        token = ("--operator-token", self.operator_token)
        command = ("sh", "-c", 'exec "$@" 2>>serve.log', "sh", *COMMAND, *flags, *token)
        self._one = ExitStack()
        self._server = self._one.enter_context(running(command, folder=self._folder))
        return self._server.address

    def kill(self) -> None:
        """End it as a crash would."""
        self._one.close()

    def stop(self) -> None:
        """Drain it."""
        if self._server is not None:
            self._server.stop()
        self._one.close()


@click.command(
    "check",
    epilog="Exit status: 0, every check passed; 1, some failed; 2, the command cannot be used.",
)
@click.argument("command", required=False, metavar="CMD")
@click.option(
    "--only",
    "names",
    multiple=True,
    type=click.Choice(NAMES),
    metavar="NAME",
    help="Run this situation alone; may be given several times.",
)
@click.option("--list", "list_them", is_flag=True, help="Print the checks and run nothing.")
@click.option(
    "--limit",
    type=click.FloatRange(min=0.1),
    default=_DEFAULT.limit,
    show_default=True,
    metavar="SECONDS",
    help="The time for one choice.",
)
@click.option(
    "--start",
    type=click.FloatRange(min=0.1),
    default=_DEFAULT.start,
    show_default=True,
    metavar="SECONDS",
    help="The time until the bot has attached.",
)
@click.option(
    "--patience",
    type=click.FloatRange(min=0.1),
    default=_DEFAULT.patience,
    show_default=True,
    metavar="SECONDS",
    help="The time until it is back after a cut or a restart.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
@click.option("--show", is_flag=True, help="Print what the bot prints, to standard error.")
def check(
    command: str | None,
    *,
    names: tuple[str, ...],
    list_them: bool,
    limit: float,
    start: float,
    patience: float,
    as_json: bool,
    show: bool,
) -> None:
    """Put a bot of any language through late, duplicate, stale and illegal answers, cuts and
    restarts, and print what it does wrong.

    CMD is the command line that starts the bot, quoted. It gets EW_SERVER, EW_CLIENT_SECRET,
    EW_BOT_NAME, EW_BOT_TOKEN and EW_BOT_CAPACITY, and must attach to the arena.

    \b
    Examples:
      ew bot check "node clients/node/bot.js"
      ew bot check --only cut --only restart --show "python my_bot.py"
    """  # noqa: D301 # click's own mark, a real backspace: keep the next lines as they are
    if list_them:
        click.echo("\n".join(f"{one.name:{_WIDTH}}  {one.about}" for one in CHECKS))
        return
    if command is None:
        raise click.UsageError("Missing argument 'CMD': the command line that starts the bot")
    settings = Settings(limit=limit, start=start, patience=patience)
    try:
        bot = BotProcess(command, _show if show else None)
        with LocalHost() as host:
            report = _print_nothing if as_json else _print
            outcomes = asyncio.run(run_checks(bot, host, settings, frozenset(names), report))
    except (CannotStart, ValueError) as error:  # ValueError: quotes that do not match
        raise click.UsageError(f"{error}{_hint(command)}") from error
    except (ServerFailed, grpc.RpcError) as error:
        said = error.details() if isinstance(error, grpc.aio.AioRpcError) else str(error)
        raise click.ClickException(f"the checker's own server failed: {said}") from error
    failed = sum(outcome.status == "fail" for outcome in outcomes)
    if as_json:
        click.echo(json.dumps(_document(command, outcomes), indent=2))
    else:
        passed = sum(outcome.status == "pass" for outcome in outcomes)
        skipped = len(outcomes) - passed - failed
        click.echo(f"{passed} passed, {failed} failed, {skipped} skipped: {command}")
    sys.exit(1 if failed else 0)


def _hint(command: str) -> str:
    """For who gives a bot as to ``ew match``: it has to be started by something."""
    spec = command.strip()
    if is_file(spec) or spec.partition(":")[0] in built_in():
        return f'; to start a bot of the SDK write ew bot check "ew bot run {spec}"'
    return ""


def _show(line: str) -> None:
    click.echo(f"  bot| {line}", err=True)


def _print_nothing(outcome: Outcome) -> None:
    del outcome


def _print(outcome: Outcome) -> None:
    found = outcome.check
    if outcome.status == "skip" and not outcome.seconds:
        return  # never begun: the last line counts them, the check before them says why
    mark = "FAIL" if outcome.status == "fail" else outcome.status
    click.echo(f"{mark:4}  {found.name:{_WIDTH}}  {found.about}")
    if outcome.why:
        click.echo(f"{'':{_WIDTH + 8}}{'why: ' if outcome.status == 'fail' else ''}{outcome.why}")
    if outcome.status == "fail":
        click.echo(f"{'':{_WIDTH + 8}}what to do: {found.advice}")


def _document(command: str, outcomes: list[Outcome]) -> dict[str, Any]:
    return {
        "command": command,
        "passed": all(outcome.status != "fail" for outcome in outcomes),
        "checks": [
            {
                "name": outcome.check.name,
                "status": outcome.status,
                "about": outcome.check.about,
                "why": outcome.why,
                "advice": outcome.check.advice if outcome.status == "fail" else "",
                "seconds": round(outcome.seconds, 3),
            }
            for outcome in outcomes
        ],
    }
