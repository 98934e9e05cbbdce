"""A store that fails: what was acknowledged is in the log, nothing is said twice, no clock runs."""

from __future__ import annotations

import asyncio
import resource
import sqlite3
import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from structlog.testing import capture_logs

from endless_winter.service.clock import RETURN_MS
from endless_winter.store.errors import StoreError
from endless_winter.store.memory import MemoryStore
from endless_winter.store.sqlite import SqliteStore
from endless_winter.v1 import clock_pb2, decision_pb2, game_pb2
from endless_winter.v1 import play_service_pb2 as p
from tests.engine.desk import Desk
from tests.service.hosting import hosted, log_lines
from tests.service.inside import HandClock, Inside, inside
from tests.service.player import Client
from tests.service.stores import AwayStore
from tests.service.wire import PATIENCE, Line, Pair, name_of, parts_of, refused

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from endless_winter.engine.game import Game
    from endless_winter.store.records import Append

CLOCK = clock_pb2.TimeControl(bank_ms=600_000, decision_limit_ms=60_000)
FIRST = {"before it is committed": "before", "after it was committed": "after"}


def failing(times: int) -> Callable[[Sequence[Append]], None]:
    """A fault of the first so many rounds."""
    left = [times]

    def fault(_: Sequence[Append]) -> None:
        if left[0]:
            left[0] -= 1
            raise StoreError("nobody knows")

    return fault


class Player:
    """The seat that is asked, on a stream."""

    def __init__(self, server: Inside, game: Game) -> None:
        self.game = server.host.engine.games[game.game_id]
        self.seat = self.game.table.deciding_seat
        self.line = Line(server.client(f"player {self.seat}"))
        self.decision_id = self.game.table.decision_id

    async def attach(self) -> None:
        await self.line.do(game_id=self.game.game_id, seat=self.seat, attach=p.Attach())
        await self.line.update()

    def answer(self, request_id: str) -> p.PlayCommand:
        chosen = decision_pb2.Answer(decision_id=self.decision_id, take_default=True)
        return p.PlayCommand(
            request_id=request_id, game_id=self.game.game_id, seat=self.seat, answer=chosen
        )

    async def choose(self, request_id: str) -> p.PlayReport:
        await self.line.send(self.answer(request_id))
        return await self.line.answer_to(request_id)


def logged(store: Any, game: Game) -> int:
    """The choices in a log."""
    return sum(entry.kind == "choice" for entry in store.read(game.game_id))


@pytest.mark.parametrize("when", FIRST)
async def test_nothing_is_sent_before_the_result_of_a_round_is_known(when: str) -> None:
    store = MemoryStore()
    desk = Desk(store)
    game = desk.running(time_control=CLOCK)
    async with inside(store) as server, asyncio.timeout(PATIENCE):
        player = Player(server, game)
        async with player.line:
            await player.attach()
            setattr(store, FIRST[when], failing(1))
            first = await player.choose("r1")
            committed = FIRST[when] == "after"
            assert first.HasField("accepted") is committed
            assert logged(store, game) == committed
            if not committed:
                assert name_of(first.rejection) == "STORE_UNAVAILABLE"
                assert first.rejection.retry_after_ms > 0
            # The retry is the same choice, whether or not it had happened.
            again = await player.choose("r1")
            assert again.HasField("accepted")
            if committed:
                assert again.accepted == first.accepted
            assert logged(store, game) == 1
            updates = [report.update.seq for report in player.line.received if report.update.seq]
            assert len(updates) == len(set(updates)), "no update came twice"
    assert store.heads([game.game_id])[game.game_id].chain == player.game.chain


async def until_refused(player: Player) -> p.PlayReport:
    """What is said to an answer that comes while the store is away."""
    report = await player.choose("r2")
    assert name_of(report.rejection) == "STORE_UNAVAILABLE"
    return report


