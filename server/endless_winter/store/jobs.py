"""What the writer of a store is given to do. One object for each choice, so they are plain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.store.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from endless_winter.store.records import Entry, NewGame, Request, Secret

Outcome = int | StoreError


class Create:
    """A new game."""

    __slots__ = ("entries", "new", "request", "secret")

    def __init__(
        self, new: NewGame, secret: Secret, entries: Sequence[Entry], request: Request | None
    ) -> None:
        self.new = new
        self.secret = secret
        self.entries = entries
        self.request = request


class Append:
    """More entries of a game."""

    __slots__ = ("entries", "expected_seq", "game_id", "requests")

    def __init__(
        self,
        game_id: str,
        expected_seq: int,
        entries: Sequence[Entry],
        requests: Sequence[Request],
    ) -> None:
        self.game_id = game_id
        self.expected_seq = expected_seq
        self.entries = entries
        self.requests = requests


class PutPack:
    """A content pack."""

    __slots__ = ("content_hash", "data")

    def __init__(self, content_hash: str, data: bytes) -> None:
        self.content_hash = content_hash
        self.data = data


class Serve:
    """The server that has the store since one moment still had it at another."""

    __slots__ = ("since_ms", "until_ms")

    def __init__(self, since_ms: int, until_ms: int) -> None:
        self.since_ms = since_ms
        self.until_ms = until_ms


Job = Create | Append | PutPack | Serve


class Head:
    """Where a log ends."""

    __slots__ = ("game", "seq")

    def __init__(self, game: int, seq: int) -> None:
        self.game = game
        self.seq = seq


class Waiting:
    """A job that is neither committed nor refused yet, and who is told."""

    __slots__ = ("done", "job", "since")

    def __init__(self, job: Job, done: Callable[[Outcome], None], since: float) -> None:
        self.job = job
        self.done = done
        self.since = since  # on the clock of `perf_counter`
