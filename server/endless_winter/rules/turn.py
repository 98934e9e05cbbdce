"""The Action phase: Culture cards, a figure, its actions, Tribe cards, the Eclipse pile."""

from typing import Final

from endless_winter.rules import actions, agenda, board, events, gains, icons, options, sources
from endless_winter.rules.actions import affordable, pay
from endless_winter.rules.benefits import entry_options, perform
from endless_winter.rules.events import emit
from endless_winter.rules.icons import ANY_COLUMN, ANYWHERE, ECLIPSE, LABOR, REST
from endless_winter.rules.options import option
from endless_winter.rules.state import Player, Position
from endless_winter.rules.terrain import ADJACENT
from endless_winter.rules.zones import EMPTY, distinct, merged, replaced, with_piece, without

TURNS: Final = 3  # of each player in a round

# What is reached of a place: the section whose action was the last one done, or none of them.
TOP: Final = actions.TOP
MIDDLE_DONE: Final = actions.MIDDLE
BOTTOM_DONE: Final = actions.BOTTOM

CHIEF_FIGURE: Final = 0
TRIBE_FIGURE: Final = 1

# What of step 2 may also come before a benefit that is still to be taken (LAB-01, FIG-06).
BETWEEN: Final = (options.PLAY, options.USE, options.LEAD, options.EAT)
# Benefits before which a Tribe card may matter: what can be buried or discarded, what an ability
# pays with or makes room for.
_AFTER_CARDS: Final = (
    icons.BURY,
    icons.DRAW,
    icons.STONE,
    icons.CULTURE,
    icons.VILLAGE,
    icons.FOOD,
    icons.FEAST,
)

_RITE: Final = bytes((icons.RECRUIT, 1, icons.BURY, 1))
# What the bottom sections show (INI-05, DEV-04, MIG-07, HUN-05), by place.
_BOTTOM_INITIATE: Final = bytes((icons.IDOL, 1, icons.BURY, 1))
_BOTTOM_DEVELOP: Final = bytes((icons.TOOL, 1, icons.FOOD, 1))
BOTTOMS: Final = (
    b"",
    _BOTTOM_INITIATE,
    _BOTTOM_DEVELOP,
    bytes((icons.CAMP, 1, icons.MOVE, 1)),
    bytes((icons.BEAST, 1)),
)
_FREE_CAMP: Final = bytes((icons.CAMP, 1))
# A person has placed the Camp by then.
_BOTTOM_MIGRATE: Final = bytes((icons.MOVE, 1))


def begin_turn(position: Position, seat: int) -> None:
    # What else belongs to a turn was put back by `end_turn`.
    position.section = TOP
    position.cultures_played = 0
    position.taken = 0
    emit(position, events.TURN_BEGAN, seat, position.round)
    position.kinds[seat].begin_turn(position, seat)


def turn_options(position: Position, player: Player) -> list[int]:
    """Step 1 and the figure: placing it ends step 1 (CUL-04).

    One list for both, so that nobody can tell from a question left out whether there is a
    Culture card in hand.
    """
    found: list[int] = []
    cards = position.tables.cards
    # From the second on each costs another card from hand (CUL-01).
    if position.cultures_played == 0 or len(player.hand) > 1:
        for card in distinct(player.hand):
            if cards[card].era:
                found.append(option(options.CULTURE, card))
    figures = player.figures
    if not figures[2] or not figures[1]:
        _place_options(TRIBE_FIGURE, found)
    if not figures[0]:
        _place_options(CHIEF_FIGURE, found)
    return found


def _place_options(figure: int, found: list[int]) -> None:
    found.append(option(options.PLACE, figure, REST))
    for place in range(icons.INITIATE, icons.HUNT + 1):
        found.append(option(options.PLACE, figure, place))


def turn_default(player: Player) -> int:
    figures = player.figures
    tribe_home = not figures[2] or not figures[1]
    return option(options.PLACE, TRIBE_FIGURE if tribe_home else CHIEF_FIGURE, REST)


