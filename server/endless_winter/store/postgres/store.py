"""The store in PostgreSQL: one connection commits, a few read. See ``Store`` for each call."""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar

import psycopg

from endless_winter.store.errors import Conflict, StoreClosed, StoreError
from endless_winter.store.postgres import reading, start, writing
from endless_winter.store.postgres.connection import Address, is_final, was_not_kept
from endless_winter.store.postgres.statement import statement
from endless_winter.store.postgres.waking import Listener, notify
from endless_winter.store.resolving import became

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Self

    from psycopg import Connection

    from endless_winter.store.postgres.connection import Identity
    from endless_winter.store.postgres.statement import Statement
    from endless_winter.store.records import Append, Uptime, Wake

P = ParamSpec("P")
T = TypeVar("T")

READERS: Final = 8  # connections that read; more threads than these wait for one


def _reads(
    function: Callable[Concatenate[Connection[Any], P], T],
) -> Callable[Concatenate[PostgresStore, P], T]:
    """A method that reads. After a lost connection it is tried once more, on a new one."""

    def method(store: PostgresStore, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            with store.reader() as connection:
                return function(connection, *args, **kwargs)
        except psycopg.OperationalError:
            store.forget_readers()  # the others are as old
        except psycopg.Error as error:
            raise store.address.translate(error) from None
        try:
            with store.reader() as connection:
                return function(connection, *args, **kwargs)
        except psycopg.Error as error:
            raise store.address.translate(error) from None

    return method


class PostgresStore:
    """Logs in one database, for any number of servers; see ``Store`` for what each call does."""

    shared = True
    remote = True

    def __init__(self, address: Address, steps: list[start.Migration]) -> None:
        self.address = address
        self.warnings: list[str] = []
        """What an operator should know of the database, found when it was opened."""
        self._steps = steps
        self._identity: Identity | None = None
        self._replaced = False  # whether it is another one than when it was last read
        self._not_kept = False  # whether the synchronous standby lacks what was committed
        self._packs: frozenset[str] = frozenset()  # that are stored, as far as is known
        self._readers: list[Connection[Any]] = []
        self._places = threading.BoundedSemaphore(READERS)
        self._listener: Listener | None = None
        self._closed = False
        self._writer: Connection[Any] | None = None
        self._writer = self._connect_writer()
        self._replaced = False

    @classmethod
    def open(cls, url: str, *, steps: list[start.Migration] | None = None) -> Self:
        """Connect, bring the schema to that of this program, or raise a ``StoreError`` of one line.

        `steps` are the migrations; others than those of this program are for tests of upgrades.
        """
        return cls(Address(url), start.migrations() if steps is None else steps)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._closed = True
        if self._listener is not None:
            self._listener.close()
        self.forget_readers()
        if self._writer is not None:
            self._writer.close()

    # --- connections ---

    def _connect_writer(self) -> Connection[Any]:
        connection = self.address.connect()
        try:
            identity, checksums = start.check(connection, self.address)
            if self._identity is None:
                start.migrate(connection, self.address, self._steps)
                start.check(connection, self.address)
                if not checksums:
                    self.warnings.append(
                        f"{self.address} has no data checksums, so a damaged page may go "
                        "unnoticed: pg_checksums --enable, while it is stopped"
                    )
            self._replaced |= identity != self._identity
            self._identity = identity
        except psycopg.Error as error:
            connection.close()
            raise self.address.translate(error) from None
        except BaseException:
            connection.close()
            raise
        connection.add_notice_handler(self._hear)
        return connection

    def _connect_reader(self) -> Connection[Any]:
        connection = self.address.connect()
        try:
            identity, _ = start.check(connection, self.address)
        except BaseException:
            connection.close()
            raise
        if identity != self._identity:
            connection.close()
            raise StoreError(f"{self.address} is another database than before")
        return connection

    def _hear(self, notice: psycopg.errors.Diagnostic) -> None:
        if was_not_kept(notice.message_primary or ""):
            self._not_kept = True

    @contextmanager
    def reader(self) -> Iterator[Connection[Any]]:
        """A connection that reads."""
        if self._closed:
            raise StoreClosed("the store is closed")
        with self._places:
            try:
                connection = self._readers.pop()
            except IndexError:
                connection = self._connect_reader()
            try:
                yield connection
            except BaseException:
                connection.close()
                raise
            self._give_back(connection)

    def _give_back(self, connection: Connection[Any]) -> None:
        self._readers.append(connection)
        if self._closed:
            self.forget_readers()

    def forget_readers(self) -> None:
        """Close the connections that nobody uses just now."""
        while True:
            try:
                self._readers.pop().close()
            except IndexError:
                return

    def _writing(self) -> Connection[Any]:
        if self._closed:
            raise StoreClosed("the store is closed")
        if self._writer is None:
            raise StoreError("the last commit failed; recover comes first")
        return self._writer

    # --- commits ---

    def commit(
        self, appends: Sequence[Append], uptime: Uptime | None = None
    ) -> list[StoreError | None]:
        connection = self._writing()
        for append in appends:
            _check_numbers(append)
        try:
            return self._commit(connection, appends, uptime)
        except psycopg.Error as error:
            self._lose()
            raise self.address.translate(error) from None
        except StoreError:
            self._lose()
            raise

    def _commit(
        self, connection: Connection[Any], appends: Sequence[Append], uptime: Uptime | None
    ) -> list[StoreError | None]:
        try:
            committed = self._send(connection, appends, uptime)
        except psycopg.Error as error:
            if not _was_refused(error, connection):
                raise
            return self._commit_each(connection, appends, uptime)
        outcomes: list[StoreError | None] = [None] * len(appends)
        late = [at for at, done in enumerate(committed) if not done]
        if late:
            refused = [appends[at] for at in late]
            found = writing.refusals(connection, refused)
            for at, append, outcome in zip(late, refused, found, strict=True):
                if outcome is None and append.creation is not None:
                    # What was in its way is gone, or was another creation that was refused.
                    (outcomes[at],) = self._commit_each(connection, [append], None)
                    continue
                seq = append.expected_seq
                # Nothing is in the way now: it was, or the entry before is another one, or the
                # deadline has not passed.
                outcomes[at] = outcome or Conflict(append.game_id, seq, seq)
        return outcomes

    def _commit_each(
        self, connection: Connection[Any], appends: Sequence[Append], uptime: Uptime | None
    ) -> list[StoreError | None]:
        """The round was undone because of some of its appends: find them, and commit the others."""
        outcomes = writing.refusals(connection, appends)
        free = [append for append, outcome in zip(appends, outcomes, strict=True) if not outcome]
        if len(free) < len(appends):
            found = iter(self._commit(connection, free, uptime))
            return [outcome or next(found) for outcome in outcomes]
        outcomes = []
        for append in free:
            try:
                (done,) = self._send(connection, [append], None)
            except psycopg.Error as error:
                if not _was_refused(error, connection):
                    raise
                done = False
            refusal: StoreError | None = None
            if not done:
                (refusal,) = writing.refusals(connection, [append])
                refusal = refusal or StoreError("the database did not take it")
            outcomes.append(refusal)
        if uptime is not None:
            self._send(connection, [], uptime)
        return outcomes

    def _send(
        self, connection: Connection[Any], appends: Sequence[Append], uptime: Uptime | None
    ) -> list[bool]:
        """One statement; which of the appends it has committed."""
        numbers = self._numbers(connection, appends)
        return self._execute(connection, statement(appends, uptime, numbers, self._packs))

    def _execute(self, connection: Connection[Any], sent: Statement) -> list[bool]:
        self._not_kept = False
        found = connection.execute(sent.sql, sent.values, prepare=True, binary=True).fetchone()
        assert found is not None
        self._check_kept()
        return [bool(number) for number in found[0]]

    def _numbers(self, connection: Connection[Any], appends: Sequence[Append]) -> list[int]:
        """Numbers for the games that a round creates; and which packs are stored."""
        new = [append.creation.game for append in appends if append.creation is not None]
        if not new:
            return []
        hashes = {game.content_hash for game in new}
        if not hashes <= self._packs:
            rows = connection.execute(
                "SELECT hash FROM packs WHERE hash = ANY(%s)", (sorted(hashes),)
            )
            self._packs |= {row[0] for row in rows}
        rows = connection.execute(
            "SELECT nextval('game_numbers') FROM generate_series(1, %s)", (len(new),)
        )
        return [row[0] for row in rows]

    def _lose(self) -> None:
        """The connection is not used again: what it did last is not known."""
        connection, self._writer = self._writer, None
        if connection is not None:
            with suppress(psycopg.Error):
                connection.close()

    # --- after an unknown result ---

    def recover(self) -> bool:
        if self._closed:
            raise StoreClosed("the store is closed")
        if self._writer is None:
            self.forget_readers()
            self._writer = self._connect_writer()
        replaced, self._replaced = self._replaced, False
        return replaced

    def resolve(self, appends: Sequence[Append]) -> list[StoreError | None]:
        """See ``Store``. The round is sent again before anybody looks.

        Only to look would be wrong: its statement may still be under way. Sent again it waits for
        the rows that the first one has locked, finds their heads moved, and does nothing; or it is
        the first, and the other one does nothing. At the end comes a commit of its own: once the
        synchronous standby, if there is one, has that, it has all before it.
        """
        again = self.commit(appends)
        connection = self._writing()
        try:
            self._not_kept = False
            connection.execute("UPDATE store SET recovered = recovered + 1")
            self._check_kept()
        except psycopg.Error as error:
            self._lose()
            raise self.address.translate(error) from None
        found = became(self, appends)
        return [one if one is None else two for one, two in zip(found, again, strict=True)]

    def _check_kept(self) -> None:
        if self._not_kept:
            raise psycopg.OperationalError("a commit has not reached the synchronous standby")

    # --- the rest ---

    def checkpoint(self) -> None:
        """Nothing: the database makes its own."""

    def checkpoint_due(self) -> bool:
        return False

    heads = _reads(reading.heads)
    load = _reads(reading.load)
    read = _reads(reading.read)
    list_games = _reads(reading.list_games)
    find_request = _reads(reading.find_request)
    get_pack = _reads(reading.get_pack)
    list_packs = _reads(reading.list_packs)
    uptimes = _reads(reading.uptimes)
    remove = _reads(writing.remove)
    erase = _reads(writing.erase)

    # --- nodes ---

    beat = _reads(writing.beat)
    deliver = _reads(writing.deliver)
    overdue = _reads(reading.overdue)
    notify = _reads(notify)

    def listen(self, heard: Callable[[Wake], None]) -> None:
        self._listener = Listener(self.address, heard)


def _was_refused(error: psycopg.Error, connection: Connection[Any]) -> bool:
    """Whether the database answered that it will never do this statement, and undid all of it."""
    return is_final(error) and not connection.closed


def _check_numbers(append: Append) -> None:
    if append.creation is not None and not append.entries:
        raise ValueError("a game begins with an entry")
    for seq, entry in enumerate(append.entries, append.expected_seq + 1):
        if entry.seq != seq:
            raise ValueError(f"entry {entry.seq} of {append.game_id} is not number {seq}")
