"""The full-screen client, played by keys and by mouse on a local table."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from endless_winter.terminal.app import TableApp
from endless_winter.terminal.guide import Guide
from endless_winter.terminal.panels.look import LIT
from endless_winter.terminal.picker import KEYS
from endless_winter.terminal.places import hex_place, option_place
from endless_winter.terminal.screens import LookUp
from tests.terminal.games import PACK, chooser
from tests.terminal.offline import OfflineTable
from tests.terminal.waiting import until

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.pilot import Pilot

    from endless_winter.sdk import Decision, Option
    from endless_winter.terminal.app import TableScreen
    from endless_winter.terminal.places import Place
    from endless_winter.v1 import config_pb2

SIZE = (100, 32)
DULL = ("end", "leave", "done", "place tribe rest", "place chief rest")


class Noted(OfflineTable):
    """A local game that remembers what was chosen, and what shone on the screen then."""

    def __init__(self, bots: int, seed: int, config: config_pb2.GameConfig | None = None) -> None:
        others = [chooser(seed + one) for one in range(bots)]
        super().__init__(0, others, seed=seed, pack=PACK, config=config)  # type: ignore[arg-type]
        self.screen: TableScreen | None = None
        self.chosen: list[tuple[Decision, Option, frozenset[Place]]] = []

    async def choose(self, decision: Decision, option: Option) -> None:
        assert self.screen is not None
        scene = self.screen.sheet.scene
        assert scene is not None
        self.chosen.append((decision, option, scene.lit))
        await super().choose(decision, option)


def shining(screen: TableScreen, place: Place) -> bool:
    canvas = screen.drawing.canvas
    return any(canvas.style_at(*spot).bgcolor == LIT.bgcolor for spot in canvas.spots(place))


def goal_of(option: Option) -> int | None:
    """The hex to which an option moves an own Camp."""
    move = option.raw.move
    if move.HasField("move_camp"):
        return move.move_camp.to_hex
    target = move.gain.target
    own = target.HasField("camp_move") and not target.camp_move.owner_seat
    return target.camp_move.to_hex if own else None


async def whole_game(
    table: Noted,
    pick: Callable[[TableApp, Pilot[None], Option], Awaitable[None]],
    limit: int = 10_000,
    keen_on: tuple[str, ...] = (),
) -> None:
    """Play every decision by `pick`, by a seeded choice that is not the default where it can be.

    With a `limit`, so many decisions. Options with words that one is `keen_on` come first, mostly.
    """
    app = TableApp(table)
    table.screen = app.at_table
    chance = random.Random(4)
    moved = 0
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        while (picker := app.at_table.sheet.picker) is not None:
            options = picker.decision.options
            busy = [one for one in options if not one.is_default and one.text not in DULL]
            keen = [one for one in options if any(word in one.text for word in keen_on)]
            if not keen or chance.random() < 0.3:
                keen = busy or [*options]
            wanted = chance.choice(keen)
            done = len(table.chosen)
            if done == limit:
                return
            await pick(app, pilot, wanted)
            if len(table.chosen) == done:  # it cannot be taken back, and is asked once more
                assert app.at_table.sheet.asking == wanted
                await pilot.press("enter")
                await pilot.pause()
            assert len(table.chosen) == done + 1
            decision, option, lit = table.chosen[-1]
            assert (decision.id, option.text) == (picker.decision.id, wanted.text)
            assert lit == frozenset(picker.places[wanted.id])
            there = goal_of(wanted)
            if there is not None:  # what shone is where the Camp stands now
                assert hex_place(there) in lit
                camps = table.game.view(0).public.terrain.hexes[there].camps
                assert any(count.seat == 0 for count in camps)
                moved += 1
        assert app.at_table.sheet.page == "Result"
        said = "\n".join(app.at_table.drawing.canvas.lines())
        assert "The game is over" in said
    assert table.game.over
    assert moved
    picked = [option for _, option, _ in table.chosen]
    assert len(picked) > 60
    assert sum(not option.is_default for option in picked) > len(picked) // 2


async def by_key(app: TableApp, pilot: Pilot[None], wanted: Option) -> None:
    del app
    await pilot.press(KEYS[wanted.id])
    await pilot.pause()


async def by_arrows(app: TableApp, pilot: Pilot[None], wanted: Option) -> None:
    screen = app.at_table
    assert screen.sheet.picker is not None
    await pilot.press(*["down"] * wanted.id)
    assert screen.sheet.picker.current == wanted
    main = screen.sheet.picker.main
    assert main is None or shining(screen, main)
    await pilot.press("enter")
    await pilot.pause()


def by_mouse(clicked: set[str]) -> Callable[[TableApp, Pilot[None], Option], Awaitable[None]]:
    """Click on a place of the option, or on its line; `clicked` gets the kinds of places."""

    async def click(app: TableApp, pilot: Pilot[None], wanted: Option) -> None:
        screen = app.at_table
        picker = screen.sheet.picker
        assert picker is not None
        canvas = screen.drawing.canvas
        for place in picker.places[wanted.id]:
            spots = list(canvas.spots(place))
            if spots:
                clicked.add(place.kind)
                await pilot.click(offset=spots[len(spots) // 2])
                await pilot.pause()
                break
        if screen.sheet.picker is not picker or screen.sheet.asking == wanted:
            return
        screen.sheet.asking = None  # the place meant another option: the list decides
        canvas = screen.drawing.canvas
        lines = list(canvas.spots(option_place(wanted.id)))
        while not lines:  # further down the list
            await pilot.press("down")
            lines = list(screen.drawing.canvas.spots(option_place(wanted.id)))
        await pilot.click(offset=lines[0])
        await pilot.pause()

    return click


async def test_a_whole_game_is_played_by_keys() -> None:
    await whole_game(Noted(1, 11), by_key)


async def test_arrows_move_the_cursor_and_the_place_shines_before_enter() -> None:
    await whole_game(Noted(2, 12), by_arrows, limit=20)


async def test_a_whole_game_is_played_by_mouse() -> None:
    clicked: set[str] = set()
    await whole_game(Noted(1, 14), by_mouse(clicked))
    assert {"hex", "space", "hand"} <= clicked


async def test_choices_are_taken_back_until_nothing_is_left() -> None:
    table = Noted(1, 14)
    app = TableApp(table, confirm=False)
    table.screen = app.at_table
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press("1", "u")
        assert app.at_table.sheet.picker is not None
        first = app.at_table.sheet.picker.decision
        await pilot.press("4")
        await pilot.pause()
        second = app.at_table.sheet.picker.decision
        assert second.id != first.id
        await pilot.press("u")
        await pilot.pause()
        again = app.at_table.sheet.picker.decision
        assert [one.text for one in again.options] == [one.text for one in first.options]
        await pilot.press("u", "u", "u")
        assert "Nothing can be taken back" in app.at_table.sheet.note


async def test_no_is_an_answer_to_a_question() -> None:
    table = Noted(1, 15)
    app = TableApp(table)
    table.screen = app.at_table
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        screen = app.at_table
        while screen.sheet.picker is not None and screen.sheet.asking is None:
            last = screen.sheet.picker.decision.options[-1]
            await pilot.press(KEYS[last.id])
            await pilot.pause()
        asked = screen.sheet.asking
        assert asked is not None
        done = len(table.chosen)
        said = "\n".join(screen.drawing.canvas.lines())
        assert "Enter: yes · Esc: no" in said
        await pilot.press("escape")
        assert screen.sheet.asking is None
        assert len(table.chosen) == done
        await pilot.press("c", KEYS[asked.id])  # c: do not ask any more
        await pilot.pause()
        assert len(table.chosen) == done + 1


async def test_help_and_look_up_open_and_close_over_the_game() -> None:
    app = TableApp(Noted(1, 16))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press("?")
        assert isinstance(app.screen, Guide)
        await pilot.press("escape", "/")
        assert isinstance(app.screen, LookUp)
        await pilot.press(*"mammoth")
        said = str(app.screen.query_one("#text").render())
        assert "Woolly Mammoth" in said
        assert "Food up to the limit" in said
        await pilot.press(*"xyz")
        assert "Nothing printed" in str(app.screen.query_one("#text").render())
        await pilot.press("escape")
        assert len(app.screen_stack) == 2  # the table again


async def test_pages_turn_by_key_tab_and_click() -> None:
    app = TableApp(Noted(1, 17))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        sheet = app.at_table.sheet
        for key, name, sign in (
            ("m", "Megaliths", "Megalith board"),
            ("s", "Supply", "Culture display"),
            ("p", "Players", "Idol board"),
            ("l", "Log", "Log"),
            ("t", "Terrain", "Base"),
        ):
            await pilot.press(key)
            assert sheet.page == name
            assert sign in "\n".join(app.at_table.drawing.canvas.lines())
        await pilot.press("tab")
        assert sheet.page == "Megaliths"
        await pilot.click(offset=(18, 3))
        assert sheet.page == "Megaliths"
        await pilot.click(offset=(3, 3))
        assert sheet.page == "Terrain"


@pytest.mark.parametrize("size", [(60, 20), (99, 40)])
async def test_a_window_that_is_too_small_says_so_and_goes_on_when_it_grows(
    size: tuple[int, int],
) -> None:
    app = TableApp(Noted(1, 18))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert "too small" in " ".join(app.at_table.drawing.canvas.lines())
        await pilot.resize_terminal(*SIZE)
        drawing = app.at_table.drawing
        await until(pilot, lambda: "Which side of your Chief?" in "\n".join(drawing.canvas.lines()))
