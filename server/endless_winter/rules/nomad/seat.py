"""The Nomad's seat: its turn, its benefits, its Eclipse turn, each a row of mandated steps.

Records on the agenda are (NOMAD, seat, number, pieces):

    REVEAL, COLUMN       the turn until its figure is placed
    ACTIONS              (card, action, amount) still to do, the newest card first
    GAIN, source << 8    a pool of benefits and where it comes from (sources.py)
    TERRAIN              hexes already resolved
    MAP_STEP             a Map card for the outer Camps is due
"""

from typing import Final

from endless_winter.rules import agenda, board, eclipse, events, options, sources, turn
from endless_winter.rules.events import emit
from endless_winter.rules.hooks import Ground, SeatKind
from endless_winter.rules.icons import IDOL
from endless_winter.rules.nomad import arrows, column, grounds, roaming, scoring
from endless_winter.rules.nomad.area import area_of, keep, newest_card
from endless_winter.rules.nomad.roaming import MAP_STEP
from endless_winter.rules.nomad.steps import Step, carry_out, left_over, step_for
from endless_winter.rules.options import HEX, NOMAD_CARD, option, source
from endless_winter.rules.state import Frame, Position
from endless_winter.rules.zones import EMPTY, replaced, with_piece

REVEAL: Final = 1
COLUMN: Final = 2
ACTIONS: Final = 3
GAIN: Final = 4
TERRAIN: Final = 5

HEAD_START: Final = 3  # XPT-02: the space of each Idol track
OTHERS_SETUPS: Final = 2  # Setup cards on offer to the player (SOL-05)


class NomadSeat(SeatKind):
    name = "nomad"
    owns_cards = False
    camps_yield = False  # nobody else moves its Camps, whatever a module allows
    goes_by_places = True

    def prepare_seat(self, position: Position, seat: int) -> None:
        """SOL-04: Camps where the first Map card shows; XPT-02."""
        player = position.players[seat]
        area = area_of(position)
        number = roaming.reveal_map(position, area)
        emit(position, events.MAP_REVEALED, seat, number, roaming.FOR_SET_UP)
        card = position.tables.map_cards[number]
        keep(position, area)
        player.camps = bytes(sorted(card.inner + card.outer))
        start = self.honor_start(position)
        if start:
            player.offering = start
            player.honor = start
            position.honor_queue += bytes((seat,))

    def honor_start(self, position: Position) -> int:
        """XPT-02."""
        nomad = position.config.nomad
        return HEAD_START if nomad is not None and nomad.idol_head_start else 0

    def begin_turn(self, position: Position, seat: int) -> None:
        step = REVEAL if area_of(position).deck else COLUMN
        position.agenda.append((agenda.NOMAD, seat, step, b""))

    def gain(self, position: Position, seat: int, pool: bytes, where: int) -> None:
        position.agenda.append((agenda.NOMAD, seat, where << 8 | GAIN, pool))

    def eclipse_labor(self, position: Position, seat: int) -> int:
        """NMD-15: of the newest open card and of the Eclipse pile."""
        cards = position.tables.nomad_cards
        area = area_of(position)
        labor = newest_card(position, area).labor
        for card in area.pile:
            emit(position, events.NOMAD_PILE_REVEALED, seat, card)
            labor += cards[card].labor
        emit(position, events.LABOR_COUNTED, seat, labor)
        return labor

    def eclipse_terrain(self, position: Position, seat: int) -> None:
        position.agenda.append((agenda.NOMAD, seat, TERRAIN, b""))

    def animal_points(self, position: Position, seat: int) -> int:
        return scoring.animal_points(position, seat)

    def turn_stage(self, frame: Frame) -> int:
        if frame[0] != agenda.NOMAD or frame[2] > ACTIONS:  # a source makes it larger
            return 0
        return 2 if frame[2] == ACTIONS else 1

    # --- the next step ---

    def options(self, position: Position, frame: Frame) -> list[int]:
        seat = frame[1]
        number = frame[2]
        if number == REVEAL:
            return [option(options.NOMAD_REVEAL)]
        if number == COLUMN:
            card = newest_card(position, area_of(position))
            return [option(options.NOMAD_COLUMN, column.found(position, card))]
        if number == MAP_STEP:
            return [option(options.NOMAD_MAP, roaming.OUTER)]
        if number == TERRAIN:
            hex_ = next_hex(position, seat, frame[3])
            if hex_ == EMPTY:
                return []
            pool = eclipse.benefit_of(position, hex_).gains
            position.agenda[-1] = (agenda.NOMAD, seat, TERRAIN, with_piece(frame[3], hex_))
            number = source(HEX, hex_) << 8 | GAIN
            position.agenda.append((agenda.NOMAD, seat, number, pool))
            return self.options(position, position.agenda[-1])
        if not frame[3]:
            if number == ACTIONS:
                turn.clear_turn(position, seat)
            return []
        return [due_step(position, frame).code | origin_of(frame) << 32]

    def choose(self, position: Position, frame: Frame, code: int) -> None:
        seat = frame[1]
        number = frame[2]
        if number == REVEAL:
            reveal_card(position, seat)
            position.agenda[-1] = (agenda.NOMAD, seat, COLUMN, b"")
        elif number == COLUMN:
            _place(position, seat, options.a_of(code))
        elif number == MAP_STEP:
            position.agenda.pop()
            position.cause = sources.NMD_11
            roaming.roam(position, seat, roaming.OUTER)
        else:
            _do(position, frame)


