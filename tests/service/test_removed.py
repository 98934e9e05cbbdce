"""Games that are pruned beside a running server are gone there too."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from endless_winter.service import ended
from endless_winter.service.refusal import Refusal
from endless_winter.store import upkeep
from endless_winter.v1 import game_pb2, result_pb2
from endless_winter.v1 import game_service_pb2 as g
from endless_winter.v1 import rejection_pb2 as reasons
from tests.service.desk import NOW, caller, config, desk
from tests.service.test_summaries import listed
from tests.service.test_suspended import OPERATORS, aborted, broken, seats

if TYPE_CHECKING:
    from pathlib import Path

OPEN = game_pb2.GAME_STATUS_OPEN


async def prune(folder: Path, before_ms: int) -> None:
    path = folder / "games.db"
    games, _ = await asyncio.to_thread(upkeep.prunable, path, before_ms)
    await asyncio.to_thread(upkeep.prune, path, games)


async def test_a_game_that_is_pruned_beside_a_server_is_forgotten(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        games = []
        for _ in range(2):
            session = await at.running()
            await session.abort(result_pb2.GAME_OUTCOME_ABORTED)
            games.append(session.table.game_id)
            at.time.now += 1000
        old, new = games
        for game_id in games:
            assert await at.hall.find(game_id, caller("player 0"))
        await prune(tmp_path, NOW + 500)
        assert (await seats(at, "player 0", include_ended=True)).keys() == {new}
        for look in (at.hall.find, at.hall.describe):
            with pytest.raises(Refusal) as refused:
                await look(old, caller("player 0"))
            assert refused.value.reason == reasons.REJECTION_REASON_GAME_NOT_FOUND
            await look(new, caller("player 0"))
        assert set(at.hall.sessions) == {new}
        assert (await listed(at)).keys() == {new}


@pytest.mark.parametrize("asked", [True, False])
async def test_the_id_of_a_pruned_game_can_be_used_again(tmp_path: Path, *, asked: bool) -> None:
    operator = caller("host")._replace(operator=True)
    request = g.CreateGameRequest(config=config(), game_id="again")
    async with desk(tmp_path) as at:
        session, _ = await at.hall.create(operator, request)
        await session.abort(result_pb2.GAME_OUTCOME_ABORTED)
        await prune(tmp_path, NOW + 500)
        if asked:
            with pytest.raises(Refusal):
                await at.hall.find("again", operator)
        session, _ = await at.hall.create(operator, request)
        assert session.table.status == OPEN
        assert (await at.hall.describe("again", operator)).status == OPEN


async def test_a_new_game_has_nothing_of_a_broken_one_of_its_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ended, "KEPT", 0)  # ended games are not kept in memory
    bad, _ = await broken(tmp_path)
    operator = caller("host")._replace(operator=True)
    async with desk(tmp_path, operators=OPERATORS) as at:
        await aborted(at, bad)
        await prune(tmp_path, NOW + 500)
        session, _ = await at.hall.create(
            operator, g.CreateGameRequest(config=config(), game_id=bad)
        )
        await session.abort(result_pb2.GAME_OUTCOME_ABORTED)
        assert bad not in at.hall.sessions
        assert (await at.hall.find(bad, operator)).table.ended_ms == NOW
