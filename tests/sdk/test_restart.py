"""Real processes: the server is killed in the middle of games, and they are finished."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from endless_winter.cli.bot_process import Entrant, playing
from endless_winter.cli.process import COMMAND, running
from endless_winter.sdk import play_local
from endless_winter.sdk.client import Client
from tests.foundations.tree import ROOT
from tests.sdk.arena import seats, steady
from tests.sdk.ports import nobody

if TYPE_CHECKING:
    from pathlib import Path

BOT = """\
import sys
sys.path.insert(0, {root!r})
from tests.sdk.arena import steady as choose
"""


def test_a_server_killed_in_mid_game_costs_nothing(tmp_path: Path) -> None:
    played_through(tmp_path, games=2, players=2, kills=1)


@pytest.mark.soak
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_server_killed_again_and_again_costs_nothing(tmp_path: Path, players: int) -> None:
    played_through(tmp_path, games=8, players=players, kills=4)


def played_through(folder: Path, *, games: int, players: int, kills: int) -> None:
    """Kill the server each time the first game has come a good way, and have all games played."""
    file = folder / "steady.py"
    file.write_text(BOT.format(root=str(ROOT)))
    names = [f"bot-{number}" for number in range(players)]
    entrants = [Entrant(str(file), name) for name in names]
    with nobody() as address:
        serving = [word if word != "127.0.0.1:0" else address for word in COMMAND]
        with (
            running(serving, folder=folder) as first,
            playing(entrants, address, capacity=games) as bots,
            Client(address, patience=60.0) as client,
            ExitStack() as stack,
        ):
            made = [client.create(seed=n, config=seats(*names)) for n in range(games)]
            server, killed_at = first, 0
            for _ in range(kills):
                until = killed_at + 40
                for seen in client.watch(made[0].game_id):
                    killed_at = seen.seq
                    if killed_at > until:
                        break
                server.process.kill()
                server.process.wait()
                server = stack.enter_context(running(serving, folder=folder))
                assert server.address == address
            results = [client.result(game.game_id) for game in made]
            assert [bot.status() for bot in bots] == [None] * players
            assert [bot.stop() for bot in bots] == [0] * players
    assert killed_at > 40
    for number, result in enumerate(results):
        # The very game that would have been played without the accident.
        assert result.raw.seats == play_local([steady] * players, seed=number).raw.seats
