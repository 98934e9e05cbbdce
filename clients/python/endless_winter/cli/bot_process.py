"""Bots as processes, attached over the network like anybody's."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from errno import ENOEXEC
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from endless_winter.sdk.connection import new_secret
from endless_winter.sdk.errors import BotFailed
from endless_winter.sdk.loading import command_of, is_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def cannot_start(command: Sequence[str], error: OSError) -> str:
    """Why a bot's program does not run, in one line."""
    hint = "; does its first line name its interpreter (#!)?" if error.errno == ENOEXEC else ""
    return f"cannot start {command[0]!r}: {error.strerror}{hint}"


class Entrant(NamedTuple):
    """A bot of a match: what was asked for, and the name it plays under."""

    spec: str
    name: str


class BotProcess:
    """A bot's process; everything it says goes to our standard error."""

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
                stdout=sys.stderr.fileno(),
                # A group of its own: Ctrl-C reaches us alone, and we end the bots in order.
                start_new_session=True,
            )
        except OSError as error:
            raise BotFailed(cannot_start(command, error)) from error

    @property
    def pid(self) -> int:
        return self._process.pid

    def status(self) -> int | None:
        """The exit status; None while it runs."""
        return self._process.poll()

    def stop(self, timeout: float = 15.0) -> int:
        """SIGTERM, and SIGKILL if that does not help; the exit status."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                return self._process.wait(timeout)
            except subprocess.TimeoutExpired:
                self._process.kill()
        return self._process.wait()

    def failures(self) -> int | None:
        """How often it raised or chose something illegal, once it has ended; None: not known."""
        try:
            return int(self._tally.read_text("ascii")) if self._tally is not None else None
        except (OSError, ValueError):  # not every bot keeps count, and some are killed
            return None


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
