"""The processes of a measurement: servers, loads, and what they used."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from endless_winter.cli.process import Server, running

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

FOLDER = Path(__file__).parent
# Processes start in folders of their own, from which this package is not found.
MODULE = ("env", f"PYTHONPATH={FOLDER.parent}", sys.executable, "-m")
_LOAD = (*MODULE, "bench.load")
_HOST = (*MODULE, "bench.host")
_SERVE = (sys.executable, "-m", "endless_winter.cli", "serve", "--listen", "127.0.0.1:0")
_LONGEST = 1800.0  # seconds


@contextmanager
def product(
    folder: Path, settings: Sequence[str] = (), variables: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """`ew serve`, as anybody would run it, or with these settings, in flags or the environment."""
    with ExitStack() as stack:
        before = {name: os.environ.get(name) for name in variables or {}}
        os.environ.update(variables or {})
        try:
            server = stack.enter_context(running([*_SERVE, *settings], folder=folder))
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
        yield server


def host(folder: Path, store: str) -> AbstractContextManager[Server]:
    """The same server for measurements (host.py)."""
    return running([*_HOST, store], folder=folder, timeout=_LONGEST)


def echo_server() -> AbstractContextManager[Server]:
    return running([*_LOAD, json.dumps({"kind": "serve_echo"})])


def load(kind: str, **job: object) -> dict[str, Any]:
    """Run one job of load.py to its end."""
    done = subprocess.run(  # noqa: S603 # our own module
        [*_LOAD, json.dumps({"kind": kind, **job})],
        capture_output=True,
        text=True,
        check=False,
        timeout=_LONGEST,
    )
    if done.returncode:
        raise _failed(done.stderr)
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


@contextmanager
def holding(**job: object) -> Iterator[None]:
    """Idle streams, while the block lasts."""
    process = subprocess.Popen(  # noqa: S603 # our own module
        [*_LOAD, json.dumps({"kind": "hold", **job})],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        if process.stdout.readline().strip() != "held":
            raise _failed(process.communicate()[1])
        yield
        process.communicate("", timeout=_LONGEST)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def collect_garbage(server: Server) -> None:
    """Have a `host` collect, and wait until it has."""
    server.process.send_signal(signal.SIGUSR1)
    assert server.process.stdout is not None
    server.process.stdout.readline()


def _failed(stderr: str) -> click.ClickException:
    last = stderr.strip().splitlines()[-1:] or ["it said nothing"]
    return click.ClickException(f"the load failed: {last[0]}")
