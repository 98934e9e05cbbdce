"""A store with many games in the middle of play, as a busy server would leave it behind."""

from __future__ import annotations

from dataclasses import fields
from time import time_ns
from typing import TYPE_CHECKING

from endless_winter.content import load_pack
from endless_winter.engine.caller import Caller
from endless_winter.engine.clocks import Now
from endless_winter.engine.commands import Answer, Asked, Command, JoinGame, Ready
from endless_winter.engine.creating import CreateGame
from endless_winter.engine.engine import NOBODY, Engine
from endless_winter.engine.packs import Kit
from endless_winter.engine.settings import Settings
from endless_winter.rules.chance import SALT_BYTES, SEED_BYTES
from endless_winter.service.identity import holder_of
from endless_winter.store.memory import MemoryStore
from endless_winter.store.records import (
    NO_CHAIN,
    Append,
    Creation,
    LogEntry,
    Marks,
    NewGame,
    chain_after,
)
from endless_winter.store.sqlite import SqliteStore
from endless_winter.v1 import config_pb2, decision_pb2, game_service_pb2

if TYPE_CHECKING:
    from pathlib import Path

PLAYED = 16  # so many games are really played; the others repeat their logs
_SPREAD = 7919
_AT_ONCE = 50  # games of one commit


def names(games: int) -> list[str]:
    """The ids of the prepared games."""
    return [f"b{number}" for number in range(games)]


class Play:
    """Games by the engine's own hand, so that their logs are what a server writes."""

    def __init__(self, client: bytes) -> None:
        self.pack = load_pack()
        self.store = MemoryStore()
        self._now = Now(0, time_ns() // 1_000_000)
        self._asked = Asked(Caller(client), NOBODY, self._now)
        self._engine = Engine(Settings(), Kit(self.pack), "", lambda: "")

    def _do(self, command: Command) -> None:
        found = self._engine.round([command], self._now)
        outcomes = self.store.commit(found.appends)
        self._engine.committed(found, outcomes, [], self._now)

    def game(self, game_id: str, seats: int, decisions: int, number: int) -> None:
        """One game; `number` decides its seed and its choices."""
        asked = self._asked
        kinds = [config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)] * seats
        create = game_service_pb2.CreateGameRequest(config=config_pb2.GameConfig(seats=kinds))
        seed = number.to_bytes(SEED_BYTES, "big")
        self._do(CreateGame(create, asked, game_id, "creator", seed, bytes(SALT_BYTES)))
        for seat in range(seats):
            join = game_service_pb2.JoinGameRequest(
                game_id=game_id, seat=seat, display_name=f"seat {seat}"
            )
            self._do(JoinGame(join, asked, f"player-{seat}"))
        for seat in range(seats):
            self._do(Ready(game_id, seat, asked, ""))
        game = self._engine.games[game_id]
        for _ in range(decisions):
            table = game.table
            if table.deciding_seat < 0 or table.game is None:
                break
            option = (table.decision_id * _SPREAD + number) % len(table.game.options())
            answer = decision_pb2.Answer(decision_id=table.decision_id, option_id=option)
            seat = table.deciding_seat
            self._do(Answer(game_id, seat, asked, "", answer))

    def repeated(self, game_id: str, name: str) -> Append:
        """A game under another name, as if all of it had happened at once."""
        record = self.store.load(game_id)
        assert record is not None
        header = record.header
        new = NewGame(**{field.name: getattr(header, field.name) for field in fields(NewGame)})
        entries, chain = [], NO_CHAIN
        for one in self.store.read(game_id, 0, 1 << 20):
            chain = chain_after(chain, name, one.seq, one.kind, one.at_ms, one.payload)
            entries.append(LogEntry(one.seq, one.kind, one.at_ms, one.payload, chain))
        marks = Marks(
            status=header.status,
            started_ms=header.started_ms,
            open_seats=header.open_seats,
            seats={seat: player.player_id for seat, player in header.players.items()},
        )
        return Append(
            name,
            0,
            entries,
            marks=marks,
            players=list(record.people.values()),
            creation=Creation(new, record.secret, self.pack.canonical),
        )


def prepare(path: Path, *, games: int, seats: int, decisions: int, secret: str) -> None:
    """Fill a new store with games of `seats` seats, all held by one client."""
    play = Play(holder_of(secret))
    ids = names(games)
    played = ids[:PLAYED]
    for number, game_id in enumerate(played):
        play.game(game_id, seats, decisions, number)
    with SqliteStore.open(path, synchronous="off") as store:
        for at in range(0, games, _AT_ONCE):
            store.commit(
                [
                    play.repeated(played[(at + number) % len(played)], name)
                    for number, name in enumerate(ids[at : at + _AT_ONCE])
                ]
            )
