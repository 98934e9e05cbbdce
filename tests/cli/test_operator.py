"""``ew operator``: seats taken and given, seals opened, and mistakes in one line."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from endless_winter.sdk import Client
from endless_winter.v1 import config_pb2, game_pb2
from tests.foundations.tree import EW, passed, run
from tests.service import player
from tests.service.bot_process import BotProcess
from tests.service.wire import TOKEN, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from subprocess import CompletedProcess

    from endless_winter.cli.process import Server

OPEN = config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)
HELD = config_pb2.GameConfig(seats=[OPEN, OPEN], hold_reveal=True)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with served() as one:
        yield one


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EW_OPERATOR_TOKEN", TOKEN)
    monkeypatch.delenv("EW_OPERATOR_TOKEN_FILE", raising=False)


def operate(server: Server, *words: str) -> CompletedProcess[str]:
    return run(EW, "operator", *words, "--server", server.address)


def seated(client: Client) -> str:
    game_id = client.create(config=HELD).game_id
    for seat in range(2):
        client.join(game_id, seat)
    return game_id


def test_a_seat_is_revoked_and_rebound_and_a_running_one_forfeited(server: Server) -> None:
    with Client(server.address) as ann, Client(server.address) as bob:
        game_id = seated(ann)
        said = passed(operate(server, "revoke", game_id, "1", "--note", "asked to"))
        assert said == f"{game_id}: seat 1 is taken from its holder\n"
        assert not ann.game(game_id).seats[1].taken
        done = operate(server, "rebind", game_id, "1")
        word = passed(done).strip()
        assert f"ew play --server {server.address} --join {game_id} --seat 1" in done.stderr
        assert bob.join(game_id, 1, invitation=word) == 1
        ann.ready(game_id, 0)
        bob.ready(game_id, 1)
        said = passed(operate(server, "revoke", game_id, "1", "--forfeit"))
        assert said == f"{game_id}: seat 1 is forfeited\n"


def test_a_seal_is_opened_when_the_game_is_over(server: Server) -> None:
    with Client(server.address) as ann:
        game_id = seated(ann)
        done = operate(server, "release", game_id)
        assert done.returncode == 1
        assert done.stderr == "ew: refused, NOT_REVEALED_YET: not all games have ended\n"
        said = passed(operate(server, "abort", game_id, "--note", "over"))
        assert said == f"{game_id}: aborted\n"
        assert not ann.game(game_id).HasField("seed_reveal")
        assert passed(operate(server, "release", game_id)) == f"{game_id}: the seal is open\n"
        assert ann.game(game_id).HasField("seed_reveal")
        assert ann.game(game_id).status == game_pb2.GAME_STATUS_ENDED


async def test_a_seat_is_handed_to_a_bot(server: Server) -> None:
    async with player.Client(server.address, "ann") as ann:
        game_id = (await ann.create(2)).game_id
        await ann.join(game_id, 0)
        done = await asyncio.to_thread(operate, server, "hand", game_id, "0", "helper")
        assert done.returncode == 1
        assert done.stderr.startswith("ew: refused, BOT_UNAVAILABLE: ")
        async with player.Client(server.address, "bot") as client:
            bot = await BotProcess(client, "helper").welcomed()
            words = ("hand", game_id, "0", "helper", "--options", "depth=2")
            handing = asyncio.create_task(asyncio.to_thread(operate, server, *words))
            offer = await bot.offer()
            assert offer.bot_options == "depth=2"
            bot.reply(offer)
            assert passed(await handing) == f"{game_id}: seat 0 is played by helper\n"
            bot.call.cancel()


def test_the_token_may_come_from_a_file(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EW_OPERATOR_TOKEN")
    file = tmp_path / "tokens"
    file.write_text(f"# the tokens\n\n{TOKEN}\n")
    with Client(server.address) as ann:
        passed(operate(server, "revoke", seated(ann), "0", "--token-file", str(file)))
        monkeypatch.setenv("EW_OPERATOR_TOKEN_FILE", str(file))
        passed(operate(server, "revoke", seated(ann), "0"))
    file.write_text("# none\n")
    done = operate(server, "revoke", "game", "0")
    assert (done.returncode, done.stderr) == (1, f"ew: {file}: there is no token in it\n")


@pytest.mark.parametrize(
    ("word", "status", "said"),
    [
        ("", 2, "put an operator's token into EW_OPERATOR_TOKEN, or name a --token-file"),
        ("not-the-operators-token", 1, "NOT_ALLOWED: only operators may do this"),
        ("pässwörter-mit-umlauten", 2, "an operator's token has printable ASCII characters"),
    ],
)
def test_without_the_right_token_one_line_says_so(
    server: Server, monkeypatch: pytest.MonkeyPatch, word: str, status: int, said: str
) -> None:
    monkeypatch.setenv("EW_OPERATOR_TOKEN", word)
    done = operate(server, "revoke", "game", "0")
    assert done.returncode == status
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("revoke", "no-such-game", "0"), 1, "GAME_NOT_FOUND"),
        (("revoke", "game", "4"), 2, "4 is not in the range"),
        (("release",), 2, "GAME..."),
        (("hand", "game", "0"), 2, "BOT"),
        (("revok", "game", "0"), 2, "revok"),
    ],
)
def test_a_mistake_costs_one_line(
    server: Server, words: tuple[str, ...], status: int, said: str
) -> None:
    done = operate(server, *words)
    assert done.returncode == status
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_no_server_there_costs_one_line() -> None:
    done = run(EW, "operator", "abort", "game", "--server", "127.0.0.1:1")
    assert done.returncode == 1
    assert done.stderr.startswith("ew: no server answers at 127.0.0.1:1")
    done = run(EW, "operator", "abort", "game", "--server", "nonsense")
    assert done.returncode == 2
    assert "'nonsense' is no address" in done.stderr
