"""What waits to be gained, and where it comes from.

A pool is what the options of a decision refer to, entry by entry. Sources are those of
rules/sources.py in the words of the contract.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import agenda, eclipse, icons, options, sources
from endless_winter.rules.sources import source
from endless_winter.rules.turn import MIDDLE_DONE, TOP
from endless_winter.rules.zones import distinct
from endless_winter.v1 import benefit_pb2 as benefit
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import ids_pb2 as ids
from endless_winter.views.words import ICONS, PLACES, UNNAMED_ICONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.rules.megaliths import Sites
    from endless_winter.rules.state import Frame, Player, Position
    from endless_winter.views.sampling.lexicon import Lexicon
    from endless_winter.views.words import Words


# Where entries with a module's icon come from.
SOURCES: Final[dict[int, Callable[[Words, Position, int], ids.Source]]] = {}


class Entry:
    """One benefit that waits."""

    __slots__ = ("amount", "icon", "source", "subject")

    def __init__(self, source: int, icon: int, amount: int, subject: int) -> None:
        self.source: int = source  # as in an option: kind << 8 | number
        self.icon: int = icon  # of the core, with the two that are no icons of the vocabulary
        self.amount: int = amount
        self.subject: int = subject  # the Sacred Stone that scores, the grey site, ...

    def packed(self) -> int:
        """All of it in one number below 2**40."""
        return self.source << 24 | self.icon << 16 | self.amount << 8 | self.subject


def entries_of(pool: bytes, player: Player, source: int = 0, subject: int = 0) -> list[Entry]:
    """The entries of a pool; each Sacred Stone that has yet to score is one of its own."""
    found: list[Entry] = []
    for at in range(0, len(pool), 2):
        icon = pool[at]
        amount = pool[at + 1]
        if icon == agenda.SCORE_STONES:
            found += [
                Entry(source, icon, 1, stone)
                for slot, stone in enumerate(player.stones)
                if amount & 1 << slot
            ]
        elif icon == agenda.ADDITIONAL:
            found.append(Entry(source, icon, 1, amount))
        else:
            found.append(Entry(source, icon, amount, subject))
    return found


def pool_of(position: Position, frame: Frame) -> list[Entry]:
    """What the pending decision is about; sources with a cost are paid for first."""
    operation, seat, number, pieces = frame
    player = position.players[seat]
    if operation == agenda.GAIN:
        return entries_of(pieces, player)
    found: list[Entry] = []
    if operation == agenda.ABILITIES:
        abilities = position.tables.cards[number].abilities
        for index in pieces:
            if not abilities[index].cost:
                source = options.source(options.ABILITY, index)
                found += entries_of(abilities[index].gains, player, source, number)
    elif operation == agenda.ECLIPSE_CARDS:
        for card in distinct(pieces):
            ability = eclipse.eclipse_ability(position, card)
            if ability is not None and not ability.cost:
                source = options.source(options.CARD, card)
                found += entries_of(ability.gains, player, source, card)
    elif operation == agenda.ECLIPSE_TERRAIN:
        for hex_ in eclipse.leading_hexes(position, player, pieces):
            source = options.source(options.HEX, hex_)
            found += entries_of(eclipse.benefit_of(position, hex_).gains, player, source, hex_)
    elif operation == agenda.ACT and position.place == icons.REST:
        if position.section == TOP:
            found.append(Entry(0, icons.DRAW, 1, 0))
        elif position.section == MIDDLE_DONE:
            found.append(Entry(0, icons.TIP, 1, 0))
    return found


def pending_benefit(
    words: Words, position: Position, index: int, entry: Entry
) -> benefit.PendingBenefit:
    return benefit.PendingBenefit(
        index=index,
        source=entry_source(words, position, entry),
        icon=ICONS[entry.icon],
        amount=entry.amount,
        module_icon=UNNAMED_ICONS.get(entry.icon, ""),
    )


def entry_source(words: Words, position: Position, entry: Entry) -> ids.Source | None:
    """Where an entry comes from, as far as the position shows."""
    if entry.icon == agenda.SCORE_STONES:
        return ids.Source(stone_id=words.stones[entry.subject])
    if entry.icon == agenda.ADDITIONAL:
        return ids.Source(megalith=megalith_site(position.sites, entry.subject))
    kind = entry.source >> 8
    if kind == options.HEX:
        return ids.Source(hex=entry.subject)
    if kind in (options.CARD, options.ABILITY):
        return ids.Source(card_id=words.cards[entry.subject])
    if entry.icon in SOURCES:
        return SOURCES[entry.icon](words, position, entry.icon)
    if position.place == icons.REST and position.agenda[-1][0] == agenda.ACT:
        return ids.Source(section=ids.SectionSource(space=enums.ACTION_SPACE_REST))
    return None


def megalith_site(sites: Sites, site: int) -> ids.MegalithSite:
    return ids.MegalithSite(x=sites.x[site], y=sites.y[site], level=sites.level[site])


# --- sources ---

SECTIONS: Final = (enums.SECTION_TOP, enums.SECTION_MIDDLE, enums.SECTION_BOTTOM)
_STONE: Final = ids.BOARD_SPACE_KIND_STONE
# Those of modules, by kind.
CAUSES: Final[dict[int, Callable[[Words, int], ids.Source]]] = {}


def source_of(words: Words, sites: Sites, where: int) -> ids.Source:
    """A source of the core; `sites` are those of the game's Megalith layout."""
    kind, number = where >> 8, where & 255
    if kind == sources.MEGALITH:
        return ids.Source(megalith=megalith_site(sites, number))
    if kind in _SOURCES:
        return _SOURCES[kind](words, number)
    if kind in CAUSES:
        return CAUSES[kind](words, number)
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


