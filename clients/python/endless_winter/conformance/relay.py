"""A TCP relay between a bot and the checker: the line that can be cut, also within a message."""

from __future__ import annotations

import asyncio
import socket
import struct

_CHUNK = 64 * 1024
_RESET = struct.pack("ii", 1, 0)  # SO_LINGER: closing sends a reset, as a dead machine would


class Relay:
    """Passes bytes on to a port of this machine, until it is stopped."""

    def __init__(self) -> None:
        self._target = 0
        self._port = 0
        self._server: asyncio.Server | None = None
        self._lines: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._shut = False
        self._cut_within = 0
        self.knocks = 0  # connections that were turned away
        self.accepted = 0  # connections that were passed on

    @property
    def address(self) -> str:
        """Where the bot connects to."""
        return f"127.0.0.1:{self._port}"

    @property
    def connections(self) -> int:
        """How many are open now."""
        return len(self._lines) // 2

    async def open(self, target: int) -> None:
        """Listen on a port of our own; clients reach `target`."""
        self._target = target
        self._server = await asyncio.start_server(self._come, "127.0.0.1", 0)
        self._port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        self.cut()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self) -> None:
        """Every connection breaks at once."""
        self._cut_within = 0
        for writer in tuple(self._lines):
            _break(writer)

    def cut_within(self, least: int) -> None:
        """Cut in the middle of the next piece of at least so many bytes on its way to the bot."""
        self._cut_within = least

    @property
    def is_cut(self) -> bool:
        """Whether the cut that was asked for has happened."""
        return self._cut_within == 0

    def shut(self) -> None:
        """Break every connection and turn new ones away."""
        self._shut = True
        self.knocks = 0
        self.cut()

    def unshut(self) -> None:
        self._shut = False

    async def _come(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._shut:
            self.knocks += 1
            _break(writer)
            return
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            _break(writer)
            self._tasks.discard(task)
            return
        self.accepted += 1
        self._lines |= {writer, far_writer}
        try:
            await asyncio.gather(
                self._pump(reader, far_writer), self._pump(far_reader, writer, to_bot=True)
            )
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            for one in (writer, far_writer):
                _break(one)
                self._lines.discard(one)
            self._tasks.discard(task)

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, to_bot: bool = False
    ) -> None:
        while piece := await reader.read(_CHUNK):
            if to_bot and self._cut_within and len(piece) >= self._cut_within:
                writer.write(piece[: len(piece) // 2])
                await writer.drain()
                self.cut()
                return
            writer.write(piece)
            await writer.drain()
        writer.close()


def _break(writer: asyncio.StreamWriter) -> None:
    """Close without a word."""
    found = writer.get_extra_info("socket")
    if found is not None and found.fileno() >= 0:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    writer.transport.abort()
