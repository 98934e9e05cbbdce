"""Small games for the tests of the store."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from endless_winter.store import Entry, Marks, NewGame, Request, Secret, SqliteStore, Status

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from endless_winter.store import Store, Synchronous

PACK = "feed"
SECRET = Secret(bytes(range(32)), bytes(range(32, 64)))


def new_game(game_id: str = "one", **changes: Any) -> NewGame:
    values: dict[str, Any] = {
        "game_id": game_id,
        "created_ms": 1_000,
        "rules_version": "1",
        "content_hash": PACK,
        "config": b"config",
        "commitment": b"sealed",
    }
    return NewGame(**(values | changes))


def entry(text: str = "", marks: Marks | None = None) -> Entry:
    data = text.encode()
    return Entry("choice", 5, data, b"private " + data, b"events " + data, b"hash " + data, marks)


def ended(at_ms: int, *, sealed: bool = False) -> Entry:
    return entry("ended", Marks(status=Status.ENDED, ended_ms=at_ms, sealed=sealed))


def request(name: str, answer: bytes = b"answer", caller: bytes = b"caller") -> Request:
    return Request(caller, name, answer)


async def create(store: Store, game_id: str = "one", **changes: Any) -> int:
    """A game with one entry, and its pack."""
    await store.put_pack(PACK, b"pack")
    return await store.create_game(new_game(game_id, **changes), SECRET, [entry("created")])


async def texts(store: Store, game_id: str) -> list[str]:
    """The payloads of a log."""
    return [logged.payload.decode() for logged in await store.read(game_id)]


@asynccontextmanager
async def opened(path: Path, synchronous: Synchronous = "off") -> AsyncIterator[SqliteStore]:
    """A store that does not wait for the disk: most tests are not about that."""
    store = await SqliteStore.open(path, synchronous=synchronous)
    try:
        yield store
    finally:
        await asyncio.shield(store.close())
