"""Games that are pruned beside a running server are gone there too."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from endless_winter.store import upkeep
from endless_winter.v1 import game_pb2
from endless_winter.v1 import game_service_pb2 as g
from tests.engine.desk import Desk, config
from tests.service.inside import Inside, inside
from tests.service.test_suspended import (
    FILE,
    aborted,
    broken,
    described,
    listed,
    opened,
    seats,
)
from tests.service.wire import refused

if TYPE_CHECKING:
    from pathlib import Path

OPEN = game_pb2.GAME_STATUS_OPEN


async def prune(folder: Path, before_ms: int) -> None:
    path = folder / FILE
    games, _ = await asyncio.to_thread(upkeep.prunable, path, before_ms)
    assert games
    await asyncio.to_thread(upkeep.prune, path, games)


async def create(server: Inside, game_id: str) -> game_pb2.GameInfo:
    """A game of that id, by an operator."""
    client = server.client("operator")
    request = g.CreateGameRequest(config=config(), game_id=game_id)
    found = await client.games.CreateGame(request, metadata=client.metadata)
    info: game_pb2.GameInfo = found.game
    return info


async def test_a_game_that_is_pruned_beside_a_server_is_forgotten(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        desk = Desk(store)
        games = []
        for _ in range(2):
            desk.advance(1000)
            games.append(desk.running())
            desk.abort(games[-1], operator=True)
        old, new = [game.game_id for game in games]
        async with inside(store) as server:
            player = server.client("player 0")
            for game_id in (old, new):
                await player.view(game_id)
            await prune(tmp_path, desk.unix_ms - 500)
            assert (await seats(server, "player 0", include_ended=True)).keys() == {new}
            for look in (player.view(old), described(server, old, "player 0")):
                assert (await refused(look)).reason == "GAME_NOT_FOUND"
            await player.view(new)
            assert set(server.host.engine.games) == {new}
            assert (await listed(server)).keys() == {new}


@pytest.mark.parametrize("asked", [True, False])
async def test_the_id_of_a_pruned_game_can_be_used_again(tmp_path: Path, *, asked: bool) -> None:
    with opened(tmp_path) as store:
        async with inside(store) as server:
            await create(server, "again")
            await aborted(server, "again")
            await prune(tmp_path, server.host.clock.unix_ms() + 1)
            if asked:
                assert (await refused(server.client("eve").view("again"))).reason
            assert (await create(server, "again")).status == OPEN
            assert (await described(server, "again", "operator")).status == OPEN


async def test_a_new_game_has_nothing_of_a_broken_one_of_its_id(tmp_path: Path) -> None:
    bad, _ = broken(tmp_path)
    with opened(tmp_path) as store:
        async with inside(store) as server:
            await aborted(server, bad)
            await prune(tmp_path, server.host.clock.unix_ms() + 1)
            await create(server, bad)
            await aborted(server, bad)
            engine = server.host.engine
            engine.forget(engine.games[bad])  # as when many others have ended since
            assert (await server.client("operator").view(bad)).seq == 2
