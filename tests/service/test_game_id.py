"""Ids of games are what people type as arguments of commands."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import grpc
import pytest

from endless_winter.service.host import new_game_id
from endless_winter.v1 import config_pb2, game_service_pb2
from tests.service.hosting import OPERATOR, hosted, operator, reason_of
from tests.service.player import Client

if TYPE_CHECKING:
    from pathlib import Path

SEAT = config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)


def test_an_id_is_never_taken_for_an_option() -> None:
    ids = [new_game_id(secrets.token_bytes) for _ in range(2_000)]  # one in 64 would begin with it
    assert not [one for one in ids if one.startswith("-")]
    assert [one for one in ids if "-" in one]


async def test_ids_that_operators_may_give_and_those_that_they_may_not(tmp_path: Path) -> None:
    with hosted(tmp_path, "--operator-token", OPERATOR) as server:
        async with Client(server.address, "host") as host:
            metadata = operator(*host.metadata)
            for game_id in ("a", "_-", "0" * 64, "final-3_b"):
                config = config_pb2.GameConfig(seats=[SEAT] * 2)
                request = game_service_pb2.CreateGameRequest(game_id=game_id, config=config)
                made = await host.games.CreateGame(request, metadata=metadata)
                assert made.game.game_id == game_id
            for game_id in ("-a", "-", "a" * 65, "a b", "ä", "a\n"):
                config = config_pb2.GameConfig(seats=[SEAT] * 2)
                request = game_service_pb2.CreateGameRequest(game_id=game_id, config=config)
                with pytest.raises(grpc.aio.AioRpcError) as error:
                    await host.games.CreateGame(request, metadata=metadata)
                assert reason_of(error.value) == ("INVALID_ARGUMENT", {"field": "game_id"}), game_id
