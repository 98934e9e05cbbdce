"""Pictures of the screen as text: what is drawn is compared with files.

``python -m tests.terminal.snapshots --write`` writes them anew; look at the difference before you
commit it. The positions come from the frozen pack, so that tuning the content changes nothing.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import TYPE_CHECKING

from endless_winter.sdk import LocalTable, solo_config
from endless_winter.terminal import sheet as sheets
from tests.terminal.games import PACK, config, lively, river_config, sheet_of

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).parents[1] / "data" / "screens"

# Name, players (1: alone against the Nomad), Landmarks of Rivers & Rafts, steps into the game,
# cursor, page (None: the one of the option), size.
SCREENS = (
    ("terrain", 2, 0, 30, 0, "Terrain", (100, 32)),
    ("megaliths", 3, 0, 120, 0, "Megaliths", (100, 32)),
    ("supply", 4, 0, 60, 1, "Supply", (100, 32)),
    ("players", 4, 0, 150, 0, "Players", (100, 32)),
    ("option", 2, 0, 70, 2, None, (100, 32)),
    ("wide", 3, 0, 90, 0, "Terrain", (170, 48)),
    ("small", 2, 0, 0, 0, None, (80, 24)),
    ("starting-base", 3, 2, 5, 1, None, (100, 32)),
    ("rivers", 4, 3, 150, 0, "Terrain", (100, 32)),
    ("river-page", 3, 2, 110, 0, "River", (100, 32)),
    ("rivers-wide", 4, 1, 200, 0, "Terrain", (170, 48)),
    ("roomy", 3, 0, 91, 0, "Terrain", (140, 45)),
    ("rivers-roomy", 3, 2, 132, 0, "Terrain", (140, 45)),
    ("solo", 1, 0, 60, 0, "Terrain", (100, 32)),
    ("solo-roomy", 1, 0, 61, 0, "Nomad", (140, 45)),
)


def screens() -> Iterator[tuple[str, str]]:
    """Each picture with its name."""
    for name, players, landmarks, steps, cursor, page, size in SCREENS:
        wanted = river_config(players, landmarks) if landmarks else config(players)
        if players == 1:
            wanted = solo_config()
        table = LocalTable(config=wanted, seed=len(name), pack=PACK, explain=True)
        chance = random.Random(name)
        for _ in range(steps):
            if not table.over:
                table.play(lively(table, chance))
        sheet = sheet_of(table, cursor)
        sheet.page = page or sheet.page
        yield name, "\n".join(sheets.draw(sheet, *size).lines()) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare the pictures, or write them anew.")
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in screens():
        path = FOLDER / f"{name}.txt"
        if write:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            raise SystemExit(f"{path} differs; --write writes it anew")


if __name__ == "__main__":
    main()
