"""The first game of docs/write-a-bot.md: ``ew match`` with a program in another language."""

from __future__ import annotations

import inspect
import re
import shlex
from typing import TYPE_CHECKING

from endless_winter.cli import bot, bot_process, match
from tests.foundations.tree import EW, passed, run
from tests.node.machine import BOT, needs_node
from tests.node.walkthrough import DOCUMENT

if TYPE_CHECKING:
    from pathlib import Path

SECTION = DOCUMENT.read_text(encoding="utf-8").partition("## The first game")[2].partition("\n## ")


def test_the_page_begins_with_it() -> None:
    assert SECTION[2].startswith("The two streams")
    assert 'ew match "cmd: ./bot" heuristic' in SECTION[0]


@needs_node
def test_a_bot_in_javascript_plays_a_match(tmp_path: Path) -> None:
    said = passed(run(EW, "match", f"cmd: {shlex.join(BOT)}", "random", cwd=tmp_path))
    assert said.startswith("2 games: bot against random\n")
    assert len(re.findall(r"^game \d of 2  seed \d+: .*\(.*\)$", said, re.MULTILINE)) == 2
    assert re.search(r"^bot +2 +\d", said, re.MULTILINE)


def test_what_the_page_says_that_it_says_it_says() -> None:
    code = "".join(inspect.getsource(module) for module in (bot, bot_process, match))
    rows = re.findall(r"^\| `([^`]+)` \|", SECTION[0], re.MULTILINE)
    assert len(rows) == 5
    for row in rows:
        fixed = re.split(r" '\./bot'| 60 s| 1;", row)[0]
        assert fixed in code, row
