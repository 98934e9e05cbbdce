"""The words of Rivers & Rafts: its verbs, events and icons, 100 to 109."""

from typing import Final

from endless_winter.rules import icons
from endless_winter.rules.notation import NUMBER, STEP, TERRAIN

# Icons. A Landmark hex shows VOLCANO + number of its Landmark, whatever the pack calls it.
FISH_ICON: Final = 100  # draw a Fish (RAF-11)
VOLCANO: Final = 101  # RAF-12
BUTTE: Final = 102
ARCH: Final = 103
MONOLITH: Final = 104
TREE: Final = 105

ICON_NAMES: Final[dict[int, str]] = {
    FISH_ICON: "fish",
    VOLCANO: "volcano",
    BUTTE: "butte",
    ARCH: "arch",
    MONOLITH: "monolith",
    TREE: "tree",
}

# Verbs.
RAISE: Final = 100  # hex, Terrain type: put a Landmark there (RAF-04)
ATTACH: Final = 101  # the lower and the higher hex that the Starting Base touches (RAF-06)
RAFT: Final = 102  # a Camp move: the Raft from place to place (RAF-08)
SAIL: Final = 103  # the same for 1 Labor in Migrate
CAMP_AT_RAFT: Final = 104  # a new Camp on the Raft's hex (RAF-07)
PITCH_AT_RAFT: Final = 105  # the same for 1 Tool in Migrate
VILLAGE_WITH_RAFT: Final = 106  # juncture: the Raft instead of the Camp on its hex (RAF-09)
SETTLE_WITH_RAFT: Final = 107  # the same for 3 Food in Migrate
FISH: Final = 108  # how many, drawn together (RAF-11, RAF-13)
LANDMARK: Final = 109  # Terrain type: score it

WORDS: Final[dict[int, tuple[str, tuple[int, ...]]]] = {
    RAISE: ("raise", (NUMBER, TERRAIN)),
    ATTACH: ("attach", (NUMBER, NUMBER)),
    RAFT: ("raft", (STEP,)),
    SAIL: ("sail", (STEP,)),
    CAMP_AT_RAFT: ("camp-at-raft", ()),
    PITCH_AT_RAFT: ("pitch-at-raft", ()),
    VILLAGE_WITH_RAFT: ("village-with-raft", (NUMBER,)),
    SETTLE_WITH_RAFT: ("settle-with-raft", (NUMBER,)),
    FISH: ("fish", (NUMBER,)),
    LANDMARK: ("landmark", (TERRAIN,)),
}

# Of which icon of a pool a verb takes one unit; LANDMARK takes that of its own hex, FISH several.
TAKES: Final[dict[int, int]] = {
    RAFT: icons.MOVE,
    CAMP_AT_RAFT: icons.CAMP,
    VILLAGE_WITH_RAFT: icons.VILLAGE,
}

# Events.
LANDMARK_RAISED: Final = 100  # hex, Terrain type; the seat that chose it, or seat 0
BASE_ATTACHED: Final = 101  # the lower and the higher hex it touches
RAFT_MOVED: Final = 102  # from place, to place
FISH_DRAWN: Final = 103  # Fish, 1 if the discarded Fish went back into the pool
FISH_MIXED: Final = 104  # the pool was empty: how many discarded Fish make the new one

EVENT_NAMES: Final[dict[int, str]] = {
    LANDMARK_RAISED: "landmark_raised",
    BASE_ATTACHED: "base_attached",
    RAFT_MOVED: "raft_moved",
    FISH_DRAWN: "fish_drawn",
    FISH_MIXED: "fish_mixed",
}

# Grounds of the Nomad (SRF-01, SRF-02).
RAFT_FIRST: Final = 100  # the hex that its Raft moves to, EMPTY for the Delta
RAFT_AT_DELTA: Final = 101
RAFT_AS_CAMP: Final = 102  # hex
FISH_OF_HEX: Final = 103
FLAT_POINTS: Final = 104  # Terrain type, points

# Categories of points, by their numbers in the contract.
BY_FISH: Final = 15
BY_LANDMARK: Final = 16
BY_RAFT: Final = 17

CATEGORY_NAMES: Final[dict[int, str]] = {
    BY_FISH: "fish",
    BY_LANDMARK: "landmarks",
    BY_RAFT: "rafts",
}

# Kinds of sources.
FISH_TOKEN: Final = 100  # which Fish
LANDMARK_HEX: Final = 101  # which Landmark
RAFT_PIECE: Final = 102  # seat

SOURCE_KINDS: Final[dict[int, tuple[str, int]]] = {
    FISH_TOKEN: ("fish", BY_FISH),
    LANDMARK_HEX: ("landmark", BY_LANDMARK),
    RAFT_PIECE: ("raft", BY_RAFT),
}

# The first of the pieces of a record on the agenda.
RAISE_LANDMARK: Final = 0
ATTACH_BASE: Final = 1
