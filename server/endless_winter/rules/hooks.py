"""Where a module or an expansion plugs into the base game.

A module is one object without state of its own: what it has on the table is bytes in
`position.module_state[index]`. The base code calls these named points and knows no module; a
module that needs another point adds it here, with a body that does nothing.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from endless_winter.rules.state import Position


class Module:
    """The named points. Each method of this class is "nothing happens"."""

    name: str = ""

    def set_up(self, position: "Position", index: int) -> None:
        """The last step of set-up, all boards being laid out."""

    def camp_entered(self, position: "Position", index: int, hex_: int) -> None:
        """A Camp was moved onto a hex, for good or on its way."""

    def village_placed(self, position: "Position", index: int, seat: int, juncture: int) -> None:
        """A Village was placed; what it brings goes onto the agenda."""

    def rest_begun(self, position: "Position", index: int, seat: int) -> None:
        """A figure was placed on the Rest space; nothing of Rest has happened yet."""

    def act_options(self, position: "Position", index: int, seat: int, found: list[int]) -> None:
        """What the module adds to the list of step 2."""

    def act(self, position: "Position", index: int, seat: int, code: int) -> bool:
        """Carry out an option of step 2 if it is the module's own."""
        return False

    def turn_ended(self, position: "Position", index: int, seat: int) -> None:
        """Step 3 of a turn is over."""

    def prepared(self, position: "Position", index: int) -> None:
        """The end of the Preparation phase."""

    def options(self, position: "Position", index: int, seat: int) -> list[int]:
        """The options of a decision that the module has put on the agenda."""
        return []

    def choose(self, position: "Position", index: int, seat: int, code: int) -> None:
        """Carry out one of them; its record has left the agenda."""

    def check(self, position: "Position", index: int) -> str:
        """What is wrong with the module's state in a written position; empty: nothing."""
        return ""
