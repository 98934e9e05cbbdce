"""What can be done in step 2 of a turn: where, for how much, and what stands in the way.

One record for each action. The turn lists its options and pays for them by it (turn.py), labels and
the catalogue say its cost by it, and offers.py says by the same record why it is closed.
"""

from typing import Final

from endless_winter.rules import board, icons, options
from endless_winter.rules.state import Player, Position

# Sections of a place; what a position has reached is one of them too (`Position.section`): with the
# middle action done, top and middle are closed (FIG-02).
TOP: Final = 0
MIDDLE: Final = 1
BOTTOM: Final = 2
NO_SECTION: Final = 3  # Tribe cards, Food for Labor, abilities: between all the others (LAB-01)


class Action:
    """An action of a place; `place` is 0 if it is offered in every column."""

    __slots__ = ("food", "labor", "place", "section", "tools", "verb")

    def __init__(
        self, verb: int, place: int, section: int, labor: int = 0, tools: int = 0, food: int = 0
    ) -> None:
        self.verb: int = verb
        self.place: int = place
        self.section: int = section
        self.labor: int = labor  # in halves
        self.tools: int = tools
        self.food: int = food

    def cost(self) -> bytes:
        """What is paid, as a pool (tables.py)."""
        cost = b""
        for icon, amount in (
            (icons.LABOR, self.labor),
            (icons.TOOL, self.tools),
            (icons.FOOD, self.food),
        ):
            if amount:
                cost += bytes((icon, amount))
        return cost


INITIATE: Final = Action(options.INITIATE, icons.INITIATE, TOP, labor=2, tools=1)  # INI-01
RITE: Final = Action(options.RITE, icons.INITIATE, MIDDLE, food=1)  # INI-03
DEVELOP: Final = Action(options.DEVELOP, icons.DEVELOP, TOP, labor=6)  # DEV-01
STONE: Final = Action(options.STONE, icons.DEVELOP, MIDDLE)  # DEV-02: its space is paid for
PITCH: Final = Action(options.PITCH, icons.MIGRATE, TOP, tools=1)  # MIG-01
TRAVEL: Final = Action(options.TRAVEL, icons.MIGRATE, TOP, labor=2)  # MIG-02
SETTLE: Final = Action(options.SETTLE, icons.MIGRATE, MIDDLE, food=3)  # MIG-04
REVEAL: Final = Action(options.REVEAL_TWO, icons.HUNT, TOP, labor=2)  # HUN-01
HUNT: Final = Action(options.HUNT, icons.HUNT, TOP, labor=2, tools=1)  # HUN-02
TIP: Final = Action(options.TIP, icons.HUNT, MIDDLE)  # HUN-04
# What the bottom sections give is in turn.py.
BOTTOMS: Final = tuple(
    Action(options.BOTTOM, place, BOTTOM) for place in range(icons.INITIATE, icons.HUNT + 1)
)
REST_DRAW: Final = Action(options.DRAW, icons.REST, TOP)  # RST-01
REST_TIP: Final = Action(options.TIP, icons.REST, MIDDLE)
PLAY: Final = Action(options.PLAY, 0, NO_SECTION)  # LAB-01
EAT: Final = Action(options.EAT, 0, NO_SECTION)  # LAB-04: any amount of Food

# From the left column to the right, each from the top to the bottom; what belongs to none is last.
ACTIONS: Final = (
    INITIATE,
    RITE,
    DEVELOP,
    STONE,
    PITCH,
    TRAVEL,
    SETTLE,
    REVEAL,
    HUNT,
    TIP,
    *BOTTOMS,
    REST_DRAW,
    REST_TIP,
    PLAY,
    EAT,
)


def affordable(position: Position, player: Player, action: Action) -> bool:
    return (
        position.labor >= action.labor
        and player.tools >= action.tools
        and player.food >= action.food
    )


def pay(position: Position, player: Player, action: Action) -> None:
    position.labor -= action.labor
    board.pay_tools(position, player, action.tools)
    board.pay_food(position, player, action.food)


def closes(reached: int, section: int) -> tuple[int, ...]:
    """The sections that an action of a section closes, its own included, after what is reached.

    Top actions may be repeated (FIG-03); a middle or bottom action closes what comes before it.
    """
    if section < MIDDLE or section > BOTTOM:
        return ()
    return tuple(range(TOP if reached == TOP else BOTTOM, section + 1))
