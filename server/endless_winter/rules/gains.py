"""Benefits: a pool of icons to be gained, unit by unit, in the order and form its owner likes.

One function lists what can be taken, one carries it out, one resolves what needs no question.
A question is asked wherever the answer could matter. Points, Labor and Food that fits below the
limit are taken at once: more of them can never hurt, and waiting cannot bring more
(docs/decisions/0030).
"""

from typing import Final

from endless_winter.rules import agenda, board, events, icons, options
from endless_winter.rules.benefits import entry_options, entry_possible, perform, score_stone
from endless_winter.rules.board import MAX_TOOLS, food_room
from endless_winter.rules.hooks import FIRST_OF_MODULES
from endless_winter.rules.options import option
from endless_winter.rules.sources import category_of
from endless_winter.rules.state import Player, Position
from endless_winter.rules.tables import Ability

# The pool entry that an option of a verb takes from.
ENTRY_ICONS: Final[dict[int, int]] = {
    options.FOOD: icons.FOOD,
    options.TOOLS: icons.TOOL,
    options.OFFERING: icons.IDOL,
    options.HONOR: icons.IDOL,
    options.DRAW: icons.DRAW,
    options.MEGALITH: icons.MEGALITH,
    options.BURY: icons.BURY,
    options.CAMP: icons.CAMP,
    options.MOVE: icons.MOVE,
    options.VILLAGE: icons.VILLAGE,
    options.TRIBE: icons.TRIBE,
    options.RECRUIT: icons.RECRUIT,
    options.TAKE: icons.CULTURE,
    options.ANIMAL: icons.ANIMAL,
    options.BEAST: icons.BEAST,
    options.REVEAL: icons.REVEAL,
    options.TIP: icons.TIP,
    options.STONE: icons.STONE,
    options.FEAST: icons.FEAST,
    options.SCORE: agenda.SCORE_STONES,
    options.POINTS: icons.POINT,
    options.LABOR: icons.LABOR,
}


# Entries that an option takes as a whole, not unit by unit.
_WHOLE: Final = (icons.FOOD, icons.TOOL, icons.POINT, icons.LABOR, agenda.ADDITIONAL)


def pool_possible(position: Position, player: Player, pool: bytes) -> bool:
    for at in range(0, len(pool), 2):
        if entry_possible(position, player, pool[at], pool[at + 1]):
            return True
    return False


def usable(position: Position, player: Player, ability: Ability) -> bool:
    """Whether an ability could be used now: its condition, its cost, its effect."""
    if ability.when and not board.holds(position, player, ability):
        return False
    cost = ability.cost
    if not cost:
        return pool_possible(position, player, ability.gains)
    if not board.can_pay(player, cost):
        return False
    for at in range(0, len(ability.gains), 2):
        icon = ability.gains[at]
        # Paying makes room for Food and Tools, so a full store is no reason to refuse.
        if icon <= icons.TOOL or icon == icons.FEAST:
            return True
        if entry_possible(position, player, icon, ability.gains[at + 1]):
            return True
    return False


def pool_asks(position: Position, player: Player, pool: bytes) -> bool:
    """Whether something in the pool can be taken now in more than one way, or had better wait."""
    for at in range(0, len(pool), 2):
        icon = pool[at]
        if icon == icons.FOOD or icon == icons.FEAST or icon == agenda.SCORE_STONES:
            continue
        if icon == icons.POINT or icon == icons.LABOR:
            continue
        if icon == icons.TOOL and player.tools == MAX_TOOLS:
            continue
        if icon >= FIRST_OF_MODULES and _waits(position, icon):
            continue
        if entry_possible(position, player, icon, pool[at + 1]):
            return True
    return False


def _waits(position: Position, icon: int) -> bool:
    return any(module.icon_waits(icon) for module in position.modules)


def resolve(position: Position, player: Player, pool: bytes) -> bytes:
    """Take what needs no question; what is left is a decision.

    What cannot be had now stays in the pool as long as something else in it asks: a Camp makes
    room for Food, a card taken can be buried.
    """
    kept = resolve_at_once(position, player, pool)
    if not kept or pool_asks(position, player, kept):
        return kept
    take_the_rest(position, player, kept)
    return b""


def resolve_at_once(position: Position, player: Player, pool: bytes) -> bytes:
    """Take what can never be better later; what is left."""
    kept = b""
    for at in range(0, len(pool), 2):
        icon = pool[at]
        amount = pool[at + 1]
        if icon == icons.POINT:
            board.score(position, player, amount, category_of(position, position.cause))
        elif icon == icons.LABOR:
            perform(position, player, option(options.LABOR, amount))
        elif icon == icons.FOOD and amount <= food_room(player):
            board.gain_food(position, player, amount)
        elif board.point_instead(position, icon):
            board.score(position, player, amount, events.BY_EMPTY_SUPPLY)
        else:
            kept += pool[at : at + 2]
    return kept


def take_the_rest(position: Position, player: Player, pool: bytes) -> None:
    """Food and the scoring of Sacred Stones: nothing can come any more that they waited for."""
    for at in range(0, len(pool), 2):
        icon = pool[at]
        amount = pool[at + 1]
        if icon == agenda.SCORE_STONES:
            for slot in range(len(player.stones)):
                if amount & 1 << slot:
                    score_stone(position, player, player.stones[slot])
        elif icon == icons.FEAST:
            board.gain_food(position, player, food_room(player))
        elif icon == icons.FOOD or (icon == icons.TOOL and player.tools == MAX_TOOLS):
            board.gain_food(position, player, amount)  # with 5 Tools a Tool is Food (GLD-09)
        elif icon >= FIRST_OF_MODULES:
            for index, module in enumerate(position.modules):
                if module.icon_waits(icon):
                    module.take_waiting(position, index, player.seat, icon, amount)


