"""A game as a record: the file that an export writes, made of its log and nothing else."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from endless_winter.engine.events import with_names
from endless_winter.engine.table import ENDED, NOMAD_NAME, OPEN, RUNNING, STARTING
from endless_winter.rules.chance import verify
from endless_winter.v1 import config_pb2, game_pb2, replay_pb2, result_pb2

if TYPE_CHECKING:
    from collections.abc import Iterable

    from endless_winter.store.records import GameRecord, LogEntry


def head_of(
    game_id: str,
    entries: Iterable[replay_pb2.LogEntry],
    *,
    tournament_id: str = "",
    reveal: result_pb2.SeedReveal | None = None,
) -> game_pb2.GameInfo:
    """What a log says of its game as a whole; needs neither the rules nor the content of it."""
    head = game_pb2.GameInfo(
        game_id=game_id,
        status=OPEN,
        tournament_id=tournament_id,
        seed_reveal=reveal,
    )
    for entry in entries:
        head.seq = entry.seq
        _fold(head, entry)
        for event in entry.events:
            if event.public_event.HasField("round_started"):
                head.round = event.public_event.round_started.round
    return head


def _fold(head: game_pb2.GameInfo, entry: replay_pb2.LogEntry) -> None:
    kind = entry.WhichOneof("entry")
    if kind == "created":
        created = entry.created
        head.config.CopyFrom(created.config)
        head.rules_version = created.rules_version
        head.content_hash = created.content_hash
        head.seed_commitment = created.seed_commitment
        head.seed_from_creator = created.seed_from_creator
        head.created_unix_ms = entry.time_unix_ms
        del head.seats[:]
        for number, seat in enumerate(created.config.seats):
            served = seat.kind == config_pb2.SEAT_KIND_NOMAD
            head.seats.add(
                seat=number,
                kind=seat.kind or config_pb2.SEAT_KIND_OPEN,
                taken=served,
                ready=served,
                display_name=NOMAD_NAME if served else "",
            )
    elif kind == "seat":
        logged = entry.seat.seat
        known = _seat(head, logged.seat)
        known.taken = logged.taken
        known.player_id = logged.player_id
        known.display_name = logged.display_name
        known.handed_to_bot = logged.handed_to_bot
        known.ready = known.ready and logged.taken
        if head.status in (OPEN, STARTING):
            full = all(seat.taken for seat in head.seats)
            head.status = STARTING if full else OPEN
    elif kind == "ready":
        _seat(head, entry.ready.seat).ready = True
    elif kind == "forfeit":
        _seat(head, entry.forfeit.seat).forfeited = entry.forfeit.reason
    elif kind == "started":
        head.status = RUNNING
        head.round = 1  # the set-up is part of it, and no event begins it before
        head.started_unix_ms = entry.time_unix_ms
    elif kind == "ended":
        head.status = ENDED
        head.ended_unix_ms = entry.time_unix_ms
        head.result.CopyFrom(entry.ended.result)


def _seat(head: game_pb2.GameInfo, number: int) -> game_pb2.SeatInfo:
    """A seat; of a log that names one that does not exist, one that is thrown away."""
    return head.seats[number] if number < len(head.seats) else game_pb2.SeatInfo()


def entries_of(record: GameRecord, logged: Iterable[LogEntry]) -> list[replay_pb2.LogEntry]:
    """The entries as messages, with the names of players."""
    return [
        with_names(replay_pb2.LogEntry.FromString(entry.payload), record.people) for entry in logged
    ]


def secret_fits(record: GameRecord) -> bool:
    """Whether seed and salt are those of the commitment: others would prove nothing."""
    secret = record.secret
    return verify(record.header.commitment.hex(), secret.seed, secret.salt)


def record_of(
    record: GameRecord, logged: Iterable[LogEntry], contract_revision: int
) -> replay_pb2.ReplayFile:
    """The whole record of a game whose seal is open and whose secret fits.

    The caller has seen to both.
    """
    entries = entries_of(record, logged)
    file = replay_pb2.ReplayFile(
        contract_revision=contract_revision,
        game=head_of(
            record.header.game_id,
            entries,
            tournament_id=record.header.tournament_id,
            reveal=result_pb2.SeedReveal(seed=record.secret.seed, salt=record.secret.salt),
        ),
        entries=entries,
    )
    file.file_hash = file_hash(file)
    return file


def file_hash(file: replay_pb2.ReplayFile) -> bytes:
    """A hash of all that a file says but the hash itself."""
    plain = replay_pb2.ReplayFile()
    plain.CopyFrom(file)
    plain.ClearField("file_hash")
    body = plain.SerializeToString(deterministic=True)
    return blake2b(body, digest_size=32, person=b"ew-replay-1").digest()
