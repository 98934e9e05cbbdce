"""A server and bots of our own, for a person who just wants to play."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING

from endless_winter.cli.bot_process import cannot_start
from endless_winter.cli.process import COMMAND, ServerFailed, running
from endless_winter.sdk.loading import command_of, is_command, name_of
from endless_winter.terminal.profile import ProfileError, cannot_use, make

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from endless_winter.sdk.client import Client

SERVER = (*COMMAND, "--log-level", "warning")
LOG = "play.log"
ANY_PORT = COMMAND[-1]
_LOOK = 0.05  # seconds between looks
_PAUSE = 0.2  # seconds
_RETRIES = (0, 1, 2, 4, 8)  # seconds before attempts to start a server again


class TableFailed(Exception):
    """The server or a bot could not be started; the message is one line."""


class OwnServer:
    """A server whose games are stored in a folder; if its process ends, it is started again.

    The port stays the same, so that the bots and the player find it again by themselves.
    """

    def __init__(self, folder: Path, log: IO[str]) -> None:
        self.folder = folder
        self.store = folder / "endless-winter.db"  # the server's own choice
        self._log = log
        self._process = ExitStack()
        self._server = self._process.enter_context(running(SERVER, folder=folder, errors=log))
        self.address = self._server.address
        self._ended = ""  # what happened to it; empty: it has always run
        self._given_up = ""
        self._leaving = threading.Event()
        self._guard = threading.Thread(target=self._watch_over, daemon=True)
        self._guard.start()

    def ended(self) -> str:
        """What happened to the process since this was asked last, in one line."""
        said, self._ended = self._ended, ""
        return said

    def given_up(self) -> str:
        """Why it cannot be started again; empty: it runs, or will soon."""
        return self._given_up

    def _watch_over(self) -> None:
        while True:
            status = self._server.process.wait()
            self._ended = f"Your own server has ended (status {status}); it is started again"
            # Ctrl-C reaches the server too: a short wait shows whether we are leaving ourselves.
            if self._leaving.wait(_PAUSE):
                return
            why = self._start_again()
            if why:
                self._given_up = (
                    f"Your own server has ended (status {status}) and cannot be started again "
                    f"({why}); see {self._log.name}. The game is stored: 'ew play --resume'"
                )
            if why is not None:
                return

    def _start_again(self) -> str | None:
        """Why that is not possible; None: it runs, empty: we are leaving."""
        command = [self.address if word == ANY_PORT else word for word in SERVER]
        why = ""
        for wait in _RETRIES:
            if self._leaving.wait(wait):
                return ""
            self._process.close()
            try:
                self._server = self._process.enter_context(
                    running(command, folder=self.folder, errors=self._log)
                )
            except (ServerFailed, OSError) as error:
                why = str(error)
            else:
                return "" if self._leaving.is_set() else None
        return why

    def stop(self) -> None:
        self._leaving.set()
        if self._server.process.poll() is None:
            with suppress(ServerFailed):
                self._server.stop(5)
        self._guard.join()
        with suppress(ServerFailed):  # one that was being started just now
            if self._server.process.poll() is None:
                self._server.stop(5)
        self._process.close()


@contextmanager
def own_server(wanted: Path) -> Iterator[tuple[OwnServer, Path | None]]:
    """A server whose games are stored in the folder, and the folder.

    If another one of ours runs there, the games are stored nowhere, and the folder is None.
    """
    folder: Path | None = wanted
    with ExitStack() as stack:
        try:
            make(wanted)
            log = stack.enter_context((wanted / LOG).open("a"))
        except OSError as error:
            raise TableFailed(cannot_use(wanted, error)) from error
        except ProfileError as error:
            raise TableFailed(str(error)) from error
        try:
            server = OwnServer(wanted, log)
        except ServerFailed:
            elsewhere = Path(stack.enter_context(TemporaryDirectory(prefix="ew-play-")))
            try:
                server = OwnServer(elsewhere, log)
            except ServerFailed as error:
                raise TableFailed(f"{error}; see {wanted / LOG}") from error
            folder = None
        stack.callback(server.stop)
        yield server, folder


class OwnBots:
    """Bots as processes, attached over the network like anybody's; they write to our log."""

    def __init__(
        self, specs: Sequence[str], server: str, secret: Callable[[str], str], log: IO[str]
    ) -> None:
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._log = log
        for spec in dict.fromkeys(specs):
            name = name_of(spec)
            environment = {
                **os.environ,
                "EW_SERVER": server,
                "EW_CLIENT_SECRET": secret(name),
                "EW_BOT_NAME": name,
                "EW_BOT_CAPACITY": "8",
            }
            self._processes[name] = _started(spec, environment, log)

    def wait(self, client: Client, limit: float = 60.0) -> None:
        """Until every bot waits for games."""
        until = time.monotonic() + limit
        while True:
            if trouble := self.trouble():
                raise TableFailed(f"{trouble}; see {self._log.name}")
            known = {bot.name for bot in client.bots()}
            missing = [name for name in self._processes if name not in known]
            if not missing:
                return
            if time.monotonic() > until:
                raise TableFailed(
                    f"the bot {missing[0]} did not attach within {limit:g} s; see {self._log.name}"
                )
            time.sleep(_LOOK)

    def trouble(self) -> str:
        """A bot that is gone, in one line; empty: all are there."""
        for name, process in self._processes.items():
            status = process.poll()
            if status is not None:
                return f"The bot {name} has ended (status {status})"
        return ""

    def stop(self) -> None:
        for process in self._processes.values():
            process.terminate()
        for process in self._processes.values():
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def own_bots(
    specs: Sequence[str], server: str, secret: Callable[[str], str], log: Path
) -> Iterator[OwnBots]:
    """One process for each kind of bot; none is left when the block ends."""
    with log.open("a") as file:
        bots = OwnBots(specs, server, secret, file)
        try:
            yield bots
        finally:
            bots.stop()


def _started(spec: str, environment: Mapping[str, str], log: IO[str]) -> subprocess.Popen[bytes]:
    if is_command(spec):
        command = command_of(spec)
    else:
        command = [sys.executable, "-m", "endless_winter.cli", "bot", "run", spec, "--quiet"]
    try:
        return subprocess.Popen(  # noqa: S603 # what the user asked for
            command,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    except OSError as error:
        raise TableFailed(cannot_start(command, error)) from error
