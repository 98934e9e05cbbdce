"""What everyone who may see a game knows about it: `GameInfo`, `SeatInfo`, and the seal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.engine.table import ENDED, NOMAD_NAME, RUNNING, Table
from endless_winter.rules import RULES_VERSION
from endless_winter.v1 import game_pb2, result_pb2

if TYPE_CHECKING:
    from collections.abc import Collection

    from endless_winter.store.records import Secret


def reveal_of(table: Table, secret: Secret) -> result_pb2.SeedReveal | None:
    """Seed and salt, once the game is over and its host does not hold them back."""
    if table.status != ENDED or (table.config.hold_reveal and not table.released):
        return None
    return result_pb2.SeedReveal(seed=secret.seed, salt=secret.salt)


def game_info(
    table: Table,
    *,
    commitment: bytes,
    tournament_id: str,
    connected: Collection[int],
    ready_deadline_ms: int | None,
    reveal: result_pb2.SeedReveal | None,
) -> game_pb2.GameInfo:
    """Nothing in here depends on what is hidden; the seed only once the game reveals it."""
    seats = [
        game_pb2.SeatInfo(
            seat=number,
            kind=seat.kind,
            taken=bool(seat.player_id) or seat.served,
            display_name=NOMAD_NAME if seat.served else seat.display_name,
            ready=seat.ready or seat.served,
            connected=number in connected,
            forfeited=seat.forfeited,
            handed_to_bot=seat.handed_to_bot,
            player_id=seat.player_id,
        )
        for number, seat in enumerate(table.seats)
    ]
    playing = table.status in (RUNNING, ENDED) and table.game is not None
    return game_pb2.GameInfo(
        game_id=table.game_id,
        status=table.status,
        config=table.config,
        seats=seats,
        seq=table.seq,
        created_unix_ms=table.created_ms,
        started_unix_ms=table.started_ms or None,
        ended_unix_ms=table.ended_ms or None,
        rules_version=str(RULES_VERSION),
        content_hash=table.rules.tables.digest,
        seed_commitment=commitment,
        seed_from_creator=table.seed_from_creator,
        seed_reveal=reveal,
        result=table.result,
        ready_deadline_unix_ms=ready_deadline_ms,
        round=table.game.position.round if playing and table.game is not None else 0,
        tournament_id=tournament_id,
    )


def summary_of(info: game_pb2.GameInfo) -> bytes:
    """What the listing stores of an ended game: no names of people."""
    plain = game_pb2.GameInfo()
    plain.CopyFrom(info)
    for seat in plain.seats:
        if seat.player_id:
            seat.display_name = ""
    return plain.SerializeToString(deterministic=True)
