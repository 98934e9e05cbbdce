"""Where the game stands: round, phase, whose choice, what is still to be resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.sdk.parts.part import Part, short_names
from endless_winter.sdk.parts.printed import ICONS, SECTIONS, SPACES, amount_of
from endless_winter.sdk.parts.sources import source_text
from endless_winter.v1 import benefit_pb2, enums_pb2, ids_pb2, view_public_pb2

if TYPE_CHECKING:
    from endless_winter.sdk.parts.printed import Card

PHASES: Final = short_names(enums_pb2.Phase, "PHASE_")
_STEPS: Final = short_names(enums_pb2.Step, "STEP_")
FIGURES: Final = short_names(enums_pb2.Figure, "FIGURE_")


class Source(Part[ids_pb2.Source]):
    """Where a benefit, a cost or an ability comes from."""

    __slots__ = ()

    @property
    def kind(self) -> str:
        """What kind of thing: "hex", "card", "chief", "animal", "stone", "board", ..."""
        found = self.raw.WhichOneof("origin") or ""
        return found.removesuffix("_id")

    @property
    def id(self) -> str:
        """Its id ("hunter"), or its number ("7" of a hex); "" where `kind` or `name` say it all."""
        found = self.raw.WhichOneof("origin")
        value = getattr(self.raw, found) if found else ""
        return str(value) if isinstance(value, (str, int)) else ""

    @property
    def name(self) -> str:
        """The same for people: "Hunter", "hex 7", "Hunt, middle section"; "": it does not say."""
        return source_text(self.raw, self._catalog.title)

    def __repr__(self) -> str:
        return f"<Source {self.name}>"


class Benefit(Part[benefit_pb2.PendingBenefit]):
    """A benefit that waits to be taken."""

    __slots__ = ()

    @property
    def icon(self) -> str:
        """What it is: "food", "tool", "idol", "draw", "bury", "megalith", ..."""
        return ICONS.get(self.raw.icon, "unknown")

    @property
    def amount(self) -> float:
        """How many are left; Labor may come in halves."""
        return amount_of(self.raw.icon, self.raw.amount)

    @property
    def source(self) -> Source:
        """Where it comes from."""
        return Source(self.raw.source, self._catalog)

    @property
    def module_icon(self) -> str:
        """The icon's name in the content pack, if `icon` is "module"."""
        return self.raw.module_icon

    def __repr__(self) -> str:
        origin = f" from {self.source.name}" if self.source.name else ""
        return f"<{self.amount:g} {self.module_icon or self.icon}{origin}>"


class ReadyAbility(Part[view_public_pb2.ReadyAbility]):
    """An ability of a played card or of a held token that is not used yet."""

    __slots__ = ()

    @property
    def source(self) -> Source:
        """Whose it is."""
        return Source(self.raw.source, self._catalog)

    @property
    def ability(self) -> int:
        """Its place among that thing's abilities, from 0."""
        return self.raw.ability

    @property
    def count(self) -> int:
        """How many times: more than once when equal cards were played."""
        return self.raw.count

    def __repr__(self) -> str:
        return f"<ReadyAbility {self.ability} of {self.source.name}>"


class Pending(Part[view_public_pb2.AgendaItem]):
    """Something that is still to be resolved."""

    __slots__ = ()

    @property
    def seat(self) -> int | None:
        """The seat it belongs to; None: nobody's."""
        return self.raw.seat if self.raw.HasField("seat") else None

    @property
    def step(self) -> str:
        """The step it belongs to; see `Turn.step`."""
        return _STEPS.get(self.raw.step, "unknown")

    @property
    def source(self) -> Source:
        """What caused it."""
        return Source(self.raw.source, self._catalog)

    @property
    def benefits(self) -> tuple[Benefit, ...]:
        """The benefits that are left of it."""
        return tuple([Benefit(raw, self._catalog) for raw in self.raw.benefits])

    @property
    def must_take(self) -> bool:
        """Whether the benefits have to be taken."""
        return self.raw.must_take

    @property
    def abilities(self) -> tuple[int, ...]:
        """Abilities of the source that are not used yet, from 0."""
        return tuple(self.raw.abilities)

    @property
    def discards_left(self) -> int:
        """Cards still to be discarded from hand as a cost."""
        return self.raw.discards_left

    @property
    def cards(self) -> tuple[Card, ...]:
        """Eclipse: revealed cards whose Eclipse ability is not used yet."""
        return self._catalog.cards_of(self.raw.cards)

    def __repr__(self) -> str:
        return f"<Pending {self.step} of seat {self.seat}: {list(self.benefits)}>"


