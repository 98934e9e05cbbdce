"""Logs of games played without a server, by the same proposals that a session makes."""

from __future__ import annotations

import random
from dataclasses import fields
from typing import TYPE_CHECKING, NamedTuple

from google.rpc import error_details_pb2
from grpc_status import rpc_status

from endless_winter.content import load_pack
from endless_winter.rules import RULES_VERSION
from endless_winter.rules.chance import commitment
from endless_winter.service import proposals
from endless_winter.service.choice import Timing
from endless_winter.service.proposals import Draft
from endless_winter.service.record import record_of
from endless_winter.service.rewind import new_table
from endless_winter.service.table import ENDED, RUNNING
from endless_winter.service.telling import tell
from endless_winter.service.versions import CONTRACT_REVISION
from endless_winter.store import (
    Entry,
    Header,
    Logged,
    Marks,
    NewGame,
    Secret,
    SqliteStore,
    Status,
)
from endless_winter.v1 import clock_pb2, config_pb2, decision_pb2, event_pb2, result_pb2
from endless_winter.views import Words, config_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import grpc

    from endless_winter.service.proposals import Step
    from endless_winter.service.table import Table
    from endless_winter.service.telling import Telling
    from endless_winter.store import Store
    from endless_winter.v1 import replay_pb2

PACK = load_pack()
WORDS = Words(PACK)
SALT = bytes(range(32))
START_MS = 1_700_000_000_000

BANKS = clock_pb2.TimeControl(bank_ms=600_000, increment_per_turn_ms=1000, timeouts_to_forfeit=2)
MODULES = config_pb2.ModuleConfig(glacier_tokens=True, rest_tokens=True)
DRAFT = config_pb2.SETUP_VARIANT_CHIEF_AND_SETUP_DRAFT


class Log(NamedTuple):
    """A game's log and what belongs to it."""

    table: Table
    steps: list[Step]
    secret: Secret

    @property
    def entries(self) -> list[replay_pb2.LogEntry]:
        return [step.entry for step in self.steps]

    def record(self) -> replay_pb2.ReplayFile:
        """What an export of it gives."""
        return record_of(self.header(), self.secret, self.logged(), CONTRACT_REVISION)

    def logged(self) -> list[Logged]:
        return [
            Logged(
                step.entry.seq,
                step.entry.WhichOneof("entry") or "",
                step.entry.time_unix_ms,
                step.entry.SerializeToString(),
                step.private,
                b"",
                step.entry.position_hash,
            )
            for step in self.steps
        ]

    def header(self) -> Header:
        table = self.table
        return Header(
            game_id=table.game_id,
            created_ms=table.created_ms,
            rules_version=table.rules_version,
            content_hash=PACK.digest,
            config=table.config.SerializeToString(),
            commitment=bytes.fromhex(commitment(self.secret.seed, self.secret.salt)),
            seats=len(table.seats),
            last_seq=table.seq,
            status=Status(table.status),
            started_ms=table.started_ms or None,
            ended_ms=table.ended_ms or None,
            open_seats=0,
            sealed=False,
            summary=b"",
            holders={number: seat.holder for number, seat in enumerate(table.seats)},
        )