def choose_turn(position: Position, player: Player, code: int) -> None:
    a = options.a_of(code)
    if options.verb_of(code) == options.CULTURE:
        play_culture(position, player, a)
    else:
        place_figure(position, player, a, options.b_of(code))


def play_culture(position: Position, player: Player, card: int) -> None:
    """CUL-01 .. CUL-03."""
    player.hand = without(player.hand, card)
    player.above = with_piece(player.above, card)
    emit(position, events.CULTURE_PLAYED, player.seat, card)
    unused = bytes(range(len(position.tables.cards[card].abilities)))
    position.agenda.append((agenda.ABILITIES, player.seat, card, unused))
    if position.cultures_played:
        position.agenda.append((agenda.PAY_DISCARD, player.seat, 1, b""))
    position.cultures_played += 1


def place_figure(position: Position, player: Player, figure: int, place: int) -> None:
    """FIG-01, FIG-04."""
    at = 0
    if figure == TRIBE_FIGURE:
        at = 1 if not player.figures[1] else 2
    player.figures = replaced(player.figures, at, place)
    position.place = place
    position.chief_ready = 0
    if figure == CHIEF_FIGURE:
        position.chief_ready = (1 << len(position.tables.chiefs[player.chief].abilities)) - 1
    position.agenda[-1] = (agenda.ACT, player.seat, 0, b"")
    emit(position, events.FIGURE_PLACED, player.seat, figure, place)
    if place == REST:
        for index, module in enumerate(position.modules):
            module.rest_begun(position, index, player.seat)
    elif not position.first[place]:
        position.first = replaced(position.first, place, 1 + player.seat)
        position.bottom_open = True


def act_options(position: Position, player: Player) -> list[int]:
    """Step 2: cards, Labor, the sections of the column in their order, the Chief."""
    found: list[int] = []
    must_stay = False
    if position.place == REST:
        # RST-01: the draw comes first and is no option to skip.
        if position.section == TOP:
            must_stay = True
            entry_options(position, player, icons.DRAW, 1, 0, found)
        elif position.section == MIDDLE_DONE:
            entry_options(position, player, icons.TIP, 1, 0, found)
    else:
        if position.section == TOP:
            _top_options(position, player, found)
            _middle_options(position, player, found)
        if position.bottom_open:
            found.append(option(options.BOTTOM))
        _card_options(position, player, found)
    if position.chief_ready:
        _chief_options(position, player, found)
    for index, module in enumerate(position.modules):
        module.act_options(position, index, player.seat, found)
    if not must_stay:
        found.append(option(options.END))
    return found


def _top_options(position: Position, player: Player, found: list[int]) -> None:
    place = position.place
    if place == icons.INITIATE:
        if affordable(position, player, actions.INITIATE):
            for deck, card in enumerate(position.tribe_cards):
                if not position.taken & 1 << deck:
                    found.append(option(options.INITIATE, card))
    elif place == icons.DEVELOP:
        if affordable(position, player, actions.DEVELOP):
            if board.display_is_empty(position):
                found.append(option(options.DEVELOP_POINT))
            for card in position.display:
                if card != EMPTY:
                    found.append(option(options.DEVELOP, card))
    elif place == icons.MIGRATE:
        _migrate_options(position, player, found)
    else:
        _hunt_options(position, player, found)


def _migrate_options(position: Position, player: Player, found: list[int]) -> None:
    if affordable(position, player, actions.PITCH) and len(player.camps) < board.CAMPS:
        found.append(option(options.PITCH))
    if affordable(position, player, actions.TRAVEL):
        for start in distinct(player.camps):
            for end in ADJACENT[start]:
                found.append(option(options.TRAVEL, start, end))


def _hunt_options(position: Position, player: Player, found: list[int]) -> None:
    if affordable(position, player, actions.REVEAL) and board.can_reveal(position):
        found.append(option(options.REVEAL_TWO))
    if affordable(position, player, actions.HUNT):
        if board.nothing_to_hunt(position):
            found.append(option(options.HUNT_POINT))
        for animal, place in board.huntable(position):
            found.append(option(options.HUNT, animal, place))


