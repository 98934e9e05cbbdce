"""Games of another content pack than the server's go on: the store has their pack."""

from __future__ import annotations

import gc
import json
import weakref
from typing import TYPE_CHECKING, Any

from structlog.testing import capture_logs

from endless_winter.content import pack_of
from endless_winter.v1 import clock_pb2, game_pb2, replay_pb2, replay_service_pb2_grpc
from endless_winter.v1 import replay_service_pb2 as r
from tests.engine.desk import PACK, Desk
from tests.service.inside import inside
from tests.service.test_suspended import alter, listed, opened, seats

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.content import Pack

RUNNING = game_pb2.GAME_STATUS_RUNNING
SUSPENDED = game_pb2.GAME_STATUS_SUSPENDED
CLOCK = clock_pb2.TimeControl(decision_limit_ms=3_600_000)


def older(version: str = "0.9") -> Pack:
    """The pack of the server in an earlier version."""
    content = json.loads(PACK.canonical)
    content["version"] = version
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return pack_of(text.encode())


OLD = older()


async def test_games_of_an_older_pack_go_on() -> None:
    desk = Desk(pack=OLD)
    game = desk.running(time_control=CLOCK)
    for _ in range(5):
        desk.answer(game)
    quiet = desk.running()
    before = game.table
    async with inside(desk.store) as server:
        loaded = server.host.engine.games[game.game_id]
        assert loaded.table.seq == before.seq
        seat = before.deciding_seat
        accepted = await server.client(f"player {seat}").submit(
            game.game_id, seat, decision_id=before.decision_id, take_default=True
        )
        assert accepted.seq > before.seq
        newer = (await server.client("host").create(2)).game_id
        found = await listed(server)
        assert found.keys() == {game.game_id, quiet.game_id, newer}
        assert found[game.game_id].status == found[quiet.game_id].status == RUNNING
        assert found[game.game_id].content_hash == found[quiet.game_id].content_hash == OLD.digest
        assert found[newer].content_hash == PACK.digest
        assert (await seats(server, "player 0")).keys() == {game.game_id, quiet.game_id}


async def test_games_of_an_older_pack_are_replayed_and_verified() -> None:
    desk = Desk(pack=OLD)
    game = desk.running()
    for seat in range(2):
        desk.leave(game, seat, f"player {seat}")
    async with inside(desk.store) as server:
        anyone = server.client("anyone")
        replays: Any = replay_service_pb2_grpc.ReplayServiceStub(anyone.channel)
        request = r.StreamReplayRequest(
            game_id=game.game_id, perspective=replay_pb2.PERSPECTIVE_OMNISCIENT
        )
        frames: list[replay_pb2.ReplayFrame] = []
        async for part in replays.StreamReplay(request):
            frames += part.frames
        assert frames[-1].HasField("omniscient_view")
        assert (await replays.VerifyReplay(r.VerifyReplayRequest(game_id=game.game_id))).verified
        assert (await anyone.view(game.game_id)).seq == game.table.seq


async def test_a_game_whose_pack_cannot_be_read_is_suspended(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        game_id = Desk(store, OLD).running().game_id
    alter(tmp_path, "UPDATE packs SET data = CAST('{}' AS BLOB)")
    with capture_logs() as lines, opened(tmp_path) as store:
        async with inside(store) as server:
            assert (await listed(server))[game_id].status == SUSPENDED
            assert await seats(server, "player 0") == {game_id: SUSPENDED}
    warnings = [line["event"] for line in lines if line["log_level"] == "warning"]
    assert len(warnings) == 2, "the pack, and how many games"


async def test_few_older_packs_are_cached() -> None:
    desk = Desk()
    old = [older(str(number)) for number in range(12)]
    for pack in old:
        Desk(desk.store, pack).create(game_id=f"of-{pack.version}", operator=True)
    async with inside(desk.store) as server:
        loader = server.host.loader
        kits = []
        for pack in old:
            kit = await loader.kit(pack.digest)
            assert kit is not None
            assert kit.pack.digest == pack.digest
            assert await loader.kit(pack.digest) is kit
            kits.append(weakref.ref(kit))
            del kit
        gc.collect()
        assert kits[0]() is None
        assert kits[-1]() is not None
        assert await loader.kit("0" * 64) is None
        assert await loader.kit(PACK.digest) is server.host.engine.kit
