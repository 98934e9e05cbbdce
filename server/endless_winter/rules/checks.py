"""Whether a table could exist: piece counts, limits, and an agenda that makes sense."""

from endless_winter.rules import agenda, board
from endless_winter.rules.building import NEUTRAL, OWN
from endless_winter.rules.chance import SEED_BYTES
from endless_winter.rules.icons import HUNT, REST
from endless_winter.rules.megaliths import BOARD_SITES, TILES
from endless_winter.rules.state import Player, Position
from endless_winter.rules.terrain import BASE, HEXES, JUNCTURES
from endless_winter.rules.zones import EMPTY

LAST_ROUND = 4


def complaint(position: Position) -> str:
    """The first thing that is wrong with a position, in one line; empty: nothing."""
    return (
        _frame_of_game(position)
        or _boards(position)
        or _each_player(position)
        or _cards(position)
        or _animals(position)
        or _stones(position)
        or _megaliths(position)
        or _agenda(position)
        or _modules(position)
    )


def _dealt(position: Position) -> bool:
    """Whether set-up is over, so that all pieces are on the table."""
    return all(frame[0] != agenda.DEAL for frame in position.agenda)


def _frame_of_game(position: Position) -> str:
    players = len(position.players)
    if len(position.seed) != SEED_BYTES:
        return f"seed: {SEED_BYTES} bytes expected, {len(position.seed)} given"
    if not 1 <= position.round <= LAST_ROUND:
        return f"round: 1 to {LAST_ROUND} expected, {position.round} given"
    if position.turn > 3 * players:
        return f"turn: at most {3 * players} turns in a round, {position.turn} given"
    if sorted(position.order) != list(range(players)):
        return "order: each seat once expected"
    on_track = sorted(player.seat for player in position.players if player.honor)
    if sorted(position.honor_queue) != on_track:
        return "honor_queue: exactly the seats on the Honor track, once each, expected"
    return ""


def _boards(position: Position) -> str:
    tables = position.tables
    if len(position.terrain) != HEXES or position.terrain[BASE] != BASE:
        return f"terrain: {HEXES} hexes expected, the Base first"
    for kind, terrain in enumerate(tables.terrains):
        if position.terrain.count(kind) > terrain.copies:
            return f"terrain: more than {terrain.copies} tiles of {terrain.name}"
    if sorted(position.tiles) != list(range(TILES)):
        return "megalith_tiles: each of the four tiles once expected"
    if len(position.display) != board.DISPLAY_PLACES:
        return f"display: {board.DISPLAY_PLACES} places expected"
    if len(position.grounds) != board.GROUNDS_PLACES:
        return f"grounds: {board.GROUNDS_PLACES} places expected"
    if len(position.first) != HUNT + 1 or position.first[0]:
        return "first_figures: 0 and four columns expected"
    if any(first > len(position.players) for first in position.first):
        return "first_figures: a seat that does not exist"
    if len(position.culture) != 2 or len(position.stones) != 2:
        return "culture, stones: two Eras expected"
    if len(position.tribes) != tables.tribe_types:
        return f"tribes: {tables.tribe_types} Tribe decks expected"
    return ""


def _each_player(position: Position) -> str:
    for player in position.players:
        wrong = _player(position, player)
        if wrong:
            return f"players[{player.seat}].{wrong}"
    taken: set[int] = set()
    for player in position.players:
        for juncture in player.villages:
            if juncture in taken:
                return f"players[{player.seat}].villages: two Villages on juncture {juncture}"
            taken.add(juncture)
    placed = 0
    for player in position.players:
        placed += 3 - player.figures.count(0)
    choosing = any(frame[0] == agenda.TURN for frame in position.agenda)
    if placed != position.turn - (1 if choosing else 0):
        return f"figures: {placed} placed, but {position.turn} turns have begun"
    return ""


def _player(position: Position, player: Player) -> str:
    tables = position.tables
    if len(player.camps) > board.CAMPS:
        return f"camps: at most {board.CAMPS}"
    if len(player.villages) > board.VILLAGES:
        return f"villages: at most {board.VILLAGES}"
    if any(JUNCTURES[juncture][0] == BASE for juncture in player.villages):
        return "villages: none beside the Base"
    if player.food > board.food_limit(player):
        return f"food: at most {board.food_limit(player)} with {len(player.camps)} Camps placed"
    if player.tools > board.MAX_TOOLS:
        return f"tools: at most {board.MAX_TOOLS}"
    if player.offering > len(tables.offering):
        return f"offering: at most {len(tables.offering)}"
    if player.honor > len(tables.honor):
        return f"honor: at most {len(tables.honor)}"
    if len(player.stones) > board.MAX_STONES:
        return f"stones: at most {board.MAX_STONES}"
    if len(player.figures) != 3 or any(p and not (p <= HUNT or p == REST) for p in player.figures):
        return "figures: a place for the Chief and for two Tribe figures expected"
    if _dealt(position) and (player.chief == EMPTY or player.setup == EMPTY):
        return "chief, setup: both are known once set-up is over"
    for card in player.pile + player.above + position.fresh:
        if card >= len(tables.cards):
            return "pile, above: no such card"
    return ""


