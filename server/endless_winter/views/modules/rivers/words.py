"""The words of Rivers & Rafts: ids, icons, moves, labels and questions of its own.

Where the base game has a table of words, these are its rows for the expansion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import actions, options
from endless_winter.rules.rivers import area, codes
from endless_winter.rules.rivers.agreed import RIVERS
from endless_winter.rules.rivers.area import HEADWATERS
from endless_winter.rules.rivers.landmarks import terrain_of
from endless_winter.rules.rivers.module import SAILING
from endless_winter.rules.rivers.parts import parts_in
from endless_winter.rules.zones import EMPTY
from endless_winter.v1 import decision_pb2 as d
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import ids_pb2 as ids
from endless_winter.v1 import move_pb2 as m
from endless_winter.v1 import view_public_pb2 as v
from endless_winter.views import detail, phrases
from endless_winter.views.plugin import Asked

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.rules.actions import Action
    from endless_winter.rules.rivers.parts import RiverParts
    from endless_winter.rules.state import Position
    from endless_winter.rules.tables import Tables
    from endless_winter.views.words import Words

_LANDMARK_ICONS: Final = (codes.VOLCANO, codes.BUTTE, codes.ARCH, codes.MONOLITH, codes.TREE)
ICONS: Final[dict[int, enums.Icon.ValueType]] = {
    codes.FISH_ICON: enums.ICON_FISH,
    **dict.fromkeys(_LANDMARK_ICONS, enums.ICON_SCORE_LANDMARK),
}
# One of it, several of it.
PHRASES: Final[dict[int, tuple[str, str]]] = {
    codes.FISH_ICON: ("1 Fish", "{} Fish"),
    **{
        icon: (f"score the {name.title()}", f"score the {name.title()} {{}} times")
        for icon, name in codes.ICON_NAMES.items()
        if icon in _LANDMARK_ICONS
    },
}
NOMAD_ACTIONS: Final[dict[int, enums.NomadAction.ValueType]] = {
    codes.FISH_ICON: enums.NOMAD_ACTION_FISH,
    **dict.fromkeys(_LANDMARK_ICONS, enums.NOMAD_ACTION_SCORE_LANDMARK),
}
# By the first piece of a record on the agenda.
DECISIONS: Final[dict[int, Asked]] = {
    codes.RAISE_LANDMARK: Asked("RAF-04", "Which Landmark goes there?", d.DECISION_KIND_LANDMARK),
    codes.ATTACH_BASE: Asked(
        "RAF-06", "Where does your Starting Base go?", d.DECISION_KIND_STARTING_BASE
    ),
}
RULES: Final[dict[str, str]] = {
    "RAF-04": "Before Chiefs are chosen, the players put a Landmark onto each Landmark hex.",
    "RAF-06": (
        "As the last step of set-up, in reverse turn order, each player attaches a Starting Base "
        "outside the board: it touches two adjacent hexes and lies next to no other one."
    ),
}


class RiverWords:
    """The ids of its components, by the core's numbers."""

    __slots__ = ("fish", "landmarks", "tiles")

    def __init__(self, parts: RiverParts, terrains: int) -> None:
        self.tiles: list[str] = [tile.name for tile in parts.tiles]
        self.fish: list[str] = [fish.name for fish in parts.fish]
        # By Terrain type: the Landmark on such a hex, or nothing.
        self.landmarks: list[str] = [""] * terrains


def of_rivers(words: Words) -> RiverWords:
    own = words.of_modules[RIVERS]
    assert isinstance(own, RiverWords)
    return own


def add(words: Words, parts: RiverParts) -> None:
    """The ids of its components, and of its types of hexes behind those of the base game."""
    own = RiverWords(parts, len(words.terrains))
    words.of_modules[RIVERS] = own
    words.terrain_kinds[parts.river] = enums.TERRAIN_KIND_RIVER
    words.terrain_kinds[parts.bare] = enums.TERRAIN_KIND_LANDMARK
    for number, landmark in enumerate(parts.landmarks):
        terrain = parts.bare + 1 + number
        own.landmarks[terrain] = landmark.name
        words.hex_marks[terrain] = v.HexView(landmark_id=landmark.name)
        words.terrains[terrain] = words.terrains[parts.bare]
        words.terrain_kinds[terrain] = enums.TERRAIN_KIND_LANDMARK


