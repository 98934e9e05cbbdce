"""Logs of games played by the engine without a server, to be put into stores and looked at."""

from __future__ import annotations

import random
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from google.rpc import error_details_pb2
from grpc_status import rpc_status

from endless_winter.engine.replay.record import record_of
from endless_winter.engine.stream import CONTRACT_REVISION
from endless_winter.engine.table import INVITED, RUNNING
from endless_winter.store.records import (
    NO_CHAIN,
    Append,
    Creation,
    GameRecord,
    LogEntry,
    Marks,
    NewGame,
    chain_after,
)
from endless_winter.store.sqlite import SqliteStore
from endless_winter.v1 import clock_pb2, config_pb2, decision_pb2, replay_pb2
from endless_winter.views import Words
from tests.engine.desk import PACK, Desk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import grpc

    from endless_winter.engine.table import Table
    from endless_winter.store.protocol import Store

WORDS = Words(PACK)
START_MS = 1_700_000_000_000

BANKS = clock_pb2.TimeControl(bank_ms=600_000, increment_per_turn_ms=1000, timeouts_to_forfeit=2)
MODULES = config_pb2.ModuleConfig(glacier_tokens=True, rest_tokens=True)
DRAFT = config_pb2.SETUP_VARIANT_CHIEF_AND_SETUP_DRAFT


class Log(NamedTuple):
    """A game as a store has it."""

    stored: GameRecord
    logged: list[LogEntry]

    @property
    def game_id(self) -> str:
        return self.stored.header.game_id

    @property
    def entries(self) -> list[replay_pb2.LogEntry]:
        return [replay_pb2.LogEntry.FromString(one.payload) for one in self.logged]

    def record(self) -> replay_pb2.ReplayFile:
        """What an export of it gives."""
        return record_of(self.stored, self.logged, CONTRACT_REVISION)

    def forged(self, change: Callable[[list[replay_pb2.LogEntry]], None]) -> Log:
        """The log with other entries, whose chain of hashes fits them."""
        entries = self.entries
        change(entries)
        chain, logged = NO_CHAIN, []
        for one, entry in zip(self.logged, entries, strict=True):
            payload = entry.SerializeToString()
            chain = chain_after(chain, self.game_id, one.seq, one.kind, one.at_ms, payload)
            logged.append(LogEntry(one.seq, one.kind, one.at_ms, payload, chain))
        return self._replace(logged=logged)

    def of_rules(self, version: str) -> Log:
        """The same game as if it had been played by other rules."""

        def change(entries: list[replay_pb2.LogEntry]) -> None:
            entries[0].created.rules_version = version

        header = replace(self.stored.header, rules_version=version)
        return self.forged(change)._replace(stored=replace(self.stored, header=header))


class Playing:
    """A game under way at a desk of its own."""

    def __init__(
        self,
        number: int = 0,
        seats: int = 2,
        names: Sequence[str] = (),
        kinds: Sequence[config_pb2.SeatKind.ValueType] = (),
        creator: str = "host",
        **config: Any,
    ) -> None:
        """`names` are of the clients who hold the seats, else "player 0" and so on."""
        self.choices = random.Random(f"log:{number}")
        self.desk = Desk()
        self.desk.unix_ms = START_MS
        self.game = self.desk.create(
            kinds=kinds or [config_pb2.SEAT_KIND_OPEN] * seats,
            game_id=f"game-{number}",
            seed=self.choices.randbytes(32),
            name=creator,
            operator=True,
            **config,
        )
        self.names = names or [f"player {seat}" for seat in range(len(self.table.seats))]
        taken = [seat for seat, known in enumerate(self.table.seats) if not known.served]
        for seat in taken:
            invited = self.table.seats[seat].kind in INVITED
            word = self.game.invitations.of_creation(seat) if invited else ""
            self.desk.join(self.game, seat, self.names[seat], invitation=word)
        for seat in taken:
            self.desk.ready(self.game, seat, name=self.names[seat])

    @property
    def table(self) -> Table:
        return self.game.table

    def choose(self, option_id: int | None = None) -> None:
        position = self.table.game
        assert position is not None
        if option_id is None:
            option_id = self.choices.randrange(len(position.options()))
        self.desk.advance(self.choices.randrange(50))
        name = self.names[self.table.deciding_seat]
        self.desk.answer(self.game, f"r{self.table.seq}", option_id=option_id, name=name)

    def play(self, most: int = 10_000) -> Playing:
        while most and self.table.status == RUNNING:
            self.choose()
            most -= 1
        return self

    def expire(self) -> None:
        """Let the pending decision run out of time."""
        due = self.game.due_ms(self.desk.now)
        assert due is not None
        self.desk.advance(due - self.desk.ms)

    def restart(self) -> None:
        self.desk.restart()
        self.game = self.desk.find(self.game)

    def log(self) -> Log:
        record = self.desk.store.load(self.game.game_id)
        assert record is not None
        return Log(record, self.desk.entries(self.game.game_id))


def eventful(number: int = 0) -> Log:
    """A whole game in which everything happens that a log can have."""
    playing = Playing(
        number, 3, time_control=BANKS, modules=MODULES, undo_allowed=True, setup_variant=DRAFT
    )
    playing.play(60)
    while not playing.table.can_undo(playing.table.deciding_seat):
        playing.choose()
    playing.desk.undo(playing.game, playing.table.deciding_seat)
    playing.desk.set_standing(playing.game, 0, decision_pb2.DECISION_KIND_ECLIPSE_PILE)
    playing.play(60)
    playing.restart()
    late = playing.table.deciding_seat
    while playing.table.status == RUNNING and not playing.table.seats[late].forfeited:
        if playing.table.deciding_seat == late:
            playing.expire()
        else:
            playing.choose()
    return playing.play().log()


def keep(store: Store, *logs: Log) -> None:
    """Put logs into a store, as a server would have."""
    for log in logs:
        header = log.stored.header
        new = {field.name: getattr(header, field.name) for field in fields(NewGame)}
        marks = Marks(
            status=header.status,
            started_ms=header.started_ms,
            ended_ms=header.ended_ms,
            open_seats=header.open_seats,
            sealed=header.sealed,
            summary=header.summary,
            seats={seat: player.player_id for seat, player in header.players.items()},
        )
        creation = Creation(NewGame(**new), log.stored.secret, PACK.canonical)
        append = Append(
            log.game_id,
            0,
            log.logged,
            marks=marks,
            players=list(log.stored.people.values()),
            private=log.stored.private,
            creation=creation,
        )
        assert store.commit([append]) == [None]


def stored_in(path: Path, *logs: Log) -> None:
    """The same in a store file of its own."""
    with SqliteStore.open(path, synchronous="off") as store:
        keep(store, *logs)


def reason(error: grpc.aio.AioRpcError) -> str:
    """The contract's reason of a refused call."""
    status = rpc_status.from_call(error)  # type: ignore[arg-type] # it has what is asked of it
    assert status is not None, error
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    return info.reason
