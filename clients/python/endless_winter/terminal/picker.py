"""Picking an option: by key, by arrows and Enter, or by the place it concerns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.terminal.places import Place, places_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endless_winter.sdk import Decision, Option

# Letters that the screen itself needs: pages of the board area and commands.
COMMANDS = "tmsvpnlrucqew"
KEYS = "123456789" + "".join(
    letter for letter in "abcdefghijklmnopqrstuvwxyz" if letter not in COMMANDS
)
KEYS += KEYS[9:].upper() + COMMANDS.upper() + "0-"


class Picker:
    """The options of one decision, a cursor among those that are shown."""

    def __init__(self, decision: Decision, river_hexes: Sequence[int] = ()) -> None:
        self.decision = decision
        self.places: tuple[tuple[Place, ...], ...] = tuple(
            places_of(option.raw.move, decision.raw.decision.pool, river_hexes)
            for option in decision.options
        )
        self.narrowed: Place | None = None
        self.shown: tuple[Option, ...] = decision.options
        self.cursor = 0
        self.offered = frozenset(place for found in self.places for place in found)

    @property
    def current(self) -> Option:
        return self.shown[self.cursor]

    @property
    def lit(self) -> frozenset[Place]:
        """What the option under the cursor concerns."""
        return frozenset(self.places[self.current.id])

    @property
    def main(self) -> Place | None:
        """The most specific of them."""
        found = self.places[self.current.id]
        return found[0] if found else None

    def move(self, by: int) -> None:
        self.cursor = max(0, min(len(self.shown) - 1, self.cursor + by))

    def key_of(self, option: Option) -> str:
        """The key that picks an option; it stays the same when the list is narrowed."""
        return KEYS[option.id] if option.id < len(KEYS) else ""

    def by_key(self, key: str) -> Option | None:
        """The option of a key; the cursor goes there."""
        number = KEYS.find(key) if len(key) == 1 else -1
        if not 0 <= number < len(self.decision.options):
            return None
        option = self.decision.options[number]
        self.go_to(option)
        return option

    def go_to(self, option: Option) -> None:
        if option not in self.shown:
            self.widen()
        self.cursor = self.shown.index(option)

    def by_place(self, place: Place) -> Option | None:
        """What a click on a place means: the one option for it; several narrow the list."""
        if place.kind == "option" and isinstance(place.which, int):
            option = self.decision.options[place.which]
            self.go_to(option)
            return option
        found = [one for one in self.shown if place in self.places[one.id]]
        if self.narrowed not in (None, place):
            # After "from here" comes "to there": where it goes decides.
            found = [one for one in found if self.places[one.id][0] == place] or found
        if not found:
            found = [one for one in self.decision.options if place in self.places[one.id]]
        if len(found) == 1:
            self.go_to(found[0])
            return found[0]
        if found:
            self.shown = tuple(found)
            self.narrowed = place
            self.cursor = 0
        return None

    def widen(self) -> None:
        """Show all options again."""
        current = self.current
        self.narrowed = None
        self.shown = self.decision.options
        self.cursor = self.shown.index(current)
