"""What the tests of the terminal client share."""

from __future__ import annotations

import pytest

from tests.terminal.waiting import quiet


@pytest.fixture(autouse=True)
def _wait_by_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Textual's pilot waits until the process uses no processor time, for a second at most.

    On a busy machine that is also true of a process that waits for its turn, and then a test looks
    too early.
    """
    monkeypatch.setattr("textual.app.wait_for_idle", quiet)
    monkeypatch.setattr("textual.pilot.wait_for_idle", quiet)
