"""Prompts, events and updates, put together from parts that are already encoded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.v1 import decision_pb2 as d
from endless_winter.v1 import event_pb2, update_pb2
from endless_winter.views import wire

if TYPE_CHECKING:
    from collections.abc import Iterable

    from endless_winter.v1 import game_pb2

_UPDATE_SEQ: Final = update_pb2.Update.SEQ_FIELD_NUMBER
_UPDATE_SNAPSHOT: Final = update_pb2.Update.SNAPSHOT_FIELD_NUMBER
_UPDATE_STATUS: Final = update_pb2.Update.STATUS_FIELD_NUMBER
_UPDATE_EVENTS: Final = update_pb2.Update.EVENTS_FIELD_NUMBER
_UPDATE_PUBLIC_VIEW: Final = update_pb2.Update.PUBLIC_VIEW_FIELD_NUMBER
_UPDATE_PRIVATE_VIEW: Final = update_pb2.Update.PRIVATE_VIEW_FIELD_NUMBER
_UPDATE_PROMPT: Final = update_pb2.Update.PROMPT_FIELD_NUMBER
_UPDATE_CLOCK: Final = update_pb2.Update.CLOCK_FIELD_NUMBER
_UPDATE_READY_CHECK: Final = update_pb2.Update.READY_CHECK_FIELD_NUMBER
_UPDATE_RESULT: Final = update_pb2.Update.RESULT_FIELD_NUMBER
_UPDATE_SEED_REVEAL: Final = update_pb2.Update.SEED_REVEAL_FIELD_NUMBER
_UPDATE_GAME: Final = update_pb2.Update.GAME_FIELD_NUMBER
_UPDATE_STATISTICS: Final = update_pb2.Update.STATISTICS_FIELD_NUMBER
_PROMPT_DECISION: Final = d.Prompt.DECISION_FIELD_NUMBER
_PROMPT_DEADLINE_UNIX_MS: Final = d.Prompt.DEADLINE_UNIX_MS_FIELD_NUMBER
_PROMPT_BANK_MS: Final = d.Prompt.BANK_MS_FIELD_NUMBER
_PROMPT_LAST_ANSWER: Final = d.Prompt.LAST_ANSWER_FIELD_NUMBER
_PROMPT_WRONG_ANSWERS_LEFT: Final = d.Prompt.WRONG_ANSWERS_LEFT_FIELD_NUMBER
_PROMPT_SENT_UNIX_MS: Final = d.Prompt.SENT_UNIX_MS_FIELD_NUMBER
_EVENT_SEQ: Final = event_pb2.Event.SEQ_FIELD_NUMBER
_EVENT_PUBLIC_EVENT: Final = event_pb2.Event.PUBLIC_EVENT_FIELD_NUMBER
_EVENT_PRIVATE_EVENT: Final = event_pb2.Event.PRIVATE_EVENT_FIELD_NUMBER


def prompt_bytes(
    decision: bytes,
    *,
    deadline_unix_ms: int | None = None,
    bank_ms: int | None = None,
    last_answer: bytes | None = None,
    wrong_answers_left: int = 0,
    sent_unix_ms: int = 0,
) -> bytes:
    """A serialized Prompt around a serialized Decision."""
    return b"%b%b%b%b%b%b" % (
        wire.message(_PROMPT_DECISION, decision),
        wire.present(_PROMPT_DEADLINE_UNIX_MS, deadline_unix_ms),
        wire.present(_PROMPT_BANK_MS, bank_ms),
        _optional(_PROMPT_LAST_ANSWER, last_answer),
        wire.uint(_PROMPT_WRONG_ANSWERS_LEFT, wrong_answers_left),
        wire.uint(_PROMPT_SENT_UNIX_MS, sent_unix_ms),
    )


def event_bytes(seq: int, public: bytes, private: bytes | None = None) -> bytes:
    """A serialized Event around its parts; `private` only for the one seat that may see it."""
    return b"%b%b%b" % (
        wire.uint(_EVENT_SEQ, seq),
        wire.message(_EVENT_PUBLIC_EVENT, public),
        _optional(_EVENT_PRIVATE_EVENT, private),
    )


def update_bytes(
    *,
    seq: int,
    status: game_pb2.GameStatus.ValueType,
    snapshot: bool = False,
    events: Iterable[bytes] = (),
    news: bytes = b"",
    public_view: bytes | None = None,
    private_view: bytes | None = None,
    prompt: bytes | None = None,
    clock: bytes | None = None,
    ready_check: bytes | None = None,
    result: bytes | None = None,
    seed_reveal: bytes | None = None,
    game: bytes | None = None,
    statistics: bytes | None = None,
) -> bytes:
    """A serialized Update. Each part is the serialized message of its field; None: absent.

    `news` are events that are fields of an Update already.
    """
    return b"%b%b%b%b%b%b%b%b%b%b%b%b%b%b" % (
        wire.uint(_UPDATE_SEQ, seq),
        wire.uint(_UPDATE_SNAPSHOT, snapshot),
        wire.uint(_UPDATE_STATUS, status),
        news,
        b"".join([wire.message(_UPDATE_EVENTS, event) for event in events]) if events else b"",
        _optional(_UPDATE_PUBLIC_VIEW, public_view),
        _optional(_UPDATE_PRIVATE_VIEW, private_view),
        _optional(_UPDATE_PROMPT, prompt),
        _optional(_UPDATE_CLOCK, clock),
        _optional(_UPDATE_READY_CHECK, ready_check),
        _optional(_UPDATE_RESULT, result),
        _optional(_UPDATE_SEED_REVEAL, seed_reveal),
        _optional(_UPDATE_GAME, game),
        _optional(_UPDATE_STATISTICS, statistics),
    )


def _optional(field: int, body: bytes | None) -> bytes:
    return b"" if body is None else wire.message(field, body)
