"""What the writer of a store is given to do. One object for each choice, so they are plain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.store.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from endless_winter.store.records import Entry, NewGame, Request, Secret

Outcome = int | StoreError


class Added:
    """Entries of one game and the requests they answer, as they go into a moment and a tail.

    Where there are only requests, the last number is the one before the first.
    """

    __slots__ = ("asked", "data", "first_seq", "game", "game_id", "last_seq")

    def __init__(
        self,
        game_id: str,
        game: int,
        first_seq: int,
        last_seq: int,
        data: bytes,
        asked: bytes = b"",
    ) -> None:
        self.game_id = game_id
        self.game = game
        self.first_seq = first_seq
        self.last_seq = last_seq
        self.data = data
        self.asked = asked


class Waiting:
    """Something to write, who is told when it is committed or refused, and since when it waits."""

    __slots__ = ("done", "since")

    def __init__(self, done: Callable[[Outcome], None]) -> None:
        self.done = done
        self.since = 0.0  # on the clock of `perf_counter`


class Create(Waiting):
    """A new game."""

    __slots__ = ("entries", "game_id", "new", "request", "secret")

    def __init__(
        self,
        new: NewGame,
        secret: Secret,
        entries: Sequence[Entry],
        request: Request | None,
        done: Callable[[Outcome], None],
    ) -> None:
        super().__init__(done)
        self.new = new
        self.game_id = new.game_id
        self.secret = secret
        self.entries = entries
        self.request = request


class Append(Waiting):
    """More entries of a game."""

    __slots__ = ("added", "entries", "expected_seq", "game_id", "requests")

    def __init__(
        self,
        game_id: str,
        expected_seq: int,
        entries: Sequence[Entry],
        requests: Sequence[Request],
        done: Callable[[Outcome], None],
    ) -> None:
        self.done = done  # as the constructor of all jobs does, which is one more call
        self.since = 0.0
        self.game_id = game_id
        self.expected_seq = expected_seq
        self.entries = entries
        self.requests = requests
        self.added: Added | None = None  # its one entry, packed before there is a plan


class PutPack(Waiting):
    """A content pack."""

    __slots__ = ("content_hash", "data")

    def __init__(self, content_hash: str, data: bytes, done: Callable[[Outcome], None]) -> None:
        super().__init__(done)
        self.content_hash = content_hash
        self.data = data


class Serve(Waiting):
    """The server that has the store since one moment still had it at another."""

    __slots__ = ("since_ms", "until_ms")

    def __init__(self, since_ms: int, until_ms: int, done: Callable[[Outcome], None]) -> None:
        super().__init__(done)
        self.since_ms = since_ms
        self.until_ms = until_ms


Job = Create | Append | PutPack | Serve


class Head:
    """Where a log ends, with what is planned, and which requests it has answered."""

    __slots__ = ("asked", "game", "seq")

    def __init__(self, game: int, seq: int) -> None:
        self.game = game
        self.seq = seq
        self.asked: bytearray | None = None  # the mark of each; None: nobody has looked yet

    def knows(self, mark: bytes) -> bool:
        """Whether a request was answered; what two may have in common is for others to find out."""
        asked = self.asked
        assert asked is not None
        at = asked.find(mark)
        while at >= 0 and at % MARK:
            at = asked.find(mark, at + 1)
        return at >= 0


MARK = 8  # octets


def mark_of(caller: bytes, request_id: str) -> bytes:
    """Tells requests of a game apart, nearly always, in this process."""
    return hash((caller, request_id)).to_bytes(MARK, "little", signed=True)
