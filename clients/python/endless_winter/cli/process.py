"""A server of our own in another process."""

from __future__ import annotations

import re
import selectors
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

COMMAND = (sys.executable, "-m", "endless_winter.cli", "serve", "--listen", "127.0.0.1:0")
READY = re.compile(r"listening on (\S+)$")


class ServerFailed(Exception):
    """The process did not start or did not stop as it should; the message is one line."""


class Server:
    """A running server process and the address it printed."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self.process = process
        self.address = address

    def stop(self, timeout: float = 60.0) -> int:
        """Send SIGTERM, wait until the server has drained, and return its exit status."""
        self.process.terminate()
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired as error:
            raise ServerFailed(f"the server did not stop within {timeout:g} s") from error


@contextmanager
def running(
    command: Sequence[str] = COMMAND,
    *,
    timeout: float = 120.0,
    folder: Path | None = None,
    errors: IO[str] | None = None,
) -> Iterator[Server]:
    """A server on a free port; it is gone when the block ends, whatever happened in it.

    It runs in ``folder``, where its games are stored; without one, in a folder of its own that is
    gone afterwards. What it logs goes to ``errors``; without it, to our standard error.
    """
    with ExitStack() as stack:
        if folder is None:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="ew-serve-")))
        with _running(command, timeout, folder, errors) as server:
            yield server


@contextmanager
def _running(
    command: Sequence[str], timeout: float, folder: Path, errors: IO[str] | None
) -> Iterator[Server]:
    process = subprocess.Popen(  # noqa: S603 # our own
        command, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=folder
    )
    assert process.stdout is not None  # a pipe was asked for
    try:
        line = _first_line(process.stdout, timeout)
        match = READY.search(line)
        if match is None:
            raise ServerFailed(f"the server did not say where it listens but: {line or 'nothing'}")
        yield Server(process, match[1])
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()


def _first_line(stream: IO[str], timeout: float) -> str:
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        return stream.readline().rstrip("\n") if selector.select(timeout) else ""
