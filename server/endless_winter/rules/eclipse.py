"""The Eclipse phase: piles revealed, a new turn order, and each player's benefits."""

from typing import Final

from endless_winter.rules import agenda, board, events, gains, icons, options
from endless_winter.rules.events import emit
from endless_winter.rules.options import CARD, HEX, option, source
from endless_winter.rules.sources import BOARD as PLAYER_BOARD
from endless_winter.rules.sources import ECL_03
from endless_winter.rules.sources import TURN_ORDER as ORDER_PLACE
from endless_winter.rules.state import Player, Position
from endless_winter.rules.tables import Ability
from endless_winter.rules.terrain import HEXES
from endless_winter.rules.zones import distinct, merged, with_piece, without

LABOR_AT_REST: Final = 3  # halves: 1 1/2 (RST-03)

# The steps of a player's Eclipse turn (ECL-03).
TURN_ORDER: Final = 0
CARDS: Final = 1
TERRAIN: Final = 2
BOARD: Final = 3
STEPS: Final = 4


def begin(position: Position) -> None:
    """ECL-01, ECL-02."""
    emit(position, events.ECLIPSE_BEGAN, 0, position.round)
    labor = [0] * len(position.players)
    for seat, kind in enumerate(position.kinds):
        labor[seat] = kind.eclipse_labor(position, seat)
    later_first = position.order[::-1]
    # The sort is stable, so among equals whoever was later in this round comes first.
    position.order = bytes(sorted(later_first, key=lambda seat: -labor[seat]))
    for place, seat in enumerate(position.order):
        emit(position, events.ORDER_MADE, seat, place + 1)
    position.agenda.append((agenda.ECLIPSE, position.order[0], 0, b""))


def reveal_pile(position: Position, player: Player) -> int:
    """The Labor of figures at rest and Tribe cards; Culture cards return to hand."""
    cards = position.tables.cards
    labor = LABOR_AT_REST * player.figures.count(icons.REST)
    pile = b""
    for card in player.pile:
        emit(position, events.PILE_REVEALED, player.seat, card)
        if cards[card].era:
            player.hand = with_piece(player.hand, card)
        else:
            labor += cards[card].labor
            pile += bytes((card,))
    player.pile = pile
    emit(position, events.LABOR_COUNTED, player.seat, labor)
    return labor


def advance(position: Position, number: int) -> bool:
    """The next step of an Eclipse turn, or the next player's; False when all have had theirs."""
    place = number >> 3
    step = number & 7
    position.cause = ECL_03
    if step == STEPS:
        for index, module in enumerate(position.modules):
            module.eclipse_turn_ended(position, index, position.order[place])
        place += 1
        step = 0
        if place == len(position.order):
            return False
    seat = position.order[place]
    player = position.players[seat]
    position.agenda[-1] = (agenda.ECLIPSE, seat, place << 3 | step + 1, b"")
    if step == TURN_ORDER:
        emit(position, events.ECLIPSE_TURN_BEGAN, seat, place + 1)
        where = source(ORDER_PLACE, place + 1)
        board.push_gain(position, player, position.tables.turn_order[place], where)
    elif step == CARDS:
        cards = bytes(card for card in player.pile if eclipse_ability(position, card) is not None)
        if cards:
            position.agenda.append((agenda.ECLIPSE_CARDS, seat, 0, cards))
    elif step == TERRAIN:
        position.kinds[seat].eclipse_terrain(position, seat)
    else:
        board.push_gain(position, player, board_pool(position, player), source(PLAYER_BOARD, 0))
    return True


def end(position: Position) -> None:
    """ECL-05."""
    for player in position.players:
        if player.pile:
            player.discard = merged(player.discard, player.pile)
            player.pile = b""


def eclipse_ability(position: Position, card: int) -> Ability | None:
    for ability in position.tables.cards[card].abilities:
        if ability.where == icons.ECLIPSE:
            return ability
    return None


def board_pool(position: Position, player: Player) -> bytes:
    """ECL-04: Villages placed, emptied Megalith supply spaces, Sacred Stones."""
    amounts = [0] * (icons.FEAST + 1)
    village = position.tables.village_benefit
    for at in range(0, len(village), 2):
        amounts[village[at]] += village[at + 1] * len(player.villages)
    emptied = (board.MEGALITHS - player.megaliths) // 2  # two Megaliths to a space
    for space in range(emptied):
        supply = position.tables.supply[space]
        for at in range(0, len(supply), 2):
            amounts[supply[at]] += supply[at + 1]
    pool = b""
    for icon, amount in enumerate(amounts):
        if amount:
            pool += bytes((icon, amount))
    if player.stones:
        pool += bytes((agenda.SCORE_STONES, (1 << len(player.stones)) - 1))
    return pool


