"""The README's bot, the commands and the programs that the documents show, over the network."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from endless_winter.bots import Plain
from endless_winter.cli.process import running
from endless_winter.sdk import play_local
from endless_winter.sdk.loading import load
from tests.foundations.tree import EW, ROOT, tracked

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.sdk import BotLike

README = (ROOT / "README.md").read_text(encoding="utf-8")
SECTION = README.partition("## A bot in eight lines")[2].partition("\n## ")[0]
BOT = "".join(re.findall(r"^```python\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL))
COMMANDS = [
    command.strip()
    for name in tracked()
    if name.endswith(".md")
    for command in re.findall(
        r"^\$ (ew match .*)$", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE
    )
]


def test_the_bot_has_eight_lines_and_one_command() -> None:
    assert len(BOT.splitlines()) == 8
    assert re.findall(r"^\$ (.*)$", SECTION, re.MULTILINE) == ["ew match my_bot.py heuristic"]


def test_the_bot_beats_random_as_clearly_as_the_readme_says(tmp_path: Path) -> None:
    """The README tells of 100 games; this plays 20 others at the local table."""
    (tmp_path / "my_bot.py").write_text(BOT)
    ours = load(str(tmp_path / "my_bot.py"), {})
    random.seed(0)  # of the bot's own choices, where it likes nothing
    won = 0
    for seed in range(1000, 1010):
        for seat in (0, 1):
            seats: list[BotLike] = [ours(), Plain(seed)]
            won += play_local(seats if seat == 0 else seats[::-1], seed=seed).winner == seat
    assert won >= 18
    assert "won 100 of 100 games against `random`" in SECTION


@pytest.mark.parametrize("command", sorted(set(COMMANDS)))
def test_a_shown_match_is_played_and_reported(command: str, tmp_path: Path) -> None:
    (tmp_path / "my_bot.py").write_text(BOT)
    words = command.split()
    ran = subprocess.run(
        [str(EW), *words[1:]],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    games = max(int(words[words.index("--games") + 1]) if "--games" in words else 1, 2)
    assert len(re.findall(r"^game .* seed \d+: .*\(.*\)$", ran.stdout, re.MULTILINE)) == games
    assert re.search(rf"^my_bot +{games} +\d+", ran.stdout, re.MULTILINE)
    assert re.search(r"^(\w+ won \d+ of|nobody won:)", ran.stdout, re.MULTILINE)
    if "heuristic" in words:
        assert "heuristic won 2 of 2 games" in ran.stdout
        assert "mostly by" in ran.stdout


def test_the_client_program_of_the_sdk_page_works(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "sdk.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"^```py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    with running() as server:
        program = program.replace("127.0.0.1:50051", server.address)
        ran = subprocess.run(
            [sys.executable, "-W", "error", "-c", program],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[0] == "SEAT_NOT_FOUND"