def _middle_options(position: Position, player: Player, found: list[int]) -> None:
    place = position.place
    if place == icons.INITIATE:
        if affordable(position, player, actions.RITE):
            found.append(option(options.RITE))
    elif place == icons.DEVELOP:
        for stone in board.stones_on_offer(position, player):
            found.append(option(options.STONE, stone))
    elif place == icons.MIGRATE:
        if affordable(position, player, actions.SETTLE):
            for juncture in board.village_sites(position, player):
                found.append(option(options.SETTLE, juncture))
    else:
        for animal in distinct(player.animals):
            found.append(option(options.TIP, animal))


def _card_options(position: Position, player: Player, found: list[int]) -> None:
    play_options(position, player, found)
    _ready_options(position, player, found)
    _eat_options(position, player, found)


def play_options(position: Position, player: Player, found: list[int]) -> None:
    """LAB-01, LAB-06."""
    cards = position.tables.cards
    hand = player.hand
    fresh = position.fresh
    for card in distinct(hand):
        if not cards[card].era and (not fresh or hand.count(card) > fresh.count(card)):
            found.append(option(options.PLAY, card))


def _ready_options(position: Position, player: Player, found: list[int]) -> None:
    """LAB-02, LAB-03."""
    cards = position.tables.cards
    ready = position.ready
    last = -1
    for at in range(0, len(ready), 2):
        both = ready[at] << 8 | ready[at + 1]
        if both == last:
            continue
        last = both
        ability = cards[ready[at]].abilities[ready[at + 1]]
        if gains.usable(position, player, ability):
            found.append(option(options.USE, ready[at], ready[at + 1]))


def _eat_options(position: Position, player: Player, found: list[int]) -> None:
    """LAB-04: only amounts that end just past a Labor icon; more Food would buy nothing."""
    food = player.food
    if food:
        for step in position.tables.food_labor:
            if step <= food:
                found.append(option(options.EAT, food - step + 1))


def _chief_options(position: Position, player: Player, found: list[int]) -> None:
    """FIG-06: each ability of the Chief's side once."""
    for number, ability in enumerate(position.tables.chiefs[player.chief].abilities):
        if (
            position.chief_ready & 1 << number
            and works_here(ability.where, position.place)
            and gains.usable(position, player, ability)
        ):
            found.append(option(options.LEAD, number))


def in_step_two(position: Position, seat: int) -> bool:
    """Whether it is step 2 of the seat's own turn, whatever is being resolved in it."""
    agenda_ = position.agenda
    return len(agenda_) > 1 and agenda_[1][0] == agenda.ACT and agenda_[1][1] == seat


def between_options(position: Position, player: Player, pool: bytes, found: list[int]) -> None:
    """LAB-01, FIG-06: what else of step 2 may come before the rest of a pool is taken.

    Tribe cards only where playing one first can lead to another position than playing it later,
    and Food for Labor only where there is more Food to come than there is room for.
    """
    if position.place != REST:
        if _cards_matter(position, pool):
            play_options(position, player, found)
        _ready_options(position, player, found)
        if icons.FOOD in pool[::2] or icons.FEAST in pool[::2]:
            _eat_options(position, player, found)
    if position.chief_ready:
        _chief_options(position, player, found)


def _cards_matter(position: Position, pool: bytes) -> bool:
    for icon in pool[::2]:
        if icon in _AFTER_CARDS or (icon == icons.TOOL and position.tables.cards_cost_tools):
            return True
    return False


def worth_asking(position: Position, player: Player, pool: bytes) -> bool:
    """Whether something of step 2 could still make more of a pool that asks for nothing itself.

    Only what everybody may know decides, so that a question left out tells nothing. Where nothing
    comes of it the only option is to leave the rest; without cards in hand that is forced.
    """
    if position.place != REST:
        for icon in pool[::2]:
            # There is no room for it, or it fills up: the Food at hand can be used first.
            if player.food and (icon == icons.FOOD or icon == icons.FEAST):
                return True
            if icon == icons.TOOL and position.tables.cards_cost_tools:
                return True
            if icon == icons.STONE and board.stones_in_reach(position, player):
                return True
    found: list[int] = []
    _ready_options(position, player, found)
    if position.chief_ready:
        _chief_options(position, player, found)
    return bool(found)


