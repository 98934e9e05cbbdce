"""A position: everything that is on the table, as plain data.

Ints and immutable bytes only, apart from the few lists that `copy` copies by hand. What is
still to be resolved lies on the agenda, a stack of small records (see agenda.py), so that a
position can be copied, written and read in the middle of anything.
"""

from endless_winter.rules.config import Config
from endless_winter.rules.hooks import Module
from endless_winter.rules.megaliths import Sites
from endless_winter.rules.tables import Tables
from endless_winter.rules.zones import EMPTY

# operation, seat, number, pieces: what they mean depends on the operation (agenda.py)
Frame = tuple[int, int, int, bytes]
# kind, seat, two public numbers, pieces that only the seat may see (events.py)
Event = tuple[int, int, int, int, bytes]


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
        "honor_points",
        "megalith_points",
        "megaliths",
        "offering",
        "other_points",
        "pile",
        "seat",
        "setup",
        "shuffles",
        "stone_points",
        "stones",
        "tipped",
        "tools",
        "villages",
    )

    def __init__(self, seat: int) -> None:
        self.seat: int = seat
        self.food: int = 0
        self.tools: int = 0
        self.camps: bytes = b""  # the hex of each placed Camp
        self.villages: bytes = b""  # the juncture of each placed Village
        self.megaliths: int = 10  # still on the board, the two neutral ones leave first (MEG-01)
        self.stones: bytes = b""  # Sacred Stones in the order taken
        self.offering: int = 0  # level on the track, 0: below its first space
        self.honor: int = 0
        self.chief: int = EMPTY  # the chosen side
        self.setup: int = EMPTY  # the Setup card, once it is known
        self.figures: bytes = b"\0\0\0"  # where the Chief and the Tribe figures are, 0: home
        self.hand: bytes = b""
        self.deck: bytes = b""  # the top card first
        self.discard: bytes = b""
        self.above: bytes = b""  # played this turn
        self.pile: bytes = b""  # the Eclipse pile
        self.buried: bytes = b""
        self.animals: bytes = b""  # upright
        self.tipped: bytes = b""
        self.shuffles: int = 0  # how often the discard pile became the deck
        # Immediate points by where they came from (GLD-06).
        self.megalith_points: int = 0
        self.honor_points: int = 0
        self.stone_points: int = 0
        self.other_points: int = 0

    def copy(self) -> "Player":
        new = Player.__new__(Player)
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
        new.megalith_points = self.megalith_points
        new.honor_points = self.honor_points
        new.stone_points = self.stone_points
        new.other_points = self.other_points
        return new


class Position:
    """The table: shared boards and decks, the players, the turn under way, the agenda."""

    __slots__ = (
        "agenda",
        "animals",
        "bottom_open",
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
        "tribes",
        "turn",
    )

    def __init__(self, config: Config, sites: Sites, seed: bytes) -> None:
        self.config: Config = config
        self.tables: Tables = config.tables
        self.sites: Sites = sites
        self.seed: bytes = seed
        self.players: list[Player] = [Player(seat) for seat in range(config.players)]
        self.agenda: list[Frame] = []
        self.events: list[Event] | None = None  # None: nobody listens
        self.over: bool = False
        self.round: int = 1
        self.turn: int = 0  # turns begun in this round
        self.order: bytes = b""  # seats in turn order
        self.terrain: bytes = b""  # the Terrain type of each hex
        self.tiles: bytes = b""  # the Megalith tile in each slot of the layout
        self.megaliths: bytes = b""  # who stands on each site: 0 nobody, 1 neutral, 2 + seat
        self.stones: list[bytes] = [b"", b""]  # in play, by Era
        self.tribes: bytes = b""  # cards left in each Tribe deck
        self.culture: list[bytes] = [b"", b""]  # decks by Era, the top card first
        self.display: bytes = b""  # 8 places, row by row
        self.animals: bytes = b""  # the deck, the top card first
        self.grounds: bytes = b""  # 6 places, row by row
        self.honor_queue: bytes = b""  # seats by when they came to their level, earliest first
        self.first: bytes = b"\0\0\0\0\0"  # 1 + seat of the first figure in column 1..4
        self.chiefs: bytes = b""  # Chief cards on offer in a draft
        self.setups: bytes = b""  # Setup cards on offer in a draft
        self.modules: list[Module] = []
        self.module_state: list[bytes] = []  # one entry per module, in its own coding
        # The turn under way.
        self.place: int = 0  # where this turn's figure stands
        self.section: int = 0  # 0 top, 1 middle taken, 2 bottom taken
        self.bottom_open: bool = False
        self.labor: int = 0  # in halves
        self.chief_ready: bool = False
        self.cultures_played: int = 0
        self.ready: bytes = b""  # (card, ability) pairs above the board, not yet used
        self.taken: int = 0  # bit per Tribe type taken by INI-01
        self.fresh: bytes = b""  # cards in hand that came by INI-01 this turn (LAB-06)

    def copy(self) -> "Position":
        new = Position.__new__(Position)
        new.config = self.config
        new.tables = self.tables
        new.sites = self.sites
        new.seed = self.seed
        new.players = [player.copy() for player in self.players]
        new.agenda = self.agenda[:]
        new.events = None  # a copy has no listener until it is given one
        new.over = self.over
        new.round = self.round
        new.turn = self.turn
        new.order = self.order
        new.terrain = self.terrain
        new.tiles = self.tiles
        new.megaliths = self.megaliths
        new.stones = self.stones[:]
        new.tribes = self.tribes
        new.culture = self.culture[:]
        new.display = self.display
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
