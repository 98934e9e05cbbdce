"""Where a module, an expansion or a kind of seat plugs into the base game.

A module is one object without state of its own: what it has on the table is bytes in
`position.module_state[index]`. The base code calls these named points and knows no module; a
module that needs another point adds it here, with a body that does nothing.

A module brings its own words: icons of a pool, verbs of options and kinds of events with numbers
from FIRST_OF_MODULES on, ten in a row for each module that nobody else uses, so that no list of the
base game grows with it. The base code passes over modules where there are
none: a game without any pays for none of these points.

A kind of seat is how the one who sits there takes part: a person (person.py), or an opponent that
follows a procedure. The base code asks `position.kinds[seat]` wherever kinds differ.
"""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from endless_winter.rules.config import Config, ModuleRules
    from endless_winter.rules.offers import Offer
    from endless_winter.rules.reading import Json, Reader
    from endless_winter.rules.state import Frame, Position
    from endless_winter.rules.tables import Tables

# Why a seat that follows a procedure takes a step: a code and two numbers (nomad/grounds.py).
Ground = tuple[int, int, int]

FIRST_OF_MODULES: Final = 100  # icons, verbs and kinds of events from here on are modules' own
NOWHERE: Final = -1


class Module:
    """The named points. Each method of this class is "nothing happens"."""

    name: str = ""
    # Whether it lays out a Terrain board of its own, without the Base tile.
    own_terrain: bool = False
    # Whether there is more to agree on than that it is played (config.ModuleRules).
    own_rules: bool = False

    # --- its words ---

    def icon_names(self) -> dict[int, str]:
        """The icons that only this module gives, with their names."""
        return {}

    def printed_icons(self) -> tuple[int, ...]:
        """Those of them that can be printed on cards, so that effects in a pack may use them."""
        return ()

    def event_names(self) -> dict[int, str]:
        """The kinds of events that only this module brings."""
        return {}

    def category_names(self) -> dict[int, str]:
        """The categories of points that only this module brings: number and name in the contract.

        A module without one scores as `events.BY_MODULE`.
        """
        return {}

    def source_kinds(self) -> dict[int, tuple[str, int]]:
        """Its kinds of sources (sources.py): the word of each, and the category of its points."""
        return {}

    def source_names(self, tables: "Tables") -> dict[int, list[str]]:
        """What can be the source of each of these kinds, by its number."""
        return {}

    def words(self) -> dict[int, tuple[str, tuple[int, ...]]]:
        """Its verbs: the word of each and how its arguments are written (notation.py)."""
        return {}

    # --- what is agreed, and set-up ---

    def read_rules(self, reader: "Reader") -> "ModuleRules":
        """Its own rules from a written position, as `ModuleRules.written` gives them."""
        raise NotImplementedError

    def refusal(self, config: "Config") -> str:
        """Why no such game can be played with the module; empty: it can."""
        return ""

    def components(self, position: "Position", index: int) -> None:
        """Say which Tribe decks and Animal cards are in play."""

    def take_seats(self, position: "Position", index: int) -> None:
        """Say in `position.kinds` which seats are of the module's own kind."""

    def decks_made(self, position: "Position", index: int) -> None:
        """Turn order, Terrain and shuffled decks are there; nothing is dealt, nobody has chosen."""

    def laid_out(self, position: "Position", index: int) -> None:
        """Chiefs and Setup cards are about to be chosen; what is chosen before goes on top."""

    def set_up(self, position: "Position", index: int) -> None:
        """The last step of set-up, all boards being laid out."""

    # --- Camps and Villages ---

    def camp_home(self, position: "Position", index: int) -> int:
        """Where new Camps go if not onto the Base tile."""
        return NOWHERE

    def camp_entered(self, position: "Position", index: int, hex_: int) -> None:
        """A Camp was moved onto a hex, for good or on its way."""

    def inner_camps_relocated(self, position: "Position", index: int, seat: int) -> None:
        """The Nomad's two inner Camps went where a Map card shows (NMD-12)."""

    def village_placed(self, position: "Position", index: int, seat: int, juncture: int) -> None:
        """A Village was placed; what it brings goes onto the agenda."""

    def add_influence(self, position: "Position", index: int, seat: int, found: list[int]) -> None:
        """What gives the seat Influence besides Camps and Villages, hex by hex."""

    def add_rivals(self, position: "Position", index: int, most: list[int]) -> None:
        """Raise the Influence to reach where something competes that is no seat (ECL-03c)."""

    def benefit_times(self, position: "Position", index: int, hex_: int) -> int:
        """How many times a hex gives its benefit (ECL-03c)."""
        return 1

    def occupies(self, position: "Position", index: int, juncture: int) -> bool:
        """Whether a piece of the module stands on the juncture."""
        return False

    def stands_in(self, position: "Position", index: int, seat: int) -> bytes:
        """Hexes where a piece of the module would count as a Camp when the seat, following a
        procedure, builds next (NMD-11).
        """
        return b""

    def settling(self, position: "Position", index: int, seat: int, juncture: int) -> None:
        """A seat that follows a procedure is about to build there, or to roam (NMD-11)."""

    # --- gaining benefits ---

    def icon_possible(
        self, position: "Position", index: int, seat: int, icon: int, amount: int
    ) -> bool:
        """Whether the module makes something of an icon that else would bring nothing."""
        return False

    def icon_options(
        self,
        position: "Position",
        index: int,
        seat: int,
        icon: int,
        amount: int,
        source: int,
        found: list[int],
    ) -> None:
        """Ways to take one unit of an icon: of its own ones, or besides those of the base game.

        Of the base game's icons MOVE, CAMP and VILLAGE are asked for.
        """

    def taken_like(self) -> dict[int, int]:
        """Its icons that are taken by the options of an icon of the base game, with that icon.

        No pool holds both.
        """
        return {}

    def other_moves(
        self, position: "Position", index: int, seat: int, source: int, found: list[int]
    ) -> None:
        """What a Camp move may move instead of a Camp."""

    def icon_waits(self, icon: int) -> bool:
        """Whether one of its icons is taken without a question as soon as nothing else asks."""
        return False

    def take_waiting(
        self, position: "Position", index: int, seat: int, icon: int, amount: int
    ) -> None:
        """Take such an icon."""

    def mandated(self, position: "Position", index: int, seat: int, icon: int, amount: int) -> int:
        """The one option by which a seat that follows a procedure takes one of its icons."""
        return 0

    def grounds(
        self,
        position: "Position",
        index: int,
        seat: int,
        where: int,
        due: int,
        amount: int,
        code: int,
    ) -> list[Ground]:
        """What the module adds to the reasons for such a step: an icon and its amount that are due
        from a source, and the option that comes of it. Codes are its own, from FIRST_OF_MODULES on.
        """
        return []

    def takes(self, position: "Position", index: int, code: int) -> tuple[int, int]:
        """What one of its options takes from a pool: an icon and how many units of it."""
        return (0, 0)

    def perform(self, position: "Position", index: int, seat: int, code: int) -> bool:
        """Carry out an option that takes from a pool if it is the module's own."""
        return False

    # --- the round ---

    def held_cards(self, position: "Position", index: int) -> bytes:
        """The Culture cards that are in the module's keeping."""
        return b""

    def rest_begun(self, position: "Position", index: int, seat: int) -> None:
        """A figure was placed on the Rest space; nothing of Rest has happened yet."""

    def act_options(self, position: "Position", index: int, seat: int, found: list[int]) -> None:
        """What the module adds to the list of step 2."""

    def act_offers(self, position: "Position", index: int, seat: int, found: "list[Offer]") -> None:
        """The same for who asks why not: its actions, open or closed, with cost and obstacles."""

    def act(self, position: "Position", index: int, seat: int, code: int) -> bool:
        """Carry out an option of step 2 if it is the module's own."""
        return False

    def turn_ended(self, position: "Position", index: int, seat: int) -> None:
        """Step 3 of a turn is over."""

    def eclipse_turn_ended(self, position: "Position", index: int, seat: int) -> None:
        """All steps of the seat's Eclipse turn are over (ECL-03)."""

    def prepared(self, position: "Position", index: int) -> None:
        """The end of the Preparation phase."""

    # --- decisions of its own, and its part of a written position ---

    def write_state(self, position: "Position", index: int) -> "Json":
        """Its state as JSON values that a person can read and write; only asked if it has any."""
        raise NotImplementedError

    def read_state(self, position: "Position", index: int, reader: "Reader") -> bytes:
        """The same back. What no table could show is left to `check`, which knows all of it."""
        return b""

    def options(self, position: "Position", index: int, seat: int, pieces: bytes) -> list[int]:
        """The options of a decision that the module has put on the agenda.

        Its record is (MODULE, seat, index, pieces).
        """
        return []

    def choose(self, position: "Position", index: int, seat: int, pieces: bytes, code: int) -> None:
        """Carry out one of them; its record has left the agenda."""

    def check_record(self, position: "Position", index: int, seat: int, pieces: bytes) -> str:
        """What is wrong with a record of the module in a written position; empty: nothing."""
        return "pieces: none expected" if pieces else ""

    def check_set_up(self, position: "Position", index: int) -> str:
        """What is wrong with the module's state while Chiefs and Setup cards are still chosen."""
        state = position.module_state[index]
        return f"module_state.{self.name}: none before set-up is over" if state else ""

    def check(self, position: "Position", index: int) -> str:
        """What is wrong with the module's state in a written position; empty: nothing."""
        return ""


