"""Where benefits and points come from.

A source is kind << 8 | number, the same in an option where several compete (options.py), in a pool
on the agenda and in the cause of an event; 0 is none. All of them lie open: no source names a card
that somebody may not see.
"""

from typing import Final

from endless_winter.rules import events, options
from endless_winter.rules.state import Position

HEX: Final = options.HEX  # Terrain
CARD: Final = options.CARD  # a Tribe or Culture card
NOMAD_CARD: Final = options.NOMAD_CARD
CHIEF: Final = 6  # Chief side (FIG-06)
ANIMAL: Final = 7  # that was tipped (HUN-04)
STONE: Final = 8  # a Sacred Stone that scores (ECL-04)
STONE_SPACE: Final = 9  # of the player board, from 1: what a Sacred Stone covers (DEV-03)
BOARD: Final = 10  # 0: Villages and Megalith supply of the player board (ECL-04)
OFFERING: Final = 11  # level (IDL-02)
TURN_ORDER: Final = 12  # place from 1 (ECL-03)
MEGALITH: Final = 13  # site (MEG-04, MEG-05)
REST_TOKEN: Final = 14
GLACIER_TOKENS: Final = 15  # juncture of the Village beside them: two give one pool (GLT-03)
SECTION: Final = 16  # place * 3 + section of a column, or the Rest space
RULE: Final = 17  # number in RULES: what no component gives

# Modules add the kinds of their own, from FIRST_OF_MODULES on (modules/__init__.py).
KIND_NAMES: Final[dict[int, str]] = {
    HEX: "hex",
    CARD: "card",
    NOMAD_CARD: "nomad",
    CHIEF: "chief",
    ANIMAL: "animal",
    STONE: "stone",
    STONE_SPACE: "stone_space",
    BOARD: "board",
    OFFERING: "offering",
    TURN_ORDER: "turn_order",
    MEGALITH: "megalith",
    REST_TOKEN: "rest_token",
    GLACIER_TOKENS: "glacier_tokens",
    SECTION: "section",
    RULE: "rule",
}

RULES: Final = (
    "SET-07",
    "LAB-04",
    "ECL-03",
    "PRP-06",
    "FIN-01",
    "FIN-02",
    "FIN-03",
    "FIN-04",
    "NMD-11",
)
SET_07: Final = RULE << 8
LAB_04: Final = RULE << 8 | 1
ECL_03: Final = RULE << 8 | 2
PRP_06: Final = RULE << 8 | 3
FIN_01: Final = RULE << 8 | 4  # .. FIN-04 follow
NMD_11: Final = RULE << 8 | 8

# Sections of a column as a source.
TOP: Final = 0
MIDDLE: Final = 1
BOTTOM: Final = 2
SECTIONS: Final = 3

# The top section of each place, looked up for every choice in step 2.
TOPS: Final[list[int]] = [SECTION << 8 | place * SECTIONS for place in range(8)]

# What points of a source count as in the result; those of cards hang on the card.
CATEGORIES: Final[dict[int, int]] = {
    HEX: events.BY_TERRAIN,
    NOMAD_CARD: events.BY_NOMAD,
    CHIEF: events.BY_CHIEF,
    ANIMAL: events.BY_ANIMAL,
    STONE: events.BY_STONE,
    STONE_SPACE: events.BY_BOARD,
    BOARD: events.BY_BOARD,
    OFFERING: events.BY_OFFERING,
    TURN_ORDER: events.BY_TURN_ORDER,
    MEGALITH: events.BY_MEGALITH,
    REST_TOKEN: events.BY_REST_TOKEN,
    GLACIER_TOKENS: events.BY_GLACIER_TOKEN,
}


def source(kind: int, number: int) -> int:
    return kind << 8 | number


def section(place: int, part: int) -> int:
    """A section of the column or space where the figure of this turn stands."""
    return SECTION << 8 | place * SECTIONS + part


def category_of(position: Position, where: int) -> int:
    """The category of points that a source shows."""
    kind = where >> 8
    if kind == CARD:
        era = position.tables.cards[where & 255].era
        return events.BY_CULTURE_CARD if era else events.BY_TRIBE_CARD
    return CATEGORIES.get(kind, events.BY_MODULE)
