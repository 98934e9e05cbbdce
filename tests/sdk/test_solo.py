"""Solo games for bots and scripts: configurations, the Nomad as a bot, and the commands."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import grpc
import pytest
from click.testing import CliRunner

from endless_winter.bots import BOTS, Nomad
from endless_winter.cli.bot import make_of
from endless_winter.cli.match import match
from endless_winter.cli.process import COMMAND, running
from endless_winter.sdk import (
    SWITCHES,
    Client,
    LocalTable,
    NotThisGame,
    Refused,
    play_local,
    solo_config,
)
from endless_winter.v1 import config_pb2, operator_service_pb2, operator_service_pb2_grpc
from tests.foundations.tree import EW
from tests.sdk.arena import attached, steady

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.cli.process import Server

TOKEN = "the-operators-token-of-the-tests"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running((*COMMAND, "--synchronous", "off", "--operator-token", TOKEN)) as found:
        yield found


def ew(*words: str, address: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(EW), *words],
        env={**os.environ, "EW_SERVER": address},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


# --- configurations ---


def test_a_plain_solo_game_has_an_open_seat_and_a_nomad_that_the_server_plays() -> None:
    config = solo_config()
    kinds = [seat.kind for seat in config.seats]
    assert kinds == [config_pb2.SEAT_KIND_OPEN, config_pb2.SEAT_KIND_NOMAD]
    assert config.HasField("nomad")
    assert config.nomad == config_pb2.NomadConfig()
    other = solo_config(seat=1, nomad_client=True)
    kinds = [seat.kind for seat in other.seats]
    assert kinds == [config_pb2.SEAT_KIND_NOMAD_CLIENT, config_pb2.SEAT_KIND_OPEN]


def test_every_difficulty_is_a_game_that_can_be_played() -> None:
    for hard in (False, True):
        for switches in ((), *[(name,) for name in SWITCHES], SWITCHES):
            config = solo_config(hard=hard, switches=switches)
            assert all(getattr(config.nomad, name) for name in switches)
            assert config.nomad.token_is_village == (hard or "token_is_village" in switches)
            LocalTable(config=config, seed=1)
    assert solo_config(switches=["setup-card"]) == solo_config(switches=["setup_card"])


def test_an_unknown_switch_costs_one_line() -> None:
    with pytest.raises(NotThisGame, match="no switch 'hardest', but extra_card, "):
        solo_config(switches=["hardest"])
    with pytest.raises(NotThisGame, match="seats 0 and 1"):
        solo_config(seat=2)


# --- the Nomad as a bot ---


def test_the_nomad_takes_its_one_option_and_says_why() -> None:
    nomad = Nomad()
    result = play_local([steady, nomad], seed=3, config=solo_config())
    assert result.completed
    assert nomad.explain()
    assert result.raw.seats == play_local([steady, steady], seed=3, config=solo_config()).raw.seats


def test_the_nomad_plays_no_other_seat() -> None:
    with pytest.raises(NotThisGame, match="give it the Nomad's seat"):
        play_local([Nomad, Nomad], seed=3)
    assert make_of("nomad") is Nomad
    assert "nomad" not in BOTS


@pytest.mark.parametrize("name", ["random", "greedy", "heuristic"])
def test_every_bot_plays_solo_games(name: str) -> None:
    config = solo_config(switches=SWITCHES)
    assert play_local([BOTS[name], Nomad], seed=4, config=config).completed


def play_seat(
    client: Client, game_id: str, seat: int, nomad: subprocess.Popen[str] | None = None
) -> None:
    """By defaults, to the end, or until the Nomad that we would wait for has ended."""
    client.ready(game_id, seat)
    while True:
        seen = client.wait(game_id, seat, timeout=1.0)
        if seen is not None:
            if seen.decision is None:
                return
            client.submit(seen.decision)
        elif nomad is not None and nomad.poll() is not None:
            return


def test_an_operator_can_hand_the_nomads_seat_to_an_attached_nomad(server: Server) -> None:
    """The way by the arena: `ew bot run nomad` waits there."""
    with attached(Nomad, server.address, "nomad"), Client(server.address) as client:
        game = client.create(seed=6, config=solo_config(nomad_client=True))
        with grpc.insecure_channel(server.address) as channel:
            host = operator_service_pb2_grpc.OperatorServiceStub(channel)
            handed = host.HandSeatToBot(
                operator_service_pb2.HandSeatToBotRequest(
                    game_id=game.game_id, seat=1, bot_name="nomad"
                ),
                metadata=(("ew-operator-token", TOKEN),),
            )
        assert handed.game.seats[1].handed_to_bot
        play_seat(client, game.game_id, client.join(game.game_id))
        result = client.result(game.game_id)
    local = play_local([lambda decision, _: decision.default, Nomad], seed=6, config=solo_config())
    assert result.raw.seats == local.raw.seats


# --- commands ---


def test_a_nomad_comes_by_invitation_also_into_a_closed_game(server: Server) -> None:
    config = solo_config(nomad_client=True)
    config.visibility = config_pb2.VISIBILITY_CLOSED
    with Client(server.address) as client:
        game = client.create(seed=6, config=config)
        word = client.invite(game.game_id, 1)
        with pytest.raises(Refused, match="only reserved seats"):
            client.invite(game.game_id, 0)
        nomad = subprocess.Popen(
            [str(EW), "bot", "nomad", "--game", game.game_id, "--invitation", word],
            env={**os.environ, "EW_SERVER": server.address},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        play_seat(client, game.game_id, client.join(game.game_id), nomad)
        said, errors = nomad.communicate(timeout=240)
    assert nomad.returncode == 0, errors
    assert said == ""
    assert "the game is over (completed); seat 0: " in errors


def test_a_nomad_that_is_not_wanted_gets_an_error_of_one_line(server: Server) -> None:
    with Client(server.address) as client:
        game = client.create(config=solo_config())
    for words, line in (
        (("--game", game.game_id), "no client plays a Nomad in the game"),
        (("--game", "nowhere"), "there is no such game"),
        (("--game", "nowhere", "--invitation", "abc"), "there is no such game"),
        ((), "Missing option '--game'"),
    ):
        found = ew("bot", "nomad", *words, address=server.address)
        assert found.returncode != 0
        assert line in found.stderr
        assert found.stderr.count("\n") == 1, found.stderr


def test_a_match_against_the_nomad_is_solo_games() -> None:
    found = ew("match", "random", "nomad", "--hard", "all", address="")
    assert found.returncode == 0, found.stderr
    assert "2 games: random against nomad" in found.stdout
    assert found.stdout.count("(nomad wins)") == 2
    assert "Offering track" in found.stdout


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["random", "greedy", "--hard", "all"], "--hard is for the Nomad"),
        (["random", "nomad", "nomad"], "the Nomad plays against one bot"),
        (["nomad", "nomad"], "the Nomad plays against one bot"),
        (["random", "nomad", "--hard", "x"], "no switch 'x'"),
    ],
)
def test_a_match_that_makes_no_sense_says_why(words: list[str], line: str) -> None:
    found = CliRunner().invoke(match, words)
    assert found.exit_code == 2
    assert line in found.output
