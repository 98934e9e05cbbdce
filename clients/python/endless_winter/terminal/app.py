"""The full-screen client: keys, the mouse, and updates of a table."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, ClassVar

from textual.app import App
from textual.geometry import Region
from textual.screen import Screen
from textual.widget import Widget

from endless_winter.terminal import sheet as sheets
from endless_winter.terminal.advice import advice
from endless_winter.terminal.canvas import Canvas
from endless_winter.terminal.desk import Desk
from endless_winter.terminal.guide import Guide
from endless_winter.terminal.panels.decision import REMATCH
from endless_winter.terminal.screens import LookUp
from endless_winter.terminal.table import Lost, Refused
from endless_winter.terminal.why import WhyNot

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.strip import Strip

    from endless_winter.sdk import Option
    from endless_winter.terminal.picker import Picker
    from endless_winter.terminal.sheet import Sheet
    from endless_winter.terminal.table import Table


class Drawing(Widget):
    """The sheet on the screen. Only lines that changed are painted again: it may be a slow line."""

    def __init__(self, sheet: Sheet) -> None:
        super().__init__()
        self.sheet = sheet
        self.canvas = Canvas(1, 1)
        self._strips: list[Strip] = []

    def redraw(self) -> None:
        width, height = self.size
        if not width or not height:
            return
        self.canvas = sheets.draw(self.sheet, width, height)
        before, self._strips = self._strips, [self.canvas.strip(y) for y in range(height)]
        if len(before) != height or before[0].cell_length != width:
            self.refresh()
            return
        changed = [
            Region(0, y, width, 1)
            for y, strip in enumerate(self._strips)
            if list(strip) != list(before[y])
        ]
        if changed:
            self.refresh(*changed)

    def render_line(self, y: int) -> Strip:
        return self._strips[y] if y < len(self._strips) else self.canvas.strip(y)

    def on_resize(self) -> None:
        self.redraw()


_FAR = 1_000_000  # more steps than any game has


class TableScreen(Screen[None]):
    """The table: everything but help and look-up."""

    def __init__(self, table: Table, *, confirm: bool = True, rematch: bool = False) -> None:
        super().__init__()
        self.table = table
        self.desk = Desk(stepping=table.can_step, confirm=confirm, rematch=rematch)
        self.drawing = Drawing(self.desk.sheet)
        self._painting = False

    @property
    def sheet(self) -> Sheet:
        return self.desk.sheet

    def compose(self) -> ComposeResult:
        yield self.drawing

    def on_mount(self) -> None:
        self.run_worker(self._follow(), name="updates")
        self.set_interval(1.0, self._tick)

    # --- updates and choices ---

    async def _follow(self) -> None:
        try:
            async for update in self.table.updates():
                self.desk.show(update, time.monotonic())
                self.repaint()
        except Lost as error:
            self.desk.give_up(str(error))
            self.repaint()

    def _tick(self) -> None:
        if self.desk.tick(time.monotonic(), self.table.trouble()):
            self.repaint()

    def pick(self, option: Option) -> None:
        """Choose; what cannot be taken back is asked for once more."""
        picker = self.sheet.picker
        if picker is not None and self.desk.pick(option):
            self.run_worker(self._send(self.table.choose(picker.decision, option)))
        self.repaint()

    def undo(self) -> None:
        picker = self.sheet.picker
        if picker is not None and self.sheet.can_undo and not self.desk.sending:
            self.run_worker(self._send(self.table.undo(picker.decision)))
        else:
            self.sheet.note = "Nothing can be taken back now."

    async def _send(self, sending: Awaitable[None]) -> None:
        try:
            await sending
        except Refused as error:
            self.desk.refused(str(error))
            self.repaint()

    # --- the drawing ---

    def repaint(self) -> None:
        """Draw soon: one key may change several things, and they are drawn once."""
        self.desk.set_scene()
        if not self._painting:
            self._painting = True
            self.call_later(self._paint)

    def _paint(self) -> None:
        self._painting = False
        self.drawing.redraw()

    # --- keys ---

    def on_key(self, event: events.Key) -> None:
        act = _KEYS.get(event.key)
        if act is not None:
            act(self)
        elif event.character is None or not self._letter(event.character):
            return
        event.stop()
        event.prevent_default()
        self.repaint()

    def _letter(self, letter: str) -> bool:
        """A page, a command or an option; False: none of them."""
        page = next((one.name for one in self.desk.pages() if one.key == letter), None)
        if letter == REMATCH and self.desk.over and self.sheet.rematch:
            self.play_again()
        elif page is not None:
            self.desk.open_page(page)
        elif letter in _LETTERS:
            _LETTERS[letter](self)
        else:
            picker = self.sheet.picker
            option = picker.by_key(letter) if picker is not None else None
            if option is None:
                return False
            self.pick(option)
        return True

    def enter(self) -> None:
        if self.sheet.picker is not None:
            self.pick(self.sheet.picker.current)

    def far(self, by: int, steps: int) -> None:
        """Through the steps of a replay, or else through the options."""
        if self.desk.stepping:
            self.table.step(steps)
        else:
            self.desk.move(by)

    def aside(self, by: int) -> None:
        """Left and right: through the steps of a replay, or else through the pages."""
        if self.desk.stepping:
            self.table.step(by)
        else:
            self.desk.next_page(by)

    def look_up(self) -> None:
        if self.sheet.scene is not None:
            self.app.push_screen(LookUp(self.sheet.scene.catalog, self.desk.subject()))

    def help(self) -> None:
        self.app.push_screen(Guide())

    def hint(self) -> None:
        """Ask what a good player would do; it is worked out aside, and the screen goes on."""
        picker, scene = self.sheet.picker, self.sheet.scene
        if picker is None or scene is None or self.desk.sending:
            self.sheet.note = "There is nothing to choose now."
        else:
            self.sheet.note = "Thinking of a hint …"
            self.run_worker(self._hint(picker), name="hint")

    async def _hint(self, picker: Picker) -> None:
        view = self.desk.view
        assert view is not None
        option, text = await asyncio.to_thread(advice, picker.decision, view)
        if self.sheet.picker is picker:  # else the choice has been made meanwhile
            self.desk.advise(option, text)
            self.repaint()

    def why_not(self) -> None:
        """What the turn offers, and why some of it is closed."""
        picker = self.sheet.picker
        if picker is None or not picker.decision.offers:
            self.sheet.note = "Why not: w explains the actions once your figure is placed."
        else:
            self.app.push_screen(WhyNot(picker.decision))

    def play_again(self) -> None:
        """A rematch: the screen closes, and the same game begins anew."""
        app = self.app
        assert isinstance(app, TableApp)
        app.again = True
        app.exit(return_code=0)

    def give_up(self) -> None:
        """Leave for good: others need not wait."""
        if self.desk.gives_up():
            self.run_worker(self._give_up())

    async def _give_up(self) -> None:
        try:
            await self.table.leave()
        except Refused as error:
            self.desk.refused(str(error))
            self.repaint()
            return
        self.desk.lost = "You have given up your seat; the game goes on without you."
        self.app.exit(return_code=0)

    def leave(self) -> None:
        self.app.exit(return_code=1 if self.desk.lost else 0)

    # --- the mouse ---

    def on_click(self, event: events.Click) -> None:
        place = self.drawing.canvas.place_at(event.screen_x, event.screen_y)
        if place is None:
            return
        if place.kind == "page":
            self.desk.open_page(str(place.which))
        elif place.kind == "key":
            self._footer(str(place.which))
        else:
            option = self.desk.point(place)
            if option is not None:
                self.pick(option)
        self.repaint()

    def _footer(self, key: str) -> None:
        """A click on a key that the last line names."""
        if key == "Enter":
            self.enter()
        elif key == "Tab":
            self.desk.next_page()
        elif len(key) == 1:
            self._letter(key)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        place = self.drawing.canvas.place_at(event.screen_x, event.screen_y)
        if place != self.sheet.hover:
            self.sheet.hover = place
            self.repaint()

    def on_mouse_scroll_down(self) -> None:
        self.desk.move(1)
        self.repaint()

    def on_mouse_scroll_up(self) -> None:
        self.desk.move(-1)
        self.repaint()


_KEYS: dict[str, Callable[[TableScreen], None]] = {
    "up": lambda s: s.desk.move(-1),
    "down": lambda s: s.desk.move(1),
    "pageup": lambda s: s.far(-8, -10),
    "pagedown": lambda s: s.far(8, 10),
    "home": lambda s: s.far(-_FAR, -_FAR),
    "end": lambda s: s.far(_FAR, _FAR),
    "left": lambda s: s.aside(-1),
    "right": lambda s: s.aside(1),
    "enter": TableScreen.enter,
    "escape": lambda s: s.desk.say_no(),
    "ctrl+x": TableScreen.give_up,
    "tab": lambda s: s.desk.next_page(1),
    "shift+tab": lambda s: s.desk.next_page(-1),
}
_LETTERS: dict[str, Callable[[TableScreen], None]] = {
    "?": TableScreen.help,
    "/": TableScreen.look_up,
    "!": TableScreen.hint,
    "q": TableScreen.leave,
    "u": TableScreen.undo,
    "c": lambda s: s.desk.switch_confirm(),
    "e": lambda s: s.table.switch_eyes(),
    "w": TableScreen.why_not,
}


class TableApp(App[None]):
    """The client."""

    CSS = "Screen { background: #14171c; } Drawing { width: 100%; height: 100%; }"
    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False  # a click is a choice
    BINDINGS: ClassVar[list[BindingType]] = [("ctrl+q,ctrl+c", "quit", "Leave")]
    TITLE = "Endless Winter"

    def __init__(self, table: Table, *, confirm: bool = True, rematch: bool = False) -> None:
        """`rematch`: the same game can be played again when it is over."""
        super().__init__()
        self.table = table
        self.again = False
        """Whether it is to be."""
        self.at_table = TableScreen(table, confirm=confirm, rematch=rematch)

    def on_mount(self) -> None:
        self.push_screen(self.at_table)

    async def action_quit(self) -> None:
        """Ctrl+Q and Ctrl+C leave as q does, also from help and look-up."""
        self.at_table.leave()

    @property
    def farewell(self) -> str:
        """The last line, for when the screen is closed."""
        return self.at_table.desk.farewell()

    @property
    def over(self) -> bool:
        """Whether the game was played to its result."""
        return self.at_table.desk.over

    async def on_unmount(self) -> None:
        await asyncio.shield(self.table.close())
