"""How a content pack's things are called on the wire and by people.

The core knows numbers. Here are, for one pack, the ids that the contract uses, the titles that
labels use, and the sorted order in which multisets are sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import agenda, icons, options
from endless_winter.rules.terrain import BASE
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import ids_pb2 as ids
from endless_winter.views import wire
from endless_winter.views.plugin import SHOWN

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from endless_winter.content import Pack
    from endless_winter.rules.state import Event
    from endless_winter.rules.tables import Tables
    from endless_winter.v1 import view_public_pb2 as p
    from endless_winter.views.events import Happened

ICONS: Final[dict[int, enums.Icon.ValueType]] = {
    icons.FOOD: enums.ICON_FOOD,
    icons.TOOL: enums.ICON_TOOL,
    icons.IDOL: enums.ICON_IDOL,
    icons.DRAW: enums.ICON_DRAW,
    icons.MEGALITH: enums.ICON_MEGALITH,
    icons.LABOR: enums.ICON_LABOR,
    icons.DISCARD: enums.ICON_DISCARD,
    icons.BURY: enums.ICON_BURY,
    icons.VILLAGE: enums.ICON_VILLAGE,
    icons.CAMP: enums.ICON_CAMP,
    icons.MOVE: enums.ICON_CAMP_MOVE,
    icons.TRIBE: enums.ICON_TRIBE_TO_HAND,
    icons.RECRUIT: enums.ICON_TRIBE_TO_DISCARD,
    icons.CULTURE: enums.ICON_CULTURE,
    icons.ANIMAL: enums.ICON_ANIMAL,
    icons.BEAST: enums.ICON_ANIMAL_TOP,
    icons.REVEAL: enums.ICON_ANIMAL_REVEAL,
    icons.TIP: enums.ICON_ANIMAL_TIP,
    icons.STONE: enums.ICON_SACRED_STONE,
    icons.POINT: enums.ICON_POINTS,
    icons.FEAST: enums.ICON_FOOD_TO_LIMIT,
    agenda.SCORE_STONES: enums.ICON_SCORE_STONE,
    agenda.ADDITIONAL: enums.ICON_MEGALITH_BY_ARROW,
}
# Those of modules for which the contract has no word of its own, by their names.
UNNAMED_ICONS: Final[dict[int, str]] = {}
# The places of a figure, by the core's number; 5 and 6 are no places.
PLACES: Final[tuple[enums.ActionSpace.ValueType, ...]] = (
    enums.ACTION_SPACE_UNSPECIFIED,
    enums.ACTION_SPACE_INITIATE,
    enums.ACTION_SPACE_DEVELOP,
    enums.ACTION_SPACE_MIGRATE,
    enums.ACTION_SPACE_HUNT,
    enums.ACTION_SPACE_UNSPECIFIED,
    enums.ACTION_SPACE_UNSPECIFIED,
    enums.ACTION_SPACE_REST,
)
FIGURES: Final = (enums.FIGURE_CHIEF, enums.FIGURE_TRIBE)
SIDES: Final = (enums.SIDE_A, enums.SIDE_B)
# Where a card can be buried from, by the core's number.
BURY_ZONES: Final = {
    options.FROM_HAND: enums.ZONE_HAND,
    options.FROM_DISCARD: enums.ZONE_DISCARD,
    options.FROM_ABOVE: enums.ZONE_PLAYED,
    options.FROM_PILE: enums.ZONE_ECLIPSE_PILE,
}

_MOST_CACHED: Final = 20_000  # small encoded parts for all games of a pack: a few MB


def _order(names: Sequence[str]) -> list[int]:
    """The numbers of a list of things, sorted by id."""
    return sorted(range(len(names)), key=names.__getitem__)


class Words:
    """The ids and titles of one pack, by the core's numbers. Shared by all its games."""

    __slots__ = (
        "animal_order",
        "animals",
        "card_order",
        "cards",
        "chief_sides",
        "chiefs",
        "glacier_tokens",
        "hex_marks",
        "map_cards",
        "nomad_cards",
        "of_modules",
        "pack",
        "rest_tokens",
        "setups",
        "stones",
        "tables",
        "terrain_kinds",
        "terrains",
        "tiles",
        "open_events",
        "secret_events",
        "_cached",
        "_parts",
        "_places",
    )

    def __init__(self, pack: Pack) -> None:
        tables: Tables = pack.tables
        self.pack: Pack = pack
        self.tables: Tables = tables
        self.cards: list[str] = [card.name for card in tables.cards]
        self.animals: list[str] = [animal.name for animal in tables.animals]
        self.setups: list[str] = [setup.name for setup in tables.setups]
        self.stones: list[str] = [stone.name for stone in tables.stones]
        self.terrains: list[str] = [terrain.name for terrain in tables.terrains]
        self.terrain_kinds: list[enums.TerrainKind.ValueType] = [
            enums.TERRAIN_KIND_LAND if terrain.land else enums.TERRAIN_KIND_GLACIER
            for terrain in tables.terrains
        ]
        self.terrain_kinds[BASE] = enums.TERRAIN_KIND_BASE
        # By Terrain type: what a module shows on such a hex besides.
        self.hex_marks: list[p.HexView | None] = [None] * len(tables.terrains)
        self.of_modules: dict[str, object] = {}  # the ids of their own components
        self.glacier_tokens: list[str] = [token.name for token in tables.glacier_tokens]
        self.rest_tokens: list[str] = [token.name for token in tables.rest_tokens]
        self.nomad_cards: list[str] = [card.name for card in tables.nomad_cards]
        self.map_cards: list[str] = [card.name for card in tables.map_cards]
        # By the core's number of a side: the card it is a side of.
        self.chiefs: list[str] = [chief.id for chief in pack.content.chief for _ in SIDES]
        self.chief_sides: list[enums.Side.ValueType] = [*SIDES] * len(pack.content.chief)
        self.tiles: list[str] = [tile.id for tile in pack.content.megalith_tile]
        self.card_order: list[int] = _order(self.cards)
        self.animal_order: list[int] = _order(self.animals)
        self._parts: list[bytes] = [wire.text(1, name) for name in self.cards]
        self._cached: dict[Hashable, bytes] = {}
        self._places: list[int] = [self.card_order.index(card) for card in range(len(self.cards))]
        # Encoded events, see events.py.
        self.open_events: dict[int, tuple[Happened, ...]] = {}
        self.secret_events: dict[Event, tuple[Happened, ...]] = {}
        for module in SHOWN.values():
            module.add_words(self)

    def card_counts(self, zone: bytes) -> list[ids.CardCount]:
        """A zone as a multiset, sorted by id: no order of cards can be read from it."""
        return [
            ids.CardCount(card_id=self.cards[card], count=zone.count(card))
            for card in self.card_order
            if card in zone
        ]

    def card_list(self, field: int, zone: bytes) -> bytes:
        """The same, encoded as the repeated field of a message; the zone is given sorted."""
        if not zone:
            return b""
        key = (field, zone)
        known = self._cached.get(key)
        if known is not None:
            return known
        return self.cache(key, self.card_fields(field, zone))

    def card_fields(self, field: int, zone: bytes) -> bytes:
        """The same of a zone in any order that is not likely to come again."""
        cards = [self.card_order[place] for place in sorted({self._places[card] for card in zone})]
        return b"".join(
            [
                wire.message(field, self._parts[card] + wire.uint(2, zone.count(card)))
                for card in cards
            ]
        )

    def cached(self, key: Hashable) -> bytes | None:
        """A small encoded part that depends on its key alone."""
        return self._cached.get(key)

    def cache(self, key: Hashable, part: bytes) -> bytes:
        if len(self._cached) >= _MOST_CACHED:
            self._cached.clear()
        self._cached[key] = part
        return part

    def forget(self) -> None:
        """Drop everything that is cached: what is encoded next is encoded anew."""
        self._cached.clear()
        self.open_events.clear()
        self.secret_events.clear()


def owned(
    hand: bytes, deck: bytes, discard: bytes, above: bytes, pile: bytes, buried: bytes
) -> bytes:
    """All cards of a seat, wherever they are: every card is taken in the open (GLD-08)."""
    return bytes(sorted(hand + deck + discard + above + pile + buried))