# --- moves ---


def _raft_move(full: int) -> m.RaftMove:
    return m.RaftMove(from_river_place=options.a_of(full), to_river_place=options.b_of(full))


def _camp_at_raft(full: int) -> m.CampPlacement:
    return m.CampPlacement(site=ids.CampSite(hex=detail.number_of(full)))


def _village(full: int) -> m.VillageSite:
    return m.VillageSite(juncture=options.a_of(full), with_raft=True)


MOVES: Final[dict[int, Callable[[Words, int], m.Move]]] = {
    codes.RAISE: lambda words, full: m.Move(
        choose_landmark=m.LandmarkChoice(
            hex=options.a_of(full), landmark_id=of_rivers(words).landmarks[options.b_of(full)]
        )
    ),
    codes.ATTACH: lambda _, full: m.Move(
        place_starting_base=m.StartingBaseSite(
            first_hex=options.a_of(full), second_hex=options.b_of(full)
        )
    ),
    codes.SAIL: lambda _, full: m.Move(move_raft=_raft_move(full)),
    codes.PITCH_AT_RAFT: lambda _, full: m.Move(place_camp=_camp_at_raft(full)),
    codes.SETTLE_WITH_RAFT: lambda _, full: m.Move(build_village=_village(full)),
}
TARGETS: Final[dict[int, Callable[[Words, int], m.Target]]] = {
    codes.RAFT: lambda _, full: m.Target(raft_move=_raft_move(full)),
    codes.CAMP_AT_RAFT: lambda _, full: m.Target(camp_placement=_camp_at_raft(full)),
    codes.VILLAGE_WITH_RAFT: lambda _, full: m.Target(village=_village(full)),
}
# By its verbs of step 2: what they cost, and what is an action of its own.
ACTIONS: Final[dict[int, Action]] = {
    codes.SAIL: SAILING,
    codes.PITCH_AT_RAFT: actions.PITCH,
    codes.SETTLE_WITH_RAFT: actions.SETTLE,
}
OFFERS: Final[dict[int, tuple[d.TurnAction.ValueType, str]]] = {
    codes.SAIL: (d.TURN_ACTION_MOVE_RAFT, "move the Raft"),
}
TAKEN_PLAINLY: Final = (codes.FISH, codes.LANDMARK)


# --- what an option needs besides, and where a benefit comes from ---


def _goes_to(position: Position, _: int, code: int) -> int:
    """The hex a Raft goes to; EMPTY: the Headwaters or the Delta."""
    return area.hex_at(position, area.index_of(position), options.b_of(code))


def _stands_on(position: Position, seat: int, _: int) -> int:
    """The hex of the Raft that a Camp is placed at."""
    return area.raft_hex(position, area.index_of(position), seat)


NUMBERS: Final[dict[int, Callable[[Position, int, int], int]]] = {
    codes.RAFT: _goes_to,
    codes.SAIL: _goes_to,
    codes.CAMP_AT_RAFT: _stands_on,
    codes.PITCH_AT_RAFT: _stands_on,
}


def _landmark(words: Words, position: Position, icon: int) -> ids.Source:
    return ids.Source(landmark_id=of_rivers(words).landmarks[terrain_of(position, icon)])


SOURCES: Final[dict[int, Callable[[Words, Position, int], ids.Source]]] = dict.fromkeys(
    _LANDMARK_ICONS, _landmark
)


def _landmark_number(words: Words, number: int) -> ids.Source:
    parts = parts_in(words.tables)
    assert parts is not None  # else nobody scores one
    return ids.Source(landmark_id=of_rivers(words).landmarks[parts.bare + 1 + number])


