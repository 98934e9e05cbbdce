"""Packs of one's own, and the hash that tells packs apart."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from endless_winter.content import Pack, load, load_pack
from endless_winter.content.pack import BASE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.content.support import Draft


def test_the_default_is_the_packaged_base_pack(base: Pack) -> None:
    assert load() is base.tables
    assert load_pack(BASE).digest == base.digest
    assert (base.name, base.title, base.version) == (
        "base",
        "Endless Winter: Paleoamericans",
        "1.0",
    )


def test_a_pack_of_ones_own_is_loaded_by_its_path(draft: Draft, base: Pack) -> None:
    draft.edit('name = "base"', 'name = "mine"')
    draft.edit_entry("hunter", "labor = 1", "labor = 2")
    for path in (draft.main, str(draft.main)):
        tables = load(path)
        assert tables.name == "mine"
        assert tables.cards[0].labor == 4
        assert tables.digest != base.digest
    assert load().cards[0].labor == 2


def test_the_main_file_may_have_any_name(draft: Draft, base: Pack, tmp_path: Path) -> None:
    other = tmp_path / "printed.toml"
    draft.main.rename(other)
    assert load_pack(other).digest == base.digest


def test_a_pack_shows_titles_and_provenance(base: Pack) -> None:
    hunter = base.content.tribe[0]
    assert (hunter.title, hunter.labor) == ("Hunter", 1.0)
    assert isinstance(hunter.provenance, dict)
    assert base.content.chief[0].sides[0].id == base.tables.chiefs[0].name


def test_the_hash_is_32_bytes_in_hexadecimal(base: Pack) -> None:
    assert re.fullmatch("[0-9a-f]{64}", base.digest)
    assert base.tables.digest == base.digest


def test_the_hash_ignores_comments_and_blank_lines(draft: Draft, base: Pack) -> None:
    text = draft.main.read_text(encoding="utf-8")
    bare = "\n".join(line for line in text.splitlines() if line and not line.startswith("#"))
    assert bare != text
    draft.main.write_text(bare, encoding="utf-8")
    assert load_pack(draft.main).digest == base.digest


def test_the_hash_ignores_the_order_of_keys(draft: Draft, base: Pack) -> None:
    draft.edit_entry("hunter", "copies = 15\nlabor = 1\n", "labor = 1\ncopies = 15\n")
    draft.edit('name = "base"\ntitle', 'version = "1.0"\nname = "base"\ntitle')
    draft.edit('Paleoamericans"\nversion = "1.0"', 'Paleoamericans"')
    assert load_pack(draft.main).digest == base.digest


def test_the_hash_ignores_how_a_number_is_written(draft: Draft, base: Pack) -> None:
    draft.edit_entry("hunter", "labor = 1", "labor = 1.0")
    assert load_pack(draft.main).digest == base.digest


def test_the_hash_ignores_the_split_into_files(draft: Draft, base: Pack) -> None:
    tokens = draft.file("rest_tokens.toml")
    text = draft.main.read_text(encoding="utf-8")
    draft.main.write_text(text + "\n" + tokens.read_text(encoding="utf-8"), encoding="utf-8")
    tokens.unlink()
    assert load_pack(draft.main).digest == base.digest

    head, mark, boards = text.partition("[[stone_space]]")
    draft.main.write_text(head, encoding="utf-8")
    rest = tokens.with_name("boards.toml")
    own = BASE.with_name("rest_tokens.toml").read_text(encoding="utf-8")
    rest.write_text(mark + boards + "\n" + own, encoding="utf-8")
    assert load_pack(draft.main).digest == base.digest


def test_files_may_be_named_one_by_one_or_left_to_the_pattern(draft: Draft, base: Pack) -> None:
    names = sorted(file.name for file in BASE.parent.glob("*.toml") if file != BASE)
    for includes in (names, names[::-1], [names[-1], "*.toml"], ["*.toml", names[0]]):
        text = BASE.read_text(encoding="utf-8")
        listed = str(includes).replace("'", '"')
        draft.main.write_text(text.replace('["*.toml"]', listed), encoding="utf-8")
        assert load_pack(draft.main).digest == base.digest
    listed = '["glacier_tokens.toml", "rest_tokens.toml"]'
    draft.main.write_text(text.replace('["*.toml"]', listed), encoding="utf-8")
    assert not load_pack(draft.main).content.nomad_card


def test_the_pattern_takes_files_in_the_order_of_their_names(draft: Draft, base: Pack) -> None:
    text = draft.file("rest_tokens.toml").read_text(encoding="utf-8")
    _, *tokens = text.split("[[rest_token]]")
    draft.file("rest_tokens.toml").unlink()
    for name, token in zip("ebdca", tokens, strict=True):
        draft.file(f"{name}.toml").write_text(f"[[rest_token]]{token}", encoding="utf-8")
    content = load_pack(draft.main).content
    first = [token.id for token in base.content.rest_token]
    assert [token.id for token in content.rest_token] == [first[at] for at in (4, 1, 3, 2, 0)]


def test_the_pattern_leaves_hidden_files_and_other_folders_alone(draft: Draft, base: Pack) -> None:
    deeper = draft.main.parent / "deeper"
    deeper.mkdir()
    for file in (draft.file(".#base.toml"), deeper / "more.toml"):
        file.write_text("nonsense", encoding="utf-8")
    assert load_pack(draft.main).digest == base.digest


def test_the_pattern_follows_no_link_out_of_the_folder(
    draft: Draft, base: Pack, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tokens = draft.file("rest_tokens.toml")
    outside = tmp_path_factory.mktemp("outside") / tokens.name
    tokens.rename(outside)
    tokens.symlink_to(outside)
    assert draft.refusal().startswith("rest_tokens.toml: whole file: is a link out of the pack's")
    draft.edit('["*.toml"]', '["rest_tokens.toml", "*.toml"]')
    assert load_pack(draft.main).digest == base.digest
    # A folder that is reached by links, as a mounted one is, is still one folder.
    linked = outside.with_name("linked")
    linked.symlink_to(draft.main.parent)
    assert load_pack(linked / draft.main.name).digest == base.digest


@pytest.mark.parametrize(
    ("entry", "old", "new"),
    [
        ("hunter", "labor = 1", "labor = 1.5"),
        ("hunter", '"Hunter"', '"Stalker"'),
        ("hunter", 'labor = "rulebook"', 'labor = "inferred"'),
        ("ember_feast", '"food 3"', '"food 2"'),
        ("two", "[4, 2, 2]", "[4, 2, 0]"),
        ("third", "tools = 3", "tools = 4"),
        ("horn_stone", "[0, 1, 2, 4, 6]", "[0, 1, 2, 4]"),
    ],
)
def test_the_hash_notices_every_value(
    draft: Draft, base: Pack, entry: str, old: str, new: str
) -> None:
    draft.edit_entry(entry, old, new)
    assert load_pack(draft.main).digest != base.digest


def test_the_hash_does_not_depend_on_the_process(base: Pack) -> None:
    code = "from endless_winter.content import load; print(load().digest)"
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(BASE.parents[2])},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == base.digest
