"""The Mammoth miniature: it contests three hexes, and doubles what whoever matches it gains (MAM).

State: one byte, the juncture where the Mammoth stands; EMPTY beside the board.

A juncture holds one piece, so no Village is built where the Mammoth stands. Both Camp moves that
are given up come from one place: 2 Labor in Migrate, or 2 moves of one benefit. Who has no Camp
to move has no Camp move to give up. The rules text is silent on all three; the readings are ours.
"""

from typing import Final

from endless_winter.rules import board, options, turn
from endless_winter.rules.actions import TOP, TRAVEL, Action, affordable, pay
from endless_winter.rules.benefits import entry_possible
from endless_winter.rules.events import emit
from endless_winter.rules.hooks import Ground, Module
from endless_winter.rules.icons import MIGRATE, MOVE
from endless_winter.rules.notation import NUMBER
from endless_winter.rules.offers import NO_CAMP_TO_MOVE, NO_JUNCTURE, Offer, obstacles
from endless_winter.rules.options import option
from endless_winter.rules.reading import Json, Reader
from endless_winter.rules.sources import HEX
from endless_winter.rules.state import Position
from endless_winter.rules.terrain import BASE, COORDINATES, JUNCTURES
from endless_winter.rules.zones import EMPTY, ONE

DRIVE: Final = 120  # verb: juncture, for 2 Labor in Migrate
MAMMOTH: Final = 121  # verb: juncture, for 2 Camp moves of a benefit
MAMMOTH_MOVED: Final = 120  # event: juncture
ACROSS_THE_CENTRE: Final = 120  # ground of the Nomad (MAM-03)
DUE_TWICE: Final = 121  # ground: hex (MAM-02)

FIRST_OUTER: Final = 7  # hexes below are the centre and the inner ring
MOVES: Final = 2  # given up for it
DRIVING: Final = Action(DRIVE, MIGRATE, TOP, labor=MOVES * TRAVEL.labor)


class Mammoth(Module):
    name = "mammoth"

    def event_names(self) -> dict[int, str]:
        return {MAMMOTH_MOVED: "mammoth_moved"}

    def words(self) -> dict[int, tuple[str, tuple[int, ...]]]:
        return {DRIVE: ("drive", (NUMBER,)), MAMMOTH: ("mammoth", (NUMBER,))}

    def decks_made(self, position: Position, index: int) -> None:
        position.module_state[index] = ONE[EMPTY]

    # --- MAM-01 ---

    def act_options(self, position: Position, index: int, seat: int, found: list[int]) -> None:
        if (
            position.place == MIGRATE
            and position.section == turn.TOP
            and affordable(position, position.players[seat], DRIVING)
            and entry_possible(position, position.players[seat], MOVE, MOVES)
        ):
            for juncture in _free_junctures(position):
                found.append(option(DRIVE, juncture))

    def act_offers(self, position: Position, index: int, seat: int, found: list[Offer]) -> None:
        if position.place == MIGRATE:
            player = position.players[seat]
            why = obstacles(position, player, DRIVING)
            if not why and not entry_possible(position, player, MOVE, MOVES):
                why = [(NO_CAMP_TO_MOVE, 1, 0, 0)]
            if not why and not _free_junctures(position):
                why = [(NO_JUNCTURE, 1, 0, 0)]
            found.append(Offer(DRIVE, DRIVING.section, DRIVING.cost(), why))

    def icon_options(
        self,
        position: Position,
        index: int,
        seat: int,
        icon: int,
        amount: int,
        source: int,
        found: list[int],
    ) -> None:
        if icon == MOVE and amount >= MOVES:
            for juncture in _free_junctures(position):
                found.append(option(MAMMOTH, juncture, 0, source))

    def act(self, position: Position, index: int, seat: int, code: int) -> bool:
        if options.verb_of(code) != DRIVE:
            return False
        pay(position, position.players[seat], DRIVING)
        _put(position, index, seat, options.a_of(code))
        return True

    def takes(self, position: Position, index: int, code: int) -> tuple[int, int]:
        return (MOVE, MOVES) if options.verb_of(code) == MAMMOTH else (0, 0)

    def perform(self, position: Position, index: int, seat: int, code: int) -> bool:
        if options.verb_of(code) != MAMMOTH:
            return False
        _put(position, index, seat, options.a_of(code))
        return True

    def occupies(self, position: Position, index: int, juncture: int) -> bool:
        return position.module_state[index][0] == juncture

    # --- MAM-02 ---

    def add_rivals(self, position: Position, index: int, most: list[int]) -> None:
        juncture = position.module_state[index][0]
        if juncture != EMPTY:
            for hex_ in JUNCTURES[juncture]:
                most[hex_] = max(most[hex_], position.round)

    def benefit_times(self, position: Position, index: int, hex_: int) -> int:
        juncture = position.module_state[index][0]
        return 2 if juncture != EMPTY and hex_ in JUNCTURES[juncture] else 1

    # --- MAM-03 ---

    def inner_camps_relocated(self, position: Position, index: int, seat: int) -> None:
        inner = [hex_ for hex_ in position.players[seat].camps if BASE < hex_ < FIRST_OUTER]
        juncture = opposite_juncture(inner)
        if not board.occupied(position, juncture):
            _put(position, index, seat, juncture)

    def write_state(self, position: Position, index: int) -> Json:
        juncture = position.module_state[index][0]
        return {"juncture": "" if juncture == EMPTY else juncture}

    def read_state(self, position: Position, index: int, reader: Reader) -> bytes:
        return ONE[reader.place("juncture", len(JUNCTURES) - 1)]

    def grounds(
        self,
        position: Position,
        index: int,
        seat: int,
        where: int,
        due: int,
        amount: int,
        code: int,
    ) -> list[Ground]:
        found: list[Ground] = []
        if where >> 8 == HEX:
            # By the amount: the Mammoth may have left the hex by now.
            printed = position.tables.terrains[position.terrain[where & 255]].ability.gains
            for at in range(0, len(printed), 2):
                if printed[at] == due and amount > printed[at + 1]:
                    found.append((DUE_TWICE, where & 255, 0))
        if options.verb_of(code) == options.NOMAD_MAP:
            found.append((ACROSS_THE_CENTRE, 0, 0))
        return found

    def check_set_up(self, position: Position, index: int) -> str:
        beside = position.module_state[index] == ONE[EMPTY]
        return "" if beside else 'module_state.mammoth: juncture "" expected in set-up'

    def check(self, position: Position, index: int) -> str:
        state = position.module_state[index]
        if not state:
            return 'module_state.mammoth: missing; juncture "" is beside the board'
        for player in position.players:
            if state[0] in player.villages:
                return f"module_state.mammoth.juncture: a Village of seat {player.seat} is there"
        return ""


def _free_junctures(position: Position) -> list[int]:
    return [
        juncture for juncture in range(len(JUNCTURES)) if not board.occupied(position, juncture)
    ]


def _put(position: Position, index: int, seat: int, juncture: int) -> None:
    position.module_state[index] = ONE[juncture]
    emit(position, MAMMOTH_MOVED, seat, juncture)


def opposite_juncture(inner: list[int]) -> int:
    """Across the centre from two neighbours of the inner ring, where two hexes of that ring meet
    an outer one.
    """
    across = [(-COORDINATES[hex_][0], -COORDINATES[hex_][1]) for hex_ in inner]
    for juncture, hexes in enumerate(JUNCTURES):
        touched = [COORDINATES[hex_] for hex_ in hexes]
        if hexes[0] != BASE and all(place in touched for place in across):
            return juncture
    raise AssertionError(f"no juncture lies across from hexes {inner}")
