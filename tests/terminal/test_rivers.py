"""Rivers & Rafts, Warriors, Sea Cows and the Mammoth at the terminal."""

from __future__ import annotations

import io
import random
from typing import TYPE_CHECKING

import pytest

from endless_winter.sdk import LocalTable, Option, solo_config
from endless_winter.terminal import places
from endless_winter.terminal import sheet as sheets
from endless_winter.terminal.finality import why_final
from endless_winter.terminal.lookup import entries, search
from endless_winter.terminal.panels.decision import option_text
from endless_winter.terminal.picker import Picker
from endless_winter.terminal.plain import ENDED, Plain
from endless_winter.terminal.scene import Scene
from endless_winter.terminal.sheet import Sheet
from endless_winter.terminal.view_text import place_text, table_lines
from endless_winter.v1 import config_pb2, decision_pb2, ids_pb2, move_pb2
from tests.terminal.games import EXTRAS, PACK, chooser, lively, positions, river_config, sheet_of
from tests.terminal.offline import OfflineTable
from tests.terminal.test_app import Noted, by_arrows, by_key, by_mouse, whole_game
from tests.terminal.test_plain import ew

if TYPE_CHECKING:
    from pathlib import Path

# So that Rafts and the Mammoth move, and Camps leave the Starting Base.
KEEN_ON = ("chief migrate", "play tribes", "sail", "raft", "mammoth", "19>")
DECIDED = config_pb2.LANDMARK_CHOICE_MODE_DECIDED


def screen_of(sheet: Sheet, page: str = "Terrain") -> str:
    sheet.page = page
    return "\n".join(sheets.draw(sheet, *sheets.LEAST).lines())


def table_of(players: int, landmarks: int, seed: int, steps: int) -> LocalTable:
    table = LocalTable(config=river_config(players, landmarks), seed=seed, pack=PACK)
    chance = random.Random(seed)
    for _ in range(steps):
        table.play(lively(table, chance))
    return table


# --- choosing ---


async def test_a_whole_game_is_played_by_keys() -> None:
    table = Noted(1, 21, river_config(2, 3, DECIDED))
    await whole_game(table, by_key, keen_on=KEEN_ON)
    done = {option.raw.move.WhichOneof("action") for _, option, _ in table.chosen}
    targets = {option.raw.move.gain.target.WhichOneof("on") for _, option, _ in table.chosen}
    assert {"choose_landmark", "place_starting_base", "move_raft"} <= done
    assert "place_mammoth" in done or "mammoth" in targets


async def test_set_up_and_the_first_turns_are_played_by_arrows() -> None:
    await whole_game(Noted(2, 22, river_config(3, 3, DECIDED)), by_arrows, limit=20)


async def test_rafts_bases_and_the_mammoth_are_moved_by_mouse() -> None:
    clicked: set[str] = set()
    await whole_game(Noted(1, 23, river_config(2, 2)), by_mouse(clicked), 60, KEEN_ON)
    assert {"base site", "hex", "river", "juncture"} <= clicked


def test_a_click_on_the_water_moves_the_raft_there() -> None:
    for table in positions(2, 5, landmarks=1):
        river = table.view(table.seat).public.rivers.river_hexes
        rafts = [one for one in table.decision.options if one.raw.move.HasField("move_raft")]
        if len(rafts) > 1:
            break
    picker = Picker(table.decision, river)
    delta = places.river(len(river) + 1)
    to_delta = picker.by_place(delta)
    assert to_delta is not None
    assert to_delta.raw.move.move_raft.to_river_place == len(river) + 1
    there = next(one for one in rafts if one.raw.move.move_raft.to_river_place == 3)
    assert picker.places[there.id] == (places.hex_place(river[2]), places.river(0))
    picker.widen()
    assert picker.by_place(places.hex_place(river[2])) == there or there in picker.shown


def test_set_up_choices_are_asked_twice() -> None:
    asked: set[str] = set()
    for table in positions(2, 9, landmarks=2, steps=8):
        sheet = sheet_of(table)
        assert sheet.scene is not None
        option = table.decision.options[0]
        action = option.raw.move.WhichOneof("action")
        if action in ("choose_landmark", "place_starting_base"):
            assert why_final(option, table.decision, sheet.scene) == "set-up choices stand"
            asked.add(action)
    assert asked == {"choose_landmark", "place_starting_base"}


