"""What others did in a few words: a line for each of their turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.terminal.event_text import Line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from endless_winter.terminal.event_text import EventText
    from endless_winter.v1 import event_pb2

# What says what a turn was about; what was paid and played for it is in the log.
_TOLD: Final = (
    "figure_placed",
    "animal_taken",
    "animal_tipped",
    "stone_taken",
    "camp_moved",
    "village_built",
    "megalith_set",
    "idol_moved",
    "points_scored",
    "raft_moved",
    "mammoth_moved",
    "fish_drawn",
    "nomad_acted",
    "turn_order_set",
    "piles_revealed",
)
_TAKEN: Final = (" take", " bur", " recruit")


def recap(text: EventText, events: Iterable[event_pb2.Event]) -> list[Line]:
    """The turns of these events, each in a line: who, and then what was done."""
    found: list[Line] = []
    for event in events:
        kind = event.public_event.WhichOneof("event") or ""
        for line in text.lines([event]):
            if kind not in _TOLD and not (
                kind == "cards_moved" and any(word in line.text for word in _TAKEN)
            ):
                continue
            said = line.text.partition(" (")[0] if kind != "points_scored" else line.text
            who = text.who(line.seat) if line.seat is not None else ""
            if found and line.seat is not None and found[-1].seat == line.seat:
                said = said.removeprefix(who).strip()
                found[-1] = found[-1]._replace(text=f"{found[-1].text}, {said}")
            else:
                found.append(Line(said, line.seat))
    return found
