"""Which store is meant: a file, or the address of a database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.store.errors import StoreError
from endless_winter.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from endless_winter.store.postgres.store import PostgresStore
    from endless_winter.store.schema import Synchronous

_SCHEMES: Final = ("postgresql://", "postgres://")


def is_database(where: str) -> bool:
    """Whether this is the address of a database, and no file."""
    return where.startswith(_SCHEMES)


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


def check_flag(where: str) -> None:
    """Refuse a password on the command line, where everybody on the machine can read it."""
    if is_database(where):
        check_driver()
        from endless_winter.store.postgres.connection import Address  # noqa: PLC0415

        if Address(where).has_password:
            raise StoreError(
                "others on this machine can read the command line: take the password out of the "
                "address, and put it into ~/.pgpass or PGPASSWORD, or the whole address into "
                "EW_STORE or the configuration file"
            )
