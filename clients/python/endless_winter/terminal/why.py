"""The page "why not": what the turn offers, open and closed, with costs and reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from endless_winter.terminal.text import lines_of

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from endless_winter.sdk import Decision

_CSS = """
WhyNot { align: center middle; background: #0b0d10 80%; }
WhyNot VerticalScroll {
  width: 98; max-width: 100%; height: 30; max-height: 100%; background: #1b2027; padding: 0 2;
  border: round #f2e2b0;
}
"""


class WhyNot(ModalScreen[None]):
    """Everything that the place of the figure offers in this turn."""

    CSS = _CSS
    BINDINGS: ClassVar[list[BindingType]] = [("escape,q,w,enter", "dismiss", "Close")]

    def __init__(self, decision: Decision) -> None:
        super().__init__()
        self._decision = decision

    def compose(self) -> ComposeResult:
        with VerticalScroll() as page:
            page.border_title = "What this turn offers"
            page.border_subtitle = "↑↓ scroll · Esc closes this page"
            yield Static(offers_text(self._decision))


def offers_text(decision: Decision) -> Text:
    """Closed and open actions, one to a line."""
    text = Text()
    for title, offers, style in (
        ("Closed now", decision.closed, "#ffb0a0"),
        ("Open now", [one for one in decision.offers if one.is_open], "#8fe08f"),
    ):
        if offers:
            text.append(f"{title}\n", "bold #f2e2b0")
            for line in lines_of(offers):
                text.append("· ", style)
                text.append(f"{line}\n")
            text.append("\n")
    text.append(
        "Sections go from the top to the bottom: the top actions as often as you can pay, the "
        "middle one once, the bottom one once if yours is the first figure of the round there. A "
        "later section closes the earlier ones. Labor left at the end of the turn is lost.",
        "dim",
    )
    return text
