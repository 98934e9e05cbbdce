"""The screen explains: what is closed and why, what happened, and how to leave or play again."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from endless_winter.sdk import LocalTable
from endless_winter.sdk import View as SdkView
from endless_winter.terminal import places
from endless_winter.terminal import sheet as sheets
from endless_winter.terminal.app import TableApp, TableScreen
from endless_winter.terminal.canvas import Canvas
from endless_winter.terminal.desk import Desk
from endless_winter.terminal.panels import supply
from endless_winter.terminal.places import CHANGED
from endless_winter.terminal.scene import Scene
from endless_winter.terminal.seats import letter
from endless_winter.terminal.table import TableUpdate
from endless_winter.terminal.text import brief
from endless_winter.terminal.why import WhyNot, offers_text
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import event_pb2, ids_pb2
from tests.terminal.games import PACK, config, lively, positions, river_config, sheet_of
from tests.terminal.offline import OfflineTable

if TYPE_CHECKING:
    from collections.abc import Iterator

SMALL, ROOMY = (100, 32), (140, 45)


def explained(players: int, seed: int, *, landmarks: int = 0) -> Iterator[LocalTable]:
    """The decisions of step 2 in a lively game, with explanations."""
    wanted = river_config(players, landmarks) if landmarks else config(players)
    table = LocalTable(config=wanted, seed=seed, pack=PACK, explain=True)
    chance = random.Random(seed)
    while not table.over:
        if table.decision.offers:
            yield table
        table.play(lively(table, chance))


def screen(table: LocalTable, size: tuple[int, int]) -> str:
    return "\n".join(sheets.draw(sheet_of(table), *size).lines())


def flat(text: str) -> str:
    return " ".join(text.split())


# --- why not ---


@pytest.mark.parametrize("landmarks", [0, 2])
def test_what_is_closed_stands_under_the_options_where_there_is_room(landmarks: int) -> None:
    shown = room = 0
    for table in explained(2, 4, landmarks=landmarks):
        if not table.decision.closed:
            continue
        said = screen(table, ROOMY)
        right = "\n".join(line[80:] for line in said.splitlines())
        room += 1
        if "Closed now" in right:
            assert flat(table.decision.closed[0].text[1:]) in flat(right)
            shown += 1
    assert shown > room // 2


def test_the_page_why_not_says_all_of_it() -> None:
    for number, table in enumerate(explained(3, 8)):
        said = offers_text(table.decision).plain
        for offer in table.decision.offers:
            assert offer.text[1:] in said
        if number > 40:
            return


async def test_w_opens_the_page_and_says_when_there_is_none() -> None:
    table = OfflineTable(0, [lambda decision, _: decision.default], seed=1, pack=PACK)
    app = TableApp(table)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.press("w")
        await pilot.pause()
        assert "once your figure is placed" in app.at_table.sheet.note
        while not table.game.decision.offers:
            option = table.game.decision.options[-1]
            placing = [o for o in table.game.decision.options if o.text.startswith("place tribe h")]
            app.at_table.pick((placing or [option])[0])
            await pilot.pause()
            if app.at_table.sheet.asking is not None:
                await pilot.press("enter")
                await pilot.pause()
        assert "w why not" in app.at_table.drawing.canvas.lines()[-1]
        await pilot.press("w")
        await pilot.pause()
        assert [type(one) for one in app.screen_stack[1:]] == [TableScreen, WhyNot]
        await pilot.press("escape")
        await pilot.pause()
        assert [type(one) for one in app.screen_stack[1:]] == [TableScreen]


# --- what happened ---


def desk_after(table: LocalTable, events: list[event_pb2.Event]) -> Desk:
    """A desk that saw the own turn end, and then these events and the view of now."""
    desk = Desk()
    own = table.seat
    view = table.view(own)
    begun = event_pb2.PublicEvent(turn_started=event_pb2.TurnStarted(seat=own, turn_number=1))
    ended = event_pb2.PublicEvent(turn_ended=event_pb2.TurnEnded(seat=own))
    first = tuple(event_pb2.Event(public_event=one) for one in (begun, ended))
    desk.show(TableUpdate(view=view, events=first, fresh=True), 0.0)
    desk.show(TableUpdate(view=moved(view), events=tuple(events)), 0.0)
    desk.show(TableUpdate(decision=table.decision), 0.0)
    desk.set_scene()
    return desk


def moved(view: SdkView) -> SdkView:
    """The same position, but that an opponent leads on a hex of ours."""
    public = type(view.public).FromString(view.public.SerializeToString())
    private = view.private
    hex_ = next(one for one in public.terrain.hexes if any(c.seat == view.seat for c in one.camps))
    assert view.seat is not None
    other = (view.seat + 1) % 2
    del hex_.influence[:]
    hex_.influence.add(seat=view.seat, count=1)
    hex_.influence.add(seat=other, count=3)
    return SdkView(view.seat, view.catalog, view.info, lambda: (public, private))


def theirs(seat: int) -> list[event_pb2.Event]:
    mine = 1 - seat
    parts = (
        event_pb2.PublicEvent(turn_started=event_pb2.TurnStarted(seat=seat, turn_number=1)),
        event_pb2.PublicEvent(
            figure_placed=event_pb2.FigurePlaced(
                seat=seat,
                figure=enums.FIGURE_TRIBE,
                space=enums.ACTION_SPACE_MIGRATE,
                first=True,
            )
        ),
        event_pb2.PublicEvent(
            camp_moved=event_pb2.CampMoved(
                owner_seat=mine,
                by_seat=seat,
                from_site=ids_pb2.CampSite(hex=0),
                to_site=ids_pb2.CampSite(hex=9),
            )
        ),
    )
    return [event_pb2.Event(public_event=one) for one in parts]


def at_a_turn(seed: int) -> LocalTable:
    for table in positions(2, seed):
        if table.decision.kind_name == "turn" and table.view(table.seat).round:
            return table
    raise AssertionError


def test_at_the_own_turn_the_screen_says_what_was_done_and_where() -> None:
    table = at_a_turn(3)
    desk = desk_after(table, theirs(1 - table.seat))
    scene = desk.sheet.scene
    assert scene is not None
    assert {places.hex_place(0), places.hex_place(9)} <= scene.changed
    canvas = sheets.draw(desk.sheet, *ROOMY)
    right = flat("\n".join(line[80:] for line in canvas.lines()))
    name = scene.name(1 - table.seat)
    assert (
        f"Done to you ─ {name} moves a Camp from hex 0 to 9 (of You)"
        in right.replace("─" * 2, "─").replace("──", "─")
        or f"{name} moves a Camp from hex 0 to 9" in right
    )
    assert f"{name} leads on hex" in right
    assert f"{name} places a Tribe figure in Migrate" in right
    marked = list(canvas.spots(places.hex_place(9)))
    assert any(canvas.lines()[y][x] == CHANGED for x, y in marked if x < len(canvas.lines()[y]))
    desk.sheet.page = "Terrain"
    assert CHANGED in "\n".join(sheets.draw(desk.sheet, *SMALL).lines())


def test_the_log_stands_once() -> None:
    table = at_a_turn(3)
    desk = desk_after(table, theirs(1 - table.seat))
    desk.show(TableUpdate(view=table.view(table.seat)), 0.0)  # others choose
    desk.set_scene()
    for size in (SMALL, ROOMY, (170, 48)):
        said = "\n".join(sheets.draw(desk.sheet, *size).lines())
        assert said.count("places a Tribe figure in Migrate") <= 1, size


# --- the board and the supply ---


@pytest.mark.parametrize("size", [SMALL, ROOMY])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_contested_hex_keeps_its_benefit(size: tuple[int, int], seats: int) -> None:
    """A Village gives Influence without a Camp: both numbers stand beside the benefit."""
    table = next(one for one in positions(4, 5, steps=200) if one.view(0).round == 2)
    sheet = sheet_of(table)
    assert sheet.scene is not None
    public = type(sheet.scene.public).FromString(sheet.scene.public.SerializeToString())
    for one in public.terrain.hexes:
        for seat in range(seats):
            del one.camps[:], one.influence[:]
            one.camps.add(seat=0, count=1)
            one.influence.extend(
                ids_pb2.SeatCount(seat=seat, count=2 + seat) for seat in range(seats)
            )
    sheet.scene = replace(sheet.scene, public=public)
    sheet.page = "Terrain"
    canvas = sheets.draw(sheet, *size)
    lines = [line.ljust(size[0]) for line in canvas.lines()]
    for one in public.terrain.hexes:
        spots = sorted((y, x) for x, y in canvas.spots(places.hex_place(one.hex)))
        text = "".join(lines[y][x] for y, x in spots)
        terrain = sheet.scene.catalog.terrains[one.terrain_id]
        assert f"#{one.hex}" in text
        if terrain.benefit.gains:
            word = brief(terrain.benefit)[0].split()[-1]
            assert word[:3] in text, (text, word)
        assert all(f"{letter(seat)}" in text for seat in range(seats)), text
        assert "♦" in text


def test_the_supply_cuts_no_text_of_a_card_at_100_columns() -> None:
    met = 0
    for players, seed in ((2, 3), (4, 6)):
        for number, table in enumerate(positions(players, seed)):
            if number % 60:
                continue
            scene = Scene.of(table.view(table.seat))
            canvas = Canvas(60, 21)
            supply.draw(scene, canvas)
            said = flat("\n".join(canvas.lines()))
            for one in scene.public.supply.culture_display:
                card = scene.catalog.cards[one.card_id]
                words = card.item.text.split()
                position = 0
                for word in words:  # in this order, with other cards' names between lines
                    position = said.find(word, position)
                    assert position >= 0, (card.item.name, card.item.text)
                met += 1
            for stone in (*scene.public.supply.stones_era_one, *scene.public.supply.stones_era_two):
                assert scene.catalog.title(stone).removesuffix(" Stone") in said
    assert met > 60


# --- leaving and playing again ---


async def ended(app: TableApp, table: OfflineTable) -> None:
    while not table.game.over:
        table.game.play(table.game.decision.default)
    app.at_table.desk.show(TableUpdate(view=table.game.view(0), result=table.game.result), 0.0)
    app.at_table.repaint()


async def test_after_the_end_a_plays_again() -> None:
    table = OfflineTable(0, [lambda decision, _: decision.default], seed=1, pack=PACK)
    app = TableApp(table, rematch=True)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await ended(app, table)
        await pilot.pause()
        assert "a plays the same game again" in "\n".join(app.at_table.drawing.canvas.lines())
        await pilot.press("a")
        await pilot.pause()
    assert app.again


async def test_without_a_rematch_a_is_no_key() -> None:
    table = OfflineTable(0, [lambda decision, _: decision.default], seed=1, pack=PACK)
    app = TableApp(table)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await ended(app, table)
        await pilot.pause()
        assert "plays the same game again" not in "\n".join(app.at_table.drawing.canvas.lines())
        await pilot.press("a")
        await pilot.pause()
    assert not app.again


async def test_giving_up_is_asked_for_twice() -> None:
    table = OfflineTable(0, [lambda decision, _: decision.default], seed=1, pack=PACK)
    app = TableApp(table)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.press("ctrl+x")
        await pilot.pause()
        assert not table.given_up()
        assert "for good" in app.at_table.sheet.note
        await pilot.press("escape", "ctrl+x")
        await pilot.pause()
        assert not table.given_up()
        await pilot.press("ctrl+x")
        await pilot.pause()
    assert table.given_up()
    assert "given up your seat" in app.farewell
