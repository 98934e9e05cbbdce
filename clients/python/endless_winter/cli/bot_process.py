"""Bots as processes, attached over the network like anybody's."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from errno import ENOEXEC
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Final, NamedTuple

from endless_winter.sdk.connection import new_secret
from endless_winter.sdk.errors import BotFailed
from endless_winter.sdk.loading import command_of, is_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


DRAIN_SECONDS: Final = 2.0  # what a bot leaves behind may keep its output open for ever


def cannot_start(command: Sequence[str], error: OSError) -> str:
    """Why a bot's program does not run, in one line."""
    hint = "; does its first line name its interpreter (#!)?" if error.errno == ENOEXEC else ""
    return f"cannot start {command[0]!r}: {error.strerror}{hint}"


class Entrant(NamedTuple):
    """A bot of a match: what was asked for, and the name it plays under."""

    spec: str
    name: str


class BotProcess:
    """A bot's process; everything it says goes to our standard error, with its name."""

    def __init__(
        self,
        entrant: Entrant,
        server: str,
        *,
        capacity: int,
        flags: Sequence[str] = (),
        tally: Path | None = None,
    ) -> None:
        """`flags` are for bots that ``ew bot run`` plays; other programs get the variables.

        So is `tally`, the file in which it counts what went wrong.
        """
        self.entrant = entrant
        self._tally = tally
        if is_command(entrant.spec):
            command = command_of(entrant.spec)
        else:
            ew = [sys.executable, "-m", "endless_winter.cli"]
            command = [*ew, "bot", "run", entrant.spec, "--quiet", *flags]
            if tally is not None:
                command += ["--tally", str(tally)]
        environment = {
            **os.environ,
            "EW_SERVER": server,
            "EW_CLIENT_SECRET": new_secret(),
            "EW_BOT_NAME": entrant.name,
            "EW_BOT_TOKEN": os.environ.get("EW_BOT_TOKEN", ""),
            "EW_BOT_CAPACITY": str(capacity),
        }
        try:
            self._process = subprocess.Popen(  # noqa: S603 # what the user asked for
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                # A group of its own: Ctrl-C reaches us alone, and we end the bots in order.
                start_new_session=True,
            )
        except OSError as error:
            raise BotFailed(cannot_start(command, error)) from error
        assert self._process.stdout is not None  # a pipe was asked for
        self._echo = threading.Thread(
            target=_echo, args=(self._process.stdout, f"{entrant.name}: "), daemon=True
        )
        self._echo.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def status(self) -> int | None:
        """The exit status; None while it runs. What it said last is shown by then."""
        status = self._process.poll()
        if status is not None:
            self._echo.join(DRAIN_SECONDS)
        return status

    def stop(self, timeout: float = 15.0) -> int:
        """SIGTERM, and SIGKILL if that does not help; the exit status."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(timeout)
            except subprocess.TimeoutExpired:
                self._process.kill()
        status = self._process.wait()
        self._echo.join(DRAIN_SECONDS)
        return status

    def failures(self) -> int | None:
        """How often it raised or chose something illegal, once it has ended; None: not known."""
        try:
            return int(self._tally.read_text("ascii")) if self._tally is not None else None
        except (OSError, ValueError):  # not every bot keeps count, and some are killed
            return None


def _echo(said: IO[bytes], name: str) -> None:
    """Show each line of a bot with its name; the SDK's own lines carry it already."""
    with said:
        for line in said:
            text = line.decode("utf-8", "replace").rstrip("\n")
            prefix = "" if text.startswith(name) else name
            print(f"{prefix}{text}", file=sys.stderr, flush=True)


@contextmanager
def playing(
    entrants: Sequence[Entrant], server: str, *, capacity: int, flags: Sequence[str] = ()
) -> Iterator[list[BotProcess]]:
    """One process per bot; none is left when the block ends."""
    started: list[BotProcess] = []
    with TemporaryDirectory(prefix="ew-match-") as folder:
        try:
            for entrant in entrants:  # each one that was started must be stopped
                tally = Path(folder, entrant.name)
                bot = BotProcess(entrant, server, capacity=capacity, flags=flags, tally=tally)
                started.append(bot)
            yield started
        finally:
            for bot in started:
                bot.stop()
