"""Everything printed, looked up by id: cards, Animals, Stones, tiles, boards.

A catalogue belongs to a content hash and never changes, so each is cached once per process.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from endless_winter.sdk.errors import NotThisGame

if TYPE_CHECKING:
    from endless_winter.v1 import catalog_pb2

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
    """A content pack, every part by its id. Make it with `Catalog.of`."""

    def __init__(self, raw: catalog_pb2.Catalog) -> None:
        self.raw: catalog_pb2.Catalog = raw
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

    @property
    def tables(self) -> catalog_pb2.BoardTables:
        """What is printed on the boards."""
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
