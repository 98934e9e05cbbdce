"""Games of another content pack than the server's go on: the store has their pack."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING, Any

from structlog.testing import capture_logs

from endless_winter.content import pack_of
from endless_winter.service.packs import _OLDER, Packs
from endless_winter.service.replays import ReplayServicer
from endless_winter.store import SqliteStore
from endless_winter.v1 import clock_pb2, game_pb2, replay_pb2
from endless_winter.v1 import replay_service_pb2 as r
from tests.service.desk import PACK, Context, caller, desk
from tests.service.test_summaries import listed, played_out
from tests.service.test_suspended import seats

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.content import Pack

RUNNING = game_pb2.GAME_STATUS_RUNNING
SUSPENDED = game_pb2.GAME_STATUS_SUSPENDED
CLOCK = clock_pb2.TimeControl(decision_limit_ms=1000)


def older(version: str = "0.9") -> Pack:
    """The pack of the server in an earlier version."""
    content = json.loads(PACK.canonical)
    content["version"] = version
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return pack_of(text.encode())


OLD = older()


async def test_games_of_an_older_pack_go_on(tmp_path: Path) -> None:
    async with desk(tmp_path, OLD) as at:
        session = await at.running(time_control=CLOCK)
        for _ in range(5):
            await at.answer(session)
        before = session.table
        quiet = (await at.running()).table.game_id
    game_id = before.game_id
    async with desk(tmp_path) as at:
        assert await at.hall.wake_unfinished() == 1
        await at.hall.roused()
        session = at.hall.sessions[game_id]
        assert session.table.seq == before.seq
        assert session.scribe.words.pack.digest == OLD.digest
        accepted = await at.answer(session)
        assert accepted.seq > before.seq
        newer = (await at.running()).table.game_id
        found = await listed(at)
        assert {one: game.status for one, game in found.items()} == dict.fromkeys(
            (game_id, quiet, newer), RUNNING
        )
        assert found[game_id].content_hash == found[quiet].content_hash == OLD.digest
        assert found[newer].content_hash == PACK.digest
        assert (await seats(at, "player 0")).keys() == found.keys()


async def test_games_of_an_older_pack_are_replayed_and_verified(tmp_path: Path) -> None:
    async with desk(tmp_path, OLD) as at:
        session = await at.running()
        await played_out(session)
        game_id = session.table.game_id
    async with desk(tmp_path) as at:
        replays = ReplayServicer(at.hall)
        request = r.StreamReplayRequest(
            game_id=game_id, perspective=replay_pb2.PERSPECTIVE_OMNISCIENT
        )
        frames: list[replay_pb2.ReplayFrame] = []
        async for body in replays.StreamReplay(request, Context("anyone")):
            frames += r.StreamReplayResponse.FromString(body).frames
        assert frames[-1].HasField("omniscient_view")
        checked: Any = await replays.VerifyReplay(
            r.VerifyReplayRequest(game_id=game_id), Context("anyone")
        )
        assert checked.verified
        again = await at.hall.find(game_id, caller("player 0"))
        assert again.table.seq == session.table.seq


async def test_a_game_whose_pack_cannot_be_read_is_suspended(tmp_path: Path) -> None:
    async with desk(tmp_path, OLD) as at:
        game_id = (await at.running()).table.game_id
    with sqlite3.connect(tmp_path / "games.db") as file:
        file.execute("UPDATE packs SET data = CAST('{}' AS BLOB)")
    file.close()
    with capture_logs() as lines:
        async with desk(tmp_path) as at:
            await at.hall.wake_unfinished()
            assert (await listed(at))[game_id].status == SUSPENDED
            assert await seats(at, "player 0") == {game_id: SUSPENDED}
    told = [line["event"] for line in lines if line["log_level"] == "warning"]
    assert len(told) == 2, "the pack, and how many games"


async def test_few_older_packs_are_kept_at_hand(tmp_path: Path) -> None:
    async with await SqliteStore.open(tmp_path / "games.db", synchronous="off") as store:
        old = [older(str(number)) for number in range(_OLDER + 2)]
        for pack in old:
            await store.put_pack(pack.digest, pack.canonical)
        packs = Packs(store, PACK)
        first = await packs.of(old[0].digest)
        for pack in old:
            kit = await packs.of(pack.digest)
            assert kit is not None
            assert kit.pack.digest == pack.digest
            assert await packs.of(pack.digest) is kit
        assert len(packs._older) == _OLDER
        again = await packs.of(old[0].digest)
        assert again is not None
        assert again is not first
        assert await packs.of("0" * 64) is None
        assert await packs.of(PACK.digest) is packs.served
