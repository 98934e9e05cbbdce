"""Why not: what step 2 of a turn offers, open and closed, with its cost and what stands in the way.

Made only for who asks. What is open is read from the legal options; why something is closed comes
from the records by which they are listed and paid for (actions.py, tables.Ability).
"""

from collections.abc import Callable
from typing import Final

from endless_winter.rules import actions, board, gains, icons, options
from endless_winter.rules.actions import ACTIONS, Action
from endless_winter.rules.options import option
from endless_winter.rules.state import Player, Position
from endless_winter.rules.tables import Ability
from endless_winter.rules.turn import works_here
from endless_winter.rules.zones import distinct

# Kinds of obstacles. Two numbers say how much is needed and how much is there; `which` says more.
LABOR: Final = 1  # in halves
TOOLS: Final = 2
FOOD: Final = 3
CARDS: Final = 4  # in hand, to be discarded
SECTION: Final = 5  # FIG-02, FIG-03; which: the section whose action was done
NOT_FIRST: Final = 6  # FIG-04; which: the seat that was first in the column
NO_CAMP: Final = 7  # MIG-01: all are placed
NO_CAMP_TO_MOVE: Final = 8  # MIG-02
NO_VILLAGE: Final = 9  # MIG-04: all are built
NO_SITE: Final = 10  # MIG-04
STONE_SPACES: Final = 11  # DEV-02: all are covered
NO_STONE: Final = 12  # DEV-02: none of this Era is left
NO_ANIMAL: Final = 13  # HUN-04: none of the own is untipped
GROUNDS_EMPTY: Final = 14  # HUN-02
GROUNDS_FULL: Final = 15  # HUN-01
NO_ANIMAL_CARDS: Final = 16  # HUN-01: the Animal deck is empty
DECK_USED: Final = 17  # INI-01: each Tribe deck once a turn
NO_TRIBE_CARD: Final = 18  # LAB-01
FRESH: Final = 19  # LAB-06
USED: Final = 20  # FIG-06, RTK-03: once a turn
ELSEWHERE: Final = 21  # LAB-02, FIG-06; which: where it works
CONDITION: Final = 22  # ICO-02; which: what is looked at (icons.py)
NOTHING_TO_GAIN: Final = 23  # ICO-01: it would bring nothing now
AT_REST: Final = 24  # RST-02
TOO_LATE: Final = 25  # CUL-04: Culture cards come before the figure
DRAW_FIRST: Final = 26  # RST-01
NO_CHIEF: Final = 27  # FIG-06: the figure of this turn is not the Chief
NO_JUNCTURE: Final = 28  # none is free for a piece of a module

# kind, needed, had, which
Obstacle = tuple[int, int, int, int]

# Options that are the same action: a point instead of what is no longer there (DEV-01, HUN-02), and
# what may be taken instead of a card (GLD-02).
_VERBS: Final[dict[int, tuple[int, ...]]] = {
    options.DEVELOP: (options.DEVELOP, options.DEVELOP_POINT),
    options.HUNT: (options.HUNT, options.HUNT_POINT),
    options.DRAW: (options.DRAW, options.AS),
}
_COST_KINDS: Final[dict[int, int]] = {
    icons.LABOR: LABOR,
    icons.TOOL: TOOLS,
    icons.FOOD: FOOD,
    icons.DISCARD: CARDS,
}


class Offer:
    """Something that step 2 offers: an action of the place, or one option of its own."""

    __slots__ = ("code", "cost", "obstacles", "section", "verb", "verbs")

    def __init__(
        self,
        verb: int,
        section: int,
        cost: bytes,
        obstacles: list[Obstacle],
        code: int = 0,
    ) -> None:
        self.verb: int = verb
        self.section: int = section
        self.cost: bytes = cost  # a pool
        self.obstacles: list[Obstacle] = obstacles  # none: it can be done now
        self.code: int = code  # the one option it is about; 0: an action with any number of them
        self.verbs: tuple[int, ...] = _VERBS.get(verb, (verb,))  # those of the action's options

    def is_open(self, legal: list[int]) -> bool:
        if self.code:
            return self.code in legal
        for code in legal:
            if options.verb_of(code) in self.verbs:
                return True
        return False


