"""A player's board and cards as everybody sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.sdk.parts.part import Part
from endless_winter.sdk.parts.printed import SIDES
from endless_winter.v1 import view_public_pb2
from endless_winter.views.categories import category_name

if TYPE_CHECKING:
    from endless_winter.sdk.parts.printed import Animal, Card, Chief, Effect, SetupCard, Stone


class Herd(Part[view_public_pb2.AnimalHolding]):
    """A player's Animals of one type."""

    __slots__ = ()

    @property
    def animal(self) -> Animal:
        """The type."""
        return self._catalog.animal(self.raw.animal_id)

    @property
    def name(self) -> str:
        """The name of the type."""
        return self.animal.name

    @property
    def untipped(self) -> int:
        """Untipped cards: these score as a set."""
        return self.raw.untipped

    @property
    def tipped(self) -> int:
        """Tipped cards."""
        return self.raw.tipped

    def __repr__(self) -> str:
        return f"<Herd {self.raw.animal_id}: {self.untipped} untipped, {self.tipped} tipped>"


class Player(Part[view_public_pb2.PlayerView]):
    """A seat's board and cards as everybody sees them: `view.me`, `view.players[2]`."""

    __slots__ = ()

    @property
    def seat(self) -> int:
        """The seat, from 0."""
        return self.raw.seat

    @property
    def score(self) -> int:
        """Points so far."""
        return self.raw.score

    @property
    def points(self) -> dict[str, int]:
        """Where the points so far came from: `{"megaliths": 4}`; they add up to `score`."""
        return {category_name(part.category): part.points for part in self.raw.points}

    @property
    def food(self) -> int:
        """Food."""
        return self.raw.food

    @property
    def food_limit(self) -> int:
        """The most Food it can have now."""
        return self.raw.food_limit

    @property
    def tools(self) -> int:
        """Tools."""
        return self.raw.tools

    @property
    def camps_on_board(self) -> int:
        """Camps that are still on the player board."""
        return self.raw.camps_on_board

    @property
    def villages_on_board(self) -> int:
        """Villages that are still on the player board."""
        return self.raw.villages_on_board

    @property
    def neutral_megaliths(self) -> int:
        """Neutral Megaliths left to place."""
        return self.raw.neutral_megaliths

    @property
    def coloured_megaliths(self) -> int:
        """Megaliths of the own colour left to place."""
        return self.raw.coloured_megaliths

    @property
    def chief_available(self) -> bool:
        """Whether the Chief figure is at home."""
        return self.raw.chief_available

    @property
    def tribe_figures_available(self) -> int:
        """Tribe figures at home."""
        return self.raw.tribe_figures_available

    @property
    def figures_at_rest(self) -> int:
        """Figures on the Rest space."""
        return self.raw.figures_at_rest

    @property
    def turns_taken(self) -> int:
        """Figures placed in this round, 0 to 3."""
        return self.raw.turns_taken

    @property
    def chief(self) -> Chief | None:
        """The Chief card; None: not known yet."""
        found = self.raw.chief_id
        return self._catalog.chief(found) if found else None

    @property
    def chief_side(self) -> str:
        """The side of the Chief card: "a" or "b"; "": not chosen yet."""
        return SIDES.get(self.raw.chief_side, "unknown")

    @property
    def chief_abilities(self) -> tuple[Effect, ...]:
        """What the Chief can do; empty before its side is chosen."""
        chief = self.chief
        if chief is not None:
            for side in chief.sides:
                if side.side == self.chief_side:
                    return side.abilities
        return ()

    @property
    def setup_card(self) -> SetupCard | None:
        """The Setup card; None: not known yet."""
        found = self.raw.setup_card_id
        return self._catalog.setup_card(found) if found else None

    @property
    def offering_level(self) -> int:
        """Level on the Offering track; 0: below its first space."""
        return self.raw.offering_level

    @property
    def honor_level(self) -> int:
        """Level on the Honor track; 0: below its first space."""
        return self.raw.honor_level

    @property
    def honor_place(self) -> int:
        """Place on the Honor level from the left, 1 first; 0 on level 0."""
        return self.raw.honor_place

    @property
    def stones(self) -> tuple[Stone, ...]:
        """Sacred Stones, from left to right."""
        return tuple([self._catalog.stone(one) for one in self.raw.stone_ids])

    @property
    def animals(self) -> tuple[Herd, ...]:
        """Animals, by type."""
        return tuple([Herd(raw, self._catalog) for raw in self.raw.animals])

    @property
    def hand_count(self) -> int:
        """How many cards are in hand."""
        return self.raw.hand_count

    @property
    def deck_count(self) -> int:
        """How many cards are in the deck."""
        return self.raw.deck_count

    @property
    def discard_pile(self) -> tuple[Card, ...]:
        """The discard pile, each copy; its order does not matter."""
        return self._catalog.cards_of(self.raw.discard_pile)

    @property
    def played(self) -> tuple[Card, ...]:
        """Cards above the board: played in this turn."""
        return self._catalog.cards_of(self.raw.played)

    @property
    def buried_count(self) -> int:
        """How many cards are buried."""
        return self.raw.buried_count

    @property
    def eclipse_pile_count(self) -> int:
        """How many cards are on the Eclipse pile."""
        return self.raw.eclipse_pile_count

    @property
    def eclipse_pile(self) -> tuple[Card, ...]:
        """Tribe cards of the Eclipse pile once it is revealed; empty before."""
        return self._catalog.cards_of(self.raw.eclipse_pile)

    @property
    def eclipse_labor(self) -> float:
        """Labor of this round's Eclipse, which decides the turn order; 0 before it."""
        return self.raw.eclipse_labor_halves / 2

    @property
    def owned(self) -> tuple[Card, ...]:
        """All cards that it owns, wherever they are; not for the Nomad."""
        return self._catalog.cards_of(self.raw.owned)

    @property
    def forfeited(self) -> bool:
        """Whether it is played by defaults after a forfeit."""
        return self.raw.forfeited

    def __repr__(self) -> str:
        return (
            f"<Player {self.seat}: {self.score} points, {self.food} Food, {self.tools} Tools, "
            f"{self.hand_count} cards in hand>"
        )
