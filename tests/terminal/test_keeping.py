"""Secrets are kept for their owner alone, one for each server."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from endless_winter.cli.main import main
from endless_winter.terminal.keeping import LOCAL, CannotKeep, Keeping, home

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_kept_is_found_again(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "home"
    keeping = Keeping(folder)
    kept = keeping.at("example:1")
    kept.game_id, kept.seat, kept.against = "g1", 2, ["random"]
    bot = kept.bot_secret("random")
    keeping.save("example:1")
    keeping.at(LOCAL).game_id = "g2"
    keeping.save(LOCAL)
    again = Keeping(folder)
    found = again.at("example:1")
    assert (found.secret, found.game_id, found.seat) == (kept.secret, "g1", 2)
    assert found.bot_secret("random") == bot
    assert again.last() == LOCAL
    again.save("example:1")
    assert Keeping(folder).last() == "example:1"


def test_nobody_else_may_read_it_and_no_server_learns_the_secret_of_another(
    tmp_path: Path,
) -> None:
    keeping = Keeping(tmp_path)
    secrets = {keeping.at(name).secret for name in ("a:1", "b:1", LOCAL)}
    assert len(secrets) == 3
    keeping.save("a:1")
    assert keeping.path.stat().st_mode & 0o777 == 0o600
    keeping.path.chmod(0o644)
    keeping.save("b:1")
    assert keeping.path.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["player.json"]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"servers": {"a": {"secret": "short"}}}', '{"servers": {"a": {"x": 1}}}'],
)
def test_a_damaged_file_is_said_in_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "player.json").write_text(text)
    with pytest.raises(CannotKeep, match="move it away") as caught:
        Keeping(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    keeping = Keeping(tmp_path / "none")
    keeping.path = tmp_path / "file" / "player.json"
    keeping.at(LOCAL)
    with pytest.raises(CannotKeep, match="cannot write"):
        keeping.save(LOCAL)


@pytest.mark.parametrize("words", [["play", "--plain"], ["watch"]])
@pytest.mark.parametrize("name", ["file", "file/below"])
def test_a_home_that_is_no_folder_costs_one_line_that_says_what_to_do(
    name: str,
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EW_HOME", str(tmp_path / name))
    monkeypatch.setattr(sys, "argv", ["ew", *words])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 1
    said = capsys.readouterr().err
    assert said.startswith(f"ew: cannot keep games in {tmp_path / name}: ")
    assert said.endswith("; set EW_HOME to a folder that you may write to\n")
    assert said.count("\n") == 1


def test_the_folder_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EW_HOME", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert home() == tmp_path / "endless-winter"
    monkeypatch.setenv("EW_HOME", str(tmp_path / "mine"))
    assert home() == tmp_path / "mine"
