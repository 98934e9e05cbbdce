"""Rounds of a real server: bounded, in turn by stream, and one game's commands in their order."""

from __future__ import annotations

import asyncio
import gc
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from endless_winter.engine.stream import PlayStream
from endless_winter.engine.subscription import Subscription
from endless_winter.store.memory import MemoryStore
from endless_winter.v1 import decision_pb2
from endless_winter.v1 import play_service_pb2 as p
from tests.engine.desk import Desk
from tests.service.inside import Inside, inside
from tests.service.stores import GatedStore
from tests.service.wire import PATIENCE, Line, refused

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    import pytest

    from endless_winter.engine.clocks import Now
    from endless_winter.engine.game import Game
    from endless_winter.engine.stream import StreamCommand
    from endless_winter.store.records import Append


class Noted(GatedStore):
    """Notes the games of every round."""

    def __init__(self) -> None:
        super().__init__()
        self.rounds: list[set[str]] = []
        self.after = self._note

    def _note(self, appends: Sequence[Append]) -> None:
        self.rounds.append({append.game_id for append in appends})


def answer(game: Game) -> p.PlayCommand:
    chosen = decision_pb2.Answer(decision_id=game.table.decision_id, take_default=True)
    return of(game, answer=chosen)


def of(game: Game, request_id: str = "", **command: object) -> p.PlayCommand:
    seat = game.table.deciding_seat
    return p.PlayCommand(request_id=request_id, game_id=game.game_id, seat=seat, **command)  # type: ignore[arg-type] # by name


@asynccontextmanager
async def attached(server: Inside, game: Game) -> AsyncIterator[Line]:
    """The stream of the seat that is asked."""
    async with Line(server.client(f"player {game.table.deciding_seat}")) as line:
        assert (await line.do(**fields(of(game, attach=p.Attach())))).HasField("attached")
        await line.update()
        yield line


def fields(command: p.PlayCommand) -> dict[str, object]:
    return {field.name: value for field, value in command.ListFields()}


async def until_waiting(server: Inside, count: int) -> None:
    """Until so many commands were read and are in no round."""
    while server.host.rounds.waiting < count:  # noqa: ASYNC110 # no event says so
        await asyncio.sleep(0)


async def test_a_stream_of_many_commands_delays_nobody() -> None:
    store = Noted()
    desk = Desk(store)
    flooded, other = desk.running(), desk.running()
    async with (
        asyncio.timeout(PATIENCE),
        inside(store) as server,
        attached(server, flooded) as flood,
        attached(server, other) as line,
    ):
        await server.client("eve").create(2)  # from now on the store has its thread
        store.gate.clear()
        standing = p.SetStandingAnswers()
        await flood.send(of(flooded, set_standing_answers=standing))
        assert await asyncio.to_thread(store.waits.wait, PATIENCE)
        many = [of(flooded, f"s{number}", set_standing_answers=standing) for number in range(500)]
        await flood.send(*many)
        await until_waiting(server, 64)
        await line.send(answer(other))
        await until_waiting(server, 65)
        store.rounds.clear()
        store.gate.set()
        while not (await line.next()).HasField("accepted"):
            pass
        assert other.game_id in set.union(*store.rounds[:2]), "the commit in flight, and one"
        # And each of the many has its answer, in the order in which they were sent.
        answered: list[str] = []
        while len(answered) < len(many):
            report = await flood.next()
            if report.request_id:
                answered.append(report.request_id)
        assert answered == [command.request_id for command in many]


async def test_a_round_is_not_unbounded() -> None:
    store = MemoryStore()
    rounds: list[int] = []
    desk = Desk(store)
    games = [desk.running(seed=bytes([n % 256] * 32)) for n in range(600)]
    async with inside(store) as server, asyncio.timeout(PATIENCE):
        seats = [game for game in games if game.table.deciding_seat == 0]
        async with Line(server.client("player 0")) as line:
            await line.send(*(of(game, attach=p.Attach()) for game in seats))
            store.after = lambda appends: rounds.append(len(appends))
            await line.send(*(answer(game) for game in seats))
            accepted = 0
            while accepted < len(seats):
                report = await line.next()
                assert not report.HasField("rejection"), report
                accepted += report.HasField("accepted")
        assert sum(rounds) >= len(seats)
        assert max(rounds) <= 256


