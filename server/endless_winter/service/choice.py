"""A choice as the log keeps it: plain data, and its bytes.

Choices are nearly all that happens, so they are written by hand from parts instead of building
messages; `LogEntry` reads them back. Everything rarer is a message.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from endless_winter.v1 import clock_pb2, event_pb2, play_service_pb2, replay_pb2
from endless_winter.views import wire

_ENTRY: Final = replay_pb2.LogEntry
_LOG: Final = replay_pb2.LogChoice
_TIMING: Final = clock_pb2.AnswerTiming
_ACCEPTED: Final = play_service_pb2.Accepted
_PUBLIC: Final = event_pb2.PublicEvent
_MADE: Final = event_pb2.ChoiceMade
_PRIVATE: Final = event_pb2.PrivateEvent
_OWN: Final = event_pb2.OwnChoice


class Timing(NamedTuple):
    """What was measured and charged for an answer, in milliseconds."""

    charged_ms: int
    think_ms: int = 0
    transit_ms: int = 0


class Choice(NamedTuple):
    """A choice of a pending decision."""

    seat: int
    decision_id: int
    option_id: int
    text: str
    origin: int  # a ChoiceOrigin
    by_standing_answer: bool = False
    request_id: str = ""
    timing: Timing | None = None
    bank_after_ms: int | None = None


def read_choice(told: replay_pb2.LogChoice) -> Choice:
    timing = None
    if told.HasField("timing"):
        measured = told.timing
        timing = Timing(measured.charged_ms, measured.think_ms, measured.transit_ms)
    return Choice(
        told.seat,
        told.decision_id,
        told.option_id,
        told.text,
        told.origin,
        told.by_standing_answer,
        told.request_id,
        timing,
        told.bank_after_ms if told.HasField("bank_after_ms") else None,
    )


def timing_bytes(timing: Timing) -> bytes:
    """The serialized AnswerTiming."""
    return (
        wire.uint(_TIMING.CHARGED_MS_FIELD_NUMBER, timing.charged_ms)
        + wire.uint(_TIMING.THINK_MS_FIELD_NUMBER, timing.think_ms)
        + wire.uint(_TIMING.TRANSIT_MS_FIELD_NUMBER, timing.transit_ms)
    )


def entry_bytes(seq: int, time_ms: int, position_hash: bytes, choice: Choice) -> bytes:
    """The serialized LogEntry, without its events: those are appended to it."""
    timing = choice.timing
    body = b"".join(
        (
            wire.uint(_LOG.SEAT_FIELD_NUMBER, choice.seat),
            wire.uint(_LOG.DECISION_ID_FIELD_NUMBER, choice.decision_id),
            wire.uint(_LOG.OPTION_ID_FIELD_NUMBER, choice.option_id),
            wire.text(_LOG.TEXT_FIELD_NUMBER, choice.text),
            wire.uint(_LOG.ORIGIN_FIELD_NUMBER, choice.origin),
            wire.uint(_LOG.BY_STANDING_ANSWER_FIELD_NUMBER, choice.by_standing_answer),
            wire.text(_LOG.REQUEST_ID_FIELD_NUMBER, choice.request_id),
            b"" if timing is None else wire.message(_LOG.TIMING_FIELD_NUMBER, timing_bytes(timing)),
            wire.present(_LOG.BANK_AFTER_MS_FIELD_NUMBER, choice.bank_after_ms),
        )
    )
    return b"".join(
        (
            wire.uint(_ENTRY.SEQ_FIELD_NUMBER, seq),
            wire.uint(_ENTRY.TIME_UNIX_MS_FIELD_NUMBER, time_ms),
            wire.message(_ENTRY.POSITION_HASH_FIELD_NUMBER, position_hash),
            wire.message(_ENTRY.CHOICE_FIELD_NUMBER, body),
        )
    )


def accepted_seq(seq: int) -> bytes:
    """The serialized Accepted of anything but an answer."""
    return wire.uint(_ACCEPTED.SEQ_FIELD_NUMBER, seq)


def accepted_bytes(seq: int, choice: Choice) -> bytes:
    """The serialized Accepted of an answer."""
    timing = choice.timing
    return b"".join(
        (
            wire.uint(_ACCEPTED.SEQ_FIELD_NUMBER, seq),
            wire.uint(_ACCEPTED.DECISION_ID_FIELD_NUMBER, choice.decision_id),
            wire.present(_ACCEPTED.OPTION_ID_FIELD_NUMBER, choice.option_id),
            wire.text(_ACCEPTED.TEXT_FIELD_NUMBER, choice.text),
            b""
            if timing is None
            else wire.message(_ACCEPTED.TIMING_FIELD_NUMBER, timing_bytes(timing)),
        )
    )


def made_bytes(choice: Choice) -> bytes:
    """The serialized PublicEvent: that a choice was made, and not which."""
    made = (
        wire.uint(_MADE.SEAT_FIELD_NUMBER, choice.seat)
        + wire.uint(_MADE.DECISION_ID_FIELD_NUMBER, choice.decision_id)
        + wire.uint(_MADE.ORIGIN_FIELD_NUMBER, choice.origin)
    )
    return wire.message(_PUBLIC.CHOICE_MADE_FIELD_NUMBER, made)


def own_bytes(choice: Choice) -> bytes:
    """The serialized PrivateEvent for the seat itself: which choice it was."""
    own = (
        wire.uint(_OWN.DECISION_ID_FIELD_NUMBER, choice.decision_id)
        + wire.text(_OWN.TEXT_FIELD_NUMBER, choice.text)
        + wire.uint(_OWN.BY_STANDING_ANSWER_FIELD_NUMBER, choice.by_standing_answer)
    )
    return wire.message(_PRIVATE.OWN_CHOICE_FIELD_NUMBER, own)
