"""Replays are read from the log: not too quickly, nor by whom an operator took the seat from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from endless_winter.v1 import replay_pb2, replay_service_pb2_grpc
from endless_winter.v1 import replay_service_pb2 as r
from tests.service.hosting import OPERATOR, hosted, operator
from tests.service.test_operators import TOKEN, Table, reason

if TYPE_CHECKING:
    from pathlib import Path

    from tests.service.player import Client


def replays(client: Client) -> Any:
    return replay_service_pb2_grpc.ReplayServiceStub(client.channel)


def frame(client: Client, game_id: str, metadata: Any = None) -> Any:
    """The first frame as seat 1 sees it."""
    request = r.GetFrameRequest(
        game_id=game_id, seq=1, seat=1, perspective=replay_pb2.PERSPECTIVE_SEAT
    )
    return replays(client).GetFrame(request, metadata=metadata or client.metadata)


async def test_a_revoked_holder_hears_so_in_replays_until_the_seat_is_its_own_again(
    tmp_path: Path,
) -> None:
    with hosted(tmp_path, *TOKEN) as server:
        async with Table(server.address) as table:
            await table.started()
            assert (await frame(table.bob, table.game_id)).frame.seq == 1
            await table.call("RevokeSeat", seat=1)
            assert await reason(frame(table.bob, table.game_id)) == "SEAT_REVOKED"
            assert await reason(frame(table.ann, table.game_id)) == "NOT_ALLOWED"
            assert await reason(frame(table.cat, table.game_id)) == "NOT_ALLOWED"
            first = await table.call("RebindSeat", seat=1)
            await table.take(table.cat, 1, first.invitation.token)
            assert await reason(frame(table.bob, table.game_id)) == "SEAT_REVOKED"
            assert (await frame(table.cat, table.game_id)).frame.seq == 1
            second = await table.call("RebindSeat", seat=1)
            await table.take(table.bob, 1, second.invitation.token)
            assert await reason(frame(table.cat, table.game_id)) == "SEAT_REVOKED"
            assert (await frame(table.bob, table.game_id)).frame.seq == 1


async def test_replays_are_asked_for_as_quickly_as_lists_and_play_goes_on(tmp_path: Path) -> None:
    flags = ("--lists-per-minute", "1", "--list-burst", "3", "--operator-token", OPERATOR)
    with hosted(tmp_path, *flags) as server:
        async with Table(server.address) as table:
            await table.started()
            game_id = table.game_id
            await frame(table.bob, game_id)
            verify = r.VerifyReplayRequest(game_id=game_id)
            bob = replays(table.bob)
            assert await reason(bob.VerifyReplay(verify, metadata=table.bob.metadata)) == (
                "NOT_REVEALED_YET"
            )
            stream = bob.StreamReplay(
                r.StreamReplayRequest(game_id=game_id), metadata=table.bob.metadata
            )
            assert [one async for one in stream]
            for _ in range(2):
                assert await reason(frame(table.bob, game_id)) == "LIMIT_REACHED"
            export = bob.ExportReplay(
                r.ExportReplayRequest(game_id=game_id), metadata=table.bob.metadata
            )
            assert await reason(export.read()) == "LIMIT_REACHED"
            for _ in range(4):
                await frame(table.bob, game_id, operator(*table.bob.metadata))
            assert (await table.bob.view(game_id, 1)).seq
