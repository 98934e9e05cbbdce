"""The panels of the board area, one per file. A module adds its own to PANELS.

A panel is a function that draws a scene on a canvas. It says which kinds of places it shows, so
that the screen can turn to it when an option concerns one of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from endless_winter.terminal.panels import (
    log,
    megaliths,
    nomad,
    players,
    river,
    shore,
    supply,
    terrain,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.terminal.canvas import Canvas
    from endless_winter.terminal.scene import Scene


class Panel(NamedTuple):
    """A page of the board area."""

    name: str
    key: str
    draw: Callable[[Scene, Canvas], None]
    shows: frozenset[str]
    """Kinds of places that are to be seen on it."""
    size: tuple[int, int]
    """The least columns and lines it needs."""
    best: tuple[int, int] = (0, 0)
    """What it makes use of where there is room for it; none: no more than that."""
    beside: int = 0
    """Its turn to be shown beside the chosen page, where there is room; 0: never."""
    wanted: Callable[[Scene], bool] = lambda _: True
    """Whether this game has it."""


PANELS: tuple[Panel, ...] = (
    Panel(
        "Terrain",
        "t",
        terrain.draw,
        frozenset({"hex", "juncture", *shore.PLACES}),
        terrain.SIZE,
        terrain.BEST,
        beside=2,
    ),
    Panel("Megaliths", "m", megaliths.draw, frozenset({"site"}), (60, 21), beside=3),
    Panel(
        "Supply",
        "s",
        supply.draw,
        frozenset({"culture", "tribe deck", "grounds", "stone", "animal deck"}),
        (60, 21),
        beside=1,
    ),
    Panel(
        "River",
        "v",
        river.draw,
        frozenset(),
        (60, 21),
        beside=5,
        wanted=lambda scene: scene.public.HasField("rivers"),
    ),
    Panel("Players", "p", players.draw, frozenset({"track"}), (60, 21), beside=4),
    Panel(
        "Nomad",
        "n",
        nomad.draw,
        frozenset(),
        (60, 21),
        beside=7,
        wanted=lambda scene: scene.public.HasField("nomad"),
    ),
    Panel("Log", "l", log.draw_log, frozenset(), (40, 6), beside=6),
    Panel(
        "Result",
        "r",
        log.draw_result,
        frozenset(),
        (60, 21),
        wanted=lambda scene: scene.result is not None,
    ),
)
