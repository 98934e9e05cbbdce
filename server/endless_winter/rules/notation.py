"""The canonical text of an option: what logs, people and bots read and write.

`place chief hunt`, `play hunter`, `hex 7: tools 1 food 0`, `megalith 3,4`, `stack 3,4@1`. Text
and option turn into each other without loss; pieces go by the pack's own ids.
"""

from typing import Final

from endless_winter.rules import options
from endless_winter.rules.errors import BadText, IllegalOption
from endless_winter.rules.hooks import Module
from endless_winter.rules.icons import ICON_NAMES, WHERE_NAMES
from endless_winter.rules.megaliths import Sites
from endless_winter.rules.options import option, source
from endless_winter.rules.tables import Tables

# How an argument is written; modules use these too.
NUMBER: Final = 0
_CARD: Final = 1
_CHIEF: Final = 2
_SETUP: Final = 3
_ANIMAL: Final = 4
_STONE: Final = 5
_PLACE: Final = 6
_FIGURE: Final = 7
_ZONE: Final = 8
_TOKEN: Final = 9
_BUILT: Final = 10
_RING: Final = 11
TERRAIN: Final = 12
STEP: Final = 13  # both arguments in one: `0>3`
OWNER: Final = 14  # in front of a step: the third argument, whose piece it is
_MAYBE: Final = 15  # a number that is not written if it is 0
_AT: Final = 16  # 1 + place, written as the place; not written if it is 0

_FIGURES: Final = ("chief", "tribe")
_ZONES: Final = ("hand", "discard", "above", "pile")
_TOKENS: Final = ("shown", "next")
_PIECES: Final = ("village", "token")
_RINGS: Final = ("inner", "outer")
_MOST_TEXTS: Final = 10_000
_FORMS: Final = ("", "food", "tool", "offering", "honor", "draw")
_SOURCES: Final = ("", "hex", "card", "ability", "token", "nomad")

# Verb: its word and how its arguments are written. MEGALITH, AS and TOOLS have their own form.
_WORDS: Final[dict[int, tuple[str, tuple[int, ...]]]] = {
    options.CHIEF: ("chief", (_CHIEF,)),
    options.SETUP: ("setup", (_SETUP,)),
    options.CULTURE: ("culture", (_CARD,)),
    options.PLACE: ("place", (_FIGURE, _PLACE)),
    options.PLAY: ("play", (_CARD,)),
    options.USE: ("use", (_CARD, NUMBER)),
    options.LEAD: ("lead", (_MAYBE,)),
    options.EAT: ("eat", (NUMBER,)),
    options.INITIATE: ("initiate", (_CARD,)),
    options.RITE: ("rite", ()),
    options.DEVELOP: ("develop", (_CARD,)),
    options.DEVELOP_POINT: ("develop-point", ()),
    options.REVEAL_TWO: ("reveal-two", ()),
    options.HUNT: ("hunt", (_ANIMAL, _AT)),
    options.HUNT_POINT: ("hunt-point", ()),
    options.BOTTOM: ("bottom", ()),
    options.END: ("end", ()),
    options.PITCH: ("pitch", ()),
    options.TRAVEL: ("travel", (STEP,)),
    options.SETTLE: ("settle", (NUMBER,)),
    options.DISCARD: ("discard", (_CARD,)),
    options.PILE: ("pile", (_CARD,)),
    options.DONE: ("done", ()),
    options.FOOD: ("food", (NUMBER,)),
    options.OFFERING: ("offering", ()),
    options.HONOR: ("honor", ()),
    options.DRAW: ("draw", ()),
    options.BURY: ("bury", (_CARD, _ZONE)),
    options.CAMP: ("camp", ()),
    options.MOVE: ("move", (STEP,)),
    options.VILLAGE: ("village", (NUMBER,)),
    options.TRIBE: ("tribe", (_CARD,)),
    options.RECRUIT: ("recruit", (_CARD,)),
    options.TAKE: ("take", (_CARD,)),
    options.ANIMAL: ("animal", (_ANIMAL, _AT)),
    options.BEAST: ("beast", ()),
    options.REVEAL: ("reveal", ()),
    options.TIP: ("tip", (_ANIMAL,)),
    options.STONE: ("stone", (_STONE,)),
    options.FEAST: ("feast", ()),
    options.SCORE: ("score", (_STONE,)),
    options.PAY: ("pay", ()),
    options.LEAVE: ("leave", ()),
    options.POINTS: ("points", (NUMBER,)),
    options.LABOR: ("labor-halves", (NUMBER,)),
    options.TOKEN: ("token", (_TOKEN,)),
    options.NOMAD_REVEAL: ("nomad-reveal", ()),
    options.NOMAD_COLUMN: ("nomad-column", (_PLACE,)),
    options.NOMAD_CULTURE: ("nomad-culture", (_CARD, NUMBER)),
    options.NOMAD_BURY: ("nomad-bury", ()),
    options.NOMAD_ANIMAL: ("nomad-animal", (_ANIMAL, NUMBER)),
    options.NOMAD_PILE: ("nomad-pile", ()),
    options.NOMAD_GLACIERS: ("nomad-glaciers", (NUMBER,)),
    options.NOMAD_BUILD: ("nomad-build", (NUMBER, _BUILT)),
    options.NOMAD_MAP: ("nomad-map", (_RING,)),
    options.NOMAD_NOTHING: ("nomad-nothing", ()),
}


