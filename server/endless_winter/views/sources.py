"""Where benefits and points come from (rules/sources.py), in the words of the contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import sources
from endless_winter.rules.sources import source
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import ids_pb2 as ids
from endless_winter.views.words import PLACES

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.rules.megaliths import Sites
    from endless_winter.rules.state import Position
    from endless_winter.views.sampling.lexicon import Lexicon
    from endless_winter.views.words import Words

SECTIONS: Final = (enums.SECTION_TOP, enums.SECTION_MIDDLE, enums.SECTION_BOTTOM)
_STONE: Final = ids.BOARD_SPACE_KIND_STONE
# Those of modules, by kind.
OF_MODULES: Final[dict[int, Callable[[Words, int], ids.Source]]] = {}


def source_of(words: Words, sites: Sites, where: int) -> ids.Source:
    """A source of the core; `sites` are those of the game's Megalith layout."""
    kind, number = where >> 8, where & 255
    if kind == sources.MEGALITH:
        site = ids.MegalithSite(x=sites.x[number], y=sites.y[number], level=sites.level[number])
        return ids.Source(megalith=site)
    if kind in _SOURCES:
        return _SOURCES[kind](words, number)
    if kind in OF_MODULES:
        return OF_MODULES[kind](words, number)
    return ids.Source(rule_id=sources.KIND_NAMES[kind])


def _section(_: Words, number: int) -> ids.Source:
    space = PLACES[number // sources.SECTIONS]
    at_rest = space == enums.ACTION_SPACE_REST
    section = enums.SECTION_UNSPECIFIED if at_rest else SECTIONS[number % sources.SECTIONS]
    return ids.Source(section=ids.SectionSource(space=space, section=section))


_SOURCES: Final[dict[int, Callable[[Words, int], ids.Source]]] = {
    sources.HEX: lambda _, number: ids.Source(hex=number),
    sources.CARD: lambda words, number: ids.Source(card_id=words.cards[number]),
    sources.NOMAD_CARD: lambda words, number: ids.Source(nomad_card_id=words.nomad_cards[number]),
    sources.CHIEF: lambda words, number: ids.Source(chief_id=words.chiefs[number]),
    sources.ANIMAL: lambda words, number: ids.Source(animal_id=words.animals[number]),
    sources.STONE: lambda words, number: ids.Source(stone_id=words.stones[number]),
    sources.STONE_SPACE: lambda _, number: ids.Source(
        board=ids.BoardSource(kind=_STONE, space=number)
    ),
    sources.BOARD: lambda _, __: ids.Source(board=ids.BoardSource()),
    sources.OFFERING: lambda _, number: ids.Source(
        idol=ids.IdolSource(track=enums.IDOL_TRACK_OFFERING, level=number)
    ),
    sources.TURN_ORDER: lambda _, number: ids.Source(turn_order_place=number),
    sources.REST_TOKEN: lambda words, number: ids.Source(token_id=words.rest_tokens[number]),
    sources.GLACIER_TOKENS: lambda _, number: ids.Source(glacier_tokens_at_juncture=number),
    sources.SECTION: _section,
    sources.RULE: lambda _, number: ids.Source(rule_id=sources.RULES[number]),
}


# --- back again, for the pools that wait for a person (sampling/) ---


def number_of(lexicon: Lexicon, position: Position, seat: int, told: ids.Source) -> int:
    """The core's number of a source of a seat's pool; KeyError: not known to the pack."""
    which = told.WhichOneof("origin")
    if which is None:
        return 0
    return _NUMBERS[which](lexicon, position, seat, told)


def _board(told: ids.Source) -> int:
    if told.board.kind == _STONE:
        return source(sources.STONE_SPACE, told.board.space)
    return source(sources.BOARD, 0)


def _section_number(told: ids.Source) -> int:
    part = told.section.section
    return sources.section(
        PLACES.index(told.section.space), SECTIONS.index(part) if part else sources.TOP
    )


def _site(position: Position, told: ids.Source) -> int:
    at = told.megalith
    return source(sources.MEGALITH, position.sites.index[(at.x, at.y, at.level)])


def _token(lexicon: Lexicon, told: ids.Source) -> int:
    return lexicon.tokens[told.token_id]


_NUMBERS: Final[dict[str, Callable[[Lexicon, Position, int, ids.Source], int]]] = {
    "hex": lambda _, __, ___, told: source(sources.HEX, told.hex),
    "card_id": lambda known, _, __, told: source(sources.CARD, known.cards[told.card_id]),
    # FIG-06: it can only be the seat's own.
    "chief_id": lambda _, position, seat, __: source(sources.CHIEF, position.players[seat].chief),
    "animal_id": lambda known, _, __, told: source(sources.ANIMAL, known.animals[told.animal_id]),
    "token_id": lambda known, _, __, told: _token(known, told),
    "section": lambda _, __, ___, told: _section_number(told),
    "board": lambda _, __, ___, told: _board(told),
    "turn_order_place": lambda _, __, ___, told: source(sources.TURN_ORDER, told.turn_order_place),
    "megalith": lambda _, position, __, told: _site(position, told),
    "idol": lambda _, __, ___, told: source(sources.OFFERING, told.idol.level),
    "glacier_tokens_at_juncture": lambda _, __, ___, told: source(
        sources.GLACIER_TOKENS, told.glacier_tokens_at_juncture
    ),
    "rule_id": lambda _, __, ___, told: source(sources.RULE, sources.RULES.index(told.rule_id)),
}
