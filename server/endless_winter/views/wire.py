"""The protobuf wire format, as far as encoded parts are put together by hand.

First fields of all kinds, then the messages around them: prompts, events, updates.

Serialized messages can be concatenated: a field of a message is its tag, its length and its
bytes, wherever those bytes were encoded. So a part that has not changed is cached as bytes and
copied, never built again. Bytes are cached, not messages: refilling the repeated fields of a
long-lived message lets its arena grow for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.v1 import decision_pb2 as d
from endless_winter.v1 import event_pb2, update_pb2

if TYPE_CHECKING:
    from endless_winter.v1 import game_pb2

_VARINT: Final = 0
_LENGTH: Final = 2
_MASK: Final = (1 << 64) - 1
_FIELDS: Final = 64  # as many as any message has
_SMALL: Final = 128  # what is below takes one byte
_SHORT: Final = 128 * 128  # what is below takes at most two

# Nearly all numbers are small ones: those are looked up, not worked out.
_MORE: Final[list[bytes]] = [bytes((low | 128,)) for low in range(_SMALL)]
_VARINTS: Final[list[bytes]] = [
    bytes((number,)) if number < _SMALL else bytes((number & 127 | 128, number >> 7))
    for number in range(_SHORT)
]


def varint(number: int) -> bytes:
    """A number from 0 to 2**64 - 1 in groups of seven bits, the lowest first."""
    if number < _SHORT:
        return _VARINTS[number]
    return b"%b%b%b" % (_MORE[number & 127], _MORE[number >> 7 & 127], varint(number >> 14))


_UINT_TAGS: Final[list[bytes]] = [varint(field << 3 | _VARINT) for field in range(_FIELDS)]
_BODY_TAGS: Final[list[bytes]] = [varint(field << 3 | _LENGTH) for field in range(_FIELDS)]
# By field: the tag together with a small number, or with a small length.
_UINTS: Final[list[list[bytes]]] = [
    [tag + varint(number) for number in range(_SMALL)] for tag in _UINT_TAGS
]
_HEADS: Final[list[list[bytes]]] = [
    [tag + varint(length) for length in range(_SMALL)] for tag in _BODY_TAGS
]


def message(field: int, body: bytes) -> bytes:
    """A message field, also one of several of a repeated field."""
    length = len(body)
    if length < _SMALL:
        return _HEADS[field][length] + body
    return b"%b%b%b" % (_BODY_TAGS[field], varint(length), body)


def messages(*fields: tuple[int, bytes | None]) -> bytes:
    """Message fields, in order; None: absent."""
    return b"".join([message(field, body) for field, body in fields if body is not None])


def text(field: int, value: str) -> bytes:
    """A string field; the empty string is the default and is not written."""
    return message(field, value.encode()) if value else b""


def uint(field: int, value: int) -> bytes:
    """An unsigned, enum or bool field; 0 is the default and is not written."""
    if not value:
        return b""
    return _UINTS[field][value] if value < _SMALL else _UINT_TAGS[field] + varint(value)


def uints(*fields: tuple[int, int]) -> bytes:
    """Unsigned, enum and bool fields, in order; those that are 0 are not written."""
    return b"".join(
        [
            _UINTS[field][value] if value < _SMALL else _UINT_TAGS[field] + varint(value)
            for field, value in fields
            if value
        ]
    )


def signed(field: int, value: int) -> bytes:
    """An int32 or int64 field; 0 is the default and is not written."""
    return present(field, value) if value else b""


def present(field: int, value: int | None) -> bytes:
    """An `optional` integer: absent, or written even if it is 0. Negative ones as int64."""
    if value is None:
        return b""
    if 0 <= value < _SMALL:
        return _UINTS[field][value]
    return _UINT_TAGS[field] + varint(value & _MASK)


def packed(field: int, values: bytes) -> bytes:
    """A repeated number field whose values are below 128."""
    return message(field, values) if values else b""


# --- messages around encoded parts ---

_UPDATE_SEQ: Final = update_pb2.Update.SEQ_FIELD_NUMBER
_UPDATE_SNAPSHOT: Final = update_pb2.Update.SNAPSHOT_FIELD_NUMBER
_UPDATE_STATUS: Final = update_pb2.Update.STATUS_FIELD_NUMBER
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
_PROMPT_PLAN_END: Final = d.Prompt.PLAN_END_FIELD_NUMBER
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
    plan_end: int = 0,
) -> bytes:
    """A serialized Prompt around a serialized Decision."""
    return b"%b%b%b%b" % (
        messages((_PROMPT_DECISION, decision), (_PROMPT_LAST_ANSWER, last_answer)),
        present(_PROMPT_DEADLINE_UNIX_MS, deadline_unix_ms),
        present(_PROMPT_BANK_MS, bank_ms),
        uints(
            (_PROMPT_WRONG_ANSWERS_LEFT, wrong_answers_left),
            (_PROMPT_SENT_UNIX_MS, sent_unix_ms),
            (_PROMPT_PLAN_END, plan_end),
        ),
    )


def event_bytes(seq: int, public: bytes, private: bytes | None = None) -> bytes:
    """A serialized Event around its parts; `private` only for the one seat that may see it."""
    shown = uint(_EVENT_SEQ, seq) + message(_EVENT_PUBLIC_EVENT, public)
    return shown if private is None else shown + message(_EVENT_PRIVATE_EVENT, private)


def update_bytes(
    *,
    seq: int,
    status: game_pb2.GameStatus.ValueType,
    snapshot: bool = False,
    events: bytes = b"",
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

    `events` are the serialized fields, tags included: many viewers share them.
    """
    return b"%b%b%b" % (
        uints((_UPDATE_SEQ, seq), (_UPDATE_SNAPSHOT, snapshot), (_UPDATE_STATUS, status)),
        events,
        messages(
            (_UPDATE_PUBLIC_VIEW, public_view),
            (_UPDATE_PRIVATE_VIEW, private_view),
            (_UPDATE_PROMPT, prompt),
            (_UPDATE_CLOCK, clock),
            (_UPDATE_READY_CHECK, ready_check),
            (_UPDATE_RESULT, result),
            (_UPDATE_SEED_REVEAL, seed_reveal),
            (_UPDATE_GAME, game),
            (_UPDATE_STATISTICS, statistics),
        ),
    )
