"""HTTP/2 by hand: for what no gRPC library does, like reading no more than it wants to."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from tests.service.wire import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
ACK = END_STREAM = 1
END_HEADERS = 4
CANCEL = (8).to_bytes(4, "big")
WINDOW = 65_535  # bytes that the server may send until there is room for more


def frame(kind: int, flags: int = 0, body: bytes = b"", stream: int = 0) -> bytes:
    size = len(body).to_bytes(3, "big")
    return size + bytes((kind, flags)) + stream.to_bytes(4, "big") + body


def call(stream: int, address: str, method: str, request: bytes, **metadata: str) -> bytes:
    """The frames of a unary call; its answer comes in frames of that stream."""
    words = {
        ":method": "POST",
        ":scheme": "http",
        ":path": f"/endless_winter.v1.{method}",
        ":authority": address,
        "te": "trailers",
        "content-type": "application/grpc",
        **{key.replace("_", "-"): value for key, value in metadata.items()},
    }
    head = b"".join(b"\0" + _text(key) + _text(value) for key, value in words.items())
    body = b"\0" + len(request).to_bytes(4, "big") + request
    return frame(HEADERS, END_HEADERS, head, stream) + frame(DATA, END_STREAM, body, stream)


def _text(text: str) -> bytes:
    return bytes((len(text),)) + text.encode()


class Bare:
    """A connection, and what was read of it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def send(self, data: bytes) -> None:
        self._writer.write(data)

    async def next(self) -> tuple[int, int, bytes]:
        async with asyncio.timeout(PATIENCE):
            head = await self._reader.readexactly(9)
            body = await self._reader.readexactly(int.from_bytes(head[:3], "big"))
        assert head[3] != GOAWAY, body
        return head[3], head[4], body

    async def until(self, kind: int, flags: int) -> bytes:
        """Wait for such a frame; the server's pings are answered."""
        while True:
            found, marks, body = await self.next()
            if found == PING and not marks & ACK:
                self.send(frame(PING, ACK, body))
            if (found, marks) == (kind, flags):
                return body


@asynccontextmanager
async def bare(address: str) -> AsyncIterator[Bare]:
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        found = Bare(reader, writer)
        found.send(PREFACE + frame(SETTINGS) + frame(SETTINGS, ACK))
        yield found
    finally:
        writer.close()
        await writer.wait_closed()
