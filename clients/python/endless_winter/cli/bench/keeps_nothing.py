"""A store that keeps no log: what is left when the log costs nothing.

For ``ew bench serve`` alone. Games live as long as the process; the service does everything that
it does otherwise, up to handing its entries over.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from endless_winter.store import Header, Page, Status

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

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

    async def read(self, game_id: str, after_seq: int = 0, limit: int = 1000) -> list[Logged]:
        del game_id, after_seq, limit
        return []

    async def get_game(self, game_id: str) -> Header | None:
        found = self._games.get(game_id)
        if found is None:
            return None
        new = found[0]
        return Header(
            game_id=new.game_id,
            created_ms=new.created_ms,
            rules_version=new.rules_version,
            content_hash=new.content_hash,
            config=new.config,
            commitment=new.commitment,
            creator=new.creator,
            last_seq=1,
            status=Status.OPEN,
            started_ms=None,
            ended_ms=None,
            open_seats=new.seats,
            sealed=False,
            summary=b"",
            holders={},
        )

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

    async def put_pack(self, content_hash: str, data: bytes) -> None:
        del content_hash, data

    async def get_pack(self, content_hash: str) -> bytes | None:
        del content_hash
        return None

    async def list_packs(self) -> list[str]:
        return []

    async def close(self) -> None:
        self._games.clear()
