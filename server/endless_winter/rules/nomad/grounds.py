"""Why a step of the Nomad is this and nothing else, as numbers; the words are in views.

A ground is (code, a, b). The grounds of a step come in the order of the procedure: what is due and
from where, what that is for the Nomad, what of it cannot be had, and how the target was found. All
of them can be read off the open table, as the step itself can.
"""

from typing import Final

from endless_winter.rules import agenda, board, icons, options
from endless_winter.rules.building import additional_sites, legal_sites, next_is_neutral
from endless_winter.rules.hooks import Ground
from endless_winter.rules.megaliths import BOARD_SITES
from endless_winter.rules.nomad import column, roaming
from endless_winter.rules.nomad.actions import PILE_CARD, SETTLE
from endless_winter.rules.nomad.area import area_of
from endless_winter.rules.nomad.steps import COMMON_SET, Step, liking
from endless_winter.rules.sources import HEX
from endless_winter.rules.state import Position
from endless_winter.rules.zones import EMPTY

NEW_CARD: Final = 1  # SOL-07
COLUMN_EMPTY: Final = 2  # Nomad card, column (SOL-08), and the two after it
COLUMN_ALL: Final = 3
COLUMN_ARROW: Final = 4
DUE: Final = 5  # source, icon << 8 | amount
HEX_ORDER: Final = 6  # Nomad card: its arrows put the hexes in order (NMD-15)
ALWAYS_IS: Final = 7  # due icon, what it is for the Nomad (NMD-13, NMD-14)
LACKING: Final = 8  # icon, why << 8 | what comes instead (NMD-14)
LESS_ROOM: Final = 9  # Food or Tools, as many as there is room for (NMD-02)
TO_LIMIT: Final = 10  # Food up to the limit: so much (ICO-05)
HONOR: Final = 11  # NMD-01, and the two after it
OFFERING: Final = 12  # 1: and not Honor, which is at its top
NO_TRACK: Final = 13
BUILD: Final = 14  # juncture, 1 the token: sequence A (NMD-11)
RELOCATE: Final = 15  # sequence B (NMD-12)
OUTER_CAMPS: Final = 16  # the end of sequence A (NMD-11)
NEUTRAL: Final = 17  # it cannot be stacked (MEG-03)
STACKED: Final = 18  # NMD-10
NOT_STACKED: Final = 19  # nothing to stack on (NMD-10)
ARROWED_SPACE: Final = 20  # MEG-08
NO_ARROWED_SPACE: Final = 21  # both are taken (MEG-08)
PRICE: Final = 22  # Food, Tools (NMD-09)
STONE_SCORES: Final = 23  # Stone, points (NMD-09)
TOP_SACRIFICE: Final = 24  # NMD-04
ONTO_SACRIFICE: Final = 25  # NMD-03
SOME_OF_TYPE: Final = 26  # Animal, how many it has (NMD-05), and the two after it
NONE_OF_TYPE: Final = 27
MANY_OF_TYPE: Final = 28
TOP_ANIMAL: Final = 29  # NMD-06
FREE_PLACE: Final = 30  # NMD-06
NOTHING_TO_REVEAL: Final = 31  # 1: no Animal is left, 0: no place is free (NMD-06)
NEXT_CARD: Final = 32  # NMD-07
NO_CARD: Final = 33  # NMD-07
GLACIER_HEXES: Final = 34  # how many (NMD-08)
ARROWS: Final = 35  # Nomad card, how many candidates (SOL-10)
LARGE_ARROW: Final = 36  # the same where left and right decide alone
NO_USE: Final = 37  # icon: nothing comes of it

# Why something cannot be had: the second number of LACKING.
NONE_LEFT: Final = 0  # neither on the table nor in its supply
ALL_TAKEN: Final = 1  # it has as many as it can have
PRICE_LACKING: Final = 2
NO_PLACE: Final = 3

_BYTES: Final = 5


def packed(grounds: list[Ground]) -> int:
    """As one number, for an event."""
    found = 0
    for code, a, b in grounds[::-1]:
        found = found << 8 * _BYTES | code << 32 | a << 16 | b
    return found


def unpacked(number: int) -> list[Ground]:
    found: list[Ground] = []
    while number:
        one = number & (1 << 8 * _BYTES) - 1
        found.append((one >> 32, one >> 16 & 0xFFFF, one & 0xFFFF))
        number >>= 8 * _BYTES
    return found


def of_column(position: Position, number: int) -> list[Ground]:
    """Of the figure's column, by the number of the newest card."""
    card = position.tables.nomad_cards[number]
    why = column.why(position, card)
    code = COLUMN_ARROW
    if why != column.BY_ARROW:
        code = COLUMN_EMPTY if why == column.IT_IS_EMPTY else COLUMN_ALL
    return [(code, number, column.found(position, card))]


