"""The records that a store takes and gives. Payloads are opaque to it: the engine writes them."""

from __future__ import annotations

import base64
from collections.abc import Mapping  # noqa: TC003 # mypyc needs what fields of dataclasses are
from dataclasses import dataclass, field
from enum import IntEnum
from hashlib import blake2b
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

CHAIN_BYTES: Final = 32
NO_CHAIN: Final = bytes(CHAIN_BYTES)  # before the first entry


class Status(IntEnum):
    """Where a game stands; the numbers are those of the contract."""

    OPEN = 1
    STARTING = 2
    RUNNING = 3
    ENDED = 4
    SUSPENDED = 5
    """Never stored: an unfinished game that the asking server cannot continue."""


UNFINISHED: Final = frozenset({Status.OPEN, Status.STARTING, Status.RUNNING})


# No dataclass: mypyc leaves its constructor to the interpreter, and every choice makes one.
class LogEntry:
    """One entry of a game's log, from the draft to the table and back."""

    __slots__ = ("at_ms", "chain", "kind", "payload", "seq")

    def __init__(self, seq: int, kind: str, at_ms: int, payload: bytes, chain: bytes) -> None:
        self.seq = seq
        self.kind = kind
        """The name of the contract's `LogEntry.entry` that is set."""
        self.at_ms = at_ms
        self.payload = payload
        """The serialized `LogEntry` of the contract, with its events, without names of people."""
        self.chain = chain
        """The hash of this entry and all before it."""


def chain_after(
    previous: bytes, game_id: str, seq: int, kind: str, at_ms: int, payload: bytes
) -> bytes:
    """The chain hash of an entry; `previous` is that of the entry before, or `NO_CHAIN`."""
    place = f"{game_id}\n{seq}\n{kind}\n{at_ms}\n".encode()
    return blake2b(
        previous + place + payload, digest_size=CHAIN_BYTES, person=b"ew-chain-1"
    ).digest()


def next_entry(
    previous: bytes, game_id: str, seq: int, kind: str, at_ms: int, payload: bytes
) -> LogEntry:
    """The entry after the one with the chain hash `previous`: the one way to make one."""
    chain = chain_after(previous, game_id, seq, kind, at_ms, payload)
    return LogEntry(seq, kind, at_ms, payload, chain)


class Player(NamedTuple):
    """A person at a game, apart from its entries: those know the id alone."""

    player_id: str
    """Random; drawn when somebody takes a seat, or creates the game."""
    client: bytes
    """The hash of the client's secret."""
    display_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What an append changes in the listing of its game; None: nothing."""

    status: Status | None = None
    started_ms: int | None = None
    ended_ms: int | None = None
    open_seats: int | None = None
    """How many seats anyone could take."""
    sealed: bool | None = None
    """Whether seed and log stay closed after the end; sealed games are not pruned."""
    summary: bytes | None = None
    """What lists show of an ended game: a serialized GameInfo without names of people."""
    seats: Mapping[int, str] = field(default_factory=dict)
    """Seats that change hands, and the player's id from now on; empty: nobody's."""


@dataclass(frozen=True, slots=True)
class Secret:
    """What decides all chance of a game; stored apart from everything that is listed."""

    seed: bytes
    salt: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class NewGame:
    """What is known of a game from its creation on and never changes."""

    created_ms: int
    rules_version: str
    content_hash: str
    config: bytes
    commitment: bytes
    """What `Secret` must fit: `rules.chance.commitment(seed, salt)`, as bytes."""
    creator: str = ""
    """The player's id of its creator."""
    listed: bool = True
    seats: int = 0
    rivers: bool = False
    solo: bool = False
    title: str = ""
    tags: tuple[str, ...] = ()
    tournament_id: str = ""


class Request(NamedTuple):
    """A request that an append answers. Its id is an idempotency key: a retry gets this answer."""

    caller: bytes
    """Who asked: the hash of a client, or what distinguishes the callers of one game."""
    request_id: str
    digest: bytes
    """Of what was asked, so that an id that is used for something else is noticed."""
    answer: bytes


class FirstAnswer(NamedTuple):
    """What a request was answered the first time."""

    game_id: str
    seq: int
    """The head of the log after it."""
    digest: bytes
    answer: bytes


