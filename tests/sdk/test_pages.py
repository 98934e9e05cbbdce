"""The parts of documents that are made from the code: current and complete."""

from __future__ import annotations

import random

import pytest

from endless_winter.sdk import LocalTable, solo_config
from endless_winter.v1 import config_pb2 as c
from tests.foundations.tree import ROOT
from tests.tools import moves, pages

SEAT = c.SeatConfig(kind=c.SEAT_KIND_OPEN)
MODULES = c.ModuleConfig(glacier_tokens=True, rest_tokens=True, warriors=True, mammoth=True)
WITH_SEA_COWS = c.ModuleConfig(
    glacier_tokens=True, rest_tokens=True, warriors=True, mammoth=True, sea_cows=True
)
RIVERS = c.RiversConfig(landmark_count=3, landmark_mode=c.LANDMARK_CHOICE_MODE_DECIDED)


def with_rivers(config: c.GameConfig) -> c.GameConfig:
    config.rivers.CopyFrom(RIVERS)
    return config


CONFIGS = {
    "base": c.GameConfig(seats=[SEAT] * 2),
    "modules": c.GameConfig(seats=[SEAT] * 3, modules=MODULES),
    "rivers": c.GameConfig(seats=[SEAT] * 4, modules=WITH_SEA_COWS, rivers=RIVERS),
    "solo": solo_config(nomad_client=True, hard=True),
    "solo with rivers": with_rivers(solo_config(nomad_client=True, modules=WITH_SEA_COWS)),
}


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def test_the_tables_of_fields_are_current() -> None:
    assert pages.with_fields(page("sdk.md")) == page("sdk.md"), pages.COMMAND


def test_every_field_has_a_meaning() -> None:
    for kind in pages.classes():
        assert kind.__doc__
        fields = pages.fields_of(kind)
        assert fields
        assert [name for name, (_, said) in fields.items() if not said.endswith(".")] == [], kind


def test_the_page_of_moves_is_current() -> None:
    assert moves.moves_page() == page("moves.md"), pages.COMMAND


def test_every_word_of_the_notation_is_explained_once() -> None:
    explained = [word for words in moves.SECTIONS.values() for word in words]
    assert sorted(explained) == sorted(moves.forms(moves.notation()))


def test_every_example_of_a_move_is_canonical() -> None:
    table = moves.notation()
    for words in moves.SECTIONS.values():
        for word, (example, _) in words.items():
            assert moves.word_of(example) == word
            assert table.text(table.parse(example)) == example
    for source, (example, _) in moves.SOURCES.items():
        assert example.startswith(f"{source} ")
        assert table.text(table.parse(example)) == example


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS.keys())
def test_every_word_of_random_games_is_explained(config: c.GameConfig) -> None:
    explained = {word for words in moves.SECTIONS.values() for word in words}
    for seed in range(3):
        table, choices = LocalTable(seed=seed, config=config), random.Random(seed)
        while not table.over:
            texts = [option.text for option in table.decision.options]
            assert {moves.word_of(text) for text in texts} <= explained
            sources = {text.partition(" ")[0] for text in texts if ": " in text}
            assert sources <= moves.SOURCES.keys()
            table.play(choices.choice(table.decision.options))
