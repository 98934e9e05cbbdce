"""Games that are over leave the memory of the server and the streams of their players."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from endless_winter.service import ended
from endless_winter.v1 import game_service_pb2, play_service_pb2, result_pb2
from tests.service.desk import caller, desk
from tests.service.wire import PATIENCE, Line, Pair, name_of, served

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

p = play_service_pb2
g = game_service_pb2
ABORTED = result_pb2.GAME_OUTCOME_ABORTED


async def test_ended_games_are_forgotten_and_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ended, "KEPT", 3)
    async with desk(tmp_path) as at:
        games = []
        for _ in range(10):
            session = await at.seated()
            games.append(session.table.game_id)
            await session.abort(ABORTED)
        assert set(at.hall.sessions) == set(games[-3:])
        held = at.hall.seats[caller("player 0").holder]
        assert {game_id for game_id, _ in held} == set(games[-3:])
        for game_id in games:
            found = await at.hall.find(game_id, caller("player 0"))
            assert found.table.result is not None
            assert found.table.result.outcome == ABORTED
            assert len(at.hall.sessions) <= 4


async def test_a_game_that_is_over_is_told_and_then_no_longer_attached() -> None:
    with served() as server:
        async with Pair(server.address) as pair:
            await pair.seated()
            async with Line(pair.ann) as line:
                await line.do(game_id=pair.game_id, seat=0, attach=p.Attach())
                await pair.ann.games.AbortGame(
                    g.AbortGameRequest(game_id=pair.game_id), metadata=pair.ann.metadata
                )
                while not (await line.update()).HasField("result"):
                    pass
                report = await line.next()
                assert name_of(report.detached.cause) == "GAME_ENDED"
                # Whoever wants to see the end once more can.
                again = await line.do(game_id=pair.game_id, seat=0, attach=p.Attach())
                assert again.HasField("attached")
                assert (await line.update()).HasField("result")


async def test_a_long_poll_is_woken_by_the_own_games_alone(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.seated()
        mine = asyncio.create_task(at.hall.news(caller("player 0").holder))
        others = asyncio.create_task(at.hall.news(caller("somebody else").holder))
        await asyncio.sleep(0)
        session = await at.seated()
        await session.ready(0, "")
        await asyncio.wait_for(mine, PATIENCE)
        assert not others.done()
        others.cancel()
        await asyncio.gather(others, return_exceptions=True)
        assert not at.hall._waiting
