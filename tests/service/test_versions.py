"""Games of other rules than this server's: shown to those who may know of them, not continued."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from endless_winter.rules import RULES_VERSION
from endless_winter.v1 import config_pb2, game_pb2
from tests.engine.desk import Desk
from tests.foundations.tree import EW, passed, run
from tests.service.inside import inside
from tests.service.test_suspended import FILE, described, opened, rewrite
from tests.service.wire import refused, served

if TYPE_CHECKING:
    from pathlib import Path

CLOSED = config_pb2.VISIBILITY_CLOSED


async def test_a_game_of_other_rules_is_suspended_and_not_continued(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        desk = Desk(store)
        running = desk.running().game_id
        closed = desk.running(visibility=CLOSED).game_id
        over = desk.running()
        desk.abort(over, operator=True)
    rewrite(tmp_path, "UPDATE games SET rules_version = 'next'")
    with opened(tmp_path) as store:
        async with inside(store) as server:
            assert not server.host.engine.games
            for game_id, who in ((running, "anyone"), (closed, "player 0"), (closed, "host")):
                info = await described(server, game_id, who)
                assert info.status == game_pb2.GAME_STATUS_SUSPENDED
                assert [seat.display_name for seat in info.seats] == ["player 0", "player 1"]
                assert info.rules_version == str(RULES_VERSION)
                assert not info.HasField("seed_reveal")
                refusal = await refused(server.client(who).view(game_id))
                assert refusal.reason == "VERSION_UNAVAILABLE"
            stranger = server.client("stranger")
            for look in (stranger.view(closed), described(server, closed, "stranger")):
                assert (await refused(look)).reason == "GAME_NOT_FOUND"
            after = await described(server, over.game_id, "anyone")
            assert after.status == game_pb2.GAME_STATUS_ENDED
            assert after.seed_reveal.seed == bytes(32)
            assert after.result == over.table.result


async def test_watching_such_a_game_names_the_command_that_can_show_it(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        game_id = Desk(store).running().game_id
    rewrite(tmp_path, "UPDATE games SET rules_version = 'before'")
    with served(tmp_path, "--store", FILE) as server:
        where = ("--server", server.address)
        done = await asyncio.to_thread(run, EW, "watch", game_id, *where)
        assert done.returncode == 1
        assert done.stderr.count("\n") == 1
        shown = f"ew replay show {game_id} --server {server.address}"
        assert f"'{shown}' prints what happened" in done.stderr
        said = passed(await asyncio.to_thread(run, EW, *shown.split()[1:]))
        assert "player 0" in said
