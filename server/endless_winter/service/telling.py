"""What a log entry tells: events for everyone, and what one seat may know besides.

The events of the rules core come from the views; those of the table around it (seats, clocks,
the start and the end) are made here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.service.choice import made_bytes, own_bytes
from endless_winter.v1 import event_pb2 as v
from endless_winter.v1 import game_pb2, replay_pb2, update_pb2
from endless_winter.views import Happened, event_bytes, happened, wire

if TYPE_CHECKING:
    from collections.abc import Iterable

    from endless_winter.service.choice import Choice
    from endless_winter.service.proposals import Step
    from endless_winter.service.table import Table
    from endless_winter.v1 import result_pb2
    from endless_winter.views import Words

_EVENTS: Final = replay_pb2.LogEntry.EVENTS_FIELD_NUMBER
_BY_CLOCK: Final = v.CHOICE_ORIGIN_CLOCK
_NEWS: Final = update_pb2.Update.EVENTS_FIELD_NUMBER
_EVENT_PUBLIC_EVENT: Final = replay_pb2.OmniscientEvent.PUBLIC_EVENT_FIELD_NUMBER
_EVENT_PRIVATE_EVENTS: Final = replay_pb2.OmniscientEvent.PRIVATE_EVENTS_FIELD_NUMBER
_SEAT_SEAT: Final = replay_pb2.SeatPrivateEvent.SEAT_FIELD_NUMBER
_SEAT_PRIVATE_EVENT: Final = replay_pb2.SeatPrivateEvent.PRIVATE_EVENT_FIELD_NUMBER


class News:
    """What a viewer who was there before is told of one log entry: ready parts of an Update.

    Sessions keep the newest ones, so they are small: but for the last they are the log's own bytes
    until somebody asks, which hardly ever happens. A viewer who keeps up has been told before.
    """

    __slots__ = ("_logged", "_public", "_told", "seq")

    def __init__(self, seq: int, told: Telling | None, logged: bytes = b"") -> None:
        """`logged` is the serialized LogEntry; without `told` that is made of it when asked for."""
        self.seq = seq
        self._told = told
        self._logged = logged
        self._public: bytes | None = None

    def rest(self) -> bool:
        """Something newer has come: keep no more than the log's bytes; whether there was more."""
        if self._told is None or not self._logged:
            return False
        self._told = None
        return True

    def fields(self, seat: int | None) -> bytes:
        """The serialized Update.events of a viewer; many want none, so they are made when asked."""
        told = self._told
        if told is None:
            told = self._told = _read(self._logged)
        if seat is not None and any([one.seat == seat for one in told.events]):  # noqa: C419 # a list is quicker
            return _fields(told.bodies(seat))
        if self._public is None:
            self._public = _fields(told.bodies(None))
        return self._public


def _read(logged: bytes) -> Telling:
    entry = replay_pb2.LogEntry.FromString(logged)
    return read_telling(entry.seq, entry.time_unix_ms, entry.events)


def _fields(bodies: list[bytes]) -> bytes:
    return b"".join([wire.message(_NEWS, body) for body in bodies])


class Telling:
    """All events of one log entry, with everything that anybody may know of them."""

    __slots__ = ("events", "seq", "time_ms")

    def __init__(self, seq: int, time_ms: int, events: list[Happened]) -> None:
        self.seq = seq
        self.time_ms = time_ms
        self.events = events

    def bodies(self, seat: int | None) -> list[bytes]:
        """The serialized Events for a viewer."""
        return [
            event_bytes(self.seq, told.public, told.private if told.seat == seat else None)
            for told in self.events
        ]

    def log_bytes(self) -> bytes:
        """The events with everything, as fields of a LogEntry."""
        return b"".join([_logged(told) for told in self.events])

    def omniscient(self) -> list[replay_pb2.OmniscientEvent]:
        """The same as messages."""
        return [replay_pb2.OmniscientEvent.FromString(_omniscient(told)) for told in self.events]


