"""A server's insides without a network: tables, drafts, and a clock that the test turns."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from endless_winter.content import load_pack
from endless_winter.service import proposals
from endless_winter.service.hall import Hall
from endless_winter.service.identity import Caller, holder_of
from endless_winter.service.proposals import Draft
from endless_winter.service.settings import Settings
from endless_winter.service.table import Seat, Table
from endless_winter.service.timekeeper import Timekeeper
from endless_winter.store import SqliteStore
from endless_winter.v1 import (
    config_pb2,
    decision_pb2,
    event_pb2,
    game_service_pb2,
    play_service_pb2,
)
from endless_winter.views.config import config_of
from tests.service.player import secret

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection
    from pathlib import Path

    from endless_winter.content import Pack
    from endless_winter.service.session import Session

PACK = load_pack()
NOW = 1_000_000
PLAYER = event_pb2.CHOICE_ORIGIN_PLAYER


def parts_of(thing: object) -> dict[str, object]:
    """Everything that can be asked of plain data of the service, to be compared."""
    found: dict[str, object] = {}
    for name in dir(thing):
        part = getattr(thing, name)
        if not (name.startswith("_") or callable(part)):
            ours = type(part).__module__.startswith("endless_winter.service")
            found[name] = parts_of(part) if ours else part
    return found


def config(seats: int = 2, **more: Any) -> config_pb2.GameConfig:
    kinds = [config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)] * seats
    return config_pb2.GameConfig(seats=kinds, **more)


def new_table(seats: int = 2, seed: bytes = bytes(32), **more: Any) -> Table:
    """A table to which nothing has happened."""
    wanted = config(seats, **more)
    rules = config_of(wanted, PACK)
    return Table(
        "game", wanted, rules, "1", seed, [Seat(config_pb2.SEAT_KIND_OPEN) for _ in range(seats)]
    )


def holder(seat: int) -> bytes:
    return bytes([seat + 1]) * 32


def created(seats: int = 2, **more: Any) -> Draft:
    draft = Draft.of(new_table(seats, **more), NOW)
    proposals.create(draft, rules_version="1", content_hash="", commitment=b"")
    return draft


def started(seats: int = 2, **more: Any) -> Draft:
    """A draft of a game that has just begun; its steps are its whole log."""
    draft = created(seats, **more)
    for seat in range(seats):
        proposals.take_seat(draft, seat, holder(seat), f"player {seat}")
    for seat in range(seats):
        proposals.ready(draft, seat)
    return draft


def replayed(draft: Draft, **more: Any) -> Table:
    """The log of a draft, folded anew."""
    table = new_table(len(draft.table.seats), **more)
    for step in draft.steps:
        table.apply(step.entry, step.private)
    return table


class FakeTime(Timekeeper):
    """A clock that stands until the test moves it."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0
        self.late = 0
        self.paused = 0
        self.delay = 0
        self.queue = 0  # what whoever plays by unary calls has waited before being read
        self.apart: set[asyncio.Task[Any]] = set()  # tasks that wait for what the test does later
        self._timers: list[FakeTimer] = []
        self._numbers = itertools.count()

    def now_ms(self) -> int:
        return self.now

    def unix_ms(self, at_ms: int | None = None) -> int:
        return NOW + (self.now if at_ms is None else at_ms)

    def late_ms(self) -> int:
        return self.late + super().late_ms()  # with what was halted; the heartbeat is not running

    def paused_ms(self) -> int:
        return self.paused + super().paused_ms()

    def delay_ms(self) -> int:
        return self.delay

    def queue_ms(self) -> int:
        return self.queue

    def call_later(self, delay_ms: int, call: Callable[[int], None], argument: int) -> FakeTimer:
        timer = FakeTimer(self.now + delay_ms, next(self._numbers), call, argument)
        self._timers.append(timer)
        return timer

    async def advance(self, by_ms: int, *, stalled: bool = False, late: int = 0) -> None:
        """Let time pass, ringing on the way; `stalled`: the server slept through it.

        `late`: it was busy, and so many of the milliseconds its loop came late.
        """
        until = self.now + by_ms
        self.late += late
        if stalled:
            self.late += by_ms
            self.paused += by_ms
            self.now = until
        while True:
            due = [timer for timer in self._timers if timer.at_ms <= until and not timer.off]
            if not due:
                break
            first = min(due, key=lambda timer: (timer.at_ms, timer.number))
            self._timers.remove(first)
            self.now = max(self.now, first.at_ms)
            first.call(first.argument)
            await settled(self.apart)
        self.now = until
        await settled(self.apart)


class FakeTimer:
    def __init__(self, at_ms: int, number: int, call: Callable[[int], None], argument: int) -> None:
        self.at_ms = at_ms
        self.number = number
        self.call = call
        self.argument = argument
        self.off = False

    def cancel(self) -> None:
        self.off = True


async def settled(apart: Collection[asyncio.Task[Any]] = ()) -> None:
    """Wait until nothing but this task wants to run: the store's thread has answered too."""
    me = asyncio.current_task()
    while others := [task for task in asyncio.all_tasks() if task is not me and task not in apart]:
        await asyncio.wait(others)


def caller(name: str) -> Caller:
    return Caller(holder_of(secret(name)[0][1]), operator=False)


class Context:
    """What a servicer asks of a call that is not refused."""

    def __init__(self, name: str, *more: tuple[str, str]) -> None:
        """`more` is metadata beside the secret of that name."""
        self._metadata = (*secret(name), *more)

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return self._metadata

    def peer(self) -> str:
        return "ipv4:10.0.0.1:5678"

    async def abort_with_status(self, status: Any) -> None:
        raise AssertionError(f"refused: {status.details}")


class Desk:
    """A hall on a store in a folder, with a clock of our own."""

    def __init__(self, hall: Hall, time: FakeTime) -> None:
        self.hall = hall
        self.time = time

    async def seated(self, seats: int = 2, **more: Any) -> Session:
        """A game whose seats are taken and that waits for Ready."""
        request = game_service_pb2.CreateGameRequest(config=config(seats, **more), seed=bytes(32))
        session, _ = await self.hall.create(caller("host"), request)
        for seat in range(seats):
            await session.take_seat(seat, caller(f"player {seat}").holder, f"player {seat}")
        return session

    async def running(self, seats: int = 2, **more: Any) -> Session:
        session = await self.seated(seats, **more)
        for seat in range(seats):
            await session.ready(seat, "")
        return session

    async def answer(
        self, session: Session, request_id: str = "", **choice: Any
    ) -> play_service_pb2.Accepted:
        """The seat that is asked answers; the default if nothing else is said."""
        table = session.table
        wanted = choice or {"take_default": True}
        answer = decision_pb2.Answer(decision_id=table.decision_id, **wanted)
        accepted = await session.answer(table.deciding_seat, request_id, answer, self.time.now)
        return play_service_pb2.Accepted.FromString(accepted)


@asynccontextmanager
async def desk(folder: Path, pack: Pack = PACK, **settings: Any) -> AsyncIterator[Desk]:
    store = await SqliteStore.open(folder / "games.db", synchronous="off")
    async with store:
        time = FakeTime()
        hall = Hall(store, pack, time=time, settings=Settings(**settings))
        yield Desk(hall, time)
        hall.close()