async def test_what_a_client_sent_before_it_was_done_is_answered_and_then_the_stream_ends() -> None:
    store = Noted()
    desk = Desk(store)
    game = desk.running()
    async with (
        asyncio.timeout(PATIENCE),
        inside(store) as server,
        attached(server, game) as line,
    ):
        await line.send(
            answer(game),
            of(game, "bye", detach=p.Detach()),
            of(game, "late", set_standing_answers=p.SetStandingAnswers()),
        )
        await line.done()
        kinds = [report.WhichOneof("report") for report in await line.rest()]
        assert [kind for kind in kinds if kind != "update"] == [
            "accepted",
            "detached",
            "rejection",
        ]


async def test_a_stream_that_breaks_with_much_unread_leaves_nothing_behind(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Neither in memory, nor in the log: a client that does not read, and goes, is forgotten."""
    async with inside(MemoryStore()) as server, asyncio.timeout(PATIENCE):
        async with Line(server.client("eve")) as line:
            (stream,) = server.host.streams
            full = 0
            while full < 50:  # for good, and not only until the next message was sent
                if not stream.is_full():
                    full = 0
                    many = [p.PlayCommand(request_id="x" * 64, ping=p.Ping())] * 100
                    await line.send(*many)
                full += 1
                await asyncio.sleep(0.002)
        while server.host.streams:  # noqa: ASYNC110 # no event says so
            await asyncio.sleep(0.01)
        del stream
        while [one for one in gc.get_objects() if isinstance(one, PlayStream)]:
            await asyncio.sleep(0.01)  # within PATIENCE
            gc.collect()
        assert not caplog.records


async def test_ping_floods_share_the_loop_with_games() -> None:
    """However many streams send pings, a turn of the loop answers those of a few."""
    store = MemoryStore()
    game = Desk(store).running()
    async with (
        asyncio.timeout(PATIENCE),
        inside(store) as server,
        AsyncExitStack() as stack,
    ):
        engine = server.host.engine
        floods = [await stack.enter_async_context(Line(server.client("eve"))) for _ in range(30)]
        line = await stack.enter_async_context(attached(server, game))
        pings = 0
        read = engine.read

        def counted(command: StreamCommand, now: Now) -> None:
            nonlocal pings
            pings += 1
            read(command, now)

        engine.read = counted  # type: ignore[method-assign] # it only counts
        turns: list[int] = []

        async def count() -> None:
            while True:
                before = pings
                await asyncio.sleep(0)
                turns.append(pings - before)

        counting = asyncio.create_task(count())
        many = [p.PlayCommand(ping=p.Ping())] * 1000
        await asyncio.gather(*(flood.send(*many) for flood in floods))
        await line.send(answer(game))
        while not (await line.next()).HasField("accepted"):
            pass
        while pings < 1000 * len(floods):  # noqa: ASYNC110 # no event says so
            await asyncio.sleep(0.01)
        counting.cancel()
    assert max(turns) <= 640, "ten times what one stream may do at once; all of them: 1,920"


async def test_a_stream_that_cannot_compose_its_updates_ends_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = MemoryStore()
    game = Desk(store).running()
    async with (
        asyncio.timeout(PATIENCE),
        inside(store) as server,
        attached(server, game) as line,
        Line(server.client("eve")) as broken,
    ):
        await broken.do(game_id=game.game_id, attach=p.Attach())
        before = (await broken.update()).seq
        update = Subscription.update

        def failing(self: Subscription, now: Now) -> bytes | None:
            if self.seat is None:
                raise ZeroDivisionError
            return update(self, now)

        monkeypatch.setattr(Subscription, "update", failing)
        await line.send(answer(game))
        while not (await line.next()).HasField("accepted"):
            pass
        assert (await line.update()).seq > before
        refusal = await refused(broken.next())
        assert (refusal.status, refusal.reason) == ("INTERNAL", "SERVER_FAULT")
        while len(server.host.streams) > 1:  # noqa: ASYNC110 # no event says so
            await asyncio.sleep(0.01)
        monkeypatch.undo()
        table = server.host.engine.games[game.game_id].table
        assert table.seq > before
        player = server.client(f"player {table.deciding_seat}")
        await player.submit(
            game.game_id, table.deciding_seat, decision_id=table.decision_id, take_default=True
        )