def test_the_option_says_whose_camp_a_warrior_moves() -> None:
    def option(owner: int) -> Option:
        site = ids_pb2.CampSite(hex=4)
        camp = move_pb2.CampMove(owner_seat=owner, from_site=site, to_hex=5)
        move = move_pb2.Move(gain=move_pb2.BenefitChoice(target=move_pb2.Target(camp_move=camp)))
        raw = decision_pb2.Option(label="Move a Camp of Ann", move=move)
        return Option(raw, LocalTable(seed=1).catalog)

    assert option_text(option(0), 0) == "Camp from hex 4 to 5"
    assert option_text(option(1), 0) == "Move a Camp of Ann"


# --- what is to be seen ---


@pytest.mark.parametrize("seed", range(4))
def test_the_river_and_all_around_it_is_on_the_board(seed: int) -> None:
    table = table_of(4, 3, seed, 120)
    view = table.view(table.seat)
    sheet = sheet_of(table)
    sheet.page = "Terrain"
    canvas = sheets.draw(sheet, *sheets.LEAST)
    said = "\n".join(canvas.lines())
    rivers = view.public.rivers
    assert said.count("≡") == len(rivers.rafts) == 4
    assert said.count("◈") == 3
    for base in rivers.starting_bases:
        text = f"[{'ABCD'[base.seat]}{base.camps or ' '}]"
        x, y = next(canvas.spots(places.starting_base(base.seat)))
        assert canvas.lines()[y][x : x + 4] == text
    # The Headwaters are where the first River hex is, the Delta where the last one is, and the
    # arrows between them tell the course.
    course = [
        min(canvas.spots(place))[0] // 30
        for place in (
            places.river(0),
            places.hex_place(rivers.river_hexes[0]),
            places.hex_place(rivers.river_hexes[-1]),
            places.river(len(rivers.river_hexes) + 1),
        )
    ]
    assert course in ([0, 0, 1, 1], [1, 1, 0, 0])
    (water,) = (line[:60] for line in canvas.lines() if line.count("≈") > 40)
    assert water.count("→" if course[0] == 0 else "←") == len(rivers.river_hexes)


def test_nothing_outside_the_board_hides_anything_else() -> None:
    """All twelve sites, the Headwaters, the Delta, the Fish and every hex have their cells."""
    without = sheet_of(LocalTable(2, seed=1, pack=PACK))
    without.page = "Terrain"
    land = sheets.draw(without, *sheets.LEAST)
    cells = [len(list(land.spots(places.hex_place(number)))) for number in range(19)]
    for players in (2, 3, 4):
        for seed in range(4):
            table = LocalTable(config=river_config(players, 2), seed=seed, pack=PACK)
            while not table.decision.options[0].raw.move.HasField("place_starting_base"):
                table.play(table.decision.default)
            sheet = sheet_of(table)
            assert sheet.picker is not None
            canvas = sheets.draw(sheet, *sheets.LEAST)
            sites = [place for place in sheet.picker.offered if place.kind == "base site"]
            assert len(sites) == 12
            assert all(len(list(canvas.spots(place))) == 4 for place in sites)
            assert len(list(canvas.spots(places.FISH))) == 22
            for number in (0, 6):
                assert len(list(canvas.spots(places.river(number)))) == 22
            drawn = [len(list(canvas.spots(places.hex_place(number)))) for number in range(19)]
            assert drawn == cells


def test_the_page_of_the_river_fits_and_is_complete() -> None:
    table = table_of(4, 3, 2, 330)
    sheet = sheet_of(table)
    assert sheet.scene is not None
    rivers = sheet.scene.public.rivers
    assert rivers.fish_discarded
    said = screen_of(sheet, "River")
    flat = " ".join(line[:60] for line in said.splitlines())
    flat = " ".join(flat.split())
    for one in rivers.fish_discarded:
        assert sheet.scene.catalog.title(one.token_id) in flat
    assert f"{rivers.fish_pool_count} in the pool" in flat
    assert "closest" in flat
    assert all(f" {letter} " in said for letter in "ABCD")


def test_a_game_without_a_river_has_no_such_page() -> None:
    sheet = sheet_of(LocalTable(2, seed=1))
    assert sheet.scene is not None
    assert "River" not in [panel.name for panel in sheets.pages(sheet.scene)]


def test_all_pages_have_their_tabs_in_the_smallest_window() -> None:
    config = solo_config()
    config.rivers.SetInParent()
    table = LocalTable(config=config, seed=1, pack=PACK)
    while not table.over:
        table.play(table.decision.default)
    scene = Scene.of(table.view(0)).ended(table.result)
    canvas = sheets.draw(Sheet(scene=scene, waiting="", page="Result"), *sheets.LEAST)
    pages = {place.which for place in canvas.places() if place.kind == "page"}
    assert pages == {panel.name for panel in sheets.pages(scene)}
    assert {"River", "Nomad", "Result"} <= pages


