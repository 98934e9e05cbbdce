"""Prompts, events and updates, put together from parts that are already encoded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.v1 import decision_pb2 as d
from endless_winter.v1 import event_pb2, update_pb2
from endless_winter.views import wire

if TYPE_CHECKING:
    from collections.abc import Iterable

    from endless_winter.v1 import game_pb2

_U: Final = update_pb2.Update
_P: Final = d.Prompt
_E: Final = event_pb2.Event


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
    return b"".join(
        (
            wire.message(_P.DECISION_FIELD_NUMBER, decision),
            wire.present(_P.DEADLINE_UNIX_MS_FIELD_NUMBER, deadline_unix_ms),
            wire.present(_P.BANK_MS_FIELD_NUMBER, bank_ms),
            _optional(_P.LAST_ANSWER_FIELD_NUMBER, last_answer),
            wire.uint(_P.WRONG_ANSWERS_LEFT_FIELD_NUMBER, wrong_answers_left),
            wire.uint(_P.SENT_UNIX_MS_FIELD_NUMBER, sent_unix_ms),
        )
    )


def event_bytes(seq: int, public: bytes, private: bytes | None = None) -> bytes:
    """A serialized Event around its parts; `private` only for the one seat that may see it."""
    return (
        wire.uint(_E.SEQ_FIELD_NUMBER, seq)
        + wire.message(_E.PUBLIC_EVENT_FIELD_NUMBER, public)
        + _optional(_E.PRIVATE_EVENT_FIELD_NUMBER, private)
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
) -> bytes:
    """A serialized Update. Each part is the serialized message of its field; None: absent.

    `news` are events that are fields of an Update already.
    """
    parts = [
        wire.uint(_U.SEQ_FIELD_NUMBER, seq),
        wire.uint(_U.SNAPSHOT_FIELD_NUMBER, snapshot),
        wire.uint(_U.STATUS_FIELD_NUMBER, status),
        news,
    ]
    parts += [wire.message(_U.EVENTS_FIELD_NUMBER, event) for event in events]
    parts += [
        _optional(_U.PUBLIC_VIEW_FIELD_NUMBER, public_view),
        _optional(_U.PRIVATE_VIEW_FIELD_NUMBER, private_view),
        _optional(_U.PROMPT_FIELD_NUMBER, prompt),
        _optional(_U.CLOCK_FIELD_NUMBER, clock),
        _optional(_U.READY_CHECK_FIELD_NUMBER, ready_check),
        _optional(_U.RESULT_FIELD_NUMBER, result),
        _optional(_U.SEED_REVEAL_FIELD_NUMBER, seed_reveal),
        _optional(_U.GAME_FIELD_NUMBER, game),
    ]
    return b"".join(parts)


def _optional(field: int, body: bytes | None) -> bytes:
    return b"" if body is None else wire.message(field, body)
