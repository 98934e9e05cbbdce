"""What keys and signs mean, and the look-up of components."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option as Item

from endless_winter.terminal.lookup import Entry, entries, search

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from endless_winter.sdk import Catalog

HELP = """\
[b]Choosing[/b]
Every question lists all that you may do. The key before an option picks it; ↑ and ↓ move in the \
list, and the place that an option concerns shines on the board. Enter does it. What cannot be \
taken back is asked once more: Enter says yes, Esc says no (c switches that off). u takes back \
your last choice, as long as nothing hidden was revealed and nobody else has chosen. Once your \
figure is placed, w says what its column offers, what that costs, and why some of it is closed.
[b]The mouse[/b]
A click on a hex, a juncture, a column, a card or a stone picks the option that concerns it. If \
there are several, only those are listed; Esc lists all again. Underlined things can be chosen.
[b]Pages[/b]
t Terrain · m Megaliths · s Supply · v River · p Players and Idol board · n Nomad · l Log · \
r Result. Tab turns the page; larger windows show several. PgUp and PgDn move in the log. \
/ looks up any card. [b]![/b] gives a hint: what a good player would do now, and why.
[b]Signs[/b]
A B C D are the seats, each with its colour. On a hex A2 are two Camps of A, A2♦4 two Camps and \
Influence 4. ⌂A is a Village, ◇7 a juncture to choose. ★ is a Chief figure, ● a Tribe figure. m \
and b in a column: its middle and bottom action can still be had. • marks what changed since your \
last turn. A² on the Megalith board is a Megalith of A on the second level, ▒▒ a neutral one. 1½L \
is one and a half Labor, 2p are 2 points at the end, 2F on a hex are 2 Food.
[b]A turn[/b]
1. Play Culture cards (the first is free). 2. Place a figure and use its column: the top actions \
as often as you can pay, the middle one once, the bottom one if yours is the first figure there. \
Tribe cards from your hand give Labor. 3. Played cards are discarded. After the third turn you \
lay cards on your Eclipse pile: their Labor makes the next turn order.
[b]Leaving[/b]
q leaves; the game waits, and ew play --resume brings you back. Ctrl+X gives up your seat for \
good. After the end a plays the same game again.
[b]Rivers & Rafts, the Mammoth[/b]
≈ is the river and its arrows its course, from the Headwaters to the Delta; a name with ≈ is on a \
River tile too. ≡A is a Raft of A, \\[A2] a Starting Base with two Camps, \\[  ] where one can be \
attached, ◈ a Landmark, Mm the Mammoth. v shows the river as text."""

_CSS = """
LookUp { align: center middle; background: #0b0d10 80%; }
LookUp Vertical {
  width: 98; max-width: 100%; height: 30; max-height: 100%; background: #1b2027; padding: 0 2;
  border: round #f2e2b0;
}
LookUp Input { height: 3; }
LookUp OptionList { height: 10; background: #14171c; border: none; }
LookUp VerticalScroll {
  height: 1fr; width: 100%; padding: 1 0 0 0; background: #1b2027; border: none;
}
"""


class LookUp(ModalScreen[None]):
    """Type a few letters of a card, Animal, Stone or space, and read what it does."""

    CSS = _CSS
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss", "Close")]

    def __init__(self, catalog: Catalog, words: str = "") -> None:
        super().__init__()
        self._entries = entries(catalog)
        self._words = words
        self._found: list[Entry] = []

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Input(self._words, placeholder="Type a name or a word, for example: bury")
            yield OptionList()
            with VerticalScroll():
                yield Static(id="text")

    def on_mount(self) -> None:
        self.query_one(Input).focus()
        self._search(self._words)

    def on_input_changed(self, event: Input.Changed) -> None:
        self._search(event.value)

    def _search(self, words: str) -> None:
        self._found = search(self._entries, words)
        listed = self.query_one(OptionList)
        listed.clear_options()
        listed.add_options(
            Item(Text.assemble((f"{entry.title:<24}", "bold"), (entry.kind, "dim")))
            for entry in self._found
        )
        if self._found:
            listed.highlighted = 0
        self._say()

    def on_key(self, event: events.Key) -> None:
        """Up and down move in the list while the letters go on into the field."""
        listed = self.query_one(OptionList)
        if event.key in ("up", "down") and self.focused is not listed:
            if event.key == "up":
                listed.action_cursor_up()
            else:
                listed.action_cursor_down()
            event.stop()
            event.prevent_default()

    def on_option_list_option_highlighted(self) -> None:
        self._say()

    def _say(self) -> None:
        page = self.query_one("#text", Static)
        number = self.query_one(OptionList).highlighted
        if not self._found or number is None or number >= len(self._found):
            page.update("Nothing printed has these words.")
            return
        entry = self._found[number]
        text = Text.assemble((entry.title, "bold #f2e2b0"), (f"  {entry.kind}\n\n", "dim"))
        text.append("\n".join(entry.lines))
        page.update(text)
