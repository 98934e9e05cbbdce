"""What keys, clicks and updates do to the sheet; nothing here knows of a screen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from endless_winter.sdk.since import SinceLastTurn, lost_leads
from endless_winter.terminal import sheet as sheets
from endless_winter.terminal.changes import changed_places
from endless_winter.terminal.event_text import EventText, Line
from endless_winter.terminal.finality import why_final
from endless_winter.terminal.panels.log import verdict
from endless_winter.terminal.picker import Picker
from endless_winter.terminal.recap import recap
from endless_winter.terminal.scene import Scene
from endless_winter.terminal.seats import clean
from endless_winter.terminal.sheet import Sheet

if TYPE_CHECKING:
    from endless_winter.sdk import Option, View
    from endless_winter.terminal.panels import Panel
    from endless_winter.terminal.places import Place
    from endless_winter.terminal.table import TableUpdate
    from endless_winter.v1 import clock_pb2, view_public_pb2


_MOST_LINES = 2000  # of the log


class Desk:
    """One player's side of a table, or a spectator's."""

    def __init__(
        self, *, stepping: bool = False, confirm: bool = True, rematch: bool = False
    ) -> None:
        """`stepping`: it is a replay. `rematch`: the same game can be played again."""
        self.stepping = stepping
        self.confirm = confirm
        self.sheet = Sheet(step=(0, 0) if stepping else None, rematch=rematch)
        self.lines: list[Line] = []
        self.sending = False
        self.lost = ""
        self._slow = False  # the last choice has not been answered for a second
        self.view: View | None = None
        self._base: Scene | None = None
        self._since: SinceLastTurn | None = None
        self._left: view_public_pb2.PublicView | None = None  # at the end of the own last turn
        self._clock: tuple[clock_pb2.ClockReading, float] | None = None
        self._back = 0
        self.leaving = False  # whether giving the seat up was asked for once

    # --- updates ---

    def show(self, update: TableUpdate, now: float) -> None:
        """Take in what is new; a decision puts the cursor on its first option."""
        sheet = self.sheet
        sheet.waiting = update.waiting
        if update.waiting:
            sheet.picker, sheet.asking = None, None
            return
        last_seen = self._base.public if self._base is not None else None
        if update.view is not None:
            self.view = update.view
            self._base = Scene.of(update.view, mine=not self.stepping)
        self._log(update)
        self._look_back(update, last_seen)
        self._end(update)
        if update.clock is not None:
            self._clock = (update.clock, now)
        if self.stepping:
            sheet.step = update.step
        before = sheet.picker.decision.id if sheet.picker is not None else None
        if update.decision is None or update.decision.id != before:
            sheet.asking, sheet.note = None, ""
            sheet.picker = None
            if update.decision is not None:
                sheet.picker = Picker(update.decision, self._river_hexes())
            sheet.can_undo = update.decision is not None and update.decision.can_undo
            self.sending = False
            self._turn_page()
        self._read_clocks(now)

    def _log(self, update: TableUpdate) -> None:
        if update.fresh:
            self.lines.clear()
        if self._base is not None:
            text = EventText(self._base.catalog, self._base.name, self._river_hexes())
            self.lines += map(_cleaned, text.lines(update.events))
            del self.lines[:-_MOST_LINES]

    def _look_back(self, update: TableUpdate, before: view_public_pb2.PublicView | None) -> None:
        """What happened since the own last turn, what of it was done to us, and where."""
        base = self._base
        if self.stepping or base is None or base.seat is None:
            return
        if update.fresh or self._since is None:
            self._since = SinceLastTurn(base.seat)
            self._left = None
        since = self._since
        beginning = since.events
        since.take(update.events)
        if not since.events or self._left is None:
            self._left = base.public
        elif since.events is not beginning:  # the own turn ended within this update
            self._left = before
        if self._left is None:
            return
        name = base.name
        text = EventText(base.catalog, name, self._river_hexes())
        lines = [
            Line(
                f"{name(lost.by)} {'leads' if lost.by != base.seat else 'lead'} on hex {lost.hex} "
                f"now: Influence {lost.theirs} to your {lost.own}",
                lost.by,
            )
            for lost in lost_leads(self._left, base.public, base.seat)
        ]
        self._base = replace(
            base,
            since=tuple(map(_cleaned, recap(text, since.events))),
            to_me=tuple(map(_cleaned, [*text.lines(since.done_to_me), *lines])),
            changed=changed_places(since.events, base.catalog),
        )

    def _river_hexes(self) -> tuple[int, ...]:
        return tuple(self._base.public.rivers.river_hexes) if self._base is not None else ()

    def _end(self, update: TableUpdate) -> None:
        """Show the result; a replay can step back before it."""
        if self._base is None or update.result is None:
            return
        self._base = self._base.ended(update.result)
        if not self.stepping:
            self._clock = None
            self.sheet.clocks = {}
            self.sheet.page = "Result"

    def give_up(self, why: str) -> None:
        """The game cannot go on here."""
        self.lost = why
        self.sheet.picker = None
        self.sheet.waiting = f"{why} (q leaves)"

    def tick(self, now: float, trouble: str) -> bool:
        """A second has passed; whether anything is to be shown for it."""
        changed = self._read_clocks(now)
        if self.sending:
            if self._slow and not trouble:
                trouble = "Sending your choice …"
            self._slow = True
        if trouble and self.sheet.note != trouble:
            self.sheet.note, changed = trouble, True
        return changed

    def _read_clocks(self, now: float) -> bool:
        """Work out what the clocks show; whether that changed."""
        if self._clock is None:
            return False
        reading, since = self._clock
        before = self.sheet.clocks
        self.sheet.clocks = clocks_of(reading, 0.0 if self.stepping else now - since)
        return self.sheet.clocks != before

    def set_scene(self) -> None:
        """Put together what is to be drawn."""
        if self._base is not None:
            scene = self._base.pointing(self.sheet.picker)
            self.sheet.scene = scene.with_log(tuple(self.lines), self._back)

    def farewell(self) -> str:
        """The last line, for when the screen is closed."""
        scene = self.sheet.scene
        if self.lost:
            return self.lost
        if scene is not None and scene.result is not None:
            return f"The game is over: {verdict(scene)}."
        return "" if scene is None or scene.seat is None or self.stepping else "The game waits."

    # --- choosing ---

    def pick(self, option: Option) -> bool:
        """A choice was made; False: it is asked for once more, or cannot be sent now."""
        sheet = self.sheet
        if self.sending or sheet.picker is None or sheet.scene is None:
            return False
        sheet.picker.go_to(option)
        self._turn_page()
        why = why_final(option, sheet.picker.decision, sheet.scene) if self.confirm else ""
        if why and sheet.asking != option:
            sheet.asking, sheet.why = option, why
            return False
        sheet.asking, sheet.note = None, ""
        self.sending, self._slow = True, False
        return True

    @property
    def over(self) -> bool:
        return self._base is not None and self._base.result is not None

    def gives_up(self) -> bool:
        """The seat is to be given up for good; False: that is asked for once more, or cannot be."""
        scene = self.sheet.scene
        if scene is None or scene.seat is None or self.stepping or self.over:
            self.sheet.note = "There is no seat to give up."
            return False
        if not self.leaving:
            self.leaving = True
            self.sheet.note = (
                "Give up your seat for good? The game goes on without you. "
                "Ctrl+X once more: yes · Esc: no. (q only leaves the screen: the game waits.)"
            )
            return False
        return True

    def advise(self, option: Option, words: str) -> None:
        """A hint: the cursor goes to the option, which is not chosen by that."""
        if self.sheet.picker is not None:
            self.sheet.picker.widen()
            self.sheet.picker.go_to(option)
            self._turn_page()
        self.sheet.asking, self.sheet.note = None, words

    def refused(self, words: str) -> None:
        self.sending = False
        self.sheet.note = words

    def point(self, place: Place) -> Option | None:
        """A click on a place: the option that it means; several narrow the list."""
        picker = self.sheet.picker
        if picker is None:
            return None
        option = picker.by_place(place)
        if option is None and picker.narrowed is not None:
            self.sheet.asking = None
            self._turn_page()
        return option

    def move(self, by: int) -> None:
        """Up and down: through the options, or through the log where there are none."""
        picker = self.sheet.picker
        if picker is None or (self.sheet.page == "Log" and abs(by) > 1):
            self._back = max(0, min(self._back - by, len(self.lines)))
            return
        picker.move(by)
        self.sheet.asking = None
        self._turn_page()

    def say_no(self) -> None:
        """Esc: no to the question, or all options again."""
        sheet = self.sheet
        self.leaving = False
        if sheet.asking is not None:
            sheet.asking = None
        elif sheet.picker is not None and sheet.picker.narrowed is not None:
            sheet.picker.widen()
        sheet.note = ""

    def switch_confirm(self) -> None:
        self.confirm = not self.confirm
        self.sheet.note = (
            "Asks before what cannot be taken back."
            if self.confirm
            else "No more questions before what cannot be taken back (c: ask again)."
        )

    # --- pages ---

    def pages(self) -> list[Panel]:
        return sheets.pages(self.sheet.scene) if self.sheet.scene is not None else []

    def open_page(self, name: str) -> None:
        self.sheet.page = name
        self._back = 0

    def next_page(self, by: int = 1) -> None:
        names = [panel.name for panel in self.pages()]
        if names:
            now = names.index(self.sheet.page) if self.sheet.page in names else 0
            self.open_page(names[(now + by) % len(names)])

    def _turn_page(self) -> None:
        """Turn to the page that shows what the option under the cursor concerns."""
        picker = self.sheet.picker
        if picker is None:
            return
        found = [sheets.page_of(place) for place in picker.places[picker.current.id]]
        page = next((one for one in found if one is not None), None)
        if page is not None and page not in self.sheet.shown:
            self.sheet.page = page

    def subject(self) -> str:
        """The name of what is pointed at, to begin a look-up with."""
        scene, picker = self.sheet.scene, self.sheet.picker
        place = picker.main if picker is not None else None
        if place is None or scene is None:
            return ""
        which = str(place.which)
        if place.kind == "culture":
            display = scene.public.supply.culture_display
            which = next((one.card_id for one in display if one.space == place.which), "")
        elif place.kind == "hex":
            which = scene.public.terrain.hexes[int(which)].terrain_id
        return scene.catalog.title(which) if which in scene.catalog.items else ""


def _cleaned(line: Line) -> Line:
    return line._replace(text=clean(line.text))


def clocks_of(reading: clock_pb2.ClockReading, passed: float) -> dict[int, str]:
    """What each clock shows, so many seconds after it was read."""
    limit = None
    if reading.HasField("deadline_unix_ms"):
        limit = (reading.deadline_unix_ms - reading.server_time_unix_ms) / 1000 - passed
    found = {}
    for one in reading.seats:
        left = one.bank_ms / 1000 if one.HasField("bank_ms") else None
        if one.running:
            left = left - passed if left is not None else limit
        if left is not None:
            found[one.seat] = _face(int(max(left, 0)))
    return found


def _face(seconds: int) -> str:
    hours, rest = divmod(seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
