"""What an operator does with a store in PostgreSQL, also beside servers: check, prune, erase."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import psycopg

from endless_winter.rules.chance import commitment
from endless_winter.store.errors import StoreError, StoreTooNew
from endless_winter.store.postgres import start, writing
from endless_winter.store.postgres.connection import Address
from endless_winter.store.records import NO_CHAIN, Status, chain_after
from endless_winter.store.upkeep import GAMES_AT_ONCE, Contents, Pruned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from psycopg import Connection

_PAGE: Final = 1000  # entries at a time


@contextmanager
def opened(url: str, *, write: bool = False) -> Iterator[Connection[Any]]:
    """A connection to a store that exists; one that reads sees it as it is at one commit."""
    address = Address(url)
    connection = address.connect(upkeep=True)
    try:
        start.check(connection, address)
        _check_schema(connection, address)
        if write:
            yield connection
        else:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
            with connection.transaction():
                yield connection
    except psycopg.Error as error:
        raise address.translate(error) from None
    finally:
        connection.close()


def _check_schema(connection: Connection[Any], address: Address) -> None:
    schema, oldest = start.version(connection)
    own = start.migrations()[-1].number
    if not schema:
        raise StoreError(f"there is no store in {address}; 'ew serve' makes one")
    if own < oldest:
        raise StoreTooNew(
            f"{address} has schema {schema}, and this program knows {own}; use a newer one"
        )


def contents(url: str) -> Contents:
    """Count what a store holds."""
    with opened(url) as connection:
        row = connection.execute(
            "SELECT (SELECT count(*) FROM games), (SELECT count(*) FROM entries)"
        ).fetchone()
        assert row is not None
        return Contents(*row)


def prunable(url: str, ended_before_ms: int) -> tuple[list[Pruned], int]:
    """The ended games from before a time, oldest first, and how many of that age are sealed."""
    with opened(url) as connection:
        found = connection.execute(
            "SELECT sealed, game_id, ended_ms, head FROM games "
            "WHERE status = %s AND ended_ms < %s ORDER BY ended_ms, id",
            (int(Status.ENDED), ended_before_ms),
        ).fetchall()
    old = [Pruned(*row) for sealed, *row in found if not sealed]
    return old, len(found) - len(old)


def prune(url: str, games: list[Pruned]) -> None:
    """Remove games with all that belongs to them; content packs stay."""
    with opened(url, write=True) as connection:
        for first in range(0, len(games), GAMES_AT_ONCE):
            some = games[first : first + GAMES_AT_ONCE]
            writing.remove(connection, [game.game_id for game in some])


def problems(url: str) -> Iterator[str]:
    """Everything that is wrong with a store, a line each; an unreadable one raises instead."""
    with opened(url) as connection:
        for table in ("entries", "private_parts", "requests"):
            for (number,) in connection.execute(
                f"SELECT DISTINCT t.game FROM {table} t "  # noqa: S608 # our own names
                "LEFT JOIN games g ON g.id = t.game WHERE g.id IS NULL ORDER BY 1"
            ).fetchall():
                yield f"{table}: rows belong to game number {number}, which there is not"
        with connection.cursor(name="games", binary=True) as games:
            games.itersize = 200
            games.execute(
                "SELECT g.id, g.game_id, g.head, g.chain, g.commitment, s.seed, s.salt, "
                "(SELECT max(seq) FROM requests WHERE scope = g.id) "
                "FROM games g LEFT JOIN secrets s ON s.game = g.id ORDER BY g.id"
            )
            for game in games:
                yield from _game(connection, *game)


def _game(
    connection: Connection[Any],
    number: int,
    game_id: str,
    head: int,
    head_chain: bytes,
    committed: bytes,
    seed: bytes | None,
    salt: bytes | None,
    answered: int | None,
) -> Iterator[str]:
    """What is wrong with a log, or with the seed behind it."""
    chain, last = NO_CHAIN, 0
    while page := connection.execute(
        "SELECT seq, kind, at_ms, payload, chain FROM entries "
        "WHERE game = %s AND seq > %s ORDER BY seq LIMIT %s",
        (number, last, _PAGE),
        binary=True,
    ).fetchall():
        for seq, kind, at_ms, payload, hashed in page:
            if seq != last + 1:
                missing = f"{last + 1}" if seq == last + 2 else f"{last + 1} to {seq - 1}"
                yield f"game {game_id}: missing from the log: {missing}"
            chain = chain_after(chain, game_id, seq, kind, at_ms, payload)
            if chain != hashed:
                yield f"game {game_id}: entry {seq} is not as it was written"
            last, chain = seq, hashed  # of several bad entries each is named
    if not last:
        yield f"game {game_id}: has no log"
    elif (head, head_chain) != (last, chain):
        yield f"game {game_id}: its log does not end with its head, entry {head}"
    if seed is None or salt is None:
        yield f"game {game_id}: has no seed"
    elif not _fits(committed, seed, salt):
        yield f"game {game_id}: seed and salt do not fit its commitment"
    if (answered or 0) > last:
        yield f"game {game_id}: entries after {last} were answered, and are gone"


def _fits(committed: bytes, seed: bytes, salt: bytes) -> bool:
    try:
        return commitment(seed, salt) == committed.hex()
    except ValueError:  # a salt that is none
        return False


def erase(url: str, client: bytes) -> int:
    """Erase a person; see ``Store``."""
    with opened(url, write=True) as connection:
        return writing.erase(connection, client)
