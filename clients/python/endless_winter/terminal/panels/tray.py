"""The own board and hand; for spectators the board of the seat in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style

from endless_winter.terminal import places
from endless_winter.terminal.canvas import DIM, GROUND, cut
from endless_winter.terminal.panels.look import CARD, QUIET, chip, look
from endless_winter.terminal.seats import badge, ink, letter
from endless_winter.terminal.text import brief, chief_line, labor, plural
from endless_winter.v1 import enums_pb2 as enums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from endless_winter.terminal.canvas import Canvas
    from endless_winter.terminal.places import Place
    from endless_winter.terminal.scene import Scene
    from endless_winter.v1 import ids_pb2, view_public_pb2

_TITLE = Style(color="#f2e2b0", bgcolor="#242a33", bold=True)


def draw(scene: Scene, canvas: Canvas) -> None:
    """Title, stores, what lies on the board, then the cards."""
    player = scene.player(scene.eyes)
    _title(scene, canvas, player)
    _stores(scene, canvas, 1, player)
    _board(scene, canvas, 2, player)
    _cards(scene, canvas, 3, player)


def _title(scene: Scene, canvas: Canvas, player: view_public_pb2.PlayerView) -> None:
    canvas.fill(0, 0, canvas.width, 1, _TITLE)
    x = canvas.write(0, 0, f" {letter(player.seat)} ", badge(player.seat))
    name = scene.name(player.seat)
    whose = "Your board" if name == "You" else f"Board of {name}"
    x = canvas.write(x + 1, 0, whose, _TITLE + ink(player.seat)) + 2
    if player.chief_id:
        chief = chief_line(scene.catalog, player.chief_id, player.chief_side)
        ready = " (ready)" if scene.public.turn.chief_abilities_ready else ""
        text = cut(f"Chief {chief}{ready}", canvas.width - x - 1)
        canvas.write(x, 0, text, look(scene, places.CHIEF, _TITLE), places.CHIEF)


def _stores(scene: Scene, canvas: Canvas, y: int, player: view_public_pb2.PlayerView) -> None:
    """Stores and pieces in a line; numbers alone where rows of signs do not fit."""
    for signs in (True, False):
        parts = _store_words(scene, player, signs=signs)
        if sum(len(text) + 2 for text, *_ in parts) <= canvas.width:
            break
    x = 1
    for text, style, place in parts:
        shown = style if place is None else look(scene, place, style)
        x = canvas.write(x, y, text, shown, place) + 2


def _store_words(
    scene: Scene, player: view_public_pb2.PlayerView, *, signs: bool
) -> list[tuple[str, Style, Place | None]]:
    def row(sign: str, count: int, free: str = "", room: int = 0) -> str:
        return f"{sign * count}{free * (room - count)} " if signs else ""

    food = f"Food {row('▰', player.food, '▱', player.food_limit)}{player.food}"
    if not signs:
        food += f"/{player.food_limit}"
    found: list[tuple[str, Style, Place | None]] = [
        (food, GROUND, places.FOOD),
        (f"Tools {row('▰', player.tools, '▱', 5)}{player.tools}", GROUND, places.TOOLS),
    ]
    turn = scene.public.turn
    if turn.labor_halves and turn.active_seat == player.seat:
        bold = GROUND + Style(bold=True, color="#8fe08f")
        found.append((f"Labor {labor(turn.labor_halves)}", bold, places.LABOR))
    figures = "★" * player.chief_available + "●" * player.tribe_figures_available
    rest = f" +{player.figures_at_rest} at rest" if player.figures_at_rest else ""
    found.append((f"figures {figures or '-'}{rest}", GROUND, None))
    for name, sign, count in (
        ("Camps", "▲", player.camps_on_board),
        ("Villages", "⌂", player.villages_on_board),
    ):
        found.append((f"{name} {sign * count if signs and count else count}", GROUND, None))
    megaliths = f"Megaliths {player.neutral_megaliths}+{player.coloured_megaliths}"
    return [*found, (megaliths, GROUND, None)]


def _board(scene: Scene, canvas: Canvas, y: int, player: view_public_pb2.PlayerView) -> None:
    x = 1
    for track, name, level in (
        (1, "Offering", player.offering_level),
        (2, "Honor", player.honor_level),
    ):
        place = places.track(track)
        x = canvas.write(x, y, f"{name} {level}", look(scene, place, GROUND), place) + 2
    x = canvas.write(x, y, "Stones", DIM) + 1
    for stone_id in player.stone_ids:
        name = scene.catalog.title(stone_id).removesuffix(" Stone")
        x = chip(canvas, scene, x, y, name, places.own_stone(stone_id))
    spaces = scene.catalog.tables.stone_spaces
    if len(player.stone_ids) < len(spaces):
        following = spaces[len(player.stone_ids)]
        cost = f"{following.food} Food, {plural(following.tools, 'Tool')}"
        canvas.write(x, y, f"next: {cost} → {', '.join(brief(following.benefit))}", DIM)


class _Flow:
    """Chips one after another, on as many lines as the panel has."""

    def __init__(self, scene: Scene, canvas: Canvas, y: int) -> None:
        self.scene = scene
        self.canvas = canvas
        self.x, self.y = 1, y

    def label(self, text: str, place: Place | None = None) -> None:
        if self.x > 1 and self.x + len(text) + 14 > self.canvas.width:
            self.x, self.y = 1, self.y + 1
        style = DIM if place is None else look(self.scene, place, DIM)
        self.x = self.canvas.write(self.x, self.y, text, style, place) + 1

    def chip(self, text: str, place: Place, style: Style) -> None:
        if self.x > 1 and self.x + len(text) + 2 > self.canvas.width:
            self.x, self.y = 1, self.y + 1
        self.x = chip(self.canvas, self.scene, self.x, self.y, text, place, style)

    def pile(
        self,
        title: str,
        counts: Iterable[ids_pb2.CardCount],
        place: Callable[[str], Place],
        *,
        style: Style = QUIET,
        full: bool = True,
        labor_too: bool = False,
    ) -> None:
        """A pile with its cards; not `full`: only those that can be chosen."""
        self.label(title)
        for one in counts:
            where = place(one.card_id)
            if full or where in self.scene.offered:
                self.chip(self._text(one, labor_too=labor_too), where, style)
        self.x += 1

    def animals(self, holdings: Iterable[view_public_pb2.AnimalHolding]) -> None:
        self.label("Animals")
        for one in holdings:
            title = self.scene.catalog.title(one.animal_id)
            name = title if len(title) < 10 else title.split()[-1]
            text = f"{name}{f' x{one.untipped}' if one.untipped > 1 else ''}"
            if one.tipped:
                text = f"{text if one.untipped else name} ({one.tipped} tipped)"
            self.chip(text, places.herd(one.animal_id), CARD if one.untipped else QUIET)
        self.x += 1

    def _text(self, one: ids_pb2.CardCount, *, labor_too: bool) -> str:
        card = self.scene.catalog.cards.get(one.card_id)
        name = self.scene.catalog.title(one.card_id)
        many = f" x{one.count}" if one.count > 1 else ""
        halves = card.labor_halves if labor_too and card is not None else 0
        return f"{name}{many}{f' {labor(halves)}L' if halves else ''}"


def _cards(scene: Scene, canvas: Canvas, y: int, player: view_public_pb2.PlayerView) -> None:
    """All cards; where they do not fit, the open piles show only what can be chosen."""
    for full in (True, False):
        canvas.fill(0, y, canvas.width, canvas.height - y, GROUND)
        flow = _Flow(scene, canvas, y)
        _flow(scene, flow, player, full=full)
        if flow.y < canvas.height:
            return


def _flow(scene: Scene, flow: _Flow, player: view_public_pb2.PlayerView, *, full: bool) -> None:
    own = scene.private if scene.private and scene.private.seat == player.seat else None
    if scene.public.turn.phase == enums.PHASE_SETUP:
        _draft(scene, flow, player)
    if own is not None:
        flow.pile(f"Hand {player.hand_count}", own.hand, places.hand, style=CARD, labor_too=True)
    else:
        flow.label(f"Hand: {player.hand_count} hidden ")
    if player.played:
        flow.pile("Played", player.played, places.played, full=full, labor_too=True)
    if player.animals:
        flow.animals(player.animals)
    flow.label(f"Deck {player.deck_count}", places.DECK)
    buried = own.buried if own is not None else ()
    flow.pile(f"Buried {player.buried_count}", buried, places.buried, full=full)
    pile = player.eclipse_pile or (own.eclipse_pile if own is not None else ())
    if player.eclipse_pile_count or pile:
        title = f"Eclipse pile {player.eclipse_pile_count}"
        flow.pile(title, pile, places.pile_card, full=full)
    count = sum(one.count for one in player.discard_pile)
    flow.pile(f"Discard {count}", player.discard_pile, places.discard, full=full)


def _draft(scene: Scene, flow: _Flow, player: view_public_pb2.PlayerView) -> None:
    """What lies on the table to choose from before the game."""
    draft = scene.public.draft
    shown = [*draft.landmark_ids, *draft.chief_ids, *draft.setup_card_ids]
    if player.chief_id and player.chief_id not in shown:
        shown.append(player.chief_id)
    flow.label("On the table")
    for item_id in shown:
        flow.chip(scene.catalog.title(item_id), places.setup_choice(item_id), CARD)
    flow.x += 1
