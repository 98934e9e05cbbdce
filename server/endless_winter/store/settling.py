"""From commits to logs.

A commit is one row of `moments`, with entries of many games. Later, a game at a time, they are
written into the game's own log, many entries to a row, and the requests that they answered into
their table; when nothing of a moment is missing there it is removed. Whatever reads a log reads its
parts and then what is newer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.store import rows
from endless_winter.store.jobs import Added
from endless_winter.store.records import Answer

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from endless_winter.store.rows import Row

KEPT = 8 << 20  # octets that wait: more of them make logs of fewer parts, and a slower start
MOST_GAMES = 16  # that are settled in one transaction
MOST_OCTETS = 64 << 10


class Tail:
    """The entries of a game that are committed and not yet in its log, and requests likewise."""

    __slots__ = ("asked", "data", "first_moment", "first_seq", "game", "last_seq")

    def __init__(self, game: int, first_moment: int, first_seq: int) -> None:
        self.game = game
        self.first_moment = first_moment
        self.first_seq = first_seq
        self.last_seq = first_seq - 1
        # Their rows, joined: a small object that is kept for each choice makes all others slower.
        self.data = bytearray()
        self.asked = bytearray()

    @property
    def octets(self) -> int:
        return len(self.data) + len(self.asked)

    def requests(self) -> Iterator[tuple[bytes, str, int, bytes]]:
        """Caller, id, number and answer of each."""
        return map(rows.request_of, rows.unpack(bytes(self.asked)))


class Tails:
    """All tails, that of the oldest moment first. Written by one thread; others may look."""

    def __init__(self) -> None:
        self.octets = 0
        self._tails: dict[str, Tail] = {}

    def __len__(self) -> int:
        return len(self._tails)

    def get(self, game_id: str) -> Tail | None:
        return self._tails.get(game_id)

    def add(self, moment: int, added: Added) -> None:
        """Entries and requests of a game were committed."""
        tail = self._tails.get(added.game_id)
        if tail is None:
            tail = Tail(added.game, moment, added.first_seq)
            self._tails[added.game_id] = tail
        tail.data += added.data
        tail.last_seq = added.last_seq
        self.octets += len(added.data)
        if added.asked:
            tail.asked += added.asked
            self.octets += len(added.asked)

    def find_request(self, game_id: str, caller: bytes, request_id: str) -> Answer | None:
        """The first answer to a request, if it is not settled yet."""
        tail = self._tails.get(game_id)
        if tail is not None:
            for who, asked, seq, answer in tail.requests():
                if who == caller and asked == request_id:
                    return Answer(game_id, seq, answer)
        return None

    def drop(self, game_ids: Iterable[str]) -> None:
        """They are in the logs, or their games are gone."""
        for game_id in game_ids:
            tail = self._tails.pop(game_id, None)
            if tail is not None:
                self.octets -= tail.octets

    def overdue(self) -> list[str]:
        """The games to settle next, when too much waits."""
        found: list[str] = []
        octets = 0
        if self.octets > KEPT:
            for game_id, tail in self._tails.items():
                found.append(game_id)
                octets += tail.octets
                if len(found) >= MOST_GAMES or octets >= MOST_OCTETS:
                    break
        return found

    def everything(self) -> list[str]:
        return list(self._tails)

    def now(self) -> dict[str, Tail]:
        """All tails of this moment, for one who is about to read the file."""
        return dict(self._tails)

    def settle(self, connection: sqlite3.Connection, game_ids: list[str], next_moment: int) -> int:
        """Write tails into their logs, inside a transaction; ``drop`` follows its commit.

        How many octets that were.
        """
        octets = 0
        for game_id in game_ids:
            tail = self._tails[game_id]
            octets += tail.octets
            if tail.data:
                connection.execute(  # a game that somebody removed meanwhile has no log
                    "INSERT INTO logs SELECT id, ?, ?, ? FROM games WHERE id = ?",
                    (tail.first_seq, tail.last_seq, bytes(tail.data), tail.game),
                )
            connection.executemany(  # what was settled before a crash may come again
                "INSERT OR IGNORE INTO requests SELECT id, ?, ?, id, ?, ? FROM games WHERE id = ?",
                [(*request, tail.game) for request in tail.requests()],
            )
        settled = set(game_ids)
        oldest = next(
            (tail.first_moment for key, tail in self._tails.items() if key not in settled),
            next_moment,
        )
        connection.execute("DELETE FROM moments WHERE id < ?", (oldest,))
        return octets


def newer(connection: sqlite3.Connection) -> dict[int, list[tuple[int, Row]]]:
    """Moment and row of all entries that are in no log yet, by game, in order.

    Raises ``StoreDamaged`` also for a request that cannot be read.
    """
    found: dict[int, list[tuple[int, Row]]] = {}
    for moment, row, _ in _unsettled(connection):
        if row.kind == rows.ASKED:
            rows.request_of(row)
        else:
            found.setdefault(row.game, []).append((moment, row))
    return found


def _unsettled(connection: sqlite3.Connection) -> Iterator[tuple[int, Row, int]]:
    """Moment and row of all entries that are in no log yet, and of all requests, in order.

    And the number of the entry before. Requests may have been settled.
    """
    ends: dict[int, int | None] = {}
    for moment, data in connection.execute("SELECT id, data FROM moments ORDER BY id"):
        for row in rows.unpack(data):
            if row.game not in ends:
                ends[row.game] = _end_of(connection, row.game)
            end = ends[row.game]
            if end is None:
                continue
            if row.kind == rows.ASKED:
                yield moment, row, end
            elif row.seq > end:
                ends[row.game] = row.seq
                yield moment, row, end


def newest_game(connection: sqlite3.Connection) -> int:
    """The largest number of a game in any moment, whether there is such a game any more or not."""
    moments = connection.execute("SELECT data FROM moments")
    return max((row.game for (data,) in moments for row in rows.unpack(data)), default=0)


def _end_of(connection: sqlite3.Connection, game: int) -> int | None:
    """Where the settled part of a log ends; None: there is no such game any more."""
    row = connection.execute(
        "SELECT coalesce((SELECT max(last_seq) FROM logs WHERE game = ?), 0) "
        "FROM games WHERE id = ?",
        (game, game),
    ).fetchone()
    return row[0] if row else None


def load(connection: sqlite3.Connection) -> Tails:
    """The tails as the file says."""
    tails = Tails()
    known: dict[int, str | None] = {}
    for moment, row, end in _unsettled(connection):
        game = row.game
        if game not in known:
            found = connection.execute("SELECT game_id FROM games WHERE id = ?", (game,)).fetchone()
            known[game] = found[0] if found else None
        game_id = known[game]
        if game_id is None:
            continue  # somebody has just removed it
        if row.kind == rows.ASKED:
            added = Added(game_id, game, end + 1, end, b"", rows.repack(row))
        else:
            added = Added(game_id, game, row.seq, row.seq, rows.repack(row))
        tails.add(moment, added)
    return tails


def read(connection: sqlite3.Connection, game: int, after_seq: int = 0) -> Iterator[Row]:
    """The settled entries of a game after a number."""
    for (data,) in connection.execute(
        "SELECT data FROM logs WHERE game = ? AND last_seq > ? ORDER BY last_seq", (game, after_seq)
    ):
        yield from rows.after(rows.unpack(data), after_seq)


def whole(connection: sqlite3.Connection, game: int) -> Iterator[Row]:
    """The log of a game, for one who has nothing but the file, in one moment of it."""
    last = 0
    for row in read(connection, game):
        last = row.seq
        yield row
    moments = connection.execute("SELECT data FROM moments ORDER BY id")
    found = (row for (data,) in moments for row in rows.unpack(data) if row.game == game)
    yield from rows.after((row for row in found if row.kind != rows.ASKED), last)
