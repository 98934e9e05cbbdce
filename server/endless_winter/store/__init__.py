"""The append-only log: a game is its log.

``Store`` is what the service asks for; ``SqliteStore`` keeps it in one file. docs/store.md has the
schema, the guarantees and the operations.
"""

from endless_winter.store.commits import Stats
from endless_winter.store.errors import (
    BadPageToken,
    Conflict,
    GameExists,
    NoSuchGame,
    NoSuchPack,
    Repeated,
    StoreClosed,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreInUse,
    StoreTooNew,
)
from endless_winter.store.protocol import Store
from endless_winter.store.records import (
    UNFINISHED,
    Answer,
    Entry,
    Header,
    Logged,
    Marks,
    NewGame,
    Page,
    Query,
    Request,
    Secret,
    Status,
)
from endless_winter.store.schema import Synchronous
from endless_winter.store.sqlite import Kept, SqliteStore, read_game

__all__ = [
    "UNFINISHED",
    "Answer",
    "BadPageToken",
    "Conflict",
    "Entry",
    "GameExists",
    "Header",
    "Kept",
    "Logged",
    "Marks",
    "NewGame",
    "NoSuchGame",
    "NoSuchPack",
    "Page",
    "Query",
    "Repeated",
    "Request",
    "Secret",
    "SqliteStore",
    "Stats",
    "Status",
    "Store",
    "StoreClosed",
    "StoreDamaged",
    "StoreError",
    "StoreFull",
    "StoreInUse",
    "StoreTooNew",
    "Synchronous",
    "read_game",
]
