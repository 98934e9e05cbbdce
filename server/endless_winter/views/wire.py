"""The protobuf wire format, as far as encoded parts are put together by hand.

Serialized messages can be concatenated: a field of a message is its tag, its length and its
bytes, wherever those bytes were encoded. So a part that has not changed is kept as bytes and
copied, never built again. Bytes are kept, not messages: refilling the repeated fields of a
long-lived message lets its arena grow for ever.
"""

from __future__ import annotations

from typing import Final

_VARINT: Final = 0
_LENGTH: Final = 2
_SMALL: Final = [bytes((number,)) for number in range(128)]
_MASK: Final = (1 << 64) - 1


def varint(number: int) -> bytes:
    """A number from 0 to 2**64 - 1 in groups of seven bits, the lowest first."""
    if number < 128:
        return _SMALL[number]
    if number < 16384:
        return bytes((number & 127 | 128, number >> 7))
    groups = bytearray()
    while number >= 128:
        groups.append(number & 127 | 128)
        number >>= 7
    groups.append(number)
    return bytes(groups)


_UINT_TAGS: Final = [varint(field << 3 | _VARINT) for field in range(64)]
_BODY_TAGS: Final = [varint(field << 3 | _LENGTH) for field in range(64)]


def message(field: int, body: bytes) -> bytes:
    """A message field, also one of several of a repeated field."""
    return _BODY_TAGS[field] + varint(len(body)) + body


def text(field: int, value: str) -> bytes:
    """A string field; the empty string is the default and is not written."""
    return message(field, value.encode()) if value else b""


def uint(field: int, value: int) -> bytes:
    """An unsigned, enum or bool field; 0 is the default and is not written."""
    return _UINT_TAGS[field] + varint(value) if value else b""


def signed(field: int, value: int) -> bytes:
    """An int32 or int64 field; 0 is the default and is not written."""
    return _UINT_TAGS[field] + varint(value & _MASK) if value else b""


def present(field: int, value: int | None) -> bytes:
    """An `optional` integer: absent, or written even if it is 0. Negative ones as int64."""
    return b"" if value is None else _UINT_TAGS[field] + varint(value & _MASK)


def packed(field: int, values: bytes) -> bytes:
    """A repeated number field whose values are below 128."""
    return message(field, values) if values else b""