async def test_while_the_store_is_away_commands_are_refused_and_reads_are_answered() -> None:
    memory = MemoryStore()
    desk = Desk(memory)
    game, other, unloaded = desk.running(), desk.running(), desk.create()
    over = desk.running()
    for seat in range(2):
        desk.leave(over, seat, f"player {seat}")
    store: Any = AwayStore(memory)
    async with inside(store) as server, asyncio.timeout(PATIENCE):
        eve = server.client("eve")
        for one in (game, other, over):
            await eve.view(one.game_id)
        player, second = Player(server, game), Player(server, other)
        async with player.line, second.line, Line(eve) as watching:
            await player.attach()
            await second.attach()
            store.away = True
            # The round of the first answer is not known; others do not wait for it.
            await player.line.send(player.answer("r1"))
            while not server.host.clock.halted:  # noqa: ASYNC110 # the round has begun
                await asyncio.sleep(0)
            refusal = await second.choose("r2")
            assert name_of(refusal.rejection) == "STORE_UNAVAILABLE"
            assert refusal.rejection.retry_after_ms > 0
            creation = await refused(server.client("ann").create(2))
            assert (creation.status, creation.reason) == (
                "UNAVAILABLE",
                "STORE_UNAVAILABLE",
            )
            assert int(creation.metadata["retry_after_ms"]) > 0
            attach = await watching.rejected(game_id=unloaded.game_id, attach=p.Attach())
            assert attach == "STORE_UNAVAILABLE"
            assert (await watching.do(ping=p.Ping(nonce=1))).pong.nonce == 1
            attached = await watching.do(game_id=game.game_id, attach=p.Attach())
            assert attached.HasField("attached")
            for one in (game, other, over):
                assert (await eve.view(one.game_id)).seq == one.table.seq
            asked = server.client(f"player {player.seat}")
            owing = p.ListMySeatsRequest(only_owing=True)
            mine = await asked.play.ListMySeats(owing, metadata=asked.metadata)
            assert game.game_id in {seat.game_id for seat in mine.seats}
            store.away = False
            first = await player.line.answer_to("r1")  # it was never committed
            assert name_of(first.rejection) == "STORE_UNAVAILABLE"
            for each in (player, second):
                assert (await each.choose("r3")).HasField("accepted")
            assert (await eve.view(unloaded.game_id)).status == game_pb2.GAME_STATUS_OPEN


async def until_running(clock: HandClock) -> None:
    """Until something was committed, if only that there is a server."""
    while clock.halted:  # noqa: ASYNC110 # no event says so
        await asyncio.sleep(0.01)


async def test_no_clock_runs_while_nothing_can_be_committed_nor_some_seconds_after() -> None:
    memory = MemoryStore()
    desk = Desk(memory)
    game = desk.running(time_control=CLOCK)
    store: Any = AwayStore(memory)
    clock = HandClock()
    async with inside(store, clock=clock) as server, asyncio.timeout(PATIENCE):
        player = Player(server, game)
        with capture_logs() as lines:
            async with player.line:
                await player.attach()
                clock.at += 1
                store.away = True
                await player.line.send(player.answer("r1"))
                while not clock.halted:  # noqa: ASYNC110 # no event says so
                    await asyncio.sleep(0)
                clock.at += 3600
                store.away = False
                await player.line.answer_to("r1")
                await until_running(clock)
                clock.at += RETURN_MS / 1000 - 1
                accepted = (await player.choose("r2")).accepted
                assert accepted.timing.charged_ms == 1_000
                assert not player.game.table.seats[player.seat].timeouts
                # The next question has the whole time, and after it clocks run as ever.
                clock.at += 5
                following = Player(server, game)
                async with following.line:
                    await following.attach()
                    accepted = (await following.choose("r3")).accepted
                    assert accepted.timing.charged_ms == 4_000
    words = [line["event"] for line in lines if line["log_level"] == "warning"]
    assert words == [
        "the store cannot be written, and all clocks stand still",
        "the store can be written again, and the clocks go on",
    ]


async def test_a_server_whose_store_is_away_can_be_stopped() -> None:
    memory = MemoryStore()
    desk = Desk(memory)
    game = desk.running()
    store: Any = AwayStore(memory)
    async with asyncio.timeout(PATIENCE):
        async with inside(store) as server:
            await server.client("eve").view(game.game_id)
            player = Player(server, game)
            async with player.line:
                await player.attach()
                store.away = True
                await player.line.send(player.answer("r1"))
                await until_refused(player)
    assert logged(memory, game) == 0