def offers(position: Position, player: Player, legal: list[int]) -> list[Offer]:
    """Everything that the place of the figure offers, the legal options being known."""
    found: list[Offer] = []
    for action in ACTIONS:
        if action.place == position.place or (not action.place and position.place != icons.REST):
            cost = cost_of(position, player, action)
            found.append(
                Offer(action.verb, action.section, cost, obstacles(position, player, action))
            )
    _single_cards(position, player, found)
    _abilities(position, player, found)
    for index, module in enumerate(position.modules):
        module.act_offers(position, index, player.seat, found)
    for offer in found:
        if offer.is_open(legal):
            offer.obstacles = []
    return found


def cost_of(position: Position, player: Player, action: Action) -> bytes:
    """What an action costs now, as a pool: for a Sacred Stone what its space shows (DEV-02)."""
    if action is actions.STONE and len(player.stones) < board.MAX_STONES:
        space = position.tables.stone_spaces[len(player.stones)]
        return Action(0, 0, 0, tools=space.tools, food=space.food).cost()
    return action.cost()


def obstacles(position: Position, player: Player, action: Action) -> list[Obstacle]:
    """Why an action cannot be done now; none: it can."""
    found = section_closed(position, action.section)
    if found:
        return found
    found = shortages(position, player, cost_of(position, player, action))
    missing = _MISSING.get(action.verb)
    more = missing(position, player) if missing is not None else None
    return found if more is None else [*found, more]


def section_closed(position: Position, section: int) -> list[Obstacle]:
    """FIG-02 .. FIG-04, RST-01."""
    reached = position.section
    if position.place == icons.REST:
        if section < reached:
            return [(SECTION, 0, 0, section)]
        return [(DRAW_FIRST, 0, 0, 0)] if section > reached else []
    if section == actions.BOTTOM and not position.bottom_open:
        if reached == actions.BOTTOM:
            return [(SECTION, 0, 0, reached)]
        return [(NOT_FIRST, 0, 0, position.first[position.place] - 1)]
    if section < actions.BOTTOM and reached:
        return [(SECTION, 0, 0, reached)]
    return []


def shortages(position: Position, player: Player, cost: bytes) -> list[Obstacle]:
    """What is missing for a cost."""
    found: list[Obstacle] = []
    for at in range(0, len(cost), 2):
        icon = cost[at]
        had = position.labor if icon == icons.LABOR else board.stock(player, icon)
        if had < cost[at + 1]:
            found.append((_COST_KINDS.get(icon, CARDS), cost[at + 1], had, 0))
    return found


# --- what an action needs besides what is paid; None: nothing, or it is there ---


def _missing_decks(position: Position, _: Player) -> Obstacle | None:
    every = (1 << len(position.tribe_cards)) - 1
    return (DECK_USED, 0, 0, 0) if position.taken == every else None


def _missing_stone(position: Position, player: Player) -> Obstacle | None:
    if len(player.stones) == board.MAX_STONES:
        return (STONE_SPACES, 0, board.MAX_STONES, 0)
    return None if board.stones_in_reach(position, player) else (NO_STONE, 0, 0, 0)


def _missing_camp(_: Position, player: Player) -> Obstacle | None:
    return (NO_CAMP, 1, 0, 0) if len(player.camps) == board.CAMPS else None


def _missing_move(_: Position, player: Player) -> Obstacle | None:
    return None if player.camps else (NO_CAMP_TO_MOVE, 1, 0, 0)


def _missing_site(position: Position, player: Player) -> Obstacle | None:
    if len(player.villages) == board.VILLAGES:
        return (NO_VILLAGE, 1, 0, 0)
    if board.village_sites(position, player):
        return None
    return (NO_SITE, board.VILLAGE_CAMPS, len(player.camps), 0)


def _missing_room(position: Position, _: Player) -> Obstacle | None:
    if not position.animals:
        return (NO_ANIMAL_CARDS, 1, 0, 0)
    return None if board.can_reveal(position) else (GROUNDS_FULL, 0, board.GROUNDS_PLACES, 0)


def _missing_prey(position: Position, _: Player) -> Obstacle | None:
    empty = position.animals and not board.grounds_count(position)
    return (GROUNDS_EMPTY, 1, 0, 0) if empty else None


