"""Who asks: a client by the hash of its secret, and whether it is an operator."""

from __future__ import annotations

import hmac
from typing import NamedTuple

from endless_winter.engine.refusal import Refusal
from endless_winter.v1 import rejection_pb2 as reasons

SECRET_KEY = "ew-client-secret"  # noqa: S105 # the name of the metadata, not a secret


class Caller(NamedTuple):
    """Who asks, and from which network address, where something is counted by it."""

    client: bytes
    """The hash of the client's secret; empty: none was sent."""
    operator: bool = False
    peer: str = ""

    def known(self) -> bytes:
        """The client, for what only a client with a secret may do."""
        if not self.client:
            raise Refusal(
                reasons.REJECTION_REASON_SECRET_MISSING,
                f"send the metadata '{SECRET_KEY}': 64 lower-case hexadecimal digits, drawn once",
            )
        return self.client


def same(one: bytes, other: bytes) -> bool:
    """Compare two hashes in constant time; an empty one is never the same as anything."""
    return bool(one) and bool(other) and hmac.compare_digest(one, other)


def is_one_of(client: bytes, others: list[bytes]) -> bool:
    """Whether a hash is among others; all are compared, whatever the first ones say."""
    return any([same(client, other) for other in others])  # noqa: C419 # all are compared
