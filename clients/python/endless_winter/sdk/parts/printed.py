"""What is printed: cards, Animals, Chiefs, Sacred Stones, terrains, tokens, boards.

>>> from endless_winter.sdk import LocalTable
>>> hunter = LocalTable(seed=1).catalog.card("hunter")
>>> hunter.name, hunter.kind, hunter.labor > 0
('Hunter', 'tribe', True)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from endless_winter.sdk.parts.part import Part, short_names
from endless_winter.v1 import catalog_pb2, effect_pb2, enums_pb2

if TYPE_CHECKING:
    from google.protobuf.message import Message

P = TypeVar("P", bound="Message")

ERAS: Final[dict[int, int]] = {enums_pb2.ERA_ONE: 1, enums_pb2.ERA_TWO: 2}
ICONS: Final = short_names(enums_pb2.Icon, "ICON_")
SPACES: Final = short_names(enums_pb2.ActionSpace, "ACTION_SPACE_")
SECTIONS: Final = short_names(enums_pb2.Section, "SECTION_")
SIDES: Final = short_names(enums_pb2.Side, "SIDE_")
TERRAIN_KINDS: Final = short_names(enums_pb2.TerrainKind, "TERRAIN_KIND_")
NOMAD_ACTIONS: Final = short_names(enums_pb2.NomadAction, "NOMAD_ACTION_")
_CARD_KINDS: Final = short_names(catalog_pb2.CardKind, "CARD_KIND_")
_TOKEN_KINDS: Final = short_names(catalog_pb2.TokenKind, "TOKEN_KIND_")
_TIMINGS: Final = short_names(effect_pb2.EffectTiming, "EFFECT_TIMING_")
_MATCHES: Final = short_names(effect_pb2.TypeMatch, "TYPE_MATCH_")
_CONDITIONS: Final = short_names(effect_pb2.ConditionKind, "CONDITION_KIND_")


def amount_of(icon: int, amount: int) -> float:
    """An amount of an icon; the contract counts Labor in halves."""
    return amount / 2 if icon == enums_pb2.ICON_LABOR else amount


class Term(Part[effect_pb2.EffectTerm]):
    """An icon with its amount, as a cost or as a gain."""

    __slots__ = ()

    @property
    def icon(self) -> str:
        """What it is: "food", "tool", "labor", "idol", "draw", "bury", "megalith", ..."""
        return ICONS.get(self.raw.icon, "unknown")

    @property
    def amount(self) -> float:
        """How many; Labor may come in halves."""
        return amount_of(self.raw.icon, self.raw.amount)

    @property
    def types(self) -> str:
        """Which types of cards or Animals: "same", "different", "wild"; "": any."""
        return _MATCHES.get(self.raw.type_match, "unknown")

    @property
    def subject(self) -> str:
        """The id of the card, Animal or terrain that it is limited to; "": any."""
        return self.raw.subject_id

    @property
    def module_icon(self) -> str:
        """The icon's name in the content pack, if `icon` is "module"."""
        return self.raw.module_icon

    def __repr__(self) -> str:
        return f"<{self.amount:g} {self.module_icon or self.icon}>"


class Condition(Part[effect_pb2.Condition]):
    """What must hold for an effect, or what is counted for it."""

    __slots__ = ()

    @property
    def kind(self) -> str:
        """What is looked at: "villages", "buried_cards", "tipped_types", ..."""
        return _CONDITIONS.get(self.raw.kind, "unknown")

    @property
    def at_least(self) -> int:
        """The least number for the effect to happen."""
        return self.raw.at_least

    @property
    def per(self) -> int:
        """Above 0: the gains come once per so many."""
        return self.raw.per

    @property
    def types(self) -> str:
        """Which types are compared: "same", "different", "wild"; "": no word about types."""
        return _MATCHES.get(self.raw.type_match, "unknown")

    @property
    def subjects(self) -> tuple[str, ...]:
        """Ids that the count is limited to; empty: any."""
        return tuple(self.raw.subject_ids)

    @property
    def scale(self) -> tuple[int, ...]:
        """The gain for 0, 1, 2, ... counted; the last value holds for more; empty: no scale."""
        return tuple(self.raw.scale)

    def __repr__(self) -> str:
        return f"<Condition {self.kind}>"


