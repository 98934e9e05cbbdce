"""The right-hand side: the question, its options, and what the one in question means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style

from endless_winter.terminal.canvas import DIM, GROUND, HEAD, cut, wrapped
from endless_winter.terminal.panels.log import verdict
from endless_winter.terminal.panels.look import LIT, heading
from endless_winter.terminal.places import option_place
from endless_winter.terminal.text import enum_name, labor, lines_of
from endless_winter.terminal.view_text import place_text
from endless_winter.v1 import enums_pb2 as enums

if TYPE_CHECKING:
    from endless_winter.sdk import Decision, Option
    from endless_winter.terminal.canvas import Canvas
    from endless_winter.terminal.picker import Picker
    from endless_winter.terminal.scene import Scene
    from endless_winter.terminal.sheet import Sheet

_QUESTION = Style(color="#ffffff", bgcolor="#14171c", bold=True)
_KEY = Style(color="#ffe14d", bgcolor="#14171c", bold=True)
_ASK = Style(color="#ffffff", bgcolor="#7a2f2f", bold=True)
_WAIT = Style(color="#ffd9a0", bgcolor="#3a2f1c")
_NOTE = Style(color="#ffb0a0", bgcolor="#14171c")
_ABOUT = 4  # lines under the list
_LEAST_LIST = 5  # a free line, a heading, and three lines below it
REMATCH = "a"  # the key that plays the same game again
_NAMES: dict[int, str] = {
    enums.ICON_DRAW: "card to draw",
    enums.ICON_BURY: "card to bury",
    enums.ICON_CAMP_MOVE: "Camp move",
    enums.ICON_CAMP_MOVE_OPPONENT: "move of an opponent's Camp",
    enums.ICON_CAMP_MARCH: "Camp move from hex to hex",
    enums.ICON_MEGALITH_BY_ARROW: "Megalith by the arrow",
    enums.ICON_TRIBE_TO_HAND: "Tribe card into hand",
    enums.ICON_TRIBE_TO_DISCARD: "Tribe card to the discard pile",
    enums.ICON_CULTURE: "Culture card",
    enums.ICON_ANIMAL_TOP: "Animal of the deck",
    enums.ICON_ANIMAL_REVEAL: "Animal to reveal",
    enums.ICON_ANIMAL_TIP: "Animal to tip",
    enums.ICON_SACRED_STONE: "Sacred Stone",
    enums.ICON_SCORE_STONE: "Sacred Stone to score",
    enums.ICON_FOOD_TO_LIMIT: "Food up to the limit",
}


_SHORTER = (
    ("the Sacred Stone ", "the "),
    ("Move the Raft ", "Raft "),
    ("Put the Mammoth on ", "Mammoth to "),
    ("Attach the Starting Base to ", "Starting Base at "),
)
_STARTS = {"hex": "", "starting_base_of_seat": "your Base"}


def draw(sheet: Sheet, scene: Scene, canvas: Canvas) -> None:
    y = 0
    canvas.write(0, y, "─" * canvas.width, DIM + Style(color="#3a414d"))
    y += 1
    if sheet.waiting:
        y = _block(canvas, y, sheet.waiting, _WAIT)
    if sheet.picker is not None:
        _decision(sheet, sheet.picker, scene, canvas, y)
        return
    if scene.result is not None:
        y = _block(canvas, y, f"The game is over: {verdict(scene)}.", _QUESTION)
        y = _block(canvas, y + 1, "r shows where the points came from, q leaves.", GROUND)
        if sheet.rematch:
            y = _block(canvas, y, f"{REMATCH} plays the same game again.", GROUND)
    elif not sheet.waiting:
        y = _block(canvas, y, _others(scene), GROUND)
    if sheet.step is not None:
        y = _block(canvas, y + 1, "A replay: arrows step, Home and End jump.", DIM)
    if sheet.note:
        y = _block(canvas, y + 1, sheet.note, _NOTE)
    if "Log" not in sheet.shown:
        _recent(scene, canvas, y + 1, canvas.height - _ABOUT)
    _about(sheet, scene, canvas, None)


def _others(scene: Scene) -> str:
    turn = scene.public.turn
    if not turn.HasField("choosing_seat"):
        return ""
    name = scene.name(turn.choosing_seat)
    return "It is your choice." if name == "You" else f"{name} is choosing …"


def _recent(scene: Scene, canvas: Canvas, y: int, end: int) -> None:
    """While others play: what happened last."""
    rows = [text for line in scene.log[-40:] for text in wrapped(line.text, canvas.width - 2)]
    room = max(end - y, 0)
    for text in rows[max(0, len(rows) - room) :]:
        canvas.write(1, y, text, DIM)
        y += 1


def _beside(sheet: Sheet, scene: Scene, canvas: Canvas, y: int, end: int) -> None:
    """Where there is room under the options: why others are missing, and what happened before."""
    decision = sheet.picker.decision if sheet.picker is not None else None
    if decision is None:
        return
    closed = lines_of(decision.closed)
    y = _list(canvas, y, end, "Closed now", closed, "w: all of them")
    y = _list(canvas, y, end, "Done to you", [one.text for one in scene.to_me], "l: the log")
    since = [one.text for one in scene.since]
    _list(canvas, y, end, "Since your last turn", since, "l: the log", newest=True)


def _list(
    canvas: Canvas,
    y: int,
    end: int,
    title: str,
    lines: list[str],
    more: str,
    *,
    newest: bool = False,
) -> int:
    """A heading and as many lines as there is room for; `more` says where the others are."""
    if not lines or end - y < _LEAST_LIST:
        return y
    heading(canvas, y + 1, title)
    y += 2
    wide = canvas.width - 1
    parts = [wrapped(line, wide - 1, later=wide - 3) for line in lines]
    room = end - y
    if sum(map(len, parts)) > room:
        room -= 1
    shown: list[list[str]] = []
    for part in reversed(parts) if newest else parts:
        if sum(map(len, shown)) + len(part) > room:
            break
        shown.append(part)
    if not shown:  # not even one of them as a whole
        shown = [parts[-1 if newest else 0][:room]]
    for part in reversed(shown) if newest else shown:
        for number, text in enumerate(part):
            canvas.write(3 if number else 1, y, text, DIM if number else GROUND)
            y += 1
    if len(shown) < len(parts):
        canvas.write(1, y, f"… {len(parts) - len(shown)} more ({more})", DIM)
        y += 1
    return y


def _block(canvas: Canvas, y: int, text: str, style: Style) -> int:
    for line in wrapped(text, canvas.width - 2):
        canvas.fill(0, y, canvas.width, 1, style)
        canvas.write(1, y, line, style)
        y += 1
    return y


def _decision(sheet: Sheet, picker: Picker, scene: Scene, canvas: Canvas, y: int) -> None:
    decision = picker.decision
    y = _block(canvas, y, decision.prompt or decision.kind_name, _QUESTION)
    if pool := pool_text(decision):
        y = _block(canvas, y, f"To take: {pool}", HEAD + Style(bold=False))
    if sheet.asking is not None:
        y = _block(canvas, y, f"{sheet.asking.label}? Not to be taken back: {sheet.why}.", _ASK)
        y = _block(canvas, y, "Enter: yes · Esc: no", _ASK)
    elif picker.narrowed is not None:
        more = len(decision.options) - len(picker.shown)
        y = _block(canvas, y, f"Only what you clicked on; Esc shows {more} more.", DIM)
    if sheet.note:
        y = _block(canvas, y, sheet.note, _NOTE)
    y = _options(picker, canvas, y, canvas.height - _ABOUT)
    _beside(sheet, scene, canvas, y, canvas.height - _ABOUT)
    _about(sheet, scene, canvas, picker.current)


def pool_text(decision: Decision) -> str:
    """What is still to be taken."""
    found: dict[str, int] = {}
    for one in decision.raw.decision.pool:
        name = one.module_icon or _NAMES.get(one.icon)
        name = name or enum_name(enums.Icon, one.icon, "ICON_").capitalize()
        found[name] = found.get(name, 0) + one.amount
    return ", ".join(
        f"{labor(count)} {name}" if name == "Labor" else f"{count} {name}"
        for name, count in found.items()
    )


def option_text(option: Option, seat: int) -> str:
    """What an option says in the list: its label, or less where it comes in long rows.

    `seat` chooses: of an opponent's Camp the label says whose it is.
    """
    move = option.raw.move
    if move.HasField("move_camp"):
        camp, cost = move.move_camp, ", 1 Labor"
    elif move.gain.target.HasField("camp_move"):
        camp, cost = move.gain.target.camp_move, ""
    else:
        return _shorter(option.label) or option.text
    start = camp.from_site.WhichOneof("site")
    if camp.owner_seat != seat or start not in _STARTS:
        return option.label or option.text
    origin = _STARTS[start] or f"hex {camp.from_site.hex}"
    return f"Camp from {origin} to {camp.to_hex}{cost}"


def _shorter(label: str) -> str:
    for long, short in _SHORTER:
        if long in label:
            label = label.replace(long, short).replace(" for 1 Labor", ", 1 Labor")
    return label


def _options(picker: Picker, canvas: Canvas, y: int, end: int) -> int:
    rows: list[tuple[Option, str, bool]] = []
    seat = picker.decision.seat
    for option in picker.shown:
        for number, text in enumerate(wrapped(option_text(option, seat), canvas.width - 4)):
            rows.append((option, text, number == 0))
    room = max(end - y, 1)
    mine = [number for number, row in enumerate(rows) if row[0] is picker.current]
    first = 0
    if len(rows) > room:
        room -= 1  # the last line says how many more there are
        first = max(0, min(mine[0] - room // 2, len(rows) - room))
    for option, text, head in rows[first : first + room]:
        now = option is picker.current
        place = option_place(option.id)
        style = LIT if now else GROUND
        canvas.fill(0, y, canvas.width, 1, style, place)
        if head:
            canvas.write(0, y, f"{picker.key_of(option):>2}", style if now else _KEY, place)
        canvas.write(3, y, text, style, place)
        y += 1
    if len(rows) > room:
        hidden = len(picker.shown) - len({id(row[0]) for row in rows[first : first + room]})
        canvas.write(3, y, f"↑↓ {hidden} more options", DIM)
        y += 1
    return y


def _about(sheet: Sheet, scene: Scene, canvas: Canvas, option: Option | None) -> None:
    """What is under the mouse, or else what the option under the cursor concerns."""
    y = canvas.height - _ABOUT
    canvas.write(0, y, "─" * canvas.width, DIM + Style(color="#3a414d"))
    text = place_text(scene, sheet.hover) if sheet.hover is not None else ""
    if not text and option is not None and sheet.picker is not None:
        about = [place_text(scene, place) for place in sheet.picker.places[option.id]]
        text = " ".join(part for part in (option.reason, *about) if part)
    lines = wrapped(text, canvas.width - 1)
    for number, line in enumerate(lines[: _ABOUT - 1], 1):
        last = number == _ABOUT - 1 and len(lines) > number
        canvas.write(0, y + number, cut(f"{line} …", canvas.width) if last else line, DIM)
