"""Benefits: a pool of icons to be gained, unit by unit, in the order and form its owner likes.

One function lists what can be taken, one carries it out, one settles what needs no question.
A question is asked wherever the answer could matter. Points, Labor and Food that fits below the
limit are taken at once: more of them can never hurt, and waiting cannot bring more
(docs/decisions/0030).
"""

from typing import Final

from endless_winter.rules import agenda, board, events, icons, options
from endless_winter.rules.board import MAX_TOOLS, food_limit, food_room
from endless_winter.rules.building import additional_sites, legal_sites, place_megalith
from endless_winter.rules.events import emit
from endless_winter.rules.idols import advance_honor, advance_offering, can_advance_honor
from endless_winter.rules.options import option
from endless_winter.rules.scoring import stone_points
from endless_winter.rules.state import Player, Position
from endless_winter.rules.tables import Ability
from endless_winter.rules.terrain import ADJACENT
from endless_winter.rules.zones import EMPTY, distinct

# The pool entry that an option of a verb takes from.
_ENTRY: Final[dict[int, int]] = {
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
}


def entry_possible(position: Position, player: Player, icon: int, amount: int) -> bool:
    """Whether anything could come of this entry of a pool now.

    Only what everybody may know decides here, so that a question left out tells nothing.
    """
    if icon == icons.TOOL:
        return player.tools < MAX_TOOLS or food_room(player) > 0
    if icon == icons.FOOD or icon == icons.FEAST:
        return food_room(player) > 0
    if icon == icons.BURY:
        return bool(player.hand or player.discard or player.above)
    if icon == icons.CAMP:
        return len(player.camps) < board.CAMPS
    if icon == icons.MOVE:
        return bool(player.camps)
    if icon == icons.VILLAGE:
        return bool(board.village_sites(position, player))
    if icon == icons.CULTURE:
        return position.display.count(EMPTY) < board.DISPLAY_PLACES
    if icon == icons.ANIMAL:
        return board.grounds_count(position) > 0 or not position.animals
    if icon == icons.REVEAL:
        return board.can_reveal(position)
    if icon == icons.TIP:
        return bool(player.animals)
    if icon == icons.STONE:
        return bool(board.stones_on_offer(position, player))
    if icon == agenda.ADDITIONAL:
        return bool(additional_sites(position, amount))
    return True


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


def settle(position: Position, player: Player, pool: bytes) -> bytes:
    """Take what needs no question and drop what cannot be had; what is left is a decision."""
    kept = b""
    asks = False
    for at in range(0, len(pool), 2):
        icon = pool[at]
        amount = pool[at + 1]
        if icon == icons.POINT:
            board.score(position, player, amount, events.BY_OTHER)
        elif icon == icons.LABOR:
            position.labor += amount
            emit(position, events.LABOR_GAINED, player.seat, amount)
        elif not entry_possible(position, player, icon, amount):
            continue
        elif icon == icons.FOOD and amount <= food_room(player):
            board.gain_food(position, player, amount)
        elif icon == icons.TOOL and player.tools == MAX_TOOLS and amount <= food_room(player):
            board.gain_food(position, player, amount)  # GLD-09
        elif (icon == icons.ANIMAL and board.nothing_to_hunt(position)) or (
            icon == icons.BEAST and not position.animals
        ):
            board.score(position, player, amount, events.BY_OTHER)
        else:
            kept += pool[at : at + 2]
            if icon != icons.FOOD and icon != icons.FEAST and icon != agenda.SCORE_STONES:
                asks = asks or icon != icons.TOOL or player.tools < MAX_TOOLS
    if not kept or asks:
        return kept
    # Only Food and scoring are left: nothing can happen any more that they could wait for.
    for at in range(0, len(kept), 2):
        icon = kept[at]
        amount = kept[at + 1]
        if icon == agenda.SCORE_STONES:
            for slot in range(len(player.stones)):
                if amount & 1 << slot:
                    score_stone(position, player, player.stones[slot])
        elif icon == icons.FEAST:
            board.gain_food(position, player, food_room(player))
        else:
            board.gain_food(position, player, amount)
    return b""


def score_stone(position: Position, player: Player, stone: int) -> None:
    """ECL-04."""
    points = stone_points(position, player, position.tables.stones[stone])
    board.score(position, player, points, events.BY_STONE)


