"""The Nomad: its open cards, the column it is in and what it will still do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style

from endless_winter.terminal.canvas import DIM, GROUND, HEAD, cut, wrapped
from endless_winter.terminal.panels.look import CARD, heading
from endless_winter.terminal.panels.players import board_lines
from endless_winter.terminal.text import SPACES, enum_name, labor
from endless_winter.v1 import enums_pb2 as enums

if TYPE_CHECKING:
    from endless_winter.terminal.canvas import Canvas
    from endless_winter.terminal.scene import Scene
    from endless_winter.v1 import catalog_pb2

_SHORT: dict[int, str] = {
    enums.NOMAD_ACTION_BUILD_OR_RELOCATE: "build",
    enums.NOMAD_ACTION_RANDOM_ANIMAL: "deck Animal",
    enums.NOMAD_ACTION_REVEAL_ANIMAL: "reveal",
    enums.NOMAD_ACTION_ECLIPSE_CARD: "Eclipse card",
    enums.NOMAD_ACTION_SCORE_GLACIERS: "Glaciers",
    enums.NOMAD_ACTION_SACRED_STONE: "Stone",
}


def draw(scene: Scene, canvas: Canvas) -> None:
    nomad = scene.public.nomad
    decks = f"deck {nomad.nomad_deck_count} · Sacrifice {nomad.sacrifice_deck_count}"
    heading(canvas, 0, "The Nomad", f"{decks} · Map cards {nomad.map_deck_count}")
    y = 1
    if nomad.column:
        reason = f" ({nomad.column_reason.rstrip('.')})" if nomad.column_reason else ""
        y = _write(canvas, y, f"In {SPACES.get(nomad.column, '?')}{reason}.")
    if nomad.pending_actions:
        todo = [
            f"{action(one.action, one.amount)} ({scene.catalog.title(one.nomad_card_id)})"
            for one in nomad.pending_actions
        ]
        y = _write(canvas, y, f"Still to do: {', '.join(todo)}.")
    for line in board_lines(scene, scene.player(nomad.seat))[:4]:
        y = _write(canvas, y, line)
    heading(canvas, y, "Open cards", "the newest first; each acts in the column of the turn")
    y += 1
    for card_id in reversed(nomad.revealed_card_ids):
        card = scene.catalog.nomad_cards.get(card_id)
        if card is not None and y + 2 < canvas.height:
            y = _card(scene, canvas, y, card)


def _write(canvas: Canvas, y: int, text: str) -> int:
    for line in wrapped(text, canvas.width - 2):
        canvas.write(1, y, line, GROUND)
        y += 1
    return y


def _card(scene: Scene, canvas: Canvas, y: int, card: catalog_pb2.NomadCardInfo) -> int:
    """A card in three lines: what it points to, and a cell for each column."""
    arrows = f"{'→' if card.arrow_right else '←'}{'↓' if card.arrow_down else '↑'}"
    names = f"{SPACES.get(card.column, '?')} {arrows} {labor(card.labor_halves)} L"
    canvas.fill(0, y, canvas.width, 1, CARD)
    canvas.write(1, y, card.item.name, CARD + HEAD + CARD)
    canvas.write(canvas.width - len(names) - 1, y, names, CARD)
    width = canvas.width // max(len(card.cells), 1)
    for number, cell in enumerate(card.cells):
        now = scene.public.nomad.column == cell.column
        style = GROUND + Style(bold=True) if now else DIM
        words = [action(one.action, one.amount) for one in cell.actions]
        for line, text in enumerate(wrapped(", ".join(words), width - 1)[:2], 1):
            canvas.write(number * width, y + line, cut(text, width - 1), style)
    return y + 3


def action(kind: int, amount: int) -> str:
    """An action in a word or two."""
    name = _SHORT.get(kind) or enum_name(enums.NomadAction, kind, "NOMAD_ACTION_").capitalize()
    return name if amount == 1 else f"{amount} {name}"