class Turn(Part[view_public_pb2.TurnView]):
    """Where the game stands: `view.turn`."""

    __slots__ = ()

    @property
    def round(self) -> int:
        """1 to 4; 0 during set-up."""
        return self.raw.round

    @property
    def phase(self) -> str:
        """One of "setup", "action", "eclipse", "preparation" or "ended"."""
        return PHASES.get(self.raw.phase, "unknown")

    @property
    def step(self) -> str:
        """The step: "opening", "act", "eclipse_pile", "eclipse_terrain", ...; coarse on purpose."""
        return _STEPS.get(self.raw.step, "unknown")

    @property
    def turn_order(self) -> tuple[int, ...]:
        """Seats in turn order, the first first."""
        return tuple(self.raw.turn_order)

    @property
    def active_seat(self) -> int | None:
        """The seat whose turn it is; None: between turns and after the end."""
        return self.raw.active_seat if self.raw.HasField("active_seat") else None

    @property
    def choosing_seat(self) -> int | None:
        """The seat that chooses now; None: the game is over."""
        return self.raw.choosing_seat if self.raw.HasField("choosing_seat") else None

    @property
    def number(self) -> int:
        """The active seat's turn in this round, 1 to 3; 0 outside the Action phase."""
        return self.raw.turn_number

    @property
    def space(self) -> str:
        """Where this turn's figure stands: "initiate", ..., "rest"; "": not placed yet."""
        return SPACES.get(self.raw.space, "unknown")

    @property
    def labor(self) -> float:
        """Labor at hand in this turn."""
        return self.raw.labor_halves / 2

    @property
    def section(self) -> str:
        """The section reached: "top", "middle" or "bottom"; "": no figure is placed."""
        return SECTIONS.get(self.raw.section, "unknown")

    @property
    def bottom_available(self) -> bool:
        """Whether the bottom action may still be used."""
        return self.raw.bottom_available

    @property
    def initiated(self) -> tuple[Card, ...]:
        """Tribe decks used in this turn: not again before the next."""
        return tuple([self._catalog.card(one) for one in self.raw.initiated_card_ids])

    @property
    def culture_cards_played(self) -> int:
        """Culture cards played in this turn; from the second on one costs a discard."""
        return self.raw.culture_cards_played

    @property
    def ready_abilities(self) -> tuple[ReadyAbility, ...]:
        """Abilities of played cards and of a held token that are not used yet."""
        return tuple([ReadyAbility(raw, self._catalog) for raw in self.raw.ready_abilities])

    @property
    def chief_abilities(self) -> tuple[int, ...]:
        """In the turn of the Chief figure: the Chief's abilities that are not used yet, from 0."""
        return tuple(self.raw.chief_abilities_ready)

    @property
    def resolved_hexes(self) -> tuple[int, ...]:
        """Eclipse: hexes resolved or passed in this Eclipse turn."""
        return tuple(self.raw.resolved_hexes)

    @property
    def agenda(self) -> tuple[Pending, ...]:
        """What is still to be resolved, the next first."""
        return tuple([Pending(raw, self._catalog) for raw in self.raw.agenda])

    def __repr__(self) -> str:
        return f"<Turn: round {self.round}, {self.phase}, seat {self.choosing_seat} chooses>"


class Column(Part[view_public_pb2.ColumnView]):
    """An Action Column of the main board."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """One of "initiate", "develop", "migrate" or "hunt"."""
        return SPACES.get(self.raw.column, "unknown")

    @property
    def figures(self) -> tuple[tuple[int, str], ...]:
        """Seat and kind ("chief", "tribe") of each figure in it."""
        return tuple([(one.seat, FIGURES.get(one.figure, "")) for one in self.raw.figures])

    @property
    def first_seat(self) -> int | None:
        """The seat that was there first in this round; None: nobody yet, the bottom is free."""
        return self.raw.first_seat if self.raw.HasField("first_seat") else None

    def __repr__(self) -> str:
        return f"<Column {self.name}: {len(self.figures)} figures>"
