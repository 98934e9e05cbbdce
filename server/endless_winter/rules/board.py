"""What happens to pieces, resources and cards: the small transitions all others are made of."""

from typing import Final

from endless_winter.rules import agenda, events
from endless_winter.rules.chance import shuffle
from endless_winter.rules.events import emit
from endless_winter.rules.icons import (
    ANIMAL,
    BEAST,
    CAMPS_PLACED,
    CARDS_BURIED,
    CULTURE,
    DIFFERENT_ANIMALS,
    SAME_ANIMALS,
    STONES_TAKEN,
    VILLAGES_PLACED,
    WILD_ANIMALS,
)
from endless_winter.rules.icons import FOOD as FOOD_ICON
from endless_winter.rules.icons import TOOL as TOOL_ICON
from endless_winter.rules.options import FROM_ABOVE, FROM_DISCARD, FROM_HAND
from endless_winter.rules.points import with_points
from endless_winter.rules.sources import ANIMAL as ANIMAL_SOURCE
from endless_winter.rules.sources import STONE_SPACE, source
from endless_winter.rules.state import Player, Position
from endless_winter.rules.tables import Ability
from endless_winter.rules.terrain import BASE, HEXES, JUNCTURES, OUTSIDE
from endless_winter.rules.zones import EMPTY, distinct, merged, replaced, with_piece, without

CAMPS: Final = 5
VILLAGES: Final = 3
MEGALITHS: Final = 10
NEUTRAL_MEGALITHS: Final = 2
MAX_TOOLS: Final = 5
MAX_STONES: Final = 3
BASE_FOOD_LIMIT: Final = 5
GROUNDS_PLACES: Final = 6
DISPLAY_PLACES: Final = 8
VILLAGE_CAMPS: Final = 3

DECK_STREAMS: Final = ("deck:0", "deck:1", "deck:2", "deck:3")


def food_limit(player: Player) -> int:
    """GLD-04."""
    return BASE_FOOD_LIMIT + len(player.camps)


def food_room(player: Player) -> int:
    return BASE_FOOD_LIMIT + len(player.camps) - player.food


def score(position: Position, player: Player, points: int, by: int) -> None:
    """GLD-06: the marker moves now; the categories are kept apart for the result."""
    if points <= 0:
        return
    player.score += points
    player.points = with_points(player.points, by, points)
    emit(position, events.POINTS, player.seat, points, by)


def gain_food(position: Position, player: Player, amount: int) -> None:
    """GLD-04: what is above the limit is lost."""
    kept = min(amount, food_room(player))
    if kept > 0:
        player.food += kept
        emit(position, events.FOOD_GAINED, player.seat, kept)


def gain_tools(position: Position, player: Player, amount: int) -> None:
    """GLD-05: at most 5."""
    kept = min(amount, MAX_TOOLS - player.tools)
    if kept > 0:
        player.tools += kept
        emit(position, events.TOOLS_GAINED, player.seat, kept)


def pay_food(position: Position, player: Player, amount: int) -> None:
    if amount:
        player.food -= amount
        emit(position, events.FOOD_PAID, player.seat, amount)


def pay_tools(position: Position, player: Player, amount: int) -> None:
    if amount:
        player.tools -= amount
        emit(position, events.TOOLS_PAID, player.seat, amount)


def can_pay(player: Player, cost: bytes) -> bool:
    """ICO-01: everything on the left of the arrow, in full."""
    for at in range(0, len(cost), 2):
        if stock(player, cost[at]) < cost[at + 1]:
            return False
    return True


def stock(player: Player, icon: int) -> int:
    """What there is to pay such an icon with: Food, Tools, or cards in hand to discard."""
    if icon == FOOD_ICON:
        return player.food
    return player.tools if icon == TOOL_ICON else len(player.hand)


def pay(position: Position, player: Player, cost: bytes) -> None:
    """Pay a cost; cards to discard are asked for on top of the agenda."""
    for at in range(0, len(cost), 2):
        icon = cost[at]
        amount = cost[at + 1]
        if icon == FOOD_ICON:
            pay_food(position, player, amount)
        elif icon == TOOL_ICON:
            pay_tools(position, player, amount)
        else:
            position.agenda.append((agenda.PAY_DISCARD, player.seat, amount, b""))