def cause_of(frame: Frame) -> int:
    """Where what a record brings comes from (sources.py)."""
    return source(NOMAD_CARD, frame[3][0]) if frame[2] == ACTIONS else frame[2] >> 8


def origin_of(frame: Frame) -> int:
    """The source that the options of a record name: a Nomad card, or a hex."""
    where = cause_of(frame)
    return where if where >> 8 in (NOMAD_CARD, HEX) else 0


def grounds_of(position: Position, frame: Frame) -> list[Ground]:
    """Why the pending step is this and nothing else."""
    if frame[2] == REVEAL:
        return [(grounds.NEW_CARD, 0, 0)]
    if frame[2] == COLUMN:
        return grounds.of_column(position, area_of(position).stack[-1])
    if frame[2] == MAP_STEP:
        return [(grounds.OUTER_CAMPS, 0, 0)]
    due, amount = due_of(frame)
    step = step_for(position, frame[1], due, amount)
    return grounds.of_step(position, frame[1], cause_of(frame), due, amount, step)


def due_of(frame: Frame) -> tuple[int, int]:
    """The first icon of a record and its amount."""
    at = 1 if frame[2] == ACTIONS else 0
    return (frame[3][at], frame[3][at + 1])


def due_step(position: Position, frame: Frame) -> Step:
    due, amount = due_of(frame)
    return step_for(position, frame[1], due, amount)


def next_hex(position: Position, seat: int, resolved: bytes) -> int:
    """NMD-15: the hex that comes next by the arrows; EMPTY: none."""
    hexes = eclipse.leading_hexes(position, position.players[seat], resolved)
    if not hexes:
        return EMPTY
    card = newest_card(position, area_of(position))
    return hexes[arrows.pointed(card, [arrows.HEX_PLACES[hex_] for hex_ in hexes])]


def reveal_card(position: Position, seat: int) -> None:
    """SOL-07: onto the stack."""
    area = area_of(position)
    card = area.deck[0]
    area.deck = area.deck[1:]
    area.stack += bytes((card,))
    keep(position, area)
    emit(position, events.NOMAD_REVEALED, seat, card)


def _place(position: Position, seat: int, place: int) -> None:
    """SOL-07: a figure, which brings nothing; then the actions of every open card (SOL-09)."""
    player = position.players[seat]
    area = area_of(position)
    if position.events is not None:
        why = grounds.packed(grounds.of_column(position, area.stack[-1]))
        emit(position, events.NOMAD_COLUMN, seat, place, why)
    empty = column.is_empty(position, place)
    at = 1 if not player.figures[1] else 2 if not player.figures[2] else 0
    player.figures = replaced(player.figures, at, place)
    position.place = place
    figure = turn.TRIBE_FIGURE if at else turn.CHIEF_FIGURE
    emit(position, events.FIGURE_PLACED, seat, figure, place)
    actions = b""
    for number in area.stack[::-1]:
        cell = position.tables.nomad_cards[number].cells[place]
        for pair in range(0, len(cell), 2):
            actions += bytes((number, cell[pair], cell[pair + 1]))
    position.agenda[-1] = (agenda.NOMAD, seat, ACTIONS, actions)
    if empty:
        position.first = replaced(position.first, place, 1 + seat)
        nomad = position.config.nomad
        if nomad is not None and nomad.bottom_actions:  # XPT-04
            where = sources.section(place, sources.BOTTOM)
            position.agenda.append((agenda.NOMAD, seat, where << 8 | GAIN, turn.BOTTOMS[place]))


def _do(position: Position, frame: Frame) -> None:
    """Take the first unit of a record."""
    seat = frame[1]
    due, amount = due_of(frame)
    step = step_for(position, seat, due, amount)
    why = 0
    if position.events is not None:
        found = grounds.of_step(position, seat, cause_of(frame), due, amount, step)
        why = grounds.packed(found)
    left = left_over(due, amount, step)
    head = 1 if frame[2] == ACTIONS else 0
    card = 1 + frame[3][0] if head else 0
    rest = frame[3][head + 2 :]
    if left:
        rest = frame[3][: head + 1] + bytes((left,)) + rest
    if rest or head:
        position.agenda[-1] = (agenda.NOMAD, seat, frame[2], rest)
    else:
        position.agenda.pop()
    position.cause = cause_of(frame)
    if why:
        emit(position, events.NOMAD_ACTED, seat, card, why << 16 | due << 8 | step.done)
    if step.done == IDOL and options.verb_of(step.code) == options.POINTS:
        # NMD-01: an Idol beyond both tracks.
        board.score(position, position.players[seat], step.units, events.BY_OFFERING)
        return
    carry_out(position, seat, step.code)


NOMAD_SEAT: Final = NomadSeat()
