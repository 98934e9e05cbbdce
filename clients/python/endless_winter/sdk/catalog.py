"""Everything printed, looked up by id: cards, Animals, Stones, tiles, boards.

A catalogue belongs to a content hash and never changes, so each is cached once per process.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

from endless_winter.sdk.errors import NotThisGame
from endless_winter.sdk.parts.boards import Boards
from endless_winter.sdk.parts.printed import (
    Animal,
    Card,
    Chief,
    Landmark,
    MapCard,
    MegalithTile,
    NomadCard,
    SetupCard,
    Stone,
    Terrain,
    Token,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from endless_winter.v1 import catalog_pb2, ids_pb2

R = TypeVar("R")
T = TypeVar("T")

_KNOWN: Final[dict[str, Catalog]] = {}

# The lists of the contract's Catalog whose entries have an `item`.
_LISTS: Final = (
    "cards",
    "animals",
    "chiefs",
    "setup_cards",
    "stones",
    "terrains",
    "megalith_tiles",
    "megalith_layouts",
    "tokens",
    "landmarks",
    "river_tiles",
    "nomad_cards",
    "map_cards",
)


class Catalog:
    """A content pack, every part by its id. Make it with `Catalog.of`.

    `catalog.card("hunter")` is a typed card, `catalog.cards` holds the contract's messages.
    """

    def __init__(self, raw: catalog_pb2.Catalog) -> None:
        self.raw: catalog_pb2.Catalog = raw
        self._typed: dict[tuple[object, str], Any] = {}
        self.content_hash: str = raw.content_hash
        self.cards: dict[str, catalog_pb2.CardInfo] = {one.item.id: one for one in raw.cards}
        self.animals: dict[str, catalog_pb2.AnimalInfo] = {one.item.id: one for one in raw.animals}
        self.chiefs: dict[str, catalog_pb2.ChiefInfo] = {one.item.id: one for one in raw.chiefs}
        self.setup_cards: dict[str, catalog_pb2.SetupCardInfo] = {
            one.item.id: one for one in raw.setup_cards
        }
        self.stones: dict[str, catalog_pb2.StoneInfo] = {one.item.id: one for one in raw.stones}
        self.terrains: dict[str, catalog_pb2.TerrainInfo] = {
            one.item.id: one for one in raw.terrains
        }
        self.megalith_tiles: dict[str, catalog_pb2.MegalithTileInfo] = {
            one.item.id: one for one in raw.megalith_tiles
        }
        self.megalith_layouts: dict[str, catalog_pb2.MegalithLayoutInfo] = {
            one.item.id: one for one in raw.megalith_layouts
        }
        self.tokens: dict[str, catalog_pb2.TokenInfo] = {one.item.id: one for one in raw.tokens}
        self.landmarks: dict[str, catalog_pb2.LandmarkInfo] = {
            one.item.id: one for one in raw.landmarks
        }
        self.river_tiles: dict[str, catalog_pb2.RiverTileInfo] = {
            one.item.id: one for one in raw.river_tiles
        }
        self.nomad_cards: dict[str, catalog_pb2.NomadCardInfo] = {
            one.item.id: one for one in raw.nomad_cards
        }
        self.map_cards: dict[str, catalog_pb2.MapCardInfo] = {
            one.item.id: one for one in raw.map_cards
        }

    @staticmethod
    def of(raw: catalog_pb2.Catalog) -> Catalog:
        """The catalogue of a message; the same object for the same content hash."""
        known = _KNOWN.get(raw.content_hash)
        if known is None:
            known = _KNOWN[raw.content_hash] = Catalog(raw)
        return known

    @staticmethod
    def known(content_hash: str) -> Catalog | None:
        """The catalogue of a content hash, if this process has met it."""
        return _KNOWN.get(content_hash)

    @property
    def name(self) -> str:
        return self.raw.name

    def _one(self, make: Callable[[R, Catalog], T], raws: Mapping[str, R], item_id: str) -> T:
        """A typed thing; the same object each time."""
        found: T | None = self._typed.get((make, item_id))
        if found is None:
            raw = raws.get(item_id)
            if raw is None:
                raise NotThisGame(f"the content pack {self.name!r} has nothing called {item_id!r}")
            found = self._typed[make, item_id] = make(raw, self)
        return found

    def card(self, card_id: str) -> Card:
        """The Tribe, starting or Culture card with this id."""
        return self._one(Card, self.cards, card_id)

    def cards_of(self, counts: Iterable[ids_pb2.CardCount]) -> tuple[Card, ...]:
        """The cards of a multiset of the contract, each copy."""
        return tuple([self.card(one.card_id) for one in counts for _ in range(one.count)])

    def animal(self, animal_id: str) -> Animal:
        """The type of Animal with this id."""
        return self._one(Animal, self.animals, animal_id)

    def chief(self, chief_id: str) -> Chief:
        """The Chief with this id."""
        return self._one(Chief, self.chiefs, chief_id)

    def setup_card(self, setup_card_id: str) -> SetupCard:
        """The Setup card with this id."""
        return self._one(SetupCard, self.setup_cards, setup_card_id)

    def stone(self, stone_id: str) -> Stone:
        """The Sacred Stone with this id."""
        return self._one(Stone, self.stones, stone_id)

    def terrain(self, terrain_id: str) -> Terrain:
        """The type of Terrain tile with this id."""
        return self._one(Terrain, self.terrains, terrain_id)

    def megalith_tile(self, tile_id: str) -> MegalithTile:
        """The Megalith tile with this id."""
        return self._one(MegalithTile, self.megalith_tiles, tile_id)

    def token(self, token_id: str) -> Token:
        """The Glacier, Rest or Fish token with this id."""
        return self._one(Token, self.tokens, token_id)

    def landmark(self, landmark_id: str) -> Landmark:
        """The Landmark with this id."""
        return self._one(Landmark, self.landmarks, landmark_id)

    def nomad_card(self, nomad_card_id: str) -> NomadCard:
        """The Nomad card with this id."""
        return self._one(NomadCard, self.nomad_cards, nomad_card_id)

    def map_card(self, map_card_id: str) -> MapCard:
        """The Map card with this id."""
        return self._one(MapCard, self.map_cards, map_card_id)

    @cached_property
    def boards(self) -> Boards:
        """What is printed on the boards: tracks, spaces, limits."""
        return Boards(self.raw.tables, self)

    @property
    def tables(self) -> catalog_pb2.BoardTables:
        """What is printed on the boards, as the contract's message."""
        return self.raw.tables

    @property
    def geometry(self) -> catalog_pb2.TerrainGeometry:
        """The shape of the Terrain board."""
        return self.raw.geometry

    @cached_property
    def items(self) -> dict[str, list[catalog_pb2.ItemInfo]]:
        """Name and text of every printed thing, by id; a few ids name things of two kinds."""
        found: dict[str, list[catalog_pb2.ItemInfo]] = {}
        for kind in _LISTS:
            for one in getattr(self.raw, kind):
                found.setdefault(one.item.id, []).append(one.item)
        return found

    def item(self, item_id: str) -> catalog_pb2.ItemInfo:
        """Name and text of a printed thing of whatever kind."""
        found = self.items.get(item_id)
        if not found:
            raise NotThisGame(f"the content pack {self.name!r} has nothing called {item_id!r}")
        return found[0]

    def title(self, item_id: str) -> str:
        """The name of a printed thing for people; an unknown id is its own name."""
        found = self.items.get(item_id)
        return found[0].name if found else item_id

    def find(self, words: str) -> list[catalog_pb2.ItemInfo]:
        """Every printed thing whose id, name or text has all these words, best matches first."""
        wanted = words.casefold().split()
        found = []
        for items in self.items.values():
            for item in items:
                title = f"{item.id} {item.name}".casefold()
                everything = f"{title} {item.text}".casefold()
                if all(word in everything for word in wanted):
                    found.append((not all(word in title for word in wanted), item.name, item))
        found.sort(key=lambda match: match[:2])
        return [item for _, _, item in found]

    @cached_property
    def rules(self) -> dict[str, str]:
        """The rules texts that options and events refer to, by rule id."""
        return {rule.rule_id: rule.text for rule in self.raw.rules}

    def __repr__(self) -> str:
        return f"<Catalog {self.name} {self.content_hash[:12]}>"
