"""The Sea Cows: a type of Animal that only games with Rivers & Rafts know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from endless_winter.content import Pack, load_pack, pool_text
from endless_winter.content.modules.sea_cows import SeaCow
from endless_winter.content.pack import pack_of
from endless_winter.rules.modules.sea_cows import sea_cow_in
from endless_winter.rules.tables import NONE

if TYPE_CHECKING:
    from tests.content.support import Draft

FILE = "sea_cows.toml"


def test_the_sea_cow_is_as_the_rulebook_says(base: Pack) -> None:
    animal = base.tables.animals[sea_cow_in(base.tables)]
    assert (animal.name, animal.copies, animal.sets, animal.wild) == ("sea_cow", 5, [2, 5], False)
    assert pool_text(animal.tip) == "fish 2"
    (entry,) = base.content.entries(SeaCow)
    assert entry.provenance == "rulebook"


def test_it_is_the_last_of_the_animals_and_not_among_the_60_cards(base: Pack) -> None:
    assert sea_cow_in(base.tables) == len(base.tables.animals) - 1
    assert len(base.tables.animal_copies) == 60
    assert sea_cow_in(base.tables) not in base.tables.animal_copies


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("copies = 5", "copies = 6", "6 copies, the game has 5"),
        ('id = "sea_cow"', 'id = "argentavis"', "an animal has the same id"),
        ("sets = [2, 5]", "sets = [5, 2]", "more cards score less"),
        ("sets = [2, 5]", "sets = []", "no points for any number of cards"),
        ('tip = "fish 2"', 'tip = ""', "no benefit"),
        ('tip = "fish 2"', 'tip = "volcano"', 'unknown icon "volcano"'),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(
    draft: Draft, old: str, new: str, reason: str
) -> None:
    draft.edit(old, new, FILE)
    assert reason in draft.refusal()
    assert draft.refusal().startswith(FILE)


def test_there_is_one_type_at_most(draft: Draft) -> None:
    path = draft.file(FILE)
    text = path.read_text(encoding="utf-8")
    path.write_text(text + text.replace('id = "sea_cow"', 'id = "manatee"'), encoding="utf-8")
    assert "2 entries, the game has 1" in draft.refusal()


@pytest.mark.parametrize("icon", ["fish", "raid"])
def test_icons_of_modules_stand_on_cards_only(draft: Draft, icon: str) -> None:
    draft.edit_entry("steppe", 'benefit = "', f'benefit = "{icon}, ')
    assert "icons of modules stand on cards only" in draft.refusal()


def test_a_pack_can_do_without(draft: Draft, base: Pack) -> None:
    draft.file(FILE).unlink()
    pack = load_pack(draft.main)
    assert sea_cow_in(pack.tables) == NONE
    assert b"sea_cow" not in pack.canonical
    assert pack_of(pack.canonical).digest == pack.digest
    assert pack_of(base.canonical).digest == base.digest
