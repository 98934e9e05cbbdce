"""A client that does not behave: HTTP/2 by hand, from any address of this machine.

gRPC's own clients keep to what a server allows. A flood does not: it writes frames as fast as the
socket takes them, opens more calls than it may, cancels them at once, or never reads. There is just
enough of HTTP/2 here for that.
"""

from __future__ import annotations

import asyncio
import struct
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, END_HEADERS, ACK = 0x1, 0x4, 0x1
_MAX_CONCURRENT_STREAMS = 3
_INITIAL_WINDOW = 4
_CANCEL = struct.pack(">I", 8)
_HEAD = 9  # bytes of a frame's header
_WINDOW = 65_535  # bytes that may be sent at first
_LENGTH = ">I"


def frame(kind: int, flags: int, stream: int, body: bytes = b"") -> bytes:
    return struct.pack(">I", len(body))[1:] + struct.pack(">BBI", kind, flags, stream) + body


def _text(text: str) -> bytes:
    data = text.encode()
    assert len(data) < 127  # one byte says how long it is
    return bytes([len(data)]) + data


def headers(path: str, metadata: Iterable[tuple[str, str]] = ()) -> bytes:
    """A header block of a gRPC call, every field in full: nothing depends on what came before."""
    block = b"\x83\x86"  # :method POST, :scheme http
    block += b"\x04" + _text(path) + b"\x01" + _text("localhost")
    block += b"\x0f\x10" + _text("application/grpc") + b"\x00" + _text("te") + _text("trailers")
    for name, value in metadata:
        block += b"\x00" + _text(name) + _text(value)
    return block


def message(body: bytes) -> bytes:
    return b"\x00" + struct.pack(_LENGTH, len(body)) + body


class Connection:
    """One connection. It counts how its calls end; nothing else of the answers is looked at."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._next = 1
        self._window = _WINDOW
        self._changed = asyncio.Event()
        self._open: set[int] = set()
        self._answered: set[int] = set()  # calls that were sent something
        self.ended: Counter[str] = Counter()
        """Calls: "answered", "refused" (ended with nothing but a status), or "reset"."""
        self.most = 0
        """Calls that the server allows at a time; 0: it has not said."""
        self.alive = True
        self._reading: asyncio.Task[None] | None = None

    @classmethod
    async def open(
        cls, address: str, source: str | None = None, *, reads: bool = True, window: int = 0
    ) -> Self:
        """Connect from an address of this machine; `window` bytes of each answer may come.

        A client that does not read leaves all answers in the network.
        """
        host, _, port = address.rpartition(":")
        local = (source, 0) if source else None
        streams = await asyncio.open_connection(host, int(port), local_addr=local)
        made = cls(*streams)
        settings = struct.pack(">HI", _INITIAL_WINDOW, window) if window else b""
        made.write(PREFACE + frame(SETTINGS, 0, 0, settings))
        if window:
            made.write(frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", window)))
        if reads:
            made._reading = asyncio.create_task(made._read())
        return made

    def write(self, data: bytes) -> None:
        self._writer.write(data)

    @property
    def under_way(self) -> int:
        return len(self._open)

    def call(self, block: bytes, body: bytes | None = b"") -> int:
        """Begin a call; None as body: no message follows its headers."""
        stream, self._next = self._next, self._next + 2
        self._open.add(stream)
        data = frame(HEADERS, END_HEADERS, stream, block)
        if body is not None:
            sent = message(body)
            self._window -= len(sent)
            data += frame(DATA, END_STREAM, stream, sent)
        self.write(data)
        return stream

    def cancel(self, stream: int) -> None:
        self._open.discard(stream)
        self.write(frame(RST_STREAM, 0, stream, _CANCEL))

    async def room(self, most: int) -> None:
        """Wait until fewer than so many calls are under way, and there is room to send more."""
        await self._writer.drain()
        while self.alive and (len(self._open) >= most or self._window < _HEAD):
            self._changed.clear()
            await self._changed.wait()

    async def flood(
        self, block: bytes, body: bytes, seconds: float, most: int, count: int = 1 << 30
    ) -> int:
        """Have `most` calls under way for so long, or so many in all; how many were begun."""
        until = asyncio.get_running_loop().time() + seconds
        begun = 0
        with suppress(ConnectionError, TimeoutError):
            async with asyncio.timeout(seconds):
                while begun < count and self.alive:
                    await self.room(most)
                    for _ in range(max(min(most - len(self._open), 64, count - begun), 1)):
                        self.call(block, body)
                        begun += 1
                    if asyncio.get_running_loop().time() >= until:
                        break
                    await asyncio.sleep(0)
                await self.room(1)  # until all have ended
        return begun

    async def _read(self) -> None:
        try:
            while True:
                head = await self._reader.readexactly(_HEAD)
                size = int.from_bytes(head[:3], "big")
                kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
                body = await self._reader.readexactly(size) if size else b""
                self._take(kind, flags, stream, body)
        except (asyncio.IncompleteReadError, ConnectionError):
            self.alive = False
        finally:
            self._changed.set()

    def _take(self, kind: int, flags: int, stream: int, body: bytes) -> None:
        if kind == SETTINGS and not flags & ACK:
            for at in range(0, len(body), 6):
                name, value = struct.unpack(">HI", body[at : at + 6])
                if name == _MAX_CONCURRENT_STREAMS:
                    self.most = value
            self.write(frame(SETTINGS, ACK, 0))
        elif kind == PING and not flags & ACK:
            self.write(frame(PING, ACK, 0, body))
        elif kind == GOAWAY:
            self.ended["goodbye"] += 1
        elif kind == WINDOW_UPDATE and stream == 0:
            self._window += struct.unpack(">I", body)[0]
        elif kind == RST_STREAM:
            self._end(stream, "reset")
        elif kind in (DATA, HEADERS):
            if kind == DATA and body:  # so that more may come
                self._answered.add(stream)
                self.write(frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", len(body))))
            if flags & END_STREAM:
                self._end(stream, "answered" if stream in self._answered else "refused")
        self._changed.set()

    def _end(self, stream: int, how: str) -> None:
        self._answered.discard(stream)
        if stream in self._open:
            self._open.discard(stream)
            self.ended[how] += 1

    async def close(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
        self._writer.close()
        with suppress(ConnectionError):
            await self._writer.wait_closed()