def _zones(player: Player) -> bytes:
    return player.hand + player.deck + player.discard + player.above + player.pile + player.buried


def _cards(position: Position) -> str:
    tables = position.tables
    everything = b"".join(_zones(player) for player in position.players)
    for card in range(tables.tribe_types):
        found = position.tribes[card] + everything.count(card)
        if found != tables.tribe_copies:
            return f"cards: {found} of {tables.cards[card].name}, {tables.tribe_copies} expected"
    for player in position.players:
        own = _zones(player)
        for card in range(tables.tribe_types, len(tables.cards)):
            if tables.cards[card].era:
                continue
            expected = tables.starting.count(card) if _dealt(position) else 0
            if own.count(card) != expected:
                return (
                    f"players[{player.seat}]: {own.count(card)} of {tables.cards[card].name} "
                    f"in all zones, {expected} expected"
                )
    everything += position.display + position.culture[0] + position.culture[1]
    for card in range(tables.tribe_types, len(tables.cards)):
        if tables.cards[card].era and everything.count(card) > 1:
            return f"cards: {tables.cards[card].name} exists once only"
    for era in (0, 1):
        if any(tables.cards[card].era != era + 1 for card in position.culture[era]):
            return f"culture: a card in the deck of Era {era + 1} that is not of that Era"
    for card in position.display:
        if card != EMPTY and not tables.cards[card].era:
            return f"display: {tables.cards[card].name} is no Culture card"
    return ""


def _animals(position: Position) -> str:
    everything = position.animals + position.grounds
    for player in position.players:
        everything += player.animals + player.tipped
    for number, animal in enumerate(position.tables.animals):
        expected = animal.copies if _dealt(position) else 0
        if everything.count(number) != expected:
            return f"animals: {everything.count(number)} of {animal.name}, {expected} expected"
    return ""


def _stones(position: Position) -> str:
    everything = position.stones[0] + position.stones[1]
    for player in position.players:
        everything += player.stones
    if len(set(everything)) != len(everything):
        return "stones: a Sacred Stone lies in two places"
    for era in (0, 1):
        if any(position.tables.stones[stone].era != era + 1 for stone in position.stones[era]):
            return f"stones: a stone among those of Era {era + 1} that is not of that Era"
    return ""


def _megaliths(position: Position) -> str:
    built = position.megaliths
    neutral = 0
    for player in position.players:
        placed = board.MEGALITHS - player.megaliths
        if placed < 0:
            return f"players[{player.seat}].megaliths: at most {board.MEGALITHS}"
        neutral += min(placed, board.NEUTRAL_MEGALITHS)
        coloured = max(placed - board.NEUTRAL_MEGALITHS, 0)
        if built.count(OWN + player.seat) != coloured:
            return (
                f"megaliths: {built.count(OWN + player.seat)} of seat {player.seat} on the board, "
                f"{coloured} have left its supply"
            )
    if built.count(NEUTRAL) != neutral:
        return f"megaliths: {built.count(NEUTRAL)} neutral ones on the board, {neutral} expected"
    for site in range(BOARD_SITES, len(built)):
        if built[site] == NEUTRAL:
            return "megaliths: a neutral one on a higher level"
        if built[site] and not all(built[below] for below in position.sites.below[site]):
            return "megaliths: a stacked one without four below it"
    return ""


def _agenda(position: Position) -> str:
    if position.over:
        return "agenda: must be empty when the game is over" if position.agenda else ""
    if not position.agenda or position.agenda[0][0] != agenda.ROUND:
        return 'agenda: it starts with "round"'
    for at, frame in enumerate(position.agenda):
        operation, seat, number, pieces = frame
        if seat >= len(position.players):
            return f"agenda[{at}].seat: no such seat"
        if operation == agenda.GAIN and (len(pieces) % 2 or 0 in pieces[::2]):
            return f"agenda[{at}].pool: pairs of icon and amount expected"
        if operation == agenda.MODULE and number >= len(position.modules):
            return f"agenda[{at}].number: no such module"
        if operation == agenda.ECLIPSE and number >> 3 >= len(position.players):
            return f"agenda[{at}].number: no such place in the turn order"
        if operation == agenda.PAY_DISCARD and not 1 <= number <= len(position.players[seat].hand):
            return f"agenda[{at}].number: more cards to discard than in hand"
        if operation == 0 or (at and operation == agenda.ROUND):
            return f"agenda[{at}].do: not possible here"
    return ""


def _modules(position: Position) -> str:
    if len(position.module_state) != len(position.modules):
        return f"module_state: {len(position.modules)} entries expected"
    if not _dealt(position):
        return ""
    for index, module in enumerate(position.modules):
        wrong = module.check(position, index)
        if wrong:
            return wrong
    return ""
