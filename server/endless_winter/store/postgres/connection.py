"""Connections: how one is made, what is asked of the database, and what its errors mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import psycopg
from psycopg import errors, sql
from psycopg.conninfo import conninfo_to_dict

from endless_winter.store.errors import StoreDamaged, StoreError, StoreFull
from endless_winter.store.postgres import arrays

if TYPE_CHECKING:
    from psycopg import Connection

SCHEMA: Final = "endless_winter"
OLDEST_SERVER: Final = 140000
_UNKEPT: Final = "canceling wait for synchronous replication"
_DEFAULTS: Final = {
    "application_name": "endless-winter",
    "connect_timeout": "5",
    # A machine that is gone is noticed after about ten seconds.
    "keepalives": "1",
    "keepalives_idle": "4",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
}
_SETTINGS: Final = {
    "search_path": SCHEMA,
    "client_min_messages": "warning",
    "jit": "off",
    # One row for one game: what the planner believes of a small table holds for a large one too.
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    # Nobody holds a game for longer than this, whatever has become of it.
    "lock_timeout": "3s",
    "idle_in_transaction_session_timeout": "10s",
}


class Identity(NamedTuple):
    """Which database it is: another one may lack what this one has committed."""

    system: int
    timeline: str


class Address:
    """Where the database is. The password is in no text that this gives."""

    def __init__(self, url: str) -> None:
        try:
            known = conninfo_to_dict(url)
        except psycopg.Error:  # its message quotes the part that is wrong, maybe the password
            raise StoreError(
                "cannot read the address of the database; it is "
                "postgresql://USER@HOST:PORT/DATABASE, with %40 for an '@' inside USER"
            ) from None
        self._given: dict[str, Any] = _DEFAULTS | {
            name: value for name, value in known.items() if value is not None
        }
        self._secrets = [
            str(known[name]) for name in ("password", "sslpassword") if known.get(name)
        ]

    @property
    def has_password(self) -> bool:
        return bool(self._secrets)

    def __str__(self) -> str:
        shown = {name: self._given.get(name, "") for name in ("user", "host", "port", "dbname")}
        user = f"{shown['user']}@" if shown["user"] else ""
        port = f":{shown['port']}" if shown["port"] else ""
        return f"postgresql://{user}{shown['host']}{port}/{shown['dbname']}"

    def shown(self, error: BaseException) -> str:
        """An error in one line, whatever it quotes."""
        text = " ".join(str(error).split()) or type(error).__name__
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    def connect(self, *, upkeep: bool = False) -> Connection[tuple[Any, ...]]:
        """A connection in autocommit mode, with our settings. Raises a ``StoreError``.

        `upkeep`: for work that goes through whole tables.
        """
        try:
            connection = psycopg.connect(
                **self._given, autocommit=True, prepare_threshold=None if upkeep else 5
            )
        except psycopg.Error as error:
            raise StoreError(f"cannot reach {self}: {self.shown(error)}") from None
        try:
            settings = dict(_SETTINGS)
            if connection.info.server_version >= 170000:
                settings["transaction_timeout"] = "20s"
            if upkeep:
                for name in ("enable_seqscan", "transaction_timeout", "plan_cache_mode"):
                    settings.pop(name, None)
            arrays.register(connection)
            asked = sql.SQL("SELECT {}").format(
                sql.SQL(", ").join(
                    sql.SQL("set_config({}, {}, false)").format(name, value)
                    for name, value in settings.items()
                )
            )
            connection.execute(asked)
        except psycopg.Error as error:
            connection.close()
            raise self.translate(error) from None
        return connection

    def translate(self, error: BaseException) -> StoreError:
        """What psycopg reports, as one of ours, without the password."""
        if isinstance(error, StoreError):
            return error
        text = self.shown(error)
        if isinstance(error, errors.DiskFull | errors.OutOfMemory):
            return StoreFull(f"the database is full ({text})")
        if isinstance(error, errors.DataCorrupted | errors.IndexCorrupted):
            return StoreDamaged(f"the database is damaged ({text})")
        if isinstance(error, errors.InsufficientPrivilege):
            return StoreError(f"the database does not allow it: {text}; see docs/hosting.md")
        return StoreError(f"the database failed ({text})")


def is_final(error: psycopg.Error) -> bool:
    """Whether the same statement would fail again, however often it is sent.

    By the class of its code: data, integrity, syntax and rights; the others pass.
    """
    return (error.sqlstate or "")[:2] in {"22", "23", "42", "0A"}


def was_not_kept(message: str) -> bool:
    """Whether a commit that succeeded is not on the synchronous standby: this warning tells."""
    return message.startswith(_UNKEPT)
