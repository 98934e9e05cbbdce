"""The Idol board, and everybody's public board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.terminal import places
from endless_winter.terminal.canvas import DIM, GROUND, cut
from endless_winter.terminal.panels.look import CARD, QUIET, heading, look
from endless_winter.terminal.seats import badge, ink, letter
from endless_winter.terminal.text import brief, cards, chief_line, labor, plural, river_place
from endless_winter.v1 import enums_pb2 as enums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endless_winter.terminal.canvas import Canvas
    from endless_winter.terminal.scene import Scene
    from endless_winter.v1 import view_public_pb2


def draw(scene: Scene, canvas: Canvas) -> None:
    """The Idol board, then the others in turn order, then the own board if there is room."""
    y = _tracks(scene, canvas)
    order = list(scene.public.turn.turn_order) or list(range(len(scene.public.players)))
    order.sort(key=lambda seat: seat == scene.seat)
    room = canvas.height - y
    shown = [seat for seat in order if seat != scene.seat or room >= 7 * len(order)]
    lines = max(room // max(len(shown), 1), 4)
    for seat in shown:
        if y >= canvas.height:
            break
        _board(scene, canvas, y, lines, scene.player(seat))
        y += lines


def _board(
    scene: Scene, canvas: Canvas, y: int, lines: int, player: view_public_pb2.PlayerView
) -> None:
    seat = player.seat
    x = canvas.write(0, y, f" {letter(seat)} ", badge(seat))
    x = canvas.write(x + 1, y, scene.name(seat), ink(seat))
    points = f"  {plural(player.score, 'point')}"
    x = canvas.write(x, y, points, GROUND)
    chief = chief_line(scene.catalog, player.chief_id, player.chief_side) if player.chief_id else ""
    canvas.write(x + 2, y, cut(chief, canvas.width - x - 2), DIM)
    for number, text in enumerate(board_lines(scene, player)[: lines - 1], 1):
        canvas.write(1, y + number, cut(text, canvas.width - 1))


def board_lines(scene: Scene, player: view_public_pb2.PlayerView) -> list[str]:
    """A board in a few lines, the most useful first."""
    figures = "★" * player.chief_available + "●" * player.tribe_figures_available
    home = f"{plural(player.camps_on_board, 'Camp')}, {player.villages_on_board} Vill."
    stores = f"Food {player.food}/{player.food_limit} · Tools {player.tools}"
    hidden = f"Hand {player.hand_count} · deck {player.deck_count} · buried {player.buried_count}"
    stones = f"Megaliths {player.neutral_megaliths}+{player.coloured_megaliths}"
    found = [
        f"{stores} · at home: {home}, figures {figures or '-'}",
        f"{hidden} · pile {player.eclipse_pile_count} · {stones}",
    ]
    if afloat := raft_text(scene, player.seat):
        found.append(afloat)
    animals = animal_text(scene, player)
    if animals:
        found.append(f"Animals: {animals}")
    if player.stone_ids:
        names = [scene.catalog.title(one).removesuffix(" Stone") for one in player.stone_ids]
        found.append(f"Sacred Stones: {', '.join(names)}")
    if player.eclipse_pile:
        found.append(
            f"Eclipse: {labor(player.eclipse_labor_halves)} Labor, "
            f"{cards(scene.catalog, player.eclipse_pile)}"
        )
    if player.played:
        found.append(f"Played: {cards(scene.catalog, player.played)}")
    if player.discard_pile:
        found.append(f"Discard: {cards(scene.catalog, player.discard_pile)}")
    return found


def raft_text(scene: Scene, seat: int) -> str:
    """Where the Raft is and what stands on the Starting Base; empty without Rivers & Rafts."""
    rivers = scene.public.rivers
    parts = [
        f"Raft at {river_place(rivers.river_hexes, raft.river_place)}"
        for raft in rivers.rafts
        if raft.seat == seat
    ]
    parts += [
        f"Starting Base: {plural(base.camps, 'Camp')}"
        for base in rivers.starting_bases
        if base.seat == seat
    ]
    return " · ".join(parts)


def animal_text(scene: Scene, player: view_public_pb2.PlayerView) -> str:
    found = []
    for one in player.animals:
        tipped = f" ({one.tipped} tipped)" if one.tipped else ""
        count = one.untipped + one.tipped
        found.append(
            f"{scene.catalog.title(one.animal_id)}{f' x{count}' if count > 1 else ''}{tipped}"
        )
    return ", ".join(found)


def _tracks(scene: Scene, canvas: Canvas, y: int = 0) -> int:
    """Two tracks from left to right; where the next thing goes."""
    tables = scene.catalog.tables
    heading(canvas, y, "Idol board", "left: not begun")
    offering = [" ".join([f"{space.ratio}:1", *brief(space.benefit)]) for space in tables.offering]
    honor = [f"+{space.points}" if space.points else "·" for space in tables.honor]
    _track(scene, canvas, y + 1, "Offering", enums.IDOL_TRACK_OFFERING, offering)
    _track(scene, canvas, y + 4, "Honor", enums.IDOL_TRACK_HONOR, honor)
    return y + 7


def _track(
    scene: Scene, canvas: Canvas, y: int, name: str, track: int, spaces: Sequence[str]
) -> None:
    place = places.track(track)
    longest = max(len(scene.catalog.tables.offering), len(scene.catalog.tables.honor), 1)
    width = (canvas.width - 12) // longest
    canvas.write(0, y, f" {name:<9}", look(scene, place, CARD), place)
    canvas.write(0, y + 1, " " * 10, QUIET, place)
    for level, text in enumerate(spaces, 1):
        x = 12 + (level - 1) * width
        canvas.fill(x, y, width - 1, 2, look(scene, place, QUIET), place)
        words = text.split()
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