def _missing_animal(_: Position, player: Player) -> Obstacle | None:
    return None if player.animals else (NO_ANIMAL, 1, 0, 0)


def _missing_card(position: Position, player: Player) -> Obstacle | None:
    if all(position.tables.cards[card].era for card in player.hand):
        return (NO_TRIBE_CARD, 1, 0, 0)
    return None if _playable(position, player) else (FRESH, 0, 0, 0)


def _missing_food(position: Position, player: Player) -> Obstacle | None:
    least = position.tables.food_labor[0]
    return (FOOD, least, player.food, 0) if player.food < least else None


_MISSING: Final[dict[int, Callable[[Position, Player], Obstacle | None]]] = {
    options.INITIATE: _missing_decks,
    options.STONE: _missing_stone,
    options.PITCH: _missing_camp,
    options.TRAVEL: _missing_move,
    options.SETTLE: _missing_site,
    options.REVEAL_TWO: _missing_room,
    options.HUNT: _missing_prey,
    options.TIP: _missing_animal,
    options.PLAY: _missing_card,
    options.EAT: _missing_food,
}


def _playable(position: Position, player: Player) -> bool:
    for card in distinct(player.hand):
        if not position.tables.cards[card].era and not _all_fresh(position, player, card):
            return True
    return False


def _all_fresh(position: Position, player: Player, card: int) -> bool:
    """LAB-06: whether every copy in hand came by initiating in this turn."""
    return player.hand.count(card) <= position.fresh.count(card)


def _single_cards(position: Position, player: Player, found: list[Offer]) -> None:
    """Cards that could be thought to be on offer: used decks, fresh cards, Culture cards."""
    in_column = position.place != icons.REST
    if position.place == icons.INITIATE and position.section == actions.TOP:
        for deck, card in enumerate(position.tribe_cards):
            if position.taken & 1 << deck:
                code = option(options.INITIATE, card)
                used: list[Obstacle] = [(DECK_USED, 0, 0, 0)]
                cost = actions.INITIATE.cost()
                found.append(Offer(options.INITIATE, actions.TOP, cost, used, code))
    for card in distinct(player.hand):
        why = 0
        verb = options.PLAY
        if position.tables.cards[card].era:
            verb = options.CULTURE
            why = TOO_LATE
        elif not in_column:
            why = AT_REST
        elif _all_fresh(position, player, card):
            why = FRESH
        if why:
            code = option(verb, card)
            found.append(Offer(verb, actions.NO_SECTION, b"", [(why, 0, 0, 0)], code))


def _abilities(position: Position, player: Player, found: list[Offer]) -> None:
    """LAB-02, FIG-06: of the cards played in this turn, and of the Chief."""
    cards = position.tables.cards
    ready = position.ready
    seen = -1
    for at in range(0, len(ready), 2):
        both = ready[at] << 8 | ready[at + 1]
        if both != seen:
            seen = both
            ability = cards[ready[at]].abilities[ready[at + 1]]
            code = option(options.USE, ready[at], ready[at + 1])
            found.append(ability_offer(position, player, ability, code))
    chief = position.tables.chiefs[player.chief]
    is_chief = player.figures[0] == position.place
    for number, ability in enumerate(chief.abilities):
        offer = ability_offer(position, player, ability, option(options.LEAD, number))
        if not is_chief:
            offer.obstacles = [(NO_CHIEF, 0, 0, 0)]
        elif not position.chief_ready & 1 << number:
            offer.obstacles = [(USED, 0, 0, 0)]
        elif not works_here(ability.where, position.place):
            offer.obstacles = [(ELSEWHERE, 0, 0, ability.where)]
        found.append(offer)


def ability_offer(position: Position, player: Player, ability: Ability, code: int) -> Offer:
    """A printed ability with its own option."""
    found: list[Obstacle] = []
    if ability.when and not board.holds(position, player, ability):
        had = board.counted(position, player, ability.when)
        found.append((CONDITION, ability.amount, had, ability.when))
    found += shortages(position, player, ability.cost)
    if not found and not gains.usable(position, player, ability):
        found.append((NOTHING_TO_GAIN, 0, 0, 0))
    return Offer(options.verb_of(code), actions.NO_SECTION, ability.cost, found, code)
