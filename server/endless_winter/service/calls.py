"""What every method has in common: who calls, and how a refusal or a fault goes out.

Servicers stay thin: a method takes a request and a caller, and returns a response or raises a
`Refusal`. Whatever else is raised is a fault of the server: it is logged, and the client hears
SERVER_FAULT, never UNKNOWN.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import grpc
from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from endless_winter.service.identity import Caller, caller_of
from endless_winter.service.limits import peer_of
from endless_winter.service.refusal import Refusal
from endless_winter.store import StoreError
from endless_winter.v1 import rejection_pb2 as r

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from endless_winter.service.settings import Settings

Context = "grpc.aio.ServicerContext[Any, Any]"
DOMAIN = "endless_winter.v1"
log = logging.getLogger("endless_winter.service")

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


class Served(Protocol):
    """A servicer; the settings tell who is an operator."""

    settings: Settings


S = TypeVar("S", bound=Served)
Q = TypeVar("Q")
A = TypeVar("A")


def store_failed() -> Refusal:
    return Refusal(
        r.REJECTION_REASON_STORE_UNAVAILABLE, "the log cannot be read or written; try again"
    )


def fault() -> Refusal:
    return Refusal(r.REJECTION_REASON_SERVER_FAULT, "a fault of the server; nothing has happened")


async def refuse(context: Any, refusal: Refusal) -> None:
    """End a call with a refusal: a status with one ErrorInfo."""
    info = error_details_pb2.ErrorInfo(reason=refusal.name, domain=DOMAIN)
    if refusal.field:
        info.metadata["field"] = refusal.field
    if refusal.pending_decision_id is not None:
        info.metadata["pending_decision_id"] = str(refusal.pending_decision_id)
    if refusal.wrong_answers_left is not None:
        info.metadata["wrong_answers_left"] = str(refusal.wrong_answers_left)
    if refusal.retry_after_ms is not None:
        info.metadata["retry_after_ms"] = str(refusal.retry_after_ms)
    detail = any_pb2.Any()
    detail.Pack(info)
    status = status_pb2.Status(
        code=STATUS[refusal.reason], message=refusal.message, details=[detail]
    )
    await context.abort_with_status(rpc_status.to_status(status))


async def refuse_at_the_door(context: Any, refusal: Refusal) -> None:
    """Refuse a caller who streams, before anything was read.

    Its first message is on its way. If the call ends before that is taken, a client may see its
    own write fail and never the reason (grpc.aio calls it INTERNAL), so the message is read first.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(_FIRST_MESSAGE_S):
            await context.read()
    await refuse(context, refusal)


def unary(
    method: Callable[[S, Q, Caller], Awaitable[A]],
) -> Callable[[S, Q, Any], Awaitable[A]]:
    """A unary method of a servicer."""

    @wraps(method)
    async def call(self: S, request: Q, context: Any) -> A:
        try:
            caller = caller_of(context.invocation_metadata() or (), self.settings.operators)
            caller = caller._replace(peer=peer_of(context.peer()))
            return await method(self, request, caller)
        except Refusal as refusal:
            await refuse(context, refusal)
        except StoreError:
            log.exception("the store failed: %s", method.__qualname__)
            await refuse(context, store_failed())
        except Exception:
            log.exception("a call failed: %s", method.__qualname__)
            await refuse(context, fault())
        raise AssertionError  # refuse() raises

    return call


def server_stream(
    method: Callable[[S, Q, Caller], AsyncIterator[A]],
) -> Callable[[S, Q, Any], AsyncIterator[A]]:
    """A method that answers with a stream."""

    @wraps(method)
    async def call(self: S, request: Q, context: Any) -> AsyncIterator[A]:
        try:
            caller = caller_of(context.invocation_metadata() or (), self.settings.operators)
            async for answer in method(self, request, caller):
                yield answer
                del answer  # a stream that waits keeps nothing of what it said last
        except Refusal as refusal:
            await refuse(context, refusal)
        except StoreError:
            log.exception("the store failed: %s", method.__qualname__)
            await refuse(context, store_failed())
        except grpc.aio.AbortError:
            raise
        except Exception:
            log.exception("a stream failed: %s", method.__qualname__)
            await refuse(context, fault())

    return call
