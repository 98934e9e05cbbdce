"""The river as a page: its course from the Headwaters to the Delta, Rafts, Landmarks and Fish."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.terminal.canvas import DIM, GROUND, Canvas, cut, wrapped
from endless_winter.terminal.panels.look import heading
from endless_winter.terminal.panels.shore import LANDMARK, RAFT, WATER, WAVE, rafts_at
from endless_winter.terminal.seats import badge, letter
from endless_winter.terminal.text import plural, river_place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from endless_winter.terminal.scene import Scene
    from endless_winter.v1 import view_public_pb2


_HEADWATERS = 11  # columns of its name


def draw(scene: Scene, canvas: Canvas) -> None:
    heading(canvas, 0, "The river", "Rafts go down any distance, up one hex")
    _course(scene, canvas, 1)
    heading(canvas, 4, "Rafts", "closest to the Delta scores 1 per own piece on it")
    y = _players(scene, canvas, 5)
    for title, note, lines in (
        ("Landmarks", "for most Influence there", landmark_lines(scene)),
        ("Fish", "for most Influence on a River hex", fish_lines(scene)),
    ):
        heading(canvas, y, title, note)
        y = _write(canvas, y + 1, lines)


def _players(scene: Scene, canvas: Canvas, y: int) -> int:
    """A line for each player: the Raft, what is on the river, the Starting Base."""
    rivers = scene.public.rivers
    bases = {base.seat: base for base in rivers.starting_bases}
    for raft in rivers.rafts:
        seat = raft.seat
        canvas.write(0, y, f" {letter(seat)} ", badge(seat))
        canvas.write(4, y, cut(scene.name(seat), 9))
        far = len(rivers.river_hexes) + 1 - raft.river_place
        lead = ", closest" if raft.river_place == _nearest(scene) else ""
        canvas.write(14, y, f"{far} to the Delta{lead}")
        canvas.write(38, y, plural(_pieces(scene, raft), "piece"))
        if base := bases.get(seat):
            canvas.write(47, y, f"Base: {plural(base.camps, 'Camp')}", DIM)
        y += 1
    return y


def _course(scene: Scene, canvas: Canvas, y: int) -> None:
    """The places of the river side by side, each with its Rafts and Camps."""
    hexes = scene.public.rivers.river_hexes
    last = len(hexes) + 1
    width = (canvas.width - _HEADWATERS) // last
    x = 0
    for number in range(last + 1):
        name = "Headwaters" if not number else "Delta" if number == last else ""
        room = width if number else _HEADWATERS
        canvas.write(x, y, name or f"hex {hexes[number - 1]}", DIM)
        canvas.write(x, y + 1, f"{WAVE * (room - 1)}{'→' if number < last else WAVE}", WATER)
        at = x
        for seat in rafts_at(scene, number):
            at = canvas.write(at, y + 1, f"{RAFT}{letter(seat)}", badge(seat))
        at = x
        if not name:
            for one in scene.public.terrain.hexes[hexes[number - 1]].camps:
                at = canvas.write(at, y + 2, f"{letter(one.seat)}{one.count}", badge(one.seat))
        x += room


def _write(canvas: Canvas, y: int, lines: Iterable[str]) -> int:
    for text in lines:
        for number, line in enumerate(wrapped(text, canvas.width - 1, later=canvas.width - 3)):
            canvas.write(1 if not number else 3, y, line, GROUND)
            y += 1
    return y


def raft_lines(scene: Scene) -> Iterator[str]:
    """Each Raft: where it is, how far from the Delta, and what its player has on the river."""
    rivers = scene.public.rivers
    last = len(rivers.river_hexes) + 1
    for raft in rivers.rafts:
        far = last - raft.river_place
        way = f"{far} from the Delta" if far else "no way to go"
        lead = ", closest" if raft.river_place == _nearest(scene) else ""
        pieces = plural(_pieces(scene, raft), "own piece")
        where = river_place(rivers.river_hexes, raft.river_place)
        yield f"{scene.whose(raft.seat)} Raft: at {where}, {way}{lead}; {pieces} on the river."


def _nearest(scene: Scene) -> int:
    """How far down the foremost Rafts are."""
    return max(raft.river_place for raft in scene.public.rivers.rafts)


def _pieces(scene: Scene, raft: view_public_pb2.RaftView) -> int:
    """RAF-10: own Camps on River hexes, and the Raft wherever it is."""
    hexes = set(scene.public.rivers.river_hexes)
    camps = [one for hex_ in scene.public.terrain.hexes if hex_.hex in hexes for one in hex_.camps]
    return 1 + sum(one.count for one in camps if one.seat == raft.seat)


def landmark_lines(scene: Scene) -> Iterator[str]:
    for one in scene.public.terrain.hexes:
        if one.landmark_id:
            item = scene.catalog.landmarks[one.landmark_id].item
            yield f"{LANDMARK} {item.name} on hex {one.hex}: {item.text}."


def fish_lines(scene: Scene) -> Iterator[str]:
    rivers = scene.public.rivers
    yield f"{rivers.fish_pool_count} in the pool, face down."
    found = []
    for one in rivers.fish_discarded:
        token = scene.catalog.tokens[one.token_id]
        many = f" x{one.count}" if one.count > 1 else ""
        found.append(f"{token.item.name}{many} ({token.item.text})")
    yield f"Discarded: {', '.join(found) or 'none'}."


def base_lines(scene: Scene) -> Iterator[str]:
    for base in scene.public.rivers.starting_bases:
        where = f"at the hexes {base.first_hex} and {base.second_hex}"
        camps = plural(base.camps, "Camp")
        yield f"{scene.whose(base.seat)} Starting Base: {where}, {camps}."
