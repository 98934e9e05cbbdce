"""Everybody's public board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.terminal.canvas import DIM, GROUND, cut
from endless_winter.terminal.panels import tracks
from endless_winter.terminal.seats import badge, ink, letter
from endless_winter.terminal.wording import cards, chief_line, labor, plural, stretch

if TYPE_CHECKING:
    from endless_winter.terminal.canvas import Canvas
    from endless_winter.terminal.scene import Scene
    from endless_winter.v1 import view_public_pb2


def draw(scene: Scene, canvas: Canvas) -> None:
    """The Idol board, then the others in turn order, then the own board if there is room."""
    y = tracks.draw(scene, canvas)
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
    if afloat := raft_words(scene, player.seat):
        found.append(afloat)
    animals = animal_words(scene, player)
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


def raft_words(scene: Scene, seat: int) -> str:
    """Where the Raft is and what stands on the Starting Base; empty without Rivers & Rafts."""
    rivers = scene.public.rivers
    said = [
        f"Raft at {stretch(rivers.river_hexes, raft.river_place)}"
        for raft in rivers.rafts
        if raft.seat == seat
    ]
    said += [
        f"Starting Base: {plural(base.camps, 'Camp')}"
        for base in rivers.starting_bases
        if base.seat == seat
    ]
    return " · ".join(said)


def animal_words(scene: Scene, player: view_public_pb2.PlayerView) -> str:
    found = []
    for one in player.animals:
        tipped = f" ({one.tipped} tipped)" if one.tipped else ""
        count = one.untipped + one.tipped
        found.append(
            f"{scene.catalog.title(one.animal_id)}{f' x{count}' if count > 1 else ''}{tipped}"
        )
    return ", ".join(found)
