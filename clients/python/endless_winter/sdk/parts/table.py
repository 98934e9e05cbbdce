"""What lies on the table: the supply, the Terrain board, the Megalith board.

Hexes have the numbers 0 to 18, junctures 0 to 23.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.sdk.parts.part import Part
from endless_winter.v1 import ids_pb2, view_public_pb2

if TYPE_CHECKING:
    from collections.abc import Iterable

    from endless_winter.sdk.parts.printed import (
        Animal,
        Card,
        Effect,
        Landmark,
        MegalithTile,
        Stone,
        Terrain,
        Token,
    )


def _by_seat(counts: Iterable[ids_pb2.SeatCount]) -> dict[int, int]:
    return {one.seat: one.count for one in counts}


class Supply(Part[view_public_pb2.SupplyView]):
    """What can be taken from the main board: `view.supply`."""

    __slots__ = ()

    @property
    def tribe_decks(self) -> dict[Card, int]:
        """How many cards each Tribe deck has left, empty decks included."""
        return {self._catalog.card(one.card_id): one.count for one in self.raw.tribe_decks}

    @property
    def culture_display(self) -> dict[int, Card]:
        """The Culture cards on display, by space, row by row from 0."""
        return {one.space: self._catalog.card(one.card_id) for one in self.raw.culture_display}

    @property
    def culture_deck_era_one(self) -> int:
        """Cards left in the Culture deck of Era I."""
        return self.raw.culture_deck_era_one

    @property
    def culture_deck_era_two(self) -> int:
        """Cards left in the Culture deck of Era II."""
        return self.raw.culture_deck_era_two

    @property
    def removed_culture(self) -> tuple[Card, ...]:
        """Culture cards out of the game that everybody saw."""
        return self._catalog.cards_of(self.raw.removed_culture)

    @property
    def hunting_grounds(self) -> dict[int, Animal]:
        """The Animals in the Hunting Grounds, by space, row by row from 0."""
        return {one.space: self._catalog.animal(one.animal_id) for one in self.raw.hunting_grounds}

    @property
    def animal_deck(self) -> int:
        """Cards left in the Animal deck."""
        return self.raw.animal_deck

    @property
    def stones_era_one(self) -> tuple[Stone, ...]:
        """Sacred Stones of the left section that are left."""
        return tuple([self._catalog.stone(one) for one in self.raw.stones_era_one])

    @property
    def stones_era_two(self) -> tuple[Stone, ...]:
        """Sacred Stones of the right section that are left; to be taken from Era II on."""
        return tuple([self._catalog.stone(one) for one in self.raw.stones_era_two])

    def __repr__(self) -> str:
        return (
            f"<Supply: {len(self.raw.culture_display)} Culture cards, "
            f"{len(self.raw.hunting_grounds)} Animals>"
        )


class Hex(Part[view_public_pb2.HexView]):
    """A hex of the Terrain board."""

    __slots__ = ()

    @property
    def number(self) -> int:
        """0 the centre, 1 to 6 the inner ring, 7 to 18 the outer ring."""
        return self.raw.hex

    @property
    def terrain(self) -> Terrain:
        """The tile that lies there."""
        return self._catalog.terrain(self.raw.terrain_id)

    @property
    def kind(self) -> str:
        """Its family: "base", "land", "glacier", "river" or "landmark"."""
        return self.terrain.kind

    @property
    def name(self) -> str:
        """The name of its terrain."""
        return self.terrain.name

    @property
    def benefit(self) -> Effect:
        """What most Influence there gives in the Eclipse phase."""
        return self.terrain.benefit

    @property
    def camps(self) -> dict[int, int]:
        """Camps on it, by seat; seats without one are left out."""
        return _by_seat(self.raw.camps)

    @property
    def influence(self) -> dict[int, int]:
        """Influence on it, by seat: Camps, Villages and Rafts together."""
        return _by_seat(self.raw.influence)

    @property
    def glacier_token(self) -> Token | None:
        """The open Glacier token on it; None: none, or it lies face down."""
        token = self.raw.glacier_token.token_id
        return self._catalog.token(token) if token else None

    @property
    def has_hidden_token(self) -> bool:
        """Whether a Glacier token lies on it face down."""
        raw = self.raw
        return raw.HasField("glacier_token") and not raw.glacier_token.revealed

    @property
    def landmark(self) -> Landmark | None:
        """The Landmark on it; None: none."""
        found = self.raw.landmark_id
        return self._catalog.landmark(found) if found else None

    @property
    def neighbours(self) -> tuple[int, ...]:
        """The numbers of the adjacent hexes."""
        return tuple(self._catalog.geometry.hexes[self.raw.hex].adjacent_hexes)

    @property
    def ring(self) -> int:
        """0 the centre, 1 the inner ring, 2 the outer ring."""
        return self._catalog.geometry.hexes[self.raw.hex].ring

    @property
    def coordinates(self) -> tuple[int, int]:
        """Axial coordinates: q grows to the East, r to the South."""
        place = self._catalog.geometry.hexes[self.raw.hex]
        return place.q, place.r

    def __repr__(self) -> str:
        return f"<Hex {self.number} {self.terrain.id}: influence {self.influence}>"


class Village(Part[view_public_pb2.VillageView]):
    """A Village on the Terrain board."""

    __slots__ = ()

    @property
    def juncture(self) -> int:
        """The corner it stands on, 0 to 23."""
        return self.raw.juncture

    @property
    def seat(self) -> int:
        """Whose it is."""
        return self.raw.seat

    @property
    def hexes(self) -> tuple[int, ...]:
        """The three hexes that it touches."""
        return tuple(self._catalog.geometry.junctures[self.raw.juncture].hexes)

    @property
    def nomad_token(self) -> bool:
        """Whether it is the Nomad's token that stands for one."""
        return self.raw.nomad_token

    def __repr__(self) -> str:
        return f"<Village of seat {self.seat} at juncture {self.juncture}>"


class Megalith(Part[view_public_pb2.MegalithPlaced]):
    """A Megalith on its board."""

    __slots__ = ()

    @property
    def x(self) -> int:
        """Column, from the West edge."""
        return self.raw.site.x

    @property
    def y(self) -> int:
        """Row, from the North edge."""
        return self.raw.site.y

    @property
    def level(self) -> int:
        """0 on the board, 1 on top of four, and so on."""
        return self.raw.site.level

    @property
    def seat(self) -> int | None:
        """Whose it is; None: a neutral one."""
        return self.raw.seat if self.raw.HasField("seat") else None

    @property
    def neutral(self) -> bool:
        """Whether it is a neutral one, which is nobody's."""
        return self.raw.neutral

    def __repr__(self) -> str:
        whose = "neutral" if self.seat is None else f"of seat {self.seat}"
        return f"<Megalith {self.x},{self.y}@{self.level} {whose}>"


class Megaliths(Part[view_public_pb2.MegalithView]):
    """The Megalith board: `view.megaliths`."""

    __slots__ = ()

    @property
    def layout(self) -> str:
        """The id of the layout of its tiles; `view.catalog.megalith_layouts` has where they lie."""
        return self.raw.layout_id

    @property
    def tiles(self) -> tuple[MegalithTile, ...]:
        """The tiles, by slot of the layout."""
        return tuple([self._catalog.megalith_tile(one) for one in self.raw.tile_ids])

    @property
    def placed(self) -> tuple[Megalith, ...]:
        """The Megaliths, from the lowest level up."""
        return tuple([Megalith(raw, self._catalog) for raw in self.raw.placed])

    def __repr__(self) -> str:
        return f"<Megaliths: {len(self.raw.placed)} placed>"
