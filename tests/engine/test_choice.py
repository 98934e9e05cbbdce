"""What is written from parts is what the messages would say."""

from __future__ import annotations

from endless_winter.engine.entries import (
    Choice,
    Timing,
    accepted_bytes,
    entry_bytes,
    made_bytes,
    own_bytes,
    read_choice,
)
from endless_winter.v1 import clock_pb2, event_pb2, play_service_pb2, replay_pb2
from tests.engine.state import parts_of

HASH = bytes(range(16))
PLAYER = event_pb2.CHOICE_ORIGIN_PLAYER
CHOICES = [
    Choice(0, 5, 0, "end", PLAYER),
    Choice(3, 70_000, 300, "place chief hunt", PLAYER, True, "request 1", Timing(7, 5, 2), 0),
    Choice(1, 9, 2, "stack 3,4@1", event_pb2.CHOICE_ORIGIN_CLOCK, timing=Timing(2**40)),
]


def test_a_choice_is_written_as_its_messages_would_be() -> None:
    for choice in CHOICES:
        told = replay_pb2.LogChoice(
            seat=choice.seat,
            decision_id=choice.decision_id,
            option_id=choice.option_id,
            text=choice.text,
            origin=event_pb2.ChoiceOrigin.ValueType(choice.origin),
            by_standing_answer=choice.by_standing_answer,
            request_id=choice.request_id,
            bank_after_ms=choice.bank_after_ms,
        )
        timing = None
        if choice.timing is not None:
            spent = choice.timing
            timing = clock_pb2.AnswerTiming(
                charged_ms=spent.charged_ms, think_ms=spent.think_ms, transit_ms=spent.transit_ms
            )
            told.timing.CopyFrom(timing)
        entry = replay_pb2.LogEntry(
            seq=300, time_unix_ms=1_800_000_000_000, position_hash=HASH, choice=told
        )
        assert entry_bytes(300, 1_800_000_000_000, HASH, choice) == entry.SerializeToString()
        assert parts_of(read_choice(entry.choice)) == parts_of(choice)
        accepted = play_service_pb2.Accepted(
            seq=300,
            decision_id=choice.decision_id,
            option_id=choice.option_id,
            text=choice.text,
            timing=timing,
        )
        assert accepted_bytes(300, choice) == accepted.SerializeToString()
        made = event_pb2.PublicEvent.FromString(made_bytes(choice)).choice_made
        assert (made.seat, made.decision_id, made.origin) == (
            choice.seat,
            choice.decision_id,
            choice.origin,
        )
        own = event_pb2.PrivateEvent.FromString(own_bytes(choice)).own_choice
        assert (own.decision_id, own.text, own.by_standing_answer) == (
            choice.decision_id,
            choice.text,
            choice.by_standing_answer,
        )
