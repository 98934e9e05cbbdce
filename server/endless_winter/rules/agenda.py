"""The agenda: what is still to be resolved, as a stack of plain records.

A record is (operation, seat, number, pieces). The topmost one is under way; what it brings
about goes on top of it and is resolved first.
"""

from typing import Final

NONE: Final = 0
CHOOSE_CHIEF: Final = 1  # number: 0 a side of the dealt card, 1 the draft of VAR-02
CHOOSE_SETUP: Final = 2  # the draft of VAR-01
DEAL: Final = 3  # the rest of the set-up, once Chiefs and Setup cards are known
ROUND: Final = 4  # whose turn is next, or the Eclipse
TURN: Final = 5  # step 1 until the figure is placed
ACT: Final = 6  # step 2
BUILD_PILE: Final = 7  # step 4
PAY_DISCARD: Final = 8  # number: cards still to be discarded from hand
GAIN: Final = 9  # pieces: a pool of benefits; number: see below
ABILITIES: Final = 10  # number: a card just played; pieces: its abilities still unused
ECLIPSE: Final = 11  # number: place in the new order * 8 + step (ECL-03)
ECLIPSE_CARDS: Final = 12  # pieces: cards of the pile with abilities still unused
ECLIPSE_TERRAIN: Final = 13  # pieces: hexes already resolved
MODULE: Final = 14  # number: index of the module; pieces: its own
NOMAD: Final = 15  # a mandated step; number: which one, pieces: see nomad/steps.py

# How a pool may be treated: anything in it may be left, or one more unit must be taken first. The
# number of a GAIN record is this and, from bit 8 on, the pool's source (sources.py).
MAY_LEAVE: Final = 0
MUST_TAKE: Final = 1

# Entries of a pool that are not icons of the vocabulary.
SCORE_STONES: Final = 30  # amount: bit per own Sacred Stone that has not scored yet (ECL-04)
ADDITIONAL: Final = 31  # amount: the grey site covered; a Megalith where its arrows point (MEG-08)

OPERATION_NAMES: Final = (
    "none",
    "choose_chief",
    "choose_setup",
    "deal",
    "round",
    "turn",
    "act",
    "build_pile",
    "pay_discard",
    "gain",
    "abilities",
    "eclipse",
    "eclipse_cards",
    "eclipse_terrain",
    "module",
    "nomad",
)
