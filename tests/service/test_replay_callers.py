"""A wrong token can do nothing with a record: every way to ask, times every kind of caller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import grpc
import pytest

from endless_winter.v1 import config_pb2, replay_pb2, replay_service_pb2_grpc
from endless_winter.v1 import replay_service_pb2 as r
from tests.service.hosting import OPERATOR, hosted, operator
from tests.service.logs import Playing, reason, stored_in
from tests.service.player import secret

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

NOBODY, BROKEN, STRANGER, ONE, OTHER, CREATOR, HOST, WRONG_HOST = CALLERS = (
    "nobody",
    "a secret of the wrong form",
    "a stranger",
    "the holder of seat 0",
    "the holder of seat 1",
    "the creator",
    "an operator",
    "a wrong operator token",
)
METADATA = {
    NOBODY: (),
    BROKEN: (("ew-client-secret", "xyz"),),
    STRANGER: secret("eve"),
    ONE: secret("ann"),
    OTHER: secret("bob"),
    CREATOR: secret("cat"),
    HOST: operator(),
    WRONG_HOST: (("ew-operator-token", OPERATOR + "x"),),
}
RUNNING, ENDED, HELD, CLOSED_RUNNING, CLOSED_ENDED, UNKNOWN = GAMES = (
    "game-1",
    "game-2",
    "game-3",
    "game-4",
    "game-5",
    "game-6",
)
SPECTATOR, SEAT, OPEN, EXPORT, VERIFY = WAYS = (
    "as a spectator",
    "as seat 0",
    "open",
    "export",
    "verify",
)
EYES = {
    SPECTATOR: replay_pb2.PERSPECTIVE_SPECTATOR,
    SEAT: replay_pb2.PERSPECTIVE_SEAT,
    OPEN: replay_pb2.PERSPECTIVE_OMNISCIENT,
}
KNOWN_TO = {ONE, OTHER, CREATOR, HOST}  # of a closed game
WITHOUT_SECRET = {NOBODY, HOST, WRONG_HOST}


def expected(game: str, way: str, caller: str) -> str:
    """What the table of docs/protocol.md says; empty: allowed."""
    if caller == BROKEN:
        return "SECRET_MISSING"
    closed = game in (CLOSED_RUNNING, CLOSED_ENDED)
    if game == UNKNOWN or (closed and caller not in KNOWN_TO):
        return "GAME_NOT_FOUND"
    if way == SPECTATOR or game in (ENDED, CLOSED_ENDED):
        return ""
    if way == SEAT:
        if caller == ONE:
            return ""
        return "SECRET_MISSING" if caller in WITHOUT_SECRET else "NOT_ALLOWED"
    return "NOT_REVEALED_YET"


def fill(path: Path) -> None:
    closed = {"visibility": config_pb2.VISIBILITY_CLOSED}
    games: tuple[tuple[int, int, dict[str, Any]], ...] = (
        (1, 10, {}),
        (2, 10_000, {}),
        (3, 10_000, {"hold_reveal": True}),
        (4, 10, closed),
        (5, 10_000, closed),
    )
    stored_in(
        path,
        *(
            Playing(number, names=("ann", "bob"), creator="cat", **config).play(most).log()
            for number, most, config in games
        ),
    )


def calls(
    stub: replay_service_pb2_grpc.ReplayServiceAsyncStub, way: str, game: str, caller: str
) -> Sequence[Callable[[], Awaitable[None]]]:
    """The calls by which one can ask in a way: all must answer alike."""
    metadata = METADATA[caller]

    async def stream() -> None:
        request = r.StreamReplayRequest(game_id=game, perspective=EYES[way])
        frames = 0
        async for response in stub.StreamReplay(request, metadata=metadata):
            frames += len(response.frames)
        assert frames

    async def frame() -> None:
        request = r.GetFrameRequest(game_id=game, perspective=EYES[way], seq=8)
        assert (await stub.GetFrame(request, metadata=metadata)).frame.seq == 8

    async def export() -> None:
        request = r.ExportReplayRequest(game_id=game)
        entries = 0
        async for response in stub.ExportReplay(request, metadata=metadata):
            entries += len(response.piece.entries)
        assert entries

    async def verify() -> None:
        request = r.VerifyReplayRequest(game_id=game)
        assert (await stub.VerifyReplay(request, metadata=metadata)).verified

    return {EXPORT: [export], VERIFY: [verify]}.get(way, [stream, frame])


async def test_every_way_to_ask_for_a_record_times_every_kind_of_caller(tmp_path: Path) -> None:
    fill(tmp_path / "endless-winter.db")
    asked = 0
    with hosted(tmp_path, "--operator-token", OPERATOR) as server:
        async with grpc.aio.insecure_channel(server.address) as channel:
            stub = replay_service_pb2_grpc.ReplayServiceStub(channel)
            for game in GAMES:
                for way in WAYS:
                    for caller in CALLERS:
                        due = expected(game, way, caller)
                        for call in calls(stub, way, game, caller):
                            asked += 1
                            if not due:
                                await call()
                                continue
                            with pytest.raises(grpc.aio.AioRpcError) as caught:
                                await call()
                            why = reason(caught.value)
                            assert why == due, f"{game} {way} by {caller}"
    assert asked == len(GAMES) * len(CALLERS) * 8
