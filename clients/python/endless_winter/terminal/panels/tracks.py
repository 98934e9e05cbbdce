"""The Idol board: both tracks with everybody's markers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.terminal import places
from endless_winter.terminal.panels.look import CARD, DIM, QUIET, heading, look
from endless_winter.terminal.seats import badge, letter
from endless_winter.terminal.wording import brief
from endless_winter.v1 import enums_pb2 as enums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endless_winter.terminal.canvas import Canvas
    from endless_winter.terminal.scene import Scene

HEIGHT = 7


def draw(scene: Scene, canvas: Canvas, y: int = 0) -> int:
    """Two tracks from left to right; where the next thing goes."""
    tables = scene.catalog.tables
    heading(canvas, y, "Idol board", "left: not begun")
    offering = [" ".join([f"{space.ratio}:1", *brief(space.benefit)]) for space in tables.offering]
    honor = [f"+{space.points}" if space.points else "·" for space in tables.honor]
    _track(scene, canvas, y + 1, "Offering", enums.IDOL_TRACK_OFFERING, offering)
    _track(scene, canvas, y + 4, "Honor", enums.IDOL_TRACK_HONOR, honor)
    return y + HEIGHT


def _track(
    scene: Scene, canvas: Canvas, y: int, name: str, track: int, spaces: Sequence[str]
) -> None:
    place = places.track(track)
    longest = max(len(scene.catalog.tables.offering), len(scene.catalog.tables.honor), 1)
    width = (canvas.width - 12) // longest
    canvas.write(0, y, f" {name:<9}", look(scene, place, CARD), place)
    canvas.write(0, y + 1, " " * 10, QUIET, place)
    for level, said in enumerate(spaces, 1):
        x = 12 + (level - 1) * width
        canvas.fill(x, y, width - 1, 2, look(scene, place, QUIET), place)
        words = said.split()
        canvas.write(x, y, f"{words[0]:^{width - 1}}", look(scene, place, QUIET), place)
        if len(words) > 1:
            canvas.write(x, y + 2, f"{' '.join(words[1:])[: width - 1]:^{width - 1}}", DIM)
    for level in range(longest + 1):
        x = 12 + (level - 1) * width if level else 3
        for seat in _markers(scene, track, level):
            x = canvas.write(x, y + 1, letter(seat), badge(seat), place)


def _markers(scene: Scene, track: int, level: int) -> list[int]:
    """Seats on a level, on the Honor track from the left (it breaks ties)."""
    players = scene.public.players
    if track == enums.IDOL_TRACK_OFFERING:
        return [player.seat for player in players if player.offering_level == level]
    found = [player for player in players if player.honor_level == level]
    return [player.seat for player in sorted(found, key=lambda one: one.honor_place)]
