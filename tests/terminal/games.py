"""Positions and choices for tests of the terminal client, all from seeds."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

from endless_winter.sdk import LocalTable
from endless_winter.terminal.picker import Picker
from endless_winter.terminal.scene import Scene
from endless_winter.terminal.sheet import Sheet, page_of
from endless_winter.v1 import config_pb2

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.sdk import Decision, View

# The frozen pack: tuning the content must not change what these games are.
PACK = Path(__file__).parents[1] / "data" / "frozen" / "base.toml"
MODULES = config_pb2.ModuleConfig(glacier_tokens=True, rest_tokens=True)
EXTRAS = config_pb2.ModuleConfig(warriors=True, sea_cows=True, mammoth=True)


def config(players: int, **more: object) -> config_pb2.GameConfig:
    seats = [config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)] * players
    return config_pb2.GameConfig(seats=seats, undo_allowed=True, **more)  # type: ignore[arg-type]


def river_config(
    players: int,
    landmarks: int,
    mode: config_pb2.LandmarkChoiceMode.ValueType = config_pb2.LANDMARK_CHOICE_MODE_RANDOM,
) -> config_pb2.GameConfig:
    """Rivers & Rafts with Warriors, Sea Cows and the Mammoth."""
    rivers = config_pb2.RiversConfig(landmark_count=landmarks, landmark_mode=mode)
    return config(players, rivers=rivers, modules=EXTRAS)


def chooser(seed: int) -> object:
    """A bot that chooses by a seed alone."""
    chance = random.Random(seed)

    def choose(decision: Decision, view: View) -> int:
        del view
        return chance.randrange(len(decision.options))

    return choose


def lively(table: LocalTable, chance: random.Random) -> int:
    """A choice that keeps games rich: turns are seldom ended while something can be done."""
    options = table.decision.options
    dull = ("end", "leave", "done", "place tribe rest", "place chief rest")
    rich = [option.id for option in options if option.text not in dull]
    return chance.choice(rich) if rich and chance.random() < 0.9 else chance.randrange(len(options))


def positions(
    players: int,
    seed: int,
    *,
    modules: bool = False,
    variant: config_pb2.SetupVariant.ValueType = config_pb2.SETUP_VARIANT_STANDARD,
    landmarks: int = 0,
    steps: int = 10_000,
) -> Iterator[LocalTable]:
    """Every position of a game; the same table, one step further each time.

    With `landmarks` it has Rivers & Rafts, and players choose those Landmarks.
    """
    wanted = config(players, modules=MODULES if modules else None, setup_variant=variant)
    if landmarks:
        wanted = river_config(players, landmarks, config_pb2.LANDMARK_CHOICE_MODE_DECIDED)
    table = LocalTable(config=wanted, seed=seed, pack=PACK)
    chance = random.Random(seed)
    for _ in range(steps):
        if table.over:
            return
        yield table
        table.play(lively(table, chance))


def sheet_of(table: LocalTable, cursor: int = 0) -> Sheet:
    """The screen of the seat that chooses, with the cursor on an option."""
    scene = Scene.of(table.view(table.seat))
    picker = Picker(table.decision, scene.public.rivers.river_hexes)
    picker.move(cursor)
    scene = scene.pointing(picker)
    sheet = Sheet(scene=scene, picker=picker, waiting="")
    pages = [page_of(place) for place in picker.places[picker.current.id]]
    sheet.page = next((page for page in pages if page is not None), "Terrain")
    return sheet
