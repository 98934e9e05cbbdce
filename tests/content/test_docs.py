"""docs/content.md: its examples are run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest

from endless_winter.content import ContentError, load
from endless_winter.content.effects import parse_ability
from endless_winter.content.pack import BASE
from endless_winter.content.reader import sections
from endless_winter.content.schema import StoneKind
from endless_winter.rules import icons

if TYPE_CHECKING:
    from tests.content.support import Draft

TEXT = (Path(__file__).parents[2] / "docs" / "content.md").read_text(encoding="utf-8")


def fenced(language: str) -> str:
    match = re.search(rf"^```{language}\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
    assert match is not None
    return match[1]


def test_the_example_effects_are_effects() -> None:
    lines = fenced("effects").splitlines()
    assert lines
    for line in lines:
        assert parse_ability(line).gains


def test_the_example_error_is_what_the_loader_says(draft: Draft) -> None:
    draft.edit_entry("ember_feast", '"food 3"', '"food 2 -> tol"')
    with pytest.raises(ContentError) as caught:
        load(draft.main)
    assert str(caught.value) in TEXT


def test_the_example_head_is_the_base_pack() -> None:
    assert fenced("toml") in BASE.read_text(encoding="utf-8")


def test_every_section_and_field_is_described() -> None:
    for section in sections():
        assert f"[{section.section}]" in TEXT
        for field in section.__struct_fields__:
            assert f"`{field}`" in TEXT or f"[[{section.section}.{field}]]" in TEXT, field


def test_every_word_of_the_language_is_described() -> None:
    words = [*icons.ICON_NAMES[1:], *icons.CONDITION_NAMES[1:], *icons.WHERE_NAMES[1:7], "trek"]
    for word in words:
        assert f"`{word}`" in TEXT, word
    for kind in get_args(StoneKind):
        assert f"`{kind}`" in TEXT, kind
