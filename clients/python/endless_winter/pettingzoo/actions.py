"""The fixed action space: every move that some decision could offer has its own number.

The options of a decision are a list of varying length; here each canonical move of a content pack
and Megalith layout is one number, the same in every decision and every game, so that a number
means the same to a learner wherever it meets it. The table is worked out from what is printed, no
game is played for it. Whole amounts are left out of a move (`food 2` and `food 3` are both
"food"), since within one decision there is only one of them; nothing else is merged, so that the
options of a decision and their numbers correspond one to one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.pettingzoo import rivers
from endless_winter.rules import board, icons, options
from endless_winter.rules.config import MAX_PLAYERS
from endless_winter.rules.game import notation_of
from endless_winter.rules.hooks import FIRST_OF_MODULES
from endless_winter.rules.modules.mammoth import DRIVE, MAMMOTH, MOVES
from endless_winter.rules.modules.warriors import MARCH_ICON, RAID, RAID_ICON, warrior_in
from endless_winter.rules.options import option, source
from endless_winter.rules.rivers.agreed import RIVERS
from endless_winter.rules.rivers.codes import FISH
from endless_winter.rules.terrain import ADJACENT, BASE, HEXES, JUNCTURES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from endless_winter.rules import Config
    from endless_winter.rules.notation import Notation
    from endless_winter.rules.tables import Ability, Tables

# Options that take a whole amount: the amount is the first argument, or the second.
_WHOLE: Final = (options.FOOD, options.POINTS, options.LABOR, FISH)
_FIRST: Final = 255 << 8
_SECOND: Final = 255 << 16
_MOST_FOOD: Final = board.BASE_FOOD_LIMIT + board.CAMPS
_FORMS: Final = (
    (options.AS_FOOD, icons.FOOD),
    (options.AS_TOOL, icons.TOOL),
    (options.AS_OFFERING, icons.IDOL),
    (options.AS_HONOR, icons.IDOL),
    (options.AS_DRAW, icons.DRAW),
)
# Icons that are taken in one way only.
_PLAIN: Final = {
    icons.FOOD: options.FOOD,
    icons.LABOR: options.LABOR,
    icons.CAMP: options.CAMP,
    icons.BEAST: options.BEAST,
    icons.REVEAL: options.REVEAL,
    icons.POINT: options.POINTS,
    icons.FEAST: options.FEAST,
}
# Choices in a turn that are one word.
_WORDS: Final = (
    options.DEVELOP_POINT,
    options.RITE,
    options.REVEAL_TWO,
    options.HUNT_POINT,
    options.BOTTOM,
    options.END,
    options.PITCH,
    options.DONE,
)
# Modules with moves of their own, which stand behind all others in the table.
_WARRIORS: Final = "warriors"
_MAMMOTH: Final = "mammoth"
_SEA_COWS: Final = "sea_cows"
_MORE: Final = (_WARRIORS, _MAMMOTH, _SEA_COWS, RIVERS)
_SEATS: Final = range(MAX_PLAYERS)
_ALL_ICONS: Final = [icon for icon in range(icons.FOOD, icons.FEAST + 1) if icon != icons.DISCARD]


def key_of(code: int) -> int:
    """An option without its whole amount."""
    verb = options.verb_of(code)
    if verb in _WHOLE:
        return code & ~_FIRST
    return code & ~_SECOND if verb == options.TOOLS else code


class ActionTable:
    """All moves of a pack and layout, numbered. Make it with `table_of`."""

    __slots__ = ("_by_text", "_notation", "_numbers", "keys", "names")

    def __init__(self, config: Config) -> None:
        self._notation: Notation = notation_of(config)
        self.keys: list[int] = list(dict.fromkeys(_all_moves(config, len(self._sites))))
        self._numbers: dict[int, int] = {key: number for number, key in enumerate(self.keys)}
        self._by_text: dict[str, int] = {}
        self.names: list[str] = [self._name(key) for key in self.keys]

    @property
    def _sites(self) -> list[int]:
        return self._notation.sites.x

    def __len__(self) -> int:
        return len(self.keys)

    def number(self, text: str) -> int:
        """The number of an option, by its canonical text."""
        known = self._by_text.get(text)
        if known is None:
            known = self._by_text[text] = self._numbers[key_of(self._notation.parse(text))]
        return known

    def _name(self, key: int) -> str:
        """The canonical text, without the amounts that the number does not hold."""
        text = self._notation.text(key)
        verb = options.verb_of(key)
        if verb in _WHOLE:
            return text.removesuffix(" 0")
        return text.removesuffix(" food 0") if verb == options.TOOLS else text


_TABLES: Final[dict[tuple[str, str, tuple[str, ...]], ActionTable]] = {}


def table_of(config: Config) -> ActionTable:
    """The table of a pack and layout; player count, variants and tokens do not change it.

    Modules with moves of their own add them behind those of every game.
    """
    more = tuple(name for name in _MORE if name in config.modules)
    key = (config.tables.digest, config.layout, more)
    known = _TABLES.get(key)
    if known is None:
        known = _TABLES[key] = ActionTable(config)
    return known


class _Play(NamedTuple):
    """What is in play of a pack."""

    tables: Tables
    sites: int
    cards: list[int]
    tribes: bytes
    animals: list[int]
    mammoth: bool
    rivers: bool


def _all_moves(config: Config, sites: int) -> Iterator[int]:
    """Those of every game, then again with what the modules bring: what is new comes last."""
    tables = config.tables
    cards = [number for number in range(len(tables.cards)) if number != warrior_in(tables)]
    tribes = tables.tribe_cards
    animals = sorted(set(tables.animal_copies))
    yield from _moves(_Play(tables, sites, cards, tribes, animals, mammoth=False, rivers=False))
    if _WARRIORS in config.modules:
        cards.append(warrior_in(tables))
        tribes += bytes((warrior_in(tables),))
    if _SEA_COWS in config.modules:
        animals = list(range(len(tables.animals)))
    mammoth, river = _MAMMOTH in config.modules, RIVERS in config.modules
    yield from _moves(_Play(tables, sites, cards, tribes, animals, mammoth, river))


def _moves(play: _Play) -> Iterator[int]:
    """Every move that any decision could offer, amounts left out, in a fixed order."""
    tables = play.tables
    yield from _set_up(tables)
    yield from _turn(play)
    for icon in _ALL_ICONS:
        yield from _ways(play, icon, board.MAX_TOOLS, 0)
    if warrior_in(tables) in play.cards:
        yield from _ways(play, RAID_ICON, 1, 0)
        yield from _ways(play, MARCH_ICON, 1, 0)
    if play.rivers:
        yield from rivers.set_up(tables)
        yield from rivers.turn()
        for icon in rivers.ICONS:
            yield from rivers.ways(tables, icon, 0)
    for stone in range(len(tables.stones)):
        yield option(options.SCORE, stone)
    yield option(options.LEAVE)
    # Where several sources compete, a move names its own.
    for hex_ in range(HEXES):
        if hex_ != BASE or play.rivers:
            abilities = [
                land.ability for land in tables.terrains if play.rivers or _of_base(land.ability)
            ]
            times = 2 if play.mammoth else 1  # MAM-02
            yield from _source(play, abilities, source(options.HEX, hex_), times)
    for number in play.cards:
        card = tables.cards[number]
        abilities = [ability for ability in card.abilities if ability.where == icons.ECLIPSE]
        yield from _source(play, abilities, source(options.CARD, number))
    culture = [card.abilities for card in tables.cards if card.era]
    for number in range(max(map(len, culture), default=0)):
        abilities = [printed[number] for printed in culture if number < len(printed)]
        yield from _source(play, abilities, source(options.ABILITY, number))
    for number in range(max((len(token.effects) for token in tables.rest_tokens), default=0)):
        yield option(options.PAY, 0, 0, source(options.TOKEN_EFFECT, number))


def _set_up(tables: Tables) -> Iterator[int]:
    for side in range(len(tables.chiefs)):
        yield option(options.CHIEF, side)
    for card in range(len(tables.setups)):
        yield option(options.SETUP, card)


def _turn(play: _Play) -> Iterator[int]:
    """Steps 1, 2 and 4 of a turn, costs, and the choice of a Rest token."""
    tables = play.tables
    for figure in (0, 1):
        for place in (icons.REST, *range(icons.INITIATE, icons.HUNT + 1)):
            yield option(options.PLACE, figure, place)
    for number in play.cards:
        card = tables.cards[number]
        yield option(options.DISCARD, number)
        yield option(options.PILE, number)
        if card.era:
            yield option(options.CULTURE, number)
            yield option(options.DEVELOP, number)
            continue
        yield option(options.PLAY, number)
        for at, ability in enumerate(card.abilities):
            if ability.where != icons.ECLIPSE:
                yield option(options.USE, number, at)
    for verb, targets in (
        (options.EAT, range(1, _MOST_FOOD + 1)),
        (options.INITIATE, play.tribes),
        (options.LEAD, range(max(len(chief.abilities) for chief in tables.chiefs))),
        (options.HUNT, play.animals),
        (options.SETTLE, range(len(JUNCTURES))),
        (options.TOKEN, range(2)),
        (DRIVE, range(len(JUNCTURES) if play.mammoth else 0)),
    ):
        for target in targets:
            yield option(verb, target)
    yield from _steps(options.TRAVEL, 0)
    for verb in _WORDS:
        yield option(verb)


def _steps(verb: int, where: int) -> Iterator[int]:
    """A Camp from any hex to one beside it."""
    for start in range(HEXES):
        for end in ADJACENT[start]:
            yield option(verb, start, end, where)


def _source(play: _Play, abilities: list[Ability], where: int, times: int = 1) -> Iterator[int]:
    """What a source could offer that has one of these abilities."""
    for ability in abilities:
        if ability.cost:
            yield option(options.PAY, 0, 0, where)
            continue
        for at in range(0, len(ability.gains), 2):
            yield from _ways(play, ability.gains[at], times * ability.gains[at + 1], where)


def _ways(play: _Play, icon: int, amount: int, where: int) -> Iterator[int]:
    """Every way to take a benefit (rules/benefits.py lists those that are legal)."""
    if play.rivers:
        yield from rivers.ways(play.tables, icons.MOVE if icon == MARCH_ICON else icon, where)
    if icon in rivers.ICONS:
        return
    if icon in _PLAIN:
        yield option(_PLAIN[icon], 0, 0, where)
    elif icon == icons.TOOL:
        for tools in range(min(amount, board.MAX_TOOLS) + 1):
            yield option(options.TOOLS, tools, 0, where)
    elif icon == icons.BURY:
        for card in play.cards:
            for zone in range(options.FROM_HAND, options.FROM_PILE + 1):
                yield option(options.BURY, card, zone, where)
    elif icon in (icons.MOVE, MARCH_ICON, RAID_ICON):
        yield from _camp_moves(play, icon, amount, where)
    elif icon == icons.IDOL:
        yield option(options.OFFERING, 0, 0, where)
        yield option(options.HONOR, 0, 0, where)
    else:
        verb, targets = _targets(play, icon)
        for target in targets:
            yield option(verb, target, 0, where)
    if icons.IDOL <= icon <= icons.MEGALITH:  # GLD-03
        for form, lesser in _FORMS:
            if lesser < icon:
                yield option(options.AS, icon, form, where)


def _camp_moves(play: _Play, icon: int, amount: int, where: int) -> Iterator[int]:
    """Own Camps, or the Mammoth for two such moves (MAM-01), or those of others (RAF-15)."""
    if icon == RAID_ICON:
        for seat in _SEATS:
            for step in _steps(RAID, where):
                yield step | option(0, c=seat)
        return
    yield from _steps(options.MOVE, where)
    if play.mammoth and amount >= MOVES:
        for juncture in range(len(JUNCTURES)):
            yield option(MAMMOTH, juncture, 0, where)


def _of_base(ability: Ability) -> bool:
    """Whether an ability has icons of the base game only."""
    return all(icon < FIRST_OF_MODULES for icon in ability.gains[::2])


def _targets(play: _Play, icon: int) -> tuple[int, Iterable[int]]:
    """The verb of an icon that is used on one thing, and the things."""
    tables = play.tables
    culture = [number for number, card in enumerate(tables.cards) if card.era]
    return {
        icons.DRAW: (options.DRAW, (0,)),
        icons.MEGALITH: (options.MEGALITH, range(play.sites)),
        icons.VILLAGE: (options.VILLAGE, range(len(JUNCTURES))),
        icons.TRIBE: (options.TRIBE, play.tribes),
        icons.RECRUIT: (options.RECRUIT, play.tribes),
        icons.CULTURE: (options.TAKE, culture),
        icons.ANIMAL: (options.ANIMAL, play.animals),
        icons.TIP: (options.TIP, play.animals),
        icons.STONE: (options.STONE, range(len(tables.stones))),
    }[icon]
