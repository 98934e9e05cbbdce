"""The Warriors: a Tribe card that may take the place of another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from endless_winter.content import Pack, load_pack
from endless_winter.content.modules.warriors import WarriorCard
from endless_winter.content.pack import pack_of
from endless_winter.rules.modules.warriors import parts_in, warrior_in
from endless_winter.rules.tables import NONE

if TYPE_CHECKING:
    from tests.content.support import Draft

FILE = "warriors.toml"


def test_the_warrior_is_as_the_rulebook_says(base: Pack) -> None:
    tables = base.tables
    card = tables.cards[warrior_in(tables)]
    assert (card.name, card.era) == ("warrior", 0)
    assert [ability.text for ability in card.abilities] == ["migrate: tool", "eclipse: march, raid"]
    parts = parts_in(tables)
    assert parts is not None
    assert tables.cards[parts.deck].name == "pathfinder"
    (entry,) = base.content.entries(WarriorCard)
    assert entry.copies == 15
    assert isinstance(entry.provenance, dict)
    assert entry.provenance["abilities"] == ("rulebook", "rulebook")
    assert entry.provenance["labor"] == "reconstructed"


def test_it_has_the_last_number_so_that_no_other_card_has_another_one(base: Pack) -> None:
    assert warrior_in(base.tables) == len(base.tables.cards) - 1
    assert warrior_in(base.tables) not in base.tables.tribe_cards


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('replaces = "pathfinder"', 'replaces = "shark"', 'unknown Tribe card "shark"'),
        ('id = "warrior"', 'id = "hunter"', "a tribe card has the same id"),
        ("copies = 15", "copies = 14", "14 copies, the game has 15"),
        ("labor = 1.5", "labor = 1.3", "Labor comes in halves"),
        ("eclipse: march, raid", "eclipse: march, raze", 'unknown icon "raze"'),
        ("eclipse: march, raid", "eclipse: march, trek", "their options are the same"),
        ('replaces = "rulebook"', "", 'no provenance for "replaces"'),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(
    draft: Draft, old: str, new: str, reason: str
) -> None:
    draft.edit(old, new, FILE)
    assert reason in draft.refusal()


def test_there_is_one_at_most(draft: Draft) -> None:
    path = draft.file(FILE)
    text = path.read_text(encoding="utf-8")
    path.write_text(text + text.replace('id = "warrior"', 'id = "raider"'), encoding="utf-8")
    assert "2 entries, the game has 1" in draft.refusal()


def test_a_pack_can_do_without(draft: Draft, base: Pack) -> None:
    draft.file(FILE).unlink()
    pack = load_pack(draft.main)
    assert warrior_in(pack.tables) == NONE
    assert b"warrior" not in pack.canonical
    assert pack_of(pack.canonical).digest == pack.digest
    assert pack_of(base.canonical).digest == base.digest
