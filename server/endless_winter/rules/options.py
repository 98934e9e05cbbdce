"""Options: what a decision offers, each one a plain int.

An option packs a verb, up to three small arguments and, where several sources compete (a hex, a
card, a token), the source. Being ints, options cost nothing to list, compare and store; their
canonical text, which people and logs see, is in notation.py.
"""

from typing import Final

# Setting up.
CHIEF: Final = 1  # chief side
SETUP: Final = 2  # setup card
# Step 1 and 2 of a turn.
CULTURE: Final = 3  # card: play a Culture card (CUL-01)
PLACE: Final = 4  # figure (0 Chief, 1 Tribe), place
PLAY: Final = 5  # card: play a Tribe card (LAB-01)
USE: Final = 6  # card, ability: of a card above the board (LAB-02)
LEAD: Final = 7  # ability of the Chief (FIG-06)
EAT: Final = 8  # Food spent for Labor (LAB-04)
INITIATE: Final = 9  # card (INI-01)
RITE: Final = 10  # the middle of Initiate (INI-03)
DEVELOP: Final = 11  # card (DEV-01)
REVEAL_TWO: Final = 12  # HUN-01
HUNT: Final = 13  # animal, 1 + place or 0 (HUN-02, board.huntable)
HUNT_POINT: Final = 14  # a point, nothing being left to hunt (HUN-02)
BOTTOM: Final = 15
END: Final = 16
PITCH: Final = 17  # in Migrate: a Camp for 1 Tool (MIG-01)
TRAVEL: Final = 18  # in Migrate: from hex, to hex, for 1 Labor (MIG-02)
SETTLE: Final = 19  # in Migrate: juncture, for 3 Food (MIG-04)
DEVELOP_POINT: Final = 23  # a point, the display being empty (DEV-01)
# Costs and the Eclipse pile.
DISCARD: Final = 20  # card
PILE: Final = 21  # card
DONE: Final = 22
# Gaining benefits.
FOOD: Final = 30  # the whole amount
TOOLS: Final = 31  # Tools, Food: a split
OFFERING: Final = 32
HONOR: Final = 33
DRAW: Final = 34
MEGALITH: Final = 35  # site
AS: Final = 36  # icon given up, form taken
BURY: Final = 37  # card, zone
CAMP: Final = 38
MOVE: Final = 39  # from hex, to hex
VILLAGE: Final = 40  # juncture
TRIBE: Final = 41  # card
RECRUIT: Final = 42  # card
TAKE: Final = 43  # Culture card
ANIMAL: Final = 44  # animal, 1 + place or 0
BEAST: Final = 45
REVEAL: Final = 46
TIP: Final = 47  # animal
STONE: Final = 48  # stone
FEAST: Final = 49
SCORE: Final = 50  # stone
PAY: Final = 51  # pay the source's cost, then gain
LEAVE: Final = 52
POINTS: Final = 53  # the whole amount
LABOR: Final = 54  # the whole amount, in halves
# Modules.
TOKEN: Final = 60  # 0 take the one face up, 1 the next (RTK-02)
# Steps of the Nomad; where it does what a person does, it has that person's option.
NOMAD_REVEAL: Final = 70  # the next Nomad card (SOL-07)
NOMAD_COLUMN: Final = 71  # column (SOL-08)
NOMAD_CULTURE: Final = 72  # card, place in the display (NMD-03)
NOMAD_BURY: Final = 73  # the top of the Sacrifice deck (NMD-04)
NOMAD_ANIMAL: Final = 74  # animal, place in the Grounds (NMD-05)
NOMAD_PILE: Final = 75  # a Nomad card onto the Eclipse pile (NMD-07)
NOMAD_GLACIERS: Final = 76  # points (NMD-08)
NOMAD_BUILD: Final = 77  # juncture, 1 the token (NMD-11)
NOMAD_MAP: Final = 78  # 0 the inner Camps move (NMD-12), 1 the outer ones (NMD-11)
NOMAD_NOTHING: Final = 79  # an action that has no effect now

# Forms of a lesser benefit (GLD-03).
AS_FOOD: Final = 1
AS_TOOL: Final = 2
AS_OFFERING: Final = 3
AS_HONOR: Final = 4
AS_DRAW: Final = 5

# Zones that a card can be buried from (INI-06).
FROM_HAND: Final = 0
FROM_DISCARD: Final = 1
FROM_ABOVE: Final = 2
FROM_PILE: Final = 3  # the own Eclipse pile, revealed

# Kinds of sources.
NO_SOURCE: Final = 0
HEX: Final = 1
CARD: Final = 2
ABILITY: Final = 3
TOKEN_EFFECT: Final = 4
NOMAD_CARD: Final = 5

_SOURCE_SHIFT: Final = 32


def option(verb: int, a: int = 0, b: int = 0, source: int = 0, c: int = 0) -> int:
    return verb | a << 8 | b << 16 | c << 24 | source << _SOURCE_SHIFT


def source(kind: int, number: int) -> int:
    return kind << 8 | number


def verb_of(code: int) -> int:
    return code & 255


def a_of(code: int) -> int:
    return code >> 8 & 255


def b_of(code: int) -> int:
    return code >> 16 & 255


def c_of(code: int) -> int:
    return code >> 24 & 255


def source_of(code: int) -> int:
    return code >> _SOURCE_SHIFT
