"""The tail of a store: appends that are safe on the disk before they are in the tables.

Two files beside the store, written in turn. A batch of appends is one record; it is safe when the
file is flushed, and the writer carries it into the tables soon after. A file whose batches are all
in the tables is written over from its start. After a crash the records that are whole are read
back; what the tables have already is known by its number.
"""

from __future__ import annotations

import os
from contextlib import suppress
from struct import Struct
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import msgspec

from endless_winter.store.records import Entry, Request
from endless_winter.store.schema import flush

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

FILES = 2
LARGEST = 4 << 20  # bytes; then the other file is written, if its batches are all in the tables
# A file grows by so much at a time: flushing what does not change a file's length is quicker.
GROWTH = 128 << 10
_HEAD = Struct("<QII")  # number of the batch, length of what follows, its checksum
_encode = msgspec.msgpack.Encoder().encode


class Append(NamedTuple):
    """More entries of a game."""

    game_id: str
    expected_seq: int
    entries: Sequence[Entry]
    requests: Sequence[Request]


def names(store: Path) -> list[Path]:
    """The files of a store's tail, which exist only while there is something in them."""
    return [store.with_name(f"{store.name}.tail-{number}") for number in range(FILES)]


class _File:
    """One of the two."""

    def __init__(self, path: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
        self.number = os.open(path, flags, 0o600)
        self.end = 0  # of the last record
        self.length = 0
        self.last = 0  # batch

    def write(self, batch: int, record: bytes) -> None:
        """Add a record, or nothing: what is half-written is written over by the next."""
        end = self.end + len(record)
        if end > self.length:
            longer = -(-end // GROWTH) * GROWTH
            record = record.ljust(longer - self.end, b"\0")
        written = os.pwrite(self.number, record, self.end)
        if written < end - self.end:  # a disk that is just full takes a part, then complains
            os.pwrite(self.number, record[written:], self.end + written)
        self.length = max(self.length, self.end + written)
        self.end = end
        self.last = batch

    def cut(self, end: int) -> None:
        """What was not flushed is gone, also for whoever reads the file after a crash."""
        os.ftruncate(self.number, end)
        self.end = self.length = end


class Place(NamedTuple):
    """Where a batch begins, so that it can be taken back."""

    file: _File
    start: int

    def flush(self) -> None:
        """Wait until it is on the disk."""
        os.fdatasync(self.file.number)


class Tail:
    """Writes batches. All calls raise ``OSError``."""

    def __init__(self, store: Path) -> None:
        self._paths = names(store)
        self._files: list[_File] = []
        self._current = 0
        self._settled = 0  # batches up to this one are in the tables

    def write(self, batch: int, jobs: Sequence[Append]) -> Place:
        """Add a batch, whose number is higher than those before; it is not flushed yet."""
        if not self._files:
            self._files = [_File(path) for path in self._paths]
            flush(self._paths[0].parent)  # a file whose name is lost is lost
        file = self._files[self._current]
        other = self._files[1 - self._current]
        if file.end > LARGEST and other.last <= self._settled:
            self._current = 1 - self._current
            file, other = other, file
            file.end = 0
        # An entry without its marks: what has any is not written here.
        body = _encode([(job[0], job[1], [e[:6] for e in job[2]], job[3]) for job in jobs])
        start = file.end
        file.write(batch, _HEAD.pack(batch, len(body), crc32(body, batch & 0xFFFFFFFF)) + body)
        return Place(file, start)

    def settled(self, batch: int) -> None:
        """All batches up to this one are in the tables."""
        self._settled = batch

    def take_back(self, place: Place) -> None:
        """Nobody was told of a batch, nor of those after it in its file: it never was."""
        place.file.cut(place.start)

    def close(self, *, empty: bool) -> None:
        """Let the files go; if everything is in the tables, they are removed."""
        for file in self._files:
            os.close(file.number)
        if empty:
            remove(self._paths)
        self._files = []


def remove(paths: list[Path]) -> None:
    for path in paths:
        with suppress(FileNotFoundError):
            path.unlink()


def read(store: Path) -> list[Append]:
    """What a tail holds, in the order in which it was written; empty: there is none."""
    found: list[tuple[int, bytes]] = []
    for path in names(store):
        if path.exists():
            found += _records(path.read_bytes())
    return [job for _, body in sorted(found) for job in _decode(body)]


def _records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The records from the start on, up to one that is not whole or from an earlier round."""
    before = at = 0
    while at + _HEAD.size <= len(data):
        batch, length, checksum = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        body = data[at : at + length]
        whole = len(body) == length and crc32(body, batch & 0xFFFFFFFF) == checksum
        if batch <= before or not whole:
            return
        yield batch, body
        before = batch
        at += length


def _decode(body: bytes) -> Iterator[Append]:
    jobs: list[Any] = msgspec.msgpack.decode(body)
    for game_id, seq, entries, requests in jobs:
        yield Append(
            game_id, seq, [Entry(*entry) for entry in entries], [Request(*one) for one in requests]
        )
