"""What a store can answer instead of doing what it was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from endless_winter.store.records import FirstAnswer


class StoreError(Exception):
    """The store could not do it; the message is one line."""


class StoreFull(StoreError):
    """There is no room left; the same call works again when there is."""


class StoreBusy(StoreError):
    """Another process writes; nothing was written, and the same call works when it is done."""


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

    def __init__(self, request_id: str, first: FirstAnswer) -> None:
        super().__init__(f"request {request_id} was answered before")
        self.first = first


class GameExists(StoreError):
    """The id of a new game is taken."""


class TooMany(StoreError):
    """The creator of a new game has as many unfinished ones as it may."""


class NoSuchGame(StoreError):
    """There is no game of that id, or no longer."""


class BadPageToken(StoreError):
    """Not a page token of this store."""