def of_step(
    position: Position, seat: int, where: int, due: int, amount: int, step: Step
) -> list[Ground]:
    """Of an action or a benefit that comes from `where`."""
    found: list[Ground] = [(DUE, where, due << 8 | amount)]
    if where >> 8 == HEX:
        found.append((HEX_ORDER, area_of(position).stack[-1], 0))
    icon = step.passed[0] if step.passed else step.done
    if icon != due:
        found.append((ALWAYS_IS, due, icon))
    for at, passed in enumerate(step.passed):
        after = step.passed[at + 1] if at + 1 < len(step.passed) else step.done
        found.append((LACKING, passed, _lack(position, seat, passed) << 8 | after))
    _add_way(position, seat, step, amount, found)
    for index, module in enumerate(position.modules):
        found += module.grounds(position, index, seat, where, due, amount, step.code)
    return found


def _lack(position: Position, seat: int, icon: int) -> int:
    """Why an icon cannot be had."""
    player = position.players[seat]
    if icon in (icons.TOOL, icons.FOOD, icons.FEAST):
        return ALL_TAKEN
    if icon == icons.STONE:
        if len(player.stones) == board.MAX_STONES:
            return ALL_TAKEN
        space = position.tables.stone_spaces[len(player.stones)]
        dear = player.food < space.food or player.tools < space.tools
        return PRICE_LACKING if dear else NONE_LEFT
    if icon == icons.MEGALITH and player.megaliths:
        return NO_PLACE
    return NONE_LEFT


def _add_way(position: Position, seat: int, step: Step, amount: int, found: list[Ground]) -> None:
    player = position.players[seat]
    verb = options.verb_of(step.code)
    a = options.a_of(step.code)
    icon = step.done
    if icon == icons.IDOL:
        honor_full = player.honor == len(position.tables.honor)
        if verb == options.HONOR:
            found.append((HONOR, 0, 0))
        elif verb == options.OFFERING:
            found.append((OFFERING, int(honor_full), 0))
        else:
            found.append((NO_TRACK, 0, 0))
    elif icon == icons.FEAST:
        found.append((TO_LIMIT, a, 0))
    elif icon in (icons.FOOD, icons.TOOL):
        if a < amount:
            found.append((LESS_ROOM, icon, a))
    elif icon == SETTLE:
        if verb == options.NOMAD_BUILD:
            found.append((BUILD, a, options.b_of(step.code)))
            _add_arrows(position, len(roaming.building_sites(position, seat)), found)
        else:
            found.append((RELOCATE, 0, 0))
    elif icon == icons.MEGALITH:
        sites = legal_sites(position, player)
        stacked = [site for site in sites if site >= BOARD_SITES]
        code = STACKED if stacked else NEUTRAL if next_is_neutral(player) else NOT_STACKED
        found.append((code, 0, 0))
        _add_arrows(position, len(stacked or sites), found)
    elif icon == agenda.ADDITIONAL:
        if verb == options.NOMAD_NOTHING:
            found.append((NO_ARROWED_SPACE, 0, 0))
        else:
            found.append((ARROWED_SPACE, 0, 0))
            _add_arrows(position, len(additional_sites(position, amount)), found)
    elif icon == icons.STONE:
        space = position.tables.stone_spaces[len(player.stones)]
        found.append((PRICE, space.food, space.tools))
        _add_arrows(position, len(board.stones_on_offer(position, player)), found, LARGE_ARROW)
    elif icon == agenda.SCORE_STONES:
        found.append((STONE_SCORES, a, 0))
    else:
        _add_card_way(position, seat, step, found)


def _add_card_way(position: Position, seat: int, step: Step, found: list[Ground]) -> None:
    """Ways that have to do with cards."""
    verb = options.verb_of(step.code)
    a = options.a_of(step.code)
    if step.done == icons.BURY:
        found.append((TOP_SACRIFICE, 0, 0))
    elif step.done == icons.CULTURE:
        found.append((ONTO_SACRIFICE, 0, 0))
        _add_arrows(position, len(position.display) - position.display.count(EMPTY), found)
    elif step.done == icons.ANIMAL:
        number = position.players[seat].animals.count(a)
        if not number:
            found.append((NONE_OF_TYPE, a, 0))
        else:
            found.append((SOME_OF_TYPE if number < COMMON_SET else MANY_OF_TYPE, a, number))
        likings = [liking(position, seat, one) for one in position.grounds if one != EMPTY]
        _add_arrows(position, likings.count(min(likings)), found)
    elif step.done == icons.BEAST:
        found.append((TOP_ANIMAL, 0, 0))
    elif step.done == icons.REVEAL:
        if verb == options.NOMAD_NOTHING:
            found.append((NOTHING_TO_REVEAL, int(not position.animals), 0))
        else:
            found.append((FREE_PLACE, 0, 0))
    elif step.done == PILE_CARD:
        found.append((NO_CARD if verb == options.NOMAD_NOTHING else NEXT_CARD, 0, 0))
    elif verb == options.NOMAD_GLACIERS:
        found.append((GLACIER_HEXES, a, 0))
    elif verb == options.NOMAD_NOTHING:
        found.append((NO_USE, step.done, 0))


def _add_arrows(
    position: Position, candidates: int, found: list[Ground], code: int = ARROWS
) -> None:
    """Where there is one candidate alone the arrows decide nothing."""
    if candidates > 1:
        found.append((code, area_of(position).stack[-1], candidates))
