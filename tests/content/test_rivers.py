"""The components of Rivers & Rafts: what a pack must hold for games on the river."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from endless_winter.content import ContentError, Pack, load, load_pack
from endless_winter.content.modules.rivers import FishEntry, LandmarkEntry
from endless_winter.content.pack import pack_of
from endless_winter.rules import BadConfig, Config, Game
from endless_winter.rules.rivers.agreed import RiversRules
from endless_winter.rules.rivers.parts import parts_in

if TYPE_CHECKING:
    from tests.content.support import Draft

FILE = "rivers.toml"


def test_what_is_in_the_box(base: Pack) -> None:
    parts = parts_in(base.tables)
    assert parts is not None
    assert sum(fish.copies for fish in parts.fish) == 15
    assert [fish.copies for fish in parts.fish if fish.special] == [1]
    assert [mark.name for mark in parts.landmarks] == [
        *("volcano", "butte", "arch", "monolith", "tree")
    ]
    assert [mark.each for mark in parts.landmarks] == [1, 1, 1, 1, 2]
    assert [tile.central for tile in parts.tiles] == [True, False, False]
    stone = base.tables.stones[parts.stone]
    assert (stone.era, stone.each, stone.per, stone.apart) == (1, 2, 1, True)
    names = [base.tables.terrains[kind].name for kind in (parts.river, parts.bare)]
    assert names == ["river", "landmark"]


def test_what_is_ours_says_so(base: Pack) -> None:
    for fish in base.content.entries(FishEntry):
        special = isinstance(fish.provenance, dict) and fish.provenance["benefit"] == "rulebook"
        assert special == fish.special
    assert {mark.provenance for mark in base.content.entries(LandmarkEntry)} == {"rulebook"}


@pytest.mark.parametrize(
    ("entry", "old", "new", "reason"),
    [
        ("salmon", "copies = 4", "copies = 5", "16 tokens, the game has 15"),
        ("char", "special = false", "special = true", "exactly one Fish token is special"),
        ("pike", 'benefit = "tool"', 'benefit = ""', "no benefit"),
        ("pike", 'benefit = "tool"', 'benefit = "eel"', 'unknown icon "eel"'),
        ("pike", 'benefit = "tool"', 'benefit = "labor"', "Labor only helps"),
        ("tree", 'id = "tree"', 'id = "bush"', "the Landmarks are volcano, butte, arch"),
        ("willow_bend", "central = false", "central = true", "and no other, is the central one"),
        ("willow_bend", '"glacier"]', '"steppe"]', "side a is river, river, landmark"),
        ("middle_reach", '"steppe"]', '"glacier"]', "a side is river, landmark and a land type"),
        ("landmark_stone", 'id = "landmark_stone"', 'id = "glacier_stone"', "has the same id"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(
    draft: Draft, entry: str, old: str, new: str, reason: str
) -> None:
    draft.edit_entry(entry, old, new, FILE)
    with pytest.raises(ContentError) as caught:
        load(draft.main)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(FILE)


@pytest.mark.parametrize(
    ("section", "number"), [("river_tile", 3), ("landmark", 5), ("river_stone", 1)]
)
def test_a_component_too_few_is_refused(draft: Draft, section: str, number: int) -> None:
    path = draft.file(FILE)
    head, *entries = path.read_text(encoding="utf-8").split(f"[[{section}]]")
    cut = entries[-1].partition("\n# ---")
    others = [*entries[:-1]] if number > 1 else []
    text = f"[[{section}]]".join([head, *others]) + "".join(cut[1:])
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ContentError, match=f"{number - 1} entries, the game has {number}"):
        load(draft.main)


def test_all_or_none(draft: Draft, base: Pack) -> None:
    """A pack without them is a pack, with the hash that it always had, but not for the river."""
    draft.file("rivers.toml").unlink()
    pack = load_pack(draft.main)
    assert parts_in(pack.tables) is None
    assert len(pack.tables.terrains) == 8
    assert b'"river_tile"' not in pack.canonical
    assert pack_of(pack.canonical).digest == pack.digest != base.digest
    with pytest.raises(BadConfig, match="the content pack has no Rivers & Rafts"):
        Game.new(Config(pack.tables, modules=(RiversRules(),)), bytes(32))
