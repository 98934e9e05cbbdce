"""The bot in JavaScript as a process, on machines that have what it needs."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import pytest

from tests.foundations.tree import ROOT

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator, Mapping

T = TypeVar("T")

FOLDER = ROOT / "clients" / "node"
NODE = shutil.which("node")
_LACKING = (
    "LOUD: there is no node on this machine, so clients/node is NOT tested"
    if NODE is None
    else "LOUD: clients/node is not installed, so it is NOT tested; 'make test' installs it"
    if not (FOLDER / "node_modules" / ".installed").exists()
    else ""
)
needs_node = pytest.mark.skipif(bool(_LACKING), reason=_LACKING)
PATIENCE = 120.0  # seconds for what takes no time
BOT = [NODE or "node", str(FOLDER / "bot.js")]


def environment(address: str, name: str, secret: str, capacity: int = 8) -> dict[str, str]:
    """The environment of a bot process."""
    return {
        **os.environ,
        "EW_SERVER": address,
        "EW_CLIENT_SECRET": secret,
        "EW_BOT_NAME": name,
        "EW_BOT_TOKEN": "",
        "EW_BOT_CAPACITY": str(capacity),
    }


@contextmanager
def started(
    variables: Mapping[str, str], *arguments: str, command: list[str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A process that is gone when the block ends."""
    process = subprocess.Popen(
        [*(command or BOT), *arguments],
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


async def while_running(process: subprocess.Popen[str], work: Awaitable[T]) -> T:
    """What the work gives; a process that ends too early fails at once, with its last words.

    It may end by itself when the work is nearly done, with status 0.
    """
    working = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(asyncio.to_thread(process.wait))
    await asyncio.wait((working, gone), return_when=asyncio.FIRST_COMPLETED)
    if not working.done():
        await asyncio.wait((working,), timeout=0 if process.returncode else PATIENCE)
    if not working.done():
        working.cancel()
        said, _ = process.communicate()
        raise AssertionError(f"the bot ended with status {process.returncode}: {said}")
    return await working
