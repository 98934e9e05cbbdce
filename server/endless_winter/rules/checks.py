"""Whether a table could exist: piece counts, limits, and an agenda that makes sense."""

from endless_winter.rules import agenda, board
from endless_winter.rules.building import NEUTRAL, OWN, space_at
from endless_winter.rules.chance import SEED_BYTES
from endless_winter.rules.eclipse import STEPS as ECLIPSE_STEPS
from endless_winter.rules.events import BY_HONOR, CATEGORY_NAMES
from endless_winter.rules.icons import HUNT, REST
from endless_winter.rules.idols import honor_earned
from endless_winter.rules.megaliths import BOARD_SITES, TILES
from endless_winter.rules.nomad.records import nomad_complaint
from endless_winter.rules.points import points_of
from endless_winter.rules.setup import STONES_PER_ERA, choosers
from endless_winter.rules.state import Frame, Player, Position
from endless_winter.rules.terrain import BASE, HEXES, OUTSIDE
from endless_winter.rules.zones import EMPTY

LAST_ROUND = 4
LAST_ROUND_OF_ERA_I = 2

# What a record is to the turn under way (SeatKind.turn_stage).
CHOOSING = 1
PLACED = 2


def complaint(position: Position) -> str:
    """The first thing that is wrong with a position, in one line; empty: nothing."""
    return (
        _frame_of_game(position)
        or _boards(position)
        or _each_player(position)
        or _cards(position)
        or _animals(position)
        or _stones(position)
        or _eras(position)
        or _megaliths(position)
        or _agenda(position)
        or _turn(position)
        or _set_up(position)
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
    own_terrain = any(module.own_terrain for module in position.modules)
    if len(position.terrain) != HEXES or (position.terrain[BASE] == BASE) == own_terrain:
        base = "no Base" if own_terrain else "the Base first"
        return f"terrain: {HEXES} hexes expected, {base}"
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
    for column in range(1, HUNT + 1):
        seats = [1 + p.seat for p in position.players if column in p.figures]
        first = position.first[column]
        if first not in (seats or [0]):
            return (
                f"first_figures[{column}]: 1 + a seat with a figure in that column, or 0, expected"
            )
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
    return _dealt_cards(position) or _figures(position)


def _dealt_cards(position: Position) -> str:
    """A Chief card has two sides and one owner; a Setup card is one, too (SET-05, SET-06)."""
    chiefs: dict[int, int] = {}
    setups: dict[int, int] = {}
    for player in position.players:
        chief = player.chief // 2
        if player.chief != EMPTY:
            if chief in chiefs:
                return f"players[{player.seat}].chief: seat {chiefs[chief]} has this Chief card"
            chiefs[chief] = player.seat
        if player.setup != EMPTY:
            if player.setup in setups:
                owner = setups[player.setup]
                return f"players[{player.seat}].setup: seat {owner} has this Setup card"
            setups[player.setup] = player.seat
    return ""


def _stage(position: Position, frame: Frame) -> int:
    return position.kinds[frame[1]].turn_stage(frame)


def _in_stage(position: Position, stage: int) -> bool:
    for frame in position.agenda:
        if frame[1] < len(position.kinds) and _stage(position, frame) == stage:
            return True
    return False


def _figures(position: Position) -> str:
    """FIG-01: one figure for each turn, but for the one in which it is still to be placed."""
    players = len(position.players)
    choosing = _in_stage(position, CHOOSING)
    for place, seat in enumerate(position.order):
        begun = (position.turn + players - 1 - place) // players
        if choosing and seat == _mover(position).seat:
            begun -= 1
        placed = 3 - position.players[seat].figures.count(0)
        if placed != begun:
            return f"players[{seat}].figures: {placed} placed, {begun} expected by the turn"
    return ""


def _player(position: Position, player: Player) -> str:
    tables = position.tables
    if len(player.camps) > board.CAMPS:
        return f"camps: at most {board.CAMPS}"
    if len(player.villages) > board.VILLAGES:
        return f"villages: at most {board.VILLAGES}"
    if OUTSIDE in player.camps and board.camp_home(position) != OUTSIDE:
        return "camps: none outside the board"
    if any(board.beside_base(position, juncture) for juncture in player.villages):
        return "villages: none beside the Base"
    if player.food > board.food_limit(player):
        return f"food: at most {board.food_limit(player)} with {len(player.camps)} Camps placed"
    if player.tools > board.MAX_TOOLS:
        return f"tools: at most {board.MAX_TOOLS}"
    if player.offering > len(tables.offering):
        return f"offering: at most {len(tables.offering)}"
    if player.honor > len(tables.honor):
        return f"honor: at most {len(tables.honor)}"
    earned = honor_earned(position, player)
    if points_of(player.points, BY_HONOR) != earned:
        name = CATEGORY_NAMES[BY_HONOR]
        return f"points.{name}: {earned} expected for level {player.honor} of the Honor track"
    if len(player.stones) > board.MAX_STONES:
        return f"stones: at most {board.MAX_STONES}"
    if len(player.figures) != 3 or any(p and not (p <= HUNT or p == REST) for p in player.figures):
        return "figures: a place for the Chief and for two Tribe figures expected"
    owns_cards = position.kinds[player.seat].owns_cards
    if owns_cards and _dealt(position) and (player.chief == EMPTY or player.setup == EMPTY):
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
    for deck, card in enumerate(position.tribe_cards):
        found = position.tribes[deck] + everything.count(card)
        if found != tables.tribe_copies:
            return f"cards: {found} of {tables.cards[card].name}, {tables.tribe_copies} expected"
    for player in position.players:
        own = _zones(player)
        for card in range(len(tables.cards)):
            if tables.cards[card].era or card in position.tribe_cards:
                continue
            has_them = _dealt(position) and position.kinds[player.seat].owns_cards
            expected = tables.starting.count(card) if has_them else 0
            if own.count(card) != expected:
                return (
                    f"players[{player.seat}]: {own.count(card)} of {tables.cards[card].name} "
                    f"in all zones, {expected} expected"
                )
    everything += position.display + position.culture[0] + position.culture[1]
    for index, module in enumerate(position.modules):
        everything += module.held_cards(position, index)
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
        expected = position.animal_cards.count(number) if _dealt(position) else 0
        if everything.count(number) != expected:
            return f"animals: {everything.count(number)} of {animal.name}, {expected} expected"
    return ""


def _stones(position: Position) -> str:
    everything = position.stones[0] + position.stones[1]
    for player in position.players:
        everything += player.stones
    if len(set(everything)) != len(everything):
        return "stones: a Sacred Stone lies in two places"
    expected = 2 * STONES_PER_ERA[len(position.players)]
    if len(everything) != expected:
        return f"stones: {len(everything)} in all, {expected} expected (SET-02)"
    for era in (0, 1):
        if any(position.tables.stones[stone].era != era + 1 for stone in position.stones[era]):
            return f"stones: a stone among those of Era {era + 1} that is not of that Era"
    return ""


def _eras(position: Position) -> str:
    """Era II comes into play with round 3, and its Culture cards clear the display (PRP-04)."""
    era = 1 if position.round <= LAST_ROUND_OF_ERA_I else 2
    tables = position.tables
    for card in position.display:
        if card != EMPTY and tables.cards[card].era != era:
            return f"display: {tables.cards[card].name} is not of Era {era}, that of the round"
    if era == 2:
        return ""
    for player in position.players:
        for stone in player.stones:
            if tables.stones[stone].era == 2:
                return f"players[{player.seat}].stones: {tables.stones[stone].name} is of Era II"
        if not position.kinds[player.seat].owns_cards:
            continue  # the Nomad buries what it has never seen, of both Eras
        for card in _zones(player):
            if tables.cards[card].era == 2:
                return f"players[{player.seat}]: {tables.cards[card].name} is of Era II"
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
    return _starts(position)


def _starts(position: Position) -> str:
    """MEG-02: all spread from grey starting spaces, which are for neutral ones."""
    built = position.megaliths
    sites = position.sites
    grey = [site for site in range(BOARD_SITES) if built[site] and space_at(position, site).grey]
    for site in grey:
        if built[site] != NEUTRAL:
            return (
                f"megaliths: x {sites.x[site]}, y {sites.y[site]}: "
                "a coloured one on a grey starting space"
            )
    reached = set(grey)
    while grey:
        for near in sites.neighbours[grey.pop()]:
            if built[near] and near not in reached:
                reached.add(near)
                grey.append(near)
    for site in range(BOARD_SITES):
        if built[site] and site not in reached:
            return (
                f"megaliths: x {sites.x[site]}, y {sites.y[site]}: "
                "no row of Megaliths leads there from a grey starting space"
            )
    return ""


def _mover(position: Position) -> Player:
    """Whose turn it is, or was last."""
    return position.players[position.order[(position.turn - 1) % len(position.players)]]


def _turn(position: Position) -> str:
    hand = _mover(position).hand
    above = _mover(position).above
    for card in position.fresh:
        if position.fresh.count(card) > hand.count(card):
            return "turn_state.fresh: a card that is not in the hand of whose turn it is"
    for at in range(0, len(position.ready), 2):
        card = position.ready[at]
        same = 0
        for other in range(0, len(position.ready), 2):
            if position.ready[other : other + 2] == position.ready[at : at + 2]:
                same += 1
        if same > above.count(card):
            return "turn_state.ready: an ability of a card that is not above the board"
    choosing = _in_stage(position, CHOOSING)
    placed = _in_stage(position, PLACED)
    acting = choosing or placed
    if not acting and (position.place or position.ready or position.fresh or position.labor):
        return "turn_state: place, ready, fresh and labor belong to a turn that is on the agenda"
    if not placed and (position.bottom_open or position.chief_ready):
        return "turn_state: bottom_open and chief_ready belong to a figure that is placed"
    if choosing and (position.place or position.section or position.ready or position.taken):
        return "turn_state: place, section, ready and taken come after placing a figure"
    if placed:
        wrong = _placed(position)
        if wrong:
            return wrong
    for player in position.players:
        if player.above and not (acting and player.seat == _mover(position).seat):
            return f"players[{player.seat}].above: only whose turn it is has cards there"
    return ""


def _placed(position: Position) -> str:
    """Step 2: where the figure stands, and what that allows."""
    mover = _mover(position)
    place = position.place
    if place not in mover.figures or not place:
        return "turn_state.place: where a figure of whose turn it is stands expected"
    first = place <= HUNT and position.first[place] == 1 + mover.seat
    if position.bottom_open and not (first and position.section < 2):
        return "turn_state.bottom_open: only for the first figure of the column, and once"
    if position.chief_ready and mover.figures[0] != place:
        return "turn_state.chief_ready: only in the turn of the Chief figure"
    chiefs = position.tables.chiefs
    if position.chief_ready and position.chief_ready >> len(chiefs[mover.chief].abilities):
        return "turn_state.chief_ready: no such ability of the Chief"
    return ""


def _agenda(position: Position) -> str:
    if position.over:
        if position.agenda:
            return "agenda: must be empty when the game is over"
        if position.round != LAST_ROUND or position.turn != 3 * len(position.players):
            return f"over: a game ends with the Eclipse phase of round {LAST_ROUND}"
        return ""
    if not position.agenda or position.agenda[0][0] != agenda.ROUND:
        return 'agenda: it starts with "round"'
    for at, frame in enumerate(position.agenda):
        wrong = _record(position, frame, at)
        if wrong:
            return f"agenda[{at}].{wrong}"
    deals = [at for at, frame in enumerate(position.agenda) if frame[0] == agenda.DEAL]
    if deals not in ([], [1]):
        return 'agenda: "deal" comes right after "round"'
    turns = [frame for frame in position.agenda if _stage(position, frame)]
    if len(turns) > 1:
        return "agenda: two turns at once"
    eclipses = [at for at, f in enumerate(position.agenda) if f[0] == agenda.ECLIPSE]
    if eclipses not in ([], [1]) or (eclipses and turns):
        return 'agenda: one "eclipse", right after "round" and beside no turn, expected'
    if turns and turns[0][1] != _mover(position).seat:
        return f"agenda: it is the turn of seat {_mover(position).seat}, not {turns[0][1]}"
    return ""


def _record(position: Position, frame: Frame, at: int) -> str:
    operation, seat, number, pieces = frame
    if seat >= len(position.players):
        return "seat: no such seat"
    player = position.players[seat]
    if operation == agenda.NONE or (at and operation == agenda.ROUND):
        return "do: not possible here"
    if operation == agenda.NOMAD or not position.kinds[seat].owns_cards:
        return _mandated(position, player, frame)
    if operation == agenda.GAIN:
        return _pool(position, player, pieces)
    if operation == agenda.MODULE:
        if number >= len(position.modules):
            return "number: no such module"
        return position.modules[number].check_record(position, number, seat, pieces)
    if operation == agenda.ECLIPSE and (
        number >> 3 >= len(position.players) or number & 7 > ECLIPSE_STEPS
    ):
        return "number: place in the turn order * 8 + step expected"
    if operation == agenda.PAY_DISCARD and not 1 <= number <= len(player.hand):
        return "number: more cards to discard than in hand"
    if operation == agenda.ABILITIES:
        card = position.tables.cards[number]
        if not card.era or any(ability >= len(card.abilities) for ability in pieces):
            return "unused: abilities of a Culture card expected"
    if operation == agenda.ECLIPSE_CARDS and any(
        pieces.count(card) > player.pile.count(card) for card in pieces
    ):
        return "cards: not in the Eclipse pile"
    return ""


def _mandated(position: Position, player: Player, frame: Frame) -> str:
    """Steps of a seat that follows a procedure, which has no other records of its own."""
    operation, _, number, pieces = frame
    if operation in (agenda.ROUND, agenda.ECLIPSE, agenda.DEAL):
        return ""
    if operation != agenda.NOMAD or position.kinds[player.seat].owns_cards:
        return "do: not possible for this seat"
    return nomad_complaint(position, player.seat, number, pieces)


def _pool(position: Position, player: Player, pool: bytes) -> str:
    if len(set(pool[::2])) * 2 != len(pool) or 0 in pool[::2]:
        return "pool: each icon once, with its amount, expected"
    for at in range(0, len(pool), 2):
        amount = pool[at + 1]
        if pool[at] == agenda.SCORE_STONES and not 0 < amount < 1 << len(player.stones):
            return "pool: score_stones wants a bit for each own stone that has not scored"
        if pool[at] == agenda.ADDITIONAL and not space_at(position, amount).grey:
            return "pool: additional wants a grey starting space"
    return ""


def _set_up(position: Position) -> str:
    """While Chiefs and Setup cards are chosen: who still chooses, and from what."""
    config = position.config
    choosing = {
        operation: [f for f in position.agenda if f[0] == operation]
        for operation in (agenda.CHOOSE_CHIEF, agenda.CHOOSE_SETUP)
    }
    if _dealt(position):
        if position.chiefs or position.setups or any(choosing.values()):
            return "chief_offer, setup_offer, agenda: nothing is chosen once set-up is over"
        return ""
    chiefs = choosing[agenda.CHOOSE_CHIEF]
    setups = choosing[agenda.CHOOSE_SETUP]
    order = choosers(position)
    if [frame[1] for frame in setups] != order[: len(setups)]:
        return "agenda: choose_setup in turn order expected, the last in order on top"
    if [frame[1] for frame in chiefs] != order[::-1][: len(chiefs)]:
        return "agenda: choose_chief against the turn order expected, the first in order on top"
    if any(bool(frame[2]) != config.chief_draft for frame in chiefs):
        return "agenda: choose_chief has number 1 in a draft, else 0"
    for name, frames, offer, draft, cards in (
        ("chief", chiefs, position.chiefs, config.chief_draft, len(position.tables.chiefs) // 2),
        ("setup", setups, position.setups, config.setup_draft, len(position.tables.setups)),
    ):
        seats = [frame[1] for frame in frames]
        if len(set(seats)) != len(seats):
            return f"agenda: a seat chooses its {name} twice"
        if len(set(offer)) != len(offer) or any(card >= cards for card in offer):
            return f"{name}_offer: different cards expected"
        if len(offer) != (len(seats) + 1 if draft else 0):
            return f"{name}_offer: one card more than seats that still choose expected"
    for seat in sorted(order):
        player = position.players[seat]
        waits_chief = any(frame[1] == player.seat for frame in chiefs)
        waits_setup = any(frame[1] == player.seat for frame in setups)
        if (player.chief == EMPTY) != (waits_chief and config.chief_draft):
            return f"players[{player.seat}].chief: known just if it is not to be drafted any more"
        if (player.setup == EMPTY) != waits_setup:
            return f"players[{player.seat}].setup: known just if it is not to be drafted any more"
        if player.chief != EMPTY and player.chief // 2 in position.chiefs:
            return f"players[{player.seat}].chief: still on offer"
        if player.setup != EMPTY and player.setup in position.setups:
            return f"players[{player.seat}].setup: still on offer"
    return ""


def _modules(position: Position) -> str:
    dealt = _dealt(position)
    for index, module in enumerate(position.modules):
        wrong = module.check(position, index) if dealt else module.check_set_up(position, index)
        if wrong:
            return wrong
    return ""
