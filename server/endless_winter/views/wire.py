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


def text(field: int, value: str) -> bytes:
    """A string field; the empty string is the default and is not written."""
    return message(field, value.encode()) if value else b""


def uint(field: int, value: int) -> bytes:
    """An unsigned, enum or bool field; 0 is the default and is not written."""
    return _number(field, value) if value else b""


def signed(field: int, value: int) -> bytes:
    """An int32 or int64 field; 0 is the default and is not written."""
    return present(field, value) if value else b""


def present(field: int, value: int | None) -> bytes:
    """An `optional` integer: absent, or written even if it is 0. Negative ones as int64."""
    if value is None:
        return b""
    return _number(field, value if value >= 0 else value & _MASK)


def _number(field: int, value: int) -> bytes:
    return _UINTS[field][value] if value < _SMALL else _UINT_TAGS[field] + varint(value)


def packed(field: int, values: bytes) -> bytes:
    """A repeated number field whose values are below 128."""
    return message(field, values) if values else b""
