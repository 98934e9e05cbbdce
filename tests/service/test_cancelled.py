"""A client that gives up in the middle of a call leaves its game as the log says."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import grpc

from endless_winter.v1 import replay_pb2
from tests.service.desk import desk
from tests.service.wire import Pair, served

if TYPE_CHECKING:
    from pathlib import Path


async def test_a_cancelled_choice_is_made_or_not_and_the_game_goes_on(tmp_path: Path) -> None:
    """Cancelled after each number of steps of the event loop, from at once to too late."""
    async with desk(tmp_path) as at:
        session = await at.running()
        made = 0
        for patience in range(40):
            before = session.table.seq
            task = asyncio.create_task(at.answer(session, f"try {patience}"))
            for _ in range(patience % 20):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            made += session.table.seq > before
            logged = await at.hall.store.read(session.table.game_id)
            assert logged[-1].seq == session.table.seq
            entry = replay_pb2.LogEntry.FromString(logged[-1].payload)
            assert entry.seq == session.table.seq
            await at.answer(session)
        assert made


async def test_clients_that_cancel_all_the_time_do_not_stop_a_game() -> None:
    with served() as server:
        async with Pair(server.address) as pair:
            await pair.started()
            for number in range(30):
                seat, decision = await pair.pending()
                task = asyncio.ensure_future(
                    pair.submit(seat, decision_id=decision.decision_id, option_id=0)
                )
                for _ in range(number % 10):
                    await asyncio.sleep(0)
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
                try:
                    await pair.step()
                except grpc.aio.AioRpcError as error:
                    # The cancelled choice may be made just now.
                    assert "that decision is over" in (error.details() or "")  # noqa: PT017
            await pair.step()