class Notation:
    """Writes and reads the options of games with one content pack and Megalith layout."""

    def __init__(self, tables: Tables, sites: Sites, modules: list[Module]) -> None:
        self.sites: Sites = sites
        self.words: dict[int, tuple[str, tuple[int, ...]]] = dict(_WORDS)
        for module in modules:
            self.words.update(module.words())
        self.verbs: dict[str, int] = {self.words[verb][0]: verb for verb in self.words}
        cards = [card.name for card in tables.cards]
        chiefs = [chief.name for chief in tables.chiefs]
        setups = [card.name for card in tables.setups]
        animals = [animal.name for animal in tables.animals]
        stones = [stone.name for stone in tables.stones]
        self.names: list[list[str]] = [
            [],
            cards,
            chiefs,
            setups,
            animals,
            stones,
            list(WHERE_NAMES),
            list(_FIGURES),
            list(_ZONES),
            list(_TOKENS),
            list(_PIECES),
            list(_RINGS),
            [terrain.name for terrain in tables.terrains],
        ]
        self.sources: dict[int, list[str]] = {
            options.CARD: cards,
            options.NOMAD_CARD: [card.name for card in tables.nomad_cards],
        }
        self.numbers: list[dict[str, int]] = [
            {name: number for number, name in enumerate(names)} for names in self.names
        ]
        self._texts: dict[int, str] = {}  # each choice is written, and few are new

    def text(self, code: int) -> str:
        """The canonical text of an option; IllegalOption if the number is none."""
        known = self._texts.get(code)
        if known is not None:
            return known
        try:
            text = self._source_text(options.source_of(code)) + self._body(code)
        except (KeyError, IndexError):
            raise IllegalOption(f"{code} is no option of any decision") from None
        if len(self._texts) >= _MOST_TEXTS:
            self._texts.clear()
        self._texts[code] = text
        return text

    def _source_text(self, where: int) -> str:
        kind = where >> 8
        if kind == options.NO_SOURCE:
            return ""
        number = where & 255
        names = self.sources.get(kind)
        name = str(number) if names is None else names[number]
        return f"{_SOURCES[kind]} {name}: "

    def _body(self, code: int) -> str:
        verb = options.verb_of(code)
        a = options.a_of(code)
        b = options.b_of(code)
        if verb == options.MEGALITH:
            x, y, level = self.sites.x[a], self.sites.y[a], self.sites.level[a]
            return f"stack {x},{y}@{level}" if level else f"megalith {x},{y}"
        if verb == options.AS:
            return f"{ICON_NAMES[a]} as {_FORMS[b]}"
        if verb == options.TOOLS:
            return f"tools {a} food {b}"
        word, kinds = self.words[verb]
        if not kinds:
            return word
        if kinds[-1] == STEP:
            return f"{word} {options.c_of(code)} {a}>{b}" if len(kinds) > 1 else f"{word} {a}>{b}"
        if len(kinds) == 1:
            return f"{word}{self._argument(kinds[0], a)}"
        return f"{word}{self._argument(kinds[0], a)}{self._argument(kinds[1], b)}"

    def _argument(self, kind: int, value: int) -> str:
        """An argument with the space in front of it."""
        if kind >= _MAYBE:
            if not value:
                return ""
            return f" {value if kind == _MAYBE else value - 1}"
        return f" {self.names[kind][value]}" if kind else f" {value}"

    def parse(self, text: str) -> int:
        """The option that a canonical text means; BadText says what cannot be read."""
        code = self._parse(text)
        if self.text(code) != text:
            raise BadText(f'"{text}": the canonical form is "{self.text(code)}"')
        return code

    def _parse(self, text: str) -> int:
        where, found, body = text.partition(": ")
        if not found:
            return self._parse_body(text, text, 0)
        kind, _, name = where.partition(" ")
        if kind not in _SOURCES[1:]:
            raise BadText(f'"{text}": no source "{kind}"; one of {", ".join(_SOURCES[1:])}')
        number = _SOURCES.index(kind)
        names = self.sources.get(number)
        if names is None:
            return self._parse_body(text, body, source(number, self._value(text, NUMBER, name)))
        if name not in names:
            raise BadText(f'"{text}": "{name}" is not known to this content pack')
        return self._parse_body(text, body, source(number, names.index(name)))

    def _parse_body(self, text: str, body: str, where: int) -> int:
        words = body.split(" ")
        word = words[0]
        if len(words) == 3 and words[1] == "as":
            if word not in ICON_NAMES or words[2] not in _FORMS[1:]:
                raise BadText(f'"{text}": "{body}" is no lesser benefit')
            return option(options.AS, ICON_NAMES.index(word), _FORMS.index(words[2]), where)
        if word == "tools" and len(words) == 4 and words[2] == "food":
            tools = self._value(text, NUMBER, words[1])
            return option(options.TOOLS, tools, self._value(text, NUMBER, words[3]), where)
        if word in ("megalith", "stack") and len(words) == 2:
            return option(options.MEGALITH, self._site(text, words[1]), 0, where)
        verb = self.verbs.get(word)
        if verb is None:
            raise BadText(f'"{text}": no such thing to do as "{word}"')
        kinds = self.words[verb][1]
        if kinds and kinds[-1] >= _MAYBE and len(kinds) == len(words):
            kinds = kinds[:-1]
        if len(kinds) != len(words) - 1:
            raise BadText(f'"{text}": "{word}" takes {len(kinds)} words, not {len(words) - 1}')
        if STEP in kinds:
            start, _, end = words[-1].partition(">")
            first = self._value(text, NUMBER, start)
            owner = self._value(text, NUMBER, words[1]) if OWNER in kinds else 0
            return option(verb, first, self._value(text, NUMBER, end), where, owner)
        values = [self._value(text, kind, words[1 + at]) for at, kind in enumerate(kinds)]
        values += [0, 0]
        return option(verb, values[0], values[1], where)

    def _value(self, text: str, kind: int, word: str) -> int:
        if kind and kind < _MAYBE:
            value = self.numbers[kind].get(word)
            if value is None:
                raise BadText(f'"{text}": "{word}" is not known to this content pack')
            return value
        if not (word.isascii() and word.isdigit()) or len(word) > 3 or int(word) > 255:
            raise BadText(f'"{text}": "{word}" is not a number from 0 to 255')
        return int(word) + (1 if kind == _AT else 0)

    def _site(self, text: str, word: str) -> int:
        place, _, level = word.partition("@")
        x, _, y = place.partition(",")
        site = self.sites.index.get(
            (
                self._value(text, NUMBER, x),
                self._value(text, NUMBER, y),
                self._value(text, NUMBER, level or "0"),
            )
        )
        if site is None:
            raise BadText(f'"{text}": there is no Megalith site {word} in this layout')
        return site
