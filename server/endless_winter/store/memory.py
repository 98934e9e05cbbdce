"""A store in memory: for tests of the engine, and for simulations."""

from __future__ import annotations

import threading
from dataclasses import fields, replace
from typing import TYPE_CHECKING

from endless_winter.store.errors import (
    Conflict,
    GameExists,
    NoSuchGame,
    Repeated,
    StoreClosed,
    StoreError,
)
from endless_winter.store.pages import page_of, read_token
from endless_winter.store.records import (
    NO_CHAIN,
    UNFINISHED,
    FirstAnswer,
    GameRecord,
    Head,
    Header,
    NewGame,
    Player,
    Status,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from endless_winter.store.records import Append, Creation, LogEntry, Marks, Page, Query


class _Game:
    """What there is of one game."""

    def __init__(self, key: int, game_id: str, creation: Creation) -> None:
        self.key = key
        self.secret = creation.secret
        self.entries: list[LogEntry] = []
        self.requests: dict[tuple[bytes, str], FirstAnswer] = {}
        self.people: dict[str, Player] = {}
        self.seats: dict[int, str] = {}
        self.private: dict[int, bytes] = {}
        new = {field.name: getattr(creation.game, field.name) for field in fields(NewGame)}
        self.header = Header(
            **(new | {"tags": tuple(sorted(set(creation.game.tags)))}),
            game_id=game_id,
            seq=0,
            status=Status.OPEN,
            started_ms=None,
            ended_ms=None,
            open_seats=0,
            sealed=False,
            summary=b"",
            players={},
            creator_client=b"",
        )

    def move(self, marks: Marks) -> None:
        names = ("status", "started_ms", "ended_ms", "open_seats", "sealed", "summary")
        found = {name: getattr(marks, name) for name in names}
        changes = {name: value for name, value in found.items() if value is not None}
        self.header = replace(self.header, **changes)
        seats = self.seats | dict(marks.seats)
        self.seats = {seat: player for seat, player in sorted(seats.items()) if player}

    def shown(self) -> Header:
        return replace(
            self.header,
            seq=len(self.entries),
            players={
                seat: self.people.get(player, Player(player, b""))
                for seat, player in self.seats.items()
            },
            creator_client=self.people.get(self.header.creator, Player("", b"")).client,
        )


class MemoryStore:
    """See ``Store``. What is committed lasts as long as the object, whatever fails.

    Faults are injected by functions that raise a ``StoreError``: `before` and `after` are called
    with each round, before it is committed and after it was (nobody knows of it then), and
    `recovering` by `recover`.
    """

    def __init__(self) -> None:
        self.before: Callable[[Sequence[Append]], None] | None = None
        self.after: Callable[[Sequence[Append]], None] | None = None
        self.recovering: Callable[[], None] | None = None
        self._lock = threading.RLock()
        self._games: dict[str, _Game] = {}
        self._creations: dict[tuple[bytes, str], FirstAnswer] = {}
        self._packs: dict[str, bytes] = {}
        self._uptimes: dict[int, int] = {}
        self._removals = 0
        self._next_key = 1
        self._failed = False
        self._closed = False

    def commit(self, appends: Sequence[Append]) -> list[StoreError | None]:
        self._check_open()
        if self._failed:
            raise StoreError("the last commit failed; recover comes first")
        try:
            if self.before is not None:
                self.before(appends)
            with self._lock:
                outcomes = [self._append(append) for append in appends]
            if self.after is not None:
                self.after(appends)
        except StoreError:
            self._failed = True
            raise
        return outcomes

    def _append(self, append: Append) -> StoreError | None:
        game = self._games.get(append.game_id)
        refusal = self._refusal(append, game)
        if refusal is not None:
            return refusal
        if game is None:
            game = self._create(append)
        seq = append.expected_seq
        for entry in append.entries:
            seq += 1
            if entry.seq != seq:
                raise ValueError(f"entry {entry.seq} of {append.game_id} is not number {seq}")
        game.entries += append.entries
        game.people |= {player.player_id: player for player in append.players}
        game.private |= append.private or {}
        if append.marks is not None:
            game.move(append.marks)
        if append.request is not None:
            caller, request_id, digest, answer = append.request
            requests = self._creations if append.creation else game.requests
            requests[caller, request_id] = FirstAnswer(append.game_id, seq, digest, answer)
        return None

    def _refusal(self, append: Append, game: _Game | None) -> StoreError | None:
        if game is None and append.creation is None:
            return NoSuchGame(f"there is no game {append.game_id}")
        if append.request is not None:
            scope = "" if append.creation else append.game_id
            first = self.find_request(append.request.caller, append.request.request_id, scope)
            if first is not None:
                return Repeated(append.request.request_id, first)
        if game is not None and append.creation is not None:
            return GameExists(f"there is a game {append.game_id} already")
        actual = len(game.entries) if game is not None else 0
        if actual != append.expected_seq:
            return Conflict(append.game_id, append.expected_seq, actual)
        return None

    def _create(self, append: Append) -> _Game:
        creation = append.creation
        if creation is None or not append.entries:
            raise ValueError("a game begins with an entry")
        game = self._games[append.game_id] = _Game(self._next_key, append.game_id, creation)
        self._next_key += 1
        self._packs.setdefault(creation.game.content_hash, creation.pack)
        return game

    def recover(self) -> None:
        self._check_open()
        if self.recovering is not None:
            self.recovering()
        self._failed = False

    def heads(self, game_ids: Sequence[str]) -> dict[str, Head]:
        with self._reading():
            logs = {name: self._games[name].entries for name in game_ids if name in self._games}
            return {
                name: Head(len(log), log[-1].chain if log else NO_CHAIN)
                for name, log in logs.items()
            }

    def beat(self, since_ms: int, until_ms: int) -> None:
        with self._reading():
            self._uptimes[since_ms] = max(until_ms, self._uptimes.get(since_ms, until_ms))

    def uptimes(self) -> list[tuple[int, int]]:
        with self._reading():
            return sorted(self._uptimes.items())

    def checkpoint(self) -> None:
        self._check_open()

    def checkpoint_due(self) -> bool:
        return False

    def load(self, game_id: str) -> GameRecord | None:
        with self._reading():
            game = self._games.get(game_id)
            if game is None:
                return None
            return GameRecord(game.shown(), game.secret, dict(game.people), dict(game.private))

    def read(self, game_id: str, after_seq: int = 0, limit: int = 1000) -> list[LogEntry]:
        with self._reading():
            game = self._games.get(game_id)
            return game.entries[after_seq : after_seq + limit] if game is not None else []

    def get(self, game_id: str) -> Header | None:
        with self._reading():
            game = self._games.get(game_id)
            return game.shown() if game is not None else None

    def list_games(self, query: Query, *, limit: int = 100, token: str = "") -> Page:
        with self._reading():
            before = read_token(token) if token else None
            found = [
                ((header.created_ms, game.key), header)
                for game in self._games.values()
                if _matches(query, header := game.shown())
            ]
        found.sort(key=lambda one: one[0], reverse=True)
        rest = [(at[1], header) for at, header in found if before is None or at < before]
        return page_of(rest[: max(1, limit) + 1], max(1, limit))

    def unfinished(self) -> Iterator[Header]:
        with self._reading():
            found = [(game.key, game.shown()) for game in self._games.values()]
        found.sort(key=lambda one: (one[1].created_ms, one[0]), reverse=True)
        return (header for _, header in found if header.status in UNFINISHED)

    def find_request(self, caller: bytes, request_id: str, game_id: str = "") -> FirstAnswer | None:
        with self._reading():
            game = self._games.get(game_id)
            requests = game.requests if game is not None else {}
            return (requests if game_id else self._creations).get((caller, request_id))

    def get_pack(self, content_hash: str) -> bytes | None:
        with self._reading():
            return self._packs.get(content_hash)

    def list_packs(self) -> list[str]:
        with self._reading():
            return sorted(self._packs)

    def remove(self, game_ids: Sequence[str]) -> None:
        with self._reading():
            for game_id in game_ids:
                self._games.pop(game_id, None)
            self._creations = {
                key: first for key, first in self._creations.items() if first.game_id in self._games
            }
            self._removals += 1

    def removals(self) -> int:
        with self._reading():
            return self._removals

    def erase(self, client: bytes) -> int:
        if not client:
            return 0
        count = 0
        with self._reading():
            for game in self._games.values():
                known = [one for one in game.people.values() if one.client == client]
                game.people |= {one.player_id: Player(one.player_id, b"") for one in known}
                game.requests = _without(client, game.requests)
                count += bool(known)
            self._creations = _without(client, self._creations)
        return count

    def close(self) -> None:
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosed("the store is closed")

    def _reading(self) -> threading.RLock:
        self._check_open()
        return self._lock


def _without(
    client: bytes, requests: dict[tuple[bytes, str], FirstAnswer]
) -> dict[tuple[bytes, str], FirstAnswer]:
    return {key: first for key, first in requests.items() if key[0] != client}


def _matches(query: Query, game: Header) -> bool:
    mine = bool(query.client) and query.client in {game.creator_client, *game.holders.values()}
    other_rules = bool(query.rules_version) and game.rules_version != query.rules_version
    suspended = other_rules or game.game_id in query.suspended
    status = Status.SUSPENDED if suspended and game.status in UNFINISHED else game.status
    return (
        (mine if query.mine else query.everything or game.listed or mine)
        and (not query.statuses or status in query.statuses)
        and (not query.joinable or (status is Status.OPEN and game.open_seats > 0))
        and (not query.tag or query.tag in game.tags)
        and (not query.tournament_id or query.tournament_id == game.tournament_id)
        and (not query.seats or query.seats == game.seats)
        and (query.rivers is None or query.rivers is game.rivers)
        and (query.solo is None or query.solo is game.solo)
        and (query.created_from_ms is None or game.created_ms >= query.created_from_ms)
    )
