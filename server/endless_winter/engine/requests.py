"""Idempotency keys: what was asked under which request id, and what the first answer was."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from endless_winter.engine.refusal import Refusal, invalid
from endless_winter.store.records import FirstAnswer, Request
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from google.protobuf.message import Message

MOST_REQUEST_ID: Final = 64
_DIGEST_BYTES: Final = 16


def check_request_id(request_id: str) -> None:
    if len(request_id) > MOST_REQUEST_ID:
        raise invalid("request_id", f"a request id has at most {MOST_REQUEST_ID} characters")


class RequestKey:
    """What tells a request from others; a retry has the same."""

    __slots__ = ("caller", "digest", "request_id")

    def __init__(
        self, caller: bytes, request_id: str, kind: bytes, wanted: Message | bytes = b""
    ) -> None:
        """`caller` tells those apart who may use the same ids; the digest is of what is asked."""
        self.caller = caller
        self.request_id = request_id
        body = wanted if isinstance(wanted, bytes) else wanted.SerializeToString(deterministic=True)
        self.digest = hashlib.blake2b(body, digest_size=_DIGEST_BYTES, person=kind).digest()

    def answered(self, answer: bytes) -> Request:
        """What the store keeps."""
        return Request(self.caller, self.request_id, self.digest, answer)

    def first(self, found: FirstAnswer) -> bytes:
        """The first answer, if it was an answer to the same."""
        if found.digest != self.digest:
            raise Refusal(
                reasons.REJECTION_REASON_REQUEST_ID_REUSED,
                "the request id was used before for something else",
                field="request_id",
            )
        return found.answer
