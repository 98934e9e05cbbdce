"""What can be taken: Hunting Grounds, Culture display, Tribe decks, Sacred Stones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.terminal import places
from endless_winter.terminal.canvas import DIM, cut, wrapped
from endless_winter.terminal.panels.look import CARD, QUIET, chip, heading, look
from endless_winter.terminal.text import brief, labor

if TYPE_CHECKING:
    from rich.style import Style

    from endless_winter.terminal.canvas import Canvas
    from endless_winter.terminal.places import Place
    from endless_winter.terminal.scene import Scene
    from endless_winter.v1 import view_public_pb2


_NAME = 17  # columns for the name of a Culture card


def draw(scene: Scene, canvas: Canvas) -> None:
    """From the top to the bottom; the texts of the Culture cards have the room that is left."""
    y = _grounds(scene, canvas, 0)
    stones = _stone_rows(scene, canvas.width)
    cards = [_card_rows(scene, one.card_id, canvas.width) for one in _display(scene)]
    needed = 1 + sum(map(len, cards))
    # Headings go first where the texts need their lines.
    spare = canvas.height - y - needed - 2 - len(stones)
    y = _culture_heading(scene, canvas, y)
    y = _culture(scene, canvas, y, cards) if spare >= 0 else _culture_flowing(scene, canvas, y)
    y = _tribes(scene, canvas, y, titled=spare >= 1)
    _stones(scene, canvas, y, stones, titled=spare >= 2)


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
        _line(canvas, scene, x, line, name, place, CARD, width - 1)
        tip = f"tip: {', '.join(brief(animal.tip))}" if animal is not None else ""
        chip(canvas, scene, x, line + 1, tip, place, QUIET, width - 1)
    return y + 1 + 2 * rows


def _display(scene: Scene) -> list[view_public_pb2.CardSpace]:
    return list(scene.public.supply.culture_display)


def _card_rows(scene: Scene, card_id: str, width: int) -> list[str]:
    """What a card does, and its points, in as many lines as that needs beside its name."""
    card = scene.catalog.cards.get(card_id)
    text = card.item.text if card is not None else ""
    points = f" · {card.end_points}p" if card is not None and card.end_points else ""
    return wrapped(f"{text}{points}", width - _NAME - 2)


def _culture_heading(scene: Scene, canvas: Canvas, y: int) -> int:
    supply = scene.public.supply
    decks = f"decks: {supply.culture_deck_era_one} Era I, {supply.culture_deck_era_two} Era II"
    heading(canvas, y, "Culture display", decks)
    return y + 1


def _culture_flowing(scene: Scene, canvas: Canvas, y: int) -> int:
    """The cards one after the other in the same line, where long texts need the room."""
    x = 1
    for one in _display(scene):
        place = places.culture(one.space)
        rows = " ".join(_card_rows(scene, one.card_id, canvas.width)).split()
        words = [(scene.catalog.title(one.card_id), CARD), *((word, QUIET) for word in rows)]
        for number, (word, style) in enumerate(words):
            if x > 1 and x + len(word) > canvas.width - 1:
                x, y = 1, y + 1
            x = canvas.write(x, y, f"{word} ", look(scene, place, style), place)
            x += number == len(words) - 1
    return y + 1


def _culture(scene: Scene, canvas: Canvas, y: int, cards: list[list[str]]) -> int:
    for one, rows in zip(_display(scene), cards, strict=True):
        place = places.culture(one.space)
        name = cut(scene.catalog.title(one.card_id), _NAME - 1)
        for number, row in enumerate(rows):
            text = f"{'' if number else name:<{_NAME}}{row}"
            _line(canvas, scene, 0, y + number, text, place, QUIET, canvas.width - 1)
        canvas.write(1, y, name, look(scene, place, CARD), place)
        y += len(rows)
    return y


def _line(
    canvas: Canvas, scene: Scene, x: int, y: int, text: str, place: Place, style: Style, width: int
) -> None:
    """A line of a card, as long as the card is wide."""
    mark = "▸" if place in scene.lit else " " if len(text) < width else ""
    canvas.write(x, y, f"{mark}{text:<{width}}"[:width], look(scene, place, style), place)


def _tribes(scene: Scene, canvas: Canvas, y: int, *, titled: bool) -> int:
    decks = scene.public.supply.tribe_decks
    if titled:
        heading(canvas, y, "Tribe decks", "cards left · Labor")
        y += 1
    width = canvas.width // max(len(decks), 1)
    for number, deck in enumerate(decks):
        place = places.tribe_deck(deck.card_id)
        card = scene.catalog.cards.get(deck.card_id)
        name = scene.catalog.title(deck.card_id)
        _line(canvas, scene, number * width, y, name, place, CARD, width - 1)
        strength = f" · {labor(card.labor_halves)} L" if card is not None else ""
        left = f"{deck.count or 'empty'}{strength}"
        chip(canvas, scene, number * width, y + 1, left, place, QUIET, width - 1)
    return y + 2


_ERAS = ("I", "II")


def _stone_rows(scene: Scene, width: int) -> list[list[tuple[str, str]]]:
    """The Sacred Stones in lines, each with the Era before the first of its line."""
    supply = scene.public.supply
    rows: list[list[tuple[str, str]]] = []
    for era, stones in zip(_ERAS, (supply.stones_era_one, supply.stones_era_two), strict=True):
        rows.append([(era, "")])
        room = width - 3
        for stone_id in stones:
            name = scene.catalog.title(stone_id).removesuffix(" Stone")
            if len(name) + 2 > room:
                rows.append([("", "")])
                room = width - 3
            rows[-1].append((name, stone_id))
            room -= len(name) + 3
    return rows


def _stones(
    scene: Scene, canvas: Canvas, y: int, rows: list[list[tuple[str, str]]], *, titled: bool
) -> None:
    if titled:
        heading(canvas, y, "Sacred Stones", "Era II ones from round 3 on")
        y += 1
    for (era, _), *stones in rows:
        canvas.write(0, y, f"{era:>2} ", DIM)
        x = 3
        for name, stone_id in stones:
            x = chip(canvas, scene, x, y, name, places.supply_stone(stone_id))
        y += 1
