"""What a store must answer, in plain dictionaries: the model of the conformance suite."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from endless_winter.store.errors import Conflict, GameExists, NoSuchGame, Repeated
from endless_winter.store.records import (
    NO_CHAIN,
    UNFINISHED,
    Append,
    Creation,
    FirstAnswer,
    GameRecord,
    Head,
    Header,
    LogEntry,
    Marks,
    NewGame,
    Player,
    Query,
    Status,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endless_winter.store.errors import StoreError


@dataclass
class Game:
    """One game."""

    number: int
    creation: Creation
    log: list[LogEntry] = field(default_factory=list)
    marks: dict[str, Any] = field(default_factory=dict)
    seats: dict[int, str] = field(default_factory=dict)
    people: dict[str, Player] = field(default_factory=dict)
    private: dict[int, bytes] = field(default_factory=dict)
    requests: dict[tuple[bytes, str], FirstAnswer] = field(default_factory=dict)

    @property
    def head(self) -> Head:
        return Head(len(self.log), self.log[-1].chain if self.log else NO_CHAIN)

    def mark(self, marks: Marks) -> None:
        for one in fields(Marks):
            value = getattr(marks, one.name)
            if one.name != "seats" and value is not None:
                self.marks[one.name] = value
        for seat, player in marks.seats.items():
            self.seats[seat] = player
            if not player:
                del self.seats[seat]

    def header(self, game_id: str) -> Header:
        new = {one.name: getattr(self.creation.game, one.name) for one in fields(NewGame)}
        start: dict[str, Any] = {"status": Status.OPEN, "started_ms": None, "ended_ms": None}
        start |= {"open_seats": 0, "sealed": False, "summary": b""}
        return Header(
            **(new | start | self.marks | {"tags": tuple(sorted(set(new["tags"])))}),
            game_id=game_id,
            seq=len(self.log),
            players={seat: self.people[player] for seat, player in sorted(self.seats.items())},
            creator_client=self.people[new["creator"]].client,
            damaged=False,
        )

    def record(self, game_id: str) -> GameRecord:
        return GameRecord(self.header(game_id), self.creation.secret, self.people, self.private)


class Model:
    """All of it."""

    def __init__(self) -> None:
        self.games: dict[str, Game] = {}
        self.creations: dict[tuple[bytes, str], FirstAnswer] = {}
        self.packs: dict[str, bytes] = {}
        self.uptimes: dict[int, int] = {}
        self.created = 0

    def commit(self, appends: Sequence[Append]) -> list[StoreError | None]:
        return [self._append(append) for append in appends]

    def _append(self, append: Append) -> StoreError | None:
        game_id, creation, asked = append.game_id, append.creation, append.request
        game = self.games.get(game_id)
        if game is None and creation is None:
            return NoSuchGame(game_id)
        requests = self.creations if game is None or creation else game.requests
        if asked and (first := requests.get((asked.caller, asked.request_id))):
            return Repeated(asked.request_id, first)
        if game and creation:
            return GameExists(game_id)
        actual = len(game.log) if game else 0
        if actual != append.expected_seq:
            return Conflict(game_id, append.expected_seq, actual)
        if creation:
            self.created += 1
            game = self.games[game_id] = Game(self.created, creation)
            self.packs.setdefault(creation.game.content_hash, creation.pack)
        assert game is not None
        game.log += append.entries
        game.people |= {player.player_id: player for player in append.players}
        game.private |= append.private or {}
        if append.marks:
            game.mark(append.marks)
        if asked:
            first = FirstAnswer(game_id, len(game.log), asked.digest, asked.answer)
            requests[asked.caller, asked.request_id] = first
        return None

    def remove(self, game_ids: Sequence[str]) -> None:
        for game_id in game_ids:
            self.games.pop(game_id, None)
        left = {key: one for key, one in self.creations.items() if one.game_id in self.games}
        self.creations = left

    def erase(self, client: bytes) -> int:
        count = 0
        for game in self.games.values():
            known = [one.player_id for one in game.people.values() if one.client == client]
            game.people |= {player_id: Player(player_id, b"", "") for player_id in known}
            count += bool(known)
            gone = (client, *(player_id.encode() for player_id in known))
            for key in [key for key in game.requests if key[0].endswith(gone)]:
                del game.requests[key]
        for key in [key for key in self.creations if key[0].endswith(client)]:
            del self.creations[key]
        return count

    def listed(self, query: Query) -> list[Header]:
        """Newest first."""
        found = [
            ((game.creation.game.created_ms, game.number), game.header(game_id))
            for game_id, game in self.games.items()
        ]
        newest = sorted(found, key=lambda one: one[0], reverse=True)
        return [header for _, header in newest if _is_asked_for(header, query)]


def _is_asked_for(game: Header, query: Query) -> bool:
    clients = {game.creator_client, *game.holders.values()} - {b""}
    mine = query.client in clients
    status = game.status
    other = query.rules_version not in {"", game.rules_version}
    if status in UNFINISHED and (other or game.game_id in query.suspended):
        status = Status.SUSPENDED
    unwanted = [
        query.mine and not mine,
        not (game.listed or mine or query.everything),
        query.statuses and status not in query.statuses,
        query.joinable and (status != Status.OPEN or not game.open_seats),
        query.tag and query.tag not in game.tags,
        query.tournament_id and query.tournament_id != game.tournament_id,
        query.seats and query.seats != game.seats,
        query.rivers is not None and query.rivers != game.rivers,
        query.solo is not None and query.solo != game.solo,
        query.created_from_ms is not None and query.created_from_ms > game.created_ms,
    ]
    return not any(unwanted)