async def submitted(pair: Pair, seat: int, decision: decision_pb2.Decision) -> bool:
    """Choose; False: the store was not there for it."""
    number = decision.decision_id
    try:
        await pair.submit(seat, f"d{number}", decision_id=number, take_default=True)
    except grpc.aio.AioRpcError as error:
        refusal = parts_of(error)
        assert (refusal.status, refusal.reason) == ("UNAVAILABLE", "STORE_UNAVAILABLE")
        assert int(refusal.metadata["retry_after_ms"]) > 0
        return False
    return True


async def test_on_a_full_disk_nothing_is_acknowledged_and_play_goes_on_when_there_is_room(
    tmp_path: Path,
) -> None:
    """A limit on the size of files stands for the disk: SQLite fails in the same way."""
    with hosted(tmp_path) as server:
        async with Pair(server.address) as pair, Client(server.address, "cat") as cat:
            await pair.started(time_control=CLOCK)
            pid = server.process.pid
            unlimited = resource.prlimit(pid, resource.RLIMIT_FSIZE)
            size = (tmp_path / "endless-winter.db-wal").stat().st_size
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (size + 40_000, unlimited[1]))
            while True:
                seat, decision = await pair.pending()
                if not await submitted(pair, seat, decision):
                    break
            assert (await refused(cat.create(2))).reason == "STORE_UNAVAILABLE"
            assert (await pair.pending())[1] == decision, "and it can be looked at"
            resource.prlimit(pid, resource.RLIMIT_FSIZE, unlimited)
            async with asyncio.timeout(PATIENCE):
                while not await submitted(pair, seat, decision):
                    pass
            for _ in range(10):
                await pair.step()
            last = (await pair.ann.view(pair.game_id, 0)).seq
        assert server.stop() == 0
    words = [line["event"] for line in log_lines(tmp_path) if line["level"] == "warning"]
    assert words.count("the store cannot be written, and all clocks stand still") == 1
    with hosted(tmp_path) as server:
        async with Client(server.address, "ann") as ann:
            assert (await ann.view(pair.game_id, 0)).seq == last


class HangingStore(MemoryStore):
    """While it is `hanging`, a commit in the thread of the store takes `seconds`, then fails."""

    def __init__(self, clock: HandClock, seconds: float) -> None:
        super().__init__()
        self.hanging = False
        self._clock = clock
        self._seconds = seconds
        self.before = self._hang

    def _hang(self, appends: Sequence[Append]) -> None:
        del appends
        time.sleep(0.005)  # so that commits are left to the thread
        if self.hanging and threading.current_thread() is not threading.main_thread():
            self.hanging = False
            self._clock.at += self._seconds
            raise StoreError("nobody knows")


async def test_a_commit_that_hangs_and_fails_is_charged_to_nobody() -> None:
    clock = HandClock()
    store = HangingStore(clock, 50.0)
    desk = Desk(store)
    game = desk.running(time_control=CLOCK)
    async with inside(store, clock=clock) as server, asyncio.timeout(PATIENCE):
        await server.client("player 0").create(2)  # what the disk is like is known after a commit
        player = Player(server, game)
        async with player.line:
            await player.attach()
            clock.at += 20.0  # of the 60 that it has
            store.hanging = True
            first = await player.choose("r1")
            assert name_of(first.rejection) == "STORE_UNAVAILABLE"
            again = await player.choose("r1")
            assert again.accepted.timing.charged_ms == 20_000


async def test_a_process_that_writes_holds_up_commits_and_not_the_event_loop(
    tmp_path: Path,
) -> None:
    path = tmp_path / "games.db"
    with SqliteStore.open(path, synchronous="off") as store:
        game = Desk(store).running()
        async with inside(store) as server, asyncio.timeout(PATIENCE):
            client = server.client("player 0")
            await client.view(game.game_id)
            with closing(sqlite3.connect(path, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                created = asyncio.ensure_future(client.create(2))
                for _ in range(20):
                    assert (await client.view(game.game_id)).seq == game.table.seq
                assert not created.done()
                other.execute("ROLLBACK")
            assert (await created).game_id
