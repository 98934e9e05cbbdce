"""An option in full: one int with everything that its move and its label are made of.

An option of the core is short: "food 2" of a pool, "pay" for a card that the record names. Move
and label say more: which entry of the pool, which card, how much Labor. `in_full` looks that up
once and packs it above the option's own bits, so that moves and labels are pure functions of
one number, and what was encoded for it can be cached and used again in any game of the pack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import agenda, board, eclipse, options
from endless_winter.rules.gains import ENTRY_ICONS, entry_icon, taken_by_module
from endless_winter.rules.hooks import FIRST_OF_MODULES
from endless_winter.rules.zones import EMPTY
from endless_winter.views.turn import unused_effects

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.rules.state import Frame, Position
    from endless_winter.views.pools import Entry

# Above the 48 bits of an option.
_INDEX: Final = 48  # 1 + place in the pool, 0: not from a pool
_ICON: Final = 56  # the entry's icon
_NUMBER: Final = 64  # what the verb needs besides, see _number
_SUBJECT: Final = 72  # the card or token that an ability belongs to, a Setup card's Tribe card
_SEAT: Final = 80  # whose Camp it is, where the move names the owner
_UNITS: Final = 88  # how many units of its entry a module's own option takes

_SECTION: Final = 3  # in the number of a bottom action, above its column

_VERBS: Final = 256  # those of modules too


def _flags(*verbs: int) -> list[bool]:
    """By verb: whether it is one of these."""
    return [verb in verbs for verb in range(_VERBS)]


# Verbs whose options say everything themselves.
COMPLETE: Final[list[bool]] = _flags(
    options.CHIEF,
    options.PLACE,
    options.PLAY,
    options.USE,
    options.RITE,
    options.HUNT,
    options.HUNT_POINT,
    options.DEVELOP_POINT,
    options.END,
    options.SETTLE,
    options.DISCARD,
    options.PILE,
    options.DONE,
    options.TOKEN,
)
# Verbs whose moves name the seat that chooses: whose Camp it is, or where it stands.
_OF_CHOOSER: Final[list[bool]] = _flags(options.TRAVEL, options.MOVE, options.PITCH, options.CAMP)
# Verbs for which `_number` has something to say.
_NUMBERED: Final[list[bool]] = _flags(
    options.EAT,
    options.DEVELOP,
    options.TAKE,
    options.REVEAL_TWO,
    options.BOTTOM,
    options.LEAVE,
    options.INITIATE,
    options.TRIBE,
    options.RECRUIT,
    options.PITCH,
    options.CAMP,
    options.CULTURE,
    options.STONE,
)
_ENTRY_ICONS: Final[list[int]] = [ENTRY_ICONS.get(verb, 0) for verb in range(_VERBS)]
# The same of modules' verbs: the number, and whose Camp it is.
NUMBERS: Final[dict[int, Callable[[Position, int, int], int]]] = {}
OWNERS: Final[dict[int, Callable[[int], int]]] = {}


def in_full(position: Position, frame: Frame, pool: list[Entry], code: int) -> int:
    """An option of the pending decision with what its move and label need besides."""
    verb = options.verb_of(code)
    if COMPLETE[verb]:
        return code
    found = code
    if _NUMBERED[verb]:
        found |= _number(position, frame, code) << _NUMBER
    if options.source_of(code) or verb in (options.LEAD, options.SETUP):
        found |= _subject(position, frame, code) << _SUBJECT
    if _OF_CHOOSER[verb]:
        found |= frame[1] << _SEAT
    icon = options.a_of(code) if verb == options.AS else _ENTRY_ICONS[verb]
    if verb >= FIRST_OF_MODULES:
        if verb in NUMBERS:
            found |= NUMBERS[verb](position, frame[1], code) << _NUMBER
        if verb in OWNERS:
            found |= OWNERS[verb](code) << _SEAT
        if pool:
            icon, units = taken_by_module(position, code)
            found |= units << _UNITS
    if icon and pool:
        index = _find(position, pool, icon, code)
        found |= index + 1 << _INDEX | pool[index].icon << _ICON
    return found


def _find(position: Position, pool: list[Entry], icon: int, code: int) -> int:
    source = options.source_of(code)
    shown = bytes([entry.icon for entry in pool if entry.source == source])
    icon = entry_icon(position, shown, icon)
    for index, entry in enumerate(pool):
        if entry.source != source:
            continue
        if entry.icon == icon and (
            icon != agenda.SCORE_STONES or entry.subject == options.a_of(code)
        ):
            return index
    raise AssertionError(f"option {code} takes from no entry of its pool")


def _number(position: Position, frame: Frame, code: int) -> int:
    verb = options.verb_of(code)
    if verb == options.EAT:
        return _labor_for(position, frame[1], options.a_of(code))
    if verb in (options.DEVELOP, options.TAKE):
        return position.display.index(options.a_of(code))
    if verb == options.REVEAL_TWO:
        free = position.grounds.count(EMPTY)
        return min(2, len(position.animals), free)
    if verb == options.BOTTOM:
        return position.section << _SECTION | position.place
    if verb == options.CULTURE:
        return 1 if position.cultures_played else 0
    if verb == options.STONE:
        return len(position.players[frame[1]].stones)
    if verb == options.LEAVE:
        return frame[0]
    if verb in (options.PITCH, options.CAMP):
        return board.camp_home(position)
    return 1 if position.tribes[position.tribe_cards.index(options.a_of(code))] else 0


def _labor_for(position: Position, seat: int, food: int) -> int:
    """Halves of Labor for that Food (LAB-04)."""
    store = position.players[seat].food
    return 2 * sum(store - food < step <= store for step in position.tables.food_labor)


def _subject(position: Position, frame: Frame, code: int) -> int:
    kind = options.source_of(code) >> 8
    if kind == options.ABILITY:
        return frame[2]
    if kind == options.CARD:
        card = options.source_of(code) & 255
        return eclipse_number(position, card)
    if kind == options.TOKEN_EFFECT:
        return unused_effects(position)[0]
    if options.verb_of(code) == options.LEAD:
        return position.players[frame[1]].chief
    if options.verb_of(code) == options.SETUP:
        return position.tribe_cards[position.tables.setups[options.a_of(code)].tribe]
    return 0


def eclipse_number(position: Position, card: int) -> int:
    """The place of a card's Eclipse ability among its abilities."""
    ability = eclipse.eclipse_ability(position, card)
    abilities = position.tables.cards[card].abilities
    return next(number for number, one in enumerate(abilities) if one is ability)


def index_of(full: int) -> int:
    """The place in the pool; -1: the option takes from no pool."""
    return (full >> _INDEX & 255) - 1


def icon_of(full: int) -> int:
    return full >> _ICON & 255


def number_of(full: int) -> int:
    return full >> _NUMBER & 255


def column_of(full: int) -> int:
    """The column of a bottom action."""
    return number_of(full) & (1 << _SECTION) - 1


def reached_of(full: int) -> int:
    """The section that is reached when the bottom action is taken."""
    return number_of(full) >> _SECTION


def subject_of(full: int) -> int:
    return full >> _SUBJECT & 255


def seat_of(full: int) -> int:
    return full >> _SEAT & 255


def source_of(full: int) -> int:
    return full >> 32 & 0xFFFF


def units_of(full: int) -> int:
    return full >> _UNITS & 255