class Effect(Part[effect_pb2.Effect]):
    """An ability, a benefit or a way to score."""

    __slots__ = ()

    @property
    def text(self) -> str:
        """What it does, in plain words."""
        return self.raw.text

    @property
    def costs(self) -> tuple[Term, ...]:
        """What is paid first; empty: it is free."""
        return tuple([Term(raw, self._catalog) for raw in self.raw.costs])

    @property
    def gains(self) -> tuple[Term, ...]:
        """What it gives, in the order of the player's choice."""
        return tuple([Term(raw, self._catalog) for raw in self.raw.gains])

    @property
    def condition(self) -> Condition | None:
        """What it needs or counts; None: nothing."""
        raw = self.raw
        return Condition(raw.condition, self._catalog) if raw.HasField("condition") else None

    @property
    def timing(self) -> str:
        """When: "immediate", "anywhere", "any_column", "column", "eclipse" or "final"."""
        return _TIMINGS.get(self.raw.timing, "unknown")

    @property
    def column(self) -> str:
        """The Action Column where it works, if `timing` is "column"."""
        return SPACES.get(self.raw.column, "unknown")

    def gain(self, icon: str) -> float:
        """How much of an icon it gives: `hex.benefit.gain("food")`."""
        return sum(term.amount for term in self.gains if term.icon == icon)

    def __repr__(self) -> str:
        return f"<Effect {self.text!r}>"


class Printed(Part[P]):
    """Something printed, with an id, a name and a text."""

    __slots__ = ()

    @property
    def _item(self) -> catalog_pb2.ItemInfo:
        raw: Any = self.raw
        item: catalog_pb2.ItemInfo = raw.item
        return item

    @property
    def id(self) -> str:
        """The word for it in the options' texts and in the content pack: "woolly_rhino"."""
        return self._item.id

    @property
    def name(self) -> str:
        """The name for people: "Woolly Rhino"."""
        return self._item.name

    @property
    def text(self) -> str:
        """What it does, in plain words."""
        return self._item.text

    @property
    def copies(self) -> int:
        """How many are in the box (starting cards: for each player)."""
        return self._item.copies

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Printed)
            and type(self) is type(other)
            and self.id == other.id
            and self._catalog.content_hash == other._catalog.content_hash
        )

    def __hash__(self) -> int:
        return hash((type(self), self.id))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id}>"


class Card(Printed[catalog_pb2.CardInfo]):
    """A Tribe, starting or Culture card."""

    __slots__ = ()

    @property
    def kind(self) -> str:
        """One of "tribe", "starting" (a Tribe card for every rule) or "culture"."""
        return _CARD_KINDS.get(self.raw.kind, "unknown")

    @property
    def era(self) -> int:
        """1 or 2 for a Culture card, else 0."""
        return ERAS.get(self.raw.era, 0)

    @property
    def labor(self) -> float:
        """The Labor that playing it brings, in halves: 0.5, 1.0, ..."""
        return self.raw.labor_halves / 2

    @property
    def points(self) -> int:
        """Points in final scoring."""
        return self.raw.end_points

    @property
    def abilities(self) -> tuple[Effect, ...]:
        """What it can do; `use hunter 0` uses the first."""
        return tuple([Effect(raw, self._catalog) for raw in self.raw.abilities])

    @property
    def replaces(self) -> str:
        """With Rivers & Rafts: the id of the card whose place it takes, or that takes its place."""
        return self.raw.replaces_card_id

    def __repr__(self) -> str:
        return f"<Card {self.id}: {self.labor:g} Labor, {self.points} points>"


class Animal(Printed[catalog_pb2.AnimalInfo]):
    """A type of Animal."""

    __slots__ = ()

    @property
    def tip(self) -> Effect:
        """What tipping one gives."""
        return Effect(self.raw.tip, self._catalog)

    @property
    def set_points(self) -> tuple[int, ...]:
        """Points in final scoring for 1, 2, ... untipped cards; more cards give no more."""
        return tuple(self.raw.set_points)

    @property
    def wild(self) -> bool:
        """Whether it joins the sets of other types and has none of its own."""
        return self.raw.wild

    @property
    def nomad_set_points(self) -> tuple[int, ...]:
        """The Nomad's points for 1, 2, ... cards."""
        return tuple(self.raw.nomad_set_points)


class ChiefSide(Part[catalog_pb2.ChiefSideInfo]):
    """One side of a Chief card."""

    __slots__ = ()

    @property
    def side(self) -> str:
        """Either "a" or "b"."""
        return SIDES.get(self.raw.side, "unknown")

    @property
    def name(self) -> str:
        """The name for people."""
        return self.raw.name

    @property
    def abilities(self) -> tuple[Effect, ...]:
        """What the Chief can do on this side; `lead` uses the first, `lead 1` the second."""
        return tuple([Effect(raw, self._catalog) for raw in self.raw.abilities])

    def __repr__(self) -> str:
        return f"<ChiefSide {self.side}: {self.name}>"


class Chief(Printed[catalog_pb2.ChiefInfo]):
    """A Chief card."""

    __slots__ = ()

    @property
    def sides(self) -> tuple[ChiefSide, ...]:
        """Its two sides, a then b."""
        return tuple([ChiefSide(raw, self._catalog) for raw in self.raw.sides])


