"""A person's seat, at the table or over the network: whoever chooses freely."""

from typing import Final

from endless_winter.rules import agenda, board, eclipse, scoring
from endless_winter.rules.chance import shuffle
from endless_winter.rules.events import CARDS_DRAWN, emit
from endless_winter.rules.hooks import SeatKind
from endless_winter.rules.state import Frame, Position
from endless_winter.rules.zones import merged, replaced, without

STARTING_DRAW: Final = 2  # SET-07


class Person(SeatKind):
    name = "person"

    def prepare_seat(self, position: Position, seat: int) -> None:
        player = position.players[seat]
        card = position.tables.setups[player.setup]
        home = board.camp_home(position)
        player.camps = bytes((home,)) * (2 if card.camp else 1)  # SET-06, SET-11
        _deal_hand(position, seat, card.tribe)

    def begin_turn(self, position: Position, seat: int) -> None:
        position.agenda.append((agenda.TURN, seat, 0, b""))

    def gain(self, position: Position, seat: int, pool: bytes, where: int) -> None:
        position.agenda.append((agenda.GAIN, seat, where << 8 | agenda.MAY_LEAVE, pool))

    def eclipse_labor(self, position: Position, seat: int) -> int:
        return eclipse.reveal_pile(position, position.players[seat])

    def eclipse_terrain(self, position: Position, seat: int) -> None:
        position.agenda.append((agenda.ECLIPSE_TERRAIN, seat, 0, b""))

    def animal_points(self, position: Position, seat: int) -> int:
        return scoring.animal_points(position, position.players[seat])

    def turn_stage(self, frame: Frame) -> int:
        if frame[0] == agenda.TURN:
            return 1
        if frame[0] == agenda.ACT:
            return 2
        return 3 if frame[0] == agenda.BUILD_PILE else 0


def _deal_hand(position: Position, seat: int, deck: int) -> None:
    """SET-07."""
    tables = position.tables
    player = position.players[seat]
    position.tribes = replaced(position.tribes, deck, position.tribes[deck] - 1)
    rest = without(without(tables.starting, tables.brave), tables.tribeswoman)
    cards = shuffle(position.seed, board.DECK_STREAMS[seat], 0, rest)
    known = bytes((position.tribe_cards[deck], tables.brave, tables.tribeswoman))
    player.hand = merged(known, cards[:STARTING_DRAW])
    player.deck = cards[STARTING_DRAW:]
    emit(position, CARDS_DRAWN, seat, len(player.hand), 0, player.hand)


PERSON: Final = Person()
