"""What the writer of a store is given to do. Apart from it, because that one is compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from endless_winter.store.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from endless_winter.store.records import Entry, NewGame, Request, Secret

Outcome = int | StoreError


class Create(NamedTuple):
    """A new game."""

    new: NewGame
    secret: Secret
    entries: Sequence[Entry]
    request: Request | None


class Append(NamedTuple):
    """More entries of a game."""

    game_id: str
    expected_seq: int
    entries: Sequence[Entry]
    requests: Sequence[Request]


class PutPack(NamedTuple):
    """A content pack."""

    content_hash: str
    data: bytes


Job = Create | Append | PutPack


class Head(NamedTuple):
    """Where a log ends."""

    game: int
    seq: int


class Waiting(NamedTuple):
    """A job that is neither committed nor refused yet, and who is told."""

    job: Job
    done: Callable[[Outcome], None]
    since: float  # on the clock of `perf_counter`
