"""The way of one choice through the server stays short enough to be read in one sitting."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from endless_winter.engine import engine

ROOT = Path(__file__).parents[2]
TOOL = ROOT / "tests" / "tools" / "way_of_a_choice.py"
MOST_FILES = 25


@pytest.mark.skipif(not engine.__file__.endswith(".py"), reason="counts calls of pure Python")
def test_a_choice_passes_few_files_of_the_server() -> None:
    """Views are left out: which of them take part is a matter of what the position shows."""
    done = subprocess.run(
        [sys.executable, TOOL, "--files"], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    found = dict(re.findall(r"^(.+): \d+ calls in (\d+) files$", done.stdout, re.MULTILINE))
    assert int(found["one choice"]) > int(found["outside rules/"])
    assert int(found["outside rules/ and views/"]) <= MOST_FILES, done.stdout
