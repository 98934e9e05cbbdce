"""From commits to logs.

A commit is one row of `moments`, with entries of many games. Later, a game at a time, they are
written into the game's own log, many entries to a row, and when nothing of a moment is missing in
the logs it is removed. Whatever reads a log reads its parts and then what is newer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.store import rows

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from endless_winter.store.rows import Row

KEPT = 8 << 20  # octets that wait: more of them make logs of fewer parts, and a slower start
MOST_GAMES = 16  # that are settled in one transaction
MOST_OCTETS = 64 << 10


class Tail:
    """The entries of a game that are committed and not yet in its log."""

    __slots__ = ("data", "first_moment", "first_seq", "game", "last_seq")

    def __init__(self, game: int, first_moment: int, first_seq: int) -> None:
        self.game = game
        self.first_moment = first_moment
        self.first_seq = first_seq
        self.last_seq = first_seq - 1
        # Their rows, joined: a small object that is kept for each choice makes all others slower.
        self.data = bytearray()


class Tails:
    """All tails, that of the oldest moment first. Written by one thread; others may look."""

    def __init__(self) -> None:
        self.octets = 0
        self._tails: dict[str, Tail] = {}

    def __len__(self) -> int:
        return len(self._tails)

    def get(self, game_id: str) -> Tail | None:
        return self._tails.get(game_id)

    def add(
        self, game_id: str, game: int, moment: int, first_seq: int, last_seq: int, data: bytes
    ) -> None:
        """Entries of a game were committed, from one number to another; `data` are their rows."""
        tail = self._tails.get(game_id)
        if tail is None:
            tail = self._tails[game_id] = Tail(game, moment, first_seq)
        tail.data += data
        tail.last_seq = last_seq
        self.octets += len(data)

    def drop(self, game_ids: Iterable[str]) -> None:
        """They are in the logs, or their games are gone."""
        for game_id in game_ids:
            tail = self._tails.pop(game_id, None)
            if tail is not None:
                self.octets -= len(tail.data)

    def overdue(self) -> list[str]:
        """The games to settle next, when too much waits."""
        found: list[str] = []
        octets = 0
        if self.octets > KEPT:
            for game_id, tail in self._tails.items():
                found.append(game_id)
                octets += len(tail.data)
                if len(found) >= MOST_GAMES or octets >= MOST_OCTETS:
                    break
        return found

    def everything(self) -> list[str]:
        return list(self._tails)

    def now(self) -> dict[str, Tail]:
        """All tails of this moment, for one who is about to read the file."""
        return dict(self._tails)

    def settle(self, connection: sqlite3.Connection, game_ids: list[str], next_moment: int) -> None:
        """Write tails into their logs, inside a transaction; ``drop`` follows its commit."""
        for game_id in game_ids:
            tail = self._tails[game_id]
            connection.execute(  # a game that somebody removed meanwhile has no log
                "INSERT INTO logs SELECT id, ?, ?, ? FROM games WHERE id = ?",
                (tail.first_seq, tail.last_seq, bytes(tail.data), tail.game),
            )
        settled = set(game_ids)
        oldest = next(
            (tail.first_moment for key, tail in self._tails.items() if key not in settled),
            next_moment,
        )
        connection.execute("DELETE FROM moments WHERE id < ?", (oldest,))


def newer(connection: sqlite3.Connection) -> dict[int, list[tuple[int, Row]]]:
    """Moment and row of all that is in no log yet, by game, in order."""
    found: dict[int, list[tuple[int, Row]]] = {}
    ends: dict[int, int | None] = {}
    for moment, data in connection.execute("SELECT id, data FROM moments ORDER BY id"):
        for row in rows.unpack(data):
            if row.game not in ends:
                ends[row.game] = _end_of(connection, row.game)
            end = ends[row.game]
            if end is not None and row.seq > end:
                ends[row.game] = row.seq
                found.setdefault(row.game, []).append((moment, row))
    return found


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
    for game, found in newer(connection).items():
        known = connection.execute("SELECT game_id FROM games WHERE id = ?", (game,)).fetchone()
        if known is None:
            continue  # somebody has just removed it
        for moment, row in found:
            tails.add(known[0], game, moment, row.seq, row.seq, rows.repack(row))
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
    yield from rows.after(found, last)
