"""A store with many games in the middle of play, as a busy server would leave it behind."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

from endless_winter.content import load_pack
from endless_winter.service.hall import Hall
from endless_winter.service.identity import Caller, holder_of
from endless_winter.service.settings import Settings
from endless_winter.service.timekeeper import Timekeeper
from endless_winter.store import Entry, Marks, NewGame, SqliteStore
from endless_winter.v1 import config_pb2, decision_pb2, game_service_pb2

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.service.session import Session
    from endless_winter.store import Secret

PLAYED = 16  # so many games are really played; the others repeat their logs
_SPREAD = 7919


def names(games: int) -> list[str]:
    """The ids of the prepared games."""
    return [f"b{number}" for number in range(games)]


async def _play(hall: Hall, caller: Caller, seats: int, decisions: int, number: int) -> Session:
    """One game by the server's own hand, so that its log is what a server writes."""
    kinds = [config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)] * seats
    request = game_service_pb2.CreateGameRequest(
        config=config_pb2.GameConfig(seats=kinds), seed=number.to_bytes(32, "big")
    )
    session, _ = await hall.create(caller, request)
    for seat in range(seats):
        await session.take_seat(seat, caller.holder, f"seat {seat}")
    for seat in range(seats):
        await session.ready(seat, "")
    for _ in range(decisions):
        table = session.table
        if table.deciding_seat < 0 or table.game is None:
            break
        option = (table.decision_id * _SPREAD + number) % len(table.game.options())
        answer = decision_pb2.Answer(decision_id=table.decision_id, option_id=option)
        await session.answer(table.deciding_seat, "", answer, hall.time.now_ms())
    return session


async def _log(store: SqliteStore, game_id: str) -> tuple[NewGame, Secret, list[Entry]]:
    """A game as it would be created if all of it had happened at once."""
    header = await store.get_game(game_id)
    secret = await store.get_secret(game_id)
    assert header is not None
    assert secret is not None
    new = NewGame(**{field.name: getattr(header, field.name) for field in fields(NewGame)})
    entries = [
        Entry(e.kind, e.at_ms, e.payload, e.private, e.events, e.position_hash)
        for e in await store.read(game_id, 0, 1 << 20)
    ]
    marks = Marks(
        status=header.status,
        started_ms=header.started_ms,
        open_seats=header.open_seats,
        holders=dict(header.holders),
    )
    return new, secret, [entries[0]._replace(marks=marks), *entries[1:]]


async def prepare(path: Path, *, games: int, seats: int, decisions: int, secret: str) -> None:
    """Fill a new store with games of `seats` seats, all held by one client."""
    caller = Caller(holder_of(secret), operator=False)
    async with await SqliteStore.open(path, synchronous="off") as store:
        hall = Hall(store, load_pack(), time=Timekeeper(), settings=Settings())
        logs = []
        for number in range(min(PLAYED, games)):
            session = await _play(hall, caller, seats, decisions, number)
            logs.append(await _log(store, session.table.game_id))
        hall.close()
        for number, name in enumerate(names(games)):
            new, seed, entries = logs[number % len(logs)]
            await store.create_game(replace(new, game_id=name), seed, entries)
