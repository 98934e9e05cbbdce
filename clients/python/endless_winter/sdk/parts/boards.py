"""What is printed on the main board and on the player boards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.sdk.parts.part import Part
from endless_winter.sdk.parts.printed import SECTIONS, SPACES, Effect
from endless_winter.v1 import catalog_pb2, effect_pb2

if TYPE_CHECKING:
    from collections.abc import Iterable

    from endless_winter.sdk.parts.printed import Card


class StoneSpace(Part[catalog_pb2.StoneSpaceInfo]):
    """A Sacred Stone space of a player board."""

    __slots__ = ()

    @property
    def food(self) -> int:
        """Food to pay."""
        return self.raw.food

    @property
    def tools(self) -> int:
        """Tools to pay."""
        return self.raw.tools

    @property
    def benefit(self) -> Effect:
        """What covering it gives."""
        return Effect(self.raw.benefit, self._catalog)

    def __repr__(self) -> str:
        return f"<StoneSpace: {self.food} Food, {self.tools} Tools>"


class OfferingSpace(Part[catalog_pb2.OfferingSpaceInfo]):
    """A space of the Offering track."""

    __slots__ = ()

    @property
    def benefit(self) -> Effect | None:
        """What entering it gives; None: nothing."""
        raw = self.raw
        return Effect(raw.benefit, self._catalog) if raw.HasField("benefit") else None

    @property
    def ratio(self) -> int:
        """Food and Tools for one point in final scoring."""
        return self.raw.ratio

    def __repr__(self) -> str:
        return f"<OfferingSpace 1 point per {self.ratio}>"


class HonorSpace(Part[catalog_pb2.HonorSpaceInfo]):
    """A space of the Honor track."""

    __slots__ = ()

    @property
    def points(self) -> int:
        """Points for entering it."""
        return self.raw.points

    @property
    def places(self) -> int:
        """How many players find room on it."""
        return self.raw.places

    def __repr__(self) -> str:
        return f"<HonorSpace {self.points} points>"


class Boards(Part[catalog_pb2.BoardTables]):
    """What is printed on the main board and on the player boards: `view.boards`."""

    __slots__ = ()

    def _effects(self, raws: Iterable[effect_pb2.Effect]) -> tuple[Effect, ...]:
        return tuple([Effect(raw, self._catalog) for raw in raws])

    @property
    def food_limits(self) -> tuple[int, ...]:
        """The Food limit with 0, 1, ... Camps removed from the player board."""
        return tuple(self.raw.food_limits)

    @property
    def food_labor_steps(self) -> tuple[int, ...]:
        """The steps of the Food track that give 1 Labor when Food is spent past them."""
        return tuple(self.raw.food_labor_steps)

    @property
    def tool_limit(self) -> int:
        """The most Tools that a player can have."""
        return self.raw.tool_limit

    @property
    def stone_spaces(self) -> tuple[StoneSpace, ...]:
        """The Sacred Stone spaces of a player board, from left to right."""
        return tuple([StoneSpace(raw, self._catalog) for raw in self.raw.stone_spaces])

    @property
    def megalith_supply(self) -> tuple[Effect, ...]:
        """What each emptied Megalith space of a player board gives in the Eclipse phase."""
        return self._effects(self.raw.megalith_supply)

    @property
    def village_benefit(self) -> Effect:
        """What each Village gives in the Eclipse phase."""
        return Effect(self.raw.village_benefit, self._catalog)

    @property
    def turn_order_benefits(self) -> tuple[Effect, ...]:
        """What the 1st, 2nd, ... of the turn order gains in the Eclipse phase."""
        return self._effects(self.raw.turn_order_benefits)

    @property
    def starting_order_benefits(self) -> tuple[Effect, ...]:
        """What the 1st, 2nd, ... player gains at the start."""
        return self._effects(self.raw.starting_order_benefits)

    @property
    def offering(self) -> tuple[OfferingSpace, ...]:
        """The Offering track; a player on level n stands on `offering[n - 1]`."""
        return tuple([OfferingSpace(raw, self._catalog) for raw in self.raw.offering])

    @property
    def honor(self) -> tuple[HonorSpace, ...]:
        """The Honor track; a player on level n stands on `honor[n - 1]`."""
        return tuple([HonorSpace(raw, self._catalog) for raw in self.raw.honor])

    @property
    def honor_charts(self) -> tuple[tuple[int, ...], ...]:
        """The charts left, middle, right: points for 0, 1, 2, ... buried cards."""
        return tuple([tuple(chart.points_by_buried) for chart in self.raw.honor_charts])

    @property
    def hunting_grounds_spaces(self) -> int:
        """Places in the Hunting Grounds."""
        return self.raw.hunting_grounds_spaces

    @property
    def hunting_grounds_columns(self) -> int:
        """Columns of the Hunting Grounds."""
        return self.raw.hunting_grounds_columns

    @property
    def culture_spaces(self) -> int:
        """Places in the Culture display."""
        return self.raw.culture_spaces

    @property
    def culture_columns(self) -> int:
        """Columns of the Culture display."""
        return self.raw.culture_columns

    @property
    def starting_deck(self) -> tuple[Card, ...]:
        """The starting cards of a player, each copy."""
        return self._catalog.cards_of(self.raw.starting_deck)

    def section(self, space: str, section: str = "") -> tuple[Effect, ...]:
        """The actions printed in a column's section: `section("hunt", "top")`; or of "rest"."""
        for raw in self.raw.sections:
            if SPACES[raw.space] == space and SECTIONS[raw.section] == section:
                return self._effects(raw.effects)
        return ()

    def __repr__(self) -> str:
        return "<Boards>"
