"""Solo tables laid out by hand: seat 0 is the player, seat 1 the Nomad.

    table = solo().arrows("right", "down").grounds("glyptodon").gains("animal")
    table.steps()     # plays the Nomad's steps to the end; what it did, as text

A solo scene starts as bare as any other (scene.py): the Nomad has no Food, Tools, Animals; its
Camps stand on 1, 2 and 7, 8, 9; its Sacrifice deck is empty; a card of the stack gives the arrows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from endless_winter.rules import Config, Game, agenda
from endless_winter.rules.config import NomadRules
from endless_winter.rules.icons import WHERE_NAMES
from endless_winter.rules.nomad.actions import ACTIONS
from endless_winter.rules.nomad.area import Area, area_of, keep
from endless_winter.rules.nomad.seat import GAIN
from endless_winter.rules.sources import TURN_ORDER, source
from endless_winter.rules.zones import EMPTY
from tests.rules.plain_tables import changed
from tests.rules.scene import CARDS, CHIEFS, ICONS, SEED, TABLES, Scene

FIRST_PLACE = source(TURN_ORDER, 1)  # where pools of a scene come from

if TYPE_CHECKING:
    from endless_winter.rules.config import ModuleRules
    from endless_winter.rules.state import Position
    from endless_winter.rules.tables import NomadCard, Tables

PLAYER, NOMAD = 0, 1
NOMAD_CARDS = {card.name: number for number, card in enumerate(TABLES.nomad_cards)}
MAPS = {card.name: number for number, card in enumerate(TABLES.map_cards)}
COLUMNS = ("initiate", "develop", "migrate", "hunt")


def dealt(seed: bytes = SEED, tables: Tables = TABLES, **switches: bool) -> Game:
    """A solo game after its set-up, the player's choices taken by default."""
    game = Game.new(Config(tables, nomad=NomadRules(NOMAD, **switches)), seed, True)
    while (decision := game.decision) is not None and decision.kind in (
        agenda.CHOOSE_CHIEF,
        agenda.CHOOSE_SETUP,
    ):
        game.apply(decision.default)
    return game


def solo(
    *,
    modules: tuple[str | ModuleRules, ...] = (),
    round_: int = 1,
    layout: str = "",
    tables: Tables = TABLES,
    **switches: bool,
) -> SoloScene:
    """A bare table; the Nomad is about to take its first turn."""
    nomad = NomadRules(NOMAD, **switches)
    config = Config(tables, modules=modules, layout=layout, nomad=nomad)
    game = Game.new(config, SEED)
    while (decision := game.decision) is not None and decision.seat == PLAYER:
        game.apply(decision.default)
    position = game.position
    position.round = round_
    position.display = bytes((EMPTY,)) * 8
    position.grounds = bytes((EMPTY,)) * 6
    for player in position.players:
        player.food = player.tools = 0
        player.hand = player.deck = player.animals = b""
        player.camps = b"\0"
    position.players[PLAYER].chief = CHIEFS["chiselstone_a"]
    position.players[NOMAD].camps = bytes((1, 2, 7, 8, 9))
    return SoloScene(position)


def with_cells(**cells: str) -> Tables:
    """Tables whose Nomad cards show these cells: `with_cells(wolf_song="hunt: food, tool")`."""
    return changed(
        TABLES, nomad_cards=[_with_cell(card, cells.get(card.name)) for card in TABLES.nomad_cards]
    )


def _with_cell(card: NomadCard, text: str | None) -> NomadCard:
    if text is None:
        return card
    column, _, actions = text.partition(": ")
    cells = list(card.cells)
    cells[WHERE_NAMES.index(column)] = entries(actions)
    kind = type(card)
    return kind(card.name, card.title, card.column, card.right, card.down, card.labor, cells)


def entries(text: str) -> bytes:
    """A pool in the words of icons and of the Nomad's actions: `entries("settle, food 2")`."""
    found = b""
    for item in text.split(", "):
        name, _, amount = item.partition(" ")
        icon = ACTIONS[name] if name in ACTIONS else ICONS[name]
        found += bytes((icon, int(amount or "1")))
    return found


class SoloScene(Scene):
    """A solo table that can be edited by name."""

    def __init__(self, position: Position) -> None:
        super().__init__(position)
        self.area(sacrifice=[])
        self.arrows("left", "up")
        self.gains("food")

    @property
    def nomad(self) -> Area:
        return area_of(self.position)

    def area(self, **zones: list[str] | int) -> Self:
        """Zones of the Nomad's area by the names of cards; those not named stay in the deck."""
        area = area_of(self.position)
        for name, value in zones.items():
            if isinstance(value, int):
                setattr(area, name, value)
                continue
            book = NOMAD_CARDS
            if name == "sacrifice":
                book = CARDS
            elif name in ("maps", "seen_maps"):
                book = MAPS
            setattr(area, name, bytes(book[card] for card in value))
        held = area.stack + area.pile
        if "deck" in zones:
            top = area.deck
            area.deck = top + bytes(n for n in range(16) if n not in held + top)
        else:
            area.deck = bytes(n for n in range(16) if n not in held)
        if "maps" in zones:
            area.seen_maps = bytes(n for n in range(6) if n not in area.maps)
        keep(self.position, area)
        return self

    def arrows(self, large: str, small: str) -> Self:
        """The newest open card has these arrows."""
        for number, card in enumerate(TABLES.nomad_cards):
            if card.right == (large == "right") and card.down == (small == "down"):
                area = area_of(self.position)
                area.stack = bytes((number,))
                area.pile = b""
                area.deck = bytes(n for n in range(16) if n != number)
                keep(self.position, area)
                return self
        raise AssertionError((large, small))

    def gains(self, text: str) -> Self:
        """The Nomad is about to gain or do this: `gains("stone")`, `gains("settle, food 2")`."""
        self.position.agenda = [
            (agenda.ROUND, 0, 0, b""),
            (agenda.NOMAD, NOMAD, FIRST_PLACE << 8 | GAIN, entries(text)),
        ]
        self.position.place = 0
        self._again()
        return self

    def nomad_turn(self, number: int = 1, *deck: str, stack: tuple[str, ...] = ()) -> Self:
        """The Nomad's turn begins; the deck has these cards on top."""
        self.area(stack=list(stack), pile=[], deck=list(deck))
        self.turn(NOMAD, number)
        return self

    def occupied(self, *columns: str) -> Self:
        """Figures of the player stand in these columns."""
        first = bytearray(5)
        figures = bytearray(3)
        for at, name in enumerate(columns):
            first[WHERE_NAMES.index(name)] = 1 + PLAYER
            if at < 2:  # one stays at home for the turn to come
                figures[at] = WHERE_NAMES.index(name)
        self.position.first = bytes(first)
        self.at(PLAYER).figures = bytes(figures)
        self._again()
        return self

    def step(self) -> str:
        """Play the Nomad's pending step; what it was."""
        assert self.seat == NOMAD
        assert self.kind == "nomad"
        (text,) = self.texts
        self.do(text)
        return text

    def steps(self, most: int = 99) -> list[str]:
        """Play the Nomad's steps until the player is asked, or so many."""
        found: list[str] = []
        while len(found) < most and self.kind == "nomad":
            found.append(self.step())
        return found
