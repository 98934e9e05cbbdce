"""``ew catalog``: a pack can be looked at and checked from the command line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from endless_winter.cli.catalog import catalog, parts_of
from endless_winter.content import load, load_pack
from endless_winter.content.pack import BASE

if TYPE_CHECKING:
    from pathlib import Path


def test_the_overview_names_the_pack_its_hash_and_the_provenance_of_its_values() -> None:
    shown = CliRunner().invoke(catalog, [])
    assert shown.exit_code == 0
    assert load().digest in shown.output.splitlines()[0]
    assert "culture" in shown.output
    assert "rulebook / public / inferred / reconstructed" in shown.output


def test_a_section_is_told_in_plain_words_and_says_what_is_known() -> None:
    shown = CliRunner().invoke(catalog, ["tribe"])
    assert shown.exit_code == 0
    assert "hunter  Hunter, Tribe card" in shown.output
    assert "    On the Eclipse pile: the top Animal of the deck." in shown.output
    assert "    (rulebook, inferred, reconstructed)" in shown.output


EFFECTS = re.compile(r"->|\b(?:food|tool|idol|labor|point|fish|megalith) \d|abilities:")


@pytest.mark.parametrize("section", parts_of(load_pack()))
def test_no_section_shows_the_effect_language_unless_asked(section: str) -> None:
    shown = CliRunner().invoke(catalog, [section])
    assert shown.exit_code == 0
    assert not EFFECTS.search(shown.output), shown.output
    names = [part.title for part in parts_of(load_pack())[section] if hasattr(part, "title")]
    if section not in ("chief.sides", "stone_space"):
        assert [name for name in names if name not in shown.output] == []


def test_the_effect_language_is_there_for_who_asks() -> None:
    shown = CliRunner().invoke(catalog, ["culture", "--values"])
    assert EFFECTS.search(shown.output)


def test_each_value_has_its_provenance_beside_it() -> None:
    shown = CliRunner().invoke(catalog, ["tribe", "--values"])
    assert shown.exit_code == 0
    assert "hunter  Hunter" in shown.output
    assert "    labor: 1.0  [rulebook]" in shown.output


def test_an_unknown_section_is_named_with_those_that_exist() -> None:
    shown = CliRunner().invoke(catalog, ["weapons"])
    assert shown.exit_code == 2
    assert "no section 'weapons'" in shown.output
    assert "culture" in shown.output


def test_another_pack_is_read_from_its_file(tmp_path: Path) -> None:
    for file in BASE.parent.glob("*.toml"):
        text = file.read_text(encoding="utf-8").replace('title = "Hunter"', 'title = "Stalker"')
        (tmp_path / file.name).write_text(text, encoding="utf-8")
    shown = CliRunner().invoke(catalog, ["tribe", "--content", str(tmp_path / "base.toml")])
    assert shown.exit_code == 0
    assert "hunter  Stalker" in shown.output


def test_a_broken_pack_gets_one_line_with_file_and_reason(tmp_path: Path) -> None:
    broken = tmp_path / "base.toml"
    broken.write_text("pack = [", encoding="utf-8")
    shown = CliRunner().invoke(catalog, ["--content", str(broken)])
    assert shown.exit_code == 1
    assert shown.output.count("\n") == 1
    assert "base.toml" in shown.output
