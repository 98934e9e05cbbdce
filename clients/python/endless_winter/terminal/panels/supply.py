"""What can be taken: Hunting Grounds, Culture display, Tribe decks, Sacred Stones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.terminal import places
from endless_winter.terminal.canvas import DIM, HEAD, cut, wrapped
from endless_winter.terminal.panels.look import CARD, QUIET, chip, heading, look
from endless_winter.terminal.text import brief, labor

if TYPE_CHECKING:
    from rich.style import Style

    from endless_winter.terminal.canvas import Canvas
    from endless_winter.terminal.places import Place
    from endless_winter.terminal.scene import Scene


def draw(scene: Scene, canvas: Canvas) -> None:
    y = _grounds(scene, canvas, 0)
    y = _culture(scene, canvas, y)
    y = _tribes(scene, canvas, y)
    _stones(scene, canvas, y)


def _grounds(scene: Scene, canvas: Canvas, y: int) -> int:
    supply = scene.public.supply
    heading(canvas, y, "Hunting Grounds", f"{len(supply.hunting_grounds)} of 6 places")
    deck = f" Animal deck: {supply.animal_deck} "
    canvas.write(
        canvas.width - len(deck) - 1,
        y,
        deck,
        look(scene, places.ANIMAL_DECK, CARD),
        places.ANIMAL_DECK,
    )
    columns = scene.catalog.tables.hunting_grounds_columns or 3
    width = canvas.width // columns
    rows = -(-(scene.catalog.tables.hunting_grounds_spaces or 6) // columns)
    for one in supply.hunting_grounds:
        animal = scene.catalog.animals.get(one.animal_id)
        place = places.grounds(one.animal_id)
        x, line = (one.space % columns) * width, y + 1 + 2 * (one.space // columns)
        name = animal.item.name if animal is not None else one.animal_id
        chip(canvas, scene, x, line, name, place, CARD, width - 1)
        tip = f"tip: {', '.join(brief(animal.tip))}" if animal is not None else ""
        chip(canvas, scene, x, line + 1, tip, place, QUIET, width - 1)
    return y + 1 + 2 * rows


def _culture(scene: Scene, canvas: Canvas, y: int) -> int:
    supply = scene.public.supply
    decks = f"decks: {supply.culture_deck_era_one} Era I, {supply.culture_deck_era_two} Era II"
    heading(canvas, y, "Culture display", decks)
    columns = scene.catalog.tables.culture_columns or 4
    width = canvas.width // columns
    room = 3 if canvas.height < 26 else 4
    for one in supply.culture_display:
        card = scene.catalog.cards.get(one.card_id)
        place = places.culture(one.space)
        x, line = (one.space % columns) * width, y + 1 + room * (one.space // columns)
        name = cut(scene.catalog.title(one.card_id), width - 2)
        _line(canvas, scene, x, line, name, place, CARD, width - 1)
        lines = wrapped(card.item.text if card is not None else "", width - 2)
        points = f"{card.end_points}p" if card is not None and card.end_points else ""
        if len(lines) > room - 1:
            lines = [*lines[: room - 2], cut(" ".join(lines[room - 2 :]), width - 3 - len(points))]
        for number in range(room - 1):
            text = lines[number] if number < len(lines) else ""
            _line(canvas, scene, x, line + 1 + number, text, place, QUIET, width - 1)
        canvas.write(
            x + width - 1 - len(points),
            line + room - 1,
            points,
            look(scene, place, QUIET + HEAD),
            place,
        )
    return y + 1 + 2 * room


def _line(
    canvas: Canvas, scene: Scene, x: int, y: int, text: str, place: Place, style: Style, width: int
) -> None:
    """A line of a card, as long as the card is wide."""
    mark = "▸" if place in scene.lit else " "
    canvas.write(x, y, f"{mark}{text:<{width - 1}}"[:width], look(scene, place, style), place)


def _tribes(scene: Scene, canvas: Canvas, y: int) -> int:
    decks = scene.public.supply.tribe_decks
    heading(canvas, y, "Tribe decks", "cards left · Labor")
    width = canvas.width // max(len(decks), 1)
    for number, deck in enumerate(decks):
        place = places.tribe_deck(deck.card_id)
        card = scene.catalog.cards.get(deck.card_id)
        name = cut(scene.catalog.title(deck.card_id), width - 3)
        chip(canvas, scene, number * width, y + 1, name, place, CARD, width - 1)
        strength = f" · {labor(card.labor_halves)} L" if card is not None else ""
        left = f"{deck.count or 'empty'}{strength}"
        chip(canvas, scene, number * width, y + 2, left, place, QUIET, width - 1)
    return y + 3


def _stones(scene: Scene, canvas: Canvas, y: int) -> None:
    supply = scene.public.supply
    heading(canvas, y, "Sacred Stones", "Era II ones from round 3 on")
    y += 1
    for era, stones in (("I", supply.stones_era_one), ("II", supply.stones_era_two)):
        canvas.write(0, y, f"{era:>2} ", DIM)
        x = 3
        for stone_id in stones:
            name = scene.catalog.title(stone_id).removesuffix(" Stone")
            if x + len(name) + 2 > canvas.width:
                x, y = 3, y + 1
            x = chip(canvas, scene, x, y, name, places.supply_stone(stone_id))
        y += 1
