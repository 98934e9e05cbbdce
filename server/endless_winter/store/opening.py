"""Which store is meant: a file, or the address of a database."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from endless_winter.store import reading, upkeep
from endless_winter.store.errors import StoreError
from endless_winter.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from endless_winter.store.postgres.store import PostgresStore
    from endless_winter.store.records import GameRecord, LogEntry
    from endless_winter.store.schema import Synchronous

_SCHEMES: Final = ("postgresql://", "postgres://")


def is_database(where: str | Path) -> bool:
    """Whether this is the address of a database, and no file."""
    return isinstance(where, str) and where.startswith(_SCHEMES)


def open_store(where: str, *, synchronous: Synchronous = "full") -> SqliteStore | PostgresStore:
    """Open a store for serving, or make it. Raises a ``StoreError`` of one line."""
    if not is_database(where):
        return SqliteStore.open(where, synchronous=synchronous)
    check_driver()
    if synchronous != "full":
        raise StoreError("how durable a commit is, PostgreSQL says itself: leave out --synchronous")
    from endless_winter.store.postgres.store import PostgresStore  # noqa: PLC0415 # needs psycopg

    return PostgresStore.open(where)


def check_driver() -> None:
    """Refuse in one line where psycopg is not installed, or does not work."""
    try:
        import psycopg  # noqa: F401, PLC0415 # not everybody has it
    except ImportError as error:
        raise StoreError(
            "a store in PostgreSQL needs psycopg: pip install 'endless-winter[postgres]' "
            f"({' '.join(str(error).split())[:100]})"
        ) from error


def check_flag(where: str | Path | None) -> None:
    """Refuse a password on the command line, where everybody on the machine can read it."""
    if where is not None and is_database(where):
        check_driver()
        from endless_winter.store.postgres.connection import Address  # noqa: PLC0415

        if Address(str(where)).has_password:
            raise StoreError(
                "others on this machine can read the command line: take the password out of the "
                "address, and put it into ~/.pgpass or PGPASSWORD, or the whole address into "
                "EW_STORE or the configuration file"
            )


class Snapshot(NamedTuple):
    """A store as it is at one commit, whatever is written meanwhile."""

    load: Callable[[str], GameRecord | None]
    read: Callable[[str, int, int], list[LogEntry]]
    get_pack: Callable[[str], bytes | None]
    games_of: Callable[[str], list[tuple[str, str]]]


class Upkeep(NamedTuple):
    """What an operator does with a store, also beside servers; all raise ``StoreError``."""

    opened: Callable[[], Any]
    """A context with a `Snapshot`."""
    contents: Callable[[], upkeep.Contents]
    problems: Callable[[], Iterator[str]]
    prunable: Callable[[int], tuple[list[upkeep.Pruned], int]]
    prune: Callable[[list[upkeep.Pruned]], None]
    erase: Callable[[bytes], int]


def upkeep_of(where: str | Path) -> Upkeep:
    """Of a file or a database."""
    if not is_database(where):
        return _upkeep(upkeep, reading, Path(where))
    check_driver()
    from endless_winter.store.postgres import reading as postgres_reading  # noqa: PLC0415
    from endless_winter.store.postgres import upkeep as postgres_upkeep  # noqa: PLC0415

    return _upkeep(postgres_upkeep, postgres_reading, where)


def _upkeep(found: Any, reads: Any, where: str | Path) -> Upkeep:
    """The two have the same functions."""

    @contextmanager
    def opened() -> Iterator[Snapshot]:
        with found.opened(where) as connection:
            names = ("load", "read", "get_pack", "games_of")
            yield Snapshot(*(partial(getattr(reads, name), connection) for name in names))

    names = ("contents", "problems", "prunable", "prune", "erase")
    return Upkeep(opened, *(partial(getattr(found, name), where) for name in names))


def roles() -> str:
    """The SQL that makes roles for a database."""
    file = resources.files("endless_winter.store") / "postgres" / "roles.sql"
    return file.read_text(encoding="utf-8")


def read_game(where: str | Path, game_id: str) -> tuple[GameRecord, list[LogEntry]] | None:
    """A game and its log straight from a store, also while servers use it."""
    with upkeep_of(where).opened() as snapshot:
        record = snapshot.load(game_id)
        if record is None:
            return None
        return record, snapshot.read(game_id, 0, 1 << 62)
