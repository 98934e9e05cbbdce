"""Games of other rules than this server's: shown to those who may know of them, not continued."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from endless_winter.service import hall
from endless_winter.service.refusal import Refusal
from endless_winter.v1 import config_pb2, game_pb2, result_pb2
from endless_winter.v1 import rejection_pb2 as reasons
from tests.foundations.tree import EW, passed, run
from tests.service.desk import caller, desk
from tests.service.wire import served

if TYPE_CHECKING:
    from pathlib import Path

CLOSED = config_pb2.VISIBILITY_CLOSED


async def test_a_game_of_other_rules_is_suspended_and_not_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(tmp_path) as at:
        running = (await at.running()).table.game_id
        closed = (await at.running(visibility=CLOSED)).table.game_id
        over = await at.running()
        ended = over.table.game_id
        await over.abort(result_pb2.GAME_OUTCOME_ABORTED)
        before = await at.hall.describe(ended, caller("anyone"))
    monkeypatch.setattr(hall, "RULES", "next")
    async with desk(tmp_path) as at:
        await at.hall.wake_unfinished()
        assert not at.hall.sessions
        for game_id, who in ((running, "anyone"), (closed, "player 0"), (closed, "host")):
            info = await at.hall.describe(game_id, caller(who))
            assert info.status == game_pb2.GAME_STATUS_SUSPENDED
            assert [seat.display_name for seat in info.seats] == ["player 0", "player 1"]
            assert info.rules_version == "2"
            assert not info.HasField("seed_reveal")
            with pytest.raises(Refusal) as refused:
                await at.hall.find(game_id, caller(who))
            assert refused.value.reason == reasons.REJECTION_REASON_VERSION_UNAVAILABLE
        for look in (at.hall.find, at.hall.describe):
            with pytest.raises(Refusal) as refused:
                await look(closed, caller("stranger"))
            assert refused.value.reason == reasons.REJECTION_REASON_GAME_NOT_FOUND
        after = await at.hall.describe(ended, caller("anyone"))
        assert after.status == game_pb2.GAME_STATUS_ENDED
        assert after.seed_reveal.seed == bytes(32)
        assert after.result == before.result


async def test_watching_such_a_game_names_the_command_that_can_show_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(hall, "RULES", "before")
        async with desk(tmp_path) as at:
            game_id = (await at.running()).table.game_id
    with served(tmp_path, "--store", "games.db") as server:
        where = ("--server", server.address)
        done = await asyncio.to_thread(run, EW, "watch", game_id, *where)
        assert done.returncode == 1
        assert done.stderr.count("\n") == 1
        shown = f"ew replay show {game_id} --server {server.address}"
        assert f"'{shown}' tells what happened" in done.stderr
        said = passed(await asyncio.to_thread(run, EW, *shown.split()[1:]))
        assert "player 0" in said
