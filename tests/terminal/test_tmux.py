"""The real thing in a real terminal: `ew play` inside tmux."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

TMUX = shutil.which("tmux")
pytestmark = pytest.mark.skipif(TMUX is None, reason="there is no tmux")
PATIENCE = 120.0


class Terminal:
    """A tmux of our own, with its own socket."""

    def __init__(self, folder: Path) -> None:
        self._socket = str(folder / "socket")
        self._environment = {
            **os.environ,
            "EW_HOME": str(folder / "home"),
            "TERM": "xterm-256color",
        }
        # A test runner's own words about its terminal are not about ours.
        for name in ("TMUX", "COLUMNS", "LINES"):
            self._environment.pop(name, None)

    def tmux(self, *words: str) -> str:
        done = subprocess.run(
            [str(TMUX), "-f", os.devnull, "-S", self._socket, *words],
            env=self._environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def start(self, *command: str, width: int = 100, height: int = 32) -> None:
        size = ("-x", str(width), "-y", str(height))
        self.tmux("new-session", "-d", *size, *command)

    def screen(self) -> str:
        return self.tmux("capture-pane", "-p")

    def press(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def until(self, what: Callable[[str], bool]) -> str:
        """What is on the screen as soon as it is as expected."""
        end = time.monotonic() + PATIENCE
        while not what(seen := self.screen()):
            assert time.monotonic() < end, f"not seen within {PATIENCE:g} s:\n{seen}"
            time.sleep(0.05)  # a terminal tells nobody when it has changed
        return seen


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    found = Terminal(tmp_path)
    yield found
    subprocess.run(
        [str(TMUX), "-S", str(tmp_path / "socket"), "kill-server"], capture_output=True, check=False
    )


def test_a_game_is_begun_played_resized_left_and_gone_on_with(terminal: Terminal) -> None:
    ew = f"{sys.executable} -m endless_winter.cli play"
    stay = "; echo status $?; exec cat"
    terminal.start("sh", "-c", f"{ew} --against random{stay}")
    terminal.until(lambda seen: "Which side of your Chief?" in seen)
    terminal.press("2")
    terminal.until(lambda seen: "Enter: yes" in seen)
    terminal.press("Enter")
    seen = terminal.until(lambda seen: "Play a Culture card" in seen)
    assert "Hunting Grounds" not in seen
    terminal.press("s")
    terminal.until(lambda seen: "Hunting Grounds" in seen)
    terminal.press("?")
    terminal.until(lambda seen: "Esc closes this page" in seen)
    terminal.press("Escape")
    terminal.until(lambda seen: "Esc closes this page" not in seen)
    terminal.tmux("resize-window", "-x", "80", "-y", "24")
    terminal.until(lambda seen: "too small" in seen)
    terminal.tmux("resize-window", "-x", "130", "-y", "40")
    terminal.until(lambda seen: "Play a Culture card" in seen)
    terminal.press("Down", "Down")
    terminal.press("Enter")
    terminal.until(lambda seen: "What next in this turn?" in seen and "A●" in seen)
    terminal.press("q")
    seen = terminal.until(lambda seen: "status 0" in seen)
    assert "The game waits." in seen
    assert "Traceback" not in seen
    terminal.tmux("respawn-pane", "-k", "sh", "-c", f"{ew} --resume{stay}")
    terminal.until(lambda seen: "What next in this turn?" in seen and "A●" in seen)
    terminal.press("C-q")
    terminal.until(lambda seen: "status 0" in seen)
