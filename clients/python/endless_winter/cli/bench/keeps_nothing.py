"""Stores that keep no log: what is left when the log costs nothing, or nothing but the disk.

For ``ew bench serve`` alone. Games live as long as the process; the service does everything that
it does otherwise, up to handing its entries over.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from endless_winter.store import Header, Marks, Page

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from pathlib import Path

    from endless_winter.store import (
        Answer,
        Entry,
        Logged,
        NewGame,
        Query,
        Request,
        Secret,
        StoreError,
    )


class KeepsNothing:
    """A ``Store`` that says yes to everything and forgets it."""

    def __init__(self) -> None:
        self._games: dict[str, tuple[NewGame, Secret]] = {}
        self._gathered: list[tuple[Callable[[int | StoreError], None], int]] = []

    async def create_game(
        self,
        new: NewGame,
        secret: Secret,
        entries: Sequence[Entry],
        *,
        request: Request | None = None,
    ) -> int:
        del request
        self._games[new.game_id] = (new, secret)
        return len(entries)

    def append(
        self,
        game_id: str,
        expected_seq: int,
        entries: Sequence[Entry],
        *,
        requests: Sequence[Request] = (),
    ) -> asyncio.Future[int]:
        del game_id, requests
        done: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        done.set_result(expected_seq + len(entries))
        return done

    def append_soon(
        self,
        game_id: str,
        expected_seq: int,
        entries: Sequence[Entry],
        requests: Sequence[Request],
        done: Callable[[int | StoreError], None],
    ) -> None:
        del game_id, requests
        self._gathered.append((done, expected_seq + len(entries)))
        if len(self._gathered) == 1:  # as the real one does: what comes together is told together
            asyncio.get_running_loop().call_soon(self.flush)

    def flush(self) -> None:
        gathered, self._gathered = self._gathered, []
        for done, seq in gathered:
            done(seq)

    def kept(self) -> None:
        pass

    async def read(self, game_id: str, after_seq: int = 0, limit: int = 1000) -> list[Logged]:
        del game_id, after_seq, limit
        return []

    async def get_game(self, game_id: str) -> Header | None:
        found = self._games.get(game_id)
        if found is None:
            return None
        new = found[0]
        return Header.of_new(new, Marks(open_seats=new.seats))

    async def get_secret(self, game_id: str) -> Secret | None:
        found = self._games.get(game_id)
        return found[1] if found is not None else None

    async def list_games(self, query: Query, *, limit: int = 100, token: str = "") -> Page:
        del query, limit, token
        return Page((), "")

    async def unfinished(self) -> AsyncIterator[Header]:
        nothing: tuple[Header, ...] = ()
        for header in nothing:
            yield header

    async def find_request(
        self, caller: bytes, request_id: str, game_id: str = ""
    ) -> Answer | None:
        del caller, request_id, game_id
        return None

    async def removals(self) -> int:
        return 0

    async def put_pack(self, content_hash: str, data: bytes) -> None:
        del content_hash, data

    async def get_pack(self, content_hash: str) -> bytes | None:
        del content_hash
        return None

    async def list_packs(self) -> list[str]:
        return []

    async def serving(self, since_ms: int, until_ms: int) -> None:
        del since_ms, until_ms

    async def uptimes(self) -> list[tuple[int, int]]:
        return []

    async def close(self) -> None:
        self._games.clear()


class OnlyFlushes(KeepsNothing):
    """Writes what comes together to a file, which nobody reads, and has the disk flush it.

    No log that survives the loss of power can do without that, whatever else it does.
    """

    _ROOM = 16 << 20  # octets; the file has them from the start, as the write-ahead log does

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        os.pwrite(self._file, bytes(self._ROOM), 0)
        os.fsync(self._file)
        self._at = 0
        self._written: list[bytes] = []

    def append_soon(
        self,
        game_id: str,
        expected_seq: int,
        entries: Sequence[Entry],
        requests: Sequence[Request],
        done: Callable[[int | StoreError], None],
    ) -> None:
        self._written += [entry.payload for entry in entries]
        super().append_soon(game_id, expected_seq, entries, requests, done)

    def flush(self) -> None:
        if self._written:
            data = b"".join(self._written)
            self._written.clear()
            if self._at + len(data) > self._ROOM:
                self._at = 0
            self._at += os.pwrite(self._file, data, self._at)
            os.fdatasync(self._file)
        super().flush()

    async def close(self) -> None:
        await super().close()
        os.close(self._file)
