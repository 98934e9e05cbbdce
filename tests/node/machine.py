"""The bot in JavaScript as a process, on machines that have what it needs."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.foundations.tree import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FOLDER = ROOT / "clients" / "node"
NODE = shutil.which("node")
_LACKING = (
    "SKIPPED: there is no node on this machine, so clients/node is NOT tested"
    if NODE is None
    else "SKIPPED: clients/node is not installed, so it is NOT tested; 'make test' installs it"
    if not (FOLDER / "node_modules" / ".installed").exists()
    else ""
)
needs_node = pytest.mark.skipif(bool(_LACKING), reason=_LACKING)
BOT = [NODE or "node", str(FOLDER / "bot.js")]


def environment(address: str, name: str, secret: str, capacity: int = 8) -> dict[str, str]:
    """What a bot process is told."""
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