class SetupCard(Printed[catalog_pb2.SetupCardInfo]):
    """A Setup card: what a player starts with."""

    __slots__ = ()

    @property
    def food(self) -> int:
        """Food that it gives."""
        return self.raw.food

    @property
    def tools(self) -> int:
        """Tools that it gives."""
        return self.raw.tools

    @property
    def tribe_card(self) -> Card:
        """The Tribe card that it gives."""
        return self._catalog.card(self.raw.tribe_card_id)

    @property
    def animals(self) -> tuple[Animal, ...]:
        """The Animals that it gives, each copy."""
        return tuple([self._catalog.animal(one) for one in self.raw.animal_ids])

    @property
    def second_camp(self) -> bool:
        """Whether it gives a second Camp."""
        return self.raw.second_camp


class Stone(Printed[catalog_pb2.StoneInfo]):
    """A Sacred Stone."""

    __slots__ = ()

    @property
    def era(self) -> int:
        """1 or 2."""
        return ERAS.get(self.raw.era, 0)

    @property
    def scoring(self) -> Effect:
        """What it scores in each Eclipse phase."""
        return Effect(self.raw.scoring, self._catalog)

    @property
    def rivers(self) -> bool:
        """Whether it belongs to Rivers & Rafts."""
        return self.raw.rivers


class Terrain(Printed[catalog_pb2.TerrainInfo]):
    """A type of Terrain tile."""

    __slots__ = ()

    @property
    def kind(self) -> str:
        """Its family: "base", "land", "glacier", "river" or "landmark"."""
        return TERRAIN_KINDS.get(self.raw.kind, "unknown")

    @property
    def benefit(self) -> Effect:
        """What most Influence there gives in the Eclipse phase."""
        return Effect(self.raw.benefit, self._catalog)


class Token(Printed[catalog_pb2.TokenInfo]):
    """The face of a Glacier, Rest or Fish token."""

    __slots__ = ()

    @property
    def kind(self) -> str:
        """One of "glacier", "rest" or "fish"."""
        return _TOKEN_KINDS.get(self.raw.kind, "unknown")

    @property
    def effects(self) -> tuple[Effect, ...]:
        """What it gives; those of a Rest token are used one by one."""
        return tuple([Effect(raw, self._catalog) for raw in self.raw.effects])

    @property
    def returns_fish(self) -> bool:
        """Whether it is the Fish that brings the discarded ones back into the pool."""
        return self.raw.returns_fish


class Landmark(Printed[catalog_pb2.LandmarkInfo]):
    """A Landmark of Rivers & Rafts."""

    __slots__ = ()

    @property
    def scoring(self) -> Effect:
        """What it scores."""
        return Effect(self.raw.scoring, self._catalog)


class MegalithSpace(Part[catalog_pb2.MegalithSpaceInfo]):
    """A space of a Megalith tile."""

    __slots__ = ()

    @property
    def space(self) -> int:
        """Its place on the unturned tile, 0 to 7, row by row."""
        return self.raw.space

    @property
    def grey(self) -> bool:
        """Whether it is a starting space."""
        return self.raw.grey

    @property
    def benefit(self) -> Effect | None:
        """What covering it gives; None: nothing."""
        raw = self.raw
        return Effect(raw.benefit, self._catalog) if raw.HasField("benefit") else None

    @property
    def arrows(self) -> tuple[int, ...]:
        """The spaces of this tile that the arrows of a starting space point to."""
        return tuple(self.raw.arrow_spaces)

    def __repr__(self) -> str:
        gives = self.benefit
        return f"<MegalithSpace {self.space}: {gives.text if gives else 'nothing'}>"


class MegalithTile(Printed[catalog_pb2.MegalithTileInfo]):
    """A Megalith tile of four columns and two rows."""

    __slots__ = ()

    @property
    def spaces(self) -> tuple[MegalithSpace, ...]:
        """Its eight spaces, row by row."""
        return tuple([MegalithSpace(raw, self._catalog) for raw in self.raw.spaces])


class NomadCard(Printed[catalog_pb2.NomadCardInfo]):
    """A Nomad card; the actions of its cells are in its text and in `raw.cells`."""

    __slots__ = ()

    @property
    def column(self) -> str:
        """The Action Column that it points to."""
        return SPACES.get(self.raw.column, "unknown")

    @property
    def arrow_right(self) -> bool:
        """Whether the large arrow points right."""
        return self.raw.arrow_right

    @property
    def arrow_down(self) -> bool:
        """Whether the small arrow points down."""
        return self.raw.arrow_down

    @property
    def labor(self) -> float:
        """Labor in the Eclipse phase."""
        return self.raw.labor_halves / 2


class MapCard(Printed[catalog_pb2.MapCardInfo]):
    """A Map card of the Nomad."""

    __slots__ = ()

    @property
    def inner_hexes(self) -> tuple[int, ...]:
        """Its hexes of the inner ring."""
        return tuple(self.raw.inner_hexes)

    @property
    def outer_hexes(self) -> tuple[int, ...]:
        """Its hexes of the outer ring."""
        return tuple(self.raw.outer_hexes)
