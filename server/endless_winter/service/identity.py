"""Who calls: a client secret or an operator token in the call's metadata, never anything else.

The server keeps only a hash of a client's secret. Seats are bound to that hash, so a retried
join is harmless and one stream can carry many games.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import TYPE_CHECKING, NamedTuple

from endless_winter.service.refusal import Refusal
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from collections.abc import Iterable

SECRET_KEY = "ew-client-secret"  # noqa: S105 # the name of the metadata, not a secret
OPERATOR_KEY = "ew-operator-token"
BOT_NAME = re.compile(r"\A[A-Za-z0-9_-]{1,40}\Z")
_SECRET = re.compile(r"\A[0-9a-f]{64}\Z")


class Caller(NamedTuple):
    """The hash of the client's secret (empty: none was sent), and whether it is an operator.

    And its network address, where something is counted by it.
    """

    holder: bytes
    operator: bool
    peer: str = ""

    def known(self) -> bytes:
        """The holder, for what only a client with a secret may do."""
        if not self.holder:
            raise Refusal(
                reasons.REJECTION_REASON_SECRET_MISSING,
                f"send the metadata '{SECRET_KEY}': 64 lower-case hexadecimal digits, drawn once",
            )
        return self.holder


def holder_of(secret: str) -> bytes:
    """What is kept of a client's secret."""
    return hashlib.blake2b(bytes.fromhex(secret), digest_size=32, person=b"ew-client-1").digest()


def same(one: bytes, other: bytes) -> bool:
    """Compare two hashes in constant time; an empty one is never the same as anything."""
    return bool(one) and bool(other) and hmac.compare_digest(one, other)


def operator_hash(token: str) -> bytes:
    return hashlib.blake2b(token.encode(), digest_size=32, person=b"ew-operator-1").digest()


def bot_hash(token: str) -> bytes:
    """What is kept of a bot's token. Plain SHA-256, so that a host can make it with any tool."""
    return hashlib.sha256(token.encode()).digest()


def entitled(
    name: str, token: str, reserved: Iterable[tuple[str, bytes]], *, only_reserved: bool
) -> bool:
    """Whether a bot may have a name: a free one, or a reserved one of which it has a token."""
    known = [hashed for owned, hashed in reserved if owned == name]
    given = bot_hash(token)
    if not known:
        return not only_reserved
    return any([same(given, hashed) for hashed in known])  # noqa: C419 # as below


def caller_of(
    metadata: Iterable[tuple[str, str | bytes]], operators: Iterable[bytes] = ()
) -> Caller:
    """The caller of a call. A secret of the wrong form is refused, a missing one is nobody's."""
    holder = b""
    operator = False
    for key, value in metadata:
        if key == SECRET_KEY:
            if not isinstance(value, str) or not _SECRET.match(value):
                raise Refusal(
                    reasons.REJECTION_REASON_SECRET_MISSING,
                    f"'{SECRET_KEY}' must be 64 lower-case hexadecimal digits",
                )
            holder = holder_of(value)
        elif key == OPERATOR_KEY:
            token = operator_hash(value if isinstance(value, str) else "")
            # Every token is compared, so that the time taken does not tell which came close.
            operator = any([same(token, known) for known in operators])  # noqa: C419
    return Caller(holder, operator)
