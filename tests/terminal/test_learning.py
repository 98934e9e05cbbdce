"""What a new player is told: the game in one screen, costs in the look-up, hints."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from textual.containers import VerticalScroll
from textual.widgets import Static

from endless_winter.bots import named
from endless_winter.cli.replay_moments import moments_of
from endless_winter.sdk import Hint, LocalTable, hint_text, hints
from endless_winter.terminal.app import TableApp
from endless_winter.terminal.guide import Guide, plain_game
from endless_winter.terminal.lookup import entries
from tests.cli.test_replay_review import MINE, record
from tests.engine.desk import PACK
from tests.terminal.offline import OfflineTable
from tests.terminal.test_app import Noted
from tests.terminal.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.sdk import Decision, View

SIZES = ((100, 32), (140, 45))


def decisions(seed: int, every: int, most: int = 120) -> Iterator[tuple[Decision, View]]:
    table, player = LocalTable(seed=seed), named("quick")()
    for number in range(most):
        if table.over:
            return
        decision, view = table.decision, table.view(table.seat)
        if number % every == 0:
            yield decision, view
        table.play(player.choose(decision, view))


# --- the game in one screen ---


@pytest.mark.parametrize("size", SIZES)
async def test_the_game_fits_one_screen_of_help(size: tuple[int, int]) -> None:
    app = TableApp(Noted(1, 16))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await pilot.press("?")
        assert isinstance(app.screen, Guide)
        await pilot.pause()
        frame = app.screen.query_one(VerticalScroll)
        assert frame.border_title == "The game"
        assert frame.max_scroll_y == 0
        said = str(app.screen.query_one(Static).render())
        assert "The most points after four rounds" in said
        await pilot.press("tab")
        assert frame.border_title == "Keys and signs"
        await pilot.press("tab", "escape")
        assert len(app.screen_stack) == 2  # the table again


def test_the_game_names_goal_phases_and_scoring() -> None:
    text = "\n".join(plain_game())
    words = ("Goal.", "A round", "Action phase", "Eclipse", "Preparation", "Points in the end:")
    assert [word for word in words if word not in text] == []
    assert max(map(len, plain_game())) <= 96


def test_the_costs_in_the_help_are_those_that_are_printed() -> None:
    rows = {line.split()[0]: line for line in plain_game() if "   " in line}
    costs = {
        "Initiate": ("1 Labor, 1 Tool", "1 Food"),
        "Develop": ("3 Labor",),
        "Migrate": ("1 Tool", "1 Labor", "3 Food, 3 Camps"),
        "Hunt": ("1 Labor", "1 Labor, 1 Tool"),
    }
    printed = {
        one.title: " ".join(one.lines)
        for one in entries(LocalTable(seed=1).catalog)
        if one.kind == "Board"
    }
    for column, wanted in costs.items():
        for cost in wanted:
            assert cost in rows[column]
            first = cost.split(", ")[0]
            assert f"for {first}" in printed[column], printed[column]
    animal = LocalTable(seed=1).catalog.animal("glyptodon")
    said = ", ".join(map(str, animal.set_points[:-1]))
    assert f"{said} or {animal.set_points[-1]}" in " ".join(plain_game())


def test_a_column_is_looked_up_with_what_its_actions_cost() -> None:
    found = {one.title: one.lines for one in entries(LocalTable(seed=1).catalog)}
    assert found["Initiate"][0].endswith("a Tribe card into hand, for 1 Labor and 1 Tool.")
    assert "for 3 Food and the 3 Camps around it" in found["Migrate"][1]
    assert found["Hunt"][-1] == "A section closes those above it."
    assert found["Rest"] == ("In order: draw a card; tip an Animal.",)


# --- hints ---


def test_a_hint_is_what_heuristic_looks_for_and_says_why() -> None:
    for decision, view in decisions(3, 7):
        best, *others = hints(decision, view)
        assert best.option in decision.options
        assert best.why
        assert all(best.points >= one.points for one in others)
        text = hint_text([best, *others])
        assert text.startswith(f"Hint: {best.option.label}: ")
        assert text.endswith(".")
        assert "_" not in text


def test_a_hint_follows_from_what_the_seat_knows_and_from_nothing_else() -> None:
    """Two games that differ in what the seat has not seen."""
    one, two = (moments_of(record(card), PACK)[MINE] for card in ("tribesman", "tribeswoman"))
    said = [
        [hint_text(hints(moment.decision, moment.view)) for moment in moments]
        for moments in (one, two)
    ]
    assert len(said[0]) > 10
    assert said[0] == said[1]


def test_where_there_is_no_choice_the_hint_says_so() -> None:
    for decision, view in decisions(4, 1):
        if len(decision.options) == 1:
            only = decision.options[0]
            assert hints(decision, view) == [Hint(only, 0.0, "there is nothing else to do")]
            return


async def pressed(table: OfflineTable) -> tuple[TableApp, str]:
    """The note on the screen after the key for a hint."""
    app = TableApp(table)
    async with app.run_test(size=SIZES[0]) as pilot:
        await pilot.pause()
        await pilot.press("!")
        sheet = app.at_table.sheet
        await until(pilot, lambda: bool(sheet.note) and not sheet.note.startswith("Thinking"))
        return app, app.at_table.sheet.note


async def test_the_hint_key_says_what_to_do_and_leads_the_cursor_there() -> None:
    table = OfflineTable(0, [named("quick")()], seed=16)
    app, note = await pressed(table)
    picker, view = app.at_table.sheet.picker, app.at_table.desk.view
    assert picker is not None
    assert view is not None
    best = hints(picker.decision, view)[0].option
    assert picker.current == best
    assert re.match(rf"Hint: {re.escape(best.label)}: ", note)
    assert table.game.decision.id == picker.decision.id  # nothing was chosen


async def test_a_game_with_other_cards_has_no_hints_and_goes_on() -> None:
    table = Noted(1, 16)  # its content pack is another than the engine's
    app, note = await pressed(table)
    assert note == "There is no hint: this game has other cards than this program."
    assert app.at_table.sheet.picker is not None