def number_of(lexicon: Lexicon, position: Position, seat: int, shown: ids.Source) -> int:
    """The core's number of a source of a seat's pool; KeyError: not known to the pack."""
    which = shown.WhichOneof("origin")
    if which is None:
        return 0
    return _NUMBERS[which](lexicon, position, seat, shown)


def _board(shown: ids.Source) -> int:
    if shown.board.kind == _STONE:
        return source(sources.STONE_SPACE, shown.board.space)
    return source(sources.BOARD, 0)


def _section_number(shown: ids.Source) -> int:
    part = shown.section.section
    return sources.section(
        PLACES.index(shown.section.space), SECTIONS.index(part) if part else sources.TOP
    )


def _site(position: Position, shown: ids.Source) -> int:
    at = shown.megalith
    return source(sources.MEGALITH, position.sites.index[(at.x, at.y, at.level)])


def _token(lexicon: Lexicon, shown: ids.Source) -> int:
    return lexicon.tokens[shown.token_id]


_NUMBERS: Final[dict[str, Callable[[Lexicon, Position, int, ids.Source], int]]] = {
    "hex": lambda _, __, ___, shown: source(sources.HEX, shown.hex),
    "card_id": lambda known, _, __, shown: source(sources.CARD, known.cards[shown.card_id]),
    # FIG-06: it can only be the seat's own.
    "chief_id": lambda _, position, seat, __: source(sources.CHIEF, position.players[seat].chief),
    "animal_id": lambda known, _, __, shown: source(sources.ANIMAL, known.animals[shown.animal_id]),
    "token_id": lambda known, _, __, shown: _token(known, shown),
    "section": lambda _, __, ___, shown: _section_number(shown),
    "board": lambda _, __, ___, shown: _board(shown),
    "turn_order_place": lambda _, __, ___, shown: source(
        sources.TURN_ORDER, shown.turn_order_place
    ),
    "megalith": lambda _, position, __, shown: _site(position, shown),
    "idol": lambda _, __, ___, shown: source(sources.OFFERING, shown.idol.level),
    "glacier_tokens_at_juncture": lambda _, __, ___, shown: source(
        sources.GLACIER_TOKENS, shown.glacier_tokens_at_juncture
    ),
    "rule_id": lambda _, __, ___, shown: source(sources.RULE, sources.RULES.index(shown.rule_id)),
}
