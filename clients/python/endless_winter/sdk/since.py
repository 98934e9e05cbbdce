"""What happened since a seat's last turn, and what of it was done to that seat.

Of the events of a game alone, so that a client that joins late, a replay and a page can tell it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from endless_winter.v1 import event_pb2, view_public_pb2

# Kinds of events that change what a seat has, by the field that says whose it is.
_CHANGES: Final = {
    "camp_moved": "owner_seat",
    "raft_moved": "seat",
    "points_scored": "seat",
    "resource_changed": "seat",
    "cards_moved": "seat",
    "seat_forfeited": "seat",
    "clock_expired": "seat",
}


class SinceLastTurn:
    """Follows a game for one seat; `events` are those after the end of its last turn.

    In the seat's own turn they stay as they were when it began.
    """

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.events: list[event_pb2.Event] = []
        self._in_turn: int | None = None

    def take(self, events: Iterable[event_pb2.Event]) -> None:
        """What is new, oldest first."""
        for event in events:
            public = event.public_event
            kind = public.WhichOneof("event")
            own = self._in_turn == self.seat
            if kind == "turn_started":
                self._in_turn = public.turn_started.seat
            elif kind in ("turn_ended", "round_started", "phase_started"):
                self._in_turn = None
            if own and self._in_turn != self.seat:
                self.events = []  # the own turn is over: this is the new beginning
                continue
            if self._in_turn != self.seat:
                self.events.append(event)

    @property
    def done_to_me(self) -> list[event_pb2.Event]:
        """Those that changed what the seat has: nobody else's pieces, points or cards."""
        return [event for event in self.events if _concerns(event.public_event, self.seat)]


def since_last_turn(events: Iterable[event_pb2.Event], seat: int) -> SinceLastTurn:
    """The same of all events of a game so far."""
    since = SinceLastTurn(seat)
    since.take(events)
    return since


def _concerns(public: event_pb2.PublicEvent, seat: int) -> bool:
    kind = public.WhichOneof("event") or ""
    if kind not in _CHANGES:
        return False
    found: int = getattr(getattr(public, kind), _CHANGES[kind])
    return found == seat


class LostLead(NamedTuple):
    """A hex where somebody has more Influence now; before, nobody had more than the seat."""

    hex: int
    by: int
    theirs: int
    own: int


def lost_leads(
    before: view_public_pb2.PublicView, after: view_public_pb2.PublicView, seat: int
) -> list[LostLead]:
    """Where the seat led, or shared the lead, and does not any more."""
    found = []
    for old, new in zip(before.terrain.hexes, after.terrain.hexes, strict=True):
        then = {one.seat: one.count for one in old.influence}
        now = {one.seat: one.count for one in new.influence}
        if not then.get(seat) or then[seat] < max(then.values()) or not now:
            continue
        by = max(now, key=lambda one: (now[one], -one))
        if now[by] > now.get(seat, 0):
            found.append(LostLead(new.hex, by, now[by], now.get(seat, 0)))
    return found
