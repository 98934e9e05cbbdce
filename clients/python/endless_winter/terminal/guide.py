"""The help: the game in one screen, and what keys and signs mean."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, ClassVar, Final

from rich.markup import render
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from endless_winter.terminal.screens import HELP

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

# A table whose lines fit the narrowest screen; the rest is wrapped where it is shown.
_COLUMNS: Final = """\
[b]          top: as often as you can pay            middle: once            bottom: first figure[/b]
[b]Initiate[/b]  Tribe card to hand 1 Labor, 1 Tool      recruit, bury 1 Food    an Idol, bury a card
[b]Develop[/b]   Culture card 3 Labor                    Sacred Stone as printed 1 Tool, 1 Food
[b]Migrate[/b]   Camp 1 Tool; Camp move 1 Labor          Village 3 Food, 3 Camps a Camp, a Camp move
[b]Hunt[/b]      reveal 1 Labor; Animal 1 Labor, 1 Tool  tip an Animal for free  the top Animal
[b]Rest[/b]      draw a card, then tip an Animal; no Tribe cards are played"""  # noqa: E501 # the marks are not shown
GAME: Final = f"""\
[b]Goal.[/b] The most points after four rounds.
[b]A round[/b] has an Action phase of three turns each, an Eclipse phase, in which the land that \
you lead gives its benefits, and a Preparation phase: figures come home, the supply is filled, \
everybody draws 5 cards. Rounds 1 and 2 are Era I, 3 and 4 are Era II; after round 4 comes final \
scoring.
[b]A turn.[/b] First Culture cards: one is free, each further one costs a discard. Then your \
Chief or one of your Tribe goes to work in a column, from the top section down; a section closes \
those above it.
{_COLUMNS}
The bottom is free, and only for the figure that was first in its column in this round. \
[b]Labor[/b] comes from Tribe cards that you play and from Food that you spend; it does not \
outlast the turn. After your third turn you lay cards from your hand face down onto your Eclipse \
pile.
[b]Eclipse.[/b] Labor of the piles, and 1½ for each figure at rest, makes the new turn order. In \
that order each takes the benefit of the place, the Eclipse abilities of the pile, every hex on \
which nobody has more Influence (a Camp has 1, a Village 2 on its three hexes), and then what \
Villages, Megaliths and Sacred Stones bring.
[b]Points at once:[/b] Sacred Stones in each Eclipse, stacked Megaliths, the last spaces of the \
Honor track, and wherever points are printed.
[b]Points in the end:[/b] Animals that are not tipped, of each type 1, 3, 6 or 10 for 1 to 4 of \
them. Buried cards, the more the further you are on the Honor track. Food and Tools, the more \
the further you are on the Offering track. What is printed on your Tribe and Culture cards, \
wherever they are."""

_CSS = """
Guide { align: center middle; background: #0b0d10 80%; }
Guide VerticalScroll {
  width: 100; max-width: 100%; height: 32; max-height: 100%; background: #1b2027; padding: 0 1;
  border: round #f2e2b0;
}
"""
_WIDTH: Final = 94
_PAGES: Final = (("The game", GAME), ("Keys and signs", HELP))


class Guide(ModalScreen[None]):
    """The game first: who knows it turns the page."""

    CSS = _CSS
    BINDINGS: ClassVar[list[BindingType]] = [
        ("tab,left,right", "turn", "Turn the page"),
        ("escape,q,question_mark,enter", "dismiss", "Close"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.page = 0

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static()

    def on_mount(self) -> None:
        self._show()

    def action_turn(self) -> None:
        self.page = 1 - self.page
        self._show()

    def _show(self) -> None:
        title, text = _PAGES[self.page]
        other = _PAGES[1 - self.page][0].lower()
        frame = self.query_one(VerticalScroll)
        frame.border_title = title
        frame.border_subtitle = f"Tab: {other} · ↑↓ scroll · Esc closes this page"
        frame.scroll_home(animate=False)
        self.query_one(Static).update(text)


def plain_game() -> list[str]:
    """The game in one screen, for the line mode."""
    lines = render(GAME).plain.splitlines()
    return [part for line in lines for part in ([line] if "   " in line else wrap(line, _WIDTH))]