def _logged(told: Happened) -> bytes:
    """A field of a LogEntry; for an event that is told in many games it is written once.

    What only one seat may know is rarely told twice, and every game keeps what it told last.
    """
    if told.logged:
        return told.logged
    field = wire.message(_EVENTS, _omniscient(told))
    if told.seat < 0:
        told.logged = field
    return field


def _omniscient(told: Happened) -> bytes:
    public = wire.message(_EVENT_PUBLIC_EVENT, told.public)
    if told.seat < 0:
        return public
    private = wire.present(_SEAT_SEAT, told.seat) + wire.message(_SEAT_PRIVATE_EVENT, told.private)
    return public + wire.message(_EVENT_PRIVATE_EVENTS, private)


def telling(seq: int, time_ms: int, events: Iterable[Happened]) -> Telling:
    return Telling(seq, time_ms, list(events))


def read_telling(seq: int, time_ms: int, events: Iterable[replay_pb2.OmniscientEvent]) -> Telling:
    """The events of an entry that comes from the store."""
    found = []
    for event in events:
        public = event.public_event.SerializeToString(deterministic=True)
        if event.private_events:
            one = event.private_events[0]
            secret = one.private_event.SerializeToString(deterministic=True)
            found.append(Happened(public, one.seat, secret))
        else:
            found.append(Happened(public))
    return telling(seq, time_ms, found)


def tell(step: Step, table: Table, words: Words, reveal: result_pb2.SeedReveal | None) -> Telling:
    """Everything that follows from an entry; `table` is as it stands after just that entry."""
    choice = step.choice
    events = around(step, table, reveal) if choice is None else _choice(choice, table)
    if step.happened:
        assert table.game is not None
        events += happened(words, table.game.position, step.happened)
    return Telling(step.seq, step.at_ms, events)


def around(step: Step, table: Table, reveal: result_pb2.SeedReveal | None) -> list[Happened]:
    """The events of the table itself; `table` is as it stands after the entry."""
    entry = step.entry
    kind = step.kind
    if kind == "seat":
        return [_public(v.PublicEvent(seat_changed=v.SeatChanged(seat=entry.seat.seat)))]
    if kind == "ready":
        seat = _seat_info(table, entry.ready.seat)
        return [_public(v.PublicEvent(seat_changed=v.SeatChanged(seat=seat)))]
    if kind == "started":
        assert table.game is not None
        order = list(table.game.position.order)
        return [_public(v.PublicEvent(game_started=v.GameStarted(turn_order=order)))]
    if kind == "standing_answers":
        seat_number = entry.standing_answers.seat
        secret = v.PrivateEvent(
            standing_answers=v.OwnStandingAnswers(answers=entry.standing_answers.answers)
        )
        public = v.PublicEvent(standing_answers_changed=v.StandingAnswersChanged(seat=seat_number))
        return [_private(public, seat_number, secret)]
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


def _choice(choice: Choice, table: Table) -> list[Happened]:
    found = [Happened(made_bytes(choice), choice.seat, own_bytes(choice))]
    if choice.origin == _BY_CLOCK:
        expired = v.ClockExpired(seat=choice.seat, timeouts=table.seats[choice.seat].timeouts)
        found.insert(0, _public(v.PublicEvent(clock_expired=expired)))
    return found


def _seat_info(table: Table, seat: int) -> game_pb2.SeatInfo:
    known = table.seats[seat]
    return game_pb2.SeatInfo(
        seat=seat,
        kind=known.kind,
        taken=bool(known.holder),
        display_name=known.display_name,
        ready=known.ready,
    )


def _public(event: v.PublicEvent) -> Happened:
    return Happened(event.SerializeToString(deterministic=True))


def _private(event: v.PublicEvent, seat: int, secret: v.PrivateEvent) -> Happened:
    return Happened(
        event.SerializeToString(deterministic=True),
        seat,
        secret.SerializeToString(deterministic=True),
    )