def test_the_mammoth_stands_where_it_was_put() -> None:
    seen = set()
    for table in positions(2, 8, landmarks=3):
        mammoth = table.view(table.seat).public.mammoth
        sheet = sheet_of(table)
        assert sheet.scene is not None
        said = place_text(sheet.scene, places.MAMMOTH)
        on_board = mammoth.HasField("juncture")
        assert (f"at juncture {mammoth.juncture}" if on_board else "beside the board") in said
        assert "Mm" in screen_of(sheet)
        seen.add(on_board)
        if len(seen) == 2:
            return
    raise AssertionError("the Mammoth was never moved")


# --- alone ---


def test_the_raft_of_the_nomad_is_shown() -> None:
    config = solo_config(switches=("extra_card",))
    config.rivers.SetInParent()
    config.modules.CopyFrom(EXTRAS)
    table = LocalTable(config=config, seed=3, pack=PACK)
    chance = random.Random(3)
    afloat = False
    while not table.over:
        public = table.view(0).public
        raft = next(one for one in public.rivers.rafts if one.seat == 1)
        if raft.river_place and not afloat and table.seat == 0:
            afloat = True
            sheet = sheet_of(table)
            hex_number = public.rivers.river_hexes[raft.river_place - 1]
            assert "≡B" in screen_of(sheet)
            assert f"Raft at hex {hex_number}" in screen_of(sheet, "Nomad")
            assert sheet.scene is not None
            assert "Rafts: Nomad" in place_text(sheet.scene, places.hex_place(hex_number))
        table.play(lively(table, chance))
    assert afloat
    assert [base.seat for base in table.view(0).public.rivers.starting_bases] == [0]


# --- in words ---


async def test_a_game_is_played_by_lines_and_the_board_is_described() -> None:
    lines: list[str] = []
    bots = [chooser(1)]
    table = OfflineTable(0, bots, seed=5, pack=PACK, config=river_config(2, 3))  # type: ignore[arg-type] # a function is a bot
    said = "board\nlook raft\nlook mammoth\nlook warrior\nlook landmark\n" + "2\n1\n" * 400
    status = await Plain(table, io.StringIO(said), lines.append).run()
    assert status == ENDED
    text = "\n".join(lines)
    for expected in (
        "The river, from the Headwaters through the hexes",
        "  Your Raft: at the Headwaters, 6 from the Delta, closest; 1 own piece on the river.",
        "  Fish: 15 in the pool, face down.",
        "  The Mammoth, beside the board: Influence 1",
        "Raft (Rivers & Rafts)",
        "The Mammoth (Miniature)",
        "Warrior (Tribe card)",
        "Landmark Stone (Sacred Stone of Era I)",
        "Attach the Starting Base to hexes",
    ):
        assert expected in text


def test_every_hex_is_listed_with_what_it_gives() -> None:
    table = table_of(3, 3, 6, 60)
    sheet = sheet_of(table)
    assert sheet.scene is not None
    shown = list(table_lines(sheet.scene))
    river = sheet.scene.public.rivers.river_hexes
    for one in sheet.scene.public.terrain.hexes:
        line = next(line for line in shown if line.startswith(f"  {one.hex} "))
        assert "(" in line
        assert ("River (a Fish)" in line) == (one.hex in river)
        if one.landmark_id:
            assert sheet.scene.catalog.title(one.landmark_id) in line
        assert place_text(sheet.scene, places.hex_place(one.hex)).startswith(f"Hex {one.hex}: ")


def test_cards_and_pieces_can_be_looked_up() -> None:
    found = entries(LocalTable(2, seed=1).catalog)
    for words, kind in (
        ("Sea Cow", "Animal"),
        ("Warrior", "Tribe card"),
        ("Volcano", "Landmark"),
        ("Starting Base", "Rivers & Rafts"),
        ("Headwaters", "Rivers & Rafts"),
        ("The Mammoth", "Miniature"),
    ):
        first = search(found, words)[0]
        assert first.kind == kind
        assert all(line.endswith((".", ":")) for line in first.lines)
    assert [one for one in found if one.kind == "River tile"]
    assert [one for one in found if one.kind == "Fish token"]


def test_a_game_alone_on_the_river_is_played_through_a_pipe(tmp_path: Path) -> None:
    words = ("play", "--solo", "--rivers", "decided", "--sea-cows", "--mammoth")
    done = ew(*words, home=tmp_path, said="board\n" + "2\n1\n" * 300)
    assert done.returncode == 0, done.stderr
    assert "The Landmark on hex" in done.stdout
    assert "You attach the Starting Base at the hexes" in done.stdout
    assert "The Nomad moves the Raft downriver to hex" in done.stdout
    assert "The game is over (completed)." in done.stdout
