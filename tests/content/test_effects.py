"""The effect language."""

from __future__ import annotations

import pytest

from endless_winter.content.effects import (
    EffectError,
    parse_ability,
    parse_pool,
    pool_text,
    shape,
)
from endless_winter.rules import icons


def test_an_ability_has_place_condition_cost_and_gains() -> None:
    ability = parse_ability("hunt: same 2 ? food 3, tool -> labor 1.5, idol 2")
    assert ability.where == icons.HUNT
    assert (ability.when, ability.amount) == (icons.SAME_ANIMALS, 2)
    assert ability.cost == bytes([icons.FOOD, 3, icons.TOOL, 1])
    assert ability.gains == bytes([icons.LABOR, 3, icons.IDOL, 2])


def test_what_is_left_out_has_its_plain_meaning() -> None:
    ability = parse_ability("food")
    assert (ability.where, ability.when, ability.amount) == (icons.ANYWHERE, icons.ALWAYS, 0)
    assert ability.cost == b""
    assert ability.gains == bytes([icons.FOOD, 1])


def test_labor_is_counted_in_halves() -> None:
    halves = {text: parse_pool(text)[1] for text in ("labor", "labor 0.5", "labor 1.5", "labor 2")}
    assert halves == {"labor": 2, "labor 0.5": 1, "labor 1.5": 3, "labor 2": 4}


def test_trek_is_two_moves() -> None:
    assert parse_pool("trek") == parse_pool("move 2") == bytes([icons.MOVE, 2])


def test_gains_keep_the_printed_order() -> None:
    assert parse_pool("tool, food") == bytes([icons.TOOL, 1, icons.FOOD, 1])


def test_an_empty_text_is_an_empty_pool() -> None:
    assert parse_pool("") == parse_pool("  ") == b""


@pytest.mark.parametrize("icon", range(1, len(icons.ICON_NAMES)))
def test_every_icon_has_its_word(icon: int) -> None:
    name = icons.ICON_NAMES[icon]
    pool = parse_ability(f"{name} -> food").cost if icon == icons.DISCARD else parse_pool(name)
    assert pool[0] == icon
    assert pool[1] == (2 if icon == icons.LABOR else 1)


@pytest.mark.parametrize("where", range(icons.INITIATE, icons.REST))
def test_every_place_has_its_word(where: int) -> None:
    assert parse_ability(f"{icons.WHERE_NAMES[where]}: food").where == where


@pytest.mark.parametrize("when", range(1, len(icons.CONDITION_NAMES)))
def test_every_condition_has_its_word(when: int) -> None:
    ability = parse_ability(f"{icons.CONDITION_NAMES[when]} 3 ? food")
    assert (ability.when, ability.amount) == (when, 3)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("food 1", "food"),
        (" hunt :labor", "hunt: labor 1"),
        ("same  2?food->tool", "same 2 ? food -> tool"),
        (
            "action: camps 3 ? discard 2 -> trek , point 3",
            "action: camps 3 ? discard 2 -> move 2, point 3",
        ),
    ],
)
def test_an_ability_knows_its_canonical_text(text: str, canonical: str) -> None:
    ability = parse_ability(text)
    assert ability.text == canonical
    again = parse_ability(canonical)
    assert again.text == canonical
    assert (again.where, again.when, again.amount, again.cost, again.gains) == (
        ability.where,
        ability.when,
        ability.amount,
        ability.cost,
        ability.gains,
    )


def test_a_pool_prints_as_it_is_read() -> None:
    text = "food 2, tool, labor 1.5, point 10"
    assert pool_text(parse_pool(text)) == text


def test_a_shape_forgets_amounts_and_order_only() -> None:
    first = shape(parse_ability("same 2 ? food -> tool, idol 2"))
    assert first == shape(parse_ability("same 3 ? food 2 -> idol, tool"))
    others = ["different 2 ? food -> tool, idol", "food -> tool, idol", "same 2 ? tool, idol"]
    assert first not in {shape(parse_ability(text)) for text in others}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is not an icon"),
        ("food,", "is not an icon"),
        ("2 food", "is not an icon"),
        ("Food", "is not an icon"),
        ("food 2 tool", "is not an icon"),
        ("food -1", "is not an icon"),
        ("food 99999999999999999999", "is not an icon"),
        ("food \N{ARABIC-INDIC DIGIT TWO}", "is not an icon"),
        ("food 2 -> tol", 'unknown icon "tol"'),
        ("none", 'unknown icon "none"'),
        ("food 0", "a whole number from 1"),
        ("food 21", "a whole number from 1"),
        ("tool 1.5", "a whole number from 1"),
        ("labor 0", "comes in halves"),
        ("labor 0.25", "comes in halves"),
        ("labor 100", "comes in halves"),
        ("feast 2", '"feast" has no amount'),
        ("food, food 2", '"food" stands twice in the gain'),
        ("move, trek", '"move" stands twice in the gain'),
        ("food, food -> tool", '"food" stands twice in the cost'),
        ("idol -> tool", '"idol" cannot be a cost'),
        ("discard", '"discard" is a cost'),
        ("food -> discard", '"discard" is a cost'),
        ("food -> tool -> idol", "is not an icon"),
        ("-> food", "is not an icon"),
        ("food ->", "is not an icon"),
        ("forest: food", 'unknown place "forest"'),
        ("rest: food", 'unknown place "rest"'),
        ("anywhere: food", 'unknown place "anywhere"'),
        ("hunt: eclipse: food", "is not an icon"),
        ("cards 2 ? food", 'unknown condition "cards"'),
        ("always 1 ? food", 'unknown condition "always"'),
        ("same ? food", "needs a number"),
        ("same 0 ? food", "needs a number"),
        ("2 same ? food", "not a word and a number"),
        ("same 2 ? camps 2 ? food", "is not an icon"),
    ],
)
def test_a_text_that_is_no_effect_is_refused(text: str, reason: str) -> None:
    with pytest.raises(EffectError) as caught:
        parse_ability(text)
    assert reason in str(caught.value)