def _lesser(position: Position, player: Player, icon: int, source: int, found: list[int]) -> None:
    """GLD-03: whatever is below the icon in the hierarchy, as far as it brings anything."""
    if icon > icons.DRAW and (player.deck or player.discard):
        found.append(option(options.AS, icon, options.AS_DRAW, source))
    if icon > icons.IDOL:
        found.append(option(options.AS, icon, options.AS_OFFERING, source))
        if can_advance_honor(position, player):
            found.append(option(options.AS, icon, options.AS_HONOR, source))
    if icon > icons.TOOL and player.tools < MAX_TOOLS:
        found.append(option(options.AS, icon, options.AS_TOOL, source))
    if food_room(player) > 0:
        found.append(option(options.AS, icon, options.AS_FOOD, source))


def entry_options(
    position: Position, player: Player, icon: int, amount: int, source: int, found: list[int]
) -> None:
    """Every way to take one unit of an entry (all units, for Food and Tools)."""
    if icon == icons.FOOD:
        found.append(option(options.FOOD, amount, 0, source))
    elif icon == icons.TOOL:
        # A split of the amount into Tools and Food; Food beyond its limit only with all the
        # Tools that fit, since it would be lost.
        most = min(amount, MAX_TOOLS - player.tools)
        room = food_room(player)
        for tools in range(most, -1, -1):
            if tools == most or amount - tools <= room:
                found.append(option(options.TOOLS, tools, amount - tools, source))
    elif icon == icons.IDOL:
        found.append(option(options.OFFERING, 0, 0, source))
        if can_advance_honor(position, player):
            found.append(option(options.HONOR, 0, 0, source))
        _lesser(position, player, icon, source, found)
    elif icon == icons.DRAW:
        if player.deck or player.discard:
            found.append(option(options.DRAW, 0, 0, source))
        _lesser(position, player, icon, source, found)
    elif icon == icons.MEGALITH:
        for site in legal_sites(position, player):
            found.append(option(options.MEGALITH, site, 0, source))
        _lesser(position, player, icon, source, found)
    elif icon == agenda.ADDITIONAL:
        if player.megaliths:
            for site in additional_sites(position, amount):
                found.append(option(options.MEGALITH, site, 0, source))
        _lesser(position, player, icons.MEGALITH, source, found)
    elif icon == icons.BURY:
        for card in distinct(player.hand):
            found.append(option(options.BURY, card, options.FROM_HAND, source))
        for card in distinct(player.discard):
            found.append(option(options.BURY, card, options.FROM_DISCARD, source))
        for card in distinct(player.above):
            found.append(option(options.BURY, card, options.FROM_ABOVE, source))
    elif icon == icons.CAMP:
        found.append(option(options.CAMP, 0, 0, source))
    elif icon == icons.MOVE:
        for start in distinct(player.camps):
            for end in ADJACENT[start]:
                found.append(option(options.MOVE, start, end, source))
    elif icon == icons.VILLAGE:
        for juncture in board.village_sites(position, player):
            found.append(option(options.VILLAGE, juncture, 0, source))
    elif icon == icons.TRIBE:
        for card in range(position.tables.tribe_types):
            found.append(option(options.TRIBE, card, 0, source))
    elif icon == icons.RECRUIT:
        for card in range(position.tables.tribe_types):
            found.append(option(options.RECRUIT, card, 0, source))
    elif icon == icons.CULTURE:
        for card in position.display:
            if card != EMPTY:
                found.append(option(options.TAKE, card, 0, source))
    elif icon == icons.ANIMAL:
        for animal in sorted(set(position.grounds)):
            if animal != EMPTY:
                found.append(option(options.ANIMAL, animal, 0, source))
    elif icon == icons.BEAST:
        found.append(option(options.BEAST, 0, 0, source))
    elif icon == icons.REVEAL:
        found.append(option(options.REVEAL, 0, 0, source))
    elif icon == icons.TIP:
        for animal in distinct(player.animals):
            found.append(option(options.TIP, animal, 0, source))
    elif icon == icons.STONE:
        for stone in board.stones_on_offer(position, player):
            found.append(option(options.STONE, stone, 0, source))
    elif icon == icons.FEAST:
        found.append(option(options.FEAST, 0, 0, source))
    elif icon == agenda.SCORE_STONES:
        for slot in range(len(player.stones)):
            if amount & 1 << slot:
                found.append(option(options.SCORE, player.stones[slot], 0, source))


