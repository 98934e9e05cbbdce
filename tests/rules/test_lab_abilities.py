"""LAB: abilities of the cards above the board (see test_lab.py)."""

from __future__ import annotations

from typing import Any

import pytest

from endless_winter.rules import events, icons
from endless_winter.rules.options import source
from endless_winter.rules.sources import CARD
from endless_winter.rules.tables import Ability
from endless_winter.rules.turn import works_here
from tests.rules.scene import CARDS, TABLES, Scene, pool, scene

HUNTER, CRAFTER, WOMAN = CARDS["hunter"], CARDS["crafter"], CARDS["tribeswoman"]


READY = ((HUNTER, 0), (HUNTER, 1), (CRAFTER, 0), (CRAFTER, 1), (WOMAN, 0), (WOMAN, 0), (WOMAN, 1))


def pairs(*ready: tuple[int, int]) -> bytes:
    return b"".join(bytes(pair) for pair in ready)


def with_ready(*ready: tuple[int, int], **fields: Any) -> Scene:
    """Seat 0 has a figure in Hunt and these (card, ability) pairs above the board."""
    table = scene(2).player(0, **fields).turn(0).do("place tribe hunt")
    return table.table(ready=pairs(*ready))


@pytest.mark.rule("FIG-06", "LAB-02")
def test_where_an_ability_works() -> None:
    columns = (icons.INITIATE, icons.DEVELOP, icons.MIGRATE, icons.HUNT)
    for place in (*columns, icons.REST):
        assert works_here(icons.ANYWHERE, place)
        assert works_here(icons.ANY_COLUMN, place) == (place in columns)
        assert not works_here(icons.ECLIPSE, place)
        for where in columns:
            assert works_here(where, place) == (where == place)


@pytest.mark.rule("LAB-02")
def test_every_unused_ability_above_the_board_is_listed_once() -> None:
    assert sorted(READY) == list(READY)
    table = with_ready(*READY, food=1, above=["hunter", "crafter", "tribeswoman", "tribeswoman"])
    assert table.offers("use") == [
        "use hunter 0",
        "use hunter 1",
        "use crafter 0",
        "use crafter 1",
        "use tribeswoman 0",
        "use tribeswoman 1",
    ]
    assert with_ready(*READY[1:3]).offers("use") == ["use hunter 1", "use crafter 0"]


@pytest.mark.rule("LAB-02")
@pytest.mark.parametrize(
    "before",
    [
        (),
        ((HUNTER, 1), (CRAFTER, 1)),
        ((WOMAN, 0),),
        ((HUNTER, 1), (WOMAN, 1)),
        ((WOMAN + 1, 0),),
        ((WOMAN - 1, 1), (WOMAN, 0), (WOMAN, 1), (WOMAN + 1, 0)),
    ],
)
def test_abilities_above_the_board_are_in_order_whenever_they_came(
    before: tuple[tuple[int, int], ...],
) -> None:
    table = scene(2).player(0, hand=["tribeswoman"]).turn(0).do("place tribe hunt")
    table.position.ready = pairs(*before)
    table.do("play tribeswoman")
    assert table.position.ready == pairs(*sorted((*before, (WOMAN, 0))))


@pytest.mark.rule("LAB-02")
def test_only_plain_labor_of_a_played_card_is_added_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    printed = [
        Ability(pool("labor 2"), where=icons.ECLIPSE),
        Ability(pool("labor 4"), where=icons.MIGRATE),
        Ability(pool("labor 8"), where=icons.HUNT),
        Ability(pool("labor 16, tool"), where=icons.HUNT),
        Ability(pool("labor 32"), cost=pool("food"), where=icons.ANY_COLUMN),
        Ability(pool("labor 64"), when=icons.CAMPS_PLACED, amount=1),
        Ability(pool("tool"), where=icons.HUNT),
    ]
    monkeypatch.setattr(TABLES.cards[HUNTER], "abilities", printed)
    table = scene(2).player(0, hand=["hunter"] * 2).turn(0).do("place tribe hunt", "play hunter")
    assert table.position.labor == TABLES.cards[HUNTER].labor + 8
    assert table.position.ready == pairs(*((HUNTER, number) for number in (3, 4, 5, 6)))
    table.do("play hunter")
    twice = (3, 3, 4, 4, 5, 5, 6, 6)
    assert table.position.ready == pairs(*((HUNTER, number) for number in twice))


@pytest.mark.rule("LAB-03")
@pytest.mark.parametrize("used", sorted(set(READY)))
def test_an_ability_above_the_board_that_is_used_is_gone_and_no_other(
    used: tuple[int, int],
) -> None:
    table = with_ready(*READY, food=1, above=["hunter", "crafter", "tribeswoman", "tribeswoman"])
    table.do(f"use {TABLES.cards[used[0]].name} {used[1]}")
    left = list(READY)
    left.remove(used)
    assert table.position.ready == pairs(*left)


def test_labor_from_an_ability_is_an_event() -> None:
    song = source(CARD, CARDS["working_song"])
    table = scene(2).player(1, hand=["working_song"]).turn(1).listen()
    table.do("culture working_song")
    assert (events.LABOR_GAINED, 1, 3, 0, b"", song) in table.events
