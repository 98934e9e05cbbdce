"""What a log entry tells: events for everyone, and what one seat may know besides.

The events of the rules core come from the views; those of the table around it (seats, clocks,
the start and the end) are made here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from endless_winter.v1 import event_pb2 as v
from endless_winter.v1 import game_pb2, replay_pb2
from endless_winter.views import Happened, event_bytes, happened

if TYPE_CHECKING:
    from collections.abc import Iterable

    from endless_winter.service.proposals import Step
    from endless_winter.service.table import Table
    from endless_winter.v1 import result_pb2
    from endless_winter.views import Words


class Telling(NamedTuple):
    """All events of one log entry, and their bytes for whoever has nothing private in them."""

    seq: int
    time_ms: int
    events: tuple[Happened, ...]
    public: tuple[bytes, ...]

    def bodies(self, seat: int | None) -> list[bytes]:
        """The serialized Events for a viewer."""
        if seat is None:
            return list(self.public)
        return [
            event_bytes(self.seq, told.public, told.private) if told.seat == seat else plain
            for told, plain in zip(self.events, self.public, strict=True)
        ]

    def omniscient(self) -> list[replay_pb2.OmniscientEvent]:
        """The events with everything, as the log keeps them."""
        found = []
        for told in self.events:
            event = replay_pb2.OmniscientEvent(public_event=v.PublicEvent.FromString(told.public))
            if told.seat >= 0:
                event.private_events.add(
                    seat=told.seat, private_event=v.PrivateEvent.FromString(told.private)
                )
            found.append(event)
        return found


def telling(seq: int, time_ms: int, events: Iterable[Happened]) -> Telling:
    events = tuple(events)
    public = tuple(event_bytes(seq, told.public) for told in events)
    return Telling(seq, time_ms, events, public)


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
    entry = step.entry
    own = None
    if entry.WhichOneof("entry") == "choice":
        own = v.OwnChoice(
            decision_id=entry.choice.decision_id,
            text=entry.choice.text,
            by_standing_answer=entry.choice.by_standing_answer,
        )
    events = around(step, table, reveal, own)
    if step.happened:
        assert table.game is not None
        events += happened(words, table.game.position, step.happened)
    return telling(entry.seq, entry.time_unix_ms, events)


def around(
    step: Step, table: Table, reveal: result_pb2.SeedReveal | None, own_choice: v.OwnChoice | None
) -> list[Happened]:
    """The events of the table itself; `table` is as it stands after the entry."""
    entry = step.entry
    kind = entry.WhichOneof("entry")
    if kind == "seat":
        return [_public(v.PublicEvent(seat_changed=v.SeatChanged(seat=entry.seat.seat)))]
    if kind == "ready":
        seat = _seat_info(table, entry.ready.seat)
        return [_public(v.PublicEvent(seat_changed=v.SeatChanged(seat=seat)))]
    if kind == "started":
        assert table.game is not None
        order = list(table.game.position.order)
        return [_public(v.PublicEvent(game_started=v.GameStarted(turn_order=order)))]
    if kind == "choice":
        return _choice(entry.choice, table, own_choice)
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


def _choice(
    choice: replay_pb2.LogChoice, table: Table, own_choice: v.OwnChoice | None
) -> list[Happened]:
    made = v.PublicEvent(
        choice_made=v.ChoiceMade(
            seat=choice.seat, decision_id=choice.decision_id, origin=choice.origin
        )
    )
    if own_choice is None:
        found = [_public(made)]
    else:
        found = [_private(made, choice.seat, v.PrivateEvent(own_choice=own_choice))]
    if choice.origin == v.CHOICE_ORIGIN_CLOCK:
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