def draw(position: Position, player: Player, number: int) -> None:
    """GLD-01: an empty deck is made anew of the discard pile; with both empty the draw ends."""
    drawn = player.deck[:number]
    player.deck = player.deck[number:]
    short = number - len(drawn)
    if short and player.discard:
        player.deck = shuffle(
            position.seed, DECK_STREAMS[player.seat], player.shuffles + 1, player.discard
        )
        player.shuffles += 1
        player.discard = b""
        emit(position, events.DECK_SHUFFLED, player.seat, len(player.deck))
        drawn += player.deck[:short]
        player.deck = player.deck[short:]
    if drawn:
        player.hand = merged(player.hand, drawn)
        emit(position, events.CARDS_DRAWN, player.seat, len(drawn), 0, drawn)


def take_from_hand(position: Position, player: Player, card: int) -> None:
    """A card leaves the hand other than by being played.

    Of two equal cards the one that may not be played this turn goes first (LAB-06): nobody
    would choose otherwise.
    """
    player.hand = without(player.hand, card)
    if card in position.fresh:
        position.fresh = without(position.fresh, card)


def discard(position: Position, player: Player, card: int) -> None:
    """ICO-06."""
    take_from_hand(position, player, card)
    player.discard = with_piece(player.discard, card)
    emit(position, events.CARD_DISCARDED, player.seat, card)


def bury(position: Position, player: Player, card: int, zone: int) -> None:
    """INI-06."""
    if zone == FROM_HAND:
        take_from_hand(position, player, card)
    elif zone == FROM_DISCARD:
        player.discard = without(player.discard, card)
    elif zone == FROM_ABOVE:
        player.above = without(player.above, card)
        position.ready = _ready_at_most(position.ready, card, player.above.count(card))
    else:
        player.pile = without(player.pile, card)
        _pile_at_most(position, player, card)
    player.buried = with_piece(player.buried, card)
    emit(position, events.CARD_BURIED, player.seat, zone, 0, bytes((card,)))


def _ready_at_most(ready: bytes, card: int, number: int) -> bytes:
    """Drop unused abilities of a card of which only so many are still above the board.

    Of equal cards the one whose ability is used leaves first: nobody would choose otherwise.
    """
    kept = b""
    seen: dict[int, int] = {}
    for at in range(0, len(ready), 2):
        if ready[at] == card:
            ability = ready[at + 1]
            seen[ability] = seen.get(ability, 0) + 1
            if seen[ability] > number:
                continue
        kept += ready[at : at + 2]
    return kept


def _pile_at_most(position: Position, player: Player, card: int) -> None:
    """A card buried from the pile takes its Eclipse ability along, unless that is used (ECL-03b).

    Of equal cards the one whose ability is used leaves first: nobody would choose otherwise.
    """
    for at, frame in enumerate(position.agenda):
        if frame[0] == agenda.ECLIPSE_CARDS and frame[3].count(card) > player.pile.count(card):
            position.agenda[at] = (frame[0], frame[1], frame[2], without(frame[3], card))


def take_tribe(position: Position, player: Player, card: int, to_discard: bool) -> bool:
    """A Tribe card into hand or discard pile; from an empty deck 1 point instead (INI-02)."""
    deck = position.tribe_cards.index(card)
    left = position.tribes[deck]
    if not left:
        score(position, player, 1, events.BY_EMPTY_SUPPLY)
        return False
    position.tribes = replaced(position.tribes, deck, left - 1)
    if to_discard:
        player.discard = with_piece(player.discard, card)
    else:
        player.hand = with_piece(player.hand, card)
    emit(position, events.TRIBE_TAKEN, player.seat, card, 1 if to_discard else 0)
    return True


def take_culture(position: Position, player: Player, card: int) -> None:
    """DEV-01: the space stays empty until the Preparation phase."""
    position.display = replaced(position.display, position.display.index(card), EMPTY)
    player.hand = with_piece(player.hand, card)
    emit(position, events.CULTURE_TAKEN, player.seat, card)


def grounds_count(position: Position) -> int:
    return GROUNDS_PLACES - position.grounds.count(EMPTY)


def can_reveal(position: Position) -> bool:
    return bool(position.animals) and EMPTY in position.grounds


def reveal(position: Position, number: int) -> None:
    """Animals into the Hunting Grounds, as many as there are places and cards (HUN-01)."""
    while number and position.animals and EMPTY in position.grounds:
        animal = position.animals[0]
        position.animals = position.animals[1:]
        position.grounds = replaced(position.grounds, position.grounds.index(EMPTY), animal)
        emit(position, events.ANIMAL_REVEALED, 0, animal)
        number -= 1


