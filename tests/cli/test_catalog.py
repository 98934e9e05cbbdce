"""``ew catalog``: a pack can be looked at and checked from the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.testing import CliRunner

from endless_winter.cli.catalog import catalog
from endless_winter.content import load
from endless_winter.content.pack import BASE

if TYPE_CHECKING:
    from pathlib import Path


def test_the_overview_names_the_pack_its_hash_and_the_provenance_of_its_values() -> None:
    shown = CliRunner().invoke(catalog, [])
    assert shown.exit_code == 0
    assert load().digest in shown.output.splitlines()[0]
    assert "culture" in shown.output
    assert "rulebook / public / inferred / reconstructed" in shown.output


def test_a_section_lists_every_entry_with_its_values_and_their_provenance() -> None:
    shown = CliRunner().invoke(catalog, ["tribe"])
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
