"""What a Nomad card can show: icons of the game, and three actions that only the Nomad has."""

from typing import Final

from endless_winter.rules import agenda, icons

SETTLE: Final = 40  # build a Village or relocate Camps (NMD-11, NMD-12)
PILE_CARD: Final = 41  # a Nomad card onto the Eclipse pile (NMD-07)
GLACIERS: Final = 42  # points for Glaciers (NMD-08)

# The words of a content pack for the actions of a cell.
ACTIONS: Final[dict[str, int]] = {
    "idol": icons.IDOL,
    "tool": icons.TOOL,
    "food": icons.FOOD,
    "culture": icons.CULTURE,
    "bury": icons.BURY,
    "animal": icons.ANIMAL,
    "beast": icons.BEAST,
    "reveal": icons.REVEAL,
    "pile": PILE_CARD,
    "glaciers": GLACIERS,
    "stone": icons.STONE,
    "megalith": icons.MEGALITH,
    "settle": SETTLE,
    "point": icons.POINT,
}

# NMD-14: what can never be gained, and what it is for the Nomad; NMD-13 for Camps.
ALWAYS: Final[dict[int, int]] = {
    icons.DRAW: icons.BURY,
    icons.TRIBE: icons.TOOL,
    icons.RECRUIT: icons.TOOL,
    icons.TIP: icons.FOOD,
    icons.CAMP: SETTLE,
    icons.MOVE: SETTLE,
    icons.VILLAGE: SETTLE,
}
# NMD-14: what comes instead of what cannot be gained now. An Idol always can.
INSTEAD: Final[dict[int, int]] = {
    icons.STONE: icons.MEGALITH,
    icons.MEGALITH: icons.BURY,
    agenda.ADDITIONAL: icons.BURY,
    icons.CULTURE: icons.BURY,
    icons.BURY: icons.TOOL,
    icons.TOOL: icons.FOOD,
    icons.ANIMAL: icons.FOOD,
    icons.BEAST: icons.FOOD,
    icons.FEAST: icons.IDOL,
    icons.FOOD: icons.IDOL,
}
