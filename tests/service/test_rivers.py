"""Rivers & Rafts over the network: created, found in the list, played, recorded, verified."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

from click.testing import CliRunner

from endless_winter.cli.replay import replay
from endless_winter.v1 import config_pb2, game_pb2, game_service_pb2
from tests.service.logs import Playing
from tests.service.player import Client, play_unary
from tests.service.wire import refused, served

if TYPE_CHECKING:
    from pathlib import Path

DECIDED = config_pb2.RiversConfig(
    landmark_count=2, landmark_mode=config_pb2.LANDMARK_CHOICE_MODE_DECIDED
)
ALL = config_pb2.ModuleConfig(
    glacier_tokens=True, rest_tokens=True, warriors=True, sea_cows=True, mammoth=True
)


async def listed(client: Client, **filters: Any) -> list[str]:
    request = game_service_pb2.ListGamesRequest(**filters)
    response = await client.games.ListGames(request, metadata=client.metadata)
    return [game.game_id for game in response.games]


async def test_a_game_on_the_river_is_listed_and_played_to_its_end() -> None:
    with served() as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "bob") as bob:
            game = await ann.create(2, rivers=DECIDED, modules=ALL)
            plain = await ann.create(2)
            assert await listed(ann, rivers=True) == [game.game_id]
            assert await listed(ann, rivers=False) == [plain.game_id]
            await ann.join(game.game_id, 0)
            await bob.join(game.game_id, 1)
            ends = await asyncio.gather(
                play_unary(ann, game.game_id, 0, 1), play_unary(bob, game.game_id, 1, 2)
            )
            assert [end.status for end in ends] == [game_pb2.GAME_STATUS_ENDED] * 2
            view = (await ann.view(game.game_id, 0)).public_view
            assert len(view.rivers.starting_bases) == 2


async def test_a_river_that_cannot_be_played_is_refused_with_its_field() -> None:
    with served() as server:
        async with Client(server.address, "ann") as ann:
            for wrong, field in (
                ({"rivers": config_pb2.RiversConfig(landmark_count=4)}, "rivers.landmark_count"),
                ({"modules": config_pb2.ModuleConfig(sea_cows=True)}, "modules.sea_cows"),
            ):
                answer = await refused(ann.create(2, **wrong))
                assert answer.reason == "INVALID_ARGUMENT"
                assert field in str(answer.metadata)


def test_a_replay_shows_the_river_in_words_and_is_verified(tmp_path: Path) -> None:
    playing = Playing(5, 3, rivers=DECIDED, modules=ALL).play()
    path = tmp_path / "river.ewr"
    path.write_bytes(playing.log().record().SerializeToString())
    assert ": verified: " in CliRunner().invoke(replay, ["verify", str(path)]).output
    for eyes in ("open", "spectator", "0"):
        lines = CliRunner().invoke(replay, ["show", str(path), "--eyes", eyes]).output
        assert "_id:" not in lines, "every event of it has words"
        assert re.search(r"The Landmark on hex \d+: [A-Z]", lines)
        assert re.search(r"attaches the Starting Base at the hexes \d+ and \d+", lines)
        assert re.search(r"moves the Raft downriver to river place \d", lines)
        assert re.search(r"catches [A-Z]\w+ \(hex \d+\)", lines)
