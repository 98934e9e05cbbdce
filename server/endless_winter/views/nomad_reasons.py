"""Why a step of the Nomad is this and nothing else (rules/nomad/grounds.py), in sentences.

Each sentence ends with the rule that decided; the rules go out by their ids as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.rules import agenda, icons, sources
from endless_winter.rules.board import MAX_STONES, MAX_TOOLS
from endless_winter.rules.hooks import FIRST_OF_MODULES
from endless_winter.rules.nomad import grounds as g
from endless_winter.rules.nomad import roaming
from endless_winter.rules.nomad.actions import GLACIERS, PILE_CARD, SETTLE
from endless_winter.rules.nomad.steps import STONE_POINTS
from endless_winter.views import phrases
from endless_winter.views.phrases import PLACE_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from endless_winter.rules.hooks import Ground
    from endless_winter.rules.state import Position
    from endless_winter.rules.tables import NomadCard
    from endless_winter.views.words import Words

    # Of a ground's two numbers.
    Sentence = Callable[[Words, int, int], str]


class Reason(NamedTuple):
    text: str
    rule_ids: list[str]


# What is due, for the Nomad's own actions and for what has no icon.
_WORDS: Final[dict[int, tuple[str, str]]] = {
    SETTLE: ("build a Village or relocate Camps", "{} times build a Village or relocate Camps"),
    PILE_CARD: ("a card for the Eclipse pile", "{} cards for the Eclipse pile"),
    GLACIERS: ("points for Camps on Glaciers", "points for Camps on Glaciers, {} times"),
}
# What comes instead of something.
_NOUNS: Final[dict[int, str]] = {
    SETTLE: "build a Village or relocate Camps",
    icons.STONE: "a Sacred Stone",
    icons.MEGALITH: "a Megalith",
    icons.BURY: "a Bury",
    icons.TOOL: "a Tool",
    icons.FOOD: "Food",
    icons.IDOL: "an Idol",
}
_NOT_TO_BE_HAD: Final[dict[tuple[int, int], str]] = {
    (icons.STONE, g.ALL_TAKEN): f"It has {MAX_STONES} Sacred Stones",
    (icons.STONE, g.PRICE_LACKING): "It cannot pay for a Sacred Stone",
    (icons.STONE, g.NONE_LEFT): "No Sacred Stone is available",
    (icons.MEGALITH, g.NONE_LEFT): "It has no Megalith left",
    (icons.MEGALITH, g.NO_PLACE): "No place is open to its next Megalith",
    (agenda.ADDITIONAL, g.NONE_LEFT): "It has no Megalith left",
    (icons.CULTURE, g.NONE_LEFT): "The display is empty",
    (icons.BURY, g.NONE_LEFT): "The Sacrifice deck is empty",
    (icons.TOOL, g.ALL_TAKEN): f"It has {MAX_TOOLS} Tools",
    (icons.FOOD, g.ALL_TAKEN): "Its Food is at the limit",
    (icons.FEAST, g.ALL_TAKEN): "Its Food is at the limit",
    (icons.ANIMAL, g.NONE_LEFT): "The Hunting Grounds are empty",
    (icons.BEAST, g.NONE_LEFT): "The Animal deck is empty",
}
# Of benefits that come from somewhere: the rule that gives them to the Nomad.
_RULES_OF_SOURCES: Final[dict[int, str]] = {
    sources.NOMAD_CARD: "SOL-09",
    sources.SECTION: "XPT-04",
    sources.HEX: "NMD-15",
    sources.TURN_ORDER: "NMD-15",
    sources.BOARD: "NMD-15",
    sources.OFFERING: "NMD-01",
    sources.STONE_SPACE: "NMD-09",
    sources.MEGALITH: "NMD-10",
    sources.GLACIER_TOKENS: "XPT-06",
}
_CAMPS: Final = (icons.CAMP, icons.MOVE, icons.VILLAGE)


def reason_of(words: Words, position: Position, grounds: Iterable[Ground]) -> Reason:
    """All sentences of a step, and the rules they name; only what never changes is looked at."""
    said: list[str] = []
    rules: list[str] = []
    for code, a, b in grounds:
        if code == g.DUE:
            rule, sentence = _due(words, position, a, b >> 8, b & 255)
        elif code == g.ALWAYS_IS:
            rule = "NMD-13" if a in _CAMPS else "NMD-14"
            sentence = f"For the Nomad that is: {_noun(b)}"
        else:
            row = SENTENCES[code] if code < FIRST_OF_MODULES else OF_MODULES.get(code)
            if row is None:  # a module that has no words for it
                continue
            rule, say = row
            sentence = say(words, a, b)
        if rule:
            said.append(f"{sentence} ({rule}).")
            rules.append(rule)
        else:
            said.append(f"{sentence}.")
    return Reason(" ".join(said), rules)


def map_reason(use: int) -> Reason:
    """What a Map card was revealed for, and what came of it."""
    rule, text = _MAPS[use]
    return Reason(f"{text} ({rule}).", [rule])


def word(icon: int, number: int) -> str:
    """A due icon with its amount, which is no number of pieces for some."""
    if icon == agenda.ADDITIONAL:
        return "an additional Megalith"
    if icon == agenda.SCORE_STONES:
        stones = number.bit_count()
        return f"{STONE_POINTS} points for each of {stones} Sacred Stone{'s' * (stones > 1)}"
    if icon in _WORDS:
        one, many = _WORDS[icon]
        return one if number == 1 else many.format(number)
    return phrases.amount(icon, number)


def _noun(icon: int) -> str:
    return _NOUNS.get(icon) or word(icon, 1)


def _due(words: Words, position: Position, where: int, icon: int, amount: int) -> tuple[str, str]:
    kind, number = where >> 8, where & 255
    if kind in GIVERS_OF_MODULES:
        rule, giver = GIVERS_OF_MODULES[kind]
        return rule, f"{giver(words, number)}: {word(icon, amount)} due"
    rule = "MEG-08" if icon == agenda.ADDITIONAL else _RULES_OF_SOURCES.get(kind, "")
    return rule, f"{_source(words, position, kind, number)}: {word(icon, amount)} due"


def _source(words: Words, position: Position, kind: int, number: int) -> str:
    """What gives something, as the beginning of a sentence that ends with what of it is due."""
    tables = words.tables
    if kind == sources.NOMAD_CARD:
        return tables.nomad_cards[number].title
    if kind == sources.HEX:
        terrain = tables.terrains[position.terrain[number]]
        return f"Hex {number} ({terrain.title}), by its Influence"
    if kind == sources.SECTION:
        column = PLACE_NAMES[number // sources.SECTIONS]
        return f"The bottom action of {column} comes first, as the column was empty"
    if kind == sources.MEGALITH:
        x, y = position.sites.x[number], position.sites.y[number]
        return f"The Megalith space {x},{y}"
    return _GIVERS.get(kind, "A benefit").format(number)


_GIVERS: Final[dict[int, str]] = {
    sources.TURN_ORDER: "Place {} in the turn order",
    sources.BOARD: "Its board",
    sources.OFFERING: "Space {} of the Offering track",
    sources.STONE_SPACE: "The space of its Sacred Stone number {}",
    sources.GLACIER_TOKENS: "The Glacier tokens beside its Village on juncture {}",
}


def _card(words: Words, number: int) -> NomadCard:
    return words.tables.nomad_cards[number]


def _pointing(card: NomadCard) -> str:
    return f"{'right' if card.right else 'left'}, then {'down' if card.down else 'up'}"


def _by_arrow(words: Words, number: int, column: int) -> str:
    card = _card(words, number)
    large = "right" if card.right else "left"
    return (
        f"{card.title} names {PLACE_NAMES[card.column]}, which is taken; its arrow points {large}, "
        f"where {PLACE_NAMES[column]} is the next empty column"
    )


def _lacking(_: Words, icon: int, more: int) -> str:
    return f"{_NOT_TO_BE_HAD[icon, more >> 8]}, so instead: {_noun(more & 255)}"


def _built(_: Words, juncture: int, token: int) -> str:
    what = "its Villages are used up, so its token goes there" if token else "a Village goes there"
    return f"Sequence A, as its Camps lie around free juncture {juncture}: {what}"


def _price(_: Words, food: int, tools: int) -> str:
    parts = [f"{food} Food"] * bool(food) + [phrases.amount(icons.TOOL, tools)] * bool(tools)
    return f"It can pay the price of {' and '.join(parts)}" if parts else "There is no price"


def _animal(words: Words, animal: int) -> str:
    return words.tables.animals[animal].title


# By code: the rule, and what is said of the two numbers.
SENTENCES: Final[dict[int, tuple[str, Sentence]]] = {
    g.NEW_CARD: ("SOL-07", lambda _, __, ___: "Each of its turns begins with a new card"),
    g.COLUMN_EMPTY: (
        "SOL-08",
        lambda words, card, column: (
            f"{_card(words, card).title} names {PLACE_NAMES[column]}, which is empty"
        ),
    ),
    g.COLUMN_ALL: (
        "SOL-08",
        lambda words, card, column: (
            f"{_card(words, card).title} names {PLACE_NAMES[column]}, and all columns are taken"
        ),
    ),
    g.COLUMN_ARROW: ("SOL-08", _by_arrow),
    g.HEX_ORDER: (
        "NMD-15",
        lambda words, card, _: f"Its hexes come in the order of {_pointing(_card(words, card))}",
    ),
    g.LACKING: ("NMD-14", _lacking),
    g.LESS_ROOM: (
        "NMD-02",
        lambda _, icon, number: f"It has room for {phrases.amount(icon, number)} only",
    ),
    g.TO_LIMIT: ("ICO-05", lambda _, food, __: f"Up to its limit that is {food} Food"),
    g.HONOR: ("NMD-01", lambda _, __, ___: "Idols go up the Honor track to its top"),
    g.OFFERING: (
        "NMD-01",
        lambda _, __, ___: "Honor is at its top, so Idols go up the Offering track",
    ),
    g.NO_TRACK: ("NMD-01", lambda _, __, ___: "Both tracks are at their tops: 1 point for an Idol"),
    g.BUILD: ("NMD-11", _built),
    g.RELOCATE: (
        "NMD-12",
        lambda _, __, ___: (
            "Sequence B, as its Camps lie around no free juncture: "
            "a Map card moves the 2 inner ones"
        ),
    ),
    g.OUTER_CAMPS: (
        "NMD-11",
        lambda _, __, ___: "Sequence A ends with a Map card for its 3 outer Camps",
    ),
    g.NEUTRAL: ("MEG-03", lambda _, __, ___: "Its next Megalith is neutral and is never stacked"),
    g.STACKED: (
        "NMD-10",
        lambda _, __, ___: "Coloured Megaliths are stacked where that is possible",
    ),
    g.NOT_STACKED: (
        "NMD-10",
        lambda _, __, ___: "It would stack, but there is nothing to stack on: onto the board",
    ),
    g.ARROWED_SPACE: (
        "MEG-08",
        lambda _, __, ___: "It goes onto a space that the starting space points to",
    ),
    g.NO_ARROWED_SPACE: (
        "MEG-08",
        lambda _, __, ___: "Both spaces that the starting space points to are taken: no effect",
    ),
    g.PRICE: ("NMD-09", _price),
    g.STONE_SCORES: (
        "NMD-09",
        lambda words, stone, __: (
            f"{words.tables.stones[stone].title} is worth {STONE_POINTS}, whatever it shows"
        ),
    ),
    g.TOP_SACRIFICE: ("NMD-04", lambda _, __, ___: "It buries the top of the Sacrifice deck"),
    g.ONTO_SACRIFICE: ("NMD-03", lambda _, __, ___: "The card goes onto the Sacrifice deck"),
    g.SOME_OF_TYPE: (
        "NMD-05",
        lambda words, animal, number: (
            f"It has {number} of {_animal(words, animal)}: "
            "a type of which it has 1 to 3 comes first"
        ),
    ),
    g.NONE_OF_TYPE: (
        "NMD-05",
        lambda words, animal, _: (
            f"Of no type there it has 1 to 3, and none of {_animal(words, animal)}: "
            "a type that it lacks comes next"
        ),
    ),
    g.MANY_OF_TYPE: (
        "NMD-05",
        lambda words, animal, number: (
            f"It has {number} of {_animal(words, animal)}: "
            "only types of which it has 4 or more are there"
        ),
    ),
    g.TOP_ANIMAL: ("NMD-06", lambda _, __, ___: "It takes the top of the Animal deck"),
    g.FREE_PLACE: ("NMD-06", lambda _, __, ___: "The top Animal goes to the first free place"),
    g.NOTHING_TO_REVEAL: (
        "NMD-06",
        lambda _, empty, __: (
            f"{'The Animal deck is empty' if empty else 'No place is free'}: nothing happens"
        ),
    ),
    g.NEXT_CARD: ("NMD-07", lambda _, __, ___: "Its next card goes face down onto the pile"),
    g.NO_CARD: ("NMD-07", lambda _, __, ___: "It has no card left for it: nothing happens"),
    g.GLACIER_HEXES: (
        "NMD-08",
        lambda _, number, __: f"Glacier hexes with its Camps, 1 point each: {number}",
    ),
    g.ARROWS: (
        "SOL-10",
        lambda words, card, number: (
            f"Of {number} the arrows of {_card(words, card).title} choose: "
            f"{_pointing(_card(words, card))}"
        ),
    ),
    g.LARGE_ARROW: (
        "SOL-10",
        lambda words, card, number: (
            f"Of {number} the arrow of {_card(words, card).title} chooses: "
            f"{'right' if _card(words, card).right else 'left'}"
        ),
    ),
    g.NO_USE: ("NMD-14", lambda _, icon, __: f"The Nomad has no use for {word(icon, 1)}"),
}
# Those of modules, by their codes and by the kind of their sources.
OF_MODULES: Final[dict[int, tuple[str, Sentence]]] = {}
GIVERS_OF_MODULES: Final[dict[int, tuple[str, Callable[[Words, int], str]]]] = {}

_MAPS: Final[dict[int, tuple[str, str]]] = {
    roaming.FOR_SET_UP: ("SOL-04", "It shows where its Camps start"),
    roaming.FOR_INNER: ("NMD-12", "It shows where its 2 inner Camps go"),
    roaming.FOR_INNER | roaming.STAYS: (
        "NMD-12",
        "Its 2 inner Camps stand there already: the card is void, the next one counts",
    ),
    roaming.FOR_OUTER: ("NMD-11", "It shows where its 3 outer Camps go"),
    roaming.FOR_OUTER | roaming.STAYS: ("NMD-11", "Its 3 outer Camps stand there already"),
}
