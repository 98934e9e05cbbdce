"""What an option costs and which sections it closes; of the option in full (detail.py) alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import actions, icons, options
from endless_winter.rules.actions import Action
from endless_winter.views import detail

if TYPE_CHECKING:
    from endless_winter.rules.tables import Ability, Tables

# The actions of the columns by the verbs of their options; modules add theirs.
ACTIONS: Final[dict[int, Action]] = {
    **{action.verb: action for action in actions.ACTIONS},
    options.DEVELOP_POINT: actions.DEVELOP,
    options.HUNT_POINT: actions.HUNT,
}
_ABILITIES: Final = (options.USE, options.LEAD, options.PAY)


def ability_of(tables: Tables, full: int) -> Ability:
    """The printed ability that an option uses."""
    verb = options.verb_of(full)
    subject = detail.subject_of(full)
    if verb == options.USE:
        return tables.cards[options.a_of(full)].abilities[options.b_of(full)]
    if verb == options.LEAD:
        return tables.chiefs[subject].abilities[options.a_of(full)]
    kind = detail.source_of(full) >> 8
    number = detail.source_of(full) & 255
    if kind == options.ABILITY:
        return tables.cards[subject].abilities[number]
    if kind == options.CARD:
        return tables.cards[number].abilities[subject]
    return tables.rest_tokens[subject].effects[number]


def cost_of(tables: Tables, full: int) -> bytes:
    """What is paid when it is chosen, as a pool."""
    verb = options.verb_of(full)
    if verb in _ABILITIES:
        return ability_of(tables, full).cost
    if verb == options.STONE:
        space = tables.stone_spaces[detail.number_of(full)]
        return Action(0, 0, 0, tools=space.tools, food=space.food).cost()
    if verb == options.EAT:
        return bytes((icons.FOOD, options.a_of(full)))
    if verb == options.CULTURE:  # CUL-01
        return bytes((icons.DISCARD, 1)) if detail.number_of(full) else b""
    return ACTIONS[verb].cost() if verb in ACTIONS else b""


def closed_by(full: int) -> tuple[int, ...]:
    """The sections that are open now and closed after it."""
    verb = options.verb_of(full)
    # What takes from a pool is a benefit, and no action of a column.
    if verb not in ACTIONS or detail.index_of(full) >= 0:
        return ()
    reached = detail.reached_of(full) if verb == options.BOTTOM else actions.TOP
    return actions.closes(reached, ACTIONS[verb].section)