# --- the Eclipse abilities of the pile, card by card ---


def card_options(position: Position, player: Player, cards: bytes) -> list[int]:
    found: list[int] = []
    for card in distinct(cards):
        ability = eclipse_ability(position, card)
        assert ability is not None  # only such cards are on the record
        gains.ability_options(position, player, ability, source(CARD, card), found)
    if found:
        found.append(option(options.LEAVE))
    return found


def abilities_of(position: Position, cards: bytes) -> list[Ability]:
    """The Eclipse abilities of cards that all have one."""
    abilities: list[Ability] = []
    for card in cards:
        ability = eclipse_ability(position, card)
        assert ability is not None
        abilities.append(ability)
    return abilities


def resolve_cards(position: Position, player: Player, cards: bytes) -> bytes:
    """Use the abilities that need no question; the cards whose abilities remain."""
    left = cards
    abilities = abilities_of(position, cards)
    for number in gains.resolve_sources(position, player, abilities, CARD, list(cards)):
        left = without(left, cards[number])
    return left


def choose_card(position: Position, player: Player, cards: bytes, code: int) -> None:
    card = options.source_of(code) & 255
    position.cause = source(CARD, card)
    position.agenda[-1] = (agenda.ECLIPSE_CARDS, player.seat, 0, without(cards, card))
    ability = eclipse_ability(position, card)
    assert ability is not None
    number = position.tables.cards[card].abilities.index(ability)
    emit(position, events.ABILITY_USED, player.seat, card, number)
    gains.use(position, player, ability, code)


# --- Terrain, hex by hex ---


def leading_hexes(position: Position, player: Player, resolved: bytes) -> list[int]:
    """Hexes with a benefit where the player has the most Influence, or ties for it (ECL-03c)."""
    everybody = board.influences(position)
    own = everybody[player.seat]
    # Few hexes have a piece of the player: only these are compared.
    hexes = [hex_ for hex_ in range(HEXES) if own[hex_] and hex_ not in resolved]
    most = own[:]
    for other in everybody:
        for hex_ in hexes:
            most[hex_] = max(most[hex_], other[hex_])
    for index, module in enumerate(position.modules):
        module.add_rivals(position, index, most)
    terrains = position.tables.terrains
    return [
        hex_
        for hex_ in hexes
        if own[hex_] == most[hex_] and terrains[position.terrain[hex_]].ability.gains
    ]


def benefit_of(position: Position, hex_: int) -> Ability:
    ability = position.tables.terrains[position.terrain[hex_]].ability
    for index, module in enumerate(position.modules):
        times = module.benefit_times(position, index, hex_)
        if times > 1:
            ability = Ability(multiplied(ability.gains, times))
    return ability


def multiplied(pool: bytes, times: int) -> bytes:
    found = bytearray(pool)
    for at in range(1, len(pool), 2):
        found[at] *= times
    return bytes(found)


def resolve_terrain(position: Position, player: Player, resolved: bytes) -> bytes:
    """Resolve the hexes that need no question; the record of all resolved ones."""
    hexes = leading_hexes(position, player, resolved)
    abilities = [benefit_of(position, hex_) for hex_ in hexes]
    for number in gains.resolve_sources(position, player, abilities, HEX, hexes):
        resolved = with_piece(resolved, hexes[number])
    return resolved


def terrain_options(position: Position, player: Player, resolved: bytes) -> list[int]:
    found: list[int] = []
    for hex_ in leading_hexes(position, player, resolved):
        ability = benefit_of(position, hex_)
        gains.ability_options(position, player, ability, source(HEX, hex_), found)
    if found:
        found.append(option(options.LEAVE))
    return found


def choose_terrain(position: Position, player: Player, resolved: bytes, code: int) -> None:
    hex_ = options.source_of(code) & 255
    position.cause = source(HEX, hex_)
    position.agenda[-1] = (
        agenda.ECLIPSE_TERRAIN,
        player.seat,
        0,
        with_piece(resolved, hex_),
    )
    gains.use(position, player, benefit_of(position, hex_), code)