def works_here(where: int, place: int) -> bool:
    """LAB-02, FIG-06."""
    return where == ANYWHERE or where == place or (where == ANY_COLUMN and place != REST)


def choose_act(position: Position, player: Player, code: int) -> None:
    verb = options.verb_of(code)
    position.cause = sources.TOPS[position.place]
    for index, module in enumerate(position.modules):
        if module.act(position, index, player.seat, code):
            return
    if verb in BETWEEN:
        choose_between(position, player, code)
    elif verb == options.END:
        end_turn(position, player)
    elif verb == options.BOTTOM:
        bottom(position, player)
    elif position.place == REST:
        position.section += 1
        perform(position, player, code)
    else:
        _choose_column(position, player, verb, code)


def choose_between(position: Position, player: Player, code: int) -> None:
    """One of `BETWEEN`; what it brings goes on top of the agenda."""
    verb = options.verb_of(code)
    a = options.a_of(code)
    if verb == options.PLAY:
        play_tribe(position, player, a)
    elif verb == options.USE:
        _use(position, player, a, options.b_of(code))
    elif verb == options.EAT:
        eat(position, player, a)
    else:
        position.chief_ready &= ~(1 << a)
        position.cause = sources.source(sources.CHIEF, player.chief)
        emit(position, events.CHIEF_USED, player.seat, player.chief, a)
        gains.start_ability(position, player, position.tables.chiefs[player.chief].abilities[a])


def _choose_column(position: Position, player: Player, verb: int, code: int) -> None:
    a = options.a_of(code)
    if verb == options.TRAVEL:
        pay(position, player, actions.TRAVEL)
        board.move_camp(position, player, a, options.b_of(code))
    elif verb == options.PITCH:
        pay(position, player, actions.PITCH)
        board.place_camp(position, player, board.camp_home(position))
    elif verb == options.HUNT:
        pay(position, player, actions.HUNT)
        board.take_animal(position, player, a, options.b_of(code))
    elif verb == options.HUNT_POINT:
        pay(position, player, actions.HUNT)
        board.score(position, player, 1, events.BY_EMPTY_SUPPLY)
    elif verb == options.REVEAL_TWO:
        pay(position, player, actions.REVEAL)
        board.reveal(position, 2)
    elif verb == options.INITIATE:
        initiate(position, player, a)
    elif verb == options.DEVELOP:
        pay(position, player, actions.DEVELOP)
        board.take_culture(position, player, a)
    elif verb == options.DEVELOP_POINT:
        pay(position, player, actions.DEVELOP)
        board.score(position, player, 1, events.BY_EMPTY_SUPPLY)
    else:
        position.section = MIDDLE_DONE
        position.cause = sources.section(position.place, sources.MIDDLE)
        if verb == options.RITE:
            # INI-03: either or both, so the first of the two is a must.
            pay(position, player, actions.RITE)
            number = position.cause << 8 | agenda.MUST_TAKE
            position.agenda.append((agenda.GAIN, player.seat, number, _RITE))
        elif verb == options.SETTLE:
            pay(position, player, actions.SETTLE)
            board.place_village(position, player, a)
        else:
            perform(position, player, code)


def play_tribe(position: Position, player: Player, card: int) -> None:
    """LAB-01, LAB-02.

    Labor from abilities is added at once: it binds nobody to anything, and what is not spent is
    lost (LAB-05).
    """
    player.hand = without(player.hand, card)
    player.above = with_piece(player.above, card)
    emit(position, events.TRIBE_PLAYED, player.seat, card)
    printed = position.tables.cards[card]
    position.labor += printed.labor
    for number, ability in enumerate(printed.abilities):
        if ability.where == ECLIPSE or not works_here(ability.where, position.place):
            continue
        if (
            ability.gains[0] == LABOR
            and len(ability.gains) == 2
            and not (ability.cost or ability.when)
        ):
            position.labor += ability.gains[1]
        else:
            position.ready = _with_pair(position.ready, card, number)