def huntable(position: Position) -> list[tuple[int, int]]:
    """The Animals of the Hunting Grounds to choose from: each type, and 0.

    HUN-02: where places matter, equal Animals are told apart by theirs, that is 1 + place.
    """
    found: list[tuple[int, int]] = []
    grounds = position.grounds
    for animal in sorted(set(grounds)):
        if animal == EMPTY:
            continue
        if grounds.count(animal) > 1 and _places_matter(position):
            for place in range(GROUNDS_PLACES):
                if grounds[place] == animal:
                    found.append((animal, 1 + place))
        else:
            found.append((animal, 0))
    return found


def _places_matter(position: Position) -> bool:
    for kind in position.kinds:
        if kind.goes_by_places:
            return True
    return False


def nothing_to_hunt(position: Position) -> bool:
    return not position.animals and not grounds_count(position)


def point_instead(position: Position, icon: int) -> bool:
    """Whether an icon is worth 1 point, since there is nothing left (HUN-02, HUN-05, ICO-07)."""
    if icon == ANIMAL:
        return nothing_to_hunt(position)
    if icon == BEAST:
        return not position.animals
    return icon == CULTURE and display_is_empty(position)


def display_is_empty(position: Position) -> bool:
    return position.display.count(EMPTY) == DISPLAY_PLACES


def take_animal(position: Position, player: Player, animal: int, place: int = 0) -> None:
    """HUN-02; the second number is that of `huntable`."""
    at = place - 1 if place else position.grounds.index(animal)
    position.grounds = replaced(position.grounds, at, EMPTY)
    player.animals = with_piece(player.animals, animal)
    emit(position, events.ANIMAL_TAKEN, player.seat, animal)


def take_beast(position: Position, player: Player) -> None:
    """HUN-05: the top card of the Animal deck, or 1 point."""
    if not position.animals:
        score(position, player, 1, events.BY_EMPTY_SUPPLY)
        return
    animal = position.animals[0]
    position.animals = position.animals[1:]
    player.animals = with_piece(player.animals, animal)
    emit(position, events.ANIMAL_TAKEN, player.seat, animal, 1)


def tip(position: Position, player: Player, animal: int) -> None:
    """HUN-04: turned on its side for good; its benefit goes onto the agenda."""
    player.animals = without(player.animals, animal)
    player.tipped = with_piece(player.tipped, animal)
    emit(position, events.ANIMAL_TIPPED, player.seat, animal)
    push_gain(position, player, position.tables.animals[animal].tip, source(ANIMAL_SOURCE, animal))


def push_gain(position: Position, player: Player, pool: bytes, where: int) -> None:
    """A pool onto the agenda, and where it comes from (sources.py)."""
    if pool:
        position.kinds[player.seat].gain(position, player.seat, pool, where)


def stones_on_offer(position: Position, player: Player) -> bytes:
    """DEV-02: what the player may take and can pay for now."""
    taken = len(player.stones)
    if taken == MAX_STONES:
        return b""
    space = position.tables.stone_spaces[taken]
    if player.food < space.food or player.tools < space.tools:
        return b""
    return stones_in_reach(position, player)


def stones_in_reach(position: Position, player: Player) -> bytes:
    """DEV-02: what the player may take if the price can be paid."""
    if len(player.stones) == MAX_STONES:
        return b""
    if position.round <= 2:
        return position.stones[0]
    return position.stones[0] + position.stones[1]


def take_stone(position: Position, player: Player, stone: int) -> None:
    """DEV-02, DEV-03: pay the space's cost, gain what it covers."""
    space = position.tables.stone_spaces[len(player.stones)]
    pay_food(position, player, space.food)
    pay_tools(position, player, space.tools)
    era = position.tables.stones[stone].era - 1
    position.stones[era] = without(position.stones[era], stone)
    player.stones += bytes((stone,))
    emit(position, events.STONE_TAKEN, player.seat, stone)
    push_gain(position, player, space.benefit, source(STONE_SPACE, len(player.stones)))


def camp_home(position: Position) -> int:
    """Where new Camps go: the Base tile, or what a module has instead of it."""
    for index, module in enumerate(position.modules):
        home = module.camp_home(position, index)
        if home >= 0:
            return home
    return BASE


def place_camp(position: Position, player: Player, place: int) -> None:
    """MIG-01."""
    player.camps = with_piece(player.camps, place)
    emit(position, events.CAMP_PLACED, player.seat, place)


