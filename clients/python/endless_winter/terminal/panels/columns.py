"""The Action Columns and the Rest space, with the figures of the round."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style

from endless_winter.terminal import places
from endless_winter.terminal.panels.look import CARD, LIT, QUIET, look
from endless_winter.terminal.seats import badge, letter
from endless_winter.terminal.text import SPACES
from endless_winter.v1 import enums_pb2 as enums

if TYPE_CHECKING:
    from endless_winter.terminal.canvas import Canvas
    from endless_winter.terminal.scene import Scene

HEIGHT = 2
_FREE = Style(color="#8fe08f")
_NOW = Style(color="#14171c", bgcolor="#b8c4d8", bold=True)


def draw(scene: Scene, canvas: Canvas) -> None:
    """Five fields; ``m`` and ``b``: the middle and bottom actions that can still be had."""
    width = canvas.width // len(SPACES)
    turn = scene.public.turn
    in_turn = turn.phase == enums.PHASE_ACTION
    for number, (space, name) in enumerate(SPACES.items()):
        x, place = number * width, places.space(space)
        now = in_turn and turn.space == space
        style = look(scene, place, _NOW if now else CARD)
        if now and place not in scene.lit:
            style = style + Style(color="#14171c")
        canvas.fill(x, 0, width - 1, 1, style + Style(underline=False), place)
        canvas.fill(x, 1, width - 1, 1, QUIET, place)
        canvas.write(x, 0, f"{_mark(scene, place)}{name}", style, place)
        if space == enums.ACTION_SPACE_REST:
            _resting(scene, canvas, x)
        else:
            _sections(scene, canvas, x + width - 3, space, now=now)
            _figures(scene, canvas, x, space)


def _mark(scene: Scene, place: places.Place) -> str:
    if place in scene.lit:
        return "▸"
    return places.CHANGED if place in scene.changed else ""


def _sections(scene: Scene, canvas: Canvas, x: int, space: int, *, now: bool) -> None:
    """Which of the middle and the bottom action are still to be had."""
    turn = scene.public.turn
    column = next((one for one in scene.public.columns.columns if one.column == space), None)
    if now:
        middle = turn.section < enums.SECTION_MIDDLE
        bottom = turn.bottom_available
    else:
        middle = False
        bottom = column is not None and not column.HasField("first_seat")
    for offset, mark, free, section in (
        (0, "m", middle, enums.SECTION_MIDDLE),
        (1, "b", bottom, enums.SECTION_BOTTOM),
    ):
        place = places.section(space, section)
        lit = place in scene.lit
        if free or lit:
            style = LIT if lit else (Style(color="#1d5c1d", bold=True) if now else _FREE)
            canvas.write(x + offset, 0, mark, style, place)


def _figures(scene: Scene, canvas: Canvas, x: int, space: int) -> None:
    at = x + 1
    for column in scene.public.columns.columns:
        if column.column != space:
            continue
        seats = sorted({figure.seat for figure in column.figures})
        for seat in seats:
            marks = "".join(
                "★" if figure.figure == enums.FIGURE_CHIEF else "●"
                for figure in column.figures
                if figure.seat == seat
            )
            at = canvas.write(at, 1, f"{letter(seat)}{marks}", badge(seat), places.space(space))
            at += len(seats) < 4


def _resting(scene: Scene, canvas: Canvas, x: int) -> None:
    at = x + 1
    place = places.space(enums.ACTION_SPACE_REST)
    for player in scene.public.players:
        if player.figures_at_rest:
            text = f"{letter(player.seat)}{player.figures_at_rest}"
            at = canvas.write(at, 1, text, badge(player.seat), place) + 1
    tokens = scene.public.rest_tokens
    if scene.public.HasField("rest_tokens"):
        token_id = tokens.held_token_id or tokens.open_token_id
        style = look(scene, places.REST_TOKEN, QUIET)
        name = scene.catalog.title(token_id)[: canvas.width - x - 7] if token_id else "no token"
        canvas.write(x + 6, 0, name, style + CARD, places.REST_TOKEN)
        if places.REST_TOKEN in scene.lit:
            canvas.restyle(x + 6, 0, len(name), LIT)
