"""The events of a log entry: for everyone, and what one seat may know besides.

The events of the rules core come from the views; those of the table around it (seats, clocks, the
start and the end) are made here. The log has them without names of people: a seat is named by its
player's id, and the name is filled in when the event is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.v1 import event_pb2 as v
from endless_winter.v1 import game_pb2, replay_pb2, update_pb2
from endless_winter.views import Happened, event_bytes, happened, wire

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from endless_winter.engine.table import Table
    from endless_winter.rules.state import Event
    from endless_winter.store.records import Player
    from endless_winter.v1 import result_pb2
    from endless_winter.views import Words

_EVENTS: Final = replay_pb2.LogEntry.EVENTS_FIELD_NUMBER
_UPDATE_EVENTS: Final = update_pb2.Update.EVENTS_FIELD_NUMBER
_EVENT_PUBLIC_EVENT: Final = replay_pb2.OmniscientEvent.PUBLIC_EVENT_FIELD_NUMBER
_EVENT_PRIVATE_EVENTS: Final = replay_pb2.OmniscientEvent.PRIVATE_EVENTS_FIELD_NUMBER
_SEAT_SEAT: Final = replay_pb2.SeatPrivateEvent.SEAT_FIELD_NUMBER
_SEAT_PRIVATE_EVENT: Final = replay_pb2.SeatPrivateEvent.PRIVATE_EVENT_FIELD_NUMBER


class EntryEvents:
    """The events of one entry, as viewers get them.

    A game caches those of its newest entries, so they are small: but for the last ones they are the
    log's own bytes until somebody asks, which is rare. A viewer who keeps up has had them.
    """

    __slots__ = ("_events", "_payload", "_people", "_public", "seq")

    def __init__(
        self,
        seq: int,
        payload: bytes,
        people: Mapping[str, Player],
        events: list[Happened] | None = None,
    ) -> None:
        """`payload` is the entry's; without `events` they are read from it when asked for."""
        self.seq = seq
        self._payload = payload
        self._people = people
        self._events = events
        self._public: bytes | None = None

    def shrink(self) -> bool:
        """Something newer has come: only the log's bytes stay in memory; whether there was more."""
        if self._events is None:
            return False
        self._events = None
        return True

    def fields(self, seat: int | None) -> bytes:
        """The serialized Update.events of a viewer; many want none, so they are made when asked."""
        events = self._events
        if events is None:
            entry = replay_pb2.LogEntry.FromString(self._payload)
            events = self._events = read_events(with_names(entry, self._people))
        if seat is not None and any([one.seat == seat for one in events]):  # noqa: C419 # quicker
            return self._encode(events, seat)
        if self._public is None:
            self._public = self._encode(events, None)
        return self._public

    def _encode(self, events: list[Happened], seat: int | None) -> bytes:
        bodies = viewer_events(self.seq, events, seat)
        return b"".join([wire.message(_UPDATE_EVENTS, body) for body in bodies])


def viewer_events(seq: int, events: list[Happened], seat: int | None) -> list[bytes]:
    """The serialized Events for a viewer."""
    return [
        event_bytes(seq, event.public, event.private if event.seat == seat else None)
        for event in events
    ]


# --- the log's form ---


def log_bytes(events: list[Happened]) -> bytes:
    """The events with everything, as fields of a LogEntry."""
    return b"".join([_logged(event) for event in events])


def _logged(event: Happened) -> bytes:
    """A field of a LogEntry; for an event that is the same in many games it is written once.

    What only one seat may know is rarely the same twice.
    """
    if event.logged:
        return event.logged
    field = wire.message(_EVENTS, _omniscient(event))
    if event.seat < 0:
        event.logged = field
    return field


def _omniscient(event: Happened) -> bytes:
    public = wire.message(_EVENT_PUBLIC_EVENT, event.public)
    if event.seat < 0:
        return public
    private = wire.present(_SEAT_SEAT, event.seat) + wire.message(
        _SEAT_PRIVATE_EVENT, event.private
    )
    return public + wire.message(_EVENT_PRIVATE_EVENTS, private)


def omniscient_events(events: Iterable[Happened]) -> list[replay_pb2.OmniscientEvent]:
    """The events as messages, with names."""
    return [replay_pb2.OmniscientEvent.FromString(_omniscient(event)) for event in events]


def read_events(entry: replay_pb2.LogEntry) -> list[Happened]:
    """The events of an entry that comes from the store."""
    found = []
    for event in entry.events:
        public = event.public_event.SerializeToString(deterministic=True)
        if event.private_events:
            one = event.private_events[0]
            secret = one.private_event.SerializeToString(deterministic=True)
            found.append(Happened(public, one.seat, secret))
        else:
            found.append(Happened(public))
    return found