class SeatKind:
    """How a seat takes part in what every seat takes part in."""

    name: str = ""
    # Whether it has a Chief, a Setup card and a deck, and may look at its cards (SET-05 .. SET-07).
    owns_cards: bool = True
    # Whether another seat's benefit can move its Camps; a module asks.
    camps_yield: bool = True
    # Whether it chooses by places (SOL-10): equal cards on different places are not the same.
    goes_by_places: bool = False

    def prepare_seat(self, position: "Position", seat: int) -> None:
        """Its Camps and cards at the start; Food, Tools and Animals of a Setup card are there."""

    def honor_start(self, position: "Position") -> int:
        """The level of the Honor track where its marker starts, without any points."""
        return 0

    def begin_turn(self, position: "Position", seat: int) -> None:
        """Put its turn onto the agenda."""

    def gain(self, position: "Position", seat: int, pool: bytes, where: int) -> None:
        """Put a pool of benefits onto the agenda, with its source (sources.py)."""

    def eclipse_labor(self, position: "Position", seat: int) -> int:
        """Its Labor for the new turn order, in halves; what was hidden is revealed (ECL-01)."""
        return 0

    def eclipse_terrain(self, position: "Position", seat: int) -> None:
        """Put its Terrain benefits onto the agenda (ECL-03c)."""

    def animal_points(self, position: "Position", seat: int) -> int:
        """Final points for its Animals."""
        return 0

    def turn_stage(self, frame: "Frame") -> int:
        """A record's part in its turn: 0 none, 1 before the figure, 2 after it, 3 at the end."""
        return 0

    def options(self, position: "Position", frame: "Frame") -> list[int]:
        """The options of a record that only this kind of seat has."""
        return []

    def choose(self, position: "Position", frame: "Frame", code: int) -> None:
        """Carry out one of them; the record is still on the agenda."""
