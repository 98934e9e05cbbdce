"""Replays are read from the log: not too quickly, nor by whom an operator took the seat from."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from endless_winter.service.rpc.replays import Pieces
from endless_winter.v1 import replay_pb2, replay_service_pb2_grpc
from endless_winter.v1 import replay_service_pb2 as r
from tests.service.hosting import OPERATOR, hosted, operator
from tests.service.player import Client, play_stream
from tests.service.test_operators import TOKEN, Table, reason

if TYPE_CHECKING:
    from pathlib import Path


def replays(client: Client) -> Any:
    return replay_service_pb2_grpc.ReplayServiceStub(client.channel)


def frame(client: Client, game_id: str, metadata: Any = None) -> Any:
    """The first frame as seat 1 sees it."""
    request = r.GetFrameRequest(
        game_id=game_id, seq=1, seat=1, perspective=replay_pb2.PERSPECTIVE_SEAT
    )
    return replays(client).GetFrame(request, metadata=metadata or client.metadata)


async def test_replays_refuse_a_revoked_holder_until_the_seat_is_its_own_again(
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


def test_pieces_are_cut_before_they_are_too_large_and_lose_nothing() -> None:
    for seed in range(200):
        chance = random.Random(seed)
        fields = [bytes([chance.randrange(256)]) * chance.randrange(1, 90) for _ in range(20)]
        pieces = Pieces(100)
        found = [piece for field in fields if (piece := pieces.add(field))] + [pieces.rest()]
        assert max(map(len, found)) <= 100
        assert b"".join(found) == b"".join(fields)
        assert all(len(one) + 90 > 100 for one in found[:-1])  # none is cut without need
    pieces = Pieces(10)
    assert [pieces.add(b"x" * size) for size in (99, 5, 5)] == [b"", b"x" * 99, b""]
    assert pieces.rest() == b"x" * 10


async def test_no_message_of_a_replay_is_larger_than_the_host_allows(tmp_path: Path) -> None:
    most = 65536
    with hosted(tmp_path, "--message-bytes", str(most)) as server:
        async with Client(server.address, "ann") as ann:
            game_id = (await ann.create(2)).game_id
            for seat in range(2):
                await ann.join(game_id, seat)
            last = await play_stream(ann, [(game_id, 0), (game_id, 1)], 1)

            async def raw(method: str, request: Any) -> list[bytes]:
                path = f"/endless_winter.v1.ReplayService/{method}"
                call: Any = ann.channel.unary_stream(path)(
                    request.SerializeToString(), metadata=ann.metadata
                )
                return [message async for message in call]

            everything = replay_pb2.PERSPECTIVE_OMNISCIENT
            shown = await raw(
                "StreamReplay", r.StreamReplayRequest(game_id=game_id, perspective=everything)
            )
            pieces = await raw("ExportReplay", r.ExportReplayRequest(game_id=game_id))
    assert len(shown) > 5
    assert max(map(len, shown + pieces)) <= most
    assert max(map(len, shown)) > most / 2
    until = last[game_id, 0].seq
    frames = [f.seq for one in shown for f in r.StreamReplayResponse.FromString(one).frames]
    entries = [
        e.seq for one in pieces for e in r.ExportReplayResponse.FromString(one).piece.entries
    ]
    assert frames == entries == list(range(1, until + 1))