def move_camp(position: Position, player: Player, start: int, end: int) -> None:
    """MIG-02."""
    emit(position, events.CAMP_MOVED, player.seat, start, end)
    shift_camp(position, player, start, end)


def shift_camp(position: Position, player: Player, start: int, end: int) -> None:
    """A Camp from hex to hex, whoever moves it."""
    player.camps = with_piece(without(player.camps, start), end)
    for index, module in enumerate(position.modules):
        module.camp_entered(position, index, end)


def village_sites(position: Position, player: Player) -> list[int]:
    """MIG-04: free junctures with an own Camp on each of the three hexes, none of them the Base."""
    found: list[int] = []
    camps = player.camps
    if len(camps) < VILLAGE_CAMPS or len(player.villages) == VILLAGES:
        return found
    for juncture, hexes in enumerate(JUNCTURES):
        if (
            hexes[0] in camps
            and hexes[1] in camps
            and hexes[2] in camps
            and can_be_built_on(position, juncture)
        ):
            found.append(juncture)
    return found


def beside_base(position: Position, juncture: int) -> bool:
    """Whether a juncture touches the Base tile, if there is one."""
    return JUNCTURES[juncture][0] == BASE and position.terrain[BASE] == BASE


def can_be_built_on(position: Position, juncture: int) -> bool:
    return not beside_base(position, juncture) and not occupied(position, juncture)


def occupied(position: Position, juncture: int) -> bool:
    """Whether a Village, or a piece of a module, stands there."""
    for player in position.players:
        if juncture in player.villages:
            return True
    for index, module in enumerate(position.modules):
        if module.occupies(position, index, juncture):
            return True
    return False


def place_village(position: Position, player: Player, juncture: int, spared: int = OUTSIDE) -> None:
    """MIG-04, MIG-05: three Camps come home, and Food above the lower limit is lost.

    On the hex `spared` a piece of a module stands in for the Camp.
    """
    camps = player.camps
    for hex_ in JUNCTURES[juncture]:
        if hex_ != spared:
            camps = without(camps, hex_)
    player.camps = camps
    lost = player.food - food_limit(player)
    if lost > 0:
        player.food -= lost
        emit(position, events.FOOD_PAID, player.seat, lost, 1)
    player.villages = with_piece(player.villages, juncture)
    stood_in = 0 if spared == OUTSIDE else 1 + spared
    emit(position, events.VILLAGE_PLACED, player.seat, juncture, stood_in)
    for index, module in enumerate(position.modules):
        module.village_placed(position, index, player.seat, juncture)


def influence(player: Player) -> list[int]:
    """MIG-06: 1 per Camp on its hex, 2 per Village on each of its three hexes."""
    found = [0] * (HEXES + 1)  # the last is OUTSIDE, where nobody competes
    for hex_ in player.camps:
        found[hex_] += 1
    for juncture in player.villages:
        for hex_ in JUNCTURES[juncture]:
            found[hex_] += 2
    return found


def influences(position: Position) -> list[list[int]]:
    """All Influence, by seat and then by hex: that of Camps, Villages and modules."""
    found: list[list[int]] = []
    for player in position.players:
        own = influence(player)
        for index, module in enumerate(position.modules):
            module.add_influence(position, index, player.seat, own)
        found.append(own)
    return found


def holds(position: Position, player: Player, ability: Ability) -> bool:
    """ICO-02: whether the condition on the left of a trigger icon is met."""
    return not ability.when or counted(position, player, ability.when) >= ability.amount


def counted(position: Position, player: Player, when: int) -> int:
    """ICO-02: how many there are of what a condition looks at."""
    if when == SAME_ANIMALS:
        wild = 0
        most = 0
        for animal in distinct(player.animals):
            number = player.animals.count(animal)
            if position.tables.animals[animal].wild:
                wild += number
            elif number > most:
                most = number
        return most + wild if most else 0
    if when == DIFFERENT_ANIMALS:
        return len(distinct(player.animals))
    if when == WILD_ANIMALS:
        number = 0
        for animal in player.animals:
            if position.tables.animals[animal].wild:
                number += 1
        return number
    if when == CAMPS_PLACED:
        return len(player.camps)
    if when == VILLAGES_PLACED:
        return len(player.villages)
    if when == CARDS_BURIED:
        return len(player.buried)
    if when == STONES_TAKEN:
        return len(player.stones)
    return MEGALITHS - player.megaliths
