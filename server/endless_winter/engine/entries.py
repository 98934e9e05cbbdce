"""Log entries: a choice as plain data, the bytes of an entry, and its events.

Nearly every entry of a log is a choice, so those are encoded by hand instead of building messages;
`LogEntry` of the contract reads them back. Everything rarer is a message.

Events are for everyone, with what one seat may know besides. Those of the rules core come from the
views; those of the table around it (seats, clocks, the start and the end) are made here. The log
has them without names of people: a seat is named by its player's id, and the name is filled in when
the event is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.v1 import clock_pb2, game_pb2, play_service_pb2, replay_pb2, update_pb2
from endless_winter.v1 import event_pb2 as v
from endless_winter.views import Happened, event_bytes, happened, wire

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from endless_winter.engine.table import Table
    from endless_winter.rules.state import Event
    from endless_winter.store.records import Player
    from endless_winter.v1 import result_pb2
    from endless_winter.views import Words

_ENTRY_SEQ: Final = replay_pb2.LogEntry.SEQ_FIELD_NUMBER
_ENTRY_TIME_UNIX_MS: Final = replay_pb2.LogEntry.TIME_UNIX_MS_FIELD_NUMBER
_ENTRY_POSITION_HASH: Final = replay_pb2.LogEntry.POSITION_HASH_FIELD_NUMBER
_ENTRY_CHOICE: Final = replay_pb2.LogEntry.CHOICE_FIELD_NUMBER
_LOG_SEAT: Final = replay_pb2.LogChoice.SEAT_FIELD_NUMBER
_LOG_DECISION_ID: Final = replay_pb2.LogChoice.DECISION_ID_FIELD_NUMBER
_LOG_OPTION_ID: Final = replay_pb2.LogChoice.OPTION_ID_FIELD_NUMBER
_LOG_TEXT: Final = replay_pb2.LogChoice.TEXT_FIELD_NUMBER
_LOG_ORIGIN: Final = replay_pb2.LogChoice.ORIGIN_FIELD_NUMBER
_LOG_BY_STANDING_ANSWER: Final = replay_pb2.LogChoice.BY_STANDING_ANSWER_FIELD_NUMBER
_LOG_REQUEST_ID: Final = replay_pb2.LogChoice.REQUEST_ID_FIELD_NUMBER
_LOG_TIMING: Final = replay_pb2.LogChoice.TIMING_FIELD_NUMBER
_LOG_BANK_AFTER_MS: Final = replay_pb2.LogChoice.BANK_AFTER_MS_FIELD_NUMBER
_TIMING_CHARGED_MS: Final = clock_pb2.AnswerTiming.CHARGED_MS_FIELD_NUMBER
_TIMING_THINK_MS: Final = clock_pb2.AnswerTiming.THINK_MS_FIELD_NUMBER
_TIMING_TRANSIT_MS: Final = clock_pb2.AnswerTiming.TRANSIT_MS_FIELD_NUMBER
_ACCEPTED_SEQ: Final = play_service_pb2.Accepted.SEQ_FIELD_NUMBER
_ACCEPTED_DECISION_ID: Final = play_service_pb2.Accepted.DECISION_ID_FIELD_NUMBER
_ACCEPTED_OPTION_ID: Final = play_service_pb2.Accepted.OPTION_ID_FIELD_NUMBER
_ACCEPTED_TEXT: Final = play_service_pb2.Accepted.TEXT_FIELD_NUMBER
_ACCEPTED_TIMING: Final = play_service_pb2.Accepted.TIMING_FIELD_NUMBER
_PUBLIC_CHOICE_MADE: Final = v.PublicEvent.CHOICE_MADE_FIELD_NUMBER
_MADE_SEAT: Final = v.ChoiceMade.SEAT_FIELD_NUMBER
_MADE_DECISION_ID: Final = v.ChoiceMade.DECISION_ID_FIELD_NUMBER
_MADE_ORIGIN: Final = v.ChoiceMade.ORIGIN_FIELD_NUMBER
_PRIVATE_OWN_CHOICE: Final = v.PrivateEvent.OWN_CHOICE_FIELD_NUMBER
_OWN_DECISION_ID: Final = v.OwnChoice.DECISION_ID_FIELD_NUMBER
_OWN_TEXT: Final = v.OwnChoice.TEXT_FIELD_NUMBER
_OWN_BY_STANDING_ANSWER: Final = v.OwnChoice.BY_STANDING_ANSWER_FIELD_NUMBER
_EVENTS: Final = replay_pb2.LogEntry.EVENTS_FIELD_NUMBER
_BY_CLOCK: Final = v.CHOICE_ORIGIN_CLOCK
_UPDATE_EVENTS: Final = update_pb2.Update.EVENTS_FIELD_NUMBER
_EVENT_PUBLIC_EVENT: Final = replay_pb2.OmniscientEvent.PUBLIC_EVENT_FIELD_NUMBER
_EVENT_PRIVATE_EVENTS: Final = replay_pb2.OmniscientEvent.PRIVATE_EVENTS_FIELD_NUMBER
_SEAT_SEAT: Final = replay_pb2.SeatPrivateEvent.SEAT_FIELD_NUMBER
_SEAT_PRIVATE_EVENT: Final = replay_pb2.SeatPrivateEvent.PRIVATE_EVENT_FIELD_NUMBER


# No dataclasses: mypyc leaves their constructors to the interpreter.
class Timing:
    """What was measured and charged for an answer, in milliseconds; never changed."""

    __slots__ = ("_body", "charged_ms", "think_ms", "transit_ms")

    def __init__(self, charged_ms: int, think_ms: int = 0, transit_ms: int = 0) -> None:
        self.charged_ms = charged_ms
        self.think_ms = think_ms
        self.transit_ms = transit_ms
        self._body: bytes | None = None

    def body(self) -> bytes:
        """The serialized AnswerTiming: the log, the answer and the next prompt have the same."""
        if self._body is None:
            self._body = (
                wire.uint(_TIMING_CHARGED_MS, self.charged_ms)
                + wire.uint(_TIMING_THINK_MS, self.think_ms)
                + wire.uint(_TIMING_TRANSIT_MS, self.transit_ms)
            )
        return self._body


class Choice:
    """A choice of a pending decision."""

    __slots__ = (
        "bank_after_ms",
        "by_standing_answer",
        "decision_id",
        "option_id",
        "origin",
        "request_id",
        "seat",
        "text",
        "timing",
    )

    def __init__(
        self,
        seat: int,
        decision_id: int,
        option_id: int,
        text: str,
        origin: int,
        by_standing_answer: bool = False,  # noqa: FBT001, FBT002 # by place: as quick as can be
        request_id: str = "",
        timing: Timing | None = None,
        bank_after_ms: int | None = None,
    ) -> None:
        """`origin` is a ChoiceOrigin."""
        self.seat = seat
        self.decision_id = decision_id
        self.option_id = option_id
        self.text = text
        self.origin = origin
        self.by_standing_answer = by_standing_answer
        self.request_id = request_id
        self.timing = timing
        self.bank_after_ms = bank_after_ms


def read_choice(logged: replay_pb2.LogChoice) -> Choice:
    timing = None
    if logged.HasField("timing"):
        measured = logged.timing
        timing = Timing(measured.charged_ms, measured.think_ms, measured.transit_ms)
    return Choice(
        logged.seat,
        logged.decision_id,
        logged.option_id,
        logged.text,
        logged.origin,
        logged.by_standing_answer,
        logged.request_id,
        timing,
        logged.bank_after_ms if logged.HasField("bank_after_ms") else None,
    )


def entry_bytes(seq: int, time_ms: int, position_hash: bytes, choice: Choice) -> bytes:
    """The serialized LogEntry, without its events: those are appended to it."""
    timing = choice.timing
    body = b"".join(
        (
            wire.present(_LOG_SEAT, choice.seat),
            wire.uint(_LOG_DECISION_ID, choice.decision_id),
            wire.present(_LOG_OPTION_ID, choice.option_id),
            wire.text(_LOG_TEXT, choice.text),
            wire.uint(_LOG_ORIGIN, choice.origin),
            wire.uint(_LOG_BY_STANDING_ANSWER, choice.by_standing_answer),
            wire.text(_LOG_REQUEST_ID, choice.request_id),
            b"" if timing is None else wire.message(_LOG_TIMING, timing.body()),
            wire.present(_LOG_BANK_AFTER_MS, choice.bank_after_ms),
        )
    )
    return b"".join(
        (
            wire.uint(_ENTRY_SEQ, seq),
            wire.uint(_ENTRY_TIME_UNIX_MS, time_ms),
            wire.message(_ENTRY_POSITION_HASH, position_hash),
            wire.message(_ENTRY_CHOICE, body),
        )
    )


def accepted_seq(seq: int) -> bytes:
    """The serialized Accepted of anything but an answer."""
    return wire.uint(_ACCEPTED_SEQ, seq)


def accepted_bytes(seq: int, choice: Choice) -> bytes:
    """The serialized Accepted of an answer."""
    timing = choice.timing
    return b"".join(
        (
            wire.uint(_ACCEPTED_SEQ, seq),
            wire.uint(_ACCEPTED_DECISION_ID, choice.decision_id),
            wire.present(_ACCEPTED_OPTION_ID, choice.option_id),
            wire.text(_ACCEPTED_TEXT, choice.text),
            b"" if timing is None else wire.message(_ACCEPTED_TIMING, timing.body()),
        )
    )


def made_bytes(choice: Choice) -> bytes:
    """The serialized PublicEvent: that a choice was made, and not which."""
    made = (
        wire.present(_MADE_SEAT, choice.seat)
        + wire.uint(_MADE_DECISION_ID, choice.decision_id)
        + wire.uint(_MADE_ORIGIN, choice.origin)
    )
    return wire.message(_PUBLIC_CHOICE_MADE, made)


def own_bytes(choice: Choice) -> bytes:
    """The serialized PrivateEvent for the seat itself: which choice it was."""
    own = (
        wire.uint(_OWN_DECISION_ID, choice.decision_id)
        + wire.text(_OWN_TEXT, choice.text)
        + wire.uint(_OWN_BY_STANDING_ANSWER, choice.by_standing_answer)
    )
    return wire.message(_PRIVATE_OWN_CHOICE, own)


# --- events in memory ---


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
        return choice_events(read_choice(entry.choice), table, core, words)
    events = _around(entry, table, reveal)
    if core:
        assert table.game is not None
        events += happened(words, table.game.position, core)
    return events


def choice_events(choice: Choice, table: Table, core: list[Event], words: Words) -> list[Happened]:
    """All events of a choice."""
    events = [Happened(made_bytes(choice), choice.seat, own_bytes(choice))]
    if choice.origin == _BY_CLOCK:
        expired = v.ClockExpired(seat=choice.seat, timeouts=table.seats[choice.seat].timeouts)
        events.insert(0, _public(v.PublicEvent(clock_expired=expired)))
    if core:
        assert table.game is not None
        events += happened(words, table.game.position, core)
    return events


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
