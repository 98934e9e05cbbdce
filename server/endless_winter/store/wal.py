"""The write-ahead log of SQLite, read as a file: whether it is sound.

SQLite takes the first bad frame for the end of the log. That is right after a loss of power, when
the last commit may be torn, and silent when a bit has flipped and more commits lie behind it.
The format is https://www.sqlite.org/fileformat2.html#the_write_ahead_log.
"""

from __future__ import annotations

import os
import struct
import sys
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

HEADER: Final = 32  # magic, version, page size, number, 2 salts, 2 checksums
FRAME_HEADER: Final = 24  # page, the file's size if it ends a commit, 2 salts, 2 checksums
_MAGIC: Final = 0x377F0682  # the last bit: whether words are big-endian
_VERSION: Final = 3007000
_PAGE: Final = 4096  # of our own files
# From this bit of a word on, a flip in a frame's header may change the checksum as one in its page
# does: it grows by Fibonacci numbers, and their last nine bits repeat within a page.
_UNSURE: Final = 23

Sums = tuple[int, int]


def checksum(order: str, sums: Sums, data: bytes) -> Sums:
    """SQLite's checksum, going on from that of what came before."""
    one, two = sums
    words = iter(struct.unpack(f"{order}{len(data) // 4}I", data))
    for first, second in zip(words, words, strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two


class _Header(NamedTuple):
    """The start of a log."""

    data: bytes
    order: str
    page: int
    salts: bytes
    sums: Sums
    sound: bool


def _read_header(file: BinaryIO) -> _Header:
    """The header; of a bad one, what it must have been by the first frames."""
    start = file.read(HEADER)
    magic, version, page = struct.unpack_from(">3I", start)
    order = "<>"[magic & 1]
    sums = struct.unpack_from(">2I", start, 24)
    known = magic & ~1 == _MAGIC and version == _VERSION
    if known and checksum(order, (0, 0), start[:24]) == sums:
        return _Header(start, order, page, start[16:24], sums, sound=True)
    first, second = (file.read(FRAME_HEADER + _PAGE)[8:16] for _ in range(2))
    salts = first if any(first) else second
    big = sys.byteorder == "big"
    order = "<>"[big]
    start = struct.pack(">4I", _MAGIC | big, _VERSION, _PAGE, 0) + salts.ljust(8, b"\0")
    sums = checksum(order, (0, 0), start)
    return _Header(start + struct.pack(">2I", *sums), order, _PAGE, salts, sums, sound=False)


def _with_flips(data: bytes, order: str) -> Iterator[tuple[bytes, int]]:
    """Two words with each of their bits flipped, and which bit of the word it is."""
    words = struct.unpack(f"{order}2I", data)
    for bit in range(32):
        for first, second in ((1 << bit, 0), (0, 1 << bit)):
            yield struct.pack(f"{order}2I", words[0] ^ first, words[1] ^ second), bit


class _Place(NamedTuple):
    """What is around a frame."""

    page: int
    """Of the frame before it in its commit; 0: it is the first."""
    next: int
    """Of the frame after it; 0: there is none."""
    least: int
    """Pages of the file after the commit before."""
    most: int
    """Pages of the file after the next commit."""

    def fits(self, first: bytes) -> bool:
        """Whether a frame may begin so: pages of a commit ascend, and no commit shrinks a file."""
        page, size = int.from_bytes(first[:4], "big"), int.from_bytes(first[4:], "big")
        if size:
            return self.page < page <= size and self.least <= size <= self.most
        return self.page < page <= self.most and not 0 < self.next <= page


class Log:
    """What there is in a log, and what SQLite would see of it."""

    def __init__(self, file: BinaryIO, header: _Header) -> None:
        self.header = header
        self.bad = 0
        """The first bad frame, from 1; 0: the log's own header is."""
        self.first = b""
        """The first eight bytes of that frame, corrected where a single bit of them is wrong."""
        self.frames = 0
        """How many there are of this log, up to the last; what follows is of an older one."""
        self.commits = 0
        """How many complete commits SQLite would not see."""
        self.sound = 0
        """How many frames it sees: up to the last commit before a bad frame."""
        file.seek(HEADER)
        sums: Sums | None = header.sums
        number = page = size = 0
        while len(frame := file.read(FRAME_HEADER + header.page)) == FRAME_HEADER + header.page:
            number += 1
            ours = frame[8:16] == header.salts
            commits = frame[4:8] != bytes(4)
            if sums is not None:  # no bad frame yet
                computed = checksum(header.order, sums, frame[:8] + frame[FRAME_HEADER:])
                matches = struct.unpack_from(">2I", frame, 16) == computed
                if ours and matches:
                    sums = computed
                    page = int.from_bytes(frame[:4], "big")
                    if commits:
                        page, size = 0, int.from_bytes(frame[4:8], "big")
                        self.sound = number
                else:
                    self.bad = number
                    self.first = frame[:8]
                    if not matches:
                        following, most = self._following(file)
                        # A commit adds at most the pages that it writes.
                        most = most or (size + number - self.sound if size else 1 << 32)
                        self._mend_header(frame, sums, _Place(page, following, size, most))
                    ours = ours or matches or self.first != frame[:8]
                    commits = self.first[4:] != bytes(4)
                    sums = None
            if ours:
                self.frames = number
                self.commits += commits and (sums is None or not header.sound)
        if not header.sound:
            self.bad = self.sound = 0

    def _following(self, file: BinaryIO) -> tuple[int, int]:
        """The page of the next frame, and the file's size after the next commit; 0: none."""
        start = file.tell()
        page = size = 0
        while not size and (first := file.read(FRAME_HEADER))[8:16] == self.header.salts:
            page = page or int.from_bytes(first[:4], "big")
            size = int.from_bytes(first[4:8], "big")
            file.seek(self.header.page, os.SEEK_CUR)
        file.seek(start)
        return page, size

    def _mend_header(self, frame: bytes, before: Sums, place: _Place) -> None:
        """Correct one flipped bit in the start of a frame, if it is not likelier in the page."""
        sums = struct.unpack_from(">2I", frame, 16)
        fits = place.fits(self.first)
        for first, bit in _with_flips(self.first, self.header.order):
            if bit >= _UNSURE and (fits or not place.fits(first)):
                continue
            if checksum(self.header.order, before, first + frame[FRAME_HEADER:]) == sums:
                self.first = first
                return

    def mend(self, file: BinaryIO, store: BinaryIO, target: BinaryIO) -> None:
        """Write the log so that SQLite reads all of it.

        The bad frame gets its page from the store's own file if a checkpoint has moved it there,
        which its checksum proves; else it stays as it is.
        """
        target.write(self.header.data)
        file.seek(HEADER)
        sums = self.header.sums
        for number in range(1, self.frames + 1):
            frame = file.read(FRAME_HEADER + self.header.page)
            first, page = frame[:8], frame[FRAME_HEADER:]
            if number == self.bad:
                first = self.first
                moved = self._in_file(store)
                if len(moved) == len(page):
                    computed = checksum(self.header.order, sums, first + moved)
                    if struct.unpack_from(">2I", frame, 16) == computed:
                        page = moved
            sums = checksum(self.header.order, sums, first + page)
            target.write(first + self.header.salts + struct.pack(">2I", *sums) + page)

    def _in_file(self, store: BinaryIO) -> bytes:
        """The page of the bad frame as the store's own file has it."""
        number = int.from_bytes(self.first[:4], "big")
        store.seek(max(number - 1, 0) * self.header.page)
        return store.read(self.header.page)


def read_log(file: BinaryIO) -> Log | None:
    """The log in a file; None: there is none."""
    if file.seek(0, os.SEEK_END) < HEADER + FRAME_HEADER:
        return None
    file.seek(0)
    return Log(file, _read_header(file))


def cut(path: Path) -> None:
    """Remove what SQLite does not see, durably. The caller has SQLite's lock for writing."""
    with path.open("r+b") as file:
        log = read_log(file)
        if log is not None and log.header.sound:
            file.truncate(HEADER + log.sound * (FRAME_HEADER + log.header.page))
            os.fsync(file.fileno())


def wal_of(path: Path) -> Path:
    """The file that commits go to first."""
    return path.with_name(path.name + "-wal")
