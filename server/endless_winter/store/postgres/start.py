"""What is checked before a database is trusted with games; the steps to the present schema."""

from __future__ import annotations

import re
from importlib import resources
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import psycopg
from psycopg import errors

from endless_winter.store.errors import StoreError, StoreTooNew
from endless_winter.store.postgres.connection import OLDEST_SERVER, SCHEMA, Identity

if TYPE_CHECKING:
    from psycopg import Connection

    from endless_winter.store.postgres.connection import Address

_LOCK: Final = 0x45577374  # of those who bring a database to the present schema, one at a time
_NAME: Final = re.compile(r"(\d{4})_\w+\.sql")
_OLDEST: Final = re.compile(r"^-- Any server of schema (\d+) or newer may write\.$", re.MULTILINE)
_STATE: Final = """
SELECT pg_is_in_recovery() AS replica,
    pg_backend_pid() AS pid,
    current_setting('server_encoding') AS encoding,
    current_setting('synchronous_commit') AS synchronous_commit,
    current_setting('fsync') AS fsync,
    current_setting('full_page_writes') AS full_page_writes,
    current_setting('transaction_isolation') AS isolation,
    current_setting('transaction_read_only') AS read_only,
    current_setting('data_checksums') AS checksums,
    (SELECT system_identifier FROM pg_control_system()) AS system,
    CASE WHEN NOT pg_is_in_recovery()
        THEN left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END AS timeline,
    (SELECT string_agg(relname, ', ' ORDER BY relname) FROM pg_class
        WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = %(schema)s)
        AND relkind IN ('r', 'p') AND relpersistence <> 'p') AS unlogged
"""


class Migration(NamedTuple):
    """One step of the schema. Steps only add, so that servers of the step before can go on."""

    number: int
    oldest: int
    """The oldest schema whose programs may write after it."""
    sql: str


def migrations() -> list[Migration]:
    """All steps that come with this program, in order."""
    folder = resources.files("endless_winter.store.postgres") / "migrations"
    found = []
    for file in folder.iterdir():
        named = _NAME.fullmatch(file.name)
        if named is not None:
            text = file.read_text(encoding="utf-8")
            oldest = _OLDEST.search(text)
            assert oldest is not None, f"{file.name} does not say who may write after it"
            found.append(Migration(int(named[1]), int(oldest[1]), text))
    return sorted(found)


def check(connection: Connection[Any], address: Address) -> tuple[Identity, bool]:
    """Refuse a database that would break a promise; which one it is, and whether it has checksums.

    Raises a ``StoreError`` that says what to do.
    """
    if connection.info.server_version < OLDEST_SERVER:
        raise StoreError(
            f"PostgreSQL 14 or newer is needed; {address} is "
            f"{connection.info.server_version // 10000}"
        )
    with connection.cursor(row_factory=psycopg.rows.namedtuple_row) as cursor:
        state: Any = cursor.execute(_STATE, {"schema": SCHEMA}).fetchone()
    wrong = _wrong(state, connection.info.backend_pid)
    if wrong:
        raise StoreError(f"{address} cannot keep games: {wrong}")
    return Identity(state.system, state.timeline), state.checksums == "on"


def _wrong(state: Any, pid: int) -> str:
    if pid != state.pid:
        return (
            "there is a pooler in transaction mode before it, which loses settings and "
            "notifications; connect to the database itself, or use session mode"
        )
    if state.replica:
        return "it is a replica (standby); connect to the primary"
    if state.read_only != "off":
        return "it is read-only; set default_transaction_read_only = off, or connect to the primary"
    if state.isolation != "read committed":
        return (
            f"its transactions are '{state.isolation}'; "
            "set default_transaction_isolation = 'read committed' for this role"
        )
    if state.synchronous_commit in ("off", "local"):
        return (
            f"synchronous_commit is {state.synchronous_commit}, so a crash would lose choices that "
            "were acknowledged; set it to on for this role and database"
        )
    for name in ("fsync", "full_page_writes"):
        if getattr(state, name) != "on":
            return (
                f"{name} is off, so a crash could damage it; "
                f"set {name} = on in postgresql.conf and restart it"
            )
    if state.encoding != "UTF8":
        return f"its encoding is {state.encoding}; make one with ENCODING 'UTF8'"
    if state.unlogged:
        return (
            f"its tables {state.unlogged} are unlogged, and empty after a crash; "
            f"ALTER TABLE {SCHEMA}.NAME SET LOGGED"
        )
    return ""


def migrate(connection: Connection[Any], address: Address, steps: list[Migration]) -> None:
    """Bring the schema to the last of the steps, one server at a time; or refuse it."""
    own = steps[-1].number
    schema, oldest = version(connection)
    if schema < own:
        connection.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
        try:
            schema, oldest = version(connection)  # another one may have been first
            for step in steps:
                if step.number > schema:
                    _apply(connection, step)
            schema, oldest = version(connection)
        except errors.InsufficientPrivilege as error:
            raise StoreError(
                f"{address} has schema {schema}, this program needs {own}, and this role may not "
                f"change it ({address.shown(error)}): start one server as the owner first"
            ) from None
        finally:
            connection.execute("SELECT pg_advisory_unlock(%s)", (_LOCK,))
    if own < oldest:
        raise StoreTooNew(
            f"{address} has schema {schema}, where programs of schema {oldest} or newer may write, "
            f"and this program knows {own}; use a newer one"
        )


def version(connection: Connection[Any]) -> tuple[int, int]:
    """Of the database: its schema, and the oldest one that may write; 0: there are no tables."""
    there = connection.execute("SELECT to_regclass(%s) IS NOT NULL", (f"{SCHEMA}.store",))
    row = there.fetchone()
    if row is None or not row[0]:
        return 0, 0
    found = connection.execute("SELECT schema, oldest FROM store").fetchone()
    assert found is not None
    return found[0], found[1]


def _apply(connection: Connection[Any], step: Migration) -> None:
    with connection.transaction():
        connection.execute("SET LOCAL enable_seqscan = on")
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        connection.execute(step.sql.encode())
        connection.execute("UPDATE store SET schema = %s, oldest = %s", (step.number, step.oldest))
