"""``ew bot new``: the bot that it writes is a good one to start from."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from endless_winter.bots import Plain
from endless_winter.cli.bot import bot
from endless_winter.sdk import play_local
from endless_winter.sdk.loading import load
from tests.foundations.tree import EW, passed, run

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.sdk import BotLike


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(folder: Path, name: str = "frost") -> str:
    result = CliRunner().invoke(bot, ["new", name])
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0] == f"wrote {name}.py; next:"
    return (folder / f"{name}.py").read_text(encoding="utf-8")


def test_it_beats_random(folder: Path) -> None:
    """At the local table, seats in turn; 100 of 100 games when it was written."""
    written(folder)
    make = load("frost.py", {})
    won = 0
    for seed in range(2000, 2010):
        for seat in (0, 1):
            seats: list[BotLike] = [make(), Plain(seed)]
            won += play_local(seats if seat == 0 else seats[::-1], seed=seed).winner == seat
    assert won >= 18


def test_it_passes_what_a_server_expects_of_a_bot(folder: Path) -> None:
    """One of the checks, for the time; `make soak` runs all."""
    written(folder)
    only = ("--only", "takes-seat")
    said = passed(run(EW, "bot", "check", *only, f"{EW} bot run frost.py", cwd=folder))
    assert " 0 failed, " in said.splitlines()[-1]


@pytest.mark.soak
def test_it_passes_every_check(folder: Path) -> None:
    written(folder)
    said = passed(run(EW, "bot", "check", f"{EW} bot run frost.py", cwd=folder))
    assert " 0 failed, " in said.splitlines()[-1]


def test_its_text_is_about_itself(folder: Path) -> None:
    text = written(folder)
    assert "my_bot" not in text
    assert "ew match frost.py random" in text
    assert 'ew bot check "ew bot run frost.py"' in text
    lines = text.partition("ew tournament cup.toml\n")[2].partition("\nLet it wait")[0]
    spec = tomllib.loads("\n".join(line.strip() for line in lines.splitlines()))
    assert [entrant["name"] for entrant in spec["entrant"]] == ["frost", "heuristic"]
    assert spec["entrant"][0]["bot"] == "frost.py"


def test_it_never_writes_over_a_file(folder: Path) -> None:
    (folder / "frost.py").write_text("mine\n")
    result = CliRunner().invoke(bot, ["new", "frost"])
    assert result.exit_code == 2
    assert "frost.py is there already: choose another name" in result.stderr
    assert (folder / "frost.py").read_text() == "mine\n"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("my bot", "'my bot' is no name for a bot"),
        ("", "is no name for a bot"),
        ("x" * 33, "at most 32"),
        ("heuristic", "a bot that comes along is called 'heuristic'"),
        ("nomad", "a bot that comes along is called 'nomad'"),
        ("string.py", "string.py would hide Python's own module"),
    ],
)
def test_a_name_that_would_do_harm_is_refused(folder: Path, name: str, message: str) -> None:
    result = CliRunner().invoke(bot, ["new", name])
    assert result.exit_code == 2
    assert message in result.stderr.splitlines()[-1]
    assert not list(folder.iterdir())


def test_a_missing_folder_is_an_error(folder: Path) -> None:
    result = CliRunner().invoke(bot, ["new", "nowhere/frost"])
    assert result.exit_code == 1
    assert "cannot write nowhere/frost.py: No such file or directory" in result.stderr
    assert not list(folder.iterdir())