# What people read, by the name of the category.
CATEGORIES: Final[dict[str, str]] = {
    "fish": "Fish",
    "landmarks": "Landmarks",
    "rafts": "Rafts",
}
CAUSES: Final[dict[int, Callable[[Words, int], ids.Source]]] = {
    codes.FISH_TOKEN: lambda words, number: ids.Source(token_id=of_rivers(words).fish[number]),
    codes.LANDMARK_HEX: _landmark_number,
    codes.RAFT_PIECE: lambda _, seat: ids.Source(raft_of_seat=seat),
}


# --- why the Nomad does something (SRF) ---


def _raft_first(_: Words, hex_: int, __: int) -> str:
    place = "the Delta" if hex_ == EMPTY else f"hex {hex_}"
    return f"Before that its Raft goes 1 downriver, to {place}"


def _flat_points(words: Words, terrain: int, points: int) -> str:
    title = words.tables.terrains[terrain].title
    return f"Any Landmark is worth {points} points to the Nomad, {title} too"


def _fish_gives(words: Words, number: int) -> str:
    parts = parts_in(words.tables)
    assert parts is not None  # else nobody draws one
    return f"The Fish {parts.fish[number].title}"


REASONS: Final[dict[int, tuple[str, Callable[[Words, int, int], str]]]] = {
    codes.RAFT_FIRST: ("SRF-01", _raft_first),
    codes.RAFT_AT_DELTA: ("SRF-01", lambda _, __, ___: "Its Raft stays at the Delta"),
    codes.RAFT_AS_CAMP: (
        "SRF-01",
        lambda _, hex_, __: f"On hex {hex_} its Raft is the Camp, and then goes home",
    ),
    codes.FISH_OF_HEX: ("SRF-02", lambda _, __, ___: "It draws Fish like a player"),
    codes.FLAT_POINTS: ("SRF-02", _flat_points),
}
GIVERS: Final[dict[int, tuple[str, Callable[[Words, int], str]]]] = {
    codes.FISH_TOKEN: ("SRF-02", _fish_gives)
}


# --- labels ---


def _for(full: int) -> str:
    """The price of an action of Migrate."""
    verb = options.verb_of(full)
    return f" for {phrases.price(ACTIONS[verb].cost())}" if verb in ACTIONS else ""


def _raft(_: Tables, full: int) -> str:
    start, end = options.a_of(full), options.b_of(full)
    hex_ = detail.number_of(full)
    way = "downriver" if end > start else "upriver"
    place = "the Delta" if end > HEADWATERS else "the Headwaters"
    return f"Move the Raft {way} to {place if hex_ == EMPTY else f'hex {hex_}'}{_for(full)}"


def _camp(_: Tables, full: int) -> str:
    return f"Place a Camp at the Raft (hex {detail.number_of(full)}){_for(full)}"


def _with_raft(_: Tables, full: int) -> str:
    words = f"Build a Village at juncture {options.a_of(full)} with the Raft as a Camp"
    return f"{words}{_for(full)}"


LABELS: Final[dict[int, Callable[[Tables, int], str]]] = {
    codes.RAISE: lambda t, f: f"Put the {_title(t, options.b_of(f))} on hex {options.a_of(f)}",
    codes.ATTACH: lambda _, f: (
        f"Attach the Starting Base to hexes {options.a_of(f)} and {options.b_of(f)}"
    ),
    codes.RAFT: _raft,
    codes.SAIL: _raft,
    codes.CAMP_AT_RAFT: _camp,
    codes.PITCH_AT_RAFT: _camp,
    codes.VILLAGE_WITH_RAFT: _with_raft,
    codes.SETTLE_WITH_RAFT: _with_raft,
    codes.FISH: lambda _, f: (
        "Draw a Fish" if options.a_of(f) == 1 else f"Draw {options.a_of(f)} Fish"
    ),
    codes.LANDMARK: lambda t, f: f"Score the {_title(t, options.a_of(f))}",
}


def _title(tables: Tables, terrain: int) -> str:
    """A Landmark, by the Terrain type of its hex."""
    return tables.terrains[terrain].title
