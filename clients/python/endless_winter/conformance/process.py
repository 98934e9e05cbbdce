"""The bot as a process of its own, with what it printed last."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_TAIL = 6  # lines
_LONGEST = 200  # characters of a line


class CannotStart(Exception):
    """The command is not one; the message is one line."""


class BotProcess:
    """One process, started by a command line in a group of its own."""

    def __init__(self, command: str, show: Callable[[str], None] | None = None) -> None:
        self.words = shlex.split(command)
        if not self.words:
            raise CannotStart("the command of the bot is empty")
        if shutil.which(self.words[0]) is None:
            raise CannotStart(f"cannot start '{self.words[0]}': there is no such program")
        self._show = show
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._tail: deque[str] = deque(maxlen=_TAIL)
        self.ended: Callable[[], None] = lambda: None

    async def start(self, environment: Mapping[str, str]) -> None:
        self._tail.clear()
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self.words,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                env={**os.environ, **environment},
                start_new_session=True,
            )
        except OSError as error:
            raise CannotStart(f"cannot start '{self.words[0]}': {error.strerror}") from error
        self._reader = asyncio.create_task(self._read(self._process))

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while True:
            try:
                line = await process.stdout.readline()
            except ValueError:  # a line longer than the buffer: what is left of it follows
                continue
            if not line:
                break
            text = line.decode(errors="replace").rstrip()[:_LONGEST]
            self._tail.append(text)
            if self._show is not None:
                self._show(text)
        await process.wait()
        self.ended()

    @property
    def status(self) -> int | None:
        """The exit status; None: it is running. A signal counts negative."""
        return None if self._process is None else self._process.returncode

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    def last_words(self) -> str:
        """The last line it printed that says something."""
        said = [line.strip() for line in self._tail if line.strip()]
        return said[-1] if said else "nothing"

    def signal(self, number: signal.Signals) -> None:
        """To the process and whatever it has started."""
        if self._process is not None and self.running:
            try:
                os.killpg(self._process.pid, number)
            except ProcessLookupError:
                return

    async def kill(self) -> None:
        self.signal(signal.SIGKILL)
        await self.wait(10)

    async def wait(self, seconds: float) -> bool:
        """Whether it has ended within a time."""
        if self._reader is None:
            return True
        done, _ = await asyncio.wait({self._reader}, timeout=seconds)
        return bool(done)
