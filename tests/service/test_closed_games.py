"""A closed game that a client has left answers the client's retries, and nobody else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import grpc
import pytest

from endless_winter.store.memory import MemoryStore
from endless_winter.v1 import config_pb2
from endless_winter.v1 import game_service_pb2 as g
from tests.service.hosting import reason_of
from tests.service.inside import inside

if TYPE_CHECKING:
    from tests.service.player import Client

CLOSED = config_pb2.VISIBILITY_CLOSED
RESERVED = config_pb2.SEAT_KIND_RESERVED


async def call(client: Client, method: str, request: Any) -> Any:
    return await getattr(client.games, method)(request, metadata=client.metadata)


async def reason(client: Client, method: str, request: Any) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call(client, method, request)
    return reason_of(error.value)[0]


async def test_a_closed_game_answers_retries_of_who_has_left_it_and_nobody_else() -> None:
    async with inside(MemoryStore()) as server:
        host, ann, bob = (server.client(name) for name in ("host", "ann", "bob"))
        seats = [config_pb2.SeatConfig(kind=RESERVED)] * 2
        config = config_pb2.GameConfig(seats=seats, visibility=CLOSED)
        created = await call(host, "CreateGame", g.CreateGameRequest(config=config))
        game_id, word = created.game.game_id, created.invitations[1].token
        join = g.JoinGameRequest(game_id=game_id, request_id="j", invitation=word)
        leave = g.LeaveGameRequest(game_id=game_id, seat=1, request_id="bye")
        first = await call(ann, "JoinGame", join)
        assert (first.seat, first.game.seats[1].taken) == (1, True)
        assert not (await call(ann, "LeaveGame", leave)).game.seats[1].taken
        again = await call(ann, "JoinGame", join)
        assert (again.seat, again.HasField("game")) == (1, False)
        assert not (await call(ann, "LeaveGame", leave)).HasField("game")
        for method, request in (("JoinGame", join), ("LeaveGame", leave)):
            assert await reason(bob, method, request) == "GAME_NOT_FOUND"
        join.display_name = "Ann"
        assert await reason(ann, "JoinGame", join) == "REQUEST_ID_REUSED"


@pytest.mark.parametrize("note", ["x" * 201, "two\nlines"])
async def test_a_note_that_cannot_be_shown_is_refused(note: str) -> None:
    async with inside(MemoryStore()) as server:
        host = server.client("host")
        game = await host.create()
        abort = g.AbortGameRequest(game_id=game.game_id, note=note)
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await call(host, "AbortGame", abort)
        assert reason_of(error.value) == ("INVALID_ARGUMENT", {"field": "note"})
        found = await call(host, "GetGame", g.GetGameRequest(game_id=game.game_id))
        assert found.game.status == game.status