def pool_options(
    position: Position, player: Player, pool: bytes, source: int, found: list[int]
) -> None:
    for at in range(0, len(pool), 2):
        entry_options(position, player, pool[at], pool[at + 1], source, found)


def reduced(position: Position, player: Player, pool: bytes, code: int) -> bytes:
    """The pool without what the option takes from it."""
    verb = options.verb_of(code)
    units = 1
    if verb >= FIRST_OF_MODULES:
        icon, units = taken_by_module(position, code)
    else:
        icon = options.a_of(code) if verb == options.AS else ENTRY_ICONS[verb]
    icon = entry_icon(position, pool[::2], icon)
    rest = b""
    for at in range(0, len(pool), 2):
        if pool[at] != icon:
            rest += pool[at : at + 2]
            continue
        amount = pool[at + 1]
        if icon == agenda.SCORE_STONES:
            amount &= ~(1 << player.stones.index(options.a_of(code)))
        elif icon in _WHOLE:
            amount = 0
        else:
            amount -= units
        if amount:
            rest += bytes((icon, amount))
    return rest


def entry_icon(position: Position, pool: bytes, icon: int) -> int:
    """The icon of a pool that an option for this icon takes from; `pool` holds its icons."""
    if icon in pool:
        return icon
    if icon == icons.MEGALITH:
        return agenda.ADDITIONAL  # MEG-08
    for module in position.modules:
        for own, like in module.taken_like().items():
            if like == icon and own in pool:
                return own
    raise AssertionError(f"nothing in the pool is taken like icon {icon}")


def taken_by_module(position: Position, code: int) -> tuple[int, int]:
    """The icon and how many units of it an option of a module takes from its pool."""
    for index, module in enumerate(position.modules):
        icon, units = module.takes(position, index, code)
        if units:
            return (icon, units)
    raise AssertionError(f"option {code} takes from no pool")


def _fits_now(position: Position, player: Player, ability: Ability) -> bool:
    """Whether a source brings only what can be taken at once and in full."""
    if ability.cost or (ability.when and not board.holds(position, player, ability)):
        return False
    for at in range(0, len(ability.gains), 2):
        icon = ability.gains[at]
        if icon == icons.POINT or icon == icons.LABOR or board.point_instead(position, icon):
            continue
        if icon != icons.FOOD or ability.gains[at + 1] > food_room(player):
            return False
    return True


def resolve_sources(
    position: Position, player: Player, abilities: list[Ability], kind: int, numbers: list[int]
) -> list[int]:
    """Use those of several competing sources that need no question; which ones these were.

    The sources are of one kind (sources.py), `numbers` say which.

    A source that would lose something now waits as long as another one asks.
    """
    done: list[int] = []
    left: list[int] = []
    for number, ability in enumerate(abilities):
        if _fits_now(position, player, ability):
            position.cause = kind << 8 | numbers[number]
            resolve(position, player, ability.gains)
            done.append(number)
        else:
            left.append(number)
    # Only now, since what was resolved may have paid for one of those left.
    waiting: list[int] = []
    asks = False
    for number in left:
        ability = abilities[number]
        if usable(position, player, ability) and (
            ability.cost or pool_asks(position, player, ability.gains)
        ):
            asks = True
        else:
            waiting.append(number)
    if not asks:
        for number in waiting:
            ability = abilities[number]
            if not ability.cost and usable(position, player, ability):
                position.cause = kind << 8 | numbers[number]
                resolve(position, player, ability.gains)
                done.append(number)
    return done


def take_if_only_food(position: Position, player: Player, ability: Ability) -> None:
    """A free source whose whole pool can never hurt is taken even when the rest is left."""
    if ability.cost or (ability.when and not board.holds(position, player, ability)):
        return
    for icon in ability.gains[::2]:
        if icon != icons.FOOD and icon != icons.FEAST and not _waits(position, icon):
            return
    take_the_rest(position, player, ability.gains)


def ability_options(
    position: Position, player: Player, ability: Ability, source: int, found: list[int]
) -> None:
    """A source among others: its benefits at once, or its cost first."""
    if not usable(position, player, ability):
        return
    if ability.cost:
        found.append(option(options.PAY, 0, 0, source))
    else:
        pool_options(
            position, player, possible_pool(position, player, ability.gains), source, found
        )


def possible_pool(position: Position, player: Player, pool: bytes) -> bytes:
    kept = b""
    for at in range(0, len(pool), 2):
        if entry_possible(position, player, pool[at], pool[at + 1]):
            kept += pool[at : at + 2]
    return kept


def use(position: Position, player: Player, ability: Ability, code: int) -> None:
    """Carry out an option of `ability_options`; what it does not take stays to be gained."""
    if options.verb_of(code) == options.PAY:
        start_ability(position, player, ability)
        return
    rest = reduced(position, player, ability.gains, code)
    board.push_gain(position, player, rest, position.cause)
    perform(position, player, code)


def start_ability(position: Position, player: Player, ability: Ability) -> None:
    """ICO-01: pay in full, then gain."""
    board.push_gain(position, player, ability.gains, position.cause)
    board.pay(position, player, ability.cost)
