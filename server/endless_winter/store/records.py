"""The records that a store takes and gives. Payloads are opaque to it: the service writes them."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field, fields
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Status(IntEnum):
    """Where a game stands; the numbers are those of the contract."""

    OPEN = 1
    STARTING = 2
    RUNNING = 3
    ENDED = 4
    SUSPENDED = 5
    """Never stored: an unfinished game that the asking server cannot continue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What an entry changes in the listing of its game; None: nothing. Kept with the entry."""

    status: Status | None = None
    started_ms: int | None = None
    ended_ms: int | None = None
    open_seats: int | None = None
    """How many seats anyone could take."""
    sealed: bool | None = None
    """Whether seed and log stay closed after the end; sealed games are not pruned."""
    summary: bytes | None = None
    """Whatever the service shows of a game that it has not loaded; public things only."""
    holders: Mapping[int, bytes] = field(default_factory=dict)
    """Seats and the hash of the client who holds each from now on; empty bytes: nobody."""


class Entry(NamedTuple):
    """One thing that happened, before it has a number."""

    kind: str
    at_ms: int
    payload: bytes
    private: bytes = b""
    """What only some may know of it."""
    events: bytes = b""
    """What followed from it, so that it can be shown without its rules."""
    position_hash: bytes = b""
    marks: Marks | None = None


@dataclass(frozen=True, slots=True)
class Logged:
    """An entry of a log, as read."""

    seq: int
    kind: str
    at_ms: int
    payload: bytes
    private: bytes
    events: bytes
    position_hash: bytes


class Request(NamedTuple):
    """A request that an append answers, so that a retry gets the same answer."""

    caller: bytes
    """Who asked: the hash of a client, or whatever tells callers of one game apart."""
    request_id: str
    answer: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request id was answered the first time."""

    game_id: str
    seq: int
    """The log's last number after it."""
    answer: bytes


@dataclass(frozen=True, slots=True)
class Secret:
    """What decides all chance of a game; kept apart from everything that is listed."""

    seed: bytes
    salt: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class NewGame:
    """What is known of a game from its creation on and never changes."""

    game_id: str
    created_ms: int
    rules_version: str
    content_hash: str
    config: bytes
    commitment: bytes
    creator: bytes = b""
    """The hash of the client who created it."""
    listed: bool = True
    seats: int = 0
    rivers: bool = False
    solo: bool = False
    title: str = ""
    tags: tuple[str, ...] = ()
    tournament_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header(NewGame):
    """A game without its log: what it was created with and where it stands."""

    last_seq: int
    status: Status
    started_ms: int | None
    ended_ms: int | None
    open_seats: int
    sealed: bool
    summary: bytes
    holders: Mapping[int, bytes]

    @classmethod
    def of_new(cls, new: NewGame, marks: Marks) -> Header:
        """That of a game which has its first entry and nothing else, as a store would give it."""
        known = {field.name: getattr(new, field.name) for field in fields(NewGame)}
        known["tags"] = tuple(sorted(set(new.tags)))
        return cls(
            **known,
            last_seq=1,
            status=Status.OPEN if marks.status is None else marks.status,
            started_ms=marks.started_ms,
            ended_ms=marks.ended_ms,
            open_seats=marks.open_seats or 0,
            sealed=bool(marks.sealed),
            summary=marks.summary or b"",
            holders={seat: holder for seat, holder in marks.holders.items() if holder},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Which games to list. All conditions must hold."""

    client: bytes = b""
    """The hash of the asking client: it also finds its own games that are not listed."""
    everything: bool = False
    """For operators: games that are not listed as well."""
    statuses: frozenset[Status] = frozenset()
    """Empty: any."""
    rules_version: str = ""
    """The asking server's: unfinished games of another count as SUSPENDED. Empty: none does."""
    suspended: frozenset[str] = frozenset()
    """Unfinished games that count as SUSPENDED as well."""
    joinable: bool = False
    mine: bool = False
    """Only games in which ``client`` holds a seat or which it created."""
    tag: str = ""
    tournament_id: str = ""
    seats: int = 0
    rivers: bool | None = None
    solo: bool | None = None
    created_from_ms: int | None = None


UNFINISHED = frozenset({Status.OPEN, Status.STARTING, Status.RUNNING})


@dataclass(frozen=True, slots=True)
class Page:
    """Some games, newest first, and the token for the next ones; empty: there are no more."""

    games: tuple[Header, ...]
    next_token: str
    keys: tuple[int, ...] = ()
    """The store's own number of each game."""

    def after(self, count: int) -> str:
        """The token for what comes after the first so many games, of those who take no more."""
        last = count - 1
        return page_token(self.games[last].created_ms, self.keys[last])


def page_token(created_ms: int, key: int) -> str:
    """Names the last game of a page."""
    return base64.urlsafe_b64encode(f"{created_ms}.{key}".encode()).decode().rstrip("=")
