"""Authentication: a client secret or an operator token in the call's metadata, nothing else.

The server stores only a hash of a client's secret. Seats are bound to that hash, so a retried
join is harmless and one stream can carry many games.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from endless_winter.engine.caller import SECRET_KEY, Caller, is_one_of
from endless_winter.engine.refusal import Refusal
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from collections.abc import Iterable

OPERATOR_KEY = "ew-operator-token"
_SECRET = re.compile(r"\A[0-9a-f]{64}\Z")


def holder_of(secret: str) -> bytes:
    """What is stored of a client's secret."""
    return hashlib.blake2b(bytes.fromhex(secret), digest_size=32, person=b"ew-client-1").digest()


def operator_hash(token: str) -> bytes:
    return hashlib.blake2b(token.encode(), digest_size=32, person=b"ew-operator-1").digest()


def bot_hash(token: str) -> bytes:
    """What is stored of a bot's token. Plain SHA-256, so that a host can make it with any tool."""
    return hashlib.sha256(token.encode()).digest()


def entitled(
    name: str, token: str, reserved: Iterable[tuple[str, bytes]], *, only_reserved: bool
) -> bool:
    """Whether a bot may have a name: a free one, or a reserved one of which it has a token."""
    known = [hashed for owned, hashed in reserved if owned == name]
    given = bot_hash(token)
    if not known:
        return not only_reserved
    return is_one_of(given, known)


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
            operator = is_one_of(token, list(operators))
    return Caller(holder, operator)
