"""A choice as the log keeps it: plain data, and its bytes.

Nearly every entry of a log is a choice, so those are encoded by hand instead of building messages;
`LogEntry` of the contract reads them back. Everything rarer is a message.
"""

from __future__ import annotations

from typing import Final

from endless_winter.v1 import clock_pb2, event_pb2, play_service_pb2, replay_pb2
from endless_winter.views import wire

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
_PUBLIC_CHOICE_MADE: Final = event_pb2.PublicEvent.CHOICE_MADE_FIELD_NUMBER
_MADE_SEAT: Final = event_pb2.ChoiceMade.SEAT_FIELD_NUMBER
_MADE_DECISION_ID: Final = event_pb2.ChoiceMade.DECISION_ID_FIELD_NUMBER
_MADE_ORIGIN: Final = event_pb2.ChoiceMade.ORIGIN_FIELD_NUMBER
_PRIVATE_OWN_CHOICE: Final = event_pb2.PrivateEvent.OWN_CHOICE_FIELD_NUMBER
_OWN_DECISION_ID: Final = event_pb2.OwnChoice.DECISION_ID_FIELD_NUMBER
_OWN_TEXT: Final = event_pb2.OwnChoice.TEXT_FIELD_NUMBER
_OWN_BY_STANDING_ANSWER: Final = event_pb2.OwnChoice.BY_STANDING_ANSWER_FIELD_NUMBER


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
