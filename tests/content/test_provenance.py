"""Every value says where it comes from, and the known ones say it rightly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from endless_winter.content import provenance

if TYPE_CHECKING:
    from endless_winter.content import Pack
    from endless_winter.content.schema import Entry, Part

RULEBOOK, PUBLIC, INFERRED, OURS = "rulebook", "public", "inferred", "reconstructed"


def entry(base: Pack, section: str, name: str) -> Entry:
    entries: tuple[Entry, ...] = getattr(base.content, section)
    return next(entry for entry in entries if entry.id == name)


@pytest.mark.parametrize(
    ("section", "name", "field", "words"),
    [
        ("tribe", "hunter", "labor", [RULEBOOK]),
        ("tribe", "hunter", "abilities", [RULEBOOK, OURS]),
        ("tribe", "crafter", "labor", [INFERRED]),
        ("tribe", "crafter", "abilities", [RULEBOOK, OURS]),
        ("tribe", "shaman", "labor", [RULEBOOK]),
        ("tribe", "pathfinder", "abilities", [INFERRED, INFERRED]),
        ("tribe", "elder", "title", [PUBLIC]),
        ("tribe", "elder", "abilities", [INFERRED, OURS]),
        ("tribe", "elder", "copies", [RULEBOOK]),
        ("starting", "brave", "labor", [RULEBOOK]),
        ("starting", "brave", "abilities", [RULEBOOK, OURS]),
        ("starting", "tribeswoman", "labor", [RULEBOOK]),
        ("starting", "tribeswoman", "abilities", [RULEBOOK, OURS]),
        ("starting", "tribesman", "title", [PUBLIC]),
        ("animal", "woolly_rhino", "title", [RULEBOOK]),
        ("animal", "woolly_mammoth", "sets", [RULEBOOK]),
        ("animal", "argentavis", "wild", [RULEBOOK]),
        ("animal", "saber_toothed_tiger", "title", [PUBLIC]),
        ("animal", "glyptodon", "title", [PUBLIC]),
        ("animal", "giant_beaver", "title", [OURS]),
        ("animal", "giant_beaver", "copies", [RULEBOOK]),
        ("animal", "glyptodon", "tip", [OURS]),
        ("chief", "tuskbreaker", "title", [RULEBOOK]),
        ("stone", "tower_stone", "each", [RULEBOOK]),
        ("stone", "pillar_stone", "per", [INFERRED]),
        ("stone", "horn_stone", "animals", [OURS]),
        ("terrain", "glacier", "title", [RULEBOOK]),
        ("terrain", "marsh", "title", [OURS]),
        ("culture", "ember_feast", "abilities", [OURS]),
        ("setup", "far_walkers", "animals", [OURS]),
    ],
)
def test_known_values(base: Pack, section: str, name: str, field: str, words: list[str]) -> None:
    assert list(provenance(entry(base, section, name), field)) == words


def test_known_values_of_the_boards(base: Pack) -> None:
    board, idols = base.content.board, base.content.idols
    assert set(provenance(board, "turn_order")) == {OURS}
    assert set(provenance(board, "food_labor")) == {OURS}
    assert [provenance(board, "supply")[index] for index in (0, 2, 4)] == [RULEBOOK] * 3
    assert list(provenance(board, "village")) == [RULEBOOK]
    assert list(provenance(idols, "honor_points"))[-3:] == [RULEBOOK] * 3
    assert provenance(idols, "honor_left")[4] == RULEBOOK
    assert set(provenance(idols, "honor_middle")) == {OURS}
    benefits = zip(idols.offering_benefit, provenance(idols, "offering_benefit"), strict=True)
    assert {word for text, word in benefits if text} == {INFERRED}


def test_what_the_documents_are_silent_about_is_ours(base: Pack) -> None:
    content = base.content
    parts: list[Part] = [
        *content.culture,
        *content.setup,
        *content.megalith_tile,
        *content.layout,
        *content.stone_space,
        *content.glacier_token,
        *content.rest_token,
    ]
    assert {part.provenance if isinstance(part.provenance, str) else "" for part in parts} == {OURS}
