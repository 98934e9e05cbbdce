"""What step 2 of a turn offers, and why some of it is closed (`FeedOptions.explain`)."""

from __future__ import annotations

from typing import Final

from endless_winter.sdk.parts.part import Part, short_names
from endless_winter.sdk.parts.printed import SECTIONS, amount_of
from endless_winter.sdk.parts.turn import Source
from endless_winter.v1 import decision_pb2, enums_pb2

_ACTIONS: Final = short_names(decision_pb2.TurnAction, "TURN_ACTION_")
_REASONS: Final = short_names(decision_pb2.ObstacleKind, "OBSTACLE_KIND_")
_LABOR: Final = decision_pb2.OBSTACLE_KIND_LABOR


class Obstacle(Part[decision_pb2.Obstacle]):
    """Why something is closed."""

    __slots__ = ()

    @property
    def kind(self) -> str:
        """The reason: "labor", "tools", "section_closed", "not_first", "no_site", ..."""
        return _REASONS.get(self.raw.kind, "unknown")

    @property
    def needed(self) -> float:
        """How much is needed, where the reason is an amount; Labor may come in halves."""
        return self._amount(self.raw.needed)

    @property
    def had(self) -> float:
        """How much is there of it."""
        return self._amount(self.raw.had)

    def _amount(self, number: int) -> float:
        return amount_of(enums_pb2.ICON_LABOR, number) if self.raw.kind == _LABOR else number

    @property
    def text(self) -> str:
        """The same for people: "you have 0 Tools"."""
        return self.raw.text

    def __repr__(self) -> str:
        return f"<Obstacle {self.kind}: {self.text}>"


class Offer(Part[decision_pb2.ActionOffer]):
    """Something that step 2 offers, open or closed, with its cost."""

    __slots__ = ()

    @property
    def action(self) -> str:
        """What it is: "hunt", "place_camp", "bottom", "use_chief", ..."""
        return _ACTIONS.get(self.raw.action, "unknown")

    @property
    def section(self) -> str:
        """The section of the column: "top", "middle" or "bottom"; "": it belongs to none."""
        return SECTIONS.get(self.raw.section, "") if self.raw.section else ""

    @property
    def source(self) -> Source | None:
        """The card, Tribe deck, Chief or Rest token it is about; None: all alike are meant."""
        return Source(self.raw.source, self._catalog) if self.raw.HasField("source") else None

    @property
    def obstacles(self) -> tuple[Obstacle, ...]:
        """Why it is closed; empty: it is open, and there are options for it."""
        return tuple([Obstacle(raw, self._catalog) for raw in self.raw.obstacles])

    @property
    def is_open(self) -> bool:
        """Whether it can be done now."""
        return not self.raw.obstacles

    @property
    def text(self) -> str:
        """For people: "take an Animal: 1 Labor and 1 Tool; you have 0 Tools"."""
        return self.raw.text

    def __repr__(self) -> str:
        return f"<Offer {self.action}: {self.text}>"
