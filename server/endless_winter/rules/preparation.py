"""The Preparation phase."""

from typing import Final

from endless_winter.rules import board, events
from endless_winter.rules.events import emit
from endless_winter.rules.sources import PRP_06
from endless_winter.rules.state import Position
from endless_winter.rules.zones import EMPTY, ONE

HAND_DRAW: Final = 5  # PRP-06


def prepare(position: Position) -> None:
    """PRP-01 .. PRP-07, in the order of the rulebook."""
    ended = position.round
    position.round += 1
    position.turn = 0
    position.first = b"\0\0\0\0\0"
    for player in position.players:
        player.figures = b"\0\0\0"
    fill_grounds(position)
    if ended == 2:
        position.display = bytes((EMPTY,)) * board.DISPLAY_PLACES  # PRP-04
    fill_display(position, 0 if ended == 1 else 1)
    position.cause = PRP_06
    for seat in position.order:
        board.draw(position, position.players[seat], HAND_DRAW)
    emit(position, events.PREPARED, 0, position.round)
    for index, module in enumerate(position.modules):
        module.prepared(position, index)


def fill_grounds(position: Position) -> None:
    """PRP-02, SET-08: up to players + 1; more stay."""
    wanted = len(position.players) + 1 - board.grounds_count(position)
    if wanted > 0:
        board.reveal(position, wanted)


def fill_display(position: Position, era: int) -> None:
    """Empty places in their order, the top row first, as far as the deck goes (PRP-07)."""
    deck = position.culture[era]
    display = b""
    dealt = 0
    for place, card in enumerate(position.display):
        if card == EMPTY and dealt < len(deck):
            emit(position, events.CULTURE_DEALT, 0, deck[dealt], place)
            display += ONE[deck[dealt]]
            dealt += 1
        else:
            display += ONE[card]
    position.display = display
    position.culture[era] = deck[dealt:]
