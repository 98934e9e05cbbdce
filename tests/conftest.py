"""What all tests share."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.store.database import Databases

# As in the command itself: grpc's own log lines are not what a test looks at.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")


@pytest.fixture(autouse=True)
def _no_leftover_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The switches of a developer, or of the make that runs us, do not reach what we start."""
    for name in ("EW_MYPYC", "MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MYPYPATH", "PYTHON", "VENV"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def databases() -> Iterator[Databases]:
    """One PostgreSQL for all tests of this process; it starts when the first one asks for it."""
    from tests.store.database import Databases  # starts nothing, but takes a while

    found = Databases.open()
    yield found
    found.close()


@pytest.fixture
def database(databases: Databases) -> Iterator[str]:
    """The connection string of an empty store in PostgreSQL."""
    url = databases.new()
    yield url
    databases.drop(url)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Each reason to skip tests, with their number; in red what should have been tested here."""
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.getreports("skipped")
        if isinstance(report.longrepr, tuple)
    )
    for reason, number in sorted(reasons.items()):
        text = f"skipped {number} test{'s' if number > 1 else ''}: {reason.removeprefix('LOUD: ')}"
        terminalreporter.write_line(text, red="LOUD: " in reason)
