"""Set-up for 2 to 4 players, its two draft variants included."""

from hashlib import blake2b
from typing import Final

from endless_winter.rules import agenda, board, events, options
from endless_winter.rules.chance import keyed, shuffle, shuffle_with
from endless_winter.rules.events import emit
from endless_winter.rules.options import option
from endless_winter.rules.preparation import fill_display, fill_grounds
from endless_winter.rules.state import Player, Position
from endless_winter.rules.terrain import BASE, HEXES
from endless_winter.rules.zones import EMPTY, with_piece, without

STONES_PER_ERA: Final = (0, 0, 4, 6, 7)  # by player count (SET-02)
GLACIERS: Final = (0, 0, 6, 6, 3)  # by the player count that the Terrain is laid out for (SET-10)
GLACIER: Final = 1  # the Terrain type
TILES: Final = HEXES - 1

_STONE_STREAMS: Final = ("stones:1", "stones:2")
_CULTURE_STREAMS: Final = ("culture:1", "culture:2")  # SET-04


def lay_out(position: Position) -> None:
    """Everything that needs no choice; the choices go onto the agenda (SET-15, VAR-01, VAR-02)."""
    config = position.config
    tables = position.tables
    key = keyed(position.seed)
    players = config.players
    position.order = shuffle_with(key, "turn-order", 0, bytes(range(players)))  # SET-09
    _lay_terrain(position, key)
    position.tiles = shuffle_with(
        key, "megaliths", 0, bytes(range(len(tables.megalith_tiles)))
    )  # SET-12
    position.megaliths = bytes(len(position.sites.x))
    for era in (0, 1):
        dealt = shuffle_with(key, _STONE_STREAMS[era], 0, tables.era_stones[era])
        # SET-02: as they come, since each lies on a random place.
        position.stones[era] = dealt[: STONES_PER_ERA[players]]
        position.culture[era] = shuffle_with(key, _CULTURE_STREAMS[era], 0, tables.era_cards[era])
    for index, module in enumerate(position.modules):
        module.decks_made(position, index)
    position.display = bytes((EMPTY,)) * board.DISPLAY_PLACES
    fill_display(position, 0)
    position.tribes = bytes((tables.tribe_copies,)) * tables.tribe_types  # SET-03
    position.grounds = bytes((EMPTY,)) * board.GROUNDS_PLACES
    chiefs = shuffle_with(key, "chiefs", 0, bytes(range(len(tables.chiefs) // 2)))
    setups = shuffle_with(key, "setup-cards", 0, bytes(range(len(tables.setups))))
    position.agenda.append((agenda.ROUND, 0, 0, b""))
    position.agenda.append((agenda.DEAL, 0, 0, b""))
    seats = choosers(position)
    if config.setup_draft:
        position.setups = bytes(sorted(setups[: len(seats) + 1]))
        for seat in seats:  # the last in order chooses first: it lies on top
            position.agenda.append((agenda.CHOOSE_SETUP, seat, 0, b""))
    else:
        for seat in sorted(seats):
            position.players[seat].setup = setups[seat]
            emit(position, events.SETUP_CHOSEN, seat, setups[seat])
    for seat in seats[::-1]:
        if not config.chief_draft:
            # Until a side is chosen the card is known by its first side (SET-05).
            position.players[seat].chief = chiefs[seat] * 2
        position.agenda.append((agenda.CHOOSE_CHIEF, seat, int(config.chief_draft), b""))
    if config.chief_draft:
        position.chiefs = bytes(sorted(chiefs[: len(seats) + 1]))
    for index, module in enumerate(position.modules):
        module.laid_out(position, index)


def choosers(position: Position) -> list[int]:
    """The seats with a Chief and a Setup card, in turn order."""
    return [seat for seat in position.order if position.kinds[seat].owns_cards]


def _lay_terrain(position: Position, key: blake2b) -> None:
    """SET-10: one of each land type, the Glaciers, and random land up to 18."""
    tables = position.tables
    glaciers = GLACIERS[position.config.terrain_players]
    chosen = tables.one_of_each_land + bytes((GLACIER,)) * glaciers
    spare = shuffle_with(key, "terrain:spare", 0, tables.spare_lands)
    chosen += spare[: TILES - len(chosen)]
    position.terrain = bytes((BASE,)) + shuffle_with(key, "terrain", 0, bytes(sorted(chosen)))


def chief_options(position: Position, player: Player, draft: int) -> list[int]:
    cards = position.chiefs if draft else bytes((player.chief // 2,))
    return [option(options.CHIEF, 2 * card + side) for card in cards for side in (0, 1)]


def choose_chief(position: Position, player: Player, draft: int, side: int) -> None:
    player.chief = side
    if draft:
        position.chiefs = without(position.chiefs, side // 2)
    emit(position, events.CHIEF_CHOSEN, player.seat, side)


def setup_options(position: Position) -> list[int]:
    return [option(options.SETUP, card) for card in position.setups]


def choose_setup(position: Position, player: Player, card: int) -> None:
    player.setup = card
    position.setups = without(position.setups, card)
    emit(position, events.SETUP_CHOSEN, player.seat, card)


def deal(position: Position) -> None:
    """The rest of the set-up, every player's Chief and Setup card being known."""
    tables = position.tables
    seed = position.seed
    position.chiefs = b""
    position.setups = b""
    # All copies are told apart, shuffled, and the set-up Animals' copies are taken out by their
    # number: the rest is as random as if it were shuffled alone, and nobody's draft reorders it.
    types = position.animal_cards
    copies = shuffle(seed, "animals", 0, bytes(range(len(types))))
    for player in position.players:
        if player.setup != EMPTY:  # SET-06
            card = tables.setups[player.setup]
            for animal in card.animals:
                copy = types.index(animal)
                while copy not in copies:
                    copy += 1
                copies = without(copies, copy)
                player.animals = with_piece(player.animals, animal)
            player.food = card.food
            player.tools = card.tools
        position.kinds[player.seat].prepare_seat(position, player.seat)
    position.animals = bytes(types[copy] for copy in copies)
    fill_grounds(position)
    for place, seat in enumerate(position.order):
        player = position.players[seat]
        player.food += 1 if place in (1, 3) else 0  # SET-09
        player.tools += 1 if place in (2, 3) else 0
        player.food = min(player.food, board.food_limit(player))
        player.tools = min(player.tools, board.MAX_TOOLS)
    for index, module in enumerate(position.modules):
        module.set_up(position, index)
    emit(position, events.GAME_BEGAN, 0)
