"""A start takes stock of unfinished games and loads only those that go on by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from endless_winter.service.play import PlayServicer
from endless_winter.store import Status
from endless_winter.v1 import clock_pb2, config_pb2, game_service_pb2, play_service_pb2
from tests.service.desk import Context, caller, desk, settled

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

p = play_service_pb2
BOT = config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_BOT, bot_name="robot")
OPEN = config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)


async def owed(hall: Any, name: str) -> list[p.MySeat]:
    request = p.ListMySeatsRequest(only_owing=True)
    found: Any = await PlayServicer(hall).ListMySeats(request, Context(name))
    return list(found.seats)


async def test_a_game_without_a_clock_waits_in_the_store_until_somebody_asks(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as at:
        session = await at.running()
        for _ in range(5):
            await at.answer(session)
        waiting = await at.seated()
        table, other = session.table, waiting.table
    async with desk(tmp_path) as at:
        assert await at.hall.wake_unfinished() == 0
        assert not at.hall.sessions
        name = f"player {table.deciding_seat}"
        assert not await owed(at.hall, "stranger")
        assert not at.hall.sessions
        assert {(seat.game_id, seat.decision_id) for seat in await owed(at.hall, name)} == {
            (table.game_id, table.decision_id),
            (other.game_id, 0),
        }
        assert set(at.hall.sessions) == {table.game_id, other.game_id}
        found = at.hall.sessions[table.game_id]
        assert found.table.seq == table.seq
        assert [told.seq for told in found.ring] == list(range(1, table.seq + 1))


@pytest.mark.parametrize(
    "control",
    [
        clock_pb2.TimeControl(bank_ms=1000),
        clock_pb2.TimeControl(decision_limit_ms=1000),
        clock_pb2.TimeControl(turn_limit_ms=1000),
        clock_pb2.TimeControl(disconnect_limit_ms=1000),
    ],
)
async def test_a_clock_runs_again_after_a_start_though_nobody_asks(
    tmp_path: Path, control: clock_pb2.TimeControl
) -> None:
    async with desk(tmp_path) as at:
        await at.running()
        table = (await at.running(time_control=control)).table
    async with desk(tmp_path) as at:
        assert await at.hall.wake_unfinished() == 1
        await at.hall.roused()
        assert set(at.hall.sessions) == {table.game_id}
        await at.time.advance(5000)
        assert at.hall.sessions[table.game_id].table.seq > table.seq


async def test_a_game_that_nobody_is_ready_for_ends_after_a_start_too(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        game_id = (await at.seated()).table.game_id
    async with desk(tmp_path, ready_limit_ms=1000) as at:
        assert await at.hall.wake_unfinished() == 1
        await settled()
        await at.time.advance(1000)
        header = await at.hall.store.get_game(game_id)
        assert header is not None
        assert header.status == Status.ENDED


async def test_what_bots_play_counts_from_the_start_on(tmp_path: Path) -> None:
    robot = caller("robot").holder
    async with desk(tmp_path) as at:
        session = await at.seated()
        bots = config_pb2.GameConfig(seats=[OPEN, BOT])
        for taken in (True, False):
            request = game_service_pb2.CreateGameRequest(config=bots)
            session, _ = await at.hall.create(caller("host"), request)
            await session.take_seat(0, caller("player 0").holder, "")
            if taken:
                await session.take_seat(1, robot, "robot", bot=True)
        wanting = session.table.game_id
    async with desk(tmp_path) as at:
        assert await at.hall.wake_unfinished() == 1  # the seat that still wants its bot
        assert len(at.hall.arena._busy[robot]) == 1
        await at.hall.roused()
        assert set(at.hall.sessions) == {wanting}
        assert list(at.hall.arena._wants["robot"]) == [(wanting, 1)]


async def test_games_of_one_configuration_share_it(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        one, two, other = await at.seated(), await at.seated(), await at.seated(3)
        assert one.table.config is two.table.config
        assert one.table.rules is two.table.rules
        assert one.table.config is not other.table.config
        names = [session.table.game_id for session in (one, two)]
    async with desk(tmp_path) as at:
        again = [await at.hall.find(name, caller("host")) for name in names]
        assert again[0].table.config is again[1].table.config
        assert again[0].table.config == one.table.config