class Playing:
    """A game under way; every method is what a session would do."""

    def __init__(
        self,
        number: int = 0,
        seats: int = 2,
        holders: tuple[bytes, ...] = (),
        kinds: Sequence[config_pb2.SeatKind.ValueType] = (),
        **config: object,
    ) -> None:
        self.choices = random.Random(f"log:{number}")
        self.secret = Secret(self.choices.randbytes(32), SALT)
        wanted = config_pb2.GameConfig(
            seats=[
                config_pb2.SeatConfig(kind=kind)
                for kind in kinds or [config_pb2.SEAT_KIND_OPEN] * seats
            ],
            **config,  # type: ignore[arg-type] # the fields of a configuration
        )
        rules = config_of(wanted, PACK)
        self.draft = Draft(new_table(f"game-{number}", wanted, rules, self.secret.seed), START_MS)
        self.draft.tell = self._tell
        envelope = bytes.fromhex(commitment(self.secret.seed, SALT))
        proposals.create(
            self.draft,
            rules_version=str(RULES_VERSION),
            content_hash=PACK.digest,
            commitment=envelope,
        )
        taken = [seat for seat, known in enumerate(self.table.seats) if not known.served]
        for seat in taken:
            holder = holders[seat] if holders else bytes([seat + 1]) * 32
            proposals.take_seat(self.draft, seat, holder, f"player {seat}")
        for seat in taken:
            proposals.ready(self.draft, seat)

    def _tell(self, step: Step, table: Table) -> Telling:
        reveal = None
        if table.status == ENDED and (table.released or not table.config.hold_reveal):
            reveal = result_pb2.SeedReveal(seed=self.secret.seed, salt=SALT)
        told = tell(step, table, WORDS, reveal)
        step.entry.events.extend(told.omniscient())
        return told

    @property
    def table(self) -> Table:
        return self.draft.table

    def choose(self, option_id: int | None = None) -> None:
        game = self.table.game
        assert game is not None
        if option_id is None:
            option_id = self.choices.randrange(len(game.options()))
        spent = self.choices.randrange(50)
        self.draft.now_ms += spent
        proposals.choose(
            self.draft,
            self.table.deciding_seat,
            option_id,
            origin=event_pb2.CHOICE_ORIGIN_PLAYER,
            charged=Timing(spent),
            request_id=f"r{self.table.seq}",
        )
        proposals.settle(self.draft)

    def play(self, most: int = 10_000) -> Playing:
        while most and self.table.status == RUNNING:
            self.choose()
            most -= 1
        return self

    def log(self) -> Log:
        return Log(self.table, self.draft.steps, self.secret)


def eventful(number: int = 0) -> Log:
    """A whole game in which everything happens that a log can tell."""
    playing = Playing(
        number, 3, time_control=BANKS, modules=MODULES, undo_allowed=True, setup_variant=DRAFT
    )
    playing.play(60)
    while not playing.table.can_undo(playing.table.deciding_seat):
        playing.choose()
    proposals.undo(playing.draft, playing.table.deciding_seat)
    kind = decision_pb2.StandingAnswer(kind=decision_pb2.DECISION_KIND_ECLIPSE_PILE)
    proposals.set_standing(playing.draft, 0, [kind])
    playing.play(60)
    proposals.restart(playing.draft, "0.0")
    for _ in range(2):
        late = playing.table.deciding_seat
        proposals.expire(playing.draft, 700_000, 2)
        while playing.table.status == RUNNING and playing.table.deciding_seat != late:
            playing.choose()
            if playing.table.seats[late].forfeited:
                break
    return playing.play().log()


async def keep(
    store: Store, log: Log, *, rules_version: str = str(RULES_VERSION), creator: bytes = b""
) -> None:
    """Put a log into a store, as a server would have."""
    header = log.header()
    entries = [
        Entry(
            kind=logged.kind,
            at_ms=logged.at_ms,
            payload=logged.payload,
            private=logged.private,
            position_hash=logged.position_hash,
        )
        for logged in log.logged()
    ]
    holders = {number: seat.holder for number, seat in enumerate(log.table.seats)}
    entries[-1] = entries[-1]._replace(
        marks=Marks(
            status=header.status,
            started_ms=header.started_ms,
            ended_ms=header.ended_ms,
            sealed=log.table.config.hold_reveal,
            holders=holders,
        ),
    )
    names = {field.name for field in fields(NewGame)}
    new = {name: getattr(header, name) for name in names} | {"rules_version": rules_version}
    new["creator"] = creator
    await store.put_pack(PACK.digest, PACK.canonical)
    await store.create_game(NewGame(**new), log.secret, entries)


async def kept_in(path: Path, *logs: Log) -> None:
    """The same in a store file of its own."""
    async with await SqliteStore.open(path, synchronous="off") as store:
        for log in logs:
            await keep(store, log)


def reason(error: grpc.aio.AioRpcError) -> str:
    """The contract's reason of a refused call."""
    status = rpc_status.from_call(error)  # type: ignore[arg-type] # it has what is asked of it
    assert status is not None, error
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    return info.reason
