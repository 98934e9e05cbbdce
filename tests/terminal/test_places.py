"""Whatever an option concerns is to be seen, and shines when the cursor is on the option."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from endless_winter.terminal import places
from endless_winter.terminal import sheet as sheets
from endless_winter.terminal.panels.look import LIT
from endless_winter.terminal.view_text import place_text
from endless_winter.v1 import config_pb2, ids_pb2
from tests.terminal.games import positions, sheet_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from endless_winter.sdk import LocalTable

# What concerns no place: it is about the turn as a whole.
NOWHERE = {"end_turn", "leave", "decline", "finish_pile", "end_step"}


def kinds_that_shine(game: Iterable[LocalTable]) -> set[str]:
    """Kinds of the places of options in a game, after a look whether all of them shine."""
    kinds: set[str] = set()
    for step, table in enumerate(game):
        if step % 2:
            continue
        sheet = sheet_of(table, step // 2 % len(table.decision.options))
        assert sheet.picker is not None
        option = sheet.picker.current
        main = sheet.picker.main
        if main is None:
            assert option.raw.move.WhichOneof("action") in NOWHERE, option
            continue
        canvas = sheets.draw(sheet, *sheets.LEAST)
        spots = list(canvas.spots(main))
        assert spots, f"{option}: {main} is not to be seen on {sheet.page}"
        assert any(canvas.style_at(*spot).bgcolor == LIT.bgcolor for spot in spots), option
        kinds.add(main.kind)
    return kinds


@pytest.mark.parametrize(
    ("players", "seed", "modules"), [(2, 1, False), (3, 2, True), (4, 3, False)]
)
def test_the_place_of_each_option_is_on_the_screen_and_shines(
    players: int, seed: int, modules: bool
) -> None:
    kinds = kinds_that_shine(positions(players, seed, modules=modules))
    assert {"hex", "space", "hand", "track", "grounds"} <= kinds


def test_on_the_river_too() -> None:
    games = ((3, 19, 1), (3, 10, 3))
    kinds: set[str] = set()
    for players, seed, landmarks in games:
        kinds |= kinds_that_shine(positions(players, seed, landmarks=landmarks))
    assert {"setup", "base site", "starting base", "river", "juncture"} <= kinds


def test_what_is_drafted_lies_on_the_table() -> None:
    draft = config_pb2.SETUP_VARIANT_CHIEF_AND_SETUP_DRAFT
    kinds: list[str] = []
    for table in positions(4, 6, variant=draft, steps=9):
        sheet = sheet_of(table, 1)
        assert sheet.picker is not None
        assert sheet.scene is not None
        main = sheet.picker.main
        assert main is not None
        canvas = sheets.draw(sheet, *sheets.LEAST)
        assert list(canvas.spots(main))
        assert place_text(sheet.scene, main)
        kinds.append(main.kind)
    assert kinds[:8] == ["setup"] * 8


def test_a_hand_too_large_for_the_tray_is_shown_and_other_piles_give_way() -> None:
    table = next(table for table in positions(2, 4) if table.view(table.seat).round == 2)
    view = table.view(table.seat)
    ids = sorted(card.item.id for card in view.catalog.raw.cards)
    del view.private.hand[:]
    view.private.hand.extend(ids_pb2.CardCount(card_id=one, count=1) for one in ids[:10])
    view.me.raw.discard_pile.extend(ids_pb2.CardCount(card_id=one, count=1) for one in ids[10:40])
    canvas = sheets.draw(sheet_of(table), *sheets.LEAST)
    assert all(list(canvas.spots(places.hand(one))) for one in ids[:10])
    assert any("Discard" in line for line in canvas.lines()[-6:])


@pytest.mark.parametrize("landmarks", [0, 3])
def test_every_place_that_can_be_chosen_is_described_in_words(landmarks: int) -> None:
    silent: set[str] = set()
    for table in positions(3, 5, modules=True, landmarks=landmarks):
        sheet = sheet_of(table)
        assert sheet.scene is not None
        assert sheet.picker is not None
        silent |= {
            place.kind for place in sheet.picker.offered if not place_text(sheet.scene, place)
        }
    # The stores, decks and points say what they are by themselves.
    assert silent <= {"tools", "labor", "score", "rest token"}


def test_a_window_of_any_size_is_drawn() -> None:
    table = next(iter(positions(4, 7)))
    for width, height in ((20, 5), (80, 24), (99, 32), (100, 31), (100, 32), (133, 40), (260, 90)):
        canvas = sheets.draw(sheet_of(table), width, height)
        said = "\n".join(canvas.lines())
        small = width < sheets.LEAST[0] or height < sheets.LEAST[1]
        assert ("too small" in " ".join(said.split())) == small
        assert ("Which side of your Chief?" in said) == (not small)
