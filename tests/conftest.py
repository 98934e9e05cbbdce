"""What all tests share."""

from __future__ import annotations

import os

import pytest

# As in the command itself: grpc's own log lines are not what a test looks at.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")


@pytest.fixture(autouse=True)
def _no_leftover_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The switches of a developer, or of the make that runs us, do not reach what we start."""
    for name in ("EW_MYPYC", "MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MYPYPATH", "PYTHON", "VENV"):
        monkeypatch.delenv(name, raising=False)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What could not be tested and should have been is said where nobody overlooks it."""
    reasons = {
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.getreports("skipped")
        if isinstance(report.longrepr, tuple) and "LOUD: " in report.longrepr[2]
    }
    for reason in sorted(reasons):
        terminalreporter.write_line(f"SKIPPED: {reason.removeprefix('LOUD: ')}", red=True)
