"""The icon vocabulary of the game: the words in which every printed effect is written.

An icon is a small int. The five benefits of GLD-03 come first and in their order, so that
"a lesser benefit" is simply "a smaller number".
"""

from typing import Final

FOOD: Final = 1
TOOL: Final = 2
IDOL: Final = 3
DRAW: Final = 4
MEGALITH: Final = 5

LABOR: Final = 6  # counted in halves (LAB-01)
DISCARD: Final = 7  # ICO-06
BURY: Final = 8  # INI-06
VILLAGE: Final = 9  # ICO-08
CAMP: Final = 10  # a Camp from the board onto the Base tile
MOVE: Final = 11  # ICO-03; "one Camp up to twice or two once each" is two of these
TRIBE: Final = 12  # a Tribe card into hand
RECRUIT: Final = 13  # a Tribe card into the discard pile
CULTURE: Final = 14  # ICO-07
ANIMAL: Final = 15  # any Animal of the Hunting Grounds
BEAST: Final = 16  # the top Animal of the deck
REVEAL: Final = 17  # ICO-04
TIP: Final = 18  # HUN-04
STONE: Final = 19  # DEV-02
POINT: Final = 20  # immediate points (GLD-06)
FEAST: Final = 21  # ICO-05

ICON_NAMES: Final = (
    "none",
    "food",
    "tool",
    "idol",
    "draw",
    "megalith",
    "labor",
    "discard",
    "bury",
    "village",
    "camp",
    "move",
    "tribe",
    "recruit",
    "culture",
    "animal",
    "beast",
    "reveal",
    "tip",
    "stone",
    "point",
    "feast",
)

# Where an ability works (LAB-02, FIG-06): a column's number is also its place from the left.
ANYWHERE: Final = 0
INITIATE: Final = 1
DEVELOP: Final = 2
MIGRATE: Final = 3
HUNT: Final = 4
ANY_COLUMN: Final = 5
ECLIPSE: Final = 6
REST: Final = 7  # a place for a figure, never the condition of an ability

WHERE_NAMES: Final = (
    "anywhere",
    "initiate",
    "develop",
    "migrate",
    "hunt",
    "action",
    "eclipse",
    "rest",
)

# What a trigger icon asks for (ICO-02): each is "at least n of your ...".
ALWAYS: Final = 0
SAME_ANIMALS: Final = 1  # untipped Animals of one type; a wild one joins
DIFFERENT_ANIMALS: Final = 2  # types among the untipped Animals
WILD_ANIMALS: Final = 3  # untipped Animals of a wild type
CAMPS_PLACED: Final = 4
VILLAGES_PLACED: Final = 5
CARDS_BURIED: Final = 6
STONES_TAKEN: Final = 7
MEGALITHS_PLACED: Final = 8

CONDITION_NAMES: Final = (
    "always",
    "same",
    "different",
    "wild",
    "camps",
    "villages",
    "buried",
    "stones",
    "megaliths",
)