def pool_options(
    position: Position, player: Player, pool: bytes, source: int, found: list[int]
) -> None:
    for at in range(0, len(pool), 2):
        entry_options(position, player, pool[at], pool[at + 1], source, found)


def reduced(position: Position, player: Player, pool: bytes, code: int) -> bytes:
    """The pool without what the option takes from it."""
    verb = options.verb_of(code)
    icon = options.a_of(code) if verb == options.AS else _ENTRY[verb]
    if icon == icons.MEGALITH and icon not in pool[::2]:
        icon = agenda.ADDITIONAL
    rest = b""
    for at in range(0, len(pool), 2):
        if pool[at] != icon:
            rest += pool[at : at + 2]
            continue
        amount = pool[at + 1]
        if icon == agenda.SCORE_STONES:
            amount &= ~(1 << player.stones.index(options.a_of(code)))
        elif icon in (icons.FOOD, icons.TOOL, agenda.ADDITIONAL):
            amount = 0
        else:
            amount -= 1
        if amount:
            rest += bytes((icon, amount))
    return rest


def perform(position: Position, player: Player, code: int) -> None:
    """Carry out an option that takes a benefit."""
    verb = options.verb_of(code)
    a = options.a_of(code)
    b = options.b_of(code)
    if verb == options.AS:
        if b == options.AS_FOOD:
            board.gain_food(position, player, 1)
        elif b == options.AS_TOOL:
            board.gain_tools(position, player, 1)
        elif b == options.AS_OFFERING:
            advance_offering(position, player)
        elif b == options.AS_HONOR:
            advance_honor(position, player)
        else:
            board.draw(position, player, 1)
    elif verb == options.FOOD:
        board.gain_food(position, player, a)
    elif verb == options.TOOLS:
        board.gain_tools(position, player, a)
        board.gain_food(position, player, b)
    elif verb == options.OFFERING:
        advance_offering(position, player)
    elif verb == options.HONOR:
        advance_honor(position, player)
    elif verb == options.DRAW:
        board.draw(position, player, 1)
    elif verb == options.MEGALITH:
        place_megalith(position, player, a)
    elif verb == options.BURY:
        board.bury(position, player, a, b)
    elif verb == options.CAMP:
        board.place_camp(position, player)
    elif verb == options.MOVE:
        board.move_camp(position, player, a, b)
    elif verb == options.VILLAGE:
        board.place_village(position, player, a)
    elif verb == options.TRIBE:
        board.take_tribe(position, player, a, False)
    elif verb == options.RECRUIT:
        board.take_tribe(position, player, a, True)
    elif verb == options.TAKE:
        board.take_culture(position, player, a)
    elif verb == options.ANIMAL:
        board.take_animal(position, player, a)
    elif verb == options.BEAST:
        board.take_beast(position, player)
    elif verb == options.REVEAL:
        board.reveal(position, 1)
    elif verb == options.TIP:
        board.tip(position, player, a)
    elif verb == options.STONE:
        board.take_stone(position, player, a)
    elif verb == options.FEAST:
        board.gain_food(position, player, food_limit(player) - player.food)
    else:
        score_stone(position, player, a)


def settle_pool_now(position: Position, player: Player, pool: bytes) -> bool:
    """Gain a source's whole pool if it brings only what `settle` takes at once."""
    for at in range(0, len(pool), 2):
        icon = pool[at]
        amount = pool[at + 1]
        if icon == icons.POINT or icon == icons.LABOR:
            continue
        if icon == icons.FOOD and amount <= food_room(player):
            continue
        if entry_possible(position, player, icon, amount):
            return False
    settle(position, player, pool)
    return True


def settle_ability_now(position: Position, player: Player, ability: Ability) -> bool:
    """The same for an ability: usable, free of cost, and without a question."""
    return (
        not ability.cost
        and usable(position, player, ability)
        and settle_pool_now(position, player, ability.gains)
    )


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
    board.push_gain(position, player, reduced(position, player, ability.gains, code))
    perform(position, player, code)


def start_ability(position: Position, player: Player, ability: Ability) -> None:
    """ICO-01: pay in full, then gain."""
    board.push_gain(position, player, ability.gains)
    board.pay(position, player, ability.cost)
