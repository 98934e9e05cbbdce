"""Kinds of games without protobuf: made, read back, and played."""

from __future__ import annotations

import doctest

import pytest

from endless_winter.sdk import MODULES, LocalTable, NotThisGame, configs, game_config, solo_config


def test_what_was_agreed_is_read_back() -> None:
    config = game_config(
        3, modules=["rest-tokens", "mammoth"], rivers=True, landmarks=["volcano"], bots=["quick"]
    )
    read = LocalTable(config=config, seed=1).view(None).config
    assert [(seat.kind, seat.bot) for seat in read.seats] == [
        ("open", ""), ("open", ""), ("bot", "quick"),
    ]  # fmt: skip
    assert read.modules == ("rest_tokens", "mammoth")
    assert read.rivers
    assert read.landmark_mode == "named"
    assert [landmark.id for landmark in read.landmarks] == ["volcano"]
    assert (read.setup, read.visibility, read.solo, read.clock) == (
        "standard",
        "public",
        False,
        None,
    )


def test_a_config_that_was_read_makes_another_game_of_its_kind() -> None:
    first = LocalTable(config=game_config(4, modules=MODULES, rivers=True), seed=1)
    again = LocalTable(config=first.view(0).config, seed=2)
    assert again.view(0).config == first.view(0).config
    assert again.players == 4


def test_a_solo_game_names_what_makes_it_harder() -> None:
    config = (
        LocalTable(config=solo_config(hard=True, modules=["glacier_tokens"]), seed=1).view(0).config
    )
    assert config.solo
    assert config.nomad_switches == ("extra_card", "token_is_village")
    assert config.modules == ("glacier_tokens",)


def test_a_draft_is_a_word() -> None:
    table = LocalTable(config=game_config(setup="setup_draft"), seed=1)
    while table.decision.kind_name == "chief_side":
        table.play(table.decision.default)
    assert table.decision.kind_name == "setup_card"
    assert table.decision.options[0].move.setup_card is not None


def test_what_does_not_exist_is_named() -> None:
    with pytest.raises(NotThisGame, match="no module 'dragons', but glacier_tokens"):
        game_config(modules=["dragons"])
    with pytest.raises(NotThisGame, match="no module 'dragons'"):
        solo_config(modules=["dragons"])
    with pytest.raises(NotThisGame, match="no set-up 'fast', but standard"):
        game_config(setup="fast")
    with pytest.raises(NotThisGame, match="add rivers=True"):
        game_config(landmarks=["volcano"])
    with pytest.raises(NotThisGame, match="3 bots for 2 seats"):
        game_config(bots=["quick"] * 3)
    with pytest.raises(NotThisGame):
        LocalTable(config=game_config(2, landmarks=["atlantis"], rivers=True))


def test_the_example_works() -> None:
    assert doctest.testmod(configs, raise_on_error=True).attempted >= 3
