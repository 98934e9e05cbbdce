"""A position: everything that is on the table, as plain data.

Ints and immutable bytes only, apart from the few lists that `copy` copies by hand. What is
still to be resolved lies on the agenda, a stack of small records (see agenda.py), so that a
position can be copied, written and read in the middle of anything.

The classes have no `__init__`, so that `copy` makes an empty one and fills it, compiled or not.
"""

from endless_winter.rules.config import Config
from endless_winter.rules.hooks import Module, SeatKind
from endless_winter.rules.megaliths import Sites
from endless_winter.rules.points import NO_POINTS
from endless_winter.rules.tables import Tables
from endless_winter.rules.zones import EMPTY

# operation, seat, number, pieces: what they mean depends on the operation (agenda.py)
Frame = tuple[int, int, int, bytes]
# kind, seat, two public numbers, pieces that only the seat may see, the cause (events.py)
Event = tuple[int, int, int, int, bytes, int]


class Player:
    """One player's board, cards and pieces."""

    __slots__ = (
        "above",
        "animals",
        "buried",
        "camps",
        "chief",
        "deck",
        "discard",
        "figures",
        "food",
        "hand",
        "honor",
        "megaliths",
        "offering",
        "pile",
        "points",
        "score",
        "seat",
        "setup",
        "shuffles",
        "stones",
        "tipped",
        "tools",
        "villages",
    )

    seat: int
    food: int
    tools: int
    camps: bytes  # the hex of each placed Camp
    villages: bytes  # the juncture of each placed Village
    megaliths: int  # still on the board, the two neutral ones leave first (MEG-01)
    stones: bytes  # Sacred Stones in the order taken
    offering: int  # level on the track, 0: below its first space
    honor: int
    chief: int  # the chosen side
    setup: int  # the Setup card, once it is known
    figures: bytes  # where the Chief and the Tribe figures are, 0: home
    hand: bytes
    deck: bytes  # the top card first
    discard: bytes
    above: bytes  # played this turn
    pile: bytes  # the Eclipse pile
    buried: bytes
    animals: bytes  # upright
    tipped: bytes
    shuffles: int  # how often the discard pile became the deck
    score: int  # what the score marker shows (GLD-06)
    points: bytes  # the same by category, two bytes each (points.py)

    def copy(self) -> "Player":
        new = Player()
        new.seat = self.seat
        new.food = self.food
        new.tools = self.tools
        new.camps = self.camps
        new.villages = self.villages
        new.megaliths = self.megaliths
        new.stones = self.stones
        new.offering = self.offering
        new.honor = self.honor
        new.chief = self.chief
        new.setup = self.setup
        new.figures = self.figures
        new.hand = self.hand
        new.deck = self.deck
        new.discard = self.discard
        new.above = self.above
        new.pile = self.pile
        new.buried = self.buried
        new.animals = self.animals
        new.tipped = self.tipped
        new.shuffles = self.shuffles
        new.score = self.score
        new.points = self.points
        return new


