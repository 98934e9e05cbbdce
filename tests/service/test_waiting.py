"""The hall is told of what it keeps or somebody waits for, and of nothing else."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from endless_winter.v1 import result_pb2
from tests.service.desk import caller, desk

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.service.session import Session


async def test_the_hall_hears_of_a_choice_only_while_a_client_waits(tmp_path: Path) -> None:
    heard: list[Session] = []
    async with desk(tmp_path) as at:
        session = await at.seated()
        changed = session._changed

        def listen(one: Session) -> None:
            heard.append(one)
            changed(one)

        session._changed = listen
        holder = caller("player 1").holder
        await session.leave(caller("player 1"), 1)
        assert len(heard) == 1
        assert holder not in at.hall.seats or not at.hall.seats[holder]
        await session.take_seat(1, holder, "again")
        assert len(heard) == 2
        assert at.hall.seats[holder] == {(session.table.game_id, 1): session}
        await session.ready(0, "")
        await session.ready(1, "")
        await at.answer(session)
        assert len(heard) == 2
        waiting = asyncio.create_task(at.hall.news(holder))
        await asyncio.sleep(0)
        await at.answer(session)
        await asyncio.wait_for(waiting, 5)
        assert len(heard) == 3
        await at.answer(session)
        assert len(heard) == 3
        await session.abort(result_pb2.GAME_OUTCOME_ABORTED)
        assert len(heard) == 4
