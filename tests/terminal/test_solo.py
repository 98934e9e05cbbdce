"""A solo game: the Nomad has a page and a name."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from endless_winter.sdk import LocalTable
from endless_winter.terminal import sheet as sheets
from endless_winter.v1 import config_pb2
from tests.terminal.games import lively, sheet_of
from tests.terminal.test_plain import ew

if TYPE_CHECKING:
    from pathlib import Path

SOLO = config_pb2.GameConfig(
    seats=[
        config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN),
        config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_NOMAD),
    ],
    nomad=config_pb2.NomadConfig(extra_card=True),
    undo_allowed=True,
)


def test_the_page_of_the_nomad_shows_its_open_cards_and_what_it_will_do() -> None:
    table = LocalTable(config=SOLO, seed=3)
    chance = random.Random(3)
    seen = 0
    while not table.over:
        nomad = table.view(0).public.nomad
        if nomad.pending_actions and table.seat == 1:
            sheet = sheet_of(table)
            sheet.page = "Nomad"
            said = " ".join("\n".join(sheets.draw(sheet, *sheets.LEAST).lines()).split())
            newest = table.catalog.nomad_cards[nomad.revealed_card_ids[-1]]
            assert newest.item.name in said
            assert "Still to do:" in said
            assert "Board of" in said or "Your board" in said
            seen += 1
        table.play(lively(table, chance))
    assert seen > 10


def test_a_game_of_others_has_no_such_page() -> None:
    sheet = sheet_of(LocalTable(2, seed=1))
    assert sheet.scene is not None
    assert "Nomad" not in [panel.name for panel in sheets.pages(sheet.scene)]


def test_a_solo_game_is_played_through_a_pipe(tmp_path: Path) -> None:
    done = ew("play", "--solo", "--hard", "extra-card", home=tmp_path, said="1\n" * 400)
    assert done.returncode == 0, done.stderr
    assert "The Nomad reveals" in done.stdout
    assert "Nomad, " in "".join(done.stdout.splitlines()[-6:])
