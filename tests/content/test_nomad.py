"""The Nomad's cards: what a pack must hold for solo games."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING

import pytest

from endless_winter.content import ContentError, Pack, load, load_pack
from endless_winter.content.pack import pack_of
from endless_winter.rules.nomad.actions import ACTIONS

if TYPE_CHECKING:
    from tests.content.support import Draft

FILE = "nomad.toml"


def test_the_16_cards_are_every_pairing_of_column_and_arrows(base: Pack) -> None:
    cards = base.tables.nomad_cards
    pairings = {(card.column, card.right, card.down) for card in cards}
    assert len(cards) == 16
    assert pairings == set(product((1, 2, 3, 4), (False, True), (False, True)))


def test_each_cell_holds_one_to_three_actions(base: Pack) -> None:
    for card in base.tables.nomad_cards:
        assert card.cells[0] == b""
        for cell in card.cells[1:]:
            assert 1 <= len(cell) // 2 <= 3
            assert set(cell[::2]) <= set(ACTIONS.values())


def test_every_action_stands_on_some_card(base: Pack) -> None:
    shown = Counter(
        action for card in base.tables.nomad_cards for cell in card.cells for action in cell[::2]
    )
    assert shown.keys() >= set(ACTIONS.values()) - {ACTIONS["point"]}


def test_the_6_map_cards_show_two_inner_and_three_outer_hexes_in_a_row(base: Pack) -> None:
    cards = base.tables.map_cards
    assert len(cards) == 6
    assert len({card.inner for card in cards}) == 6
    for card in cards:
        assert (card.inner[1] - card.inner[0]) % 6 == 1
        assert [(b - a) % 12 for a, b in zip(card.outer, card.outer[1:], strict=False)] == [1, 1]


def test_reconstructed_cells_say_so(base: Pack) -> None:
    for card in base.content.nomad_card:
        assert isinstance(card.provenance, dict)
        assert card.provenance["hunt"] == "reconstructed"
        assert card.provenance["column"] == "inferred"


@pytest.mark.parametrize(
    ("entry", "old", "new", "reason"),
    [
        ("ash_circle", '"down"', '"up"', 'points to initiate, left, up like "first_light"'),
        ("ash_circle", "labor = 0.5", "labor = 0.3", "Labor comes in halves"),
        ("ash_circle", 'column = "initiate"', 'column = "rest"', "Invalid enum value"),
        ("ash_circle", 'develop = "', 'develop = "dance, ', 'no action "dance"'),
        ("ash_circle", 'develop = "', 'develop = "tool 4, ', "a cell has 1 to 3"),
        ("ash_circle", 'develop = "', 'develop = "tool 0, ', "not a number from 1 to 9"),
        ("ash_circle", 'develop = "', 'develop = "tool two, ', "not a number from 1 to 9"),
        ("west", "inner = [5, 6]", "inner = [4, 6]", "side by side"),
        ("west", "inner = [5, 6]", "inner = [5, 7]", "side by side"),
        ("west", "inner = [5, 6]", "inner = [5]", "side by side"),
        ("west", "outer = [", "outer = [6, ", "in a row"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(
    draft: Draft, entry: str, old: str, new: str, reason: str
) -> None:
    draft.edit_entry(entry, old, new, FILE)
    with pytest.raises(ContentError) as refused:
        load(draft.main)
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)
    assert str(refused.value).startswith(FILE)


@pytest.mark.parametrize(("section", "number"), [("nomad_card", 16), ("map_card", 6)])
def test_a_card_too_few_is_refused(draft: Draft, section: str, number: int) -> None:
    path = draft.file(FILE)
    head, mark, tail = path.read_text(encoding="utf-8").partition(f"[[{section}]]")
    _, _, rest = tail.partition(f"[[{section}]]")
    path.write_text(f"{head}{mark}{rest}", encoding="utf-8")
    with pytest.raises(ContentError, match=f"{number - 1} entries, the game has {number}"):
        load(draft.main)


def test_all_or_none(draft: Draft, base: Pack) -> None:
    """A pack without them is a pack, with the hash that it always had."""
    draft.file("nomad.toml").unlink()
    pack = load_pack(draft.main)
    assert pack.tables.nomad_cards == []
    assert pack.digest != base.digest
    assert b"nomad" not in pack.canonical
    assert pack_of(pack.canonical).digest == pack.digest
    assert pack_of(base.canonical).digest == base.digest
