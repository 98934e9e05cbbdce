"""What a store can answer instead of doing what it was asked."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from endless_winter.store.records import Answer


class StoreError(Exception):
    """The store could not do it, and nothing of it was written; the message is one line."""


class StoreFull(StoreError):
    """There is no room left; the same call works again when there is."""


class StoreDamaged(StoreError):
    """The file cannot be read as a store."""


class StoreTooNew(StoreError):
    """The file was written by a newer version of this program."""


class StoreInUse(StoreError):
    """Another process serves from this file."""


class StoreClosed(StoreError):
    """The store was closed."""


class Conflict(StoreError):
    """The log has grown, or never was as long as expected; ``actual`` is its last number."""

    def __init__(self, game_id: str, expected: int, actual: int) -> None:
        super().__init__(f"the log of {game_id} ends at {actual}, not at {expected}")
        self.actual = actual


class Repeated(StoreError):
    """The request id was used before; ``first`` is what it was answered then."""

    def __init__(self, request_id: str, first: Answer) -> None:
        super().__init__(f"request {request_id} was answered before")
        self.first = first


class GameExists(StoreError):
    """The id of a new game is taken."""


class NoSuchGame(StoreError):
    """There is no game of that id, or no longer."""


class NoSuchPack(StoreError):
    """The content pack of a new game is not kept here; ``put_pack`` comes first."""


class BadPageToken(StoreError):
    """Not a page token of this store."""


_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def translate(error: Exception) -> StoreError:
    """What SQLite reports, as one of ours."""
    if isinstance(error, StoreError):
        return error
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without the extended part
    if code == sqlite3.SQLITE_FULL:
        return StoreFull(f"the store is full ({error})")
    if code in _DAMAGED:
        return StoreDamaged(f"the store is damaged ({error}); 'ew store check' says more")
    return StoreError(f"the store failed ({error or type(error).__name__})")
