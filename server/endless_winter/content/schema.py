"""The shape of a content pack: one struct per kind of entry.

msgspec checks names, types and ranges here; `checks.py` knows the counts of the box, and
`build.py` reads the effects. Fields keep the texts of the pack, so that a catalogue can show
them; the numbers the core plays with are in `Pack.tables`.
"""

from typing import Annotated, ClassVar, Final, Literal, TypeVar

from msgspec import Meta, Struct

Word = Literal["rulebook", "public", "inferred", "reconstructed"]
# One word for the whole entry, or a word per field; a list field may have a word per item.
Provenance = Word | dict[str, Word | tuple[Word, ...]]

Id = Annotated[str, Meta(pattern=r"\A[a-z][a-z0-9_]{0,39}\Z")]
Title = Annotated[str, Meta(pattern=r"\A[^\x00-\x1f\x7f]{1,40}\Z")]
Small = Annotated[int, Meta(ge=0, le=99)]
Era = Literal[1, 2]
Turn = Annotated[int, Meta(ge=0, le=3)]
Coordinate = Annotated[int, Meta(ge=0, le=31)]
Labor = Annotated[float, Meta(ge=0, le=9)]
Hex = Annotated[int, Meta(ge=0, le=18)]


class Part(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Anything with provenance. `section` is its place in the file, `label` its kind."""

    section: ClassVar[str]
    label: ClassVar[str]
    provenance: Provenance


def provenance(part: Part, field: str) -> tuple[Word, ...]:
    """Where a field's value comes from: one word, or one for each item of a list."""
    words = part.provenance if isinstance(part.provenance, str) else part.provenance[field]
    return (words,) if isinstance(words, str) else words


class Entry(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of many of its kind, in an array of tables."""

    id: Id
    title: Title


class CardEntry(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    points: Small
    abilities: tuple[str, ...]


class PersonCard(CardEntry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A Tribe card for the rules (SET-14): it gives Labor.

    A section of a module whose entries are such cards is checked like those of the base game, and
    so is one of `AnimalType`.
    """

    copies: Small
    labor: Labor


class TribeCard(PersonCard, frozen=True, kw_only=True, forbid_unknown_fields=True):
    section = "tribe"
    label = "tribe card"


class StartingCard(PersonCard, frozen=True, kw_only=True, forbid_unknown_fields=True):
    section = "starting"
    label = "starting card"


class CultureCard(CardEntry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    section = "culture"
    label = "culture card"
    era: Era


class AnimalType(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    section = "animal"
    label = "animal"
    copies: Small
    wild: bool
    sets: tuple[Small, ...]
    tip: str


class ChiefSide(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    section = "chief.sides"
    label = "chief side"
    abilities: tuple[str, ...]


class ChiefCard(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    section = "chief"
    label = "chief"
    sides: tuple[ChiefSide, ChiefSide]


class Setup(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    section = "setup"
    label = "setup card"
    food: Annotated[int, Meta(ge=0, le=10)]
    tools: Annotated[int, Meta(ge=0, le=5)]
    tribe: Id
    animals: tuple[Id, ...]
    camp: bool


StoneKind = Literal[
    "villages_touching",
    "land_types",
    "megaliths_on_board",
    "megalith_tiles",
    "buried",
    "stacked",
    "idol_spaces",
    "tipped_types",
    "tipped_of",
]


class SacredStone(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    section = "stone"
    label = "sacred stone"
    era: Era
    kind: StoneKind
    terrain: Id | None = None
    animals: tuple[Id, ...] | None = None
    each: Annotated[int, Meta(ge=1, le=20)] | None = None
    per: Annotated[int, Meta(ge=1, le=20)] | None = None
    scale: tuple[Small, ...] | None = None


class TerrainType(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    section = "terrain"
    label = "terrain"
    kind: Literal["base", "glacier", "land"]
    copies: Small
    benefit: str


class MegalithTile(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    section = "megalith_tile"
    label = "megalith tile"
    spaces: tuple[str, ...]


class TileLayout(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    section = "layout"
    label = "layout"
    slots: tuple[tuple[Coordinate, Coordinate, Turn], ...]


class StonePlace(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    section = "stone_space"
    label = "stone space"
    food: Annotated[int, Meta(ge=0, le=10)]
    tools: Annotated[int, Meta(ge=0, le=5)]
    benefit: str


class GlacierToken(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    section = "glacier_token"
    label = "glacier token"
    benefit: str


class RestToken(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    section = "rest_token"
    label = "rest token"
    effects: tuple[str, ...]


class NomadCardEntry(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A card of the Nomad: its indicator, its two arrows, its row of actions by column."""

    section = "nomad_card"
    label = "nomad card"
    column: Literal["initiate", "develop", "migrate", "hunt"]
    large_arrow: Literal["left", "right"]
    small_arrow: Literal["up", "down"]
    labor: Labor
    initiate: str
    develop: str
    migrate: str
    hunt: str


class MapCardEntry(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the Nomad's Camps go, by hex number."""

    section = "map_card"
    label = "map card"
    inner: tuple[Hex, ...]
    outer: tuple[Hex, ...]


class Board(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is printed on the main board and the player boards."""

    section = "board"
    label = "[board]"
    turn_order: tuple[str, ...]
    food_labor: tuple[Small, ...]
    supply: tuple[str, ...]
    village: str


class Idols(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The Idol board: both tracks from the lowest level up, and the three Honor charts."""

    section = "idols"
    label = "[idols]"
    offering_ratio: tuple[Annotated[int, Meta(ge=1, le=9)], ...]
    offering_benefit: tuple[str, ...]
    honor_points: tuple[Small, ...]
    honor_left: tuple[Small, ...]
    honor_middle: tuple[Small, ...]
    honor_right: tuple[Small, ...]


ALL_OTHERS: Final = "*.toml"


class PackInfo(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The head of the main file. `includes` are files beside it, `ALL_OTHERS` all that are left."""

    name: Id
    title: Title
    version: Annotated[str, Meta(pattern=r"\A[0-9]{1,4}(\.[0-9]{1,4}){0,2}\Z")]
    includes: tuple[Annotated[str, Meta(pattern=r"\A(\*|[A-Za-z0-9_-]{1,60})\.toml\Z")], ...] = ()


E = TypeVar("E", bound=Entry)


class Content(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything of a pack, each list in the order of its file; it says nothing of files.

    The sections of modules are fields too, of a class that is made of this one (plugin.py). What a
    pack may lack has a default and is then left out of its canonical form, so that a pack
    keeps its hash when the game learns of more components.
    """

    name: str
    title: str
    version: str
    tribe: tuple[TribeCard, ...]
    starting: tuple[StartingCard, ...]
    culture: tuple[CultureCard, ...]
    animal: tuple[AnimalType, ...]
    chief: tuple[ChiefCard, ...]
    setup: tuple[Setup, ...]
    stone: tuple[SacredStone, ...]
    terrain: tuple[TerrainType, ...]
    megalith_tile: tuple[MegalithTile, ...]
    layout: tuple[TileLayout, ...]
    stone_space: tuple[StonePlace, ...]
    glacier_token: tuple[GlacierToken, ...]
    rest_token: tuple[RestToken, ...]
    board: Board
    idols: Idols
    nomad_card: tuple[NomadCardEntry, ...] = ()
    map_card: tuple[MapCardEntry, ...] = ()

    def entries(self, kind: type[E]) -> tuple[E, ...]:
        """Those of a module's section; none if the pack lacks it."""
        found: tuple[E, ...] = getattr(self, kind.section, ())
        return found
