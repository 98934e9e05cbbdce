"""ICO: which abilities can be used, and which of several are used without a question."""

from __future__ import annotations

import pytest

from endless_winter.rules import board, gains, icons
from endless_winter.rules.sources import CARD
from endless_winter.rules.tables import Ability
from tests.rules.scene import CARDS, Scene, pool, scene


def ability(gain: str, cost: str = "", when: int = icons.ALWAYS, amount: int = 0) -> Ability:
    return Ability(pool(gain), pool(cost) if cost else b"", when=when, amount=amount)


def usable(table: Scene, gain: str, cost: str = "") -> bool:
    return gains.usable(table.position, table.at(0), ability(gain, cost))


def used_at_once(table: Scene, *abilities: Ability) -> list[int]:
    elders = [CARDS["elder"]] * len(abilities)
    return gains.resolve_sources(table.position, table.at(0), list(abilities), CARD, elders)


RHINO, SLOTH, EAGLE = "woolly_rhino", "ground_sloth", "argentavis"


@pytest.mark.rule("ICO-01")
@pytest.mark.parametrize("cost", ["", "tool"])
def test_an_ability_is_usable_if_any_of_its_benefits_can_be_had(cost: str) -> None:
    table = scene(2).player(0, food=6, tools=5)
    for nothing in ("bury", "bury, tip", "tip 2, bury 2, reveal 3"):
        assert not usable(table.animal_deck(), nothing, cost)
        assert usable(table, f"camp, {nothing}", cost)
        assert usable(table, f"{nothing}, camp", cost)


@pytest.mark.rule("ICO-01")
def test_paying_makes_room_so_a_full_store_is_no_reason_to_refuse() -> None:
    table = scene(2).player(0, food=6, tools=5)
    for gain in ("food", "tool", "feast", "bury, feast"):
        assert usable(table, gain, "food")
        assert not usable(table, gain)


@pytest.mark.rule("ICO-02")
@pytest.mark.parametrize(
    ("when", "amount", "animals", "met"),
    [
        (icons.ALWAYS, 0, [], True),
        (icons.SAME_ANIMALS, 2, [RHINO, RHINO, SLOTH], True),
        (icons.SAME_ANIMALS, 2, [RHINO, SLOTH, SLOTH], True),
        (icons.SAME_ANIMALS, 2, [RHINO, SLOTH], False),
        (icons.SAME_ANIMALS, 3, [RHINO, EAGLE, EAGLE], True),
        (icons.SAME_ANIMALS, 2, [EAGLE, EAGLE, EAGLE], False),
        (icons.WILD_ANIMALS, 2, [EAGLE, EAGLE], True),
        (icons.WILD_ANIMALS, 2, [EAGLE, RHINO], False),
        (icons.WILD_ANIMALS, 3, [EAGLE, EAGLE, SLOTH], False),
    ],
)
def test_a_condition_counts_animals(when: int, amount: int, animals: list[str], met: bool) -> None:
    table = scene(2).player(0, animals=animals)
    condition = ability("point", when=when, amount=amount)
    assert board.holds(table.position, table.at(0), condition) is met


def test_an_ability_is_usable_if_it_brings_a_point_or_the_last_food_that_fits() -> None:
    table = scene(2).animal_deck().player(0, food=5, tools=5)
    assert usable(table, "animal")
    assert usable(table, "tool")
    assert not usable(table.player(0, food=6), "tool")
    assert not usable(table.animal_deck("glyptodon"), "animal")


def test_a_source_with_a_cost_is_never_used_without_a_question() -> None:
    table = scene(2).player(0, food=2)
    assert used_at_once(table, ability("point 2", "food"), ability("food", "food")) == []
    assert used_at_once(table, ability("labor 2", "food"), ability("food 3", "food")) == []
    assert (table.score(0), table.at(0).food, table.position.labor) == (0, 2, 0)


def test_a_cost_that_another_source_has_made_payable_is_still_a_question() -> None:
    table = scene(2)
    assert used_at_once(table, ability("point 2", "food"), ability("food")) == [1]
    assert (table.score(0), table.at(0).food) == (0, 1)


def test_a_source_whose_condition_is_met_is_used_at_once_if_it_fits() -> None:
    table = scene(2)
    met = ability("point 2", when=icons.CAMPS_PLACED, amount=1)
    assert used_at_once(table, met, ability("camp")) == [0]
    assert table.score(0) == 2


def test_sources_that_fit_are_used_at_once() -> None:
    table = scene(2).player(0, food=2)
    assert used_at_once(table, ability("point 3"), ability("food 4"), ability("labor 1")) == [
        0,
        1,
        2,
    ]
    assert (table.score(0), table.at(0).food, table.position.labor) == (3, 6, 1)


def test_a_source_fits_only_if_all_of_its_food_does() -> None:
    table = scene(2).player(0, food=5)
    assert used_at_once(table, ability("point, food 2"), ability("camp")) == []
    assert used_at_once(table, ability("point 2, food"), ability("camp")) == [0]
    assert (table.score(0), table.at(0).food) == (2, 6)


def test_food_waits_for_a_source_that_asks_for_its_cost() -> None:
    table = scene(2).player(0, food=5, tools=1)
    assert used_at_once(table, ability("food 3"), ability("food 2", "tool")) == []
    assert used_at_once(table, ability("food 3"), ability("food 2", "tool 2")) == [0]
    assert (table.at(0).food, table.at(0).tools) == (6, 1)


def test_a_source_that_has_waited_in_vain_is_used_up() -> None:
    table = scene(2).player(0, food=5)
    assert used_at_once(table, ability("point 2, food 3"), ability("bury")) == [0]
    assert (table.score(0), table.at(0).food) == (2, 6)
    table.player(0, food=5)
    assert used_at_once(table, ability("labor 2, food 3"), ability("bury")) == [0]
    assert (table.position.labor, table.at(0).food) == (2, 6)


def test_a_source_whose_condition_is_not_met_gives_nothing() -> None:
    table = scene(2).player(0, food=5)
    unmet = ability("point 2, food 3", when=icons.CAMPS_PLACED, amount=2)
    met = ability("point 2, food 3", when=icons.CAMPS_PLACED, amount=1)
    assert used_at_once(table, unmet) == []
    assert (table.score(0), table.at(0).food) == (0, 5)
    assert used_at_once(table, met) == [0]
    assert (table.score(0), table.at(0).food) == (2, 6)
