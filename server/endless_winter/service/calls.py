"""How a call is read and refused: what comes in as bytes, and what goes out as a status."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from google.protobuf import any_pb2
from google.protobuf.message import DecodeError, Message
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from endless_winter.engine.refusal import Refusal
from endless_winter.service.contract import PACKAGE
from endless_winter.v1 import rejection_pb2 as r

if TYPE_CHECKING:
    from typing import NoReturn

# The gRPC status of each reason, as rejection.proto promises it.
STATUS: dict[r.RejectionReason.ValueType, int] = {
    r.REJECTION_REASON_INVALID_ARGUMENT: code_pb2.INVALID_ARGUMENT,
    r.REJECTION_REASON_TOO_LARGE: code_pb2.RESOURCE_EXHAUSTED,
    r.REJECTION_REASON_SECRET_MISSING: code_pb2.UNAUTHENTICATED,
    r.REJECTION_REASON_NOT_ALLOWED: code_pb2.PERMISSION_DENIED,
    r.REJECTION_REASON_GAME_NOT_FOUND: code_pb2.NOT_FOUND,
    r.REJECTION_REASON_SEAT_NOT_FOUND: code_pb2.NOT_FOUND,
    r.REJECTION_REASON_NOT_FOUND: code_pb2.NOT_FOUND,
    r.REJECTION_REASON_SEAT_TAKEN: code_pb2.FAILED_PRECONDITION,
    r.REJECTION_REASON_INVITATION_INVALID: code_pb2.PERMISSION_DENIED,
    r.REJECTION_REASON_SEAT_REVOKED: code_pb2.PERMISSION_DENIED,
    r.REJECTION_REASON_SPECTATORS_CLOSED: code_pb2.PERMISSION_DENIED,
    r.REJECTION_REASON_HELLO_EXPECTED: code_pb2.FAILED_PRECONDITION,
    r.REJECTION_REASON_CONTRACT_UNSUPPORTED: code_pb2.FAILED_PRECONDITION,
    r.REJECTION_REASON_NOT_ATTACHED: code_pb2.FAILED_PRECONDITION,
    r.REJECTION_REASON_ALREADY_ATTACHED: code_pb2.ALREADY_EXISTS,
    r.REJECTION_REASON_GAME_NOT_STARTED: code_pb2.FAILED_PRECONDITION,
    r.REJECTION_REASON_GAME_STARTED: code_pb2.FAILED_PRECONDITION,
    r.REJECTION_REASON_GAME_ENDED: code_pb2.FAILED_PRECONDITION,
    r.REJECTION_REASON_NOT_YOUR_DECISION: code_pb2.FAILED_PRECONDITION,
    r.REJECTION_REASON_STALE_DECISION: code_pb2.FAILED_PRECONDITION,
    r.REJECTION_REASON_UNKNOWN_DECISION: code_pb2.FAILED_PRECONDITION,
    r.REJECTION_REASON_ILLEGAL_OPTION: code_pb2.INVALID_ARGUMENT,
    r.REJECTION_REASON_TOO_LATE: code_pb2.DEADLINE_EXCEEDED,
    r.REJECTION_REASON_REQUEST_ID_REUSED: code_pb2.ALREADY_EXISTS,
    r.REJECTION_REASON_SEAT_FORFEITED: code_pb2.FAILED_PRECONDITION,
    r.REJECTION_REASON_UNDO_IMPOSSIBLE: code_pb2.FAILED_PRECONDITION,
    r.REJECTION_REASON_STANDING_ANSWER_IMPOSSIBLE: code_pb2.INVALID_ARGUMENT,
    r.REJECTION_REASON_LIMIT_REACHED: code_pb2.RESOURCE_EXHAUSTED,
    r.REJECTION_REASON_NOT_REVEALED_YET: code_pb2.FAILED_PRECONDITION,
    r.REJECTION_REASON_VERSION_UNAVAILABLE: code_pb2.FAILED_PRECONDITION,
    r.REJECTION_REASON_BOT_UNAVAILABLE: code_pb2.UNAVAILABLE,
    r.REJECTION_REASON_ALREADY_EXISTS: code_pb2.ALREADY_EXISTS,
    r.REJECTION_REASON_PAGE_TOKEN_INVALID: code_pb2.INVALID_ARGUMENT,
    r.REJECTION_REASON_CONFLICT: code_pb2.ABORTED,
    r.REJECTION_REASON_STORE_UNAVAILABLE: code_pb2.UNAVAILABLE,
    r.REJECTION_REASON_DRAINING: code_pb2.UNAVAILABLE,
    r.REJECTION_REASON_SERVER_FAULT: code_pb2.INTERNAL,
    r.REJECTION_REASON_NOT_SUPPORTED: code_pb2.UNIMPLEMENTED,
}

# Longer than any first message is under way, also that of a client on a busy machine; a caller who
# sends none is refused then.
_FIRST_MESSAGE_S = 5.0

M = TypeVar("M", bound=Message)


def parsed(kind: type[M], raw: bytes, most: int) -> M:
    """The message in some bytes; bytes that are none are refused."""
    if len(raw) > most:
        raise too_large(most)
    try:
        return kind.FromString(raw)
    except DecodeError as error:
        raise not_a_message() from error


def too_large(most: int) -> Refusal:
    return Refusal(
        r.REJECTION_REASON_TOO_LARGE, f"a message of this method has at most {most} bytes"
    )


def not_a_message() -> Refusal:
    return Refusal(
        r.REJECTION_REASON_INVALID_ARGUMENT, "the bytes are not a message of this method"
    )


async def refuse(context: Any, refusal: Refusal) -> NoReturn:
    """End a call with a refusal: a status with one ErrorInfo."""
    info = error_details_pb2.ErrorInfo(reason=refusal.name, domain=PACKAGE)
    if refusal.field:
        info.metadata["field"] = refusal.field
    for name in ("pending_decision_id", "wrong_answers_left", "retry_after_ms"):
        value = getattr(refusal, name)
        if value is not None:
            info.metadata[name] = str(value)
    detail = any_pb2.Any()
    detail.Pack(info)
    status = status_pb2.Status(
        code=STATUS[refusal.reason], message=refusal.message, details=[detail]
    )
    await context.abort_with_status(rpc_status.to_status(status))
    raise AssertionError  # not reached: it raises


async def take_first_message(context: Any) -> None:
    """Before a caller who streams is refused at the door.

    Its first message is on its way. If the call ends before that is taken, a client may see its
    own write fail and never the reason (grpc.aio calls it INTERNAL), so the message is read first.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(_FIRST_MESSAGE_S):
            await context.read()
