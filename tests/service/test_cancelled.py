"""A client that gives up in the middle of a call leaves its game as the log says."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import grpc
from grpc._cython import cygrpc  # type: ignore[attr-defined] # it is compiled

from endless_winter.service import logs
from endless_winter.store.memory import MemoryStore
from endless_winter.v1 import config_pb2, game_service_pb2
from tests.service.bare import (
    ACK,
    CANCEL,
    DATA,
    PING,
    RST_STREAM,
    WINDOW,
    WINDOW_UPDATE,
    bare,
    call,
    frame,
)
from tests.service.hosting import hosted, log_lines
from tests.service.inside import inside
from tests.service.player import Client
from tests.service.wire import Pair

if TYPE_CHECKING:
    from pathlib import Path


async def test_a_client_that_goes_while_it_is_sent_to_is_no_error(tmp_path: Path) -> None:
    bot = config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_BOT, bot_name="x", bot_options="o" * 1000)
    wanted = config_pb2.GameConfig(seats=[bot] * 4)
    with hosted(tmp_path) as server:
        async with Client(server.address, "ann") as ann:
            for _ in range(WINDOW // 4000 + 2):  # more than goes out at once
                request = game_service_pb2.CreateGameRequest(config=wanted)
                await ann.games.CreateGame(request, metadata=ann.metadata)
            async with bare(server.address) as client:
                for stream in range(1, 41, 2):
                    client.send(call(stream, server.address, "GameService/ListGames", b""))
                    size = 0
                    while size < WINDOW:  # the rest waits for room
                        kind, _, body = await client.next()
                        size += len(body) if kind == DATA else 0
                    client.send(frame(RST_STREAM, 0, CANCEL, stream))
                    client.send(frame(WINDOW_UPDATE, 0, WINDOW.to_bytes(4, "big")))
                    client.send(frame(PING, 0, bytes(8)))
                    await client.until(PING, ACK)
                    await ann.create(2)  # the server has got on with its work
        assert server.stop() == 0
    assert [line for line in log_lines(tmp_path) if line["level"] == "error"] == []


def test_other_errors_of_grpc_are_not_hidden() -> None:
    gone = cygrpc.ExecuteBatchError('Failed "execute_batch": (what was sent)')
    misuse = cygrpc.ExecuteBatchError("Failed grpc_call_start_batch: 8")
    left = [
        error
        for error in (gone, misuse, ValueError('Failed "execute_batch"'), None)
        if logs.ordinary(
            logging.LogRecord(
                logs.GRPC,
                logging.ERROR,
                "",
                0,
                "raised in core",
                None,
                (type(error), error, None) if error is not None else None,
            )
        )
    ]
    assert gone not in left
    assert len(left) == 3


async def test_a_cancelled_choice_is_made_or_not_and_the_game_goes_on() -> None:
    """Cancelled after each number of steps of the event loop, from at once to too late."""
    store = MemoryStore()
    async with inside(store) as server, Pair(server.address) as pair:
        await pair.started()
        for patience in range(40):
            seat, decision = await pair.pending()
            task = asyncio.ensure_future(
                pair.submit(seat, decision_id=decision.decision_id, option_id=0)
            )
            for _ in range(patience % 20):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            try:
                await pair.step()
            except grpc.aio.AioRpcError as error:
                # The cancelled choice may be made just now.
                assert "that decision is over" in (error.details() or "")  # noqa: PT017
        await pair.step()
        seq = (await pair.eve.view(pair.game_id)).seq
        logged = [entry.seq for entry in store.read(pair.game_id)]
        assert logged == list(range(1, seq + 1))
