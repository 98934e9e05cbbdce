"""A start takes stock of unfinished games and loads only those that go on by themselves."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from endless_winter.engine.commands import TakeSeat
from endless_winter.store.records import Player, Status
from endless_winter.v1 import clock_pb2, config_pb2
from endless_winter.v1 import play_service_pb2 as p
from tests.engine.desk import Desk, client
from tests.service.inside import Inside, inside
from tests.service.wire import PATIENCE

if TYPE_CHECKING:
    from endless_winter.store.protocol import Store

BOT = config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_BOT, bot_name="robot")
OPEN = config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)


async def owed(server: Inside, name: str) -> set[tuple[str, int]]:
    who = server.client(name)
    request = p.ListMySeatsRequest(only_owing=True)
    found = await who.play.ListMySeats(request, metadata=who.metadata)
    return {(seat.game_id, seat.decision_id) for seat in found.seats}


async def test_a_game_without_a_clock_waits_in_the_store_until_somebody_asks() -> None:
    desk = Desk()
    game = desk.running()
    for _ in range(5):
        desk.answer(game)
    waiting = desk.seated()
    table = game.table
    async with inside(desk.store) as server:
        games = server.host.engine.games
        assert not games
        assert not await owed(server, "stranger")
        assert not games
        assert await owed(server, f"player {table.deciding_seat}") == {
            (table.game_id, table.decision_id),
            (waiting.game_id, 0),
        }
        assert set(games) == {table.game_id, waiting.game_id}
        # Who saw the beginning is sent all that came after it.
        who = server.client("player 0")
        update = await who.view(table.game_id, 0, after_seq=1)
        assert not update.snapshot
        assert update.events


async def until_ended(store: Store, game_id: str) -> None:
    """Only the store is asked: nobody wakes the game."""
    while (found := store.load(game_id)) is None or found.header.status != Status.ENDED:  # noqa: ASYNC110
        await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    "control",
    [
        clock_pb2.TimeControl(bank_ms=20),
        clock_pb2.TimeControl(decision_limit_ms=20),
        clock_pb2.TimeControl(turn_limit_ms=20),
        clock_pb2.TimeControl(disconnect_limit_ms=20),
    ],
)
async def test_a_clock_runs_again_after_a_start_though_nobody_asks(
    control: clock_pb2.TimeControl,
) -> None:
    desk = Desk()
    desk.running()
    control.timeouts_to_forfeit = 1
    game = desk.running(time_control=control)
    async with inside(desk.store) as server, asyncio.timeout(PATIENCE):
        assert set(server.host.engine.games) <= {game.game_id}
        await until_ended(desk.store, game.game_id)


async def test_a_game_that_nobody_is_ready_for_ends_after_a_start_too() -> None:
    desk = Desk()
    game = desk.seated()
    async with inside(desk.store, ready_limit_ms=20), asyncio.timeout(PATIENCE):
        await until_ended(desk.store, game.game_id)


async def test_what_bots_play_counts_from_the_start_on() -> None:
    desk = Desk()
    desk.seated()
    for taken in (True, False):
        game = desk.create([OPEN, BOT])
        desk.join(game, 0, "player 0")
        if taken:
            robot = Player("robot-1", client("robot"), "robot")
            desk.do(TakeSeat(game.game_id, 1, desk.asked("robot"), robot))
    async with inside(desk.store) as server:
        assert set(server.host.engine.games) == {game.game_id}, "it still wants its bot"


def test_games_of_one_configuration_share_it() -> None:
    desk = Desk()
    one, two, other = desk.seated(), desk.seated(), desk.seated(3)
    assert one.table.config is two.table.config
    assert one.table.rules is two.table.rules
    assert one.table.config is not other.table.config
    desk.restart()
    again = [desk.load(game.game_id) for game in (one, two)]
    assert again[0] is not None
    assert again[1] is not None
    assert again[0].table.config is again[1].table.config
    assert again[0].table.config == one.table.config
