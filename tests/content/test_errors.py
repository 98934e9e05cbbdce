"""A broken pack: every error says which file, which entry, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from endless_winter.content import ContentError, load, reader

if TYPE_CHECKING:
    from pathlib import Path

    from tests.content.support import Draft

GLACIER = "glacier_tokens.toml"
REST = "rest_tokens.toml"


class Case(NamedTuple):
    """An edit of one entry of the base pack, and what the loader must say about it."""

    entry: str  # its id; empty: anywhere
    old: str
    new: str
    named: str  # how the error names the entry
    reason: str  # a part of the reason
    file: str = "base.toml"


EFFECTS = {
    "unknown icon": Case(
        "ember_feast", '"food 3"', '"food 2 -> tol"', 'culture card "ember_feast"',
        'ability "food 2 -> tol": unknown icon "tol"',
    ),
    "unknown place": Case(
        "hunter", "hunt: labor 1", "fish: labor 1", 'tribe card "hunter"', 'unknown place "fish"'
    ),
    "culture card in a column": Case(
        "flint_cache", '"tool 2"', '"hunt: tool 2"', 'culture card "flint_cache"',
        'cannot be tied to "hunt"',
    ),
    "culture card in the Eclipse": Case(
        "flint_cache", '"tool 2"', '"eclipse: tool 2"', 'culture card "flint_cache"',
        'cannot be tied to "eclipse"',
    ),
    "chief in the Eclipse": Case(
        "chiselstone_a", '"hunt: tool, food 2, reveal"', '"eclipse: food"',
        'chief side "chiselstone_a"', "no Eclipse ability",
    ),
    "chief with a bad word": Case(
        "chiselstone_a", '"hunt: tool, food 2, reveal"', '"menhir"',
        'chief side "chiselstone_a"', 'ability "menhir": unknown icon "menhir"',
    ),
    "labor in the Eclipse": Case(
        "brave", "eclipse: tool", "eclipse: labor 1", 'starting card "brave"', "no Labor"
    ),
    "two abilities for the Eclipse": Case(
        "hunter", "hunt: labor 1", "eclipse: food", 'tribe card "hunter"',
        "abilities: more than one for the Eclipse phase",
    ),
    "labor for a tip": Case(
        "woolly_rhino", '"food 4"', '"labor 2"', 'animal "woolly_rhino"', 'tip "labor 2": Labor'
    ),
    "labor on terrain": Case(
        "woodland", 'benefit = "tool 2, food 2"', 'benefit = "labor 1"', 'terrain "woodland"',
        "Labor",
    ),
    "labor on a megalith space": Case(
        "dawn_circle", '"idol"', '"labor 1"', 'megalith tile "dawn_circle"', "Labor"
    ),
    "labor under a stone": Case(
        "first", '"idol"', '"labor 1"', 'stone space "first"', "Labor"
    ),
    "labor on a track": Case("", '["", "draw"', '["", "labor"', "[idols]", "Labor"),
    "labor on the board": Case("", 'village = "draw"', 'village = "labor"', "[board]", "Labor"),
    "labor on a glacier token": Case(
        "ice_shrine", '"idol 2"', '"labor 2"', 'glacier token "ice_shrine"', "Labor", GLACIER
    ),
    "labor on a rest token": Case(
        "shared_meal", '"food 2"', '"labor 2"', 'rest token "shared_meal"', "Labor", REST
    ),
    "rest token in a column": Case(
        "shared_meal", '"food 2"', '"hunt: food 2"', 'rest token "shared_meal"',
        'cannot be tied to "hunt"', REST,
    ),
    "cost on a glacier token": Case(
        "ice_shrine", '"idol 2"', '"food -> idol 2"', 'glacier token "ice_shrine"',
        "is not an icon", GLACIER,
    ),
    "glacier token without benefit": Case(
        "ice_shrine", '"idol 2"', '""', 'glacier token "ice_shrine"', "no benefit", GLACIER
    ),
    "rest token without effect": Case(
        "shared_meal", '["food 2"]', "[]", 'rest token "shared_meal"', "0 effects", REST
    ),
    "animal without tip": Case(
        "woolly_rhino", '"food 4"', '""', 'animal "woolly_rhino"', "tip: no benefit"
    ),
    "stone space without benefit": Case(
        "first", '"idol"', '""', 'stone space "first"', "no benefit"
    ),
    "board with a bad word": Case("", 'village = "draw"', 'village = "drew"', "[board]", '"drew"'),
}  # fmt: skip

SHAPES = {
    "unknown field": Case(
        "hunter", "labor = 1", "labour = 1", 'tribe card "hunter"', "unknown field `labour`"
    ),
    "missing field": Case(
        "hunter", "labor = 1\n", "", 'tribe card "hunter"', "missing required field `labor`"
    ),
    "wrong type": Case(
        "hunter", "copies = 15", 'copies = "15"', 'tribe card "hunter"', "Expected `int`"
    ),
    "out of range": Case(
        "flint_cache", "points = 0", "points = -1", 'culture card "flint_cache"', ">= 0"
    ),
    "bad id": Case("hunter", '"hunter"', '"The Hunter"', 'tribe card "The Hunter"', "regex"),
    "id with a line break": Case(
        "hunter", '"hunter"', r'"hunter\n"', 'tribe card "hunter\\n"', "regex"
    ),
    "no id": Case("hunter", 'id = "hunter"\n', "", "tribe card 1", "missing required field `id`"),
    "empty title": Case("hunter", '"Hunter"', '""', 'tribe card "hunter"', "`$.title`"),
    "unknown era": Case(
        "ember_feast", "era = 1", "era = 3", 'culture card "ember_feast"', "`$.era`"
    ),
    "unknown kind of stone": Case(
        "grave_stone", '"buried"', '"burned"', 'sacred stone "grave_stone"', "burned"
    ),
    "unknown section": Case("", "[board]", "[bored]", "[bored]", "unknown section"),
    "missing section": Case("", "[board]", "[idols.board]", "[board]", "missing"),
    "table for an array": Case("first", "[board]", "[rest_token]", "[rest_token]", "array"),
    "no pack": Case("", "[pack]", "[pact]", "[pack]", "missing"),
    "bad version": Case("", 'version = "1.0"', 'version = "new"', "[pack]", "$.version"),
    "include elsewhere": Case("", '"*.toml"', '"../rest.toml"', "[pack]", "$.includes"),
    "include a pattern": Case("", '"*.toml"', '"r*.toml"', "[pack]", "$.includes"),
    "include another folder": Case("", '"*.toml"', '"*/*.toml"', "[pack]", "$.includes"),
    "include twice": Case(
        "", '"*.toml"', '"*.toml", "nomad.toml", "nomad.toml"', "[pack]", '"nomad.toml" twice'
    ),
    "include all twice": Case("", '"*.toml"', '"*.toml", "*.toml"', "[pack]", "twice"),
    "include itself": Case("", '"*.toml"', '"base.toml"', "[pack]", "twice"),
    "pack in a module": Case(
        "", "[[rest_token]]", "[pack]\n[[rest_token]]", "[pack]", "only the main file", REST
    ),
    "section in two files": Case(
        "", "[[rest_token]]", "[board]\n[[rest_token]]", "[board]", "base.toml and rest", REST
    ),
    "not TOML": Case("", "[board]", "[board", "whole file", "is not TOML"),
    "one key twice": Case(
        "hunter", "copies = 15", "copies = 15\ncopies = 15", "whole file", "is not TOML"
    ),
}  # fmt: skip

COUNTS = {
    "tribe copies": Case("elder", "copies = 15", "copies = 14", 'tribe card "elder"', "14 copies"),
    "starting cards": Case("brave", "copies = 2", "copies = 3", "[starting]", "10 cards"),
    "no brave": Case("brave", '"brave"', '"bold"', "[starting]", 'no "brave"'),
    "no tribeswoman": Case("tribeswoman", '"tribeswoman"', '"woman"', "[starting]", "tribeswoman"),
    "culture eras": Case("ember_feast", "era = 1", "era = 2", "[culture]", "19 cards of Era 1"),
    "animal copies": Case("argentavis", "copies = 5", "copies = 6", "[animal]", "5 types of 10"),
    "stone eras": Case("grave_stone", "era = 2", "era = 1", "[stone]", "11 stones of Era 1"),
    "terrain kinds": Case("marsh", '"land"', '"glacier"', "[terrain]", "2 types of glacier"),
    "terrain copies": Case("marsh", "copies = 3", "copies = 4", 'terrain "marsh"', "4 tiles"),
    "base with benefit": Case('base"\ntitle = "Base', 'benefit = ""', 'benefit = "food"',
        'terrain "base"', "no benefit"),
    "megalith spaces": Case(
        "dawn_circle", '"food 2", ', "", 'megalith tile "dawn_circle"', "7 spaces"
    ),
    "layout slots": Case("two", ", [4, 2, 2]]", "]", 'layout "two"', "3 slots"),
    "turn order": Case("", ', "tool, food 2"]', "]", "[board]", "turn_order: 3 values"),
    "supply": Case("", '"", "idol"]', '""]', "[board]", "supply: 4 values"),
    "no offering levels": Case(
        "", "offering_ratio = [3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 1]", "offering_ratio = []",
        "[idols]", "no levels",
    ),
    "offering levels": Case("", "2, 2, 1]", "2, 1]", "[idols]", "offering_benefit: 13 values"),
    "offering benefits": Case("", '"", "draw", ""', '"", "", ""', "[idols]", "three levels"),
    "honor levels": Case("", "[0, 0, 0, 0, 2, 3, 5]", "[3, 5]", "[idols]", "three levels"),
    "honor charts": Case("", "10, 15, 15]", "10, 15]", "[idols]", "honor_middle: 7 values"),
    "chief sides": Case("", '[[chief.sides]]\nid = "tuskbreaker_b"', '[[chief]]\nid = "tusk_b"',
        'chief "tuskbreaker"', "length 2"),
    "culture abilities": Case(
        "bone_flute", '["idol"]', "[]", 'culture card "bone_flute"', "0 abilities"
    ),
}  # fmt: skip

REFERENCES = {
    "setup tribe": Case(
        "far_walkers", '"pathfinder"', '"scout"', 'setup card "far_walkers"',
        'unknown Tribe card "scout"',
    ),
    "setup tribe is no starting card": Case(
        "far_walkers", '"pathfinder"', '"brave"', 'setup card "far_walkers"', '"brave"'
    ),
    "setup animal": Case(
        "far_walkers", '"saber_toothed_tiger"', '"dodo"', 'setup card "far_walkers"',
        'unknown animal "dodo"',
    ),
    "setup without animal": Case(
        "far_walkers", '["saber_toothed_tiger"]', "[]", 'setup card "far_walkers"', "no Animal"
    ),
    "setup with too many": Case(
        "far_walkers", '["saber_toothed_tiger"]', str(["argentavis"] * 6),
        'setup card "far_walkers"', "more of",
    ),
    "stone terrain": Case(
        "marsh_stone", 'terrain = "marsh"', 'terrain = "mars"', 'sacred stone "marsh_stone"',
        'unknown terrain "mars"',
    ),
    "stone on the Base": Case(
        "marsh_stone", 'terrain = "marsh"', 'terrain = "base"', 'sacred stone "marsh_stone"',
        'unknown terrain "base"',
    ),
    "stone without its terrain": Case(
        "marsh_stone", 'terrain = "marsh"\n', "", 'sacred stone "marsh_stone"', "names a terrain"
    ),
    "stone with animals": Case(
        "grave_stone", "each = 1", 'each = 1\nanimals = ["glyptodon"]',
        'sacred stone "grave_stone"', "names animals",
    ),
    "stone animal": Case(
        "horn_stone", '"ground_sloth"', '"sloth"', 'sacred stone "horn_stone"',
        'unknown animal "sloth"',
    ),
    "stone animal twice": Case(
        "horn_stone", '"ground_sloth"', '"woolly_rhino"', 'sacred stone "horn_stone"', "each once"
    ),
    "stone with two values": Case(
        "grave_stone", "each = 1", "each = 1\nscale = [0, 1]", 'sacred stone "grave_stone"',
        "either",
    ),
    "stone with half a value": Case(
        "grave_stone", "per = 2\n", "", 'sacred stone "grave_stone"', "belong together"
    ),
    "stone scale": Case(
        "horn_stone", "[0, 1, 2, 4, 6]", "[1, 3, 5, 7]", 'sacred stone "horn_stone"',
        "starts at 0",
    ),
    "stone scale falls": Case(
        "horn_stone", "[0, 1, 2, 4, 6]", "[0, 3, 1]", 'sacred stone "horn_stone"', "less"
    ),
    "id twice": Case(
        "crafter", '"crafter"', '"hunter"', 'tribe card "hunter"', "already taken in base.toml"
    ),
    "id of two kinds of card": Case(
        "ember_feast", '"ember_feast"', '"hunter"', 'culture card "hunter"', "same id"
    ),
    "chief side twice": Case(
        "firewolf_a", '"firewolf_a"', '"tuskbreaker_a"', 'chief side "tuskbreaker_a"', "same id"
    ),
}  # fmt: skip

VALUES = {
    "quarter labor": Case("hunter", "labor = 1", "labor = 1.25", 'tribe card "hunter"', "halves"),
    "labor that is no number": Case(
        "hunter", "labor = 1", "labor = nan", 'tribe card "hunter"', ""
    ),
    "wild set": Case("argentavis", "sets = []", "sets = [1]", 'animal "argentavis"', "wild"),
    "no set": Case("glyptodon", "[1, 3, 6, 10]", "[]", 'animal "glyptodon"', "sets"),
    "falling set": Case("glyptodon", "[1, 3, 6, 10]", "[3, 1]", 'animal "glyptodon"', "less"),
    "only amounts differ": Case(
        "flint_cache", '"tool 2"', '"food 2"', 'culture card "flint_cache"',
        'differs from "ember_feast" of its Era only in amounts',
    ),
    "no grey space": Case(
        "serpent_row", '"start: up, right"', '"food"', 'megalith tile "serpent_row"', "no grey"
    ),
    "arrow off the tile": Case(
        "dawn_circle", '"start: right, down"', '"start: right, up"',
        'megalith tile "dawn_circle"', 'arrow "up" leaves the tile',
    ),
    "arrow off the side": Case(
        "twin_menhirs", '"start: right, down"', '"start: left, down"',
        'megalith tile "twin_menhirs"', 'arrow "left" leaves the tile',
    ),
    "arrow to a grey space": Case(
        "dawn_circle", '"tool", "idol"', '"start: right, down", "idol"',
        'megalith tile "dawn_circle"', "points to a grey space",
    ),
    "one arrow": Case(
        "dawn_circle", '"start: right, down"', '"start: right"', 'megalith tile "dawn_circle"',
        "two different arrows",
    ),
    "one arrow twice": Case(
        "dawn_circle", '"start: right, down"', '"start: down, down"',
        'megalith tile "dawn_circle"', "two different arrows",
    ),
    "ordinary space without benefit": Case(
        "dawn_circle", '"point"', '""', 'megalith tile "dawn_circle"', "space 5: no benefit"
    ),
    "overlap": Case("two", "[4, 0, 0]", "[3, 0, 0]", 'layout "two"', "slots 1 and 2 overlap"),
    "apart": Case("three", "[4, 0, 1]", "[9, 0, 1]", 'layout "three"', "do not all touch"),
    "five quarter turns": Case("two", "[4, 0, 0]", "[4, 0, 5]", 'layout "two"', "$.slots"),
    "cheaper stone space": Case("third", "food = 4", "food = 2", 'stone space "third"', "less"),
    "equal stone space": Case(
        "second", "food = 3\ntools = 2", "food = 2\ntools = 1", 'stone space "second"', "the same"
    ),
    "food steps": Case("", "[1, 3, 5, 7, 9]", "[1, 1, 5]", "[board]", "food_labor"),
    "food steps off the track": Case("", "[1, 3, 5, 7, 9]", "[1, 11]", "[board]", "food_labor"),
    "offering ratio": Case("", "[3, 3, 3, 3, 3", "[3, 3, 2, 3, 3", "[idols]", "never worse"),
    "honor chart start": Case("", "honor_left = [0", "honor_left = [1", "[idols]", "starts at 0"),
    "honor chart falls": Case("", "10, 15, 15]", "10, 15, 9]", "[idols]", "less"),
    "honor chart order": Case("", "9, 13, 13]", "9, 13, 60]", "[idols]", "scores more than"),
}  # fmt: skip

PROVENANCE = {
    "none": Case(
        "ember_feast", 'provenance = "reconstructed"\n', "", 'culture card "ember_feast"',
        "missing required field `provenance`",
    ),
    "none on a module's token": Case(
        "ice_shrine", 'provenance = "reconstructed"\n', "", 'glacier token "ice_shrine"',
        "missing required field `provenance`", GLACIER,
    ),
    "another word": Case(
        "ember_feast", '"reconstructed"', '"guessed"', 'culture card "ember_feast"', "provenance"
    ),
    "a field without": Case(
        "hunter", 'points = "reconstructed"\n', "", 'tribe card "hunter"',
        'no provenance for "points"',
    ),
    "a field that is not there": Case(
        "hunter", 'points = "reconstructed"', 'points = "reconstructed"\ntip = "inferred"',
        'tribe card "hunter"', 'provenance of "tip"',
    ),
    "a list of another length": Case(
        "hunter", '["rulebook", "reconstructed"]', '["rulebook"]', 'tribe card "hunter"',
        'provenance of "abilities": 1 words',
    ),
    "a list for a single value": Case(
        "hunter", 'labor = "rulebook"', 'labor = ["rulebook"]', 'tribe card "hunter"',
        'provenance of "labor"',
    ),
    "a chief's side": Case(
        "tuskbreaker_a", 'provenance = "reconstructed"', 'provenance = {title = "inferred"}',
        'chief side "tuskbreaker_a"', 'no provenance for "abilities"',
    ),
    "the board": Case("", 'village = "rulebook"\n', "", "[board]", 'no provenance for "village"'),
}  # fmt: skip

CASES = {
    f"{group}: {name}": case
    for group, cases in {
        "effects": EFFECTS,
        "shape": SHAPES,
        "counts": COUNTS,
        "references": REFERENCES,
        "values": VALUES,
        "provenance": PROVENANCE,
    }.items()
    for name, case in cases.items()
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_an_error_names_file_entry_and_reason(draft: Draft, case: Case) -> None:
    if case.entry:
        draft.edit_entry(case.entry, case.old, case.new, case.file)
    else:
        draft.edit(case.old, case.new, case.file)
    with pytest.raises(ContentError) as caught:
        load(draft.main)
    error = caught.value
    assert error.file == case.file
    assert error.entry.startswith(case.named)
    assert case.reason in error.reason
    assert str(error) == f"{error.file}: {error.entry}: {error.reason}"


@pytest.mark.parametrize(
    ("section", "file"),
    [
        ("tribe", "base.toml"),
        ("culture", "base.toml"),
        ("animal", "base.toml"),
        ("setup", "base.toml"),
        ("stone", "base.toml"),
        ("terrain", "base.toml"),
        ("megalith_tile", "base.toml"),
        ("layout", "base.toml"),
        ("stone_space", "base.toml"),
        ("glacier_token", GLACIER),
        ("rest_token", REST),
    ],
)
def test_one_entry_less_or_more_is_refused(draft: Draft, section: str, file: str) -> None:
    path = draft.file(file)
    whole = path.read_text(encoding="utf-8")
    mark = f"[[{section}]]\n"
    head, _, tail = whole.partition(mark)
    entry, following, rest = tail.partition("\n\n")
    path.write_text(head + following + rest, encoding="utf-8")
    with pytest.raises(ContentError, match=rf"^{file}: \[{section}\]: \d+ entries, the game has"):
        load(draft.main)
    copy = entry.replace('id = "', 'id = "another_', 1)
    path.write_text(whole + "\n" + mark + copy, encoding="utf-8")
    with pytest.raises(ContentError, match=rf"^{file}: \[{section}\]: \d+ entries, the game has"):
        load(draft.main)


def test_a_missing_file_is_named_with_its_path(tmp_path: Path) -> None:
    path = tmp_path / "none.toml"
    with pytest.raises(ContentError) as caught:
        load(path)
    assert str(caught.value).startswith("none.toml: whole file: cannot be read: ")
    assert str(path) in str(caught.value)


def test_a_missing_module_is_named(draft: Draft) -> None:
    draft.file(REST).unlink()
    draft.edit('"*.toml"', f'"{REST}", "*.toml"')
    with pytest.raises(ContentError, match=r"^rest_tokens\.toml: whole file: cannot be read"):
        load(draft.main)


def test_a_module_that_is_not_included_is_missed(draft: Draft) -> None:
    draft.edit('"*.toml"', f'"{GLACIER}"')
    with pytest.raises(ContentError, match=r"^base\.toml: \[rest_token\]: 0 entries"):
        load(draft.main)


def test_a_section_of_a_module_that_is_not_registered_says_so(
    draft: Draft, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft.edit("[[warrior]]", "[[warlike]]", "warriors.toml")
    assert draft.refusal() == "warriors.toml: [warlike]: unknown section"
    monkeypatch.setattr(reader, "REGISTRY", {})
    assert draft.refusal() == (
        "warriors.toml: [warlike]: unknown section: content/modules/warriors.py is not asked, "
        'since rules.modules.REGISTRY has no "warriors"'
    )


def test_a_folder_is_no_pack(tmp_path: Path) -> None:
    with pytest.raises(ContentError, match="cannot be read"):
        load(tmp_path)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "noise.toml"
    path.write_bytes(b"a = 1\n\xff\xfe\x00")
    with pytest.raises(ContentError, match=r"noise\.toml: whole file: is not UTF-8 at byte 6"):
        load(path)


def test_an_endless_nesting_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.toml"
    path.write_text("a = " + "[" * 100_000, encoding="utf-8")
    with pytest.raises(ContentError, match=r"deep\.toml: whole file: is not TOML"):
        load(path)


def test_an_error_is_one_line(draft: Draft) -> None:
    draft.edit("[board]", '"a\\nb" = 1\n[board]')
    with pytest.raises(ContentError) as caught:
        load(draft.main)
    assert len(str(caught.value).splitlines()) == 1


def test_a_broken_pack_leaves_the_default_one_alone(draft: Draft) -> None:
    before = load()
    draft.edit("[board]", "[bored]")
    with pytest.raises(ContentError):
        load(draft.main)
    assert load() is before
