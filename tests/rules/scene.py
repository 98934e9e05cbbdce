"""Scenes: tables laid out by hand, so that a rule can be shown in a few lines.

    table = scene(2).player(0, food=3, tools=2, hand=["hunter"]).turn(0)
    table.do("place tribe hunt", "play hunter")
    assert table.can("hunt woolly_rhino")

A scene starts bare: seats play in the order 0, 1, ...; nobody has Food, Tools, Animals or cards
in hand; each has one Camp on the Base; display, Hunting Grounds and Megalith board are empty.
Scenes are played on the frozen pack of tests/data/frozen, so that tuning the content does not
break the tests of a rule.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from endless_winter.content import load
from endless_winter.rules import Config, Game, agenda, board
from endless_winter.rules.events import CATEGORY_NAMES
from endless_winter.rules.icons import ICON_NAMES, WHERE_NAMES
from endless_winter.rules.modules import MODULE_ICON_NAMES
from endless_winter.rules.points import NO_POINTS, points_of, with_points
from endless_winter.rules.sources import CARD, source
from endless_winter.rules.terrain import JUNCTURES
from endless_winter.rules.zones import EMPTY, replaced

if TYPE_CHECKING:
    from endless_winter.rules.config import ModuleRules
    from endless_winter.rules.state import Event, Frame, Player, Position

FROZEN = Path(__file__).parents[1] / "data" / "frozen" / "base.toml"
TABLES = load(FROZEN)
SEED = bytes(range(32))

CARDS = {card.name: number for number, card in enumerate(TABLES.cards)}
ANIMALS = {animal.name: number for number, animal in enumerate(TABLES.animals)}
STONES = {stone.name: number for number, stone in enumerate(TABLES.stones)}
CHIEFS = {chief.name: number for number, chief in enumerate(TABLES.chiefs)}
TERRAINS = {terrain.name: number for number, terrain in enumerate(TABLES.terrains)}

ICONS = {name: icon for icon, name in enumerate(ICON_NAMES)} | {
    name: icon for icon, name in MODULE_ICON_NAMES.items()
}

CATEGORIES = {name: category for category, name in CATEGORY_NAMES.items()}
ELDER = source(CARD, CARDS["elder"])  # where pools of a scene come from
_SET_UP = (agenda.CHOOSE_CHIEF, agenda.MODULE)
_CARD_ZONES = ("hand", "deck", "discard", "above", "pile", "buried")
_ANIMAL_ZONES = ("animals", "tipped")


def cards(*names: str) -> bytes:
    """A sorted zone of cards by name."""
    return bytes(sorted(CARDS[name] for name in names))


def animals(*names: str) -> bytes:
    return bytes(sorted(ANIMALS[name] for name in names))


def pool(text: str) -> bytes:
    """A pool of benefits: `pool("draw 2, tool")`."""
    found = b""
    for item in text.split(", "):
        name, _, amount = item.partition(" ")
        found += bytes((ICONS[name], int(amount or "1")))
    return found


def points(by_name: dict[str, int]) -> bytes:
    """Points by category: `points({"megaliths": 5})`."""
    found = NO_POINTS
    for name, number in by_name.items():
        found = with_points(found, CATEGORIES[name], number)
    return found


def scene(
    players: int = 2,
    *,
    modules: tuple[str | ModuleRules, ...] = (),
    layout: str = "",
    round_: int = 1,
    seed: bytes = SEED,
) -> Scene:
    """A bare table of the frozen pack (tests/data/frozen), never of the pack in the product.

    Seat 0 is about to take its first turn. Tuning the content changes nothing here.
    """
    config = Config(TABLES, players=players, modules=modules, layout=layout)
    game = Game.new(config, seed)
    while (decision := game.decision) is not None and decision.kind in _SET_UP:
        game.apply(decision.default)
    position = game.position
    position.order = bytes(range(players))
    position.round = round_
    position.display = bytes((EMPTY,)) * 8
    position.grounds = bytes((EMPTY,)) * 6
    for player in position.players:
        player.food = player.tools = 0
        player.hand = player.deck = player.animals = b""
        player.camps = bytes((board.camp_home(position),))
        player.chief = CHIEFS["chiselstone_a"]
    return Scene(position).turn(0)


def plaza(players: int = 2, **fields: Any) -> Scene:
    """A scene with a Megalith board of four tiles; the fields are those of seat 0."""
    table = scene(players, layout="two").table(tiles=bytes(range(4)))
    return table.player(0, **fields)


def juncture(*hexes: int) -> int:
    """The number of the juncture where these hexes meet."""
    return JUNCTURES.index(bytes(sorted(hexes)))


def gain_frame(seat: int, benefits: bytes) -> Frame:
    """The record of a pool, which comes from an Elder."""
    return (agenda.GAIN, seat, ELDER << 8 | agenda.MAY_LEAVE, benefits)


class Scene:
    """A table that can be edited by name, and the game that goes on from it."""

    def __init__(self, position: Position) -> None:
        self.game = Game.at(position)
        self.events: list[Event] = []

    # --- looking ---

    @property
    def position(self) -> Position:
        return self.game.position

    @property
    def seat(self) -> int:
        """Whose decision is pending."""
        assert self.game.decision is not None
        return self.game.decision.seat

    @property
    def kind(self) -> str:
        """What kind of decision is pending; empty when the game is over."""
        return self.game.decision.kind_name if self.game.decision is not None else ""

    @property
    def texts(self) -> list[str]:
        """The pending options, as text."""
        return [self.game.text(code) for code in self.game.options()]

    def can(self, *texts: str) -> bool:
        """Whether all of these are on offer."""
        return all(text in self.texts for text in texts)

    def offers(self, word: str) -> list[str]:
        """The pending options that start with a word."""
        return [text for text in self.texts if text.split(" ")[0] == word]

    def at(self, seat: int) -> Player:
        return self.position.players[seat]

    def score(self, seat: int) -> int:
        """Where the seat's score marker is."""
        return self.at(seat).score

    def points(self, seat: int, category: str) -> int:
        """The seat's points of a category so far."""
        return points_of(self.at(seat).points, CATEGORIES[category])

    def names(self, seat: int, zone: str) -> list[str]:
        """What lies in a zone of a player, by name."""
        pieces: bytes = getattr(self.at(seat), zone)
        table = TABLES.animals if zone in _ANIMAL_ZONES else TABLES.cards
        if zone == "stones":
            return [TABLES.stones[piece].name for piece in pieces]
        return [table[piece].name for piece in pieces]

    # --- playing ---

    def do(self, *texts: str) -> Self:
        """Take options by their text, one after the other."""
        for text in texts:
            assert text in self.texts, f"{text!r} is not on offer: {self.texts}"
            self.events += self.game.apply(self.game.parse(text))
        return self

    def listen(self) -> Self:
        self.game.listen()
        return self

    # --- laying out ---

    def player(self, seat: int, **fields: Any) -> Self:
        """Set parts of a player's area; cards, Animals, Stones and the Chief by name.

        `points={"terrain": 7}` sets the score too.
        """
        player = self.at(seat)
        for name, value in fields.items():
            if name in _CARD_ZONES:
                ids = [CARDS[card] for card in value]
                value = bytes(ids) if name == "deck" else bytes(sorted(ids))  # noqa: PLW2901
            elif name in _ANIMAL_ZONES:
                value = animals(*value)  # noqa: PLW2901
            elif name == "stones":
                value = bytes(STONES[stone] for stone in value)  # noqa: PLW2901
            elif name == "chief":
                value = CHIEFS[value]  # noqa: PLW2901
            elif name in ("camps", "villages"):
                value = bytes(sorted(value))  # noqa: PLW2901
            elif name == "figures":
                value = bytes(WHERE_NAMES.index(w) if w else 0 for w in value)  # noqa: PLW2901
            elif name == "points":
                value = points(value)  # noqa: PLW2901
                player.score = sum(fields[name].values())
            assert hasattr(player, name), f"a player has no {name}"
            setattr(player, name, value)
        return self._again()

    def display(self, *names: str) -> Self:
        """Culture cards in the display, from the first place on."""
        row = bytes(CARDS[name] if name else EMPTY for name in names)
        self.position.display = row + bytes((EMPTY,)) * (8 - len(row))
        return self._again()

    def grounds(self, *names: str) -> Self:
        """Animals in the Hunting Grounds, from the first place on."""
        row = bytes(ANIMALS[name] if name else EMPTY for name in names)
        self.position.grounds = row + bytes((EMPTY,)) * (6 - len(row))
        return self._again()

    def animal_deck(self, *names: str) -> Self:
        """The Animal deck, the top card first."""
        self.position.animals = bytes(ANIMALS[name] for name in names)
        return self._again()

    def tribe_deck(self, name: str, number: int) -> Self:
        self.position.tribes = replaced(
            self.position.tribes, self.position.tribe_cards.index(CARDS[name]), number
        )
        return self._again()

    def stones(self, era_1: list[str], era_2: list[str]) -> Self:
        """The Sacred Stones in play."""
        self.position.stones = [
            bytes(sorted(STONES[name] for name in era)) for era in (era_1, era_2)
        ]
        return self._again()

    def terrain(self, **hexes: str) -> Self:
        """Terrain types by hex: `terrain(h7="woodland")`."""
        for key, name in hexes.items():
            self.position.terrain = replaced(self.position.terrain, int(key[1:]), TERRAINS[name])
        return self._again()

    def all_terrain(self, name: str) -> Self:
        """The same Terrain everywhere but on the Base."""
        self.position.terrain = b"\0" + bytes((TERRAINS[name],)) * 18
        return self._again()

    def megaliths(self, owner: str | int, *places: tuple[int, int] | tuple[int, int, int]) -> Self:
        """Megaliths on the board by (x, y) or (x, y, level): "neutral" or a seat's.

        The supplies are not touched: set `megaliths=` of the players for that.
        """
        value = 1 if owner == "neutral" else 2 + int(owner)
        for place in places:
            x, y, level = (*place, 0) if len(place) == 2 else place
            site = self.position.sites.index[(x, y, level)]
            self.position.megaliths = replaced(self.position.megaliths, site, value)
        return self._again()

    def table(self, **fields: Any) -> Self:
        """Set anything else of the position as it is."""
        for name, value in fields.items():
            assert hasattr(self.position, name), f"a position has no {name}"
            setattr(self.position, name, value)
        return self._again()

    # --- where the game stands ---

    def turn(self, seat: int, number: int = 1) -> Self:
        """The seat's first, second or third turn of the round is about to begin.

        Everybody's figures of earlier turns are at home all the same.
        """
        position = self.position
        place = position.order.index(seat)
        position.turn = (number - 1) * len(position.players) + place
        position.over = False
        position.agenda = [(agenda.ROUND, 0, 0, b"")]
        return self._again()

    def eclipse(self) -> Self:
        """All turns of the round are over."""
        self.position.turn = 3 * len(self.position.players)
        self.position.over = False
        self.position.agenda = [(agenda.ROUND, 0, 0, b"")]
        return self._again()

    def gain(self, seat: int, text: str) -> Self:
        """The seat is about to gain a pool of benefits, of an Elder: `gain(0, "draw 2, tool")`."""
        self.position.agenda = [(agenda.ROUND, 0, 0, b""), gain_frame(seat, pool(text))]
        return self._again()

    def _again(self) -> Self:
        self.game = Game.at(self.position)
        return self