class Creation(NamedTuple):
    """What comes with the first append of a game."""

    game: NewGame
    secret: Secret
    pack: bytes
    """The content pack; stored once, by its hash."""
    most_unfinished: int | None = None
    """So many unfinished games may its creator have, with this one; None: any number."""


# --- for stores that several nodes share ---


STALE_MS: Final = 5_000  # a node that was silent for so long counts as dead from then on


class Deadline(NamedTuple):
    """When something happens in a game although nobody answers, and who has put its question."""

    wait_ms: int | None
    """From now, by the store's clock, to the earliest timer of the game; None: it has none."""
    node: str = ""
    """The node that has delivered the pending question; empty: none has."""
    thought_ms: int = 0
    """For how long the question has been thought about until now."""


class Delivery(NamedTuple):
    """A question was delivered, or its timer changed, without an entry of the log."""

    game_id: str
    seq: int
    """Where the log ends; nothing is noted when it ends elsewhere."""
    deadline: Deadline


class Pulse(NamedTuple):
    """What the heartbeat of a node is answered."""

    time_ms: int
    """The store's calendar."""
    nodes: Mapping[str, int]
    """For how many milliseconds each node has not been heard of; the one that asks: 0."""


class Wake(NamedTuple):
    """What a node tells the others after a commit. It may be lost."""

    heads: Mapping[str, int] = MappingProxyType({})
    """Where logs end now."""
    clients: Mapping[str, tuple[bytes, ...]] = MappingProxyType({})
    """By game: who is asked now, or has got or lost a seat, as the hashes of their secrets."""
    bots: Mapping[str, str] = MappingProxyType({})
    """Games with open seats for bots, and the name of one that is wanted."""


# As LogEntry: one for each choice.
class Append:
    """What one round adds to one game, in one piece or not at all."""

    __slots__ = (
        "creation",
        "deadline",
        "entries",
        "expected_seq",
        "game_id",
        "marks",
        "overdue",
        "players",
        "previous",
        "private",
        "request",
    )

    def __init__(
        self,
        game_id: str,
        expected_seq: int,
        entries: Sequence[LogEntry],
        request: Request | None = None,
        marks: Marks | None = None,
        players: Sequence[Player] = (),
        private: Mapping[int, bytes] | None = None,
        creation: Creation | None = None,
        previous: bytes | None = None,
    ) -> None:
        """Without entries it stores the answer to a request that changed nothing.

        `private` is what must not be in the log, by the number of its entry: it is stored with
        the secrets. `previous` is the hash of the entry before: in a database that may have lost
        what it had, an append to another entry is a ``Conflict``.
        """
        self.game_id = game_id
        self.expected_seq = expected_seq
        self.entries = entries
        self.request = request
        self.marks = marks
        self.players = players
        self.private = private
        self.creation = creation
        self.previous = previous
        self.deadline: Deadline | None = None
        """For a store that nodes share: the game's timers from now on; None: as they were."""
        self.overdue = False
        """For a store that nodes share: a ``Conflict`` unless the game's deadline has passed."""


class Uptime(NamedTuple):
    """A time in which there was a server, by its heartbeats; calendar time."""

    since_ms: int
    until_ms: int


class Head(NamedTuple):
    """Where a log ends."""

    seq: int
    chain: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Header(NewGame):
    """A game without its log: what it was created with and where it stands."""

    game_id: str
    seq: int
    """The number of the last entry."""
    status: Status
    started_ms: int | None
    ended_ms: int | None
    open_seats: int
    sealed: bool
    summary: bytes
    players: Mapping[int, Player]
    """Who holds which seat."""
    creator_client: bytes
    """The hash of the creator's client secret."""
    damaged: bool
    """Whether this is not what was written: the game can be shown, not continued."""
    # Where nodes share the store: as the last `Deadline` says.
    deadline_ms: int | None = None
    node: str = ""
    delivered_ms: int | None = None
    """The calendar when the question was delivered, less what was thought about it before."""

    @property
    def holders(self) -> dict[int, bytes]:
        """Seats and the hash of the client who holds each."""
        return {seat: player.client for seat, player in self.players.items()}


@dataclass(frozen=True, slots=True)
class GameRecord:
    """All that a store has of a game but its entries."""

    header: Header
    secret: Secret
    people: Mapping[str, Player]
    """By their ids: everybody whom the log names, also those who have left."""
    private: Mapping[int, bytes]
    """By the number of their entry."""


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
