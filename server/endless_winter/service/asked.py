"""A request that may come twice: what was asked under which id, and what it was answered first."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from endless_winter.service.refusal import Refusal
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from google.protobuf.message import Message

MOST_REQUEST_ID = 64
_DIGEST = 16  # bytes


def digest_of(kind: bytes, wanted: Message | bytes | None) -> bytes:
    """A digest of what is asked, so that an id that is used for something else is noticed."""
    if wanted is None:
        body = b""
    else:
        body = wanted if isinstance(wanted, bytes) else wanted.SerializeToString(deterministic=True)
    return hashlib.blake2b(body, digest_size=_DIGEST, person=kind).digest()


def reused() -> Refusal:
    return Refusal(
        reasons.REJECTION_REASON_REQUEST_ID_REUSED,
        "the request id was used before for something else",
        field="request_id",
    )


def check_request_id(request_id: str) -> None:
    if len(request_id) > MOST_REQUEST_ID:
        raise Refusal(
            reasons.REJECTION_REASON_INVALID_ARGUMENT,
            f"a request id has at most {MOST_REQUEST_ID} characters",
            field="request_id",
        )


class Asked:
    """A command of a seat; with an empty id nothing is remembered.

    `whose` tells those apart who come to the same seat one after the other.
    """

    __slots__ = ("_digest", "key", "request_id")

    def __init__(
        self,
        seat: int,
        request_id: str,
        kind: bytes,
        wanted: Message | bytes | None = None,
        whose: bytes = b"",
    ) -> None:
        self.key = bytes((seat,)) + whose
        self.request_id = request_id
        self._digest = b""
        if request_id:
            self._digest = digest_of(kind, wanted)

    def kept(self, accepted: bytes) -> bytes:
        """What the store keeps of the answer, a serialized Accepted."""
        return self._digest + accepted

    def first(self, kept: bytes) -> bytes:
        """The first answer, if it was an answer to the same."""
        if kept[:_DIGEST] != self._digest:
            raise reused()
        return kept[_DIGEST:]