def with_names(entry: replay_pb2.LogEntry, people: Mapping[str, Player]) -> replay_pb2.LogEntry:
    """Fill in the names of players; those of erased people stay empty."""
    seats = [
        event.public_event.seat_changed.seat
        for event in entry.events
        if event.public_event.HasField("seat_changed")
    ]
    if entry.HasField("seat"):
        seats.append(entry.seat.seat)
    for seat in seats:
        player = people.get(seat.player_id)
        if player is not None:
            seat.display_name = player.display_name
    return entry


# --- what an entry brings ---


def entry_events(
    entry: replay_pb2.LogEntry,
    table: Table,
    core: list[Event],
    words: Words,
    reveal: result_pb2.SeedReveal | None,
) -> list[Happened]:
    """All events of an entry; `table` is as it stands after it, `core` what the rules core gave."""
    if entry.HasField("choice"):
        events = _choice_events(entry.choice, table)
    else:
        events = _around(entry, table, reveal)
    if core:
        assert table.game is not None
        events += happened(words, table.game.position, core)
    return events


def _choice_events(choice: replay_pb2.LogChoice, table: Table) -> list[Happened]:
    """That a choice was made, for everyone; which it was, for its seat."""
    seat, decision_id = choice.seat, choice.decision_id
    made = v.ChoiceMade(seat=seat, decision_id=decision_id, origin=choice.origin)
    own = v.OwnChoice(
        decision_id=decision_id,
        text=choice.text,
        by_standing_answer=choice.by_standing_answer,
    )
    event = _public(v.PublicEvent(choice_made=made))
    event.seat = seat
    event.private = v.PrivateEvent(own_choice=own).SerializeToString()
    if choice.origin != v.CHOICE_ORIGIN_CLOCK:
        return [event]
    expired = v.ClockExpired(seat=seat, timeouts=table.seats[seat].timeouts)
    return [_public(v.PublicEvent(clock_expired=expired)), event]


def _around(
    entry: replay_pb2.LogEntry, table: Table, reveal: result_pb2.SeedReveal | None
) -> list[Happened]:
    """The events of the table itself."""
    kind = entry.WhichOneof("entry")
    if kind == "seat":
        seat = log_seat(table, entry.seat.seat.seat)
        return [_seat_changed(seat, table.seats[seat.seat].display_name)]
    if kind == "ready":
        seat = log_seat(table, entry.ready.seat)
        seat.ready = True
        return [_seat_changed(seat, table.seats[seat.seat].display_name)]
    if kind == "started":
        assert table.game is not None
        order = list(table.game.position.order)
        return [_public(v.PublicEvent(game_started=v.GameStarted(turn_order=order)))]
    if kind == "standing_answers":
        number = entry.standing_answers.seat
        secret = v.PrivateEvent(
            standing_answers=v.OwnStandingAnswers(answers=entry.standing_answers.answers)
        )
        public = v.PublicEvent(standing_answers_changed=v.StandingAnswersChanged(seat=number))
        return [
            Happened(
                public.SerializeToString(deterministic=True),
                number,
                secret.SerializeToString(deterministic=True),
            )
        ]
    if kind == "undo":
        undone = v.ChoicesUndone(seat=entry.undo.seat, first_decision_id=entry.undo.back_to_seq)
        return [_public(v.PublicEvent(choices_undone=undone))]
    if kind == "forfeit":
        forfeited = v.SeatForfeited(seat=entry.forfeit.seat, reason=entry.forfeit.reason)
        return [_public(v.PublicEvent(seat_forfeited=forfeited))]
    if kind == "restart":
        return [_public(v.PublicEvent(server_restarted=v.ServerRestarted()))]
    if kind == "ended":
        ended = v.GameEnded(result=entry.ended.result, seed_reveal=reveal)
        return [_public(v.PublicEvent(game_ended=ended))]
    return []


def log_seat(table: Table, seat: int) -> game_pb2.SeatInfo:
    """A seat as the log names it: by its player's id, without a name."""
    known = table.seats[seat]
    return game_pb2.SeatInfo(
        seat=seat,
        kind=known.kind,
        taken=bool(known.player_id) or known.served,
        handed_to_bot=known.handed_to_bot,
        player_id=known.player_id,
    )


def _seat_changed(seat: game_pb2.SeatInfo, name: str) -> Happened:
    """The log's form has no name, the viewers' form has."""
    bare = _public(v.PublicEvent(seat_changed=v.SeatChanged(seat=seat)))
    if not name:
        return bare
    seat.display_name = name
    named = _public(v.PublicEvent(seat_changed=v.SeatChanged(seat=seat)))
    named.logged = _logged(bare)
    return named


def _public(event: v.PublicEvent) -> Happened:
    return Happened(event.SerializeToString(deterministic=True))
