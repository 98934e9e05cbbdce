"""Processes that end with the tournament, and bots that are started again."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from endless_winter.tournament.errors import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LAUNCH: Final = Path(__file__).with_name("launch.py")
_SWEEP: Final = Path(__file__).with_name("sweep.py")
SHORTEST_PAUSE: Final = 0.25
LONGEST_PAUSE: Final = 10.0
LARGEST_FILE_MB: Final = 1024  # that a bot may write, its log included: a raving one fills no disk
_alive: Final[set[int]] = set()  # the sessions of all processes that were started and not stopped
_OURS: Final = "--- "  # what our own lines in a bot's log begin with
LAST_BYTES: Final = 4096
LAST_LINES: Final = 3
LAST_CHARACTERS: Final = 300
# Of our environment, what a program needs to run at all. Not the rest: it may hold secrets.
_PASSED_ON: Final = ("PATH", "LANG", "LC_ALL", "TMPDIR", "TZ", "PYTHONPATH", "VIRTUAL_ENV")


def environment(more: Mapping[str, str]) -> dict[str, str]:
    passed = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {**passed, "PYTHONUNBUFFERED": "1", "GRPC_VERBOSITY": "ERROR", **more}


async def start(
    command: Sequence[str],
    *,
    folder: Path,
    log: IO[bytes],
    variables: Mapping[str, str],
    memory_mb: int = 0,
    file_mb: int = 0,
    processes: int = 0,
    user: str = "",
    cores: Sequence[int] = (),
    groups: Sequence[Path] = (),
    output: int | None = None,
) -> asyncio.subprocess.Process:
    """A process in a session of its own, whose words go to `log`; `output`: its stdout."""
    numbers = map(str, (os.getpid(), memory_mb, file_mb, processes))
    limits = (*numbers, user, ",".join(map(str, cores)), ":".join(map(str, groups)))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-S", str(_LAUNCH), *limits),
        *command,
        cwd=folder,
        env=environment(variables),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=log if output is None else output,
        stderr=log,
        start_new_session=True,
    )
    _sweeper().send(f"+{process.pid}")
    _alive.add(process.pid)
    return process


async def stop(process: asyncio.subprocess.Process, seconds: float = 5.0) -> int:
    """SIGTERM to the whole session, then SIGKILL; the exit status."""
    if process.returncode is None:
        _signal(process.pid, signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), seconds)
    _signal(process.pid, signal.SIGKILL)  # also what it left behind
    _sweeper().send(f"-{process.pid}")  # its number may soon be another's
    _alive.discard(process.pid)
    return await process.wait()


def kill_all() -> None:
    """End everything that was started, at once; callers that wait for it to stop go on."""
    for session in _alive:
        _signal(session, signal.SIGKILL)


def _signal(session: int, what: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(session, what)


class _Sweeper:
    """A process that kills what is left of ours when we are gone, even by kill -9."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603 # our own
            [sys.executable, "-I", "-S", str(_SWEEP)],
            stdin=subprocess.PIPE,  # only we hold this end: it closes with us
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            bufsize=0,
            start_new_session=True,
        )
        atexit.register(self.close)

    def send(self, line: str) -> None:
        assert self._process.stdin is not None  # a pipe was asked for
        with contextlib.suppress(BrokenPipeError):  # somebody has killed it: we do without
            self._process.stdin.write(f"{line}\n".encode())

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


@cache
def _sweeper() -> _Sweeper:
    """One for all that this process starts, from the first on."""
    return _Sweeper()


def how_it_ended(status: int, *, sandboxed: bool = False) -> str:
    """In words; a death by signal in a sandbox has the status that a shell would give it."""
    if sandboxed and status > 128:
        status = 128 - status
    if status < 0:
        try:
            return f"was killed by {signal.Signals(-status).name}"
        except ValueError:
            return f"was killed by signal {-status}"
    return f"ended with status {status}"


class Keeper:
    """Keeps one bot's process running: started again after a pause, until that is no use."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        folder: Path,
        log: Path,
        variables: Mapping[str, str],
        memory_mb: int,
        user: str,
        restarts: int,
        processes: int = 0,
        cores: Sequence[int] = (),
        groups: Sequence[Path] = (),
        sandbox: Sequence[str] = (),
    ) -> None:
        """`sandbox` is the command that the bot's own is given to.

        `groups` are the folders of its control group.
        """
        self.name = name
        self.dead = ""
        """Why it is no longer started; empty: it is."""
        self.ends = 0
        self._command = command
        self._folder = folder
        self._log = log
        self._variables = variables
        self._memory_mb = memory_mb
        self._user = user
        self._restarts = restarts
        self._processes = processes
        self._cores = cores
        self._groups = groups
        self._sandbox = sandbox
        self._wanted = True
        self._useless = 0  # starts in a row after which no game was played
        self._came = False  # whether it has ever attached
        self._task: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int:
        """The process that was started last, which may have ended; 0: there is none."""
        return self._process.pid if self._process is not None else 0

    def begin(self) -> None:
        self._task = asyncio.create_task(self._run(), name=f"keeper of {self.name}")

    def attached(self) -> None:
        """It can start: if it ends, something else is the matter."""
        self._came = True

    def played(self) -> None:
        """A game was played to its end: the process is of use."""
        self._useless = 0
        self._came = True

    def let_go(self) -> None:
        """Whether the process ends no longer matters: there will be nothing to play."""
        self._wanted = False

    async def _run(self) -> None:
        with self._log.open("ab", buffering=0) as log:
            while True:
                _say(log, f"started: {' '.join(self._command)}")
                process = await start(
                    [*self._sandbox, *self._command],
                    folder=self._folder,
                    log=log,
                    variables=self._variables,
                    memory_mb=self._memory_mb,
                    file_mb=LARGEST_FILE_MB,
                    processes=self._processes,
                    user=self._user,
                    cores=self._cores,
                    groups=self._groups,
                )
                self._process = process
                how = how_it_ended(await process.wait(), sandboxed=bool(self._sandbox))
                await stop(process)
                self.ends += 1
                self._useless += 1
                _say(log, how)
                if not self._wanted:
                    return
                if self._useless > (self._restarts if self._came else min(self._restarts, 1)):
                    before = "having played a game" if self._came else "having attached"
                    often = "once" if self._useless == 1 else f"{self._useless} times"
                    self.dead = f"{how}, {often} without {before}{_last_words(self._log)}"
                    _say(log, "not started again")
                    return
                pause = min(SHORTEST_PAUSE * 2 ** (self._useless - 1), LONGEST_PAUSE)
                await asyncio.sleep(pause)

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        if self._process is not None:
            await stop(self._process)


def _say(log: IO[bytes], text: str) -> None:
    now = time.strftime("%H:%M:%S", time.gmtime())
    log.write(f"{_OURS}{now} {text}\n".encode())


def _last_words(path: Path) -> str:
    """The last different lines that a bot wrote: why it ended."""
    with path.open("rb") as log:
        log.seek(max(path.stat().st_size - LAST_BYTES, 0))
        lines = log.read().decode("utf-8", "replace").splitlines()
    said = [line.strip() for line in lines if line.strip() and not line.startswith(_OURS)]
    # A bot that is started again fails in the same words, which are said once.
    different = list(dict.fromkeys(reversed(said)))[:LAST_LINES]
    last = one_line(" / ".join(reversed(different)))
    return f"; it said last: {last[-LAST_CHARACTERS:]}" if last else "; it said nothing"
