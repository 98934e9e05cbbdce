"""Secrets are server for their owner alone, one for each server."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from endless_winter.cli.main import main
from endless_winter.terminal.profile import LOCAL, Profile, ProfileError, home

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_saved_is_found_again(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "home"
    profile = Profile(folder)
    server = profile.at("example:1")
    server.game_id, server.seat, server.against = "g1", 2, ["random"]
    bot = server.bot_secret("random")
    profile.save("example:1")
    profile.at(LOCAL).game_id = "g2"
    profile.save(LOCAL)
    again = Profile(folder)
    found = again.at("example:1")
    assert (found.secret, found.game_id, found.seat) == (server.secret, "g1", 2)
    assert found.bot_secret("random") == bot
    assert again.last() == LOCAL
    again.save("example:1")
    assert Profile(folder).last() == "example:1"


def test_nobody_else_may_read_it_and_no_server_learns_the_secret_of_another(
    tmp_path: Path,
) -> None:
    profile = Profile(tmp_path)
    secrets = {profile.at(name).secret for name in ("a:1", "b:1", LOCAL)}
    assert len(secrets) == 3
    profile.save("a:1")
    assert profile.path.stat().st_mode & 0o777 == 0o600
    profile.path.chmod(0o644)
    profile.save("b:1")
    assert profile.path.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["player.json"]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"servers": {"a": {"secret": "short"}}}', '{"servers": {"a": {"x": 1}}}'],
)
def test_a_damaged_file_costs_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "player.json").write_text(text)
    with pytest.raises(ProfileError, match="move it away") as caught:
        Profile(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    profile = Profile(tmp_path / "none")
    profile.path = tmp_path / "file" / "player.json"
    profile.at(LOCAL)
    with pytest.raises(ProfileError, match="cannot write"):
        profile.save(LOCAL)


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
    assert said.startswith(f"ew: cannot store games in {tmp_path / name}: ")
    assert said.endswith("; set EW_HOME to a folder that you may write to\n")
    assert said.count("\n") == 1


def test_the_folder_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EW_HOME", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert home() == tmp_path / "endless-winter"
    monkeypatch.setenv("EW_HOME", str(tmp_path / "mine"))
    assert home() == tmp_path / "mine"