def _with_pair(ready: bytes, card: int, ability: int) -> bytes:
    at = 0
    while at < len(ready) and (ready[at] << 8 | ready[at + 1]) < (card << 8 | ability):
        at += 2
    return ready[:at] + bytes((card, ability)) + ready[at:]


def _use(position: Position, player: Player, card: int, number: int) -> None:
    """LAB-03: each ability once."""
    ready = position.ready
    for at in range(0, len(ready), 2):
        if ready[at] == card and ready[at + 1] == number:
            position.ready = ready[:at] + ready[at + 2 :]
            break
    position.cause = sources.source(sources.CARD, card)
    emit(position, events.ABILITY_USED, player.seat, card, number)
    gains.start_ability(position, player, position.tables.cards[card].abilities[number])


def eat(position: Position, player: Player, amount: int) -> None:
    """LAB-04: 1 Labor for each icon that the marker passes."""
    position.cause = sources.LAB_04
    labor = 0
    for step in position.tables.food_labor:
        if player.food - amount < step <= player.food:
            labor += 2
    player.food -= amount
    position.labor += labor
    emit(position, events.FOOD_EATEN, player.seat, amount, labor)


def initiate(position: Position, player: Player, card: int) -> None:
    """INI-01, LAB-06."""
    pay(position, player, actions.INITIATE)
    position.taken |= 1 << position.tribe_cards.index(card)
    if board.take_tribe(position, player, card, False):
        position.fresh = with_piece(position.fresh, card)


def bottom(position: Position, player: Player) -> None:
    position.section = BOTTOM_DONE
    position.bottom_open = False
    place = position.place
    position.cause = sources.section(place, sources.BOTTOM)
    if place == icons.INITIATE or place == icons.DEVELOP:
        board.push_gain(position, player, BOTTOMS[place], position.cause)
    elif place == icons.MIGRATE:
        board.push_gain(position, player, _BOTTOM_MIGRATE, position.cause)
        if len(player.camps) < board.CAMPS:
            _place_free_camp(position, player)
    else:
        board.take_beast(position, player)


def _place_free_camp(position: Position, player: Player) -> None:
    """MIG-07: without a question unless a module knows another place."""
    places: list[int] = []
    entry_options(position, player, icons.CAMP, 1, 0, places)
    if len(places) == 1:
        perform(position, player, places[0])
    else:
        number = position.cause << 8 | agenda.MUST_TAKE
        position.agenda.append((agenda.GAIN, player.seat, number, _FREE_CAMP))


def end_turn(position: Position, player: Player) -> None:
    """TRN-03, steps 3 and 4."""
    position.agenda.pop()
    if player.above:
        player.discard = merged(player.discard, player.above)
        player.above = b""
    clear_turn(position, player.seat)
    if position.turn > (TURNS - 1) * len(position.players):
        position.agenda.append((agenda.BUILD_PILE, player.seat, 0, b""))


def clear_turn(position: Position, seat: int) -> None:
    """Put back what belongs to the turn that is over."""
    position.place = 0
    position.labor = 0
    position.chief_ready = 0
    position.bottom_open = False
    position.ready = b""
    position.fresh = b""
    for index, module in enumerate(position.modules):
        module.turn_ended(position, index, seat)
    emit(position, events.TURN_ENDED, seat)


def pile_options(player: Player) -> list[int]:
    """EPL-01."""
    found = [option(options.PILE, card) for card in distinct(player.hand)]
    found.append(option(options.DONE))
    return found


def choose_pile(position: Position, player: Player, code: int) -> None:
    if options.verb_of(code) == options.DONE:
        position.agenda.pop()
        return
    card = options.a_of(code)
    player.hand = without(player.hand, card)
    player.pile = with_piece(player.pile, card)
    emit(position, events.CARD_PILED, player.seat, 0, 0, bytes((card,)))