class Position:
    """The table: shared boards and decks, the players, the turn under way, the agenda."""

    __slots__ = (
        "agenda",
        "animal_cards",
        "animals",
        "bottom_open",
        "cause",
        "chief_ready",
        "chiefs",
        "config",
        "culture",
        "cultures_played",
        "display",
        "events",
        "first",
        "fresh",
        "grounds",
        "honor_queue",
        "kinds",
        "labor",
        "megaliths",
        "module_state",
        "modules",
        "order",
        "over",
        "place",
        "players",
        "ready",
        "round",
        "seed",
        "setups",
        "sites",
        "stones",
        "section",
        "tables",
        "taken",
        "terrain",
        "tiles",
        "tribe_cards",
        "tribes",
        "turn",
    )

    config: Config
    tables: Tables
    sites: Sites
    seed: bytes
    players: list[Player]
    kinds: list[SeatKind]  # how each seat takes part
    agenda: list[Frame]
    events: list[Event] | None  # None: nobody listens
    cause: int  # the source of what happens now (sources.py); means nothing between choices
    over: bool
    round: int
    turn: int  # turns begun in this round
    order: bytes  # seats in turn order
    terrain: bytes  # the Terrain type of each hex
    tiles: bytes  # the Megalith tile in each slot of the layout
    megaliths: bytes  # who stands on each site: 0 nobody, 1 neutral, 2 + seat
    stones: list[bytes]  # in play, by Era, from the left (SET-02)
    tribe_cards: bytes  # the card of each Tribe deck
    tribes: bytes  # cards left in each Tribe deck
    culture: list[bytes]  # decks by Era, the top card first
    display: bytes  # 8 places, row by row
    animal_cards: bytes  # the type of every Animal card in play
    animals: bytes  # the deck, the top card first
    grounds: bytes  # 6 places, row by row
    honor_queue: bytes  # seats by when they came to their level, earliest first
    first: bytes  # 1 + seat of the first figure in column 1..4
    chiefs: bytes  # Chief cards on offer in a draft
    setups: bytes  # Setup cards on offer in a draft
    modules: list[Module]
    module_state: list[bytes]  # one entry per module, in its own coding
    # The turn under way.
    place: int  # where this turn's figure stands
    section: int  # 0 top, 1 middle taken, 2 bottom taken
    bottom_open: bool
    labor: int  # in halves
    chief_ready: int  # bit per ability of the Chief that can still be used (FIG-06)
    cultures_played: int
    ready: bytes  # (card, ability) pairs above the board, not yet used
    taken: int  # bit per Tribe type taken by INI-01
    fresh: bytes  # cards in hand that came by INI-01 this turn (LAB-06)

    def copy(self) -> "Position":
        new = Position()
        new.config = self.config
        new.tables = self.tables
        new.sites = self.sites
        new.seed = self.seed
        new.players = [player.copy() for player in self.players]
        new.kinds = self.kinds
        new.agenda = self.agenda[:]
        new.events = None  # a copy has no listener until it is given one
        new.cause = 0
        new.over = self.over
        new.round = self.round
        new.turn = self.turn
        new.order = self.order
        new.terrain = self.terrain
        new.tiles = self.tiles
        new.megaliths = self.megaliths
        new.stones = self.stones[:]
        new.tribe_cards = self.tribe_cards
        new.tribes = self.tribes
        new.culture = self.culture[:]
        new.display = self.display
        new.animal_cards = self.animal_cards
        new.animals = self.animals
        new.grounds = self.grounds
        new.honor_queue = self.honor_queue
        new.first = self.first
        new.chiefs = self.chiefs
        new.setups = self.setups
        new.modules = self.modules
        new.module_state = self.module_state[:]
        new.place = self.place
        new.section = self.section
        new.bottom_open = self.bottom_open
        new.labor = self.labor
        new.chief_ready = self.chief_ready
        new.cultures_played = self.cultures_played
        new.ready = self.ready
        new.taken = self.taken
        new.fresh = self.fresh
        return new


def new_player(seat: int) -> Player:
    new = Player()
    new.seat = seat
    new.food = 0
    new.tools = 0
    new.camps = b""
    new.villages = b""
    new.megaliths = 10
    new.stones = b""
    new.offering = 0
    new.honor = 0
    new.chief = EMPTY
    new.setup = EMPTY
    new.figures = b"\0\0\0"
    new.hand = b""
    new.deck = b""
    new.discard = b""
    new.above = b""
    new.pile = b""
    new.buried = b""
    new.animals = b""
    new.tipped = b""
    new.shuffles = 0
    new.score = 0
    new.points = NO_POINTS
    return new


def new_position(config: Config, sites: Sites, seed: bytes) -> Position:
    new = Position()
    new.config = config
    new.tables = config.tables
    new.sites = sites
    new.seed = seed
    new.players = [new_player(seat) for seat in range(config.players)]
    new.kinds = []
    new.agenda = []
    new.events = None
    new.cause = 0
    new.over = False
    new.round = 1
    new.turn = 0
    new.order = b""
    new.terrain = b""
    new.tiles = b""
    new.megaliths = b""
    new.stones = [b"", b""]
    new.tribe_cards = config.tables.tribe_cards
    new.tribes = b""
    new.culture = [b"", b""]
    new.display = b""
    new.animal_cards = config.tables.animal_copies
    new.animals = b""
    new.grounds = b""
    new.honor_queue = b""
    new.first = b"\0\0\0\0\0"
    new.chiefs = b""
    new.setups = b""
    new.modules = []
    new.module_state = []
    new.place = 0
    new.section = 0
    new.bottom_open = False
    new.labor = 0
    new.chief_ready = 0
    new.cultures_played = 0
    new.ready = b""
    new.taken = 0
    new.fresh = b""
    return new
