"""Entries of logs as bytes: a commit is the rows of its entries, and so is a part of a log.

One value for many entries instead of one row of a table for each: what is written with every
choice is then a single small row, and what reads a whole log reads a few large ones.
"""

from __future__ import annotations

from struct import Struct, error
from typing import TYPE_CHECKING, NamedTuple

from endless_winter.store.errors import StoreDamaged
from endless_winter.store.records import Entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from endless_winter.store.records import Request

# Game, number, time, and the lengths of what follows: kind, payload, private, events, hash, marks.
_HEAD = Struct("<QQqIIIIII")

ASKED = "\0asked"
"""The kind of a row that is no entry: a request that the entry of its number, or an earlier one,
answers. No entry has it: kinds are words."""


class Row(NamedTuple):
    """An entry with its place; `marks` is empty when it changes nothing in the listing."""

    game: int
    seq: int
    kind: str
    at_ms: int
    payload: bytes
    private: bytes
    events: bytes
    position_hash: bytes
    marks: str


def pack(game: int, seq: int, entry: Entry, marks: str = "") -> bytes:
    """The row of an entry."""
    kind_text, at_ms, payload, private, events, position_hash, _ = entry
    kind = kind_text.encode()
    text = marks.encode() if marks else b""
    head = _HEAD.pack(
        game,
        seq,
        at_ms,
        len(kind),
        len(payload),
        len(private),
        len(events),
        len(position_hash),
        len(text),
    )
    return b"".join((head, kind, payload, private, events, position_hash, text))


def pack_request(game: int, seq: int, request: Request) -> bytes:
    """The row of a request that is answered, and of its answer."""
    caller, request_id, answer = request
    return pack(game, seq, Entry(ASKED, 0, answer, caller, request_id.encode()))


def request_of(row: Row) -> tuple[bytes, str, int, bytes]:
    """Caller, id, number and answer of a request, from its row."""
    try:
        return row.private, row.events.decode(), row.seq, row.payload
    except UnicodeDecodeError as wrong:
        raise StoreDamaged(f"a request cannot be read: {wrong}") from wrong


def repack(row: Row) -> bytes:
    """The row again, as it was."""
    game, seq, kind, at_ms, payload, private, events, position_hash, marks = row
    entry = Entry(kind, at_ms, payload, private, events, position_hash)
    return pack(game, seq, entry, marks)


def unpack(data: bytes) -> Iterator[Row]:
    """The entries of a value, in their order."""
    at = 0
    try:
        while at < len(data):
            game, seq, at_ms, *lengths = _HEAD.unpack_from(data, at)
            at += _HEAD.size
            parts = []
            for length in lengths:
                parts.append(data[at : at + length])
                at += length
            if at > len(data):
                raise StoreDamaged("an entry ends too early")
            kind, payload, private, events, position_hash, marks = parts
            yield Row(
                game,
                seq,
                kind.decode(),
                at_ms,
                payload,
                private,
                events,
                position_hash,
                marks.decode(),
            )
    except (error, UnicodeDecodeError) as wrong:
        raise StoreDamaged(f"an entry cannot be read: {wrong}") from wrong


def after(rows: Iterable[Row], seq: int) -> Iterator[Row]:
    """The rows of a log that come after a number; what is told twice is told once."""
    for row in rows:
        if row.seq > seq:
            yield row
            seq = row.seq
